"""The decision map on the page: drawn, read off, picked from and zoomed into; by mouse and by keyboard."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Opening
from tests.browser.working import chips, drag, handle, question, ready

OTHER = "world.agents[1]"


def card(page: Page) -> Locator:
    return page.locator(".decision-map")


def frame(page: Page) -> tuple[float, float, float, float]:
    """Where the map's own rectangle is on the screen: left, top, width, height."""
    box = card(page).locator(".map [data-left] > rect").first.bounding_box()
    assert box is not None
    return box["x"], box["y"], box["width"], box["height"]


def at(page: Page, across: float, down: float) -> tuple[float, float]:
    left, top, width, height = frame(page)
    return left + across * width, top + down * height


def drawn(page: Page) -> None:
    card(page).get_by_role("button", name="Draw the map").click()
    expect(card(page).locator(".map svg")).to_be_visible()


def test_the_map_of_the_crash_by_mouse(opening: Opening, copied, shot) -> None:
    page = ready(opening(f"/case/{copied('crash-standard')}"))
    expect(card(page)).to_contain_text("say what may differ")
    expect(card(page).get_by_role("button", name="Draw the map")).to_be_disabled()
    for label in ("STRAIGHT", "LEFT", "RIGHT"):
        page.get_by_label(f"the other car's signal: {label}").click()
    stretch = page.get_by_role("button", name="along a stretch")
    stretch.click()
    expect(stretch).to_have_attribute("aria-pressed", "true")
    drag(page, handle(page, "B"), -90, 1)
    expect(chips(page)).to_have_count(2)
    expect(card(page)).to_contain_text("What happens along")
    drawn(page)
    # what is proved is said, and the fact is marked
    expect(card(page).locator("[data-region]")).to_have_count(2)
    expect(card(page).locator(".map")).to_contain_text("scenarios are settled")
    expect(card(page).locator("circle.sm-fact").first).to_be_visible()
    # pointing reads off values and decision
    card(page).locator(".map").scroll_into_view_if_needed()
    page.mouse.move(*at(page, 0.9, 1 / 6))
    expect(card(page).locator(".pointed")).to_contain_text("STRAIGHT: it decides to stay")
    page.mouse.move(*at(page, 0.9, 5 / 6))
    expect(card(page).locator(".pointed")).to_contain_text("RIGHT: it decides to drive on")
    # also where the pointer is quicker than what is told: where it comes to rest counts
    for place in [at(page, 0.9, 1 / 6), at(page, 0.9, 1 / 2)]:
        page.mouse.move(*place)
    expect(card(page).locator(".pointed")).to_contain_text("signal LEFT")
    shot(page, "drawn")
    # a click makes that scenario the next question
    page.mouse.click(*at(page, 0.5, 3 / 6))
    expect(question(page)).to_contain_text(re.compile(rf"^would .* if .*{re.escape(OTHER)}\.signal in \{{LEFT"))
    expect(question(page)).to_contain_text(f"{OTHER}.x == ")
    # dragging zooms in, and there is a way out again
    before = card(page).locator(".map").text_content()
    start, end = at(page, 0.2, 0.2), at(page, 0.6, 0.8)
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end)
    page.mouse.up()
    out = card(page).get_by_role("button", name="Zoom out")
    expect(out).to_be_visible()
    shot(page, "zoomed")
    out.click()
    expect(out).to_have_count(0)
    assert card(page).locator(".map").text_content() == before


def test_the_map_by_keyboard(opening: Opening, copied, shot) -> None:
    page = ready(opening(f"/case/{copied('crash-standard')}", color_scheme="dark"))
    for label in ("STRAIGHT", "LEFT", "RIGHT"):
        page.get_by_label(f"the other car's signal: {label}").press("Space")
    draw = card(page).get_by_role("button", name="Draw the map")
    expect(draw).to_be_enabled()
    draw.press("Enter")
    the_map = card(page).locator(".map")
    expect(the_map.locator("svg")).to_be_visible()
    the_map.focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    expect(card(page).locator(".pointed")).to_contain_text("STRAIGHT: it decides to stay")
    page.keyboard.press("Enter")
    expect(question(page)).to_contain_text(f"{OTHER}.signal in {{STRAIGHT}}")
    shot(page, "dark")


def test_another_moment_takes_the_map_away(opening: Opening, copied) -> None:
    page = ready(opening(f"/case/{copied('crash-standard')}"))
    for label in ("STRAIGHT", "LEFT"):
        page.get_by_label(f"the other car's signal: {label}").click()
    drawn(page)
    page.get_by_role("button", name="One step on").click()
    expect(card(page).locator(".map")).to_have_count(0)
