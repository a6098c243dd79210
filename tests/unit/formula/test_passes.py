"""Evaluation, substitution, free variables, size, and look-ups written out."""

import pytest
from hypothesis import given, settings

from soid.formula import build as b
from soid.formula import operators as ops
from soid.formula.constant_table import ConstantTable
from soid.formula.passes import (
    evaluate,
    evaluate_all,
    expand_lookups,
    flatten_and,
    free_variables,
    mentions_only,
    size,
    substitute,
)
from soid.formula.sorts import BOOL, FLOAT32, BitVec
from soid.formula.term import postorder
from tests.randomness import SEEDED
from tests.unit.formula.terms import DEEP, TABLES, Pool, deep_sum, values

X, Y = b.var("x", BitVec(8)), b.var("y", BitVec(8))


def test_evaluation_reduces_values_to_their_sort():
    assert evaluate(b.bvadd(X, Y), {X: 300, Y: -1}) == (44 + 255) % 256
    f = b.var("f", FLOAT32)
    assert evaluate(b.fp_neg(f), {f: 0xFFC01234}) == FLOAT32.nan
    assert evaluate(b.not_(b.var("p", BOOL)), {b.var("p", BOOL): 0}) is True


def test_a_variable_without_value_is_a_key_error():
    with pytest.raises(KeyError):
        evaluate(b.bvadd(X, Y), {X: 1})


@given(SEEDED)
@settings(max_examples=30)
def test_substituting_values_is_evaluating(random):
    pool = Pool(random).grow(40)
    terms = [terms[-1] for terms in pool.by_sort.values()]
    env = values(random)
    constants = substitute(terms, {v: b.const(v.sort, value) for v, value in env.items()})
    assert [term.value for term in constants] == evaluate_all(terms, env)


@given(SEEDED)
@settings(max_examples=30)
def test_substitution_commutes_with_evaluation(random):
    pool = Pool(random).grow(30)
    term = pool.pick(BOOL)
    env = values(random)
    replacements = {v: pool.pick(v.sort) for v in random.sample(list(env), 5)}
    inner = dict(zip(replacements, evaluate_all(replacements.values(), env), strict=True))
    assert evaluate(substitute([term], replacements)[0], env) == evaluate(term, env | inner)


def test_substitution_replaces_inner_terms_and_at_once():
    inner = b.bvmul(X, Y)
    assert substitute([b.bvadd(inner, X)], {inner: Y})[0] is b.bvadd(Y, X)
    assert substitute([b.bvsub(X, Y)], {X: Y, Y: X})[0] is b.bvsub(Y, X)
    unchanged = b.bvadd(X, Y)
    assert substitute([unchanged], {b.var("z", BitVec(8)): X})[0] is unchanged


@given(SEEDED)
@settings(max_examples=20)
def test_free_variables_and_size(random):
    pool = Pool(random).grow(30)
    term = pool.pick(BOOL)
    assert free_variables([term]) == {t for t in postorder([term]) if t.is_var}
    assert size([term]) == len(set(postorder([term])))
    mentioned = free_variables([term])
    assert mentions_only([term], mentioned)
    assert not any(mentions_only([term], mentioned - {v}) for v in mentioned)
    closed = substitute([term], {v: b.const(v.sort, 0) for v in free_variables([term])})
    assert free_variables(closed) == set()


@pytest.mark.parametrize(
    "table", [*TABLES, ConstantTable.of(BitVec(8), [7] * 200), ConstantTable.of(BitVec(8), [0, 9])], ids=repr
)
@pytest.mark.parametrize("width", [1, 2, 3, 8, 11])
def test_look_ups_written_out_read_the_same_rows(table, width):
    index = b.var("i", BitVec(width))
    expanded = expand_lookups([b.lookup(table, index), b.bvadd(index, index)])
    assert all(term.op is not ops.LOOKUP for term in postorder(expanded))
    for i in {*range(0, 1 << width, 1 + width), (1 << width) - 1, min(256, (1 << width) - 1)}:
        assert evaluate(expanded[0], {index: i}) == table.at(i)


def test_equal_halves_of_a_table_are_written_once():
    table = ConstantTable.of(BitVec(8), [1, 2, 3, 4] * 256)
    assert size(expand_lookups([b.lookup(table, b.var("i", BitVec(10)))])) < 30


def test_look_ups_inside_look_ups_are_written_out():
    table = TABLES[0]
    nested = b.lookup(table, b.lookup(table, X))
    assert [evaluate(expand_lookups([nested])[0], {X: i}) for i in range(6)] == [5, 7, 0, 0, 0, 2]


def test_conjuncts_are_found_once_each_and_in_order():
    p, q, r = (b.var(name, BOOL) for name in "pqr")
    either = b.or_(p, q)
    assert flatten_and([b.and_(p, b.and_(either, p)), b.TRUE, r, p, b.FALSE]) == [p, either, r, b.FALSE]
    assert flatten_and([b.TRUE]) == flatten_and([]) == []


def test_conjunctions_nested_deeply_are_opened():
    p, deep = b.var("p", BOOL), b.var("q", BOOL)
    expected = [deep]
    for number in range(5_000):
        expected.append(b.eq(X, b.const(BitVec(8), number % 256)) if number < 256 else p)
        deep = b.and_(deep, expected[-1])
    assert flatten_and([deep]) == list(dict.fromkeys(expected))


def test_passes_do_not_recurse():
    term = b.bvxor(deep_sum(), Y)
    assert size([term]) == DEEP + 9 + 3
    assert free_variables([term]) == {X, Y}
    result = evaluate(term, {X: 3, Y: 5})
    assert substitute([term], {X: b.const(BitVec(8), 3), Y: b.const(BitVec(8), 5)})[0].value == result
    assert expand_lookups([term])[0] is term
