"""The interval of each term while some conditions hold, computed once from the intervals of its arguments.

>>> from soid.formula.build import and_, bvadd, bvule, const, eq, var
>>> from soid.formula.sorts import BitVec
>>> x = var("x", BitVec(8))
>>> reach = Reach(and_(bvule(const(BitVec(8), 3), x), bvule(x, const(BitVec(8), 5))))
>>> reach.of(bvadd(x, x)), reach.excludes(eq(bvadd(x, x), const(BitVec(8), 11)))
(Bits(low=6, size=4), True)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import final

from soid.formula import bounds, intervals
from soid.formula import operators as ops
from soid.formula.intervals import ALWAYS, NEVER, Bits, Floats, Values
from soid.formula.passes import flatten_and
from soid.formula.sorts import BitVec
from soid.formula.term import Term


@final
class Reach:
    """The intervals of terms, computed on demand and kept."""

    def __init__(self, condition: Term) -> None:
        conjuncts = flatten_and([condition])
        self._told = told(conjuncts)
        # the bit-vectors that are one of some constants, with these constants
        self._chosen = dict(chosen for chosen in map(one_of, conjuncts) if chosen is not None)
        self._known: dict[Term, Values] = {}

    def expect(self, term: Term, values: Values) -> None:
        """Assume an interval of a term. It counts for terms that are asked for later."""
        self._known[term] = values

    def excludes(self, side: Term) -> bool:
        """Whether a condition holds in no state."""
        return all(map(self._contradicts, side.args if side.op is ops.OR else (side,))) or self.of(side) == NEVER

    def _contradicts(self, comparison: Term) -> bool:
        """Whether it leaves a term none of the values that the conditions leave it: seen without its interval."""
        compared = _compared(comparison)
        known = None if compared is None else self._told.get(compared[0])
        return (
            compared is not None and known is not None and intervals.meet(compared[0].sort, compared[1], known) is None
        )

    def of(self, root: Term) -> Values:
        known, stack = self._known, [root]
        while stack:
            term = stack[-1]
            if term in known:
                stack.pop()
                continue
            waiting = [arg for arg in term.args if arg not in known]
            if waiting:
                stack += waiting
                continue
            known[stack.pop()] = self._worked_out(term)
        return known[root]

    def _worked_out(self, term: Term) -> Values:
        args = [self._known[arg] for arg in term.args]
        if term.is_var:
            found = intervals.everything(term.sort)
        elif term.op is ops.FP_FROM_BITS and term.args[0] in self._chosen:  # as floats their hull may be smaller
            found = intervals.hull(term.sort, self._chosen[term.args[0]])
        else:
            found = intervals.evaluate(term, args)
        known = self._told.get(term)
        both = found if known is None else intervals.meet(term.sort, found, known)
        return found if both is None else both  # no values left means no state left: any answer is right


def told(conditions: Iterable[Term]) -> dict[Term, Values]:
    """The terms that conditions compare with constants, and the values that the conditions leave them."""
    found: dict[Term, Values] = {}
    for term, values in filter(None, map(_compared, conditions)):
        before = found.get(term)
        both = values if before is None else intervals.meet(term.sort, before, values)
        if both is not None:  # contradicting conditions show when one is evaluated under the other
            found[term] = both
    return found


def _compared(condition: Term) -> tuple[Term, Values] | None:
    """The term that a condition compares with constants, and the values that the condition leaves it."""
    compared = bounds.span_of(condition)
    if compared is not None:
        (term, order), span = compared
        if order == bounds.FLOAT:
            return (term, Floats(span.low, span.high, span.nan)) if span.low <= span.high or span.nan else None
        assert isinstance(term.sort, BitVec)
        return (term, intervals.numbers(span.low, span.high, term.sort.width)) if span.low <= span.high else None
    chosen = one_of(condition)
    if chosen is not None:
        term, constants = chosen
        low, high = min(constants), max(constants)
        return term, Bits(low, high - low)
    if condition.is_var:
        return condition, ALWAYS
    if condition.op is ops.NOT and condition.args[0].is_var:
        return condition.args[0], NEVER
    return None


def one_of(term: Term) -> tuple[Term, frozenset[int]] | None:
    """The bit-vector and the constants, if a condition says that the bit-vector is one of the constants."""
    found: set[Term] = set()
    constants: set[int] = set()
    for each in term.args if term.op is ops.OR else (term,):
        if each.op is not ops.EQ or not isinstance(each.args[0].sort, BitVec):
            return None
        one, other = each.args if each.args[1].is_const else each.args[::-1]
        if not other.is_const:
            return None
        found.add(one)
        constants.add(other.value)
    return (found.pop(), frozenset(constants)) if len(found) == 1 else None
