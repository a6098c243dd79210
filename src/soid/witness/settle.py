"""Settling a witness: from any model of a formula to the one that is shown.

A model is an accident of the solver that found it. The witness shown is not: first every variable that can go back
to its factual value goes back, in the interface's order; then each of the others is moved as near to the fact as the
formula allows, again in order, the lower of two equally near values first. Each step asks only *whether* something
can hold, so the result does not depend on which solver answers, and it ends at the same state whichever model it
started from.

    fact  x = 1.0, signal = LEFT      formula  x >= 3 or signal = RIGHT
    model x = 7.25e30, signal = RIGHT
    shown x = 1.0, signal = RIGHT
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, assert_never, final

from soid.budget import Deadline
from soid.formula import build
from soid.formula import softfloat as sf
from soid.formula.checking import Checker, Impossible, Open, Possible
from soid.formula.sorts import BitVec
from soid.formula.term import Term
from soid.program.interface import Variable
from soid.program.types import BoolType, EnumType, FloatType, IntType, VariableType


@final
@dataclass(frozen=True, slots=True)
class Settled:
    """A state of the formula, as near to the fact as the budget found."""

    state: dict[str, int]  # bits of each freed variable
    complete: bool  # False: the budget ended first, and nearer states may exist


def settle(
    goal: Sequence[Term],
    freed: Sequence[Variable],
    fact: Mapping[str, int],
    model: Mapping[Term, Any],
    check: Checker,
    deadline: Deadline,
) -> Settled:
    """The settled state of the goal, starting from a model of it."""
    search = _Search(list(goal), freed, fact, model, check, deadline)
    moved = [variable for variable in freed if not search.returns(variable)]
    for variable in moved:
        search.approach(variable)
    return Settled({variable.path: search.bits(variable) for variable in freed}, search.complete)


@final
class _Search:
    """The goal with what has been pinned so far, and the best state known."""

    def __init__(
        self,
        goal: list[Term],
        freed: Sequence[Variable],
        fact: Mapping[str, int],
        model: Mapping[Term, Any],
        check: Checker,
        deadline: Deadline,
    ) -> None:
        self.goal = goal
        self.freed = freed
        self.fact = fact
        self.check = check
        self.deadline = deadline
        self.complete = True
        self.state: dict[str, int] = {}
        self._take(model)

    def _take(self, model: Mapping[Term, Any]) -> None:
        # A variable that the formula does not mention is free to stay as it was.
        self.state = {v.path: int(model.get(v.symbol, self.fact[v.path])) for v in self.freed}

    def bits(self, variable: Variable) -> int:
        return self.state[variable.path]

    def can(self, *wish: Term) -> bool:
        """Whether the goal can hold with the wish; if so, the best state becomes one in which it does."""
        if self.deadline.is_over:
            self.complete = False
            return False
        answer = self.check([*self.goal, *wish])
        match answer:
            case Possible(model):
                self._take(model)
                return True
            case Impossible():
                return False
            case Open():
                self.complete = False
                return False
            case _:
                assert_never(answer)

    def pin(self, variable: Variable) -> None:
        self.goal.append(_is(variable, self.bits(variable)))

    def returns(self, variable: Variable) -> bool:
        """Send a variable back to its factual value, if it can go."""
        fact = self.fact[variable.path]
        if self.bits(variable) != fact and not self.can(_is(variable, fact)):
            return False
        self.pin(variable)
        return True

    def approach(self, variable: Variable) -> None:
        """Move a variable that cannot go back as near to its factual value as it can go."""
        kind = variable.type
        if isinstance(kind, EnumType) and self._first_label(variable, kind):
            self.pin(variable)
        else:
            if not isinstance(kind, BoolType):
                self._nearest(variable, kind)
            self.pin(variable)

    def _first_label(self, variable: Variable, kind: EnumType) -> bool:
        """Labels have no nearness: the first in the order of declaration is taken."""
        mask = (1 << kind.width) - 1
        return any(
            self.bits(variable) == value & mask or self.can(_is(variable, value & mask))
            for _, value in kind.labels
            if value & mask != self.fact[variable.path]
        )

    def _nearest(self, variable: Variable, kind: IntType | FloatType | EnumType) -> None:
        fact = _key_of(kind, self.fact[variable.path])
        if isinstance(kind, FloatType) and _number_at(kind, fact) is not None:
            self._prefer_a_number(variable, kind)
        above = _key_of(kind, self.bits(variable)) > fact
        self._approach_from(variable, kind, fact, above)
        best = _key_of(kind, self.bits(variable))
        other = _mirrored(kind, fact, best)
        low, high = (other, fact - 1) if above else (fact + 1, other - 1)
        if low <= high and self.can(_between(variable, kind, low, high)):
            self._approach_from(variable, kind, fact, not above)

    def _prefer_a_number(self, variable: Variable, kind: FloatType) -> None:
        """To a number every number is nearer than infinities and NaNs are."""
        if _number_at(kind, _key_of(kind, self.bits(variable))) is None:
            greatest = kind.format.max_finite
            low, high = _key_of(kind, greatest | kind.format.sign_bit), _key_of(kind, greatest)
            self.can(_between(variable, kind, low, high))

    def _approach_from(self, variable: Variable, kind: IntType | FloatType | EnumType, fact: int, above: bool) -> None:
        """Bisect between the fact and the best state's value, which lies on the side meant."""
        near, far = (fact + 1 if above else fact - 1), _key_of(kind, self.bits(variable))
        while near != far:
            middle = (near + far) // 2 if above else -((-near - far) // 2)
            if self.can(_between(variable, kind, min(near, middle), max(near, middle))):
                far = _key_of(kind, self.bits(variable))
            elif not self.complete:
                return
            else:
                near = middle + 1 if above else middle - 1


