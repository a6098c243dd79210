"""The stages of making a map, in this order:

check    do the suppositions free one or two variables?
fact     what does the program do on the logged inputs, and does the log agree?
explore  every path of a state that the suppositions allow
lines    where conditions on one variable change
map      boxes with proved labels; the rest is open. What is not known at the moment may have any possible value: a box
         has a label only if that is the same for all of them (`agreed_regions.py`)

Regions come from the paths, never from samples of states.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from soid.assumptions import STANDING, Assumption, Ledger
from soid.errors import LogMismatch, QueryError, TraceError
from soid.formula import build
from soid.formula.interval_program import Box
from soid.formula.passes import substitute
from soid.mapping.agreed_regions import AgreedRegions, SurveyedGround
from soid.mapping.axes import Axis, bands_of, has_names
from soid.mapping.claims import OUTSIDE, By, ClaimKind, Occurrence, Outputs, RegionLabel, claims
from soid.mapping.decision_map import DecisionMap, FactMark, Region
from soid.mapping.fact_position import mark_of, places_of, punctured
from soid.mapping.partition import Fineness, Labelled, Partition, merged
from soid.mapping.region_prover import RegionProver, narrowed, shared, states_in
from soid.oracle.answer import Answer, Verdict
from soid.oracle.encoding import FactualMoment
from soid.oracle.fact import is_assumed
from soid.oracle.inquiry import Context, Inquiry
from soid.oracle.pipeline import answer, explore, supposed_of_later
from soid.program import domain as domains
from soid.program.interface import Interface, Variable
from soid.program.types import EnumType
from soid.query.behavior import Behavior
from soid.query.language.query_printer import suppositions_text
from soid.query.query import Query, check_supposition
from soid.query.query import QueryKind as Asked
from soid.query.steps import ONE, Steps
from soid.query.words import called, listed
from soid.scenario.expression import Decides, error_at
from soid.scenario.family import Family
from soid.scenario.future import Future
from soid.scenario.supposed_course import supposed_course
from soid.scenario.supposition import During, Supposition, freed, mentioned
from soid.scenario.trace import Keyframe
from soid.surface import Advice

#: a map has two directions
_MOST_AXES: Final = 2


_OVER: Final = Advice(
    command='Say what may differ: --over "x is anything".',
    python='Say what may differ: project.map("x is anything").',
    page="Say what may differ.",
)
_ACCEPT: Final = Advice(
    command="Give the log of this program, or accept the difference: --accept-log-mismatch.",
    python="Give the log of this program, or accept the difference: soid.Settings(accept_log_mismatch=True).",
    page="Give the log of this program; or ask what happened, and accept the difference there.",
)


def survey(
    interface: Interface,
    keyframe: Keyframe,
    suppositions: Sequence[Supposition],
    by: By,
    context: Context,
    *,
    steps: Steps = ONE,
    fineness: Fineness | None = None,
) -> DecisionMap:
    """The map of one moment. Raises QueryError, and TraceError if the log does not fit the program."""
    asking, steps = Inquiry(context), replace(steps, future=Future.HELD)  # a map is of states, not of what follows them
    with asking.stage("check"):
        family = _family(interface, keyframe, tuple(suppositions), by, asking)
        variables = _varying(family)
    with asking.stage("fact"):
        fact = _fact(interface, keyframe, by, asking)
    reached = narrowed([_axis(variable, family) for variable in variables], family.scenarios[0])
    over = suppositions_text(family.suppositions)
    if reached is None:
        axes = tuple(_with_bands(_axis(variable, family), family) for variable in variables)
        mark = FactMark(places_of(axes, family), None)
        about = axes, by.text, over, keyframe.step
        return DecisionMap(*about, (), (), mark, interface, fact.relies_on, seconds=asking.taken)
    axes = tuple(_with_bands(axis, family) for axis in reached)

    def ground_at(values: Mapping[str, int]) -> SurveyedGround:
        return _ground(axes, family, values, by, fact, asking, steps)

    ground, fine = ground_at({}), fineness or Fineness()
    asking.refine(ground.summary)
    partition: Partition | AgreedRegions
    if family.undetermined:
        partition = AgreedRegions(ground, ground_at, family, asking, fine)
    else:
        partition = Partition(ground.prover, asking, fine)
    with asking.stage("map"):
        boxes = partition.boxes()
    regions = _regions(boxes, punctured(axes, family))
    summary = ground.summary
    return DecisionMap(
        axes=axes,
        by=by.text,
        over=over,
        step=keyframe.step,
        regions=tuple(region for region in regions if region.label != OUTSIDE),
        outside=next((region.boxes for region in regions if region.label == OUTSIDE), ()),
        fact=_with_origins(mark_of(ground.prover, boxes, family), axes, by, keyframe, steps),
        interface=interface,
        relies_on=tuple(
            dict.fromkeys(
                (*supposed_of_later(steps), *_standing(keyframe), *fact.relies_on, *summary.relies_on, *STANDING)
            )
        ),
        paths=summary.counts(),
        looked_at=partition.looked_at,
        seconds=asking.taken,
        assumed=tuple(variable.path for variable in family.undetermined),
    )


def _ground(
    axes: tuple[Axis, ...],
    family: Family,
    values: Mapping[str, int],
    by: By,
    fact: Answer,
    asking: Inquiry,
    steps: Steps,
) -> SurveyedGround:
    """The paths of a family's states, and what they claim of boxes along the axes; some inputs have these values."""
    given = {**family.given, **values}
    symbols = {path: family.interface.variable(path).symbol for path in values}
    (precondition,) = substitute(
        [family.scenarios[0]], {symbol: build.const(symbol.sort, values[path]) for path, symbol in symbols.items()}
    )
    with asking.stage("explore"):
        summary = explore(given, precondition, by.behavior, asking, steps.count)
    with asking.stage("lines"):
        facts = FactualMoment(family.interface, family.fact, fact.fact, given)
        made = claims(summary, by, facts, steps)
        proofs_only = bool(family.undetermined) and not values  # of all values together: they need no lines
        prover = RegionProver(
            axes,
            precondition,
            made,
            by,
            summary.approximations,
            stopped=lambda: proofs_only or asking.context.cancel.cancelled or asking.deadline.is_over,
        )
    return SurveyedGround(prover, summary)


