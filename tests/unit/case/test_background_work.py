"""Questions in an event loop: others go on meanwhile, progress is told in the loop, and cancelling stops the work."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import soid
from soid.budget import Cancellation
from soid.case.background_work import in_background

SLOW = """
int f(unsigned x) {
    unsigned y = x;
    for (int i = 0; i < 40; i++) y = y * y * 2654435761u + (x ^ (y >> 7));
    return y == 12345u;
}
"""
MANIFEST = """
[program]
name = "slow"
engine = "llvm"
sources = ["slow.c"]
entry = "f"
[trace]
file = "log.csv"
"""


def test_cancelling_stops_the_work_before_the_task_ends() -> None:
    begun, ended = threading.Event(), threading.Event()

    def work(cancel: Cancellation, progress: Callable[[str], None]) -> None:
        stop = threading.Event()
        with cancel.calling(stop.set):
            progress("begun")
            begun.set()
            assert stop.wait(60)
            ended.set()

    async def cancelled() -> list[str]:
        told: list[str] = []
        task = asyncio.create_task(in_background(work, told.append))
        await asyncio.to_thread(begun.wait, 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert ended.is_set()
        return told

    assert asyncio.run(cancelled()) == ["begun"]


def test_a_failure_of_the_work_is_the_task_s() -> None:
    oven = soid.open(soid.example("microwave"))
    with pytest.raises(soid.SoidError, match="there is no variable nothing"):
        asyncio.run(oven.ask_async("did nothing"))


def test_a_question_is_cancelled_with_its_task(tmp_path: Path) -> None:
    (tmp_path / "soid.toml").write_text(MANIFEST)
    (tmp_path / "slow.c").write_text(SLOW)
    (tmp_path / "log.csv").write_text("x\n1\n")
    slow = soid.open(tmp_path, settings=soid.Settings(seconds=None))

    async def asked() -> float:
        loop, solving = asyncio.get_running_loop(), asyncio.Event()
        home = threading.get_ident()

        def progress(done: soid.QuestionProgress) -> None:
            assert threading.get_ident() == home  # so it may show what it is told, without a lock
            if done.stage in ("explore", "solve"):
                solving.set()

        task = asyncio.create_task(slow.ask_async("might return != 0 if x is anything", progress=progress))
        begins = asyncio.create_task(solving.wait())
        await asyncio.wait({task, begins}, return_when=asyncio.FIRST_COMPLETED)
        assert not task.done()
        begun = loop.time()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return loop.time() - begun

    before = threading.active_count()
    assert asyncio.run(asked()) < 30
    assert threading.active_count() <= before


def test_limits_hold_for_one_question() -> None:
    oven = soid.open(soid.example("microwave"))
    told: list[float | None] = []
    oven.ask("did heat", seconds=7, progress=lambda done: told.append(done.left))
    assert told and all(left is not None and left <= 7 for left in told)
    assert oven.settings.seconds == 60
    with pytest.raises(soid.SoidError, match="minutes is no limit of a question"):
        oven.ask("did heat", minutes=7)  # type: ignore[call-arg]
