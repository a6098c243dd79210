"""Drawings of the examples as a browser lays them out: no text hides another, an actor or the fact."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import pytest
from playwright.sync_api import Browser, Page

from soid.case.filmed import filmed
from soid.case.project import Project
from soid.examples import folder, simulation_of
from soid.mapping.map_svg import panel
from soid.mapping.map_svg import svg as map_svg
from soid.query.words import called
from soid.scenario.log_series import read_series
from soid.scene import log_svg
from soid.scene.film_svg import film_svg
from soid.scene.picture import of_keyframe
from soid.scene.scene import scene_of
from soid.scene.scene_svg import svg as scene_svg
from soid.scene.vector.style import style
from soid.web.page.plot_view import PlotView
from soid.web.page.run_draft import RunDraft
from soid.web.page.stage import run_stage
from tests.browser.drawn_texts import hidden_texts


@pytest.fixture(scope="module")
def sheet(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 1600, "height": 1200})
    yield page
    page.close()


def hidden(sheet: Page, drawing: str) -> list[str]:
    sheet.set_content(f"<style>{style('auto')}</style>{drawing}")  # a page has the style of the drawings in it
    return hidden_texts(sheet.locator("svg").first)


@pytest.mark.parametrize("name", ["proper_response", "crash/standard", "crash/pathological", "pedestrian"])
def test_a_moment_hides_nothing_under_a_label(sheet: Page, name: str) -> None:
    example, _, part = name.partition("/")
    project = Project.open(folder(example) / part)
    scene = scene_of(project.manifest)
    trace, manifest = project.trace, project.manifest
    assert manifest is not None
    moments = {trace.first, (trace.first + trace.last) // 2, trace.last, project.keyframe.step}
    drawn = {str(at): scene_svg(of_keyframe(scene, trace.keyframe(at))) for at in moments}
    for asked in [each for each in manifest.questions if each.startswith("might")][:1]:
        answer = project.ask(asked)
        drawn[asked] = scene_svg(of_keyframe(scene, project.keyframe, decided=answer.fact, witness=answer.witness))
    assert {called: found for called, each in drawn.items() if (found := hidden(sheet, each))} == {}
    edges = sheet.locator("text", has_text=f"in {scene.unit}, growing ").first.text_content()
    assert edges is not None and ("to the east" in edges) == (scene.north is not None)


def film(example: str, part: str, question: str) -> str:
    project = Project.open(folder(example) / part)
    found = filmed(project, project.ask(question))
    assert found is not None
    return film_svg(found, question)


def mapped(example: str, part: str, over: str, by: str | None) -> str:
    return map_svg(Project.open(folder(example) / part).map(over, by=by))


_HARM = "would not collision throughout 20 steps if world.agents[1].signal == STRAIGHT"
_GUARD = "road.distance is anything and guard.elapsed is anything"
_STRETCH = "1.0 <= world.agents[1].x <= 1.5 and world.agents[1].signal is anything"


@pytest.mark.parametrize(
    "draw",
    [
        partial(film, "crash", "standard", _HARM),
        partial(film, "proper_response", "", "would collision within 60 steps if car.rho == 0"),
        partial(mapped, "crash", "standard", _STRETCH, "move"),
        partial(mapped, "crash", "standard", _STRETCH.replace("1.5", "1.75"), "move"),  # the fact is in the middle
        partial(mapped, "crash", "standard", "world.agents[1].x is anything and world.agents[1].z is anything", "move"),
        partial(mapped, "proper_response", "", _GUARD, "limits.brake"),
        partial(mapped, "proper_response", "", "road.distance is anything", None),
        partial(mapped, "diabetes", "", "patient.weight is anything and patient.height is anything", None),
    ],
    ids=["film", "film-overlap", "map-signals", "map-fact", "map-places", "map-guard", "map-line", "map-magnitudes"],
)
def test_a_film_and_a_map_hide_nothing_under_a_label(sheet: Page, draw: Callable[[], str]) -> None:
    assert hidden(sheet, draw()) == []


@pytest.mark.parametrize("by", [None, "limits.acceleration >= 1.0"])
def test_a_map_is_in_words(sheet: Page, by: str | None) -> None:
    made = Project.open(folder("proper_response")).map(_GUARD, by=by)
    sheet.set_content(panel(made, wide=400.0))
    texts = sheet.locator("svg text").all_text_contents()
    assert "the distance to the car in front, in m" in texts and "the time since the alarm, in s" in texts
    assert not any(sign in text for text in texts for sign in ("=", "[", "limits.", "road."))


def test_five_cars_of_a_run_are_drawn_and_named(sheet: Page) -> None:
    draft = RunDraft(simulation_of("crash"))
    for _ in range(3):
        draft.add()
    for at in range(0, len(draft.course.steps), 12):
        draft.halt(at)
        assert hidden(sheet, run_stage(draft.picture)) == []
        there = [each.actor for each in draft.picture.fact if each.place is not None]
        assert len(sheet.locator("[data-actor]").all()) == len(there)
        texts = " ".join(sheet.locator("svg text").all_text_contents())
        assert all(f"{actor.mark}  {actor.name}" in texts for actor in there)


@pytest.mark.parametrize("name", ["drone", "overdraft", "advisory"])
def test_a_plot_is_in_words_and_its_labels_stay_in_their_bands(sheet: Page, name: str) -> None:
    project = Project.open(folder(name))
    words = partial(called, interface=project.program.interface)
    plot = PlotView(read_series(project.trace)).figure({project.keyframe.step: "asked about"}, 408.0, words)
    sheet.set_content(f"<style>{log_svg.style('auto')}</style>{plot}")
    assert hidden_texts(sheet.locator("svg").first) == []
    outside = """(bands) => bands.filter((band) => {
        const [rect, text] = ["rect", "text"].map((each) => band.querySelector(each)?.getBoundingClientRect());
        return text && text.right > rect.right;
    }).map((band) => band.textContent)"""
    assert sheet.locator("[data-track] g:has(> rect)").evaluate_all(outside) == []
    texts = " ".join(sheet.locator("svg text").all_text_contents())
    assert "." not in "".join(each for each in texts.split() if not each[-1].isdigit()), texts  # no path
