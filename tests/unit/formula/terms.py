"""Terms for tests. For every operator of the table, it finds sorts and parameters that the operator takes.

Random terms come from a random generator that `tests.randomness` supplies, as for `tests.floats`.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import product
from random import Random
from typing import Any

from soid.formula import build as b
from soid.formula import operators as ops
from soid.formula.constant_table import ConstantTable
from soid.formula.operators import IllSorted, Operator
from soid.formula.smtlib import script
from soid.formula.softfloat import Rounding, from_integer, neg
from soid.formula.sorts import BOOL, FLOAT16, FLOAT32, BitVec, Bool, Float, Sort
from soid.formula.term import Term
from tests.floats import patterns, special_patterns

TINY = Float(3, 4)
SORTS: tuple[Sort, ...] = (BOOL, BitVec(1), BitVec(3), BitVec(7), BitVec(8), BitVec(16), TINY, FLOAT16, FLOAT32)
TABLES = (
    ConstantTable.of(BitVec(8), [2, 3, 5, 7, 11]),
    ConstantTable.of(BitVec(3), [1]),
    ConstantTable.of(BitVec(8), range(1, 255)),
    ConstantTable.of(TINY, [TINY.nan, TINY.sign_bit, 0, 17]),
)
PARAMS: tuple[Any, ...] = (
    *[(n,) for n in (0, 1, 2, 5)],
    *[(high, low) for high in (0, 1, 2, 5, 7) for low in (0, 1, 2, 4) if low <= high],
    *[(s.exponent, s.significand) for s in (TINY, FLOAT16, FLOAT32)],
    *[(mode,) for mode in Rounding],
    *[(mode, width) for mode in Rounding for width in (1, 3, 8)],
)

Signature = tuple[tuple[Sort, ...], tuple[Any, ...]]


@cache
def signatures(op: Operator) -> tuple[Signature, ...]:
    """Argument sorts and parameters that an operator takes, found by trying: nothing here names an operator."""
    parameters = len(set(re.findall(r"\{\d\}", op.smtlib)))
    choices = [()] if not parameters else [p for p in PARAMS if len(p) == parameters]
    if op is ops.LOOKUP:
        choices = [(table,) for table in TABLES]
    count = op.arity or 3
    return tuple((s, p) for s in product(SORTS, repeat=count) for p in choices if _works(op, s, p))


def _works(op: Operator, sorts: tuple[Sort, ...], params: tuple[Any, ...]) -> bool:
    try:
        op.sort(sorts, params)
        op.fold(sorts, params, tuple(zero(sort) for sort in sorts))
    except (IllSorted, AssertionError, ValueError, TypeError, AttributeError):
        return False
    return True


def zero(sort: Sort) -> Any:
    return False if isinstance(sort, Bool) else 0


def variable(sort: Sort, number: int) -> Term:
    return b.var(f"a{number}:{sort.smtlib}", sort)


def applications(op: Operator) -> list[Term]:
    """The operator applied to variables, in each of its signatures."""
    return [b.apply(op, tuple(variable(s, i) for i, s in enumerate(sorts)), p) for sorts, p in signatures(op)]


def value(random: Random, sort: Sort) -> Any:
    """A value of a sort, often an end of its range."""
    if isinstance(sort, Bool):
        return bool(random.getrandbits(1))
    if isinstance(sort, Float):
        return b.const(sort, patterns(random, sort, 1)[0]).value
    return random.choice([0, 1, sort.mask, sort.mask >> 1, 1 << (sort.width - 1), random.getrandbits(sort.width)])


def values(random: Random, sorts: tuple[Sort, ...] = SORTS) -> dict[Term, Any]:
    """A value for each variable of the random terms."""
    return {variable(sort, n): value(random, sort) for sort in sorts for n in range(2)}


class Pool:
    """Terms by sort. Each step adds a term over earlier ones, which gives random graphs with much sharing."""

    def __init__(self, random: Random, sorts: tuple[Sort, ...] = SORTS) -> None:
        self.random = random
        self.by_sort: dict[Sort, list[Term]] = {}
        for sort in sorts:
            for number in range(2):
                self._add(variable(sort, number))
            self._add(b.const(sort, value(random, sort)))
            if isinstance(sort, Float):
                self._add(b.const(sort, random.choice(special_patterns(sort))))

    def grow(self, steps: int) -> Pool:
        for _ in range(steps):
            self._add(self.application(self.random.choice(_TABLE)))
        return self

    def application(self, op: Operator) -> Term:
        return b.apply(op, *self.arguments(op))

    def arguments(self, op: Operator) -> tuple[tuple[Term, ...], tuple[Any, ...]]:
        sorts, params = self.random.choice([s for s in signatures(op) if all(sort in self.by_sort for sort in s[0])])
        return tuple(self.pick(sort) for sort in sorts), params

    def pick(self, sort: Sort) -> Term:
        """A term of the sort: often a recent one, for deep graphs, and often one of the first."""
        terms = self.by_sort[sort]
        return self.random.choice(terms[:4] if self.random.randrange(3) == 0 else terms[-4:])

    def _add(self, term: Term) -> None:
        self.by_sort.setdefault(term.sort, []).append(term)


_TABLE = tuple(ops.OPERATORS.values())


def related(random: Random, sort: Sort, depth: int = 2) -> Term:
    """A term over few variables in a shape that local rewrites match: parts, negations, ends of the range."""
    leaf = random.choice([variable(sort, 0), variable(sort, 0), variable(sort, 1), b.const(sort, value(random, sort))])
    if depth == 0 or random.randrange(3) == 0:
        return leaf
    if isinstance(sort, Bool):
        parts = [related(random, sort, depth - 1) for _ in range(2)]
        return random.choice([b.not_(parts[0]), b.and_(*parts), b.or_(*parts)])
    if isinstance(sort, Float):
        inner = related(random, sort, depth - 1)
        computed = b.fp_add(inner, variable(sort, 1))
        chosen = b.ite(variable(BOOL, 0), *(b.const(sort, value(random, sort)) for _ in range(2)))
        units = [b.const(sort, bits) for bits in (0, neg(sort, 0), from_integer(sort, 1))]
        return random.choice([b.fp_neg(inner), b.fp_abs(inner), inner, computed, chosen, *units])
    return _related_bits(random, sort, depth, leaf)


def _related_bits(random: Random, sort: BitVec, depth: int, leaf: Term) -> Term:
    width = sort.width

    def part(bits: int) -> Term:
        return related(random, BitVec(bits), depth - 1)

    def extracted() -> Term:
        low = random.randrange(4)
        return b.extract(part(width + 5), low + width - 1, low)

    choices = [lambda: b.bvnot(leaf), lambda: b.bvneg(leaf), extracted]
    if width > 1:
        cut = random.randrange(1, width)
        choices += [
            lambda: b.concat(part(width - cut), part(cut)),
            lambda: _parted(random, part(width + 3), width, cut),
            lambda: b.zero_extend(part(cut), width - cut),
            lambda: b.sign_extend(part(cut), width - cut),
            lambda: b.concat(b.const(BitVec(width - cut), 0), part(cut)),
        ]
    return random.choice(choices)()


def _parted(random: Random, whole: Term, width: int, cut: int) -> Term:
    """Concatenations of neighbouring, overlapping and distant parts; only neighbours may become one part again."""
    gap = random.choice([0, 0, 0, 1, -1])
    top = b.extract(whole, width - 1 + max(gap, 0), cut + max(gap, 0))
    return b.concat(top, b.extract(whole, cut - 1 - min(gap, 0), -min(gap, 0)))


DEEP = 30_000


@cache
def deep_sum() -> Term:
    """Additions, one inside the other, far deeper than Python recurses; cached, because building it is slow."""
    term = b.var("x", BitVec(8))
    for i in range(DEEP):
        term = b.bvadd(term, b.const(BitVec(8), i % 9 + 1))
    return term


@cache
def deep_script() -> str:
    """The condition that it equals y, as SMT-LIB."""
    return script([b.eq(deep_sum(), b.var("y", BitVec(8)))])


def truth(term: Term) -> Term:
    """A truth value that contains the term."""
    return term if isinstance(term.sort, Bool) else b.eq(term, b.var(f"result:{term.sort.smtlib}", term.sort))