# --- keys: bits mapped to integers in the order of the values -------------------------------------------------


def _is(variable: Variable, bits: int) -> Term:
    return build.eq(variable.symbol, build.const(variable.symbol.sort, bits))


def _key_of(kind: VariableType, bits: int) -> int:
    sign = 1 << (kind.width - 1)
    if isinstance(kind, FloatType):
        return bits ^ (2 * sign - 1) if bits & sign else bits | sign
    if isinstance(kind, IntType | EnumType) and kind.signed:
        return bits ^ sign
    return bits


def _key(kind: VariableType, symbol: Term) -> Term:
    sort = symbol.sort
    assert isinstance(sort, BitVec)
    sign = build.const(sort, 1 << (sort.width - 1))
    if isinstance(kind, FloatType):
        negative = build.eq(build.extract(symbol, sort.width - 1, sort.width - 1), build.const(BitVec(1), 1))
        return build.ite(negative, build.bvnot(symbol), build.bvor(symbol, sign))
    if isinstance(kind, IntType | EnumType) and kind.signed:
        return build.bvxor(symbol, sign)
    return symbol


def _between(variable: Variable, kind: VariableType, low: int, high: int) -> Term:
    key = _key(kind, variable.symbol)
    return build.and_(build.bvule(build.const(key.sort, low), key), build.bvule(key, build.const(key.sort, high)))


def _mirrored(kind: IntType | FloatType | EnumType, fact: int, best: int) -> int:
    """The key of the least value that is not less than the best one mirrored at the fact.

    Looking down from the fact, values from this key on are no farther than the best; looking up, values before it
    are strictly nearer. That asymmetry is what makes the lower of two equally near values win on either way.
    """
    top = (1 << kind.width) - 1
    if isinstance(kind, FloatType):
        values = [_number_at(kind, key) for key in (fact, best)]
        if None not in values:
            at_fact, at_best = values
            assert at_fact is not None
            assert at_best is not None
            target = 2 * at_fact - at_best
            return _key_of(kind, sf.ceil_fraction(kind.format, target))
    return max(0, min(top + 1, 2 * fact - best))


def _number_at(kind: FloatType, key: int) -> Fraction | None:
    sign = 1 << (kind.width - 1)
    bits = key ^ sign if key & sign else key ^ (2 * sign - 1)
    if sf.is_nan(kind.format, bits) or sf.is_infinite(kind.format, bits):
        return None
    return sf.to_fraction(kind.format, bits)
