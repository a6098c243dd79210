"""Work for an event loop: it goes on in a thread, tells the loop how far it is, and ends when its task is cancelled.

>>> import asyncio
>>> told = []
>>> def work(cancel, progress):
...     progress("half")
...     return "whole"
>>> asyncio.run(in_background(work, told.append)), told
('whole', ['half'])
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from soid.budget import Cancellation

P = TypeVar("P")
R = TypeVar("R")


async def in_background(work: Callable[[Cancellation, Callable[[P], None]], R], progress: Callable[[P], None]) -> R:
    """What the work gives. Cancelled, it first waits until the work has stopped, so that nothing goes on unseen."""
    loop, cancel = asyncio.get_running_loop(), Cancellation()

    def tell(done: P) -> None:
        loop.call_soon_threadsafe(progress, done)

    running = asyncio.ensure_future(asyncio.to_thread(work, cancel, tell))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        cancel.cancel()
        while not running.done():
            with suppress(asyncio.CancelledError):  # cancelled once more: the work is stopping already
                await asyncio.wait({running})
        if not running.cancelled():
            running.exception()  # what the work says of being stopped is of no use to anybody now
        raise
