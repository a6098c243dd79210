"""`soid investigate`: a case at the prompt. Questions and commands go on the record as they are typed.

Ctrl-C calls a running question off, which stays on the record as asked; Ctrl-D leaves.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.history import FileHistory, History, InMemoryHistory

from soid.budget import Cancellation
from soid.case.case import Case
from soid.cli.completing import PromptCompleter
from soid.cli.session import Session
from soid.cli.watching import Report, watched
from soid.errors import CaseError


def investigate(file: Path, project: Path | None, *, who: str | None, as_json: bool) -> int:
    """The session; it ends with 0, whatever was answered."""
    with _opened(file, project, who) as case:
        session = Session(case, as_json=as_json)
        session.greet()
        for line in _lines(session):
            if not session.do(line):
                break
    return 0


def _opened(file: Path, project: Path | None, who: str | None) -> Case:
    if file.exists():
        return Case.open(file, who=who)
    if project is None:
        raise CaseError(
            f"there is no case {file}", "Make one: soid case new. Or name its project here, which makes it: --project."
        )

    def make(_: Cancellation, __: Report) -> Case:
        return Case.create(file, project, who=who)

    return watched(make, about="opening the project: ")


# --- where lines come from ------------------------------------------------------------------------------------


def _lines(session: Session) -> Iterator[str]:
    """From the prompt, or, where nobody sits at one, from standard input."""
    if not sys.stdin.isatty():
        yield from (line for line in sys.stdin if line.strip())
        return
    prompt: PromptSession[str] = prompt_session(session)
    while True:
        try:
            line = prompt.prompt(session.prompt)
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        if line.strip():
            yield line


def prompt_session(session: Session) -> PromptSession[str]:
    completer = PromptCompleter(session.knowledge)
    return PromptSession(completer=completer, history=_history(), complete_while_typing=False)


def _history() -> History:
    """What was typed before, in any case; in memory alone where it cannot be kept."""
    state = os.environ.get("XDG_STATE_HOME")
    try:
        folder = (Path(state) if state else Path.home() / ".local" / "state") / "soid"
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / "history"
        file.touch()
    except (OSError, RuntimeError):
        return InMemoryHistory()
    return FileHistory(str(file))
