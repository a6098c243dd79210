"""News of a job, brought to the page that waits for it: no page asks again and again whether a job has ended.

A job tells its changes on the thread of its worker. The page's elements may be touched in the thread of the server
only, so what the page does about a change is put into that thread's queue.

The end of a job is told at once. What comes before is told at a pace at which it can be read: a short question goes
through six stages, and the browser would draw each of them before the answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from nicegui import context

from soid.web.work.job import Job

#: seconds from a change until it is told, with all that have come meanwhile
PACE: Final = 0.25


def on_news(job: Job, do: Callable[[], object]) -> None:
    """Call `do` in the page soon after each change of a job, until the job has ended or the page is closed.

    If the job has ended already, `do` is called once.
    """
    loop, client = asyncio.get_running_loop(), context.client
    is_queued = is_over = False

    def heard(_: Job) -> None:
        nonlocal is_queued
        with suppress(RuntimeError):  # the server has ended, and its pages with it
            if job.state.is_final:
                loop.call_soon_threadsafe(told)
            elif not is_queued:
                is_queued = True
                loop.call_soon_threadsafe(loop.call_later, PACE, told)

    def told() -> None:
        nonlocal is_queued, is_over
        is_queued = False  # before the job is looked at: a change that comes now must be heard
        if is_over:
            return
        is_over = job.state.is_final or client.is_deleted
        if is_over:
            forget()
        if not client.is_deleted:
            with client:
                do()

    forget = job.subscribe(heard)
    if job.state.is_final:
        heard(job)
