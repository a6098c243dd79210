"""The Family: every scenario that the suppositions allow, except the factual one.

>>> from soid.program.interface import Role, Variable
>>> from soid.program.types import BoolType
>>> from soid.scenario.supposition import Anything
>>> interface = Interface((Variable("error", Role.ENVIRONMENT, BoolType()), Variable("heat", Role.STATE, BoolType())))
>>> family = Family(interface, {"error": 0, "heat": 1}, (Anything("error"),))
>>> family.fixed, family.puncture
({'heat': 1}, error)
>>> family.contains({"error": 1, "heat": 1}), family.contains({"error": 0, "heat": 1})
(True, False)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import final

from msgspec import Struct

from soid.errors import QueryError, TraceError
from soid.formula import build
from soid.formula import softfloat as sf
from soid.formula.build import FALSE, TRUE
from soid.formula.passes import evaluate_all, substitute
from soid.formula.term import Term
from soid.program import domain as domains
from soid.program.domain import Domain, LoggedValue, OrMissing, Range
from soid.program.interface import Interface, Variable, given
from soid.program.types import BoolType, EnumType, FloatType, IntType, constant, missing_value, number, show
from soid.scenario.expression import pointing_at
from soid.scenario.free_conditions import InputScope, condition
from soid.scenario.input_names import all_called, called
from soid.scenario.pinned_variables import pinned
from soid.scenario.supposition import (
    AnyBits,
    Keep,
    Satisfies,
    Supposition,
    Within,
    called_missing,
    check_distance,
    freed,
    mentioned,
    supposition_text,
)


@final
class LabelledTerm(Struct, frozen=True):
    """A condition and its description in words."""

    label: str
    term: Term


@final
@dataclass(frozen=True)
class Family:
    """A keyframe's inputs and the suppositions about them. All that follows from these is computed once."""

    interface: Interface
    fact: Mapping[str, int]  # bits of every input at the keyframe
    suppositions: tuple[Supposition, ...]
    pinning: bool = field(default=True, compare=False)  # put inputs with one possible value into `given`
    rounded: Mapping[str, Range] = field(default_factory=dict)  # values that a rounded factual one may stand for
    texts: tuple[str, ...] = ()  # of the suppositions, if they are not their own (`soid.scenario.course`)
    recorded: Mapping[str, tuple[LoggedValue, ...]] = field(default_factory=dict)  # of inputs of several steps: later
    assumed: frozenset[str] = frozenset()  # inputs whose factual value is not known: they vary too
    fitting: Term = TRUE  # which values of these fit the log
    unperceived: frozenset[str] = frozenset()  # inputs of which the fact perceives nothing
    supposed: tuple[str, ...] = field(init=False, compare=False)  # inputs that the suppositions vary
    freed: dict[str, Domain] = field(init=False, compare=False)  # inputs that vary, with their domains
    fixed: dict[str, int] = field(init=False, compare=False)  # bits of the inputs that do not vary
    given: dict[str, int] = field(init=False, compare=False)  # `fixed`, and freed inputs with one possible value
    conjuncts: tuple[LabelledTerm, ...] = field(init=False, compare=False)  # domains and suppositions
    puncture: Term = field(init=False, compare=False)  # some freed input differs from the fact, rounding included

    def __post_init__(self) -> None:
        interface, fact = self.interface, self.fact
        for variable in interface.inputs:
            if variable.path not in fact:
                raise TraceError(f"the log has no value of {variable.path} at this moment", "Log every input.")
        wide = {interface.variable(each.path).path for each in self.suppositions if isinstance(each, AnyBits)}
        supposed = {path: interface.variable(path) for path in freed(interface, self.suppositions)}
        varying = supposed | {path: interface.variable(path) for path in sorted(self.assumed)}
        # an input that is freed through views alone ranges over their domains
        named = _named(interface, self.suppositions)
        wide |= supposed.keys() - named.keys()
        ranges = {path: domains.AnyBitsDomain() if path in wide else v.domain for path, v in varying.items()}
        for path in called_missing(interface, self.suppositions) & varying.keys() - wide:
            ranges[path] = _or_missing(varying[path])
        fixed = {v.path: fact[v.path] for v in interface.inputs if v.path not in varying}
        differs = (build.not_(self._may_be_the_fact(v)) for v in supposed.values())
        object.__setattr__(self, "supposed", tuple(supposed))
        object.__setattr__(self, "freed", ranges)
        object.__setattr__(self, "fixed", fixed)
        object.__setattr__(self, "puncture", build.any_of(differs))
        object.__setattr__(self, "conjuncts", tuple(_conjuncts(self, named)))
        bits = pinned(self.precondition) if self.pinning else {}
        one_value = {path: bits[v.symbol] for path, v in varying.items() if v.symbol in bits}
        object.__setattr__(self, "given", {**fixed, **one_value})

    def _may_be_the_fact(self, variable: Variable) -> Term:
        """The variable has its factual bits. If it is logged rounded: it has a value that rounds to the logged one.

        One value of several steps is the fact only if it was logged in all of them. If the fact is not known, every
        value may be another one; whether a scenario is the fact is looked at later (`soid.oracle.assumed_inputs`).
        Bits that stand for many values may be another one of them.
        """
        path = variable.path
        if isinstance(variable.type, EnumType) and variable.type.other is not None:
            if number(variable.type, self.fact[path]) == variable.type.other:
                return FALSE
        if path in self.assumed:
            return FALSE
        if path in self.unperceived:
            return TRUE
        logged = (LoggedValue(self.fact[path], self.rounded.get(path)), *self.recorded.get(path, ()))
        return build.all_of(
            variable.equals(each.bits)
            if each.rounded is None
            else domains.formula(variable.type, each.rounded, variable.symbol)
            for each in logged
        )

    def was_one_value(self, variable: Variable) -> bool:
        """Whether the fact has one value of an input in all of its steps; else every value of it is another."""
        path = variable.path
        return all(each.may_be(variable.type, self.fact[path]) for each in self.recorded.get(path, ()))

    @property
    def undetermined(self) -> tuple[Variable, ...]:
        """The assumed inputs that the question leaves as they were, whatever that was."""
        return tuple(self.interface.variable(path) for path in sorted(self.assumed) if path not in self.supposed)

    @property
    def possible(self) -> Term:
        """Which values these may have had."""
        ranges = (domains.formula(v.type, v.domain, v.symbol) for v in self.undetermined)
        return build.and_(*ranges, self.fitting)

    @property
    def differs_for_sure(self) -> Term:
        """Some freed input differs from a fact that is known."""
        known = [path for path in self.supposed if path not in self.assumed]
        return build.any_of(build.not_(self._may_be_the_fact(self.interface.variable(path))) for path in known)

    @cached_property
    def varying(self) -> tuple[Variable, ...]:
        """The freed inputs that are not syntactically pinned to one value."""
        return tuple(self.interface.variable(path) for path in self.freed if path not in self.given)

    def constants(self, values: Mapping[str, int]) -> dict[Term, Term]:
        """The symbols of some inputs, and the constants that their bits are."""
        symbols = {self.interface.variable(path).symbol: bits for path, bits in values.items()}
        return {symbol: build.const(symbol.sort, bits) for symbol, bits in symbols.items()}

    @property
    def limited(self) -> list[str]:
        """The varying inputs that do not have every value of their type, with those that they have."""
        found: dict[tuple[str, str], list[str]] = {}  # by variable and domain: one of later steps is many inputs
        for variable in self.varying:
            domain = self.freed[variable.path]
            if domains.formula(variable.type, domain, variable.symbol) is not TRUE:
                base = variable.path.partition("@")[0]
                found.setdefault((base, describe_domain(variable, domain)), []).append(variable.path)
        return [f"{', '.join(all_called(paths))}: {over}" for (_, over), paths in found.items()]

    @cached_property
    def scenarios(self) -> tuple[Term, Term]:
        """Precondition and puncture over the symbols of the varying inputs; the values in `given` are substituted."""
        values = self.constants({path: self.given[path] for path in self.freed if path in self.given})
        if not values:
            return self.precondition, self.puncture
        precondition, puncture = substitute([self.precondition, self.puncture], values)
        return precondition, puncture

    @cached_property
    def precondition(self) -> Term:
        """The conjunction of domains and suppositions: a term over the symbols of freed inputs only."""
        return build.all_of(conjunct.term for conjunct in self.conjuncts)

    def contains(self, state: Mapping[str, int], *, punctured: bool = True) -> bool:
        """Whether the inputs (as bits) are a scenario of the family; without the puncture, it may be the fact."""
        if any(state[path] != bits for path, bits in self.fixed.items()):
            return False
        values = {self.interface.variable(path).symbol: state[path] for path in self.freed}
        return all(evaluate_all([self.precondition, self.puncture if punctured else TRUE], values))


