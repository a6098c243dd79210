"""What axe-core finds on the pages: nothing, in light and dark, on a wide screen and on a phone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opening
from tests.browser.working import ask, asking, facts, ready, suppose, tick, verdict

_AXE: Final = Axe()
#: without what axe loads for itself: the page would show that something is loaded
_OPTIONS: Final = {"resultTypes": ["violations"], "preload": False}
_SIZES: Final = ((1440, 900, "light"), (390, 844, "dark"))


def found(page: Page) -> list[str]:
    """What axe-core complains of: its rule, and where."""
    told = []
    for width, height, scheme in _SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
        violations = _AXE.run(page, options=_OPTIONS).response["violations"]
        told += [
            f"{width} {scheme}: {each['id']} ({each['help']}): {node['html'][:300]} {node['failureSummary']}"
            for each in violations
            for node in each["nodes"][:5]
        ]
    return told


def asked(page: Page) -> None:
    """A case with an answer, an explanation of it, and all that is folded opened."""
    ready(page)
    tick(page, "the other car's signal", "STRAIGHT")
    asking(page, "might", "not move")
    ask(page)
    expect(verdict(page)).to_have_text("yes")
    page.get_by_role("button", name="Why? What mattered").click()
    expect(page.get_by_role("heading", name="Where it flips")).to_be_visible()
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")


def mapped(page: Page) -> None:
    """A decision map, both ways through a learned model, and a mistake in a typed question."""
    ready(page)
    suppose(page, "the income", "anything")
    asking(page, "might", "approve")
    ask(page)
    expect(verdict(page)).to_have_text("yes")
    page.get_by_role("button", name="Both ways through the program").click()
    expect(page.get_by_role("heading", name="Through the trees")).to_be_visible()
    page.get_by_role("button", name="Draw the map").click()
    page.locator(".map svg").wait_for()
    page.get_by_label("The whole question as text").fill("would approve if (")
    page.get_by_role("button", name="Ask this").click()
    expect(page.locator(".text-question .problem")).not_to_be_empty()


def compared(page: Page) -> None:
    """Programs side by side, their maps, where they part, and moments to be compared."""
    ready(page)
    tick(page, "the other car's signal", "STRAIGHT", "LEFT")
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.locator(".compared-answers .one")).to_have_count(3)
    page.get_by_role("button", name="Draw the maps").first.click()
    expect(page.locator(".programs .map svg")).to_have_count(3)
    page.get_by_role("button", name="Do they decide alike?").click()
    expect(page.locator(".card.difference .verdict")).to_have_count(2)
    page.get_by_text("Compare moments, side by side").click()
    page.get_by_role("button", name="One step on").click()
    page.get_by_role("button", name="Add step 12").click()
    expect(page.locator(".compared-moments li")).to_have_count(2)


def run(page: Page) -> None:
    """Five cars while they move, and what is wrong with a field of one."""
    for _ in "CDE":
        page.get_by_role("button", name="Add a car").click()
    expect(page.get_by_label("E, a fifth car: starts after")).to_be_visible()
    page.get_by_role("button", name="Play the run").click()
    expect(page.locator(".settings")).to_have_js_property("inert", True)
    assert found(page) == []
    page.emulate_media(reduced_motion="no-preference")
    page.get_by_role("slider", name="Step of the run").fill("0")
    page.get_by_label("B, the other car: starts after").fill("far")
    expect(page.locator(".settings")).to_contain_text("'far' is no number")


def stale(page: Page) -> None:
    expect(ready(page).locator(".notice")).to_contain_text("There is no entry 99")


def unknown(page: Page) -> None:
    ready(page)
    page.get_by_label("What is listed").select_option("all")
    page.get_by_role("button", name="Show entry").first.click()
    expect(verdict(page)).to_have_text("unknown")


def gone_on(page: Page) -> None:
    """An open answer with its picture, gone on with: the work under way, and then called off."""
    ready(page)
    expect(verdict(page)).to_have_text("unknown")
    page.get_by_role("button", name="Go on: Take 10 more minutes").click()
    expect(page.locator(".job progress")).to_be_visible()
    assert found(page) == []
    page.get_by_role("button", name="Cancel: ").click()
    expect(page.locator(".job")).to_contain_text("called off")


def scripted(page: Page) -> None:
    """A script that has concluded, what was asked as text, and the tour."""
    ready(page)
    page.get_by_role("button", name="Run this script").click()
    expect(page.locator(".script-end .verdict-box")).to_be_visible()
    tick(page, "the door switch", "true")
    page.get_by_role("button", name="Was this why?").click()
    expect(page.locator(".asked-why .verdict")).to_be_visible()
    assert found(page) == []
    page.get_by_role("button", name="Take a tour of one minute").click()
    expect(page.locator(".tour-card")).to_be_visible()


def managed(page: Page) -> None:
    page.get_by_role("button", name="Manage").first.click()
    page.locator("summary", has_text="Delete it").click()
    expect(page.get_by_label("Name of the case")).to_be_visible()


def abstracted(page: Page) -> None:
    ready(page)
    ask(page)
    expect(facts(page)).to_have_count(1)
    page.goto(f"{page.url.partition('?')[0]}/abstraction")
    expect(page.locator(".drawing svg, .main svg").first).to_be_visible()


@pytest.mark.parametrize(
    ("case", "address", "do"),
    [
        ("", "/", None),
        ("", "/new", None),
        ("", "/verify", None),
        ("microwave", "/?{}", managed),
        ("", "/help", None),
        ("", "/crash", run),
        ("", "/no-such-page", None),
        ("crash-standard", "/case/{}", asked),
        ("crash-together", "/case/{}", compared),
        ("crash-standard", "/case/{}?entry=99", stale),
        ("lending", "/case/{}", mapped),
        ("microwave", "/case/{}/abstraction", None),  # no question was answered yet
        ("drone", "/case/{}", ready),
        ("hard", "/case/{}", unknown),
        ("apart", "/case/{}?entry=3", gone_on),
        ("microwave", "/case/{}", scripted),
        ("mismatch", "/case/{}", ready),
        ("microwave", "/case/{}", abstracted),
    ],
)
def test_axe_finds_nothing(
    opening: Opening, copied: Callable[[str], str], case: str, address: str, do: Callable[[Page], None] | None
) -> None:
    page = opening(address.format(copied(case) if case else ""))
    page.get_by_role("heading", level=1).first.wait_for()
    if do is not None:
        do(page)
    assert found(page) == []
