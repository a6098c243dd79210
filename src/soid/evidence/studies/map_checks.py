"""A map on a record, examined anew: its boxes are a partition of its axes, and a formula proves each region's label.

    region-1          in every state of its boxes the suppositions hold, and happens what its label says
    outside           in no state of these boxes do the suppositions hold
    beyond            in no state beyond the axes' ends do they hold

What a state of each region does says which label is meant; that all of them do so is proved.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import islice

from msgspec import convert
from msgspec.structs import replace

from soid.case.record.study_request import MapRequest
from soid.documents import json_of
from soid.evidence.checks import CheckOutcome
from soid.evidence.derivation import ExaminedMoment, Means
from soid.evidence.obligations import Obligation
from soid.evidence.studies.ground import StudyGround
from soid.evidence.studies.study_checks import StudyExamination
from soid.formula import build
from soid.formula.interval_program import Box
from soid.mapping.axes import Axis
from soid.mapping.claims import OUTSIDE, By, ClaimKind, RegionLabel, by_text, claims
from soid.mapping.decision_map import DecisionMap, MapDocument, Region, read_map
from soid.mapping.fact_position import places_of, punctured
from soid.mapping.region_prover import RegionProver, shared, states_in
from soid.oracle.encoding import FactualMoment
from soid.query.language.query_parser import parse_suppositions
from soid.query.language.query_printer import suppositions_text
from soid.query.query import Query, QueryKind
from soid.query.steps import ONE
from soid.scenario.future import Future


def examine_map(found: StudyExamination, wanted: MapRequest, examined: ExaminedMoment, means: Means) -> None:
    interface = examined.keyframe.interface
    by, supposed = by_text(wanted.by, interface), parse_suppositions(wanted.over, interface)
    query = Query(QueryKind.MIGHT, by.behavior, supposed)
    steps = examined.query(query).steps or ONE
    query = replace(query, steps=replace(steps, future=Future.HELD))
    ground = StudyGround.of(examined, query, found.recorded.window, means)
    found.explored(ground.derivation)
    result = convert(found.recorded.result, MapDocument)
    found.rests_on(result.relies_on, ground.derivation.summary)
    made = read_map(found.recorded.result, ground.course.interface)
    same = (made.by, made.over, made.step)
    asked = (by.text, suppositions_text(ground.family.suppositions), found.recorded.step)
    found.expect("the question", same == asked, "the map is of what was asked", "the map is of something else")
    whole = json_of(made.document) == found.recorded.result
    found.expect("the figures", whole, "they follow from the regions", "they do not follow from the regions")
    shown = {axis.variable.path for axis in made.axes}
    varying = {variable.path for variable in ground.family.varying} - set(made.assumed)
    known = set(made.assumed) == {variable.path for variable in ground.family.undetermined}
    along = known and varying <= shown <= set(ground.family.freed)
    found.expect("the axes", along, "they are what varies", "they are not what varies")
    if not along:
        return
    _partition(found, made, punctured(made.axes, ground.family) if made.axes else None)
    if ground.family.undetermined:
        found.note("the regions", CheckOutcome.OPEN, "not rechecked: they are for every value of what is not known")
        return
    _labels(found, made, by, ground, means)


def _partition(found: StudyExamination, made: DecisionMap, fact: Box | None) -> None:
    """No state is in two boxes, and each between the axes' ends is in one; the shares count them."""
    boxes = [box for region in made.regions for box in region.boxes] + list(made.outside)
    if made.is_empty and not boxes:
        return
    inside = all(_within(box, made.axes) for box in boxes)
    whole = sum(map(states_in, boxes)) == math.prod(axis.high - axis.low + 1 for axis in made.axes)
    fits = inside and whole and _apart(boxes)
    found.expect("the boxes", fits, "they cover all states, each once", "they do not fit")
    counted = all(
        region.scenarios == sum(states_in(box) - shared(box, fact) for box in region.boxes) for region in made.regions
    )
    found.expect("the shares", counted, "they count the states in the boxes", "they count other states")


def _apart(boxes: Sequence[Box]) -> bool:
    """Whether no two boxes share a state. Along the first axis only those are compared that reach each other."""
    ordered = sorted(boxes)
    for place, box in enumerate(ordered):
        for other in islice(ordered, place + 1, None):
            if other[0][0] > box[0][1]:
                break
            if shared(box, other):
                return False
    return True


def _within(box: Box, axes: Sequence[Axis]) -> bool:
    return all(axis.low <= low <= high <= axis.high for axis, (low, high) in zip(axes, box, strict=True))


def _labels(found: StudyExamination, made: DecisionMap, by: By, ground: StudyGround, means: Means) -> None:
    family, summary = ground.family, ground.derivation.summary
    facts = FactualMoment(family.interface, family.fact, ground.derivation.fact, family.given)
    claimed = claims(summary, by, facts, ground.query.period)
    precondition = family.scenarios[0]
    prover = RegionProver(made.axes, precondition, claimed, by, summary.approximations, stopped=lambda: True)
    numbers = summary.approximations
    ends = build.all_of(axis.variable.between(axis.low, axis.high) for axis in made.axes)
    words = "no state beyond the ends of the axes is one that the suppositions allow"
    beyond = (family.precondition, build.not_(ends))
    found.prove(Obligation("beyond", words, "unsat", beyond if not made.is_empty else (family.precondition,)), means)
    if made.outside:
        terms = tuple(prover.otherwise(made.outside, OUTSIDE))
        found.prove(Obligation("outside", "the suppositions allow no state of these boxes", "unsat", terms), means)
    for number, region in enumerate(made.regions, start=1):
        if region.label.kind in (ClaimKind.OPEN, ClaimKind.DEPENDS):
            continue  # nothing is claimed
        label = _meant(found, f"region-{number}", region, prover)
        if label is None:
            continue
        words = f"in all states of {len(region.boxes)} boxes: {label.text}"
        terms = tuple(prover.otherwise(region.boxes, label))
        unclear = any(claim.label is not None and claim.label.kind is ClaimKind.OPEN for claim in claimed)
        obligation = Obligation(f"region-{number}", words, "unsat", terms, numbers=numbers)
        found.prove(obligation, means, soft=unclear)
    _fact(found, made, ground, prover)


def _meant(found: StudyExamination, name: str, region: Region, prover: RegionProver) -> RegionLabel | None:
    """What a state of the region does, if that is what the record says of all of them."""
    label = prover.at([low for low, _ in region.boxes[0]])
    if label.kind is ClaimKind.OPEN:
        found.note(name, CheckOutcome.OPEN, f"not known here: {label.text}")
        return None
    same = (label.kind, label.text) == (region.label.kind, region.label.text)
    found.expect(f"{name}: a state", same, label.text, f"it is {label.text}, and the record says {region.label.text}")
    return label if same else None


def _fact(found: StudyExamination, made: DecisionMap, ground: StudyGround, prover: RegionProver) -> None:
    """Where the fact is on the map, and what happens there."""
    places = places_of(made.axes, ground.family)
    found.expect("the fact's place", places == made.fact.places, "as logged", "it is not where the log has it")
    happens = found.recorded.result["fact"]["happens"]
    if happens is None or places != made.fact.places:
        return
    label = prover.at([place for place in places if place is not None])
    words = f"it is {label.text}, and the record says {happens}"
    found.expect("what happened", label.text == happens, label.text, words)
