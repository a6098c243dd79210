"""Conditions on several functions for many boxes at once, against interval evaluation box by box."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

import numpy as np

from soid.formula import build, intervals
from soid.formula import softfloat as sf
from soid.formula.interval_program import IntervalProgram
from soid.formula.intervals import Floats
from soid.formula.passes import evaluate
from soid.formula.sorts import FLOAT32, FLOAT64, BitVec, Float
from soid.formula.term import Term, postorder
from soid.solver.cell_truths import is_plain, truths

RESULTS = [build.var(name, sort) for name, sort in (("a", FLOAT64), ("b", FLOAT64), ("c", FLOAT32))]
NUMBERS = (-1.5, -0.0, 0.0, 0.25, 3.0)


def constant(sort: Float, number: float) -> Term:
    bits = sf.float_to_bits64(number) if sort == FLOAT64 else sf.float_to_bits32(number)
    return build.const(sort, bits)


def condition(luck: random.Random, depth: int) -> Term:
    if depth == 0:
        one = luck.choice(RESULTS)
        assert isinstance(one.sort, Float)
        other = constant(one.sort, luck.choice(NUMBERS))
        made = luck.choice((build.fp_lt, build.fp_leq))
        return made(one, other) if luck.random() < 0.5 else made(other, one)
    parts = [condition(luck, depth - 1) for _ in range(luck.randint(2, 3))]
    kind = luck.randrange(4)
    if kind == 0:
        return build.not_(build.any_of(parts))
    if kind == 1:
        chosen = [build.const(BitVec(32), number) for number in range(3)]
        label = build.ite(parts[0], chosen[0], build.ite(parts[1], chosen[1], chosen[2]))
        return build.eq(label, luck.choice(chosen))
    return build.all_of(parts) if kind == 2 else build.any_of(parts)


def _held(known: Floats, *_: Any) -> Floats:
    return known


def evaluated(term: Term, held: dict[Term, Floats]) -> int:
    order = list(postorder([term]))
    program = IntervalProgram(order, {}, {each: partial(_held, known) for each, known in held.items()})
    values: list[intervals.Values] = []
    for step in program.steps:
        values.append(step(values, ()))
    found = values[-1]
    assert isinstance(found, int)
    return found


def _bits_in(result: Term, known: Floats, luck: random.Random) -> int:
    assert isinstance(result.sort, Float)
    return sf.from_ordinal(result.sort, luck.randint(known.low, known.high))


def test_truths_are_those_of_interval_evaluation() -> None:
    luck = random.Random(0)
    functions = {term: number for number, term in enumerate(RESULTS)}
    met = set[int]()
    for _ in range(150):
        term = condition(luck, luck.randint(0, 3))
        if term.is_const:
            continue
        assert is_plain(term, functions)
        ends = []
        for each in RESULTS:
            assert isinstance(each.sort, Float)
            places = [sf.ordinal(each.sort, constant(each.sort, number).value) for number in NUMBERS]
            pairs = np.sort([[luck.choice(places) + luck.choice((-1, 0, 1)) for _ in "lh"] for _ in range(8)], axis=1)
            ends.append((pairs[:, 0], pairs[:, 1]))
        (found,) = truths([term], functions, ends)
        for box in range(8):
            held = {
                each: Floats(int(low[box]), int(high[box]), False)
                for each, (low, high) in zip(RESULTS, ends, strict=True)
            }
            assert found[box] | evaluated(term, held) == evaluated(term, held), term  # it may be closer
            point = {each: _bits_in(each, known, luck) for each, known in held.items()}
            assert found[box] & (intervals.ALWAYS if evaluate(term, point) else intervals.NEVER), term
            met.add(int(found[box]))
    assert met == {intervals.NEVER, intervals.ALWAYS, intervals.EITHER}


def test_conditions_on_variables_are_not_plain() -> None:
    functions = {term: number for number, term in enumerate(RESULTS)}
    flag = build.var("flag", build.TRUE.sort)
    one = build.fp_lt(RESULTS[0], constant(FLOAT64, 1.0))
    assert is_plain(one, functions)
    assert not is_plain(build.and_(flag, one), functions)
    assert not is_plain(build.fp_lt(build.fp_add(RESULTS[0], RESULTS[1]), constant(FLOAT64, 1.0)), functions)
