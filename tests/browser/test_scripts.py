"""Scripts of the project: read, run, watched line by line, called off, and what they conclude."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.conftest import Opening
from tests.browser.test_axe import found as axe_finds
from tests.browser.working import facts, ready, tab_to, verdict


def line(page: Page, text: str):
    return page.locator(".script .line").filter(has_text=text)


def test_a_script_is_watched_line_by_line_to_its_conclusion(opening: Opening, copied, shot) -> None:
    case = copied("crash-standard")
    page = ready(opening(f"/case/{case}"))
    page.get_by_role("link", name="Scripts").click()
    expect(page.locator("#scripts")).to_be_in_viewport()
    expect(page.locator(".script .line-number").first).to_have_text("1")
    page.get_by_role("button", name="Run this script").click()
    expect(line(page, "did move and not right_of_way()").locator(".verdict")).to_have_text("yes")
    expect(line(page, "when would move if other.signal is anything").locator(".verdict")).to_have_text("no")
    expect(line(page, "when move because other.signal == RIGHT").locator(".verdict")).to_have_text("yes")
    expect(page.locator(".script-end")).to_contain_text("Reasonable: it moved because a right turn was signalled")
    expect(line(page, "when would not move if other.signal == STRAIGHT").locator(".verdict")).to_have_count(0)
    expect(page.locator(".script .running")).to_have_count(0)
    expect(facts(page)).to_have_count(5)
    shot(page)
    line(page, "when would move").get_by_role("button").click()
    expect(verdict(page)).to_have_text("no")
    # the conclusion stays, also for others
    again = ready(opening(f"/case/{case}"))
    expect(again.locator(".script-end")).to_contain_text("In the words of the script, as run by ada")


def test_a_script_is_run_and_called_off_with_the_keyboard_on_a_phone(opening: Opening, copied, shot) -> None:
    page = ready(opening(f"/case/{copied('crash-together')}", viewport={"width": 390, "height": 844}))
    run = page.get_by_role("button", name="Run this script")
    tab_to(page, run, most=300)
    page.keyboard.press("Enter")
    cancel = page.get_by_role("button", name="Cancel the script")
    expect(cancel).to_be_visible()
    expect(page.locator(".script .running")).to_have_count(1)
    assert axe_finds(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    run.focus()
    tab_to(page, cancel, most=3)
    page.keyboard.press("Enter")
    expect(page.locator(".scripts")).to_contain_text("Called off. What was answered is on the record")
    expect(page.locator(".script .running")).to_have_count(0)
    expect(page.locator(".script-end .verdict-box")).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    shot(page)