def _with_origins(mark: FactMark, axes: Sequence[Axis], by: By, keyframe: Keyframe, steps: Steps) -> FactMark:
    """The fact, with what of it was not logged; of held steps nothing was."""
    inputs = [axis.variable.path for axis in axes if axis.variable.path in keyframe.derived]
    decided = mark.label is not None and mark.label.kind is ClaimKind.DECIDES
    if not decided or not isinstance(by, Outputs) or steps.count > 1:
        return replace(mark, derived=tuple(inputs))
    unlogged = [name for name in by.names if name in keyframe.open_outputs]
    followed = unlogged if keyframe.is_exact or not unlogged else keyframe.followed or ()
    derived = (*inputs, *(name for name in unlogged if name in followed))
    return replace(mark, derived=derived, computed=tuple(name for name in unlogged if name not in followed))


def _standing(keyframe: Keyframe) -> tuple[Assumption, ...]:
    """The assumption of a map of a moment that is logged rounded: it is of the logged values."""
    paths = [variable.path for variable in keyframe.interface.inputs if variable.path in keyframe.rounded]
    return (Ledger.ROUNDED.of(", ".join(paths)),) if paths else ()


def _family(
    interface: Interface, keyframe: Keyframe, suppositions: tuple[Supposition, ...], by: By, asking: Inquiry
) -> Family:
    for each in suppositions:
        check_supposition(interface, each)
        if isinstance(each, During):
            raise error_at(each.span, "a map shows one moment, and has no later steps", "Leave out the steps.")
    if not freed(interface, suppositions):
        raise QueryError("nothing varies, so there is nothing to map", _OVER)
    read = Query(Asked.MIGHT, by.behavior, suppositions).facts(interface)
    if unknown := [name for name in read if is_assumed(name, keyframe)]:
        raise QueryError(
            f"what {listed(unknown)} was in fact is not known: it is not logged, and it does not follow from the log",
            f"Map it without what was in fact there. {keyframe.underived}".rstrip(),
        )
    return supposed_course(keyframe, suppositions, 1, Future.HELD).family(pinning=asking.mechanisms.pinning)


