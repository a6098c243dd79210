"""What terms can be while some conditions hold: each worked out once, by intervals, from what its arguments can be.

>>> from soid.formula.build import and_, bvadd, bvule, const, eq, var
>>> from soid.formula.sorts import BitVec
>>> x = var("x", BitVec(8))
>>> reach = Reach(and_(bvule(const(BitVec(8), 3), x), bvule(x, const(BitVec(8), 5))))
>>> reach.of(bvadd(x, x)), reach.excludes(eq(bvadd(x, x), const(BitVec(8), 11)))
(Bits(low=6, size=4), True)
"""

from __future__ import annotations

from typing import final

from soid.formula import bounds, intervals
from soid.formula import operators as ops
from soid.formula.intervals import ALWAYS, NEVER, Bits, Floats, Values
from soid.formula.passes import flatten_and
from soid.formula.sorts import BitVec
from soid.formula.term import Term


@final
class Reach:
    """What terms can be, remembered."""

    def __init__(self, condition: Term) -> None:
        self._told: dict[Term, Values] = {}  # what the condition says of a term by comparing it with constants
        self._known: dict[Term, Values] = {}
        for conjunct in flatten_and([condition]):
            told = said(conjunct)
            if told is not None:
                term, values = told
                before = self._told.get(term)
                both = values if before is None else intervals.meet(term.sort, before, values)
                self._told[term] = values if both is None else both

    def excludes(self, side: Term) -> bool:
        """Whether a truth holds nowhere."""
        return self.of(side) == NEVER

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
        found = intervals.everything(term.sort) if term.is_var else intervals.evaluate(term, args)
        told = self._told.get(term)
        both = found if told is None else intervals.meet(term.sort, found, told)
        return found if both is None else both  # where nothing is left, no state is: whatever is said of it is true


def said(condition: Term) -> tuple[Term, Values] | None:
    """The term that a condition compares with constants, and the values that it leaves to it."""
    told = bounds.told(condition)
    if told is not None:
        (term, order), span = told
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
    """The bit-vector, and the constants of which it is one, where a condition says that."""
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
