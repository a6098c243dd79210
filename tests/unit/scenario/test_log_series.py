"""A stretch of a log by variable: what is read, of which pieces, and where values changed."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soid.errors import KeyframeError
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, IntType
from soid.scenario import log_series
from soid.scenario.log_overview import overview, overview_of
from soid.scenario.log_series import read_series
from soid.scenario.logs.log_pieces import PiecewiseSequence
from soid.scenario.trace import Step, Trace

INTERFACE = Interface(
    (
        Variable("x", Role.ENVIRONMENT, IntType(16, signed=True)),
        Variable("stop", Role.DECISION, BoolType()),
        Variable("go", Role.DECISION, BoolType()),
    )
)
rows = st.lists(st.tuples(st.integers(1, 3), st.integers(0, 9), st.sampled_from([None, 0, 1])), min_size=1, max_size=40)


def log(given: list[tuple[int, int, int | None]]) -> Trace:
    """Steps with a distance from the one before, an input, and a decision that may not be logged."""
    numbers = itertools.accumulate(apart for apart, _, _ in given)
    steps = (
        Step(at, {"x": x}, {"go": 1, **({} if stop is None else {"stop": stop})})
        for at, (_, x, stop) in zip(numbers, given, strict=True)
    )
    return Trace(INTERFACE, tuple(steps))


@given(rows)
def test_changes_are_where_a_value_is_another_than_before(given) -> None:
    trace = log(given)
    pairs = list(itertools.pairwise(trace))
    expected = [b.time for a, b in pairs if a.decisions.get("stop") != b.decisions.get("stop")]
    assert read_series(trace).changes(["stop"]) == expected
    assert read_series(trace).changes(["go"]) == []


@given(rows, st.integers(1, 60), st.integers(0, 60), st.integers(1, 9))
def test_a_part_of_what_was_read_is_what_is_read_of_that_part(given, first, more, cells) -> None:
    trace, last = log(given), first + more
    read = read_series(trace)
    if any(first <= step.time <= last for step in trace):
        view, again = (
            overview_of(read, first=first, last=last, cells=cells),
            overview(trace, first=first, last=last, cells=cells),
        )
        assert (view.first, view.last, view.steps) == (again.first, again.last, again.steps)
        assert [each for each in view.tracks if each.name in {t.name for t in again.tracks}] == list(again.tracks)
    else:
        for fails in (
            lambda: overview_of(read, first=first, last=last, cells=cells),
            lambda: read_series(trace, first=first, last=last),
        ):
            with pytest.raises(KeyframeError, match=f"no step from {first} to {last}"):
                fails()


@given(rows, st.integers(1, 60), st.integers(1, 9))
def test_an_overview_is_the_same_in_whatever_parts_the_log_is_read(given, cells, part) -> None:
    whole = overview(log(given), cells=cells)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log_series, "_PART", part)
        assert overview(log(given), cells=cells) == whole


def test_one_moment_of_a_large_log_is_found_without_reading_the_others() -> None:
    read: list[int] = []

    def piece(number: int) -> list[Step]:
        read.append(number)
        return [Step(100 + at, {"x": 0}, {}) for at in range(10 * number, 10 * number + 10)]

    trace = Trace(INTERFACE, PiecewiseSequence([10] * 1000, piece))
    assert trace.keyframe(7_777).step == 7_777 and trace.place(7_777) == 7_677
    assert set(read) == {0, 767}
    stretch = read_series(trace, first=5_000, last=5_049)
    assert list(stretch.numbers) == list(range(5_000, 5_050))
    assert set(read) <= {0, 767, *range(490, 496)}
