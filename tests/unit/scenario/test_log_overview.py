"""An overview loses nothing: every value lies in its cell, every extreme is a value, every step is in one band."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soid.errors import KeyframeError, UnknownVariableError
from soid.formula import softfloat as sf
from soid.formula.sorts import FLOAT32, FLOAT64, Float
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, EnumType, FloatType, IntType, VariableType
from soid.scenario.log_document import overview_document
from soid.scenario.log_overview import LogOverview, overview
from soid.scenario.log_tracks import BandTrack, Curve
from soid.scenario.trace import Step, Trace
from tests.floats import special_patterns

MODE = EnumType("mode", 8, False, (("MODE_HOLD", 0), ("MODE_LAND", 1), ("MODE_RTH", 2)))
QUAD = Float(15, 113)


def trace_of(kind: VariableType, values: dict[int, int | None], role: Role = Role.DECISION) -> Trace:
    """A log with one variable; None where it was not logged."""
    interface = Interface((Variable("x", role, kind),))
    logged = {time: {} if bits is None else {"x": bits} for time, bits in values.items()}
    inside = role is not Role.DECISION
    steps = [Step(time, row if inside else {}, {} if inside else row) for time, row in logged.items()]
    return Trace(interface, tuple(steps))


def samples(kind: VariableType) -> st.SearchStrategy[dict[int, int | None]]:
    """Values at increasing numbers, with gaps, and at least one."""
    bits: st.SearchStrategy[int] = st.integers(0, (1 << kind.width) - 1)
    if isinstance(kind, FloatType):
        bits = st.sampled_from(special_patterns(kind.format)) | bits
    if isinstance(kind, BoolType | EnumType):
        bits = st.integers(0, 1)
    values = st.dictionaries(st.integers(-50, 200), st.none() | bits, min_size=1, max_size=40)
    ordered = values.map(lambda found: dict(sorted(found.items())))
    return ordered.filter(lambda found: any(bits is not None for bits in found.values()))


NUMBERS = [IntType(8, signed=True), IntType(64, signed=False), FloatType(FLOAT32), FloatType(FLOAT64), FloatType(QUAD)]


@given(kind=st.sampled_from(NUMBERS), data=st.data(), cells=st.integers(1, 70))
def test_no_spike_is_lost(kind: VariableType, data: st.DataObject, cells: int) -> None:
    values = data.draw(samples(kind))
    view = overview(trace_of(kind, values, Role.ENVIRONMENT), cells=cells)
    (curve,) = view.tracks
    assert isinstance(curve, Curve) and len(curve.cells) == view.cells <= cells
    place_of = curve.variable.order.place_of
    for place, cell in enumerate(curve.cells):
        first, last = view.numbers_of(place)
        inside = [bits for time, bits in values.items() if first <= time <= last and bits is not None]
        finite = [bits for bits in inside if not isinstance(kind, FloatType) or sf.is_finite(kind.format, bits)]
        assert (cell.steps, cell.not_finite) == (len(inside), len(inside) - len(finite))
        assert cell.least == min(finite, key=place_of, default=None)
        assert cell.greatest == max(finite, key=place_of, default=None)
        for bits in finite:
            assert 0 <= curve.height(bits) <= 1
    _is_whole(view, curve, values)


def _is_whole(view: LogOverview, curve: Curve, values: dict[int, int | None]) -> None:
    """The extremes are at the first steps that have them, and the cells are one after the other."""
    ends = [view.numbers_of(place) for place in range(view.cells)]
    assert ends[0][0] == view.first and ends[-1][1] == view.last
    assert all(before[1] + 1 == after[0] for before, after in itertools.pairwise(ends))
    assert all(view.cell_of(number) == place for place, end in enumerate(ends) for number in end)
    for extreme in (curve.least, curve.greatest):
        if extreme is not None:
            assert extreme.step == next(time for time, bits in values.items() if bits == extreme.bits)


@given(kind=st.sampled_from([BoolType(), MODE, IntType(1, signed=False)]), data=st.data(), cells=st.integers(1, 70))
def test_bands_have_every_step_once_with_its_value(kind: VariableType, data: st.DataObject, cells: int) -> None:
    values = data.draw(samples(kind))
    view = overview(trace_of(kind, values), cells=cells)
    (track,) = view.tracks
    assert isinstance(track, BandTrack)
    for time, bits in values.items():
        assert [band.bits for band in track.bands if band.first <= time <= band.last] == [bits]
    assert all(before.bits != after.bits for before, after in zip(track.bands, track.bands[1:], strict=False))
    logged = list(values.items())
    changed = [(t, a, b) for (_, a), (t, b) in itertools.pairwise(logged) if a != b]
    assert [(each.step, each.before.bits, each.after.bits) for each in view.changes()] == changed


def test_one_step_among_many_is_seen() -> None:
    values: dict[int, int | None] = dict.fromkeys(range(20_000), 7)
    values[14_321] = 9
    view = overview(trace_of(IntType(32, signed=True), values, Role.ENVIRONMENT), cells=100)
    (curve,) = view.tracks
    assert isinstance(curve, Curve)
    assert [place for place, cell in enumerate(curve.cells) if cell.greatest == 9] == [71]
    assert curve.greatest is not None and curve.greatest.step == 14_321
    assert view.constant(curve) is None


# --- what is a curve, and what is not logged -------------------------------------------------------------------


def test_a_decision_among_many_numbers_is_a_curve() -> None:
    kind = IntType(32, signed=True)
    few, many = (overview(trace_of(kind, {at: at % count for at in range(50)}), cells=10) for count in (3, 40))
    assert isinstance(few.tracks[0], BandTrack) and isinstance(many.tracks[0], Curve)
    assert few.change_count == len(list(few.changes())) == 49 and list(many.changes()) == []


def test_what_is_assumed_was_not_logged() -> None:
    count = Variable("count", Role.STATE, IntType(8, signed=False), initial=0)
    interface = Interface((count, Variable("x", Role.ENVIRONMENT, BoolType())))
    steps = [Step(at, {"count": 0, "x": 1}, {}, unlogged=("count",)) for at in range(3)]
    view = overview(Trace(interface, tuple(steps)), cells=10)
    assert [track.name for track in view.tracks] == ["x"] and view.absent == ("count",)
    assert view.constant(view.tracks[0]) == 1
    after = [Step(at, {"count": 0, "x": 1}, {"count'": at}, unlogged=("count",)) for at in range(3)]
    view = overview(Trace(interface, tuple(after)), cells=10)
    assert [track.name for track in view.tracks] == ["count'", "x"] and view.absent == ()


def test_a_value_that_is_not_always_logged_is_no_constant() -> None:
    for kind in (BoolType(), FloatType(FLOAT32)):
        partly, always = (overview(trace_of(kind, {0: 1, 1: second, 2: 1}), cells=10) for second in (None, 1))
        assert (partly.constant(partly.tracks[0]), always.constant(always.tracks[0])) == (None, 1)


def test_a_part_of_the_log_and_some_of_the_variables() -> None:
    parts = ("s.gps.sats", "s.gps.hdop", "s.gpsx")
    interface = Interface(tuple(Variable(path, Role.ENVIRONMENT, IntType(8, signed=False)) for path in parts))
    trace = Trace(interface, tuple(Step(at, dict.fromkeys(parts, at), {}) for at in range(0, 20, 2)))
    view = overview(trace, ["s->gps"], first=3, last=9, cells=10)
    assert ([track.name for track in view.tracks], view.first, view.last, view.steps) == ([*parts[:2]], 4, 8, 3)
    with pytest.raises(UnknownVariableError, match="called s"):
        overview(trace, ["s.gp"], cells=10)
    with pytest.raises(KeyframeError, match="no step from 7 to 7"):
        overview(trace, first=7, last=7, cells=10)


def test_the_document_has_values_and_not_bits() -> None:
    kind = FloatType(FLOAT32)
    bits = [sf.float_to_bits32(x) for x in (0.5, -2.0, float("inf"))]
    document: Any = overview_document(overview(trace_of(kind, dict(enumerate(bits)), Role.ENVIRONMENT), cells=1))
    (track,) = document.tracks
    assert (track.least.value, track.least.step, track.greatest.value) == (-2.0, 1, 0.5)
    (cell,) = track.cells
    assert (cell.first, cell.last, cell.steps, cell.not_finite) == (0, 2, 3, 1)
    landed = overview_document(overview(trace_of(MODE, {0: 0, 1: 1, 2: None}), cells=9))
    assert [(c.step, c.before, c.after) for c in landed.changes] == [
        (1, "MODE_HOLD", "MODE_LAND"),
        (2, "MODE_LAND", None),
    ]
