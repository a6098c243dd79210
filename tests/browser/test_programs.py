"""Several programs on the page: one table of verdicts, answers side by side, and maps that are linked."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Opening
from tests.browser.working import chips, question, ready, suppose, tab_to, verdict

OTHER = "world.agents[1]"
DRIVERS = ["standard", "impatient", "pathological"]


@pytest.fixture
def page(opening: Opening, copied) -> Page:
    return ready(opening(f"/case/{copied('crash-together')}"))


def panel(page: Page) -> Locator:
    return page.locator(".programs")


def compare(page: Page) -> None:
    panel(page).get_by_role("button", name="Compare", exact=True).click()


def maps(page: Page) -> Locator:
    return panel(page).locator(".map")


def pointed(page: Page) -> Locator:
    return panel(page).locator(".pointed")


def differing(page: Page) -> None:
    """Suppose what the maps are over: where the other car is, and its signal."""
    for label in ("STRAIGHT", "LEFT", "RIGHT"):
        page.get_by_label(f"the other car's signal: {label}").click()
    suppose(page, "the other car's x", "between", "1", "2.5")
    expect(chips(page)).to_have_count(2)


def drawn(page: Page, count: int) -> None:
    panel(page).get_by_role("button", name="Draw the maps").click()
    expect(maps(page).locator("svg")).to_have_count(count)


def at(page: Page, number: int, across: float, down: float) -> tuple[float, float]:
    """A point of the screen, inside one of the maps."""
    maps(page).nth(number).scroll_into_view_if_needed()
    box = maps(page).nth(number).locator("[data-left] > rect").first.bounding_box()
    assert box is not None
    return box["x"] + across * box["width"], box["y"] + down * box["height"]


def marked(page: Page) -> list[list[float]]:
    """The place that each map marks, as shares of its frame."""
    found: list[list[float]] = panel(page).evaluate(
        """(panel) => [...panel.querySelectorAll(".map")].map((map) => {
            const frame = map.querySelector("[data-left]").dataset;
            const drawn = map.querySelector(".map-cross").getAttribute("d");
            const [, , y, , x] = drawn.match(/M(.+) (.+)h(.+)M(.+) (.+)v/);
            return [(x - frame.left) / frame.width, (y - frame.top) / frame.height];
        })"""
    )
    return found


#: what the three do in a place of their maps
DIFFERENT = [f"STRAIGHT: it decides to {each}" for each in ("stay", "drive on", "drive on")]


def test_programs_are_compared_in_one_table(page: Page, shot) -> None:
    panel(page).get_by_label("Would it always stay, had the other car's signal been STRAIGHT").uncheck()
    page.get_by_label("Another question, of each program").fill(f"might fails if {OTHER}.signal is anything")
    compare(page)
    rows = panel(page).locator("table.matrix tbody tr")
    verdicts = [["yes", "yes", "yes"], ["no", "yes", "yes"], ["yes", "no", "no"], ["no", "no", "no"]]
    for row, given in enumerate(verdicts):
        expect(rows.nth(row).locator("td")).to_have_text([*given, "side by side"])
    # whichever program it is put to, the question is in words; as text it is one hover away
    expect(rows.nth(1).locator("th")).to_have_text(
        "Would it always drive on, whatever the other car's signal had been?"
    )
    expect(rows.nth(1).locator("th")).to_have_attribute("title", f"would move if {OTHER}.signal is anything")
    assert re.search(r"==|<=|[a-z]\.[a-z]|\[\d", panel(page).inner_text()) is None
    panel(page).get_by_role("button", name="impatient: yes").nth(1).click()
    expect(page.locator(".answer")).to_contain_text("Would impatient always drive on")
    expect(verdict(page)).to_be_in_viewport()
    shot(page)


def test_answers_stand_side_by_side(page: Page, shot) -> None:
    compare(page)
    answers = panel(page).locator(".compared-answers .one")
    expect(answers).to_have_count(3)  # of the first question, which is shown without being asked for
    which = panel(page).get_by_role("button", name="Side by side: Might it ever stay")
    which.click()
    expect(which).to_have_attribute("aria-pressed", "true")
    expect(answers.locator(".verdict")).to_have_text(["yes", "no", "no"])
    expect(answers.locator("h4")).to_have_text(DRIVERS)
    for number, (driver, decided) in enumerate(zip(DRIVERS, ("false", "true", "true"), strict=True)):
        column = answers.nth(number)
        expect(column.locator("table.changed tbody")).to_contain_text("the other car's signal")
        row = column.locator("table.outcome tbody tr").filter(has_text=f"the {driver} driver's decision to move")
        expect(row.locator("td:last-child")).to_have_text(decided)
        others = [each for each in DRIVERS if each != driver]
        expect(column.locator("table.outcome")).not_to_contain_text(
            re.compile("|".join(f"the {o} driver" for o in others))
        )
    lefts = [box["x"] for box in (each.bounding_box() for each in answers.all()) if box is not None]
    assert lefts == sorted(set(lefts)) and len(lefts) == 3  # in columns
    panel(page).get_by_role("checkbox", name="pathological", exact=True).uncheck()
    expect(answers).to_have_count(2)
    panel(page).get_by_role("checkbox", name="impatient", exact=True).uncheck()
    expect(panel(page)).to_contain_text("Choose 2 or 3.")
    panel(page).get_by_role("checkbox", name="impatient", exact=True).check()
    expect(panel(page)).not_to_contain_text("Choose 2 or 3.")
    shot(page)
    panel(page).get_by_role("button", name="Open the answer of impatient").click()
    expect(page.locator(".answer")).to_contain_text("impatient")


def test_maps_are_linked_by_mouse(page: Page, shot) -> None:
    draw = panel(page).get_by_role("button", name="Draw the maps")
    expect(draw).to_be_disabled()
    differing(page)
    expect(draw).to_be_enabled()
    drawn(page, 3)
    # the same axes and scale, and the fact in all
    frames = maps(page).locator("[data-left]").evaluate_all("all => all.map(each => JSON.stringify(each.dataset))")
    assert len(set(frames)) == 1
    expect(maps(page).locator("circle.sm-fact[role]")).to_have_count(3)
    said = maps(page).locator("circle.sm-fact title").evaluate_all("all => all.map(each => each.textContent)")
    assert ["it decides to drive on" in each for each in said] == [True] * 3
    # the same decision looks the same in all of them
    looks = maps(page).evaluate_all(
        """(all) => all.map((map) => Object.fromEntries([...map.querySelectorAll("[data-region]")].map((region) => [
            region.getAttribute("aria-label").split(" (")[0],
            map.querySelector(region.getAttribute("fill").slice(4, -1)).querySelector("rect").getAttribute("class"),
        ])))"""
    )
    for decided in ("it decides to drive on", "it decides to stay"):
        assert len({each[decided] for each in looks if decided in each}) == 1
    # what is pointed at in one is marked in the others, with what each program does
    page.mouse.move(*at(page, 1, 0.3, 1 / 6))
    expect(pointed(page)).to_contain_text(DIFFERENT)
    places = marked(page)
    assert [[round(share, 2) for share in each] for each in places] == [[0.3, 0.17]] * 3
    expect(panel(page).locator('[aria-live="polite"].spoken')).to_contain_text("They do not do the same.")
    shot(page, "pointed")
    page.mouse.move(*at(page, 0, 0.9, 5 / 6))
    expect(pointed(page)).to_contain_text(["RIGHT: it decides to drive on"] * 3)
    expect(panel(page).locator('[aria-live="polite"].spoken')).to_contain_text("All alike.")
    assert [round(across, 2) for across, _ in marked(page)] == [0.9] * 3
    # zooming zooms all of them
    start, end = at(page, 0, 0.1, 0.2), at(page, 0, 0.6, 0.8)
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end)
    page.mouse.up()
    out = panel(page).get_by_role("button", name="Zoom out in all maps")
    expect(out).to_be_visible()
    zoomed = maps(page).locator("svg").evaluate_all("all => all.map(each => each.textContent.includes('2.5'))")
    assert zoomed == [False] * 3
    out.click()
    expect(out).to_have_count(0)
    # a click makes the scenario the next question
    page.mouse.click(*at(page, 2, 0.5, 3 / 6))
    expect(question(page)).to_contain_text(f"{OTHER}.signal in {{LEFT}}")


def test_maps_are_linked_by_keyboard(page: Page) -> None:
    differing(page)
    draw = panel(page).get_by_role("button", name="Draw the maps")
    expect(draw).to_be_enabled()
    draw.press("Enter")
    expect(maps(page).locator("svg")).to_have_count(3)
    draw.focus()
    tab_to(page, maps(page).nth(1))
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Shift+ArrowLeft")
    expect(pointed(page)).to_contain_text(DIFFERENT)
    places = marked(page)
    assert places[0] == pytest.approx(places[1]) and places[2] == pytest.approx(places[1])
    # another map goes on from the place that is marked in it
    tab_to(page, maps(page).nth(2))
    page.keyboard.press("ArrowDown")
    expect(pointed(page).first).to_contain_text("LEFT: it decides to ")
    assert marked(page)[0] == pytest.approx([places[1][0], places[1][1] + 1 / 3], abs=0.01)
    page.keyboard.press("Enter")
    expect(question(page)).to_contain_text(f"{OTHER}.signal in {{LEFT}}")


def test_maps_by_a_behavior_of_each(page: Page) -> None:
    differing(page)
    panel(page).get_by_label("Regions of each map").select_option("not move")
    panel(page).get_by_role("checkbox", name="pathological", exact=True).uncheck()
    drawn(page, 2)
    page.mouse.move(*at(page, 0, 0.3, 1 / 6))
    expect(pointed(page)).to_contain_text(["STRAIGHT: it decides to stay", "STRAIGHT: it decides to drive on"])
    page.get_by_role("button", name="One step on").click()
    expect(maps(page)).to_have_count(0)  # another moment has other maps


def test_on_a_narrow_screen_one_is_below_the_other(page: Page, shot) -> None:
    compare(page)
    which = panel(page).get_by_role("button", name="Side by side: Would it always drive on")
    expect(which).to_be_enabled()
    which.click()
    differing(page)
    drawn(page, 3)
    page.set_viewport_size({"width": 390, "height": 844})
    for found in (panel(page).locator(".compared-answers .one"), maps(page)):
        boxes = [each.bounding_box() for each in found.all()]
        assert len({box["x"] for box in boxes if box is not None}) == 1
        tops = [box["y"] for box in boxes if box is not None]
        assert tops == sorted(set(tops)) and len(tops) == 3
    # where the heads of the columns are not seen, each verdict says whose it is
    whose = "cells => cells.map((cell) => getComputedStyle(cell, '::before').content)"
    cells = panel(page).locator(".matrix tbody tr").first.locator("td[data-side]")
    assert cells.evaluate_all(whose) == [f'"{driver}"' for driver in DRIVERS]
    page.mouse.move(*at(page, 0, 0.3, 1 / 6))
    expect(pointed(page).nth(2)).to_contain_text("STRAIGHT: it decides to drive on")
    shot(page, "narrow")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_where_two_programs_part_is_found_over_what_is_composed(page: Page, shot) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    part = page.locator(".card.difference")
    wanted = part.get_by_role("button", name="Do they decide alike?")
    wanted.click()
    expect(part.locator(".problem")).to_contain_text("Nothing differs yet")
    suppose(page, "the other car's x", "between", "1", "2.5")
    part.get_by_label("The other one").select_option("pathological")
    wanted.focus()
    page.keyboard.press("Enter")
    expect(part.locator(".verdict")).to_have_count(2)
    expect(part).to_contain_text("Would standard and pathological always decide alike")
    expect(part.locator(".drawing svg")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    shot(page)
    part.get_by_role("button", name="Show entry").last.click()
    expect(question(page)).to_contain_text(
        "would standard.move == pathological.move if 1.0 <= world.agents[1].x <= 2.5"
    )
    expect(verdict(page)).to_have_count(1)
