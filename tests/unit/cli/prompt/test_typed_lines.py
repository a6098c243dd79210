"""Keys at the prompt: lines, history, completion; Ctrl-C and Ctrl-D do what they do everywhere."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from prompt_toolkit import PromptSession
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from soid.case.case import Case
from soid.case.record.entry import EntryKind
from soid.cli import main
from soid.cli.prompt import typed_lines
from soid.cli.prompt.case_prompt import CasePrompt
from soid.examples import folder

Keys = tuple[str, str]  # what is typed, and what the line must then be before more is
Prompt = Callable[..., list[str | None]]


@pytest.fixture(autouse=True)
def no_loop() -> Iterator[None]:
    """A process that has tested pages before has the browser's event loop running, in which no prompt can run."""
    running = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(running)


@pytest.fixture
def at_prompt(file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Prompt:
    """Sends keys to the prompt and returns the questions that were then asked.

    Completion and history come when they come: keys after them wait until the line is as expected.
    """
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    prompts: list[PromptSession[str]] = []
    make = typed_lines.prompt_session

    def made(of: CasePrompt) -> PromptSession[str]:
        prompts.append(make(of))
        return prompts[-1]

    monkeypatch.setattr(typed_lines, "prompt_session", made)

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
        assert [entry.kind.value for entry in case.entries] == ["opened", "asked", "answered", "retracted"]


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
