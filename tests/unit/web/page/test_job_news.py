import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from nicegui import Client, core, ui

from soid.web.page.job_news import on_news
from soid.web.page.watched_job import WatchedJob
from soid.web.work.job import Job, JobProgress, JobState


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test waits for the pace."""
    monkeypatch.setattr("soid.web.page.job_news.PACE", 0.0)


def in_page(do: Callable[[Client], Coroutine[Any, Any, None]]) -> None:
    """Run something as a page's own code runs."""

    async def run() -> None:
        core.loop = asyncio.get_running_loop()
        try:
            with Client(ui.page("")) as client:
                await do(client)
            if not client.is_deleted:
                client.delete()
        finally:
            core.loop = None

    asyncio.run(run())


def elsewhere(do: Callable[[], object]) -> None:
    """As a worker's thread does it."""
    thread = threading.Thread(target=do)
    thread.start()
    thread.join()


async def heard() -> None:
    """Let the thread of the pages take what was put into its queue."""
    for _ in range(3):
        await asyncio.sleep(0)


def test_news_come_to_the_thread_of_the_page_once_for_many_changes():
    async def page(_: Client) -> None:
        job, told = Job("ask"), list[tuple[JobState, bool]]()
        on_news(job, lambda: told.append((job.state, threading.current_thread() is threading.main_thread())))
        elsewhere(job.begin)
        assert not told
        await heard()
        assert told == [(JobState.RUNNING, True)]

        def finish() -> None:
            for share in (0.1, 0.2, 0.3):
                job.report(JobProgress("solve", "solving", share=share))
            job.end(JobState.DONE, result={})

        elsewhere(finish)
        await heard()
        assert told == [(JobState.RUNNING, True), (JobState.DONE, True)]

    in_page(page)


def test_an_end_is_told_at_once_and_once_while_news_wait_for_their_pace(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("soid.web.page.job_news.PACE", 0.01)

    async def page(_: Client) -> None:
        job, told = Job("ask"), list[JobState]()
        on_news(job, lambda: told.append(job.state))
        elsewhere(job.begin)
        await heard()
        assert told == []
        elsewhere(lambda: job.end(JobState.DONE, result={}))
        await heard()
        assert told == [JobState.DONE]
        await asyncio.sleep(0.02)  # what waited comes now
        assert told == [JobState.DONE]

    in_page(page)


def test_news_of_a_job_that_has_ended_come_at_once():
    async def page(_: Client) -> None:
        job, told = Job("ask"), list[bool]()
        job.end(JobState.DONE, result={})
        on_news(job, lambda: told.append(True))
        await heard()
        assert told == [True]

    in_page(page)


def test_a_closed_page_hears_nothing():
    async def page(client: Client) -> None:
        job, told = Job("ask"), list[bool]()
        on_news(job, lambda: told.append(True))
        client.delete()
        elsewhere(job.begin)
        await heard()
        assert not told

    in_page(page)


def test_what_is_done_at_news_may_make_elements():
    async def page(client: Client) -> None:
        job = Job("ask")
        before = len(client.elements)
        on_news(job, lambda: ui.label("done"))
        elsewhere(job.begin)
        await asyncio.create_task(heard())  # another task: nothing of the page surrounds it
        assert len(client.elements) == before + 1

    in_page(page)


def test_a_watched_job_is_told_by_its_news_and_a_clock_runs_only_meanwhile():
    async def page(client: Client) -> None:
        words, ended = list[str](), list[Job]()
        watched = WatchedJob(words.append, ended.append)
        (clock,) = (each for each in client.elements.values() if isinstance(each, ui.timer))
        assert not clock.active
        job = Job("map")
        watched.begin(job)
        assert clock.active and watched.is_busy
        elsewhere(lambda: job.report(JobProgress("solve", "solving", share=0.5)))
        await heard()
        assert words[-1] == "waiting for a free core"
        elsewhere(job.begin)
        await heard()
        assert words[-1] == "solving, 50 % settled, 0 s" and not ended
        elsewhere(lambda: job.end(JobState.DONE, result={}))
        await heard()
        assert ended == [job] and words[-1] == "" and not clock.active and not watched.is_busy

    in_page(page)
