"""Moments side by side on the page: one table of verdicts, answers beside each other, and maps that are linked."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Opening
from tests.browser.working import ready, suppose

OTHER = "world.agents[1]"


@pytest.fixture
def page(opening: Opening, copied) -> Page:
    return ready(opening(f"/case/{copied('crash-standard')}"))


def panel(page: Page) -> Locator:
    return page.locator(".moments")


def unfolded(page: Page) -> None:
    page.get_by_text("Compare moments, side by side").press("Enter")


def go_to(page: Page, step: int) -> None:
    """With the keys of the slider."""
    slider = page.get_by_role("slider", name="Moment of the log").first
    here = int(slider.input_value())
    for _ in range(abs(step - here)):
        slider.press("ArrowRight" if step > here else "ArrowLeft")
    expect(panel(page).get_by_role("button", name="Add ")).to_contain_text(f"step {step}")


def test_two_moments_are_asked_the_same(page: Page, shot) -> None:
    unfolded(page)
    compare = panel(page).get_by_role("button", name="Compare", exact=True)
    expect(compare).to_be_disabled()
    expect(panel(page)).to_contain_text("Go to another moment and add it.")
    go_to(page, 5)
    panel(page).get_by_role("button", name="Add step 5").click()
    panel(page).get_by_label("Another question, at each moment").fill(f"would move if {OTHER}.signal is anything")
    compare.click()
    rows = panel(page).locator("table.matrix tbody tr")
    expect(rows.locator("td")).to_have_count(3)
    expect(rows.locator("td").nth(0)).to_have_text("no")
    expect(rows.locator("td").nth(1)).to_have_text("yes")
    answers = panel(page).locator(".compared-answers .one")
    expect(answers).to_have_count(2)
    expect(answers.nth(0).locator("h4")).to_contain_text("step 11")
    expect(answers.nth(1).locator("h4")).to_contain_text("step 5")
    shot(page)


def test_maps_of_moments_stay_while_one_looks_elsewhere(page: Page, shot) -> None:
    suppose(page, "the other car's x", "between", "1", "2.5")
    unfolded(page)
    go_to(page, 5)
    panel(page).get_by_role("button", name="Add step 5").click()
    panel(page).get_by_role("button", name="Draw the maps").click()
    maps = panel(page).locator(".map svg")
    expect(maps).to_have_count(2)
    maps.first.locator("[data-region]").first.hover()
    expect(panel(page).locator(".pointed").nth(1)).not_to_be_empty()
    expect(panel(page).get_by_role("button", name="Zoom in on the fact")).to_have_count(0)
    shot(page)
    go_to(page, 20)
    expect(maps).to_have_count(2)
    panel(page).get_by_role("button", name="Leave out step 5").click()
    expect(maps).to_have_count(0)


def test_moments_are_chosen_by_keyboard_on_a_narrow_screen(page: Page, shot) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    summary = page.get_by_text("Compare moments, side by side")
    summary.focus()
    page.keyboard.press("Enter")
    go_to(page, 5)
    add = panel(page).get_by_role("button", name="Add step 5")
    add.focus()
    page.keyboard.press("Enter")
    expect(panel(page).locator(".compared-moments li")).to_have_count(2)
    expect(add).to_be_disabled()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    shot(page)


def test_a_question_is_asked_at_every_moment_and_opened_at_one(page: Page, shot) -> None:
    page.locator(".sweep > summary").press("Enter")
    page.locator(".sweep").get_by_role("button", name="Ask at every moment").click()
    strip = page.locator(".verdict-strip .stretch")
    expect(strip.first).to_be_visible()
    turn = page.locator(".outstanding button").first
    step = turn.inner_text()
    shot(page)
    turn.click()
    slider = page.get_by_role("slider", name="Moment of the log").first
    expect(slider).to_have_value(step.removeprefix("step "))
