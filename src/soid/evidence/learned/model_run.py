"""A scenario of a learned model, evaluated once more in plain Python, and compared with what was recorded."""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Final

from soid.engine.learned.learned_source import Threshold
from soid.engine.learned.model import MISSING, UNSEEN, Above, Greatest, LearnedModel, LinearSum, ModelFeature
from soid.engine.learned.model_interface import DECISION, LearnedProgram
from soid.engine.learned.network import NetworkSum
from soid.engine.learned.network_leads import lead_name, softmax_margin
from soid.engine.summary import Decided
from soid.errors import BundleError
from soid.evidence.learned.feature_ranges import float_of
from soid.evidence.learned.plain_links import linked
from soid.evidence.learned.plain_sums import Enclosed, TreeTerms, linear_sum, rounding
from soid.evidence.learned.plain_trees import (
    FeatureBox,
    FeatureRange,
    NotChecked,
    PlainTrees,
    categories,
)
from soid.program.types import BoolType, EnumType, FloatType, VariableType, number
from soid.witness.witness import Ends, Witness

_COMPARISONS: Final[Mapping[str, Callable[[Fraction, Fraction], bool]]] = {
    ">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt,
}  # fmt: skip


def compare_run(learned: LearnedProgram, witness: Witness, environments: Sequence[Mapping[str, int]]) -> str:
    """Why a recorded run is not confirmed; empty if it is. A BundleError says what the model gives instead."""
    recorded = (*witness.earlier, witness.outputs)
    between = (*witness.between, *({},) * len(recorded))
    unclear: list[str] = []
    for place, outputs in enumerate(recorded):
        inputs = {**witness.inputs, **(environments[place - 1] if place else {})}
        row = _row(learned, inputs)
        rejected = [each.name for number, each in enumerate(learned.model.features) if _rejects(each, row.get(number))]
        fails = place == len(recorded) - 1 and not isinstance(witness.ending, Decided)
        if bool(rejected) != fails:
            told = f"rejects {', '.join(rejected)}" if rejected else "rejects nothing"
            raise BundleError(f"the model {told} in the scenario, and the record says otherwise")
        if not rejected:
            try:
                numbers = _numbers(learned.model, row)
                unclear += _compared(learned, numbers, outputs)
                unclear += _within(learned, numbers, between[place])
            except NotChecked as why:
                unclear.append(str(why))
    return "; ".join(dict.fromkeys(unclear))


def _row(learned: LearnedProgram, inputs: Mapping[str, int]) -> FeatureBox:
    """The features that are used."""
    pairs = enumerate(zip(learned.model.features, learned.inputs, strict=True))
    return {
        place: _value(feature, variable.type, inputs[variable.path])
        for place, (feature, variable) in pairs
        if variable is not None
    }


def _value(feature: ModelFeature, kind: VariableType, bits: int) -> FeatureRange:
    if isinstance(kind, EnumType):
        return categories(feature, number(kind, bits), number(kind, bits))
    if isinstance(kind, FloatType):
        if kind.format.width not in (32, 64):
            raise BundleError(f"{feature.name} is of a type that no feature has")
        read = float_of(kind.format.width, bits)
    else:
        read = float(bits) if isinstance(kind, BoolType) else float(number(kind, bits))
    return FeatureRange(read, read) if read == read else FeatureRange(missing=True)


def _rejects(feature: ModelFeature, given: FeatureRange | None) -> bool:
    if given is None:
        return False
    if feature.kind == "category":
        return (MISSING in given.codes and not feature.takes_missing) or (
            UNSEEN in given.codes and not feature.takes_unseen
        )
    if given.missing:
        return not feature.takes_missing
    small = feature.least is not None and given.low < feature.least
    return small or (feature.greatest is not None and given.high > feature.greatest)


def _numbers(model: LearnedModel, row: FeatureBox) -> dict[str, Enclosed]:
    if model.networks:
        from soid.evidence.learned.plain_networks import numbers_at  # numpy takes long to load

        return numbers_at(model, row)
    found: dict[str, Enclosed] = {}
    forests = [PlainTrees(each, model.features) for each in model.trees]
    for one in model.sums:
        if isinstance(one, LinearSum):
            found[one.name] = linear_sum(one, model.features, row)
            continue
        assert not isinstance(one, NetworkSum)
        trees = forests[one.trees]
        terms = TreeTerms.of(one, trees.column(one.column), trees.count)
        leaves = [terms.values[leaf.row] for (leaf,) in trees.within(row)]
        found[one.name] = terms.over(leaves, leaves)
    for link in model.links:
        found[link.name] = linked(link, [found[name] for name in link.arguments])
    return found