def describe_domain(variable: Variable, domain: Domain) -> str:
    return domains.described(variable.type, domain, variable.measure)


def _or_missing(variable: Variable) -> Domain:
    missing = missing_value(variable.type)
    assert missing is not None and not isinstance(variable.domain, OrMissing)
    inside = domains.contains(variable.type, variable.domain, missing)
    return variable.domain if inside else OrMissing(variable.domain, missing)


def _conjuncts(family: Family, named: Mapping[str, Variable]) -> list[LabelledTerm]:
    """Domains and suppositions with their descriptions, without those that are trivially true."""
    found = []
    for path, domain in family.freed.items():
        variable = family.interface.variable(path)
        term = domains.formula(variable.type, domain, variable.symbol)
        found.append(LabelledTerm(f"{called(path)} ranges over: {describe_domain(variable, domain)}", term))
    found.append(LabelledTerm("what is not known fits what is logged", family.fitting))
    found += _seen_through(family, named)
    scope = InputScope(family.interface, family.fact, family.fixed)
    texts = family.texts or tuple(map(supposition_text, family.suppositions))
    for text, supposition in zip(texts, family.suppositions, strict=False):  # the rest are later values that are free
        found.append(LabelledTerm(text, _condition(supposition, scope)))
    return [conjunct for conjunct in found if conjunct.term is not TRUE]


