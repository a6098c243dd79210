"""Work that may take long: it runs in its own thread, its progress is shown on standard error, and Ctrl-C stops it.

The main thread only waits, so it notices Ctrl-C at once whatever the work does. It then sets the work's Cancellation,
and gives the work a moment to clean up. It waits for a short time, again and again: the system may deliver the signal
to any thread, and a longer wait of the main thread, where Python handles the signal, would not end.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Generic, TypeVar, final

from msgspec import Struct, field

from soid.allowance import MORE_TIME, allowed, carried
from soid.budget import Budget, Cancellation, Deadline
from soid.case.stages import STAGES
from soid.cli.stop_signals import asked_to_stop
from soid.errors import TimeLimitError
from soid.oracle.inquiry import QuestionProgress
from soid.visible_text import visible_line

T = TypeVar("T")

PATIENCE = 1.0  # seconds before progress is shown
REMINDER = 15.0  # seconds between two lines where the stream is no terminal
BREATH = 0.2  # seconds until Ctrl-C is noticed, at most; and between two updates of the line on a terminal
GRACE = 5.0  # seconds that cancelled work has to stop
OVERTIME = 0.5  # seconds that work has to end by itself when its time is over

Report = Callable[[QuestionProgress], None]


@final
class _Work(Struct, Generic[T]):
    """What the thread does, and its result."""

    do: Callable[[Cancellation, Report], T]
    cancel: Cancellation = field(default_factory=Cancellation)
    latest: QuestionProgress | None = None
    result: T | None = None
    error: BaseException | None = None
    done: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        try:
            with allowed(cancel=self.cancel):
                self.result = self.do(self.cancel, self._report)
        except BaseException as error:  # noqa: BLE001 it is raised again in the main thread
            self.error = error
        finally:
            self.done.set()

    def _report(self, progress: QuestionProgress) -> None:
        self.latest = progress


def worded(report: Report) -> Callable[[str], None]:
    """A report of progress in words alone."""
    return lambda words: report(QuestionProgress(words))


def watched(
    do: Callable[[Cancellation, Report], T], *, about: str = "", quiet: bool = False, seconds: float | None = None
) -> T:
    """Do the work and return its result; after Ctrl-C, raise KeyboardInterrupt when the work has stopped.

    Work that has so many seconds ends by itself. Work that does not, because a library holds it up, is left alone.
    """
    work = _Work(do)
    threading.Thread(target=carried(work.run), name="question", daemon=True).start()
    try:
        _wait(work, about, quiet, Budget(None if seconds is None else seconds + OVERTIME).started())
        if not work.done.is_set():
            work.cancel.cancel()
            doing = STAGES.get(work.latest.stage, "the work") if work.latest else "the work"
            raise TimeLimitError(f"{doing} did not end within {seconds:.3g} s", MORE_TIME)
    except KeyboardInterrupt:
        asked_to_stop()  # which is done now
        work.cancel.cancel()
        work.done.wait(GRACE)  # not Thread.join: after an interrupt it takes the thread for ended
        raise
    if work.error is not None:
        raise work.error
    return work.result  # type: ignore[return-value] # None only where T is None


def _wait(work: _Work[T], about: str, quiet: bool, deadline: Deadline) -> None:
    """Wait until the work is done or the time is over; show progress."""
    started, over = time.monotonic(), math.inf if deadline.at is None else deadline.at
    if _is_done(work, over if quiet else min(over, started + PATIENCE)) or deadline.is_over:
        return
    from rich.text import Text  # late, because most work ends before progress is shown

    from soid.cli.terminal.terminal import Terminal

    terminal = Terminal.stderr()
    with ExitStack() as stack:
        status = stack.enter_context(terminal.console.status("")) if terminal.is_interactive else None
        while True:
            now = time.monotonic()
            words = _words(work.latest, about, now - started)
            if status is not None:
                status.update(Text(visible_line(words)))
            else:
                terminal.line((words, ""))
            if _is_done(work, min(over, now + (REMINDER if status is None else BREATH))) or deadline.is_over:
                return


def _is_done(work: _Work[T], until: float) -> bool:
    """Wait until the work is done, or until that time; True: it is done."""
    while (left := until - time.monotonic()) > 0:
        if asked_to_stop():
            raise KeyboardInterrupt
        if work.done.wait(min(left, BREATH)):
            return True
    return work.done.is_set()


def _words(progress: QuestionProgress | None, about: str, seconds: float) -> str:
    from soid.query.words import counted, percent  # late, as rich: most work ends before progress is shown

    stage = STAGES.get(progress.stage, progress.stage) if progress else "starting"
    engine = progress.engine if progress else None
    figures = (
        f", {counted(engine.paths, 'path')} found, {engine.frontier} open, {engine.solving:.0%} solving"
        if engine
        else ""
    )
    if progress is not None and progress.share is not None:
        figures = f", {percent(progress.share)} settled"
    return f"{about}{stage}{figures} ({seconds:.0f} s; Ctrl-C stops)"
