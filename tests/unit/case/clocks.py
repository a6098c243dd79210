"""A clock that tests can foresee."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from datetime import UTC, datetime, timedelta


def ticking() -> Callable[[], datetime]:
    """One second later whenever it is looked at."""
    seconds = itertools.count()
    return lambda: datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC) + timedelta(seconds=next(seconds))