def _seen_through(family: Family, named: Mapping[str, Variable]) -> Iterator[LabelledTerm]:
    """The domains of the views that suppositions name; and that the other bits of what they read keep the fact."""
    wide = {family.interface.variable(each.path).path for each in family.suppositions if isinstance(each, AnyBits)}
    seen: dict[Variable, int] = {}
    for view in (each for each in named.values() if each.parts):
        for part in view.parts:
            seen[part.variable] = seen.get(part.variable, 0) | ((1 << part.count) - 1) << part.first
        if view.path not in wide and any(each.path in family.freed for each in view.sources):
            inside = domains.formula(view.type, view.domain, view.symbol)
            if isinstance(view.type, BoolType):
                inside = build.bvule(view.held, build.const(view.held.sort, 1))
            label = f"{view.path} ranges over: {describe_domain(view, view.domain)}"
            yield LabelledTerm(label, given(inside, family.fixed, view.sources))
    for variable, bits in seen.items():
        rest = (1 << variable.type.width) - 1 & ~bits
        if rest and variable.path in family.freed and variable.path not in named:
            yield LabelledTerm(f"the rest of {variable.path} is as in fact", _kept(variable, rest, family.fact))


def _kept(variable: Variable, bits: int, fact: Mapping[str, int]) -> Term:
    """Some bits of a variable are as in fact."""
    if isinstance(variable.type, BoolType):
        return variable.equals(fact[variable.path])
    mask, known = (build.const(variable.symbol.sort, each) for each in (bits, bits & fact[variable.path]))
    return build.eq(build.bvand(variable.symbol, mask), known)


def _named(interface: Interface, suppositions: Iterable[Supposition]) -> dict[str, Variable]:
    """The variables and views that suppositions free by their names."""
    freeing = (each for each in suppositions if not isinstance(each, Keep))
    return {variable.path: variable for each in freeing for variable in mentioned(interface, each)}


def _condition(supposition: Supposition, scope: InputScope) -> Term:
    with pointing_at(supposition.span):
        if isinstance(supposition, Within):
            return _near(supposition, scope)
        return condition(supposition.formula, scope) if isinstance(supposition, Satisfies) else TRUE


def _near(supposition: Within, scope: InputScope) -> Term:
    """Exactly the values v with |v - fact| <= distance. Both ends are computed exactly and rounded inwards."""
    variable = scope.interface.variable(supposition.path)
    kind, fact = variable.type, variable.value_in(scope.facts)
    assert fact is not None, "the fact has every input"
    if isinstance(kind, FloatType):
        if not sf.is_finite(kind.format, fact):
            raise QueryError(
                f"nothing is near to the fact: {variable.path} was {show(kind, fact)}",
                f"Give a range instead: 0.0 <= {variable.path} <= 1.0.",
            )
        middle = sf.to_fraction(kind.format, fact)
        distance = check_distance(variable, supposition, middle)
        low = sf.ceil_fraction(kind.format, middle - distance)
        high = sf.floor_fraction(kind.format, middle + distance)
    else:
        assert isinstance(kind, IntType)
        whole = number(kind, fact)
        distance = check_distance(variable, supposition, Fraction(whole))
        low = max(kind.least, math.ceil(whole - distance))
        high = min(kind.greatest, math.floor(whole + distance))
    value = variable.reading
    return build.and_(
        domains.at_most(kind, constant(kind, low), value), domains.at_most(kind, value, constant(kind, high))
    )
