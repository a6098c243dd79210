"""What a replayer is: it runs the real program on inputs and reports what the program does."""

from __future__ import annotations

import signal
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, Protocol, final

from msgspec import Struct

from soid.engine.summary import Location


@final
class Returned(Struct, frozen=True):
    """The program came back."""

    outputs: Mapping[str, int]  # bits by output name: decisions, and the state after the call
    earlier: tuple[Mapping[str, int], ...] = ()  # the same of each step before the last

    def __str__(self) -> str:
        return "returns"


@final
class Trapped(Struct, frozen=True):
    """The program failed in a known way."""

    kind: str  # in words
    where: Location | None = None

    def __str__(self) -> str:
        return f"fails: {self.kind}" + (f" at {self.where}" if self.where else "")


@final
class Crashed(Struct, frozen=True):
    """The program was ended by a signal."""

    signal: int

    def __str__(self) -> str:
        if self.signal == signal.SIGSYS:
            return "is ended for trying what a replay is not allowed to do"
        return f"is ended by {signal.Signals(self.signal).name}"


@final
class TimedOut(Struct, frozen=True):
    """The program was still running when its time was over."""

    seconds: float

    def __str__(self) -> str:
        return f"is still running after {self.seconds:g} seconds"


@final
class NotAvailable(Struct, frozen=True):
    """There was no replay, or none with a result."""

    reason: str

    def __str__(self) -> str:
        return f"is not replayed: {self.reason}"


#: how a replay ends in which the program does not come back
Unreturned = Trapped | Crashed | TimedOut | NotAvailable

Replay = Returned | Unreturned


class Replayer(Protocol):
    """Runs one program."""

    @property
    def how(self) -> str:
        """How it replays, in words: by running the compiled program (x86_64-linux-gnu, ziglang 0.17.0)."""
        ...

    @property
    def called(self) -> str:
        """What it runs, in words that begin a sentence: the compiled program."""
        return "the program itself"

    @property
    def called_failing(self) -> str:
        """What `replay_failure` runs, in such words: the program compiled with traps."""
        return self.called

    @property
    def how_failing(self) -> str:
        """How a failure was replayed, in words."""
        return self.how

    def always_shows(self, failure: str) -> bool:
        """Whether no run in which the program fails so comes back."""
        return True

    @property
    def doubt(self) -> str:
        """Why what it runs may differ from what decided; empty: it is the same."""
        return ""

    def replay(self, inputs: Mapping[str, int], environments: Sequence[Mapping[str, int]] = ()) -> Replay:
        """Run the program on the bits of every input; once more, its state kept, for each environment that follows."""
        ...

    def replay_failure(self, inputs: Mapping[str, int], environments: Sequence[Mapping[str, int]] = ()) -> Replay:
        """Run it so that it ends where it fails: a compiled program with traps."""
        ...


#: confined: as far as this machine can confine programs; unconfined: even where it cannot; off: never
ReplayMode = Literal["confined", "unconfined", "off"]


@final
class NoReplay(Struct, frozen=True):
    """A replayer that runs nothing."""

    reason: str
    called: str = "the program"
    doubt: ClassVar[str] = ""

    @property
    def how(self) -> str:
        return "not at all"

    called_failing = how_failing = how

    def always_shows(self, failure: str) -> bool:
        return False

    def replay(self, inputs: Mapping[str, int], environments: Sequence[Mapping[str, int]] = ()) -> Replay:
        return NotAvailable(self.reason)

    replay_failure = replay
