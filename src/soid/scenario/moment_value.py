"""A moment as Python gives it: a step's number, a text, or a time of datetime, pandas, polars or numpy.

>>> from datetime import UTC
>>> typed_moment(11), typed_moment("1:30"), typed_moment(2.5), typed_moment(timedelta(minutes=1, milliseconds=5))
(11, '1:30', '2.5s', '60.005s')
>>> typed_moment(datetime(2026, 5, 9, 15, 0, 44, tzinfo=UTC))
'@2026-05-09T15:00:44+00:00'
"""

from __future__ import annotations

import math
import operator
from datetime import date, datetime, time, timedelta
from fractions import Fraction
from numbers import Real
from typing import Any, Final, SupportsIndex, TypeAlias

from soid.errors import KeyframeError

#: a step's number; a text that a person would type; seconds or a timedelta since the log's first row; one of its dates
MomentValue: TypeAlias = SupportsIndex | str | float | timedelta | datetime

_REMEDY: Final = "Give a step's number, a time by the log's clock such as \"45s\", a timedelta, a datetime, or seconds."


def typed_moment(moment: MomentValue) -> int | str:
    """The number of the step, or the text that a person would type for the moment."""
    value = _unpacked(moment)
    if isinstance(value, str):
        return value
    if isinstance(value, datetime):
        return f"@{value.isoformat()}"
    if isinstance(value, timedelta):  # that of pandas has nanoseconds besides
        micros = (value.days * 86_400 + value.seconds) * 1_000_000 + value.microseconds
        return _seconds(Fraction(micros * 1000 + getattr(value, "nanoseconds", 0), 10**9))
    if isinstance(value, SupportsIndex):
        return operator.index(value)
    if isinstance(value, Real) and math.isfinite(value):
        return _seconds(value if isinstance(value, Fraction) else Fraction(float(value)))
    raise KeyframeError(f"{moment!r} is no step", _REMEDY)


def _unpacked(moment: object) -> object:
    """A time of numpy as one of datetime; those of nanoseconds, which datetime has not, as a text or a fraction."""
    kind: Any = getattr(moment, "dtype", None)
    if getattr(kind, "kind", "") not in ("m", "M"):
        return moment
    value = moment.item()  # type: ignore[attr-defined] # as all of numpy's values
    if isinstance(value, int):
        if kind.name not in ("timedelta64[ns]", "datetime64[ns]"):
            raise KeyframeError(f"{moment!r} is no step", _REMEDY)
        return f"@{moment}" if kind.kind == "M" else Fraction(value, 10**9)
    return datetime.combine(value, time()) if type(value) is date else value


def _seconds(seconds: Fraction) -> str:
    """The text of a time since the first row, to the nanosecond, as times are shown."""
    if seconds < 0:
        raise KeyframeError(f"{float(seconds):g} s is before the log's first row", "Give the time since that row.")
    whole, rest = divmod(round(seconds * 10**9), 10**9)
    return f"{whole}.{rest:09}".rstrip("0").rstrip(".") + "s"
