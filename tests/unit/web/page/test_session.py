"""What a page does to its session: the moment, what is dragged, and what is drawn."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from soid.case.case import Case
from soid.case.project import Project
from soid.errors import QueryError
from soid.examples import folder
from soid.query.query import QueryKind
from soid.scene.handles import Grip
from soid.scene.picture import of_keyframe
from soid.scene.scene import scene_of
from soid.web.desk import Desk
from soid.web.page.question_draft import QuestionDraft
from soid.web.page.session import About, Session
from soid.web.page.stage import stage
from soid.web.page.supposition_draft import How
from tests.unit.web.conftest import page_on

X, Z, ANGLE = "world.agents[1].x", "world.agents[1].z", "world.agents[1].angle"


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("original") / "crash.case"
    with Case.create(file, folder("crash") / "standard") as case:
        case.ask("might not move if world.agents[1].signal is anything")
    return file


@pytest.fixture(scope="module")
def desk(original: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    place = tmp_path_factory.mktemp("desk")
    shutil.copyfile(original, place / "crash.case")
    with Desk(place, cores=1) as opened:
        yield opened


@pytest.fixture
def session(desk: Desk) -> Session:
    return page_on(desk, "crash", "ada")


def said(session: Session) -> list[str]:
    return [f"{each.path} {each.how.value} {' '.join(each.values)}".strip() for each in session.draft.supposed]


def test_it_begins_at_the_moment_of_the_manifest_with_who_else_is_there(session: Session) -> None:
    assert (session.keyframe.step, session.index, session.chosen) == (11, 11, "B")


def test_the_slider_is_the_keyframe_and_the_fact_goes_along(session: Session) -> None:
    session.draft.suppose(X, How.ANYTHING)
    before = session.draft.read().chips[0].was
    session.seek(0)
    assert session.keyframe.step == 0 and session.draft.keyframe.step == 0
    assert session.draft.read().chips[0].was != before
    session.seek(10_000)
    assert session.keyframe.step == 26
    session.seek(-1)
    assert session.keyframe.step == 0


def test_a_point_means_what_a_hand_can_mean(session: Session) -> None:
    session.move("B", Grip.POSITION, 1.2345678, 2.19375, (True, False))
    assert said(session) == [f"{X} exactly 1.235"]  # no more decimals than can be seen, and not along what stood still


def test_a_stretch_from_a_car_has_its_place_as_one_end_to_the_bit(session: Session) -> None:
    session.stretch("B", None, (1.0, 2.2), (True, False))
    assert said(session) == [f"{X} between 1.0 1.376"]
    session.stretch("B", (2.0, 1.0), (1.0, 3.0), (True, True))
    assert said(session) == [f"{X} between 1.0 2.0", f"{Z} between 1.0 3.0"]


def test_a_stretch_stays_inside_the_domain(session: Session) -> None:
    session.stretch("B", None, (-3.0, 2.2), (True, False))
    assert said(session) == [f"{X} between 0.0 1.376"]


def test_keys_draw_a_stretch_out_on_the_side_they_point_to(session: Session) -> None:
    for by in (-0.01, -0.01, 0.02):
        handle = session.handle("B", Grip.POSITION)
        assert handle is not None
        session.draw_out(handle, False, by)
    (only,) = session.draft.supposed
    low, high = map(float, only.values)
    assert only.how is How.BETWEEN and low < 1.376 < high
    assert 1.376 - low == pytest.approx(2 * 0.01 * 3.705, abs=0.003)
    assert high - 1.376 == pytest.approx(0.02 * 3.705, abs=0.003)


def test_a_stretch_of_a_car_whose_rear_is_measured_is_of_its_rear(tmp_path: Path) -> None:
    """Its centre is dragged, and the distance to its rear is what is supposed."""
    Case.create(tmp_path / "lane.case", folder("proper_response")).close()
    with Desk(tmp_path, cores=1) as opened:
        session = page_on(opened, "lane", "ada")
        for _ in range(2):
            handle = session.handle("B", Grip.POSITION)
            assert handle is not None
            session.draw_out(handle, False, 0.01)
        (only,) = session.draft.supposed
        assert only.values == ("42.969997", "44.6")  # from where it was, to the bit, twice eight tenths of a metre on
        drawn = session.picture()
        assert drawn is not None
        assert 'data-stretch="B"' in stage(drawn, session.draft)
        session.draft.clear()
        session.move("B", Grip.POSITION, 52.25, 0.0, (True, False))
        assert session.draft.supposed[0].values == ("50.0",)


def test_what_was_dragged_is_put_back(session: Session) -> None:
    session.move("B", Grip.POSITION, 1.0, 2.0)
    session.move("B", Grip.HEADING, 1.0, 1.0)
    assert {each.path for each in session.draft.supposed} == {X, Z, ANGLE}
    session.put_back("B", Grip.POSITION)
    assert {each.path for each in session.draft.supposed} == {ANGLE}
    session.put_back("B", Grip.HEADING)
    assert session.draft.supposed == ()


def test_a_heading_is_a_tidy_number_of_degrees(session: Session) -> None:
    session.move("B", Grip.HEADING, 1.5, 1.9)
    (angle,) = session.draft.read().chips
    assert angle.words == "is 1.1711159 rad (67.1°)"


def test_nobody_is_moved_who_is_not_there(session: Session) -> None:
    session.move("C", Grip.POSITION, 1.0, 2.0)
    session.move("nobody", Grip.POSITION, 1.0, 2.0)
    assert session.draft.supposed == ()


def test_an_answer_is_shown_at_its_moment_and_goes_when_the_question_changes(session: Session) -> None:
    heard: list[str] = []
    for about in (About.ANSWER, About.MOMENT, About.DRAFT):
        session.hear(about, do=partial(heard.append, about.value))
    session.seek(3)
    session.show(3)
    assert session.keyframe.step == 11 and session.shows_scenario
    drawn = session.picture()
    assert drawn is not None and drawn.ghost is not None and drawn.ghost_outcome == "it decides to stay"
    assert [each.actor.mark for each in drawn.differences if each.actor] == ["B"]
    heard.clear()
    session.draft.put(X, How.EXACTLY, "1.0")
    session.drafted()
    assert session.shown is None and set(heard) == {"answer", "draft"}


def test_asking_again_starts_from_the_scenario(session: Session) -> None:
    session.show(3)
    session.draft.kind, session.draft.behavior = QueryKind.MIGHT, "not move"
    session.ask_again_from_here()
    assert session.draft.read().text == "might not move if world.agents[1].signal in {STRAIGHT}"


def test_asking_again_keeps_the_verb_and_the_behavior_whatever_is_composed_by_then(session: Session) -> None:
    session.show(3)  # as an answer comes: what is composed meanwhile stays
    session.draft.kind, session.draft.behavior = QueryKind.WOULD, "move"
    session.changed(About.DRAFT)
    session.ask_again_from_here()
    assert session.draft.read().text == "might not move if world.agents[1].signal in {STRAIGHT}"
    session.undo()
    assert (session.draft.kind, session.draft.behavior) == (QueryKind.WOULD, "move")


def test_an_entry_that_is_opened_composes_its_question(session: Session) -> None:
    session.move("B", Grip.POSITION, 1.0, 2.0)
    before = session.draft.state
    session.open_entry(3)
    assert session.draft.read().text == "might not move if world.agents[1].signal is anything"
    assert session.shown is not None and session.shown.entry.number == 3
    session.undo()
    assert session.draft.state == before and session.shown is None
    session.redo()
    assert session.draft.read().text == "might not move if world.agents[1].signal is anything"


def test_a_pasted_question_without_fields_waits_as_text(session: Session) -> None:
    before, heard = session.draft.state, []
    session.hear(About.TEXT, do=lambda: heard.append(session.text))
    session.paste(pairs := "would move be the same if world.agents[1].signal differs")
    assert heard == [pairs] and session.draft.state == before
    with pytest.raises(QueryError, match="mvoe"):
        session.paste("would mvoe if world.agents[1].signal is anything")
    assert session.draft.state == before


def test_the_stage_says_who_can_be_moved_and_where_something_may_be(session: Session) -> None:
    session.stretch("B", None, (1.0, 2.2), (True, False))
    drawn = session.picture()
    assert drawn is not None
    svg = stage(drawn, session.draft, chosen="B")
    assert svg.count('data-handle="B"') == 2 and svg.count('data-handle="A"') == 2 and 'data-handle="C"' not in svg
    assert 'data-stretch="B"' in svg and svg.count('role="button"') == 4 == svg.count('tabindex="0"')
    assert "Arrow keys move it" in svg


def test_names_with_markup_are_drawn_as_text(tmp_path: Path) -> None:
    project = tmp_path / "crash"
    shutil.copytree(folder("crash"), project, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    scene = project / "scene.toml"
    scene.write_text(scene.read_text().replace("the other car", '<img src=x onerror=\\"alert(1)\\">'))
    case = Project.open(project / "standard")
    svg = stage(of_keyframe(scene_of(case.manifest), case.keyframe), QuestionDraft(case.keyframe))
    assert "<img" not in svg and "&lt;img" in svg


@pytest.fixture(scope="module")
def canal(desk: Desk, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A case on the drone, whose recorder keeps one of its four decisions; the desk has it as `canal`."""
    file = tmp_path_factory.getbasetemp() / "canal.case"
    with Case.create(file, folder("drone")) as case:
        case.ask("did return.mode == MODE_HOVER", step=236)
    shutil.copyfile(file, desk.folder / "canal.case")
    return file


