"""The prompt: what is typed goes on the record; mistakes are told; Ctrl-C and Ctrl-D do what they do everywhere."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from prompt_toolkit import PromptSession
from prompt_toolkit.application import create_app_session
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from soid.case.case import Case
from soid.case.record.entry import EntryKind
from soid.cli import investigate as prompt
from soid.cli import main, session
from soid.cli.completing import Knowledge, PromptCompleter
from soid.cli.session import COMMANDS, Session
from soid.examples import folder
from soid.query.language.script.definitions import Definitions
from soid.scenario.expression import Name
from tests.unit.query.crossing import CROSSING

Type = Callable[..., str]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    file = tmp_path_factory.mktemp("made") / "oven.case"
    Case.create(file, folder("microwave"), title="The oven", who="ada").close()
    return file.read_bytes()


@pytest.fixture
def file(tmp_path: Path, made: bytes) -> Path:
    file = tmp_path / "oven.case"
    file.write_bytes(made)
    return file


@pytest.fixture
def case(file: Path) -> Iterator[Case]:
    with Case.open(file, who="ben") as opened:
        yield opened


@pytest.fixture
def type_(case: Case, capsys: pytest.CaptureFixture[str]) -> Type:
    """Types lines and gives what is said."""
    typing = Session(case)

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
    assert "✔ YES" in said and "heat true false" in said
    assert "fact It would decide action == CANCEL" in said
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
        typing = Session(case)
        for line in ("at step 4 of night", "keyframe noon = step 2 of day", "did action == CANCEL", "at noon"):
            typing.do(line)
        assert typing.prompt == "noon, step 2 of day> "
        typing.do("did action == CANCEL")
        asked = [(Path(str(entry.log)).name, entry.step) for entry in case.entries if entry.kind is EntryKind.ANSWERED]
    assert asked == [("night.jsonl", 4), ("day.jsonl", 2)]


def test_undo_takes_back_by_new_entries(case: Case, type_: Type) -> None:
    type_("did action == CANCEL", "note hm", "keyframe here = step 3", "at here")
    assert "retracted entry 5: undone at the prompt" in type_("undo")
    assert "retracted entry 4: wrong" in type_("undo wrong")
    assert case.facts
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
    assert "At step 3 it did not decide action == CANCEL" in type_("facts")
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


def test_a_bug_ends_nothing_either(case: Case, type_: Type, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))

    def broken(*_: object, **__: object) -> None:
        raise AssertionError("never")

    with monkeypatch.context() as patched:
        patched.setattr(session, "put", broken)
        assert "this is a bug in soid" in type_("did action == CANCEL")
    assert "✘ NO" in type_("did action == CANCEL")


def test_a_question_that_is_called_off(case: Case, type_: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(session, "watched", interrupted)
        assert "Called off" in type_("did action == CANCEL")
    assert "✘ NO" in type_("did action == CANCEL")


def test_json(case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    typing = Session(case, as_json=True)
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
    assert [entry["number"] for entry in facts["facts"]] == [3]
    assert explained["entry"] == 3
    assert error["error"]["type"] == "QueryError"
    assert len(entries["entries"]) == 4
    assert "heat" in variables["variables"]
    assert helped["commands"] == list(COMMANDS)


# --- the prompt itself ----------------------------------------------------------------------------------------


Keys = tuple[str, str]  # what is typed, and what the line must then be before more is
Prompt = Callable[..., list[str | None]]


@pytest.fixture
def at_prompt(file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Prompt:
    """Sends keys to the prompt and gives the questions that were then asked.

    Completion and history come when they come: keys after them wait until the line is as expected.
    """
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    prompts: list[PromptSession[str]] = []
    make = prompt.prompt_session

    def made(of: Session) -> PromptSession[str]:
        prompts.append(make(of))
        return prompts[-1]

    monkeypatch.setattr(prompt, "prompt_session", made)

    def type_all(pipe: PipeInput, keys: tuple[str | Keys, ...]) -> None:
        for each in keys:
            text, then = (each, None) if isinstance(each, str) else each
            pipe.send_text(text)
            while then is not None and (not prompts or prompts[-1].default_buffer.text != then):
                time.sleep(0.01)

    def send(*keys: str | Keys) -> list[str | None]:
        prompts.clear()
        with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
            threading.Thread(target=type_all, args=(pipe, keys), daemon=True).start()
            assert main(["investigate", str(file)]) == 0
        with Case.open(file, read_only=True) as case:
            return [entry.question for entry in case.entries if entry.kind is EntryKind.ANSWERED]

    return send


def test_lines_are_typed_until_quit(at_prompt: Prompt, tmp_path: Path) -> None:
    assert at_prompt("did action == CANCEL\r\r  \rquit\rdid heat\r") == ["did action == CANCEL"]
    assert "did action == CANCEL" in (tmp_path / "state" / "soid" / "history").read_text()


def test_what_was_typed_in_another_session_comes_back(at_prompt: Prompt) -> None:
    up, rub_out = "\x1b[A", "\x7f"
    at_prompt("did action == CANCEL\r\x04")
    asked = at_prompt((up, "did action == CANCEL"), rub_out * 6 + "CLOSE\rquit\r")
    assert asked == ["did action == CANCEL", "did action == CLOSE"]


def test_ctrl_d_leaves_and_ctrl_c_drops_the_line(at_prompt: Prompt) -> None:
    assert at_prompt("\x04did heat\r") == []
    assert at_prompt("did heat\x03did action == CANCEL\r\x04") == ["did action == CANCEL"]


def test_tab_completes(at_prompt: Prompt) -> None:
    keys = ("did acti\t", "did action"), (" == CANC\t", "did action == CANCEL"), "\rquit\r"
    assert at_prompt(*keys) == ["did action == CANCEL"]


def test_without_a_terminal_lines_are_read(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = iter(["did action == CANCEL\n", "\n", "undo\n"])
    monkeypatch.setattr(sys, "stdin", _Lines(lines))
    assert main(["investigate", str(file)]) == 0
    with Case.open(file, read_only=True) as case:
        assert kinds(case) == ["opened", "asked", "answered", "retracted"]


class _Lines:
    """Standard input that is no terminal."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines

    def isatty(self) -> bool:
        return False

    def __iter__(self) -> Iterator[str]:
        return self._lines


