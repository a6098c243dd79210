"""Marabou in a jailed process, which is killed as soon as a question's time is over."""

from __future__ import annotations

import sys
from typing import Final, Protocol, final

from soid.engine.learned.library_process import LibraryLimits, LibraryProcess
from soid.engine.learned.library_worker import FailedReply, LoadReply, StartRequest, VerifyReply, VerifyRequest
from soid.engine.learned.real_query import RealQuery
from soid.engine.replay import NotAvailable

#: beside what hinders it, where no `pip install` would help
_WHEELS: Final = " (it is there for Python 3.11, and for no later one)" if sys.version_info >= (3, 12) else ""
_TOLD: Final = 400  # characters of what it says


class Verifier(Protocol):
    """Answers questions about real numbers."""

    @property
    def name(self) -> str:
        """With its version, as far as that is known."""
        ...

    def obstacle(self) -> str:
        """Why it cannot be asked here; empty where it can."""
        ...

    def ask(self, query: RealQuery, seconds: float) -> VerifyReply | NotAvailable:
        """Its answer, in so many seconds."""
        ...


@final
class Marabou:
    """A process that stays for the next question."""

    def __init__(self) -> None:
        self._process = LibraryProcess("marabou", LibraryLimits())
        self._version = ""

    @property
    def name(self) -> str:
        return f"Marabou {self._version}".rstrip()

    def obstacle(self) -> str:
        if self._process.obstacle:
            return self._process.obstacle + _WHEELS
        if self._process.is_alive:
            return ""
        match self._process.begin(StartRequest()):
            case LoadReply(version):
                self._version = version
                return ""
            case FailedReply(reason) | NotAvailable(reason):
                return f"it does not start: {reason[:_TOLD]}"
            case _:
                return "its process answered something else than was asked"

    def ask(self, query: RealQuery, seconds: float) -> VerifyReply | NotAvailable:
        match self._process.ask(VerifyRequest(query), seconds):
            case VerifyReply() | NotAvailable() as reply:
                return reply
            case FailedReply(reason):
                return NotAvailable(reason[:_TOLD])
            case _:
                return NotAvailable("its process answered something else than was asked")

    def close(self) -> None:
        self._process.close()
