"""The crash, investigated on the page: each of the three drivers by mouse and by keyboard."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opening
from tests.browser.working import (
    PATIENCE,
    ask,
    asking,
    centre,
    chips,
    drag,
    facts,
    handle,
    question,
    ready,
    suppose,
    tab_to,
    tick,
    verdict,
)

OTHER = "world.agents[1]"
#: whether each would always have moved, whatever the signal, from anywhere on the stretch behind the other car
ALWAYS = {"standard": "no", "impatient": "yes", "pathological": "no"}


def download(page: Page, button: str, tmp_path: Path) -> Path:
    with page.expect_download(timeout=PATIENCE) as waiting:
        page.get_by_role("button", name=button).click()
    file = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(file)
    return file


def slide_to(page: Page, step: int) -> None:
    """Put the slider there, with the mouse."""
    slider = page.get_by_role("slider", name="Moment of the log")
    box, last = slider.bounding_box(), int(slider.get_attribute("max") or 0)
    assert box is not None
    page.mouse.click(box["x"] + 10 + (box["width"] - 20) * step / last, box["y"] + box["height"] / 2)
    expect(page.get_by_role("heading", name=f"step {step},")).to_be_visible()


def test_standard_driver_by_mouse(opening: Opening, copied, shot, tmp_path: Path) -> None:
    page = ready(opening(f"/case/{copied('crash-standard')}"))
    slide_to(page, 0)
    slide_to(page, 11)
    # did it move?
    ask(page)
    expect(verdict(page)).to_have_text("yes")
    expect(facts(page)).to_have_count(1)
    # what if it had signalled otherwise, and been anywhere on that stretch?
    asking(page, "might", "not move")
    tick(page, "the other car's signal", "STRAIGHT", "LEFT", "RIGHT")
    page.get_by_role("button", name="along a stretch").click()
    expect(page.locator(".stage.stretching")).to_be_visible()
    drag(page, handle(page, "B"), -50, 1)
    expect(chips(page)).to_have_count(2)
    expect(question(page)).to_contain_text(f"<= {OTHER}.x <= 1.376")  # where it was is one end, to the bit
    expect(question(page)).not_to_contain_text(f"{OTHER}.z")  # a hand that trembles means nothing by it
    expect(page.locator('[data-stretch="B"]')).to_be_visible()
    shot(page, "composed")
    ask(page)
    expect(verdict(page)).to_have_text("yes")
    # the counterfactual: the right car, what changed, the replay, and the ghost
    changed = page.locator(".answer table.changed tbody tr")
    expect(changed).to_have_count(1)
    expect(changed).to_contain_text("the other car's signal")
    expect(changed.locator("td")).to_have_text(["RIGHT", "STRAIGHT"])
    expect(page.locator(".answer table.outcome")).to_contain_text("the decision to move")
    expect(page.locator(".answer .replayed")).to_contain_text("by running the compiled program")
    expect(page.locator(".verdict-box")).to_contain_text("paths, all decided")
    ghost = page.locator('.stage [data-at="in the scenario"]')
    expect(ghost).to_have_count(1)
    expect(ghost).to_have_attribute("data-actor", "B")
    expect(page.locator(".outcome", has_text="In the scenario it decides to stay")).to_be_visible()
    shot(page, "answered")
    # fact and scenario in turns
    page.get_by_role("button", name="Fact", exact=True).click()
    expect(ghost).to_have_count(0)
    page.get_by_role("button", name="Scenario", exact=True).click()
    expect(ghost).to_have_count(1)
    page.get_by_role("button", name="Play both").click()
    expect(ghost).to_have_count(0)
    expect(ghost).to_have_count(1)
    # why
    page.get_by_role("button", name="Why? What mattered").click()
    expect(page.get_by_role("heading", name="Where the ways part")).to_be_visible()
    expect(page.locator(".why")).to_contain_text("theirs == RIGHT")
    shot(page, "why")
    # and on from there
    page.get_by_role("button", name="Ask again from here").click()
    expect(question(page)).to_have_text(f"might not move if {OTHER}.signal in {{STRAIGHT}}")
    ask(page)
    expect(facts(page)).to_have_count(3)
    report = download(page, "Download the report", tmp_path)
    assert report.suffix == ".html" and "been STRAIGHT instead of RIGHT" in report.read_text()
    assert download(page, "Download the evidence", tmp_path).read_bytes().startswith(b"PK")


def shown(page: Page, driver: str) -> None:
    """The verdict; and beside a no the counterfactual: which car, and what it is that changed."""
    expect(verdict(page)).to_have_text(ALWAYS[driver])
    ghost = page.locator('.stage [data-at="in the scenario"]')
    if ALWAYS[driver] == "yes":
        expect(page.locator(".answer")).to_contain_text("It would always drive on")
    else:
        expect(page.locator(".answer table.changed tbody")).to_contain_text("the other car's")
        expect(ghost).to_have_attribute("data-actor", "B")
    expect(facts(page)).to_have_count(1)


@pytest.mark.parametrize("driver", ["impatient", pytest.param("pathological", marks=pytest.mark.soak)])
def test_the_other_drivers_by_mouse(driver: str, opening: Opening, copied, shot, tmp_path: Path) -> None:
    page = ready(opening(f"/case/{copied(f'crash-{driver}')}"))
    slide_to(page, 0)
    slide_to(page, 11)
    tick(page, "the other car's signal", "STRAIGHT", "LEFT", "RIGHT")
    page.get_by_role("button", name="along a stretch").click()
    expect(page.locator(".stage.stretching")).to_be_visible()
    drag(page, handle(page, "B"), -50, 1)
    expect(chips(page)).to_have_count(2)
    asking(page, "would")
    ask(page)
    shown(page, driver)
    shot(page)
    assert download(page, "Download the report", tmp_path).suffix == ".html"


@pytest.mark.parametrize(
    "driver", ["standard", *(pytest.param(driver, marks=pytest.mark.soak) for driver in ("impatient", "pathological"))]
)
def test_each_driver_by_keyboard(driver: str, opening: Opening, copied, shot, tmp_path: Path) -> None:
    page = ready(opening(f"/case/{copied(f'crash-{driver}')}"))
    key = page.keyboard.press
    tab_to(page, handle(page, "B"))
    for _ in range(9):
        key("Shift+ArrowLeft")  # where it may have been
    expect(page.locator('[data-stretch="B"]')).to_be_visible()
    expect(handle(page, "B")).to_be_focused()  # though it was drawn anew
    tab_to(page, page.get_by_role("slider", name="Moment of the log"))
    key("Home")
    expect(page.get_by_role("heading", name="step 0,")).to_be_visible()
    for _ in range(11):
        key("ArrowRight")
    expect(page.get_by_role("heading", name="step 11,")).to_be_visible()
    for label in ("STRAIGHT", "LEFT", "RIGHT"):
        tab_to(page, page.get_by_label(f"the other car's signal: {label}"))
        key("Space")
    expect(chips(page)).to_have_count(2)
    tab_to(page, page.get_by_role("button", name="would", exact=True))
    key("Enter")
    tab_to(page, page.get_by_role("button", name="Ask", exact=True))
    key("Enter")
    shown(page, driver)
    shot(page)
    tab_to(page, page.get_by_role("button", name="Download the report"))
    with page.expect_download(timeout=PATIENCE) as waiting:
        key("Enter")
    waiting.value.save_as(tmp_path / "report.html")
    assert "STRAIGHT" in (tmp_path / "report.html").read_text()


def test_pathological_driver_by_both(opening: Opening, copied, shot) -> None:
    """Does it lie in wait? Had it come first, and no turn been signalled, would it have waited?"""
    page = ready(opening(f"/case/{copied('crash-pathological')}"))
    tick(page, "the other car's signal", "STRAIGHT")
    page.get_by_role("button", name="A · the investigated car").click()
    suppose(page, "the car's own arrival", "less than")
    # one that has nothing to be compared with yet cannot be asked
    asking(page, "would")
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_disabled()
    page.get_by_label("What the car's own arrival is compared with").select_option(f"{OTHER}.arrived")
    asking(page, "would", "not move")
    expect(question(page)).to_have_text(
        f"would not move if {OTHER}.signal in {{STRAIGHT}} and world.agents[0].arrived < {OTHER}.arrived "
        f"and keep {OTHER}.arrived"
    )
    page.get_by_role("button", name="Ask", exact=True).press("Enter")
    expect(verdict(page)).to_have_text("yes")
    shot(page)


def test_a_car_is_dragged_to_a_place_and_turned(opening: Opening, copied, shot) -> None:
    page = ready(opening(f"/case/{copied('crash-standard')}"))
    drag(page, handle(page, "B"), -60, 0)
    expect(chips(page)).to_have_count(1)
    expect(chips(page)).to_contain_text("the other car's x")
    expect(page.locator('.stage [data-at="in the scenario"]')).to_have_attribute("data-actor", "B")
    drag(page, handle(page, "B", "heading"), -20, -60)
    expect(chips(page)).to_have_count(2)
    expect(chips(page).nth(1)).to_contain_text("°)")
    turned = chips(page).nth(1).locator(".chip-words").inner_text()
    handle(page, "B", "heading").press("ArrowLeft")
    expect(chips(page).nth(1).locator(".chip-words")).not_to_have_text(turned)
    shot(page)
    handle(page, "B", "heading").press("Escape")
    handle(page, "B").press("Escape")
    expect(chips(page)).to_have_count(0)
    handle(page, "B").press("ArrowRight")
    expect(chips(page)).to_contain_text("the other car's x is 1.38")


def test_a_car_is_added_and_taken_away(opening: Opening, copied) -> None:
    page = ready(opening(f"/case/{copied('crash-standard')}"))
    page.get_by_role("button", name="C · a third car").click()
    page.get_by_role("button", name="Add C").click()
    expect(chips(page)).to_contain_text(["a third car's presence", "a third car's x", "a third car's z"])
    expect(page.get_by_role("button", name="Take C away")).to_be_visible()
    expect(page.get_by_text("what you do not say of it is what the log has in its place")).to_be_visible()
    handle(page, "C").scroll_into_view_if_needed()  # the button for it stands below the scene
    middle = centre(handle(page, "C"))
    words = chips(page).nth(2).inner_text()
    drag(page, handle(page, "C"), 0, -60)
    expect(chips(page).nth(2)).not_to_have_text(words, use_inner_text=True)
    expect(chips(page)).to_have_count(3)
    assert centre(handle(page, "C"))[1] < middle[1] - 30
    page.get_by_role("button", name="Start over").click()
    expect(chips(page)).to_have_count(0)
    page.get_by_role("button", name="B · the other car").click()
    page.get_by_role("button", name="Take B away").click()
    expect(chips(page)).to_contain_text("the other car's presence is false")
    expect(handle(page, "B")).to_have_count(0)
