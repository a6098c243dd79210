"""The tour of a case's page: it is offered once, taken or skipped by mouse and keyboard, and begins anew from Help."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Opening
from tests.browser.working import ready, tab_to


def card(page: Page) -> Locator:
    return page.locator(".tour-card")


def offer(page: Page) -> Locator:
    return page.get_by_role("button", name="Take a tour of one minute")


def test_the_tour_is_taken_once_and_begins_again_from_help(opening: Opening, copied, shot) -> None:
    case = copied("crash-standard")
    page = ready(opening(f"/case/{case}"))
    expect(card(page)).to_have_count(0)  # it does not begin by itself
    offer(page).click()
    expect(card(page)).to_contain_text("What happened")
    expect(card(page)).to_contain_text("1 of 7")
    titles = []
    while True:
        titles.append(card(page).locator("h2").inner_text())
        ring, told = page.locator(".tour-ring").bounding_box(), card(page).bounding_box()
        assert ring is not None and told is not None and ring["height"] > 20
        assert told["x"] >= 0 and told["x"] + told["width"] <= 1440 and told["y"] + told["height"] <= 1000
        if len(titles) == 3:
            shot(page, "third")
        if card(page).get_by_role("button", name="Done").count():
            break
        card(page).get_by_role("button", name="Next").click()
        expect(card(page).locator(".dim")).to_have_text(f"{len(titles) + 1} of 7")
    assert len(set(titles)) == 7
    card(page).get_by_role("button", name="Done").click()
    expect(card(page)).to_have_count(0)
    page.reload()
    ready(page)
    expect(page.locator(".story")).to_contain_text("Harm:")
    expect(offer(page)).to_have_count(0)  # never uninvited
    page.goto(page.url.partition("/case/")[0] + f"/help?case={case}")
    page.get_by_role("link", name="Take the tour").click()
    expect(card(page)).to_contain_text("1 of 7")
    assert page.url.partition("?")[0].endswith(f"/case/{case}") and "tour" not in page.url
    card(page).get_by_role("button", name="Skip the tour").click()
    page.reload()
    ready(page)
    expect(card(page)).to_have_count(0)


def test_the_tour_by_keyboard_on_a_phone_that_wants_less_motion(opening: Opening, copied, shot) -> None:
    page = ready(
        opening(f"/case/{copied('microwave')}", viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    )
    tab_to(page, offer(page))
    page.keyboard.press("Enter")
    expect(card(page).get_by_role("button", name="Next")).to_be_focused()
    page.keyboard.press("Enter")
    expect(card(page)).to_contain_text("2 of 7")
    page.keyboard.press("ArrowRight")
    expect(card(page)).to_contain_text("Ask with one click")
    expect(page.locator("#guided-heading")).to_be_in_viewport()  # at once: nothing glides
    page.keyboard.press("ArrowLeft")
    expect(card(page)).to_contain_text("2 of 7")
    expect(card(page)).to_be_in_viewport(ratio=1)
    shot(page)
    page.keyboard.press("Escape")
    expect(card(page)).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.reload()
    ready(page)
    expect(page.locator(".story")).to_contain_text("At step 3")
    expect(offer(page)).to_have_count(0)


def test_who_declines_the_tour_is_not_asked_again(opening: Opening, copied) -> None:
    case = copied("microwave")
    page = ready(opening(f"/case/{case}"))
    page.get_by_role("button", name="No, thanks").click()
    expect(offer(page)).to_have_count(0)
    page.reload()
    ready(page)
    expect(page.locator(".story")).to_contain_text("At step 3")
    expect(offer(page)).to_have_count(0)