def looked_at(session: Session) -> None:
    """Look at the moment until a worker has derived what follows for it."""
    session.derive()
    session.derive()
    job = session._deriving
    assert job is not None
    job.wait()
    session.derive()


def test_decisions_that_follow_are_derived_when_a_moment_is_looked_at(desk: Desk, canal: Path) -> None:
    session = page_on(desk, "canal", "ada")
    session.seek_step(236)
    before = session.keyframe
    assert before.told_output("return.alarm", str) == "not logged"
    looked_at(session)
    told = {name: session.keyframe.told_output(name, str) for name in ("return.mode", "return.alarm", "bad_gps_ticks'")}
    assert told == {"return.mode": "0", "return.alarm": "1 (derived)", "bad_gps_ticks'": "12 (derived)"}
    session.show(session.case.facts[0].number)  # an answer that derived the same state
    assert session.keyframe.told_output("return.alarm", str) == "1 (derived)"


def test_of_an_answer_that_derived_other_state_nothing_follows(desk: Desk, canal: Path) -> None:
    session = page_on(desk, "canal", "ada")
    session.seek_step(236)
    other = session.keyframe.deriving({"bad_gps_ticks": 3}, {"bad_gps_ticks": "its first call"})
    session._derived[session.log, 236] = other
    looked_at(session)
    assert session.keyframe.inputs["bad_gps_ticks"] == 3
    assert session.keyframe.told_output("return.alarm", str) == "not logged"


def test_where_only_outputs_are_not_logged_the_inputs_stay_as_they_are(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text("int decide(int x) { return x > 2; }")
    (tmp_path / "log.csv").write_text("x\n3\n")
    program = '[program]\nengine = "llvm"\nsources = ["p.c"]\nentry = "decide"\n[trace]\nfile = "log.csv"\n'
    (tmp_path / "soid.toml").write_text(program)
    Case.create(desk.folder / "plain.case", tmp_path).close()
    session = page_on(desk, "plain", "ada")
    heard: list[str] = []
    for about in (About.MOMENT, About.OUTPUTS):
        session.hear(about, do=partial(heard.append, about.value))
    looked_at(session)
    assert heard == ["outputs"] and session.keyframe.told_output("return", str) == "1 (derived)"
