"""What a piece of work may take, from reading a program to running a scenario of it: time, memory, and what stops it.

>>> with allowed(seconds=0.0):
...     look("reading the program")
Traceback (most recent call last):
soid.errors.TimeLimitError: reading the program did not end within 0 s
Give it more time: seconds=600, or soid.Settings(seconds=600).

The allowance holds for everything inside the block, as a context variable: it must reach every loop that a large input
can make long and every process that is started, and most functions on the way there have no other use for it. A thread
that works for the block runs in a copy of its context (`carried`).
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from typing import Final, ParamSpec, TypeVar, final

from msgspec import Struct

from soid.budget import Budget, Cancellation, Deadline
from soid.errors import CalledOff, TimeLimitError
from soid.surface import Advice

P = ParamSpec("P")
T = TypeVar("T")

#: a loop over many small things looks once for so many of them
LOOKS: Final = 1024

MORE_TIME: Final = Advice(
    command="Give it more time: --seconds.",
    python="Give it more time: seconds=600, or soid.Settings(seconds=600).",
    page="Whoever runs this server can allow more time.",
)
#: where an answer or an explanation is open for want of time
MAY_SETTLE: Final = Advice(
    command="More time may settle it: --seconds 600.",
    python="More time may settle it: seconds=600.",
    page="More time may settle it.",
)
MORE_MEMORY: Final = Advice(
    command="Give it more memory: --memory.",
    python="Give it more memory: memory=8 << 30, or soid.Settings(memory=8 << 30).",
    page="Whoever runs this server can allow more memory.",
)


@final
class Allowance(Struct, frozen=True):
    """The limits of the work inside a block."""

    deadline: Deadline = Deadline(None)
    seconds: float | None = None  # from the block's begin to the deadline, for messages
    stops: tuple[Cancellation, ...] = ()  # each of them stops the work
    memory: int | None = None  # bytes of each process that is started; None: no limit

    def check(self, doing: str, remedy: str | Advice = MORE_TIME) -> None:
        """Raise an error if the work must end; `doing` says which work, as the subject of a sentence."""
        if any(stop.cancelled for stop in self.stops):
            raise CalledOff(f"{doing} was called off", "Begin again to go on.")
        if self.deadline.is_over:
            raise TimeLimitError(f"{doing} did not end within {self.seconds:.3g} s", remedy)

    @contextmanager
    def stopping(self, callback: Callable[[], object]) -> Iterator[None]:
        """Run the callback when the work is called off, but never after the block."""
        with ExitStack() as stack:
            for stop in self.stops:
                stack.enter_context(stop.calling(callback))
            yield


_CURRENT: Final[ContextVar[Allowance]] = ContextVar("allowance", default=Allowance())  # noqa: B039 it is frozen


def allowance() -> Allowance:
    """What the work that runs now may take."""
    return _CURRENT.get()


def look(doing: str, remedy: str | Advice = MORE_TIME) -> None:
    """End the work if its time is over or it is called off; long loops call this now and then."""
    _CURRENT.get().check(doing, remedy)


def paced(things: Iterable[T], doing: str) -> Iterator[T]:
    """The things one by one; now and then, between two of them, the work ends if it must."""
    for number, thing in enumerate(things):
        if number % LOOKS == 0:
            look(doing)
        yield thing


@contextmanager
def allowed(
    *, seconds: float | None = None, cancel: Cancellation | None = None, memory: int | None = None
) -> Iterator[Allowance]:
    """Limit the work inside the block, within the limits that are around it."""
    outer = _CURRENT.get()
    own = Budget(seconds).started()
    deadline = own.sooner(outer.deadline)
    inner = Allowance(
        deadline,
        seconds if deadline == own else outer.seconds,
        outer.stops if cancel is None or cancel in outer.stops else (*outer.stops, cancel),
        min((most for most in (memory, outer.memory) if most is not None), default=None),
    )
    token = _CURRENT.set(inner)
    try:
        yield inner
    finally:
        _CURRENT.reset(token)


def carried(do: Callable[P, T]) -> Callable[P, T]:
    """The function with the allowance of this moment, for one call in another thread."""
    context = contextvars.copy_context()
    return lambda *arguments, **named: context.run(do, *arguments, **named)
