"""The numbers of a model as terms over its features, and what follows from them: labels and decisions by threshold.

A number of a library that adds in any order is known between two ends, which are two functions of the features. What
follows from it is known where both ends lead to the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Final, final

from msgspec import Struct, field
from msgspec.structs import replace

from soid.engine.learned.evaluation import Trees
from soid.engine.learned.forest import Forest
from soid.engine.learned.learned_source import OpenBound, Threshold
from soid.engine.learned.linear_bounds import LinearBounds
from soid.engine.learned.link_function import LinkFunction
from soid.engine.learned.links import is_shared
from soid.engine.learned.model import Above, Greatest, LearnedModel, LinearSum, Link, TreeSum
from soid.engine.learned.network import NetworkSum
from soid.engine.learned.network_leads import lead_name, leads_of, softmax_margin
from soid.engine.learned.networks.network_function import NetworkFunction
from soid.engine.learned.networks.shared_network import SharedNetwork
from soid.engine.learned.sum_functions import LinearFunction, TreeFunction
from soid.engine.summary import Approximation, LabelCase, OutputValue
from soid.formula import build
from soid.formula import softfloat as sf
from soid.formula.build import FALSE
from soid.formula.sorts import FLOAT64, BitVec, Float
from soid.formula.term import Term

_CLASSES: Final = BitVec(32)


@final
class KnownNumber(Struct, frozen=True):
    """A number between two ends, which are the same term where it is known exactly."""

    low: Term
    high: Term

    @property
    def is_exact(self) -> bool:
        return self.low is self.high

    def output(self, why: str) -> OutputValue:
        if self.is_exact:
            return OutputValue(self.low)
        same = build.eq(self.low, self.high)
        return OutputValue(self.low, same, build.not_(same), self.high, why)


_Function = TreeFunction | LinearFunction | LinkFunction | NetworkFunction
_Sum = TreeSum | LinearSum | NetworkSum


@final
class ModelParts(Struct, frozen=True):
    """What a model's sums are made of, ready to be bounded."""

    forests: tuple[Forest, ...]
    lines: Mapping[str, LinearBounds]
    networks: tuple[SharedNetwork, ...]
    leads: tuple[NetworkSum, ...]  # of classes over each other
    functions: dict[tuple[str, int | None, bool], _Function] = field(default_factory=dict)  # by name, end, of ends

    @classmethod
    def of(cls, model: LearnedModel) -> ModelParts:
        forests = tuple(Forest.of(Trees(each), model.features) for each in model.trees)
        linear = [each for each in model.sums if isinstance(each, LinearSum)]
        networks = tuple(SharedNetwork(each, model.features) for each in model.networks)
        leads = leads_of(model)
        for one in (*model.sums, *leads):
            if isinstance(one, NetworkSum):
                networks[one.network].add(one)
        return cls(forests, {each.name: LinearBounds(each, model.features) for each in linear}, networks, leads)

    @property
    def used(self) -> frozenset[int]:
        """The features that some number depends on."""
        used = [each.used for each in self.forests] + [each.used for each in self.lines.values()]
        return frozenset(number for each in (*used, *(one.used for one in self.networks)) for number in each)

    def used_by(self, one: _Sum) -> Sequence[int]:
        if isinstance(one, LinearSum):
            return self.lines[one.name].used
        return self.networks[one.network].used if isinstance(one, NetworkSum) else self.forests[one.trees].used


@final
class ModelNumbers:
    """The numbers of a model in the steps of one exploration; each that is no constant is an approximation."""

    def __init__(self, model: LearnedModel, parts: ModelParts) -> None:
        self._model = model
        self._parts = parts
        self.approximations: list[Approximation] = []

    def of(self, features: Sequence[Term | None], step: int) -> dict[str, KnownNumber]:
        """All numbers, from the terms of the features; None for those that the model does not use."""
        found: dict[str, KnownNumber] = {}
        for each in (*self._model.sums, *self._parts.leads):
            found[each.name] = self._sum(each, features, step)
        for link in self._model.links:
            found[link.name] = self._link(link, [found[name] for name in link.arguments], step)
        return found

    def _sum(self, one: _Sum, features: Sequence[Term | None], step: int) -> KnownNumber:
        arguments = tuple(term for number in self._parts.used_by(one) if (term := features[number]) is not None)
        if not one.any_order:
            known = self._made(one.name, step, arguments, self._function(one, None))
            return KnownNumber(known, known)
        low, high = (
            self._made(f"{side} {one.name}", step, arguments, self._function(one, end))
            for end, side in enumerate(("least", "greatest"))
        )
        return KnownNumber(low, high)

    def _function(self, one: _Sum, end: int | None) -> _Function:
        if isinstance(one, LinearSum):
            return self._kept((one.name, end, False), lambda: LinearFunction(self._parts.lines[one.name], end))
        if isinstance(one, NetworkSum):
            network = self._parts.networks[one.network]
            return self._kept((one.name, end, False), lambda: NetworkFunction(network, one, end or 0))
        return self._kept((one.name, end, False), lambda: TreeFunction(self._parts.forests[one.trees], one, end))

    def _kept(self, key: tuple[str, int | None, bool], made: Callable[[], _Function]) -> _Function:
        """A function, which is made once for a model."""
        if key not in self._parts.functions:
            self._parts.functions[key] = made()
        return self._parts.functions[key]

    def _link(self, link: Link, given: Sequence[KnownNumber], step: int) -> KnownNumber:
        if link.exact and all(each.is_exact for each in given):
            arguments = tuple(each.low for each in given)
            function = self._kept((link.name, None, False), lambda: LinkFunction(link, arguments))
            known = self._made(link.name, step, arguments, function)
            return KnownNumber(known, known)
        falls = link.function == "complement"
        others = is_shared(link)
        ends: list[Term] = []
        for end, side in enumerate(("least", "greatest")):
            own = [(each.low, each.high)[end != falls] for each in given]
            if others:  # it rises in the first of its arguments, and falls in those of the other classes
                own = [
                    (each.low, each.high)[end if name == link.arguments[0] else 1 - end]
                    for name, each in zip(link.arguments, given, strict=True)
                ]
            are_ends = not all(each.is_exact for each in given)
            function = self._kept((link.name, end, are_ends), partial(LinkFunction, link, own, end, are_ends=are_ends))
            ends.append(self._made(f"{side} {link.name}", step, tuple(own), function))
        return KnownNumber(*ends)

    def _made(self, name: str, step: int, arguments: tuple[Term, ...], function: _Function) -> Term:
        if all(each.is_const for each in arguments):
            return build.const(function.sort, function.value(tuple(each.value for each in arguments)))
        symbol = build.var(f"{name} of step {step + 1}", function.sort)
        self.approximations.append(Approximation(symbol, name, arguments, None, function))
        return symbol


