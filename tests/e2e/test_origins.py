"""Where a value comes from: every place that shows an input says whether it was logged, is derived, or is not known."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import Request, Response

from soid import Case, Project
from soid.budget import Cancellation
from soid.case.report.document import report
from soid.cli import main
from soid.errors import CalledOff
from soid.oracle.reason import ReasonCode
from soid.scenario.origin import Origin
from soid.scene.picture import of_keyframe
from soid.scene.scene import scene_of
from soid.scene.scene_text import text
from soid.web.api.case_routes import list_steps, show_step
from soid.web.case_service import CaseService
from soid.web.desk import Desk
from soid.web.desk_service import DeskService
from soid.web.page.session import About, Session
from soid.web.page.supposition_draft import How
from soid.web.user import User

#: a lamp that warns after three bad readings; `rest` is never written, `bad` is a count, `seen` is of the last call
PROGRAM = """
static int bad, seen;
int rest = 2;
int lamp(int reading) {
    int again = seen;
    seen = reading > 5;
    bad = bad > 8 ? 9 : bad + seen;
    return bad >= 3 + again && rest == 2;
}
"""
MANIFEST = """
[program]
name = "lamp"
engine = "llvm"
sources = ["p.c"]
entry = "lamp"
[trace]
file = "log.jsonl"
{start}
[variables]
reading = {{ label = "the reading", domain = [0, 10] }}
bad = {{ label = "the count of bad readings", domain = [0, 9] }}
seen = {{ label = "whether the last reading was bad", domain = [0, 1] }}
[scene]
title = "The lamp"
unit = "m"
left_to_right = [0.0, 10.0]
top_to_bottom = [10.0, 0.0]
[[scene.actors]]
name = "the lamp"
mark = "A"
kind = "car"
size = [1.0, 1.0]
x = "bad"
y = "reading"
"""
READINGS = [7, 1, 8, 2]  # bad before each: 0, 1, 1, 2
NEITHER = "might return == 1 if reading in {6, 7}"  # at step 2: it depends on the count


def made(place: Path, *, start: bool) -> Path:
    place.mkdir()
    (place / "p.c").write_text(PROGRAM)
    (place / "soid.toml").write_text(MANIFEST.format(start="from_start = true" if start else ""))
    (place / "log.jsonl").write_text("".join(json.dumps({"reading": each}) + "\n" for each in READINGS))
    return place


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log that begins in the middle."""
    return made(tmp_path_factory.mktemp("origins") / "lamp", start=False)


@pytest.fixture(scope="module")
def lamp(folder: Path) -> Project:
    return Project.open(folder, step=2)


def test_each_input_has_its_origin(lamp: Project) -> None:
    origins = {path: lamp.keyframe.origin(path).value for path in lamp.keyframe.inputs}
    assert origins == {"reading": "logged", "bad": "assumed", "seen": "derived", "rest": "derived"}
    assert lamp.keyframe.describe().splitlines()[1:] == [
        "  reading = 8",
        "  rest = 2 (derived)",
        "  seen = 0 (derived)",
        "  bad = not known",
        "  return = not known",
        "  seen' = 1 (derived)",
        "  bad' = not known",
    ]


