"""Which values of a feature pass the test of a tree's node, after the preparation of the column that the node looks at.

A preparation rises or falls throughout, so the numbers that pass `<=`, `<`, `>=` or `>` are those up to a cut, or those
beyond; those that pass `==` lie between two cuts. All cuts of a column are found together, by one bisection.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from soid.engine.learned.column_steps import Column, ColumnArithmetic, ColumnStep, Indicator, Table
from soid.engine.learned.evaluation import column_values
from soid.engine.learned.model import UNSEEN, ModelFeature

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_FIRST: Final = -0x7FF0_0000_0000_0000  # the place of -infinity in the order of floats
_NOTHING: Final = np.zeros((1, 1), np.int64)

#: the tests: how the column compares with the threshold where it passes
COMPARISONS: Final[dict[str, Any]] = {
    "BRANCH_LEQ": np.less_equal, "BRANCH_LT": np.less, "BRANCH_GTE": np.greater_equal, "BRANCH_GT": np.greater,
    "BRANCH_EQ": np.equal, "BRANCH_NEQ": np.not_equal,
}  # fmt: skip


@final
class NumberBand(Struct, frozen=True):
    """Numbers above `low` and up to `high` pass, or (not inside) all others; NaN as cut: no number is so low."""

    low: float
    high: float
    inside: bool
    missing: bool  # whether NaN passes


@final
class CodeSet(Struct, frozen=True):
    """Categories that pass; UNSEEN for all that are not known."""

    codes: tuple[int, ...]


def code_sets(column: Column, feature: ModelFeature, tests: Sequence[tuple[str, float]]) -> list[CodeSet]:
    """For each test of a column that is made of a category."""
    codes = np.array([code for _, code in feature.categories] + [UNSEEN], np.int64)
    values = column_values(Column(0, column.steps), codes[:, None].astype(np.float64), codes[:, None])
    return [
        CodeSet(tuple(int(code) for code in codes[COMPARISONS[mode](values, threshold)])) for mode, threshold in tests
    ]


def number_bands(column: Column, tests: Sequence[tuple[str, float, bool]]) -> list[NumberBand]:
    """For each test (and whether it passes NaN) of a column that is made of a number."""
    before, after = _parts(column.steps)
    if after is not None:
        return _indicator_bands(before, after, tests)
    rises = _rises(before)
    thresholds = np.array([threshold for _, threshold, _ in tests], np.float64)
    low_passes, high_passes = (np.less, np.less_equal) if rises else (np.greater, np.greater_equal)
    lows = _lasts(lambda x: low_passes(_prepared(before, x), thresholds), len(tests))
    highs = _lasts(lambda x: high_passes(_prepared(before, x), thresholds), len(tests))
    missing = float(_prepared(before, np.array([np.nan]))[0])
    found = []
    for (mode, threshold, passes_missing), low, high in zip(tests, lows, highs, strict=True):
        passes = bool(COMPARISONS[mode](missing, threshold)) or (passes_missing and np.isnan(missing))
        found.append(_band(mode, rises, float(low), float(high), bool(passes)))
    return found


def _band(mode: str, rises: bool, low: float, high: float, missing: bool) -> NumberBand:
    match mode, rises:
        case (("BRANCH_EQ" | "BRANCH_NEQ"), _):
            return NumberBand(low, high, mode == "BRANCH_EQ", missing)
        case ("BRANCH_LEQ", True) | ("BRANCH_GTE", False):
            return NumberBand(np.nan, high, True, missing)
        case ("BRANCH_LT", True) | ("BRANCH_GT", False):
            return NumberBand(np.nan, low, True, missing)
        case ("BRANCH_GTE", True) | ("BRANCH_LEQ", False):
            return NumberBand(np.nan, low, False, missing)
        case _:
            return NumberBand(np.nan, high, False, missing)


def _indicator_bands(
    before: tuple[ColumnStep, ...], after: tuple[ColumnStep, ...], tests: Sequence[tuple[str, float, bool]]
) -> list[NumberBand]:
    """The column is one of two numbers: that of the indicated number, and that of all others, NaN among them."""
    indicator = after[0]
    assert isinstance(indicator, Indicator) and indicator.value is not None
    (here,) = number_bands(Column(0, before), [("BRANCH_EQ", indicator.value, False)])
    one, other = _prepared(after[1:], np.array([1.0, 0.0]))
    found = []
    for mode, threshold, _ in tests:
        passes, others_pass = bool(COMPARISONS[mode](one, threshold)), bool(COMPARISONS[mode](other, threshold))
        if passes == others_pass:
            found.append(NumberBand(np.nan, np.inf, passes, passes))
        else:
            found.append(NumberBand(here.low, here.high, passes, others_pass))
    return found


def _parts(steps: tuple[ColumnStep, ...]) -> tuple[tuple[ColumnStep, ...], tuple[ColumnStep, ...] | None]:
    """What comes before an indicator, and from it on, if there is one."""
    for place, step in enumerate(steps):
        if isinstance(step, Indicator):
            return steps[:place], steps[place:]
    return steps, None


def _rises(steps: tuple[ColumnStep, ...]) -> bool:
    assert not any(isinstance(step, Table) for step in steps)
    factors = [step.value for step in steps if isinstance(step, ColumnArithmetic) and step.operation in _FACTORS]
    return sum(value < 0 for value in factors) % 2 == 0


_FACTORS: Final = ("multiply", "divide")


def _prepared(steps: tuple[ColumnStep, ...], x: Floats) -> Floats:
    with np.errstate(over="ignore", under="ignore"):
        return column_values(Column(0, steps), x[:, None], np.broadcast_to(_NOTHING, (len(x), 1)))


def _lasts(holds: Callable[[Floats], Flags], count: int) -> Floats:
    """For each test the greatest number for which it holds, as `cuts.last` finds it for one."""
    low = np.full(count, _FIRST, np.int64)  # it holds there, or nowhere
    high = np.full(count, -_FIRST + 1, np.int64)
    never = ~holds(_at(low))
    while True:
        middle = (low >> 1) + (high >> 1) + (low & high & 1)  # their sum would not fit
        if not (middle > low).any():
            break
        passed = holds(_at(middle))
        low, high = np.where(passed, middle, low), np.where(passed, high, middle)
    return np.where(never, np.nan, _at(low))


def _at(places: NDArray[np.int64]) -> Floats:
    """The floats at places in their order; the two zeros are one."""
    bits = np.where(places >= 0, places, -places | np.int64(-(2**63)))
    return bits.view(np.float64)
