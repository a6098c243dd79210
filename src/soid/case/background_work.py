"""Work for an event loop: it goes on in a thread, tells the loop how far it is, and ends when its task is cancelled.

>>> import asyncio
>>> from collections.abc import Callable
>>> def count(most: int, *, cancel: Cancellation, progress: Callable[[int], None]) -> str:
...     progress(most)
...     return "stopped" if cancel.cancelled else "counted"
>>> count_async = in_background(count)
>>> told = []
>>> asyncio.run(count_async(3, cancel=Cancellation(), progress=told.append)), told
('counted', [3])
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

from soid.budget import Cancellation

if TYPE_CHECKING:
    import asyncio

P = ParamSpec("P")
R = TypeVar("R")

#: the arguments that are called while the work goes on
_TOLD: Final = ("progress", "note")


def in_background(do: Callable[P, R]) -> Callable[P, Coroutine[Any, Any, R]]:
    """The async form of a function that has a `cancel`, and may have a `progress` and a `note`.

    Cancelled, it first waits until the work has stopped, so that nothing goes on unseen.
    """

    @functools.wraps(do)
    async def done(*arguments: P.args, **named: P.kwargs) -> R:
        import asyncio  # takes a while to load, and most programs have no event loop

        loop, given, stop = asyncio.get_running_loop(), named.get("cancel"), Cancellation()
        for name in _TOLD:
            if callable(tell := named.get(name)):
                named[name] = functools.partial(loop.call_soon_threadsafe, tell)
        if given is None or isinstance(given, Cancellation):
            named["cancel"] = stop
        with given.calling(stop.cancel) if isinstance(given, Cancellation) else nullcontext():
            return await _ended(asyncio.ensure_future(asyncio.to_thread(do, *arguments, **named)), stop)

    done.__name__, done.__qualname__ = f"{do.__name__}_async", f"{do.__qualname__}_async"
    done.__doc__ = f"As `{do.__name__}`, beside other tasks of an event loop; cancelling its task stops the work first."
    return done


async def _ended(running: asyncio.Future[R], stop: Cancellation) -> R:
    import asyncio

    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        stop.cancel()
        while not running.done():
            with suppress(asyncio.CancelledError):  # cancelled once more: the work is stopping already
                await asyncio.wait({running})
        if not running.cancelled():
            running.exception()  # what the work says of being stopped is of no use to anybody now
        raise
