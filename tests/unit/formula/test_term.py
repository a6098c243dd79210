"""Terms: one object for each structure, in every thread, as long as there is a reference to it."""

import gc
import pickle
import threading
import weakref

import pytest

from soid.formula import build as b
from soid.formula.sorts import BOOL, FLOAT32, BitVec
from soid.formula.term import postorder

X, Y = b.var("x", BitVec(8)), b.var("y", BitVec(8))
DEEP = 30_000


def deep_term(depth=DEEP):
    term = b.var("deep", BitVec(8))  # no other test uses this variable
    for i in range(depth):
        term = b.bvadd(term, b.const(BitVec(8), i % 7 + 1))
    return term


def test_equal_structure_is_the_same_object():
    assert b.bvadd(X, Y) is b.bvadd(b.var("x", BitVec(8)), b.var("y", BitVec(8)))
    assert b.bvadd(X, Y) is not b.bvadd(Y, X)
    assert b.extract(X, 3, 0) is not b.extract(X, 4, 1)


def test_leaves_differ_by_sort():
    assert b.var("x", BitVec(16)) is not X
    assert len({b.const(BitVec(1), 1), b.const(BitVec(8), 1), b.const(FLOAT32, 1), b.TRUE}) == 4
    assert b.const(BitVec(1), 1).value is not True
    assert b.TRUE.value is True


def test_constants_are_reduced_to_their_width():
    assert b.const(BitVec(8), -1) is b.const(BitVec(8), 255)


def test_terms_cannot_be_pickled():
    with pytest.raises(TypeError, match="rows"):
        pickle.dumps(X)


def test_repr_is_short_for_deep_terms():
    assert repr(b.bvadd(X, Y)) == "(bvadd x y)"
    assert len(repr(deep_term(1000))) < 100


def test_names_and_values_are_asked_of_leaves_only():
    assert X.name == "x"
    assert X.is_var
    with pytest.raises(AssertionError):
        _ = X.value
    with pytest.raises(AssertionError):
        _ = b.TRUE.name


def test_postorder_has_arguments_first_and_each_term_once():
    order = postorder([deep_term(200), b.bvmul(X, X), X])
    place = {term: i for i, term in enumerate(order)}
    assert len(place) == len(order)
    assert all(place[arg] < place[term] for term in order for arg in term.args)


def test_uids_are_the_order_of_making():
    first = b.var("made first", BOOL)
    second = b.var("made second", BOOL)
    assert first.uid < second.uid


def test_deep_terms_are_collected():
    term = part = deep_term()
    held = []
    while part.args:
        held.append(weakref.ref(part))
        part = part.args[0]
    assert len(held) >= DEEP
    del term, part
    gc.collect()
    assert not any(each() for each in held)


def test_threads_intern_the_same_terms():
    made: list[list[int]] = []
    keep = []
    start = threading.Barrier(4)

    def work():
        start.wait()
        terms = [b.bvadd(b.var(f"thread{i % 50}", BitVec(8)), b.const(BitVec(8), i % 250 + 1)) for i in range(5_000)]
        keep.append(terms)
        made.append([id(term) for term in terms])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 4
    assert all(ids == made[0] for ids in made)
