"""Adds what rounding to the nearest keeps: if x <= y, then x + z <= y + z, rounded or not.

    income > 0,  income < other,  2 * debt + income > 5,  not (2 * debt + other > 5)
    added:  income <= other implies (2 * debt + income <= 2 * debt + other), unless one of the sums is no number

A solver that looks at floats bit by bit does not see that. Lemmas are made for pairs of terms of the same shape, such
as what a program computes for two persons, for pairs that share an argument, and for what is compared with a constant:

    x < 2000,  0.5 * x - debt > y,  not (1000 + (x - 2000) - debt > y)
    added:  x <= 2000 implies 0.5 * x <= 1000;  0.5 * x <= 1000 + (x - 2000) implies the same of both without debt

They hold for all floats, so the answer is the same with and without them.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, final

from msgspec import Struct

from soid.formula import build
from soid.formula import operators as ops
from soid.formula import softfloat as sf
from soid.formula.intervals import Floats
from soid.formula.passes import substitute
from soid.formula.reach import Reach
from soid.formula.sorts import BitVec, Float
from soid.formula.term import Term, postorder
from soid.solver.protocol import UNLIMITED, Budget, Cancellation, Conjuncts, Result, SolverLayer, Unsat

#: for each operator whether its result rises (1) or falls (-1) with each argument
_RISING: Final[Mapping[ops.Operator, tuple[int, ...]]] = {
    ops.FP_ADD: (1, 1),
    ops.FP_SUB: (1, -1),
    ops.FP_NEG: (-1,),
    ops.FP_SQRT: (1,),
    ops.FP_TO_FP: (1,),
    ops.SBV_TO_FP: (1,),
    ops.UBV_TO_FP: (1,),
}
_FACTORS: Final = (ops.FP_MUL, ops.FP_DIV)  # they rise or fall with the sign of the other argument
_MOST: Final = 200  # lemmas for a question
_BRIEFLY: Final = 10.0  # seconds for the question without arithmetic, which is easy if it says anything
_SHARE: Final = 0.25  # of the time that there is
_BY: Final = "monotone"


@final
class MonotoneLemmas(SolverLayer):
    """Asks another solver with lemmas beside the conjuncts: first whether these alone contradict each other."""

    def check(self, conjuncts: Conjuncts, budget: Budget = UNLIMITED, cancel: Cancellation | None = None) -> Result:
        added = lemmas(conjuncts)
        if not added:
            return self._inner.check(conjuncts, budget, cancel)
        left = budget.started()
        brief = _BRIEFLY if budget.seconds is None else min(_BRIEFLY, budget.seconds * _SHARE)
        if isinstance(self._inner.check(abstracted(conjuncts, added), Budget(brief), cancel), Unsat):
            return Unsat(_BY)
        return self._inner.check([*conjuncts, *added], left.left(), cancel)


def abstracted(conjuncts: Conjuncts, added: Sequence[Term]) -> list[Term]:
    """The conjuncts in which rounded results may be any numbers, then what lemmas and intervals say of these.

    What is impossible then is impossible. A solver need not know how floats are added.
    """
    reach = Reach(build.all_of(conjuncts))
    put: dict[Term, Term] = {}
    for term in postorder(conjuncts):
        if (term.op in _RISING or term.op in _FACTORS) and isinstance(term.sort, Float):
            bits = build.var(f"result {len(put)}", BitVec(term.sort.width))
            put[term] = build.fp_from_bits(term.sort, bits)
    ranges = [within for term in put for within in _within(term, reach)]
    return substitute([*conjuncts, *added, *ranges], put)


def _within(term: Term, reach: Reach) -> Iterator[Term]:
    """That a result lies in its interval."""
    values = reach.of(term)
    assert isinstance(values, Floats) and isinstance(term.sort, Float)
    if not values.nan and values.low <= values.high:
        low, high = (build.const(term.sort, sf.from_ordinal(term.sort, end)) for end in (values.low, values.high))
        yield build.fp_leq(low, term)
        yield build.fp_leq(term, high)


def lemmas(conjuncts: Conjuncts) -> list[Term]:
    """What holds of pairs of terms, and of what is made of a number and constants. The likeliest to help come first."""
    groups = list(_alike(conjuncts))
    if not groups:
        return []
    order = postorder(conjuncts)
    reach = Reach(build.all_of(conjuncts))
    found: dict[Term, None] = {}
    made = (_of_groups(groups), _of_thresholds(order), *map(_of_shift, order), _of_groups(list(_sharing(order))))
    for lemma in itertools.chain(*made):
        if len(found) == _MOST:
            break
        found[_as_numbers(lemma, reach)] = None
    found.pop(build.TRUE, None)
    return list(found)


@final
class _Lemma(Struct, frozen=True):
    """If something holds, one float is at most another."""

    premise: Term
    low: Term
    high: Term


def _as_numbers(lemma: _Lemma, reach: Reach) -> Term:
    """The lemma as a formula, which says nothing where one of the two is no number."""
    nan = [build.fp_is_nan(each) for each in (lemma.low, lemma.high)]
    held = build.or_(build.fp_leq(lemma.low, lemma.high), *(each for each in nan if not reach.excludes(each)))
    return build.or_(build.not_(lemma.premise), held)


def _of_groups(groups: Sequence[Sequence[Term]]) -> Iterator[_Lemma]:
    for group in groups:
        for one, other in itertools.combinations(group, 2):
            yield from _of_pair(one, other)


def _of_shift(term: Term) -> Iterator[_Lemma]:
    """A number to which a constant is added, or from which one is taken."""
    if term.op not in (ops.FP_ADD, ops.FP_SUB):
        return
    for base, added in (term.args,) if term.op is ops.FP_SUB else (term.args, term.args[::-1]):
        assert isinstance(added.sort, Float)
        if added.is_const and not sf.is_nan(added.sort, added.value):
            rises = sf.is_negative(added.sort, added.value) == (term.op is ops.FP_SUB)
            yield _Lemma(build.TRUE, *((base, term) if rises else (term, base)))


def _alike(conjuncts: Conjuncts) -> Iterator[list[Term]]:
    """Terms that round floats, those of the same shape together."""
    shapes: dict[Term, tuple[object, ...]] = {}
    numbers: dict[tuple[object, ...], int] = {}
    groups: dict[int, list[Term]] = defaultdict(list)
    for term in postorder(conjuncts):
        inside = tuple(numbers[shapes[each]] for each in term.args)
        own = () if term.is_var else (term.value,) if term.is_const else term.params
        shape = (term.op, term.sort, own, inside)
        shapes[term] = shape
        number = numbers.setdefault(shape, len(numbers))
        if term.op in _RISING or term.op in _FACTORS:
            groups[number].append(term)
    return (group for group in groups.values() if len(group) > 1)


def _sharing(order: Iterable[Term]) -> Iterator[list[Term]]:
    """Terms that apply an operator to the same term in the same place, and to others."""
    groups: dict[tuple[object, ...], list[Term]] = defaultdict(list)
    for term in order:
        if len(term.args) == 2 and (term.op in _RISING or term.op in _FACTORS):
            for at, shared in enumerate(term.args):
                if not shared.is_const:
                    groups[term.op, at, shared].append(term)
    return (group for group in groups.values() if len(group) > 1)


def _of_thresholds(order: Iterable[Term]) -> Iterator[_Lemma]:
    """What an operation makes of a number below or above a constant, where a condition compares the two."""
    thresholds: dict[Term, dict[Term, None]] = defaultdict(dict)
    for term in order:
        if term.op in (ops.FP_LT, ops.FP_LEQ):
            for one, other in (term.args, term.args[::-1]):
                if other.is_const:
                    thresholds[one][other] = None
    for term in order:
        for at, varying in enumerate(term.args):
            sign = _sign(term, at)
            for constant in thresholds[varying] if sign else ():
                args = tuple(constant if place == at else arg for place, arg in enumerate(term.args))
                image = build.apply(term.op, args, term.params)
                assert isinstance(image.sort, Float)
                if not sf.is_nan(image.sort, image.value):
                    thresholds[term][image] = None
                    low, high = (term, image) if sign == 1 else (image, term)
                    yield _Lemma(build.fp_leq(varying, constant), low, high)
                    yield _Lemma(build.fp_leq(constant, varying), high, low)


def _sign(term: Term, at: int) -> int:
    """Whether a term rises (1) or falls (-1) with one argument, all others being constants; 0 where that is not so."""
    others = [arg for place, arg in enumerate(term.args) if place != at]
    if not all(arg.is_const for arg in others) or term.args[at].is_const or not isinstance(term.args[at].sort, Float):
        return 0
    if term.op in _RISING:
        return _RISING[term.op][at]
    if term.op not in _FACTORS or (term.op is ops.FP_DIV and at == 1):
        return 0
    (factor,) = others
    assert isinstance(factor.sort, Float)
    if sf.is_zero(factor.sort, factor.value) or not sf.is_finite(factor.sort, factor.value):
        return 0
    return -1 if sf.is_negative(factor.sort, factor.value) else 1


def _of_pair(one: Term, other: Term) -> Iterator[_Lemma]:
    """The lemmas of two results, each way round."""
    if one.op in _FACTORS:
        yield from _of_products(one, other)
        return
    premises = [
        (mine, theirs, sign)
        for mine, theirs, sign in zip(one.args, other.args, _RISING[one.op], strict=True)
        if mine is not theirs
    ]
    for way in (1, -1):
        below = [_at_most(mine, theirs, sign * way, one.op) for mine, theirs, sign in premises]
        yield _Lemma(build.all_of(below), *((one, other) if way == 1 else (other, one)))


def _of_products(one: Term, other: Term) -> Iterator[_Lemma]:
    """The same of products and quotients with one argument in common; of a quotient that is the divisor."""
    shared = [at for at, (mine, theirs) in enumerate(zip(one.args, other.args, strict=True)) if mine is theirs]
    if len(shared) != 1 or (one.op is ops.FP_DIV and shared != [1]):
        return
    factor, mine, theirs = one.args[shared[0]], one.args[1 - shared[0]], other.args[1 - shared[0]]
    assert isinstance(factor.sort, Float)
    zero = build.const(factor.sort, 0)
    for sign, where in ((1, build.fp_lt(zero, factor)), (-1, build.fp_lt(factor, zero))):
        for way in (1, -1):
            below = build.and_(where, _at_most(mine, theirs, sign * way, one.op))
            if below is not build.FALSE:
                yield _Lemma(below, *((one, other) if way == 1 else (other, one)))


def _at_most(one: Term, other: Term, sign: int, operator: ops.Operator) -> Term:
    low, high = (one, other) if sign == 1 else (other, one)
    if operator is ops.SBV_TO_FP:
        return build.bvsle(low, high)
    if operator is ops.UBV_TO_FP:
        return build.bvule(low, high)
    return build.fp_leq(low, high)
