"""A step is typed as a number, a name or a time; a time means the step in force then, in large logs too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soid.errors import KeyframeError
from soid.program.interface import Interface, Role, Variable
from soid.program.trace_table import LogClock, LogMapping
from soid.program.types import IntType
from soid.scenario.logs import text_log
from soid.scenario.logs.log_pieces import PiecewiseSequence
from soid.scenario.step_times import RunningClock, StepTime
from soid.scenario.trace import Step, Trace
from soid.scenario.trace_reader import read
from soid.scenario.typed_step import end_of, step_of

INTERFACE = Interface((Variable("x", Role.ENVIRONMENT, IntType(8, signed=True)),))
UNTIMED = Trace(INTERFACE, (Step(7, {"x": 0}, {}),))
IRREGULAR = ["1000", "1100", "1100", "1100", "1350", "1900"]  # ms


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("logs")


def logged(
    folder: Path, times: list[str], unit: str = "ms", *, piece: int | None = None, steps: list[int] | None = None
) -> Trace:
    """A log of rows at these times; with a piece of so many bytes it is read piece by piece."""
    numbers = list(range(len(times))) if steps is None else steps
    file = folder / "log.csv"
    file.write_text("step,t,x\n" + "".join(f"{n},{time},1\n" for n, time in zip(numbers, times, strict=True)))
    with pytest.MonkeyPatch.context() as patch:
        if piece is not None:
            patch.setattr(text_log, "LARGE", -1)
            patch.setattr(text_log, "PIECE", piece)
        trace = read(file, INTERFACE, mapping=LogMapping(clock=LogClock("t", unit)))
    assert isinstance(trace.steps, PiecewiseSequence) == (piece is not None)
    return trace


@pytest.mark.parametrize("piece", [None, 20])
def test_a_step_has_its_time_from_its_own_row(folder: Path, piece: int | None) -> None:
    trace = logged(folder, IRREGULAR, piece=piece)
    assert trace.steps[4].when == StepTime("1350", RunningClock(LogClock("t", "ms"), Fraction(1)))
    assert trace.steps[4].when.since == Fraction(35, 100)
    assert (trace.keyframe(4).when, trace.keyframe(4).called) == (trace.steps[4].when, "step 4, 0.35 s")
    assert trace.keyframe(4).describe().startswith("step 4, 0.35 s (")


def test_a_log_without_a_clock_has_no_times() -> None:
    assert (UNTIMED.steps[0].when, UNTIMED.keyframe(7).called) == (None, "step 7")


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("3", 3),
        (" step 3 ", 3),
        ("the  crash", 5),
        ("0s", 0),
        ("99.999 ms", 0),  # between two rows: the one before
        ("100ms", 3),  # of several at once: the last
        ("0.2 s", 3),
        ("t = 0.35", 4),
        ("0:00.9", 5),
        ("@1100", 3),
        ("@1899.99", 4),
    ],
)
def test_a_moment_is_typed_as_a_step_a_name_or_a_time(folder: Path, text: str, step: int) -> None:
    assert step_of(text, logged(folder, IRREGULAR), {"the crash": 5}) == step


@pytest.mark.parametrize(
    ("text", "cause", "remedy"),
    [
        ("6", "whose steps go from 0 to 5", "The nearest is step 5"),
        ("-1", "whose steps go from 0 to 5", "The nearest is step 0"),
        ("0.901 s", "log.csv has no step at 0.901 s", "from 0 s to 0.9 s since its first row; it writes them @1000 to"),
        ("1:30", "has no step at 1:30", "@1900"),
        ("@999", "has no step at @999", "@1000 to @1900"),
        ("@soon", "expected a time in ms, found soon", "@1000"),
        ("soon", "soon is neither a step nor a time", "12.5s, a time as the log writes it such as @1000, or the name"),
        ("", "nothing is neither", "the crash"),
        ("1:30 ms", "is neither", "12.5s"),
        ("-1 s", "is neither", "12.5s"),
        ("9" * 400, "is neither", "12.5s"),
        ("\N{ARABIC-INDIC DIGIT ONE} s", "is neither", "12.5s"),
    ],
)
def test_what_is_no_moment_is_told(folder: Path, text: str, cause: str, remedy: str) -> None:
    with pytest.raises(KeyframeError) as error:
        step_of(text, logged(folder, IRREGULAR), {"the crash": 5})
    assert cause in error.value.cause and remedy in error.value.remedy


@pytest.mark.parametrize(
    "find", [lambda text: step_of(text, UNTIMED, {}), lambda text: end_of(text, UNTIMED, last=True)]
)
def test_without_a_clock_a_time_is_refused_with_the_line_that_names_one(find: Callable[[str], int]) -> None:
    with pytest.raises(KeyframeError) as error:
        find("1.5 s")
    assert "does not say when" in error.value.cause and "[trace] time = {" in error.value.remedy
    with pytest.raises(KeyframeError, match="soon is no step"):
        find("soon")


def test_dates_are_typed_as_the_log_writes_them_in_any_zone(folder: Path) -> None:
    trace = logged(folder, ["2026-05-09T15:00:00Z", "2026-05-09T15:00:02.5Z", "2026-05-09T15:01:00Z"], "iso")
    assert trace.steps[1].when is not None and trace.steps[1].when.words == "2.5 s (2026-05-09T15:00:02.5Z)"
    for text in ("@2026-05-09T15:00:10Z", "@2026-05-09 17:00:10+02:00", "10s"):
        assert step_of(text, trace, {}) == 1


def test_a_date_with_a_zone_is_not_compared_with_dates_that_have_none(folder: Path) -> None:
    """The clock of such a log may be of any zone: its step would be guessed, hours away."""
    hours = [f"2026-05-09T{hour}:00:00" for hour in range(10, 20)]
    local, zoned = logged(folder, hours, "iso"), logged(folder, [f"{hour}+02:00" for hour in hours], "iso")
    assert step_of("@2026-05-09T15:00:00", local, {}) == step_of("@2026-05-09T13:00:00Z", zoned, {})
    for text, trace, why in (
        ("@2026-05-09T15:00:00Z", local, "they have no zone"),
        ("@2026-05-09T15:00:00", zoned, "it has no zone"),
    ):
        for find in (lambda: step_of(text, trace, {}), lambda: end_of(text, trace, last=True)):  # noqa: B023
            with pytest.raises(KeyframeError, match=why) as caught:
                find()
            assert "@2026-05-09T10:00:00" in caught.value.remedy
    with pytest.raises(KeyframeError, match="expected a date"):
        step_of("@noon", local, {})


def test_a_log_that_counts_from_zero_says_its_seconds_once(folder: Path) -> None:
    when = logged(folder, ["0", "1.5"], "s").steps[1].when
    assert when is not None and (when.words, when.logged) == ("1.5 s", "1.5 s")


def test_a_part_begins_with_the_first_step_of_a_time_and_ends_with_the_last(folder: Path) -> None:
    trace = logged(folder, IRREGULAR, steps=[2, 3, 5, 8, 9, 20])
    assert [end_of(text, trace, last=False) for text in ("100ms", "0.2s", "0:00.35", "8", "-4")] == [3, 3, 9, 8, -4]
    assert [end_of(text, trace, last=True) for text in ("100ms", "0.2s", "0:00.35", "8", "99")] == [8, 8, 9, 8, 99]


def test_what_is_shown_of_a_step_finds_it_again(folder: Path) -> None:
    trace = logged(folder, [repr(0.1 * at) for at in range(30)], "s")  # 0.30000000000000004, 0.7000000000000001 ...
    for step in trace:
        assert step.when is not None
        assert step_of(step.when.short, trace, {}) == step_of(f"@{step.when.written}", trace, {}) == step.time
    with pytest.raises(KeyframeError):
        step_of("2.900000002s", trace, {})


def test_of_a_large_log_little_is_read_to_find_a_time(folder: Path) -> None:
    trace = logged(folder, [str(1000 + 5 * (at // 3)) for at in range(3000)], piece=100)
    steps, read = trace.steps, set[int]()
    assert isinstance(steps, PiecewiseSequence)
    whole = steps._pieces._read

    def piece(number: int) -> Sequence[Step]:
        read.add(number)
        return whole(number)

    steps._pieces._read = piece
    assert step_of("2.5s", trace, {}) == 1502 and end_of("2.5s", trace, last=False) == 1500
    assert len(read) <= 4  # the first and the last row, and where the time is


@given(
    apart=st.lists(st.integers(0, 3), min_size=1, max_size=30),
    data=st.data(),
    piece=st.sampled_from([None, 8, 24, 100]),
)
def test_the_step_in_force_is_the_last_one_logged_then_or_before(
    folder: Path, apart: list[int], data: st.DataObject, piece: int | None
) -> None:
    times = [sum(apart[: at + 1]) for at in range(len(apart))]
    trace = logged(folder, [str(time) for time in times], "s", piece=piece)
    twice = data.draw(st.integers(0, 2 * (times[-1] - times[0])))  # half seconds since the first row
    expected = [at for at, time in enumerate(times) if 2 * (time - times[0]) <= twice]
    assert step_of(f"{twice / 2}s", trace, {}) == expected[-1]
    together = [at for at in expected if times[at] == times[expected[-1]]]
    assert trace.places_at(Fraction(twice, 2)) == (together[0], together[-1])
