"""Terms carried between processes."""

import pickle

import pytest
from hypothesis import given, settings

from soid.formula import build as b
from soid.formula import operators as ops
from soid.formula.flat_terms import dump, load
from soid.formula.passes import size
from soid.formula.sorts import BitVec
from tests.randomness import SEEDED
from tests.unit.formula.terms import Pool, applications, deep_sum


@given(SEEDED)
@settings(max_examples=30)
def test_loading_what_was_dumped_gives_the_same_terms(random):
    pool = Pool(random).grow(40)
    terms = [terms[-1] for terms in pool.by_sort.values()]
    flat = pickle.loads(pickle.dumps(dump(terms)))
    assert all(a is b for a, b in zip(load(flat), terms, strict=True))
    assert len(flat.rows) == size(terms)


@pytest.mark.parametrize("op", ops.OPERATORS.values(), ids=lambda op: op.name)
def test_every_operator_travels(op):
    terms = applications(op)
    assert load(pickle.loads(pickle.dumps(dump(terms)))) == terms


def test_roots_may_repeat_and_be_leaves():
    x = b.var("x", BitVec(8))
    assert load(dump([x, b.bvnot(x), x])) == [x, b.bvnot(x), x]
    assert load(dump([])) == []


def test_deep_terms_travel():
    term = deep_sum()
    assert load(pickle.loads(pickle.dumps(dump([term]))))[0] is term
