"""The time of a step: exact since the first row, as a double for plots, and in words."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soid.program.trace_table import LogClock
from soid.scenario.logs.row_times import seconds_of, shown
from soid.scenario.step_times import RunningClock, StepTime, TimedSteps

DECIMALS = st.decimals(0, 10**18, places=6).map(lambda number: format(number, "f"))


@given(first=DECIMALS, later=DECIMALS, unit=st.sampled_from(["s", "ms", "us", "ns", "min", "h", "d"]))
def test_the_seconds_of_plots_are_those_of_the_clock(first: str, later: str, unit: str) -> None:
    clock = LogClock("t", unit)
    when = StepTime(later, RunningClock(clock, seconds_of(clock, first)))
    assert when.seconds == pytest.approx(float(when.since), rel=1e-15, abs=1e-12)


@given(st.integers(0, 10**7))
def test_milliseconds_of_an_epoch_have_no_noise(passed: int) -> None:
    when = StepTime(str(1778338800000 + passed), RunningClock(LogClock("t", "ms"), Fraction(1778338800)))
    told = f"{format((Decimal(passed) / 1000).normalize(), 'f')} s"
    assert when.short == told == TimedSteps([0], [when.seconds]).words(0)


@pytest.mark.parametrize(
    ("unit", "first", "later", "words"),
    [
        ("ns", "1778338844000000000", "1778338844000000001", "0.000000001 s (1778338844000000001 ns)"),
        ("iso", "2026-05-09T15:00:00+02:00", "2026-05-09T13:00:01.5Z", "1.5 s (2026-05-09T13:00:01.5Z)"),
        ("s", "0x1.8p3", "0x1.ap3", "1 s (0x1.ap3 s)"),
        ("s", "0", "1e90", f"1{'0' * 90} s (1e90 s)"),
        ("s", "0", "9" * 60, f"{'9' * 60} s"),
        ("min", "0", "1.5", "90 s (1.5 min)"),
    ],
)
def test_clocks_of_all_kinds(unit: str, first: str, later: str, words: str) -> None:
    clock = LogClock("t", unit)
    when = StepTime(later, RunningClock(clock, seconds_of(clock, first)))
    assert when.words == words and when.seconds == pytest.approx(float(when.since), rel=1e-15, abs=1e-12)


def test_times_in_words_are_exact_to_the_nanosecond() -> None:
    epoch = Fraction(1778338844) + Fraction(1, 10**9)
    assert [shown(each) for each in (epoch, Fraction(1, 5), Fraction(-1, 4), Fraction(60), Fraction(1, 3))] == [
        "1778338844.000000001 s", "0.2 s", "-0.25 s", "60 s", "0.333333333 s",
    ]  # fmt: skip
