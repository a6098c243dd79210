"""Scripts on real programs: where the program and the logs come from, what is kept, and going on where one stopped."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from soid.case.case import Case
from soid.case.record.entry import EntryKind
from soid.case.script_run import ScriptFile, ScriptRun
from soid.case.script_runner import AnsweredQuestion, Ending, Event, ScriptOutcome
from soid.errors import CaseError, InputError, ManifestError, QueryError, SoidError, TraceError
from soid.examples import folder
from soid.oracle.answer import Verdict
from soid.oracle.inquiry import Settings

FAMILY = "family any_moment = closed is anything and heat is anything and running is anything and started is anything\n"
OVEN = f"""\
case "The oven"
keyframe later = step 4
{FAMILY}
did action == CANCEL
might action == CANCEL if any_moment
at later
when did action == CANCEL:
    when would action == CANCEL if error and any_moment:
        conclude "always"
    otherwise:
        conclude "in the end"
"""
QUESTIONS = 4

Write = Callable[..., ScriptFile]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    shutil.copytree(folder("microwave"), tmp_path / "oven", ignore=shutil.ignore_patterns("*.py", "__pycache__", "c"))
    return tmp_path / "oven"


@pytest.fixture
def write(project: Path) -> Write:
    def do(text: str, name: str = "a.soid", at: Path = project) -> ScriptFile:
        (at / name).write_text(text)
        return ScriptFile.read(at / name)

    return do


def ran(
    source: ScriptFile, case: Path | None = None, settings: Settings | None = None
) -> tuple[list[Event], ScriptOutcome]:
    with ScriptRun(source, case_file=case, settings=settings, who="ada") as script:
        *events, last = script.events()
    assert isinstance(last, ScriptOutcome)
    return events, last


def origins(events: list[Event]) -> list[str]:
    return [event.origin.value for event in events if isinstance(event, AnsweredQuestion)]


def told(source: ScriptFile, case: Path | None = None) -> str:
    with pytest.raises(SoidError) as caught, ScriptRun(source, case_file=case):
        pass
    return str(caught.value)


# --- where things come from -----------------------------------------------------------------------------------


def test_the_program_is_the_one_of_the_script_s_folder_or_named_or_given(
    write: Write, project: Path, tmp_path: Path
) -> None:
    for source in (write('conclude "a"'), write('project "oven"\nconclude "a"', at=tmp_path)):
        with ScriptRun(source) as script:
            assert script.program.name == "microwave operator"
    with ScriptRun(write('project "nowhere"\nconclude "a"', at=tmp_path), project=project) as script:
        assert script.program.name == "microwave operator"
    with pytest.raises(ManifestError), ScriptRun(write('project "nowhere"', at=tmp_path)):
        pass


def test_the_log_and_the_moment_are_the_manifest_s_unless_the_script_says_others(write: Write, project: Path) -> None:
    lines = (project / "log.jsonl").read_text().splitlines(keepends=True)
    (project / "short.jsonl").write_text("".join(lines[:2]))
    (event, *_), _ = ran(write("did action == START"))
    assert isinstance(event, AnsweredQuestion) and event.moment.step == 3
    events, _ = ran(
        write(
            'trace "short.jsonl" at step 1\ntrace "log.jsonl" as whole\n'
            "did action == START\nat step 4 of whole\ndid action == CANCEL\n"
        )
    )
    assert [(event.moment.step, event.moment.log) for event in events if isinstance(event, AnsweredQuestion)] == [
        (1, None),
        (4, "whole"),
    ]
    assert "line 1" in told(write("keyframe a = step 9\ndid action == START"))
    assert "not in" in told(write('trace "short.jsonl" at step 3'))


@pytest.mark.parametrize(
    ("text", "kind", "says"),
    [
        ('trace "none.jsonl" at step 1', TraceError, "none.jsonl"),
        ('program "none.c" entry decide\ntrace "log.jsonl"', QueryError, "line 1, column 1: there is no file"),
        ("did acton == START", QueryError, "a.soid, line 1, column 5"),
    ],
)
def test_what_is_not_there(text: str, kind: type[SoidError], says: str, write: Write, tmp_path: Path) -> None:
    case = tmp_path / "a.case"
    with pytest.raises(kind, match=says.replace(".", r"\.")), ScriptRun(write(text), case_file=case):
        pass
    assert not case.exists()  # nothing is made of a script that cannot be run


def test_a_script_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        ScriptFile.read(tmp_path / "none.soid")
    (tmp_path / "bytes.soid").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="no UTF-8 text"):
        ScriptFile.read(tmp_path / "bytes.soid")


C_SOURCE = """
enum signal { STRAIGHT, LEFT, RIGHT };
struct car { float x; enum signal signal; };
struct world { struct car cars[2]; };
int decide(const struct world *world) { return world->cars[1].signal == RIGHT && world->cars[1].x > 1.0f; }
"""
C_SCRIPT = """\
program "car.c" entry decide
trace "log.jsonl" at step 7
let other = world.cars[1]
did return == 1
return == 1 because other.signal == RIGHT
when would return == 0 if other.signal in {STRAIGHT, LEFT}:
    conclude "it heeds signals"
