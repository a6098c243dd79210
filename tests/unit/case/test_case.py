"""The loop: ask, keep, go on; who did what, what counts, and what opening a case brings to light."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from soid.budget import Cancellation
from soid.case.case import Case, default_user
from soid.case.project import Project
from soid.case.record.entry import EntryKind
from soid.documents import json_of
from soid.errors import CalledOff, CaseError, KeyframeError, QueryError
from soid.examples import folder
from soid.oracle.answer import Verdict
from soid.solver.protocol import Reason, Unknown
from tests.unit.oracle.test_pipeline_steps import COUNTER, LOG
from tests.unit.oracle.worlds import OnCue

MIGHT = "might action == CANCEL if heat is anything"


def test_what_is_asked_and_answered_is_on_the_record(opened, oven):
    with opened() as case:
        answer = case.ask("did  (action)==CANCEL", step=3).entry
    first, asked, answered = Case.open(oven).entries
    assert answered == answer
    assert (first.kind, asked.kind, answered.kind) == (EntryKind.OPENED, EntryKind.ASKED, EntryKind.ANSWERED)
    assert (asked.who, asked.when) == ("ben", "2030-01-02T03:04:05.000Z")
    assert (asked.question, asked.step, asked.verdict) == ("did action == CANCEL", 3, None)
    assert (answered.asked, answered.question, answered.step) == (2, "did action == CANCEL", 3)
    assert answered.verdict is Verdict.NO
    assert answered.answer is not None and answered.fact is not None
    assert answered.answer["witness"]["outputs"]["action"] == "CLOSE"
    assert answered.fact["statement"] == "At step 3 it did not cancel."


def test_the_answer_is_the_one_that_the_case_gives(opened):
    with opened() as case:
        entry = case.ask(MIGHT).entry
        plain = case.project_at().ask(MIGHT)
        recalled = case.recall(entry.number)
    assert recalled.witness == plain.witness
    assert {**json_of(recalled.document), "seconds": 0, "solver": 0} == {
        **json_of(plain.document),
        "seconds": 0,
        "solver": 0,
    }


def test_only_what_is_definite_is_a_fact(asked):
    with Case.open(asked) as case:
        assert [entry.verdict for entry in case.entries if entry.kind is EntryKind.ANSWERED] == [
            Verdict.YES,  # retracted
            Verdict.YES,
            Verdict.VACUOUS,
        ]
        assert [fact.answer["verdict"] for fact in case.facts if fact.answer] == ["yes"]


def test_a_retraction_may_be_retracted(asked):
    with Case.open(asked) as case:
        retraction = next(entry for entry in case.entries if entry.kind is EntryKind.RETRACTED)
        number = retraction.payload["entry"]
        assert number not in [fact.number for fact in case.facts]
        case.retract(retraction.number, "it was the right moment after all")
        assert number in [fact.number for fact in case.facts]
        case.retract(number, "no, it was not")
        assert number not in [fact.number for fact in case.facts]


def test_what_cannot_be_retracted(asked):
    with Case.open(asked) as case:
        question = next(entry.number for entry in case.entries if entry.kind is EntryKind.ASKED)
        struck = next(entry.payload["entry"] for entry in case.entries if entry.kind is EntryKind.RETRACTED)
        before = len(case.entries)
        for number, why, message in [
            (1, "x", "what was opened"),
            (question, "x", "has its answer"),
            (struck, "x", "retracted already"),
            (99, "x", "no entry 99"),
            (0, "x", "no entry 0"),
            (2, " ", "says why"),
        ]:
            with pytest.raises(CaseError, match=message):
                case.retract(number, why)
        assert len(case.entries) == before


# --- moments --------------------------------------------------------------------------------------------------


def test_a_moment_by_its_name(opened):
    with opened() as case:
        case.keyframe(4, "all is well")
        entry = case.ask("did action == CANCEL", step="all is well").entry
        assert (entry.step, entry.verdict, entry.payload["keyframe"]) == (4, Verdict.YES, "all is well")
        assert case.ask("did action == CANCEL", step="4").entry.step == 4
        assert case.project_at("all is well").keyframe.step == 4
        with pytest.raises(KeyframeError, match="'all is ill'"):
            case.ask("did action == CANCEL", step="all is ill")


def test_names_that_are_none(opened):
    with opened() as case:
        entry = case.keyframe(3, "here")
        for step, name, message in [(4, "here", "already"), (4, " ", "no name"), (4, "12", "no name")]:
            with pytest.raises(CaseError, match=message):
                case.keyframe(step, name)
        with pytest.raises(KeyframeError):
            case.keyframe(77, "beyond")
        case.retract(entry.number, "a slip")
        case.keyframe(4, "here")
        assert case.keyframes["here"].step == 4


def test_several_logs(tmp_path):
    project = tmp_path / "oven"
    shutil.copytree(folder("microwave"), project, ignore=shutil.ignore_patterns("*.py", "__pycache__", "c"))
    (tmp_path / "later.csv").write_text(
        "step,error,closed,heat,running,started,action\n7,1,1,0,0,1,CANCEL\n8,0,1,0,0,0,START\n"
    )
    with Case.create(tmp_path / "a.case", project, logs=[tmp_path / "later.csv"]) as case:
        assert case.snapshot.logs == ("oven/log.jsonl", "oven/logs/later.csv")
        case.keyframe(7, "the second evening", log="later.csv")
        entry = case.ask("did action == CANCEL", step="the second evening").entry
        assert (entry.verdict, entry.log, entry.step) == (Verdict.YES, "oven/logs/later.csv", 7)
        assert case.ask("did action == START", log="later.csv").entry.step == 8  # the manifest's moment is not in it
        assert case.ask("did action == CLOSE").entry.log == "oven/log.jsonl"
        with pytest.raises(CaseError, match=r"no one log other\.csv"):
            case.ask("did action == START", log="other.csv")
        assert case.recall(entry.number).witness is not None


# --- notes, and what is refused -------------------------------------------------------------------------------


def test_notes(asked):
    with Case.open(asked, who="  cleo \n ") as case:
        note = case.note(4, "I doubt it")
        assert [each.payload["text"] for each in case.notes_on(4)] == ["so the heater matters", "I doubt it"]
        assert note.who == "cleo"
        for number, text in [(99, "x"), (0, "x"), (-1, "x"), (4, "\n")]:
            with pytest.raises(CaseError):
                case.note(number, text)


def test_a_question_that_is_none_is_no_entry(opened):
    with opened() as case:
        for question in ("is it so", "did acton == CANCEL", "did action == 1.5"):
            with pytest.raises(QueryError):
                case.ask(question)
        with pytest.raises(KeyframeError):
            case.ask("did action == CANCEL", step=99)
        assert len(case.entries) == 1


def test_a_question_that_cannot_be_answered_is_an_entry(opened):
    with opened() as case:
        with pytest.raises(KeyframeError, match="step 5 is not in"):
            case.ask("did action == CANCEL within 3 steps")
        asked, failed = case.entries[-2:]
        assert (asked.kind, failed.kind, failed.asked) == (EntryKind.ASKED, EntryKind.FAILED, asked.number)
        assert failed.verdict is Verdict.ERROR
        assert failed.payload["error"]["type"] == "KeyframeError"
        assert (case.unanswered, case.facts) == ((), ())


def test_who_asks(monkeypatch):
    monkeypatch.setenv("SOID_USER", "the court's expert")
    assert default_user() == "the court's expert"
    monkeypatch.setenv("SOID_USER", " ")
    monkeypatch.setenv("LOGNAME", "dora")
    assert default_user() == "dora"


# --- what ends too soon ---------------------------------------------------------------------------------------


@pytest.fixture
def dying(monkeypatch):
    """The asking process ends before the answer."""

    def end(*_, **__):
        raise MemoryError

    monkeypatch.setattr(Project, "ask", end)
    return monkeypatch


def test_a_question_without_its_answer_is_told_and_asked_again(opened, dying):
    with opened() as case, pytest.raises(MemoryError):
        case.ask(MIGHT)
    dying.undo()
    with opened() as case:
        (left,) = case.unanswered
        assert case.warnings == ("entry 2 was asked and has no answer; ask it again to go on",)
        assert (left.kind, left.question, case.facts) == (EntryKind.ASKED, MIGHT, ())
        answered = case.ask(MIGHT).entry
        asked = case.entries[-2]
        assert (asked.payload["continues"], answered.asked) == (left.number, asked.number)
        assert case.unanswered == ()
    with opened() as case:
        assert case.warnings == ()


def test_a_question_can_be_withdrawn(opened, dying):
    with opened() as case:
        with pytest.raises(MemoryError):
            case.ask(MIGHT)
        case.retract(2, "not worth the time")
        assert case.unanswered == ()


def test_another_question_continues_nothing(opened, dying):
    with opened() as case, pytest.raises(MemoryError):
        case.ask(MIGHT)
    dying.undo()
    with opened() as case:
        case.ask(MIGHT, step=4)
        case.ask("might action == CANCEL if closed is anything")
        assert [entry.number for entry in case.unanswered] == [2]
        assert [e.payload["continues"] for e in case.entries if e.kind is EntryKind.ASKED] == [None, None, None]


def test_a_question_that_is_called_off_has_no_answer(oven):
    cancel = Cancellation()
    cancel.cancel()
    stopped = OnCue(0, lambda _: Unknown(Reason.CANCELLED), onwards=True)
    with Case.open(oven, solver=stopped) as case:
        with pytest.raises(CalledOff, match="entry 2"):
            case.ask(MIGHT, cancel=cancel)
        assert [entry.kind for entry in case.entries] == [EntryKind.OPENED, EntryKind.ASKED]
        assert len(case.unanswered) == 1


def test_an_answer_on_the_record_is_found(opened):
    with opened() as case:
        assert case.answer_to(MIGHT) is None
        entry = case.ask(MIGHT).entry
        assert case.answer_to("might (action == CANCEL) if heat is anything", step=3) == entry
        assert case.answer_to(MIGHT, step=4) is None
        case.retract(entry.number, "a slip")
        assert case.answer_to(MIGHT) is None


# --- log and program differ -----------------------------------------------------------------------------------


@pytest.fixture
def mistaken(tmp_path) -> Path:
    """A log that says something else than the program does at step 3."""
    project: Path = tmp_path / "oven"
    shutil.copytree(folder("microwave"), project, ignore=shutil.ignore_patterns("*.py", "__pycache__", "c"))
    log = (project / "log.jsonl").read_text().replace("CLOSE", "OPEN")
    (project / "log.jsonl").write_text(log)
    return project


def test_a_mismatch_is_accepted_on_the_record(mistaken, tmp_path):
    with Case.create(tmp_path / "a.case", mistaken) as case:
        withheld = case.ask(MIGHT)
        error = withheld.answer.error
        assert withheld.entry.verdict is Verdict.ERROR and error is not None and error.code == "log_mismatch"
        assert withheld.entry.answer is not None and withheld.entry.answer["error"]["code"] == error.code
        accepted = case.accept_log_mismatch("the logger is known to be late")
        assert accepted.payload["mismatch"] == "log mismatch: the log says action = OPEN, the program gives CLOSE"
        entry = case.ask(MIGHT).entry
        assert (entry.verdict, entry.payload["accepted"]) == (Verdict.YES, accepted.number)
        assert entry.answer is not None and entry.answer["error"] is None
        assert entry.answer["relies_on"][0]["id"] == "accepted"
        with pytest.raises(CaseError, match="accepted already"):
            case.accept_log_mismatch("again")
        # at another moment nothing was accepted, and there is nothing to accept
        with pytest.raises(CaseError, match="agree at step 4"):
            case.accept_log_mismatch("and here", step=4)
        with pytest.raises(CaseError, match="says why"):
            case.accept_log_mismatch(" ")


def test_a_fact_falls_with_the_acceptance_that_it_rests_on(mistaken, tmp_path):
    with Case.create(tmp_path / "a.case", mistaken) as case:
        accepted = case.accept_log_mismatch("the logger is known to be late")
        entry = case.ask(MIGHT).entry
        other = case.ask("did action == CANCEL", step=4).entry
        assert case.facts == (entry, other)
        case.retract(accepted.number, "it was not late")
        assert list(case.facts) == [other]
        assert case.ask(MIGHT).entry.verdict is Verdict.ERROR


# --- the project -----------------------------------------------------------------------------------------------


@pytest.fixture
def counter(tmp_path) -> Path:
    project: Path = tmp_path / "counter"
    project.mkdir()
    (project / "counter.c").write_text(COUNTER)
    (project / "log.jsonl").write_text("".join(json.dumps(step) + "\n" for step in LOG))
    program = '[program]\nengine = "c"\nsources = ["counter.c"]\nentry = "decide"\nsteps = 2\n'
    (project / "soid.toml").write_text(f'{program}\n[trace]\nfile = "log.jsonl"\nkeyframe = 5\n')
    return project


def test_a_case_goes_by_what_it_holds(counter, tmp_path):
    """The project changes, and goes away: the answers stay, and the change is on the record, once."""
    file = tmp_path / "a.case"
    with Case.create(file, counter) as case:
        first = case.ask("did return == 6").entry
        assert (first.verdict, case.warnings) == (Verdict.YES, ())
    (counter / "counter.c").write_text(COUNTER.replace("12 /", "24 /"))
    (counter / "log.jsonl").unlink()
    for _ in range(2):
        with Case.open(file) as case:
            (warning,) = case.warnings
            assert "counter/counter.c has changed; counter/log.jsonl is gone" in warning
            assert case.ask("did return == 6").entry.verdict is Verdict.YES
    noticed = [entry.payload for entry in case.entries if entry.kind is EntryKind.NOTICED]
    assert noticed == [{"about": "project", "found": ["counter/counter.c has changed", "counter/log.jsonl is gone"]}]
    shutil.rmtree(counter)
    with Case.open(file) as case:
        assert case.warnings == ()
        assert case.recall(first.number).verdict is Verdict.YES
        assert case.entries[-1].payload == {"about": "project", "found": []}
        assert case.ask("did return == 6").entry.answer["question"] == "did return == 6 after 2 steps"  # type: ignore[index]


def test_to_look_at_a_case_adds_nothing_to_it(counter, tmp_path):
    file = tmp_path / "a.case"
    Case.create(file, counter).close()
    (counter / "counter.c").write_text("nonsense")
    content = file.read_bytes()
    with Case.open(file, read_only=True) as case:
        assert len(case.warnings) == 1
        assert case.project_at().keyframe.step == 5
    assert file.read_bytes() == content


def test_another_compiler_is_noticed(counter, tmp_path, monkeypatch):
    file = tmp_path / "a.case"
    Case.create(file, counter).close()
    monkeypatch.setattr("soid.case.held_project.fingerprint", lambda engine: "f00")
    with Case.open(file) as case:
        case.ask("did return == 6")
        assert case.warnings == ("the compiler here makes something else of the same sources: it makes f00",)
        assert [e.payload for e in case.entries if e.kind is EntryKind.NOTICED] == [
            {"about": "compiler", "found": ["it makes f00"]}
        ]


def test_a_project_that_cannot_be_read_makes_no_case(counter, tmp_path):
    (counter / "log.jsonl").write_text('{"step": 1, "nothing": 1}\n')
    with pytest.raises(Exception, match="nothing is no variable of the program"):
        Case.create(tmp_path / "a.case", counter)
    assert not (tmp_path / "a.case").exists()


def test_a_case_on_another_machine(counter, tmp_path, monkeypatch):
    """Nothing but the file: no project, no cache."""
    file = tmp_path / "a.case"
    with Case.create(file, counter) as case:
        answer = case.ask("would return >= 0 throughout 5 steps held if input == 2").entry
    shutil.rmtree(counter)
    monkeypatch.setenv("SOID_CACHE", str(tmp_path / "elsewhere"))
    with Case.open(file) as case:
        again = case.ask("would return >= 0 throughout 5 steps held if input == 2").entry
        assert (case.warnings, again.fact) == ((), answer.fact)
        assert str(tmp_path) not in json.dumps(json_of(again.document))
        assert case.project_at().keyframe.source == "counter/log.jsonl:1"
        assert os.listdir(tmp_path / "elsewhere" / "cases") == [case.snapshot.digest]  # noqa: PTH208 the names alone
