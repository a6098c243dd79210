"""A log as SVG: well-formed, every change in it, and no more parts than cells, however long the log is."""

from __future__ import annotations

from fractions import Fraction
from xml.etree import ElementTree as ET

import pytest

from soid.formula.softfloat import float_to_bits32
from soid.formula.sorts import FLOAT32
from soid.program.interface import Interface, Role, Variable
from soid.program.trace_table import LogClock
from soid.program.types import EnumType, FloatType
from soid.scenario.log_overview import overview
from soid.scenario.step_times import RunningClock, StepTime
from soid.scenario.trace import Step, Trace
from soid.scene.log_svg import SVG_CELLS, log_figure, log_svg

CLOCK = RunningClock(LogClock("t"), Fraction(1000))
MODE = EnumType("mode", 8, False, (("MODE_HOLD", 0), ("MODE_LAND", 1)))
INTERFACE = Interface(
    (Variable("x", Role.ENVIRONMENT, FloatType(FLOAT32), unit="<m>"), Variable("mode", Role.DECISION, MODE))
)


def drawn(rows: list[tuple[float, int]], moments: dict[int, str] | None = None) -> ET.Element:
    steps = [Step(at, {"x": float_to_bits32(x)}, {"mode": mode}) for at, (x, mode) in enumerate(rows)]
    return ET.fromstring(log_svg(overview(Trace(INTERFACE, tuple(steps)), cells=SVG_CELLS), moments or {}, heading="a"))


def titles(drawing: ET.Element) -> list[str]:
    return [each.text or "" for each in drawing.iter("{http://www.w3.org/2000/svg}title")]


def test_bands_moments_and_units_are_said() -> None:
    drawing = drawn([(at / 7, at // 50) for at in range(100)], {60: "it <lands>", 999: "later"})
    assert titles(drawing) == ["a", "mode = MODE_HOLD, steps 0 to 49", "mode = MODE_LAND, steps 50 to 99"]
    words = "".join(drawing.itertext())
    assert "60 it <lands>" in words and "later" not in words and "<m>" in words
    assert "mode changes at step 50" in words


def test_a_long_name_leaves_room_for_the_value_at_the_moment() -> None:
    view = overview(Trace(INTERFACE, (Step(0, {"x": 0}, {"mode": 0}),)), cells=SVG_CELLS)
    drawing = ET.fromstring(log_figure(view, {}, heading="a", room=400.0, called=lambda name: f"the long {name} " * 9))
    texts = list(drawing.iter("{http://www.w3.org/2000/svg}text"))
    assert [each.text[-1] for each in texts if each.text and each.text.startswith("the long")] == ["…", "…"]
    assert all(float(each.attrib["x"]) <= 310 for each in texts if "data-now" in each.attrib)
    assert "the long mode the long mode the long mode the long mode" in "".join(titles(drawing))


@pytest.mark.parametrize(("room", "tick", "time"), [(None, "20", "4 s"), (400.0, "50", "10 s")])
def test_times_stand_below_the_steps_of_a_log_with_a_clock(room: float | None, tick: str, time: str) -> None:
    steps = [Step(at, {"x": 0}, {"mode": at % 2}, when=StepTime(f"{1000 + at / 5}", CLOCK)) for at in range(100)]
    bare = [Step(step.time, step.inputs, step.decisions) for step in steps]
    words, high = [], []
    for given in (steps, bare):
        view = overview(Trace(INTERFACE, tuple(given)), cells=SVG_CELLS)
        drawn = log_svg(view, {}, heading="a") if room is None else log_figure(view, {}, heading="a", room=room)
        drawing = ET.fromstring(drawn)
        assert (drawing.find(".//*[@data-moment]") is not None) == (room is not None and given is steps)
        words.append([each.text for each in drawing.iter("{http://www.w3.org/2000/svg}text")])
        high.append(float(drawing.attrib["height"]))
    assert {"step 0", "0 s", tick, time} <= set(words[0]) and tick in words[1] and time not in words[1]
    assert high[0] > high[1]


def test_what_is_not_finite_is_marked() -> None:
    rows = [(float("nan") if at == 30 else float("inf") if at == 31 else 1.0 * at, 0) for at in range(60)]
    marked = [each for each in titles(drawn(rows)) if each.startswith("not finite")]
    assert marked == ["not finite at 1 of 1 steps from 30 to 30", "not finite at 1 of 1 steps from 31 to 31"]


def test_a_log_that_changes_at_every_step_has_no_more_parts_than_cells() -> None:
    drawing = drawn([(at % 13, at % 2) for at in range(3000)])
    assert len(titles(drawing)) <= 2 * SVG_CELLS + 1
    assert any("changes in steps" in each for each in titles(drawing))


def test_one_step_is_seen_among_many() -> None:
    said = titles(drawn([(0.0, int(at == 1500)) for at in range(3000)]))
    assert "mode: 2 changes in steps 1500 to 1508" in said
