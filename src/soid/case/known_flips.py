"""Where an outcome flips along single inputs, as far as explanations and maps of the record say so: for bars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from soid.case import validity
from soid.case.record.entry import Entry, EntryKind
from soid.case.record.study_request import ExplanationRequest, MapRequest, request_of
from soid.mapping.bars.input_bars import Flips
from soid.mapping.decision_map import DecisionMap, read_map
from soid.program.interface import Interface
from soid.program.types import from_python


def flips_of(explanation: Mapping[str, Any], interface: Interface) -> Flips:
    """The flips of an explanation, as JSON: those of the scenario with the fewest changes.

    Along labels nothing is marked: the two values themselves are.
    """
    mattered = explanation.get("mattered")
    sets = mattered["sets"] if mattered else []
    found: dict[str, tuple[int, ...]] = {}
    for flip in sets[0]["flips"] if sets else []:
        path = flip["variable"]
        if path in interface and not flip["as_logged"] and flip["neighbours"]:
            found[path] = (from_python(interface.variable(path).type, flip["first"]),)
    return found


def recorded_explanation(entries: Sequence[Entry], number: int) -> Mapping[str, Any] | None:
    """The last explanation of an answer that was put on the record, as JSON."""
    for entry in reversed(validity.in_force(entries, EntryKind.STUDIED)):
        wanted = request_of(entry.payload["wanted"])
        if isinstance(wanted, ExplanationRequest) and wanted.entry == number:
            found: Mapping[str, Any] = entry.payload["result"]
            return found
    return None


def mapped_flips(entries: Sequence[Entry], log: str, step: int, interface: Interface) -> Flips:
    """The borders of the regions of recorded maps along one input of a moment, everything else being as in fact."""
    found: dict[str, tuple[int, ...]] = {}
    for entry in validity.in_force(entries, EntryKind.STUDIED):
        if (entry.log, entry.step) != (log, step) or not isinstance(request_of(entry.payload["wanted"]), MapRequest):
            continue
        made = read_map(entry.payload["result"], interface)
        if len(made.axes) == 1 and not made.axes[0].has_names and not made.open:
            found[made.axes[0].variable.path] = tuple(_borders(made))
    return found


def _borders(made: DecisionMap) -> Iterable[int]:
    """The first value of each stretch after the first one."""
    begins = sorted({box[0][0] for region in made.regions for box in region.boxes})
    return (made.axes[0].bits(place) for place in begins[1:])
