"""News of a job, brought to the page that waits for it: no page asks again and again whether a job has ended.

A job tells its changes on the thread of its worker. The page's elements may be touched in the thread of the server
only, so what the page does about a change is put into that thread's queue.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from nicegui import context

from soid.web.work.job import Job


def on_news(job: Job, do: Callable[[], object]) -> None:
    """Call `do` in the page soon after each change of a job, until the job has ended or the page is closed.

    Changes that come faster than the page takes them are one call. If the job has ended already, `do` is called once.
    """
    loop, client = asyncio.get_running_loop(), context.client
    is_queued = False

    def heard(_: Job) -> None:
        nonlocal is_queued
        if not is_queued:
            is_queued = True
            with suppress(RuntimeError):  # the server has ended, and its pages with it
                loop.call_soon_threadsafe(told)

    def told() -> None:
        nonlocal is_queued
        is_queued = False  # before the job is looked at: a change that comes now must be heard
        if job.state.is_final or client.is_deleted:
            forget()
        if not client.is_deleted:
            with client:
                do()

    forget = job.subscribe(heard)
    if job.state.is_final:
        heard(job)
