"""An outcome shown moving: fact and scenario side by side, played or stepped through, what happens marked."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import SIZE, Opening
from tests.browser.working import ready, tab_to, verdict

AVOIDED = "would not collision throughout 20 steps if traffic.drivers[1].goes == RIGHT"
ALSO = "would collision within 20 steps if world.agents[1].signal == STRAIGHT and wheel in {IMPATIENT, PATHOLOGICAL}"
COLLIDE = "the two cars collide"


def film(page: Page) -> Locator:
    return page.locator(".answer .film")


def called(page: Page) -> Locator:
    return film(page).locator(".called")


def asked(page: Page, text: str = AVOIDED) -> Page:
    page.get_by_label("The whole question as text").fill(text)
    page.get_by_role("button", name="Ask this").click()
    expect(verdict(page)).to_have_text("yes")
    expect(film(page)).to_be_visible()
    expect(page.get_by_role("heading", name="Answer")).to_be_in_viewport(ratio=1)  # the film pushes nothing away
    expect(verdict(page)).to_be_in_viewport(ratio=1)
    return page


def edges(page: Page, side: str) -> set[float]:
    """Where the two pictures begin."""
    found: list[float] = (
        film(page)
        .locator("figure")
        .evaluate_all("(all, side) => all.map((each) => each.getBoundingClientRect()[side])", side)
    )
    return set(found)


def drawn(page: Page) -> list[str]:
    """The frame that is drawn in each of the two."""
    found: list[str] = film(page).evaluate(
        """(film) => [...film.querySelectorAll("svg [data-frame]")]
            .filter((frame) => getComputedStyle(frame).display !== "none")
            .map((frame) => frame.dataset.frame)"""
    )
    return found


def slider(page: Page) -> Locator:
    return film(page).get_by_role("slider")


@pytest.fixture
def case(copied) -> str:
    return f"/case/{copied('crash-together')}"


def test_the_film_is_stepped_through_and_played_by_mouse(opening: Opening, case: str, shot) -> None:
    page = asked(ready(opening(case, viewport=SIZE)))  # the clock is put forward for all of its session
    expect(film(page).locator("figcaption")).to_have_text(["In fact", "In the scenario"])
    lefts = [
        box["x"] for box in (each.bounding_box() for each in film(page).locator("figure").all()) if box is not None
    ]
    assert len(set(lefts)) == 2
    expect(called(page)).to_have_text(["at first", "at first"])
    assert drawn(page) == ["0", "0"]
    film(page).get_by_label("One step of the film on").click()
    expect(called(page)).to_have_text(["step 11", "step 11"])
    assert drawn(page) == ["1", "1"]
    # what happens is marked on the line, and leads there
    marks = film(page).locator(".mark")
    expect(marks).to_have_count(1)
    expect(marks).to_have_attribute("title", f"step 26: {COLLIDE}")
    marks.click()
    expect(called(page)).to_have_text([f"step 26: {COLLIDE}", "step 26"])
    assert drawn(page) == ["16", "16"]
    shot(page, "event")
    film(page).get_by_label("One step of the film on").click()
    expect(called(page)).to_have_text(["the log ends", "step 27"])
    assert drawn(page) == ["16", "17"]
    # it plays to its end, can be paused, and begins again
    play, pause = (film(page).get_by_label(f"{each} the film") for each in ("Play", "Pause"))
    page.clock.install()
    play.click()
    expect(pause).to_be_visible()
    page.clock.run_for(10_000)
    expect(called(page).nth(1)).to_have_text("step 30")
    expect(play).to_be_visible()
    play.click()
    pause.click()
    expect(play).to_be_visible()
    assert int(drawn(page)[1]) < 20


def test_the_film_by_keyboard(opening: Opening, case: str) -> None:
    page = asked(ready(opening(case)), ALSO)
    page.locator(".answer").get_by_role("button", name="Close").focus()
    tab_to(page, slider(page))
    page.keyboard.press("ArrowRight")
    expect(called(page)).to_have_text(["step 11", "step 11"])
    page.keyboard.press("End")
    expect(slider(page)).to_have_attribute("aria-valuetext", "step 30. In fact: the log ends. In the scenario: nothing")
    page.keyboard.press("Home")
    expect(called(page).first).to_have_text("at first")
    # what happens in each can be reached, and says what it is
    tab_to(page, film(page).get_by_label("In the scenario, go to step", exact=False))
    page.keyboard.press("Enter")
    expect(called(page).nth(1)).to_contain_text(COLLIDE)
    tab_to(page, film(page).get_by_label("Play the film"))
    page.keyboard.press("Space")
    expect(film(page).get_by_label("Pause the film")).to_be_focused()


def test_nothing_plays_where_less_motion_is_asked_for(opening: Opening, case: str) -> None:
    page = asked(ready(opening(case, reduced_motion="reduce")))
    expect(film(page)).to_contain_text("your system asks for less motion")
    expect(film(page).get_by_label("Play the film")).to_have_count(0)
    film(page).get_by_label("One step of the film on").click()
    expect(called(page)).to_have_text(["step 11", "step 11"])


def test_the_film_on_a_narrow_screen(opening: Opening, case: str, shot) -> None:
    page = asked(ready(opening(case, viewport={"width": 390, "height": 844})))
    film(page).locator(".mark").click()
    expect(called(page).first).to_contain_text(COLLIDE)
    assert len(edges(page, "x")) == 2 and len(edges(page, "y")) == 1  # still beside each other
    shot(page, "narrow")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_another_answer_has_another_film_and_one_of_one_step_none(opening: Opening, case: str) -> None:
    page = asked(ready(opening(case)))
    page.get_by_label("The whole question as text").fill("would impatient.move if world.agents[1].signal is anything")
    page.get_by_role("button", name="Ask this").click()
    expect(page.locator(".answer .asked")).to_contain_text("Would impatient")
    expect(film(page)).to_have_count(0)
    page.get_by_role("button", name="Show entry 3").click()
    expect(film(page)).to_be_visible()