def _varying(family: Family) -> list[Variable]:
    """The variables of the axes: numbers before names, then in the order of the suppositions."""
    kept = {variable.path for variable in family.undetermined}  # what is not known is no axis
    supposed = [path for path in family.freed if path not in kept]
    paths = [path for path in supposed if path not in family.given] or supposed
    if len(paths) > _MOST_AXES:
        raise QueryError(
            f"a map goes along one variable or two, and {len(paths)} vary: {listed(paths)}",
            f"Leave out what is said of some of them, or keep them as they were: `keep {paths[-1]}`.",
        )
    named = (variable for each in family.suppositions for variable in mentioned(family.interface, each))
    order = [source.path for variable in named for source in variable.sources]
    variables = [family.interface.variable(path) for path in sorted(paths, key=order.index)]
    return sorted(variables, key=has_names)


def _axis(variable: Variable, family: Family) -> Axis:
    """The axis of all places of a variable, or of its only one."""
    name, low, high = called(variable.path, family.interface), *variable.order.places
    if variable.path in family.given:
        low = high = variable.order.place_of(family.given[variable.path])
    elif flags := _flags(variable, family):
        low, high = variable.order.place_of(0), variable.order.place_of(flags)
    return Axis(variable, low, high, name=name)


def _flags(variable: Variable, family: Family) -> int:
    """The bits of a variable that may have any combination of flags; 0 where it may not."""
    free = isinstance(family.freed.get(variable.path), domains.Default)
    return variable.type.flags if free and isinstance(variable.type, EnumType) else 0


def _with_bands(axis: Axis, family: Family) -> Axis:
    unnamed = isinstance(family.freed[axis.variable.path], domains.AnyBitsDomain)
    unnamed = unnamed or bool(_flags(axis.variable, family))
    return dataclasses.replace(axis, bands=bands_of(axis.variable, axis.low, axis.high, unnamed=unnamed))


def _fact(interface: Interface, keyframe: Keyframe, by: By, asking: Inquiry) -> Answer:
    """The answer about the factual moment, which every question checks first."""
    behavior = by.behavior if isinstance(by, Occurrence) else Behavior(Decides())
    given = answer(Query(Asked.DID, behavior).checked(interface), keyframe, asking.inner())
    if given.why.awaits_acceptance:
        differs = LogMismatch if given.verdict is Verdict.ERROR else TraceError  # or it could not be checked
        raise differs(given.reason, _ACCEPT)
    missing = behavior.unknown(keyframe.inputs, given.fact, interface)
    if missing:
        raise QueryError(f"what {missing[0]} was in fact is not known", f"Map it without fact({missing[0]}).")
    return given


def _regions(boxes: Sequence[Labelled], left_out: Box | None) -> list[Region]:
    by_label: dict[RegionLabel, list[Box]] = {}
    for box, label in boxes:
        by_label.setdefault(label, []).append(box)
    regions = [
        Region(label, tuple(merged(found)), sum(states_in(box) - shared(box, left_out) for box in found))
        for label, found in by_label.items()
    ]
    order = list(ClaimKind)

    def place(region: Region) -> tuple[int, list[int], str]:
        label = region.label
        return order.index(label.kind), [-1 if bits is None else bits for bits in label.values], label.text

    return sorted(regions, key=place)
