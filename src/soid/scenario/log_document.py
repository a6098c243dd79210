"""A log's overview as JSON, for scripts and for a page that draws it: docs/json.md, `log show`."""

from __future__ import annotations

from typing import final

from msgspec import Struct

from soid.documents import JsonValue
from soid.program.interface import Role, Variable
from soid.program.types import json_value
from soid.scenario.log_overview import DecisionChange, LogOverview
from soid.scenario.log_tracks import BandTrack, Curve, CurveExtreme, Track


@final
class CellDocument(Struct, frozen=True):
    """The steps at one place of a curve, as JSON."""

    first: int
    last: int
    steps: int
    least: JsonValue | None
    greatest: JsonValue | None
    not_finite: int


@final
class BandDocument(Struct, frozen=True):
    """Steps in a row with one value, as JSON."""

    first: int
    last: int
    value: JsonValue | None
    derived: int


@final
class ExtremeDocument(Struct, frozen=True):
    """The least or the greatest value, as JSON."""

    step: int
    value: JsonValue


@final
class TrackDocument(Struct, frozen=True):
    """What one variable did, as JSON: a curve has cells, other tracks have bands."""

    name: str
    role: Role
    type: str
    unit: str
    label: str
    least: ExtremeDocument | None
    greatest: ExtremeDocument | None
    cells: list[CellDocument] | None
    bands: list[BandDocument] | None
    derived: int


@final
class DecisionChangeDocument(Struct, frozen=True):
    """Where a decision changed, as JSON."""

    step: int
    time: float | None
    name: str
    before: JsonValue | None
    after: JsonValue | None


@final
class LogOverviewDocument(Struct, frozen=True):
    """An overview as JSON."""

    first: int
    last: int
    first_time: float | None
    last_time: float | None
    steps: int
    tracks: list[TrackDocument]
    changes: list[DecisionChangeDocument]
    absent: tuple[str, ...]


def overview_document(view: LogOverview) -> LogOverviewDocument:
    tracks = [_track(view, track) for track in view.tracks]
    changes = [_change(view, change) for change in view.changes()]
    times = view.times.of(view.first), view.times.of(view.last)
    return LogOverviewDocument(view.first, view.last, *times, view.steps, tracks, changes, view.absent)


def _track(view: LogOverview, track: Track) -> TrackDocument:
    variable = track.variable
    about = track.name, variable.role, str(variable.type), variable.unit, variable.label
    if isinstance(track, BandTrack):
        bands = [BandDocument(band.first, band.last, _value(variable, band.bits), band.derived) for band in track.bands]
        return TrackDocument(*about, least=None, greatest=None, cells=None, bands=bands, derived=track.derived)
    ends = _extreme(variable, track.least), _extreme(variable, track.greatest)
    return TrackDocument(*about, *ends, cells=_cells(view, track), bands=None, derived=track.derived)


def _cells(view: LogOverview, curve: Curve) -> list[CellDocument]:
    return [
        CellDocument(
            *view.numbers_of(place),
            cell.steps,
            _value(curve.variable, cell.least),
            _value(curve.variable, cell.greatest),
            cell.not_finite,
        )
        for place, cell in enumerate(curve.cells)
    ]


def _extreme(variable: Variable, extreme: CurveExtreme | None) -> ExtremeDocument | None:
    return None if extreme is None else ExtremeDocument(extreme.step, json_value(variable.type, extreme.bits))


def _change(view: LogOverview, change: DecisionChange) -> DecisionChangeDocument:
    values = _value(change.variable, change.before.bits), _value(change.variable, change.after.bits)
    return DecisionChangeDocument(change.step, view.times.of(change.step), change.name, *values)


def _value(variable: Variable, bits: int | None) -> JsonValue | None:
    return None if bits is None else json_value(variable.type, bits)