def test_inspect_shows_them(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "-p", str(folder), "-s", "2", "--json"]) == 0
    variables = {each["path"]: each for each in json.loads(capsys.readouterr().out)["variables"]}
    told = {path: (each["fact"], each["origin"]) for path, each in variables.items() if each["origin"]}
    assert told == {"reading": (8, "logged"), "bad": (None, "assumed"), "seen": (0, "derived"), "rest": (2, "derived")}
    assert variables["seen"]["since"].startswith("step ")
    assert main(["inspect", "-p", str(folder), "-s", "2"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "Not known: bad." in shown and "[trace] from_start = true" in shown
    assert "seen: not logged: derived by running the program over its log since step" in shown


def test_an_answer_shows_them(folder: Path, lamp: Project, capsys: pytest.CaptureFixture[str]) -> None:
    answer = lamp.ask(NEITHER)
    assert answer.reason_code is ReasonCode.DEPENDS and answer.reason.endswith("yes from 2 on, no up to 1")
    main(["ask", "-p", str(folder), "-s", "2", NEITHER])
    shown = " ".join(capsys.readouterr().out.split())
    assert "If the count of bad readings was 2: a scenario in which it does" in shown
    assert "If the count of bad readings was 0: one of the scenarios, in none of which it is so" in shown
    assert "taken here: the count of bad readings 2; it is not known" in shown
    main(["ask", "-p", str(folder), "-s", "2", "might return == 1 if bad is anything"])
    shown = " ".join(capsys.readouterr().out.split())
    assert "the count of bad readings not known 2" in shown and "taken here" not in shown


def test_a_scenario_that_varies_what_is_derived_says_so(tmp_path: Path) -> None:
    lamp = Project.open(made(tmp_path / "lamp", start=True), step=2)
    answer = lamp.ask("might return == 1 if bad is anything")
    assert answer.witness is not None
    assert [change.was for change in answer.told(answer.witness)] == ["1 (derived)"]
    assert {"derived", "from-start"} <= {each.id for each in answer.relies_on}
    explained = lamp.explain("might return == 1 if bad is anything")
    assert explained.mattered is not None
    assert [change.was for change in explained.mattered.sets[0].scenario.witness.changed] == ["1 (derived)"]


def test_a_picture_does_not_draw_what_is_not_known(lamp: Project) -> None:
    scene = scene_of(lamp.manifest)
    assert of_keyframe(scene, lamp.keyframe).fact[0].place is None
    assert "bad not known" in text(of_keyframe(scene, lamp.keyframe))
    answer = lamp.ask("might return == 1 if bad is anything")
    drawn = of_keyframe(scene, lamp.keyframe, decided=answer.fact, witness=answer.witness)
    assert [str(each) for each in drawn.differences] == ["A bad: not known → 2"]
    taken = lamp.ask("might return == 0 if reading is anything")
    drawn = of_keyframe(scene, lamp.keyframe, decided=taken.fact, witness=taken.witness)
    assert [each.variable.path for each in drawn.differences] == ["reading"]


@pytest.fixture(scope="module")
def case(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("desk") / "lamp.case"
    with Case.create(file, folder) as made:
        for question in (NEITHER, "might return == 1 if bad is anything", "would return in {0, 1} if reading > 5"):
            made.ask(question, step=2)
    return file


def test_the_report_shows_them(case: Path) -> None:
    with Case.open(case) as opened:
        page = report(opened, made_by="soid")
    assert ">not known<" in page and "not logged, and does not follow from the log" in page
    assert "not logged: derived by running the program over its log since step" in page
    assert "If the count of bad readings was 2: a scenario in which it does" in page
    assert "Taken here: the count of bad readings 2; it is not known." in page
    assert "all else as at step 2, whatever the count of bad readings was." in page


def test_the_bundle_shows_them_and_is_proved_again(
    case: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle = tmp_path / "lamp.zip"
    assert main(["bundle", str(case), "--to", str(bundle)]) == 0
    with zipfile.ZipFile(bundle) as files:
        (fact, *_) = (json.loads(files.read(name)) for name in files.namelist() if name.endswith("fact.json"))
    assert [each["variable"] for each in fact["origins"]["assumed"]] == ["bad"]
    assert [each["variable"] for each in fact["origins"]["derived"]] == ["rest", "seen"]
    capsys.readouterr()
    assert main(["verify", str(bundle)]) == 0
    assert "2 facts: 2 re-proved" in capsys.readouterr().out


def test_deriving_ends_with_the_time_of_a_question(tmp_path: Path) -> None:
    lamp = Project.open(made(tmp_path / "lamp", start=False), step=2)
    stop = Cancellation()
    stop.cancel()
    with pytest.raises(CalledOff, match="deriving what is not logged was called off"):
        lamp.ask(NEITHER, cancel=stop)
    heard: list[str] = []
    assert lamp.ask(NEITHER, progress=lambda one: heard.append(one.stage)).reason_code is ReasonCode.DEPENDS
    assert heard[0] == "state"


# --- the page and its API ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def service(case: Path) -> Iterator[tuple[DeskService, CaseService]]:
    with Desk(case.parent, cores=1) as desk:
        own = DeskService(desk, User("ada"))
        yield own, own.open("lamp")


def test_the_api_shows_them(service: tuple[DeskService, CaseService]) -> None:
    one = show_step(service[1], "2")
    assert one.inputs == {"reading": 8, "bad": None, "seen": 0, "rest": 2}
    assert one.decisions == {"return": None, "bad'": None, "seen'": 1}
    inputs, outputs = (
        {"bad": "assumed", "seen": "derived", "rest": "derived"},
        {"bad'": "not known", "seen'": "derived"},
    )
    assert one.origins == {**inputs, **outputs, "return": "not known"}
    third = list_steps(service[1], Request({"type": "http"}), Response())[2]
    assert third.inputs == {"reading": 8, "bad": None, "seen": None, "rest": 2}
    assert third.origins == {"bad": "not logged", "seen": "not logged", "rest": "derived"}


def test_the_page_has_a_worker_derive_a_moment_that_is_looked_at(service: tuple[DeskService, CaseService]) -> None:
    session = Session(*service)
    seen, bad = (session.interface.variable(path) for path in ("seen", "bad"))
    heard: list[str] = []
    session.hear(About.MOMENT, do=lambda: heard.append(session.draft.was(seen)))
    session.seek(2)
    assert (session.draft.was(seen), session.draft.was(bad)) == ("not logged", "not logged")
    session.derive()
    assert session._deriving is None  # it may be on its way to another moment
    session.derive()
    job = session._deriving
    assert job is not None and job.kind == "moment" and job not in session.jobs
    assert job.wait(60)
    session.derive()
    assert heard == ["not logged", "0 (derived)"]
    assert session.draft.was(bad) == "not known"
    session.derive()
    assert session._deriving is None  # what is known is not looked for again
    session.seek(1)
    session.seek(2)
    assert session.draft.was(seen) == "0 (derived)"


def test_the_page_asks_again_about_what_a_scenario_changes_and_not_what_it_takes(
    service: tuple[DeskService, CaseService],
) -> None:
    session = Session(*service)
    answers = {entry.question: entry.number for entry in session.case.entries if entry.answer is not None}
    session.show(answers["might return == 1 if bad is anything"])
    assert session.keyframe.origin("bad") is Origin.ASSUMED and session.draft.was(session.interface.variable("seen"))
    session.ask_again_from_here()
    assert [(each.path, each.how, each.values) for each in session.draft.supposed] == [("bad", How.EXACTLY, ("2",))]
    session.show(answers[NEITHER])
    session.ask_again_from_here()
    assert [each.path for each in session.draft.supposed] == ["reading"]