def label_of(rule: Above | Greatest, numbers: Mapping[str, KnownNumber], why: str) -> OutputValue:
    """The index of the class that the model chooses."""
    if isinstance(rule, Above):
        number = numbers[rule.number]
        low, high = (_above(rule, end) for end in (number.low, number.high))
        one, none = build.const(_CLASSES, 1), build.const(_CLASSES, 0)
        return _settled(build.ite(low, one, none), build.eq(low, high), why)
    places = range(len(rule.numbers))
    chosen = [_wins(index, rule, numbers) for index in places]
    found = build.const(_CLASSES, len(chosen) - 1)
    for index in reversed(range(len(chosen) - 1)):
        found = build.ite(chosen[index], build.const(_CLASSES, index), found)
    has_leads = lead_name(rule, 0, 1) in numbers
    if rule.after_softmax and not has_leads:  # numbers that differ may have the same share
        return _settled(found, FALSE, why)
    exact = not has_leads and all(numbers[name].is_exact for name in rule.numbers)
    settled = _settled(found, build.TRUE if exact else build.any_of(chosen), why)
    if not has_leads:
        return settled
    cases = []
    for index in places:
        beaten = build.any_of(_leads(other, index, rule, numbers) for other in places if other != index)
        cases.append(LabelCase(index, chosen[index], build.not_(beaten)))
    return replace(settled, cases=tuple(cases))


def _above(rule: Above, number: Term) -> Term:
    assert isinstance(number.sort, Float)
    bound = build.const(number.sort, sf.from_fraction(number.sort, Fraction(rule.bound)))
    return build.fp_leq(bound, number) if rule.inclusive else build.fp_lt(bound, number)


def _wins(index: int, rule: Greatest, numbers: Mapping[str, KnownNumber]) -> Term:
    """Where a class is surely the first of those whose number is the greatest."""
    if lead_name(rule, 0, 1) in numbers:
        return build.all_of(_leads(index, other, rule, numbers) for other in range(len(rule.numbers)) if other != index)
    known = [numbers[name] for name in rule.numbers]
    own = known[index].low
    beaten = [build.fp_lt(other.high, own) for other in known[:index]]
    return build.all_of([*beaten, *(build.fp_leq(other.high, own) for other in known[index + 1 :])])


def _leads(index: int, other: int, rule: Greatest, numbers: Mapping[str, KnownNumber]) -> Term:
    """Where a class surely leads another one, by more than a softmax may lose; the first of equal ones leads."""
    first, second = sorted((index, other))
    lead, margin = numbers[lead_name(rule, first, second)], softmax_margin(rule)
    if index == second:
        return build.fp_lt(lead.high, _double(-margin))
    return build.fp_lt(_double(margin), lead.low) if margin else build.fp_leq(_double(0.0), lead.low)


def _double(number: float) -> Term:
    return build.const(FLOAT64, sf.float_to_bits64(number))


def decided_by(one: Threshold, number: KnownNumber, why: str) -> OutputValue:
    """What an application decides from a number: compared with a decimal, exactly."""
    if one.guessed is not None:
        return _guessed(one, one.guessed, number)
    low, high = (_compared(one, end) for end in (number.low, number.high))
    return _settled(low, build.eq(low, high), why)


def _guessed(one: Threshold, between: OpenBound, number: KnownNumber) -> OutputValue:
    """The same for every bound that is above one number and not above another, whichever way it is compared with."""
    sort = number.low.sort
    assert isinstance(sort, Float)
    above = build.fp_leq(build.const(sort, sf.ceil_fraction(sort, Fraction(between.upto))), number.low)
    below = build.fp_leq(number.high, build.const(sort, sf.floor_fraction(sort, Fraction(between.over))))
    why = (
        f"the bound of {one.name} is guessed, and may be any between {between}: write the one that the application has"
    )
    return _settled(above if one.is_above else below, build.or_(above, below), why)


def _compared(one: Threshold, number: Term) -> Term:
    """A float against a decimal: the same as against the next float on the side of the decimal that counts."""
    assert isinstance(number.sort, Float)
    bound, sort = Fraction(one.bound), number.sort
    if one.comparison in (">=", "<"):
        least = build.const(sort, sf.ceil_fraction(sort, bound))
        return build.fp_leq(least, number) if one.comparison == ">=" else build.fp_lt(number, least)
    greatest = build.const(sort, sf.floor_fraction(sort, bound))
    return build.fp_lt(greatest, number) if one.comparison == ">" else build.fp_leq(number, greatest)


def _settled(term: Term, known: Term, why: str) -> OutputValue:
    if known is build.TRUE:
        return OutputValue(term)
    return OutputValue(term, known, build.not_(known) if known is not FALSE else build.TRUE, why=why)
