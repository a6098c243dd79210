"""The lines of the prompt: questions go on the record, commands are done, mistakes are told and end nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from soid.case.case import Case
from soid.case.record.entry import EntryKind
from soid.cli.prompt import case_prompt, prompt_commands
from soid.cli.prompt.case_prompt import CasePrompt
from soid.cli.prompt.prompt_commands import COMMANDS
from soid.examples import folder

Type = Callable[..., str]


@pytest.fixture
def case(file: Path) -> Iterator[Case]:
    with Case.open(file, who="ben") as opened:
        yield opened


@pytest.fixture
def type_(case: Case, capsys: pytest.CaptureFixture[str]) -> Type:
    """Types lines and returns what is printed."""
    typing = CasePrompt(case)

    def do(*lines: str) -> str:
        for line in lines:
            assert typing.do(line)
        said = capsys.readouterr()
        return " ".join((said.out + said.err).split())

    return do


def kinds(case: Case) -> list[str]:
    return [entry.kind.value for entry in case.entries]


def test_a_question_is_answered_on_the_record(case: Case, type_: Type) -> None:
    said = type_("might action == CANCEL if heat is anything")
    assert "✔ YES" in said and "the heater true false" in said
    assert "fact It would cancel, had the heater been false instead of true" in said
    assert kinds(case) == ["opened", "asked", "answered"]
    assert case.entries[-1].who == "ben"
    again = type_("might (action == CANCEL) if heat is anything")
    assert "from the record, entry 3: not asked again" in again
    assert len(case.entries) == 3


def test_names_last_for_the_session(case: Case, type_: Type) -> None:
    type_("let cancels = action == CANCEL", "family warm = heat is anything", "might cancels if warm")
    assert case.entries[-1].question == "might action == CANCEL if heat is anything"
    assert "the name warm is given already" in type_("let warm = heat")


def test_a_cause_is_asked_about_with_all_its_questions(case: Case, type_: Type) -> None:
    assert "✔ YES both occurred" in type_("action == CLOSE because not closed and heat")
    assert kinds(case).count("answered") == 4


def test_moments(case: Case, type_: Type) -> None:
    type_("keyframe the_end = step 4", "at the_end", "did action == CANCEL", "at step 3", "did action == CANCEL")
    answers = [(entry.step, entry.payload["keyframe"]) for entry in case.entries if entry.kind is EntryKind.ANSWERED]
    assert answers == [(4, "the_end"), (3, None)]
    case.keyframe(2, "in between")
    type_("at in between", "did action == CANCEL")
    assert case.entries[-1].step == 2
    assert "step 99 is not in" in type_("at step 99")
    assert "no moment is called 'nowhere'" in type_("at nowhere")
    assert "the case has no log other" in type_("at step 3 of other")


def test_moments_of_several_logs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for place in ("a", "b"):
        (tmp_path / place).mkdir()
    logs = (tmp_path / "a" / "night.jsonl", tmp_path / "b" / "day.jsonl")
    for log in logs:
        log.write_bytes((folder("microwave") / "log.jsonl").read_bytes())
    with Case.create(tmp_path / "oven.case", folder("microwave"), logs=logs) as case:
        typing = CasePrompt(case)
        for line in ("at step 4 of night", "keyframe noon = step 2 of day", "did action == CANCEL", "at noon"):
            typing.do(line)
        assert typing.text == "noon, step 2 of day> "
        typing.do("did action == CANCEL")
        asked = [(Path(str(entry.log)).name, entry.step) for entry in case.entries if entry.kind is EntryKind.ANSWERED]
    assert asked == [("night.jsonl", 4), ("day.jsonl", 2)]


def test_undo_takes_back_by_new_entries(case: Case, type_: Type) -> None:
    type_("did action == CANCEL", "note hm", "keyframe here = step 3", "at here")
    assert "retracted entry 5: undone at the prompt" in type_("undo")
    assert "retracted entry 4: wrong" in type_("undo wrong")
    assert len(case.facts) == 1
    type_("undo")
    assert not case.facts
    assert kinds(case) == ["opened", "asked", "answered", "note", "keyframe", *["retracted"] * 3]
    assert "there is nothing to take back" in type_("undo")
    assert "✘ NO" in type_("did action == CANCEL")  # asked again, and at a moment that lost its name
    assert case.entries[-1].payload["keyframe"] is None
    case.verify_chain()


def test_notes_and_conclusions(case: Case, type_: Type) -> None:
    assert "nothing was answered yet" in type_("note hm")
    type_("did action == CANCEL", "note so it did not", "note 1 the case", 'conclude "it did not"')
    notes = [(entry.payload["on"], entry.payload["text"]) for entry in case.entries if entry.kind is EntryKind.NOTE]
    assert notes == [(3, "so it did not"), (1, "the case"), (3, "conclusion of the prompt: it did not")]
    assert "there is no entry 99" in type_("note 99 hm")


def test_explain(type_: Type) -> None:
    type_("might action == CANCEL if closed is anything and heat is anything", "did action == CANCEL")
    said = type_("explain 3")
    assert "Explaining entry 3" in said and "heat" in said
    assert "Explaining entry 5" in type_("explain")
    assert "entry 1 is about no question" in type_("explain 1")


def test_facts_entries_variables_and_help(type_: Type) -> None:
    assert "Nothing has been established yet" in type_("facts")
    type_("did action == CANCEL")
    assert "At step 3 it did not cancel" in type_("facts")
    assert "asked at step 3: did action == CANCEL" in type_("entries")
    assert "the heater" in type_("variables")
    assert all(command in type_("help") for command in COMMANDS)


MISTAKES = {
    "woud action": "Did you mean would?",
    "did acton == CANCEL": "Did you mean action?",
    "did action == CANCLE": "Did you mean CANCEL?",
    "when did action == CANCEL:": "stands in a script, not at the prompt",
    "for each step in 1..3:": "stands in a script, not at the prompt",
    'program "a.c" entry b': "stands in a script, not at the prompt",
    "let heat = error": "heat is a variable of the program",
    "accept why not": "log and program agree at step 3",
}


def test_mistakes_are_told_and_end_nothing(case: Case, type_: Type) -> None:
    for line, said in MISTAKES.items():
        assert said in type_(line)
    assert len(case.entries) == 1
    assert "✘ NO" in type_("did action == CANCEL")


@pytest.mark.parametrize("line", ["quit", "quit now", "exit"])
def test_quit_ends_it(case: Case, line: str) -> None:
    assert not CasePrompt(case).do(line)


def test_a_bug_ends_nothing_either(case: Case, type_: Type, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))

    def broken(*_: object, **__: object) -> None:
        raise AssertionError("never")

    with monkeypatch.context() as patched:
        patched.setattr(case_prompt, "put", broken)
        assert "this is a bug in soid" in type_("did action == CANCEL")
    assert "✘ NO" in type_("did action == CANCEL")


def test_a_question_that_is_called_off(case: Case, type_: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(prompt_commands, "watched", interrupted)
        assert "Called off" in type_("did action == CANCEL")
    assert "✘ NO" in type_("did action == CANCEL")


def test_json(case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    typing = CasePrompt(case, as_json=True)
    typing.greet()
    lines = [
        "did action == CANCEL",
        "let a = action",
        "note hm",
        "facts",
        "explain",
        "woud",
        "entries",
        "variables",
        "help",
    ]
    for line in lines:
        typing.do(line)
    asked, note, facts, explained, error, entries, variables, helped = map(
        json.loads, capsys.readouterr().out.splitlines()
    )
    assert (asked["event"], asked["verdict"], asked["entry"], asked["line"]) == ("asked", "no", 3, None)
    assert note["kind"] == "note"
    assert [(each["number"], each["entry"]) for each in facts["facts"]] == [(1, 3)]
    assert explained["entry"] == 3
    assert error["error"]["type"] == "QueryError"
    assert len(entries["entries"]) == 4
    assert "heat" in variables["variables"]
    assert helped["commands"] == list(COMMANDS)
