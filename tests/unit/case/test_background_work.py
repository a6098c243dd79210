"""Questions in an event loop: others go on meanwhile, progress is told in the loop, and cancelling stops the work."""

import asyncio
import inspect
import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest

import soid
from soid.budget import Cancellation
from soid.case.background_work import in_background
from soid.case.record.study_request import MapRequest

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
ENDLESS = "might return != 0 if x is anything"
Told = Callable[[soid.QuestionProgress], None]
Work = Coroutine[Any, Any, object]


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> soid.Project:
    """A project whose question has no end."""
    folder = tmp_path_factory.mktemp("slow")
    (folder / "soid.toml").write_text(MANIFEST)
    (folder / "slow.c").write_text(SLOW)
    (folder / "log.csv").write_text("x\n1\n")
    return soid.open(folder, settings=soid.Settings(seconds=None))


@pytest.fixture(scope="module")
def case(slow: soid.Project, tmp_path_factory: pytest.TempPathFactory) -> Iterator[soid.Case]:
    assert slow.manifest is not None
    made = tmp_path_factory.mktemp("case") / "slow.case"
    with soid.Case.create(made, slow.manifest.file.parent, settings=slow.settings) as opened:
        yield opened


async def cancelled_when_told(start: Callable[[Told], Work]) -> None:
    """Cancel the work when it first tells how far it is, in the loop's own thread, and wait until it has ended."""
    home, told = threading.get_ident(), asyncio.Event()

    def progress(done: soid.QuestionProgress) -> None:
        assert threading.get_ident() == home  # so it may show what it is told, without a lock
        told.set()

    task = asyncio.create_task(start(progress))
    waits = asyncio.create_task(told.wait())
    await asyncio.wait({task, waits}, return_when=asyncio.FIRST_COMPLETED)
    assert told.is_set() and not task.done()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


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
        task = asyncio.create_task(in_background(work)(cancel=Cancellation(), progress=told.append))
        await asyncio.to_thread(begun.wait, 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert ended.is_set()
        return told

    assert asyncio.run(cancelled()) == ["begun"]


def test_a_cancellation_that_is_given_stops_the_work_too(slow: soid.Project) -> None:
    stop = Cancellation()
    told: Told = lambda _: stop.cancel()  # noqa: E731
    answer = asyncio.run(slow.ask_async(ENDLESS, cancel=stop, progress=told))
    assert answer.verdict == "unknown"


def test_a_failure_of_the_work_is_the_task_s() -> None:
    oven = asyncio.run(soid.open_async(soid.example("microwave"), step=2))
    assert oven.logged.step == 2
    with pytest.raises(soid.SoidError, match="there is no variable nothing"):
        asyncio.run(oven.ask_async("did nothing"))
    with pytest.raises(soid.SoidError, match="5 cancels nothing"):
        asyncio.run(oven.ask_async("did heat", cancel=5))  # type: ignore[arg-type]
    with pytest.raises(soid.SoidError, match="5 cannot be told how far it is"):
        asyncio.run(oven.map_async("heat is anything", progress=5))  # type: ignore[arg-type]


@pytest.mark.parametrize("form", ["ask", "explain", "causes", "map", "sweep"])
def test_each_form_is_cancelled_with_its_task(form: str, slow: soid.Project) -> None:
    forms: dict[str, Callable[[Told], Work]] = {
        "ask": lambda told: slow.ask_async(ENDLESS, progress=told),
        "explain": lambda told: slow.explain_async(ENDLESS, progress=told),
        "causes": lambda told: slow.causes_async("did return == 0", "x is anything", progress=told),
        "map": lambda told: slow.map_async("x is anything", progress=told),
        "sweep": lambda told: slow.sweep_async(["did return == 0", ENDLESS], workers=1, progress=told),
    }
    before = threading.active_count()
    asyncio.run(cancelled_when_told(forms[form]))
    assert threading.active_count() <= before


def test_what_a_case_does_is_cancelled_and_recorded_as_such(case: soid.Case) -> None:
    asyncio.run(cancelled_when_told(lambda told: case.ask_async(ENDLESS, progress=told)))
    assert [entry.question for entry in case.unanswered] == [ENDLESS]
    wanted = MapRequest("x is anything", None, 8)
    asyncio.run(cancelled_when_told(lambda told: case.study_async(wanted, progress=told)))
    assert not case.studies


def test_every_long_piece_of_work_has_its_async_form() -> None:
    for home in (soid.Project, soid.Case):
        long = [
            name
            for name, member in inspect.getmembers(home, inspect.isfunction)
            if not name.startswith("_")
            and not name.endswith("_async")
            and {"cancel", "progress"} <= inspect.signature(member).parameters.keys()
            and name != "context"
        ]
        assert len(long) >= 4
        for name in long:
            form = getattr(home, f"{name}_async")
            assert inspect.iscoroutinefunction(form) and form.__name__ == f"{name}_async"
            assert inspect.signature(form).parameters == inspect.signature(getattr(home, name)).parameters


def test_limits_hold_for_one_question() -> None:
    oven = soid.open(soid.example("microwave"))
    told: list[float | None] = []
    oven.ask("did heat", seconds=7, progress=lambda done: told.append(done.left))
    assert told and all(left is not None and left <= 7 for left in told)
    assert oven.settings.seconds == 60
    with pytest.raises(soid.SoidError, match="minutes is no limit of a question"):
        oven.ask("did heat", minutes=7)  # type: ignore[call-arg]


def test_limits_of_a_case_s_question_are_on_its_record(case: soid.Case) -> None:
    answered = case.ask("did return == 0", seconds=7, paths=9)
    asked = case.entry(answered.entry.asked or 0)
    assert (asked.payload["settings"]["seconds"], asked.payload["settings"]["paths"]) == (7, 9)
    assert case.settings.seconds is None