def _compared(learned: LearnedProgram, found: Mapping[str, Enclosed], outputs: Mapping[str, int]) -> list[str]:
    """What the numbers do not confirm; a BundleError names what they contradict."""
    model, unclear = learned.model, []
    precisions = {each.name: each.precision for each in (*model.sums, *model.links)}
    named = _named(learned)
    classes = {each.name: each.choice for each in model.choices} | ({DECISION: model.label} if model.label else {})
    thresholds = {each.name: each for each in learned.thresholds}
    for name, bits in outputs.items():
        if name in named:
            unclear += _same_number(name, found[named[name]], precisions[named[name]], bits)
            continue
        threshold = thresholds.get(name)
        if name in classes:
            given = _label(classes[name].rule, found, precisions)
        else:
            given = (
                None
                if threshold is None
                else _decided(threshold, found[named.get(threshold.compared, threshold.compared)])
            )
        if given is None:
            is_guess = threshold is not None and threshold.guessed is not None
            unclear.append(f"{name} hangs on {'a guessed bound' if is_guess else 'the last bits'}")
        elif given != bits:
            raise BundleError(f"{name} is not what the model gives")
    return unclear


def _named(learned: LearnedProgram) -> dict[str, str]:
    """Which number each output is, those among them that are the state of the next call."""
    found = {each.name: each.number for each in learned.model.outputs}
    return found | {state: found[output] for state, output in learned.states}


def _within(learned: LearnedProgram, found: Mapping[str, Enclosed], between: Mapping[str, Ends]) -> list[str]:
    """The numbers that may lie outside of their recorded ends; a BundleError names one that does."""
    precisions = {each.name: each.precision for each in (*learned.model.sums, *learned.model.links)}
    named, unclear = _named(learned), []
    for name, ends in between.items():
        low, high = found[named[name]]
        first, last = (float_of(precisions[named[name]], bits) for bits in ends)
        if high < first or last < low:
            raise BundleError(f"{name} is not from {first!r} to {last!r}: the model gives {low!r} to {high!r}")
        if not first <= low <= high <= last:
            unclear.append(f"{name} is known only from {low!r} to {high!r}")
    return unclear


def _same_number(name: str, found: Enclosed, precision: int, bits: int) -> list[str]:
    low, high = found
    read = float_of(precision, bits)
    if not low <= read <= high:
        raise BundleError(f"{name} is not {read!r}: the model gives {low!r}{'' if low == high else f' to {high!r}'}")
    if low < high:
        return [f"{name} is known only from {low!r} to {high!r}"]
    if struct.pack("<f" if precision == 32 else "<d", low) != bits.to_bytes(precision // 8, "little"):
        raise BundleError(f"{name} has another sign than what the model gives")
    return []


def _label(rule: Above | Greatest, found: Mapping[str, Enclosed], precisions: Mapping[str, int]) -> int | None:
    """The index of the chosen class; None if it hangs on last bits."""
    if isinstance(rule, Above):
        bound = rounding(precisions[rule.number])(rule.bound)
        sides = {end >= bound if rule.inclusive else end > bound for end in found[rule.number]}
        return int(sides.pop()) if len(sides) == 1 else None
    places = range(len(rule.numbers))
    return next(
        (one for one in places if all(_leads(one, other, rule, found) for other in places if other != one)), None
    )


def _leads(one: int, other: int, rule: Greatest, found: Mapping[str, Enclosed]) -> bool:
    """Whether a class is surely chosen over another one; of equal ones the first is.

    Where a network's softmax follows, a lead must be above what that may lose.
    """
    lead = found.get(lead_name(rule, *sorted((one, other))))
    if lead is None:
        ends, others = found[rule.numbers[one]], found[rule.numbers[other]]
        return not rule.after_softmax and (ends[0] > others[1] if other < one else ends[0] >= others[1])
    margin = softmax_margin(rule)
    if other < one:
        return lead[1] < -margin
    return lead[0] > margin if margin else lead[0] >= 0


def _decided(one: Threshold, found: Enclosed) -> int | None:
    """What is decided for each number that it may be; None if that is not the same, or hangs on a guessed bound."""
    if one.guessed is not None:
        low, high = map(Fraction, found)
        above, below = low >= Fraction(one.guessed.upto), high <= Fraction(one.guessed.over)
        return int(above == one.is_above) if above or below else None
    sides = {_COMPARISONS[one.comparison](Fraction(end), Fraction(one.bound)) for end in found}
    return int(sides.pop()) if len(sides) == 1 else None
