"""The lines that are typed at the prompt, or that come from standard input where it is no terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from prompt_toolkit import PromptSession
from prompt_toolkit.history import FileHistory, History, InMemoryHistory

from soid.cli.bug_report import state_folder
from soid.cli.prompt.case_prompt import CasePrompt
from soid.cli.prompt.completion import PromptCompleter


def typed_lines(prompt: CasePrompt) -> Iterator[str]:
    """The lines that are not empty, until Ctrl-D or the end of the input."""
    if not sys.stdin.isatty():
        yield from (line for line in sys.stdin if line.strip())
        return
    session = prompt_session(prompt)
    while True:
        try:
            line = session.prompt(prompt.text)
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        if line.strip():
            yield line


def prompt_session(prompt: CasePrompt) -> PromptSession[str]:
    completer = PromptCompleter(prompt.knowledge)
    return PromptSession(completer=completer, history=_history(), complete_while_typing=False)


def _history() -> History:
    """What was typed before, in any case; it is kept in memory only, if the file cannot be written."""
    try:
        folder = state_folder()
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / "history"
        file.touch()
    except (OSError, RuntimeError):
        return InMemoryHistory()
    return FileHistory(str(file))