"""
C_LOG = '{"step": 7, "world": {"cars": [{"x": 0, "signal": "LEFT"}, {"x": 2.5, "signal": "RIGHT"}]}, "return": 1}\n'


@pytest.fixture
def c_script(tmp_path: Path, write: Write) -> ScriptFile:
    place = tmp_path / "car"
    place.mkdir()
    (place / "car.c").write_text(C_SOURCE)
    (place / "log.jsonl").write_text(C_LOG)
    return write(C_SCRIPT, at=place)


def test_c_files_by_themselves(c_script: ScriptFile, tmp_path: Path, write: Write) -> None:
    before = sorted(file.name for file in c_script.file.parent.iterdir())
    _, outcome = ran(c_script)
    assert outcome.text == "it heeds signals"
    case = tmp_path / "car.case"
    assert origins(ran(c_script, case)[0]) == ["asked", "asked", "repeated", *["asked"] * 3]
    events, outcome = ran(c_script, case)
    assert origins(events) == ["recorded", "recorded", "repeated", *["recorded"] * 3]
    assert outcome.text == "it heeds signals"
    assert sorted(file.name for file in c_script.file.parent.iterdir()) == before  # no manifest stays behind
    assert "names no log" in told(write('program "car.c" entry decide\ndid return == 1', at=c_script.file.parent))
    in_the_way = c_script.file.with_name("a.soid.toml")
    in_the_way.write_text("mine")
    assert "is in the way" in told(c_script, case)
    assert in_the_way.read_text() == "mine"


# --- the record -----------------------------------------------------------------------------------------------


def test_a_script_goes_on_where_it_stopped(write: Write, tmp_path: Path) -> None:
    """Stopped after each of its questions in turn: what was answered is not asked again, what was not is."""
    source = write(OVEN)
    case = tmp_path / "oven.case"
    for count in range(1, QUESTIONS):
        with ScriptRun(source, case_file=case, who="ada") as script:
            running = script.events()
            seen = [next(running) for _ in range(count)]
        assert origins(seen) == ["recorded"] * (count - 1) + ["asked"]
    events, outcome = ran(source, case)
    assert origins(events) == ["recorded"] * (QUESTIONS - 1) + ["asked"]
    assert (outcome.ending, outcome.text) == (Ending.CONCLUDED, "in the end")
    again, outcome = ran(source, case)
    assert origins(again) == ["recorded"] * QUESTIONS
    with Case.open(case) as opened:
        kinds = [entry.kind for entry in opened.entries]
        assert kinds.count(EntryKind.ASKED) == kinds.count(EntryKind.ANSWERED) == QUESTIONS
        assert kinds.count(EntryKind.KEYFRAME) == kinds.count(EntryKind.NOTE) == 1
        assert opened.title == "The oven"
        (note,) = [entry for entry in opened.entries if entry.kind is EntryKind.NOTE]
        assert note.payload == {"on": outcome.number, "text": "conclusion of a.soid: in the end"}
        assert [fact.payload["keyframe"] for fact in opened.facts] == [None, None, "later", "later"]
        opened.verify_chain()


def test_what_is_unknown_is_asked_again_and_so_is_what_was_asked_in_another_way(
    write: Write, project: Path, tmp_path: Path
) -> None:
    (project / "paths" / "6-start.smt2").unlink()
    unknown = "would action in {CANCEL, CLOSE, OPEN, NOTHING} if error is anything and any_moment"
    source = write(f'{FAMILY}did action == CANCEL\nwhen {unknown}:\n  conclude "a"')
    for expected, settings in (
        (["asked", "asked"], Settings()),
        (["recorded", "asked"], Settings()),
        (["asked", "asked"], Settings(replay="off")),
    ):
        events, outcome = ran(source, tmp_path / "oven.case", settings)
        assert origins(events) == expected
        assert outcome.ending is Ending.STOPPED and outcome.verdict is Verdict.UNKNOWN


def test_what_was_taken_back_is_asked_again(write: Write, tmp_path: Path) -> None:
    source, case = write("did action == CANCEL"), tmp_path / "oven.case"
    _, outcome = ran(source, case)
    assert outcome.number is not None
    with Case.open(case) as opened:
        opened.retract(outcome.number, "no")
    assert origins(ran(source, case)[0]) == ["asked"]


@pytest.mark.parametrize(
    ("question", "answer"),
    [("might action == CANCEL if heat is anything", "yes"), ("would decides if heat != heat", "vacuous")],
)
def test_answers_rest_on_a_mismatch_only_while_it_is_accepted(
    question: str, answer: str, write: Write, project: Path, tmp_path: Path
) -> None:
    log = project / "log.jsonl"
    text = log.read_text()
    assert text.count('"action": "CLOSE"') == 1
    log.write_text(text.replace('"action": "CLOSE"', '"action": "OPEN"'))
    source, case = write(question), tmp_path / "oven.case"

    def verdicts() -> list[tuple[str, str]]:
        events, _ = ran(source, case)
        return [
            (event.origin.value, event.reply.verdict.value) for event in events if isinstance(event, AnsweredQuestion)
        ]

    assert verdicts() == [("asked", "error")]
    with Case.open(case) as opened:
        accepted = opened.accept_log_mismatch("the clock")
    assert verdicts() == [("asked", answer)]
    assert verdicts() == [("recorded", answer)]
    with Case.open(case) as opened:
        opened.retract(accepted.number, "not the clock")
    assert verdicts() == [("asked", "error")]


def test_a_case_about_another_program_is_refused(write: Write, project: Path, tmp_path: Path) -> None:
    source, case = write(f'trace "log.jsonl" at step 3\n{OVEN}'), tmp_path / "oven.case"
    ran(source, case)
    path = project / "paths" / "6-start.smt2"
    project.rename(tmp_path / "elsewhere")  # where it lies, and what its folder is called, is no matter
    moved = ScriptFile.read(tmp_path / "elsewhere" / "a.soid")
    assert origins(ran(moved, case)[0]) == ["recorded"] * QUESTIONS
    (tmp_path / "elsewhere").rename(project)
    path.write_text(path.read_text() + "\n; changed\n")
    assert "is about another program or other logs than the script: paths/6-start.smt2" in told(source, case)


def test_a_moment_has_one_name(write: Write, tmp_path: Path) -> None:
    case = tmp_path / "oven.case"
    ran(write("keyframe a = step 3\ndid action == CANCEL"), case)
    with (
        pytest.raises(CaseError, match=r"calls step 3 of oven/log\.jsonl a"),
        ScriptRun(write("keyframe a = step 4\ndid action == CANCEL"), case_file=case),
    ):
        pass


def test_logs_beside_the_manifest_s_are_held(write: Write, project: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.copy(project / "log.jsonl", elsewhere / "night.jsonl")
    source = write(
        'trace "log.jsonl" at step 3\ntrace "../elsewhere/night.jsonl" as night\n'
        "did action == CANCEL\nat step 4 of night\ndid action == CANCEL\n"
    )
    case = tmp_path / "oven.case"
    assert origins(ran(source, case)[0]) == ["asked", "asked"]
    assert origins(ran(source, case)[0]) == ["recorded", "recorded"]
    with Case.open(case) as opened:
        assert [Path(str(fact.log)).name for fact in opened.facts] == ["log.jsonl", "night.jsonl"]


def test_logs_of_one_name_are_told_apart(write: Write, project: Path, tmp_path: Path) -> None:
    """One lies in a folder of the project that is called as the one in which a case holds those from elsewhere."""
    (project / "old" / "logs").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    shutil.copy(project / "log.jsonl", project / "old" / "logs" / "day.jsonl")
    lines = (project / "log.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "elsewhere" / "day.jsonl").write_text("".join(lines[:4]))
    source = write(
        'trace "old/logs/day.jsonl" at step 3\ntrace "../elsewhere/day.jsonl" as other\n'
        "did action == CANCEL\nat step 3 of other\ndid action == CANCEL\n"
    )
    assert origins(ran(source, tmp_path / "oven.case")[0]) == ["asked", "asked"]
    with Case.open(tmp_path / "oven.case") as opened:
        assert [fact.log for fact in opened.facts] == ["oven/old/logs/day.jsonl", "oven/logs/day.jsonl"]


# --- what cannot be answered ----------------------------------------------------------------------------------


def test_a_question_that_the_log_is_too_short_for_is_an_error_that_can_be_handled(write: Write, tmp_path: Path) -> None:
    source = write('when did action == CANCEL within 9 steps:\n  conclude "a"\nwhen error:\n  conclude "b"')
    for case in (None, tmp_path / "oven.case"):
        (event,), outcome = ran(source, case)
        assert (
            isinstance(event, AnsweredQuestion)
            and event.reply.answer is None
            and "step 5 is not in" in event.reply.reason
        )
        assert outcome.text == "b"
