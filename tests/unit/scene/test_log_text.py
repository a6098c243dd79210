"""A log in characters: every extreme has its dot, every change its bar."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soid.formula.softfloat import float_to_bits32
from soid.formula.sorts import FLOAT32
from soid.program.interface import Interface, Role, Variable
from soid.program.trace_table import LogClock
from soid.program.types import EnumType, FloatType, IntType
from soid.scenario.log_overview import overview
from soid.scenario.step_times import RunningClock, StepTime
from soid.scenario.trace import Step, Trace
from soid.scene.log_text import LogDrawing, layout, log_lines

CLOCK = RunningClock(LogClock("t"), Fraction(1000))
MODE = EnumType("mode", 8, False, (("MODE_HOLD", 0), ("MODE_LAND", 1)))
INTERFACE = Interface(
    (
        Variable("x", Role.ENVIRONMENT, IntType(16, signed=True), unit="m"),
        Variable("mode", Role.DECISION, MODE),
    )
)


def drawn(xs: list[int], modes: list[int], drawing: LogDrawing, moment: int | None = None) -> list[str]:
    rows = enumerate(zip(xs, modes, strict=True))
    steps = tuple(Step(at, {"x": x & 0xFFFF}, {"mode": mode}) for at, (x, mode) in rows)
    view = overview(Trace(INTERFACE, steps), cells=drawing.places)
    return ["".join(span.text for span in line).rstrip() for line in log_lines(view, drawing, moment)]


def test_times_stand_below_the_steps_of_a_log_with_a_clock() -> None:
    steps = tuple(Step(at, {"x": at}, {"mode": 0}, when=StepTime(str(1000 + at / 2), CLOCK)) for at in (0, 1, 2, 3, 5))
    drawing = LogDrawing(gutter=6, columns=36)
    view = overview(Trace(INTERFACE, steps), cells=drawing.places)
    *_, numbers, times = ["".join(span.text for span in line) for line in log_lines(view, drawing)]
    assert (numbers, times) == ("      0           2           4", "      0 s         1 s")  # the log has no step 4


def test_a_small_log() -> None:
    drawing = LogDrawing(gutter=6, columns=24)
    assert drawn([0, 1, 2, 3, 4, 5, 6, 7], [0, 0, 0, 0, 0, 0, 1, 1], drawing, moment=6) == [
        "mode  │HOLD─────────────│LAND─",
        "x                 ⣀⣀⣀⠤⠤⠤⠒⠒⠒⠉⠉⠉  7 at 7",
        "m     ⣀⣀⣀⠤⠤⠤⠒⠒⠒⠉⠉⠉              0 at 0",
        "      0              5",
        "                        ▲ 6",
    ]
    assert drawn([-1, 0, 8, 0], [0, 1, 0, 1], LogDrawing(6, 8, ascii_only=True)) == [
        "mode  |-|-|-|-",
        "x     00119911  8 at 2",
        "m     00119911  -1 at 0",
        "      0",
    ]


def test_several_changes_in_a_column_are_marked() -> None:
    modes = [0] * 100
    modes[50] = 1  # for one step
    mode, *_ = drawn(list(range(100)), modes, LogDrawing(gutter=6, columns=10))
    assert mode == "mode  │HOLD╫HOLD"


@given(st.lists(st.integers(-300, 300), min_size=2, max_size=400).filter(lambda xs: len(set(xs)) > 1))
def test_the_extremes_reach_the_top_and_the_bottom(xs: list[int]) -> None:
    drawing = LogDrawing(gutter=6, columns=20)
    _, upper, lower, *_ = drawn(xs, [at % 2 for at, _ in enumerate(xs)], drawing)
    tops = [at for at, sign in enumerate(upper[6:26]) if sign != " " and ord(sign) & 0x09]
    bottoms = [at for at, sign in enumerate(lower[6:26]) if sign != " " and ord(sign) & 0xC0]
    assert tops and bottoms


def test_what_is_not_finite_is_said_below_the_curve() -> None:
    interface = Interface((Variable("x", Role.ENVIRONMENT, FloatType(FLOAT32)),))
    bits = [float_to_bits32(x) for x in (1.0, math.nan, math.inf, 2.0)]
    view = overview(Trace(interface, tuple(Step(at, {"x": each}, {}) for at, each in enumerate(bits))), cells=8)
    lines = ["".join(span.text for span in line).rstrip() for line in log_lines(view, LogDrawing(3, 4))]
    assert lines == ["x     ⠉  2.0 at 3", "   ⣀     1.0 at 0", "   not finite at 2 of the steps, first at 1", "   0"]


@pytest.mark.parametrize("width", [40, 80, 200])
def test_lines_fit_the_width(width: int) -> None:
    drawing = layout(["x", "mode"], width)
    lines = drawn([at % 97 for at in range(5000)], [at // 700 % 2 for at in range(5000)], drawing)
    assert max(map(len, lines)) <= width


def test_a_long_name_has_a_line_of_its_own() -> None:
    path = "world.agents[1].controller.state.position_x"
    interface = Interface((Variable(path, Role.ENVIRONMENT, IntType(16, signed=True)),))
    view = overview(Trace(interface, tuple(Step(at, {path: at}, {}) for at in range(9))), cells=40)
    lines = log_lines(view, layout([path], 80))
    assert "".join(span.text for span in lines[0]) == path
    assert "".join(span.text for span in lines[1]).startswith(" " * 28)
