"""What an output says it keeps from before the call, compared with trying every value that it may have had."""

from __future__ import annotations

import random

import pytest

from soid.engine.llvm.symbolic.paths.path_end import PathEnd
from soid.engine.llvm.symbolic.values.values_before import ValuesBefore
from soid.engine.summary import Unexplored
from soid.formula import build
from soid.formula.passes import evaluate, free_variables
from soid.formula.sorts import BitVec
from soid.formula.term import Term
from soid.program.interface import Role, Variable
from soid.program.types import IntType

WIDTH = 4
X = build.var("x", BitVec(WIDTH))
SIREN = Variable("siren", Role.DECISION, IntType(WIDTH, signed=False))


def number(value: int) -> Term:
    return build.const(BitVec(WIDTH), value)


def random_term(rng: random.Random, leaves: list[Term], depth: int) -> Term:
    if depth == 0:
        return rng.choice([*leaves, number(rng.randrange(1 << WIDTH))])
    one, other = (random_term(rng, leaves, depth - 1) for _ in range(2))
    constant = number(rng.randrange(1 << WIDTH))
    made = [
        build.bvand(one, constant),
        build.bvor(one, constant),
        build.bvand(one, other),
        build.bvor(one, other),
        build.bvxor(one, other),
        build.bvadd(one, other),
        build.bvnot(one),
        build.bvshl(one, number(rng.randrange(WIDTH + 1))),
        build.bvlshr(one, number(rng.randrange(WIDTH + 1))),
        build.bvshl(one, other),
        build.concat(build.extract(one, 1, 0), build.extract(other, 3, 2)),
        build.zero_extend(build.extract(one, 2, 1), 2),
        build.sign_extend(build.extract(one, 2, 0), 1),
        build.ite(build.bvult(X, constant), one, other),
        build.ite(build.eq(one, constant), other, constant),
    ]
    return rng.choice(made)


@pytest.mark.parametrize("seed", range(150))
def test_where_nothing_is_kept_the_value_before_does_not_matter(seed: int) -> None:
    rng, before = random.Random(seed), ValuesBefore()
    symbol = before.of(SIREN).symbol
    term = random_term(rng, [X, symbol, symbol], 3)
    output = before.output(term)
    assert symbol not in free_variables(output.terms)
    for x in range(1 << WIDTH):
        values = {evaluate(term, {X: x, symbol: was}) for was in range(1 << WIDTH)}
        kept, defined = evaluate(output.kept, {X: x}), evaluate(output.defined, {X: x})
        assert kept is not defined
        if not kept:
            assert values == {evaluate(output.term, {X: x})}


def test_bits_that_are_set_are_not_kept() -> None:
    before = ValuesBefore()
    word = before.of(SIREN).reading
    written = build.bvor(build.bvand(word, number(0b1100)), build.bvand(X, number(0b0011)))
    assert before.output(build.extract(written, 1, 0)).kept is build.FALSE
    assert before.output(build.extract(written, 3, 2)).kept is build.TRUE
    common = build.bvand(build.bvand(word, number(0b1100)), build.bvand(X, number(0b0011)))  # `or disjoint` asks for it
    assert before.output(common).kept is build.FALSE


def test_a_merged_value_is_kept_on_one_side() -> None:
    before, rings = ValuesBefore(), build.bvult(number(3), X)
    output = before.output(build.ite(rings, number(1), before.of(SIREN).reading))
    assert (output.defined, output.kept) == (rings, build.not_(rings))


def test_no_condition_depends_on_it() -> None:
    before = ValuesBefore()
    word = before.of(SIREN).reading
    masked = build.eq(build.bvand(build.bvor(build.bvand(word, number(0b1100)), X), number(0b0011)), number(1))
    assert free_variables([before.without(masked, None)]) == {X}
    assert before.without(X, None) is X
    with pytest.raises(PathEnd) as raised:
        before.without(build.eq(word, X), None)
    assert isinstance(raised.value.ending, Unexplored)
    assert "what siren was before the call" in str(raised.value.ending)
    assert '"siren" = { role = "state" }' in str(raised.value.ending)