def test_a_case_that_is_not_there_is_made_of_a_project_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", _Lines(iter([])))
    file = tmp_path / "new.case"
    assert main(["investigate", str(file)]) == 25
    assert "soid case new" in capsys.readouterr().err
    assert main(["investigate", str(file), "--project", str(folder("microwave"))]) == 0
    assert file.exists()


# --- what may be typed next -----------------------------------------------------------------------------------


def completed(text: str) -> list[str]:
    names = Definitions(CROSSING).let("other", Name("world.agents[1]")).let("wait", Name("waited"))
    knowledge = Knowledge(CROSSING, ("facts", "undo"), lambda: names, lambda: ["approach"])
    found = PromptCompleter(knowledge).get_completions(Document(text), CompleteEvent())
    return [text[: len(text) + each.start_position] + each.text for each in found]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("wo", ["would"]),
        ("un", ["undo"]),
        ("f", ["family", "facts"]),
        ("at a", ["at approach"]),
        ("at ", ["at step", "at approach"]),
        ("did mo", ["did move"]),
        ("did ot", ["did other", "did other.x", "did other.signal"]),
        ("did other.", ["did other.x", "did other.signal"]),
        ("did world.agents[2].s", ["did world.agents[2].signal"]),
        ("did right", ["did right_of_way()"]),
        ("did *sp", ["did *speed"]),
        ("would move if other.signal == ", None),
        ("would move if other.signal == S", ["would move if other.signal == STRAIGHT"]),
        ("would move if world.agents[0].signal in {LEFT, R", ["would move if world.agents[0].signal in {LEFT, RIGHT"]),
        ("would move if other.signal is not L", ["would move if other.signal is not LEFT"]),
        ("did move == t", ["did move == true", "did move == throughout"]),
        ("would move if wai", ["would move if wait", "would move if waited"]),
        ("would move if nobody == ", None),
    ],
)
def test_completions(typed: str, expected: list[str] | None) -> None:
    found = completed(typed)
    if expected is not None:
        assert found == expected
    elif "signal" in typed:
        assert [text.rpartition(" ")[2] for text in found[:3]] == ["STRAIGHT", "LEFT", "RIGHT"]
    else:
        assert found and not any("STRAIGHT" in text for text in found)
