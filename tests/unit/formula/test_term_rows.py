"""Terms as rows of JSON: every term can be read back, and rows that no constructor makes are refused."""

import json

import pytest
from hypothesis import given, settings

from soid.formula import build as b
from soid.formula import operators as ops
from soid.formula.sorts import BOOL, FLOAT16, BitVec
from soid.formula.term_rows import from_rows, model_from_rows, model_to_rows, to_rows
from tests.randomness import SEEDED
from tests.unit.formula.terms import Pool, applications


def carried(terms):
    rows, roots = to_rows(terms)
    read = from_rows(json.loads(json.dumps(rows)))
    return [read[root] for root in roots]


@given(SEEDED)
@settings(max_examples=30)
def test_what_is_written_is_read_again(random):
    pool = Pool(random).grow(40)
    terms = [terms[-1] for terms in pool.by_sort.values()]
    assert all(a is b for a, b in zip(carried(terms), terms, strict=True))


@pytest.mark.parametrize("op", ops.OPERATORS.values(), ids=lambda op: op.name)
def test_every_operator_is_carried(op):
    terms = applications(op)
    assert carried(terms) == terms


def test_roots_may_repeat_and_be_leaves():
    x = b.var("x", BitVec(8))
    assert carried([x, b.bvnot(x), x]) == [x, b.bvnot(x), x]
    assert carried([]) == []


def test_models_are_carried():
    model = {b.var("p", BOOL): True, b.var("x", BitVec(128)): 1 << 100, b.var("half", FLOAT16): FLOAT16.nan}
    assert model_from_rows(json.loads(json.dumps(model_to_rows(model)))) == model


def test_deep_terms_are_carried():
    term = b.var("x", BitVec(8))
    for i in range(20_000):
        term = b.bvadd(term, b.const(BitVec(8), i % 9 + 1))
    assert carried([term])[0] is term


@pytest.mark.parametrize(
    "rows",
    [
        [["x", 8], ["bvadd", [], [0]]],  # an argument too few
        [["x", 8], ["y", 9], ["bvadd", [], [0, 1]]],  # of different sorts
        [["x", 8], ["bvadd", [], [0, 1]]],  # of itself
        [["x", 8], ["bvadd", [], [0, -1]]],  # of a row counted from the end
        [["x", 8], ["extract", [9, 0], [0]]],  # bits that are not there
        [["x", 8], ["extract", ["9", 0], [0]]],
        [["x", 8], ["magic", [], [0, 0]]],
        [[256, 8]],  # more than eight bits hold
        [[True, 8]],
        [[1, 0]],
        [[2, 0]],
        [["x", -1]],
        [["x", [1, 1]]],
        [[0x7FC00001, [8, 24]]],  # a NaN that no constant holds
        [["x"]],
        [[1.5, 8]],
    ],
)
def test_what_nobody_could_have_made_is_refused(rows):
    with pytest.raises((ValueError, TypeError, KeyError, IndexError)):
        from_rows(rows)
