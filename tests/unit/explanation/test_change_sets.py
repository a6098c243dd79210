"""Smallest sets of changes, against brute force; and what is said when a solver does not answer."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from soid.engine.summary import LeftOpen
from soid.explanation.change_sets import ChangeSet, ChangeSets
from soid.formula import build
from soid.formula.checker import Impossible, Open, Possibility, Possible
from soid.formula.passes import evaluate
from soid.formula.term import Term
from soid.program.interface import Role, Variable
from soid.program.types import IntType

NAMES = ("a", "b", "c")
VARIABLES = [Variable(name, Role.ENVIRONMENT, IntType(1, False)) for name in NAMES]
FACT = dict.fromkeys(NAMES, 0)
STATES = list(itertools.product((0, 1), repeat=len(NAMES)))


class Trying:
    """A checker that tries every state, and gives up on its n-th question."""

    def __init__(self, gives_up: int | None = None, turn: int = 1) -> None:
        self.gives_up = gives_up
        self.turn = turn
        self.calls = 0

    def __call__(self, conjuncts: Sequence[Term], /) -> Possibility:
        self.calls += 1
        if self.gives_up is not None and self.calls >= self.gives_up:
            return Open("time", out_of_time=True)
        symbols = [variable.symbol for variable in VARIABLES]
        models = [dict(zip(symbols, state, strict=True)) for state in STATES]
        fitting = [model for model in models if evaluate(build.all_of(conjuncts), model)]
        return Possible(fitting[self.turn * self.calls % len(fitting)]) if fitting else Impossible()


def some(states: Sequence[tuple[int, ...]]) -> Term:
    return build.any_of(
        build.all_of(variable.equals(bits) for variable, bits in zip(VARIABLES, state, strict=True)) for state in states
    )


def changed(state: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(name for name, bits in zip(NAMES, state, strict=True) if bits)


def minimal(states: Sequence[tuple[int, ...]]) -> list[tuple[str, ...]]:
    sets = {changed(state) for state in states}
    kept = [one for one in sets if not any(set(other) < set(one) for other in sets)]
    return sorted(kept, key=lambda one: (len(one), one))


def looking(
    wanted: Sequence[tuple[int, ...]], doubtful: Sequence[tuple[int, ...]], check: Trying
) -> tuple[ChangeSets, list[ChangeSet]]:
    sets = ChangeSets([build.TRUE], some(wanted), some(doubtful), VARIABLES, FACT, check)
    model = {variable.symbol: bits for variable, bits in zip(VARIABLES, wanted[-1], strict=True)}
    return sets, list(sets.starting(model))


def names(sets: Sequence[ChangeSet]) -> list[tuple[str, ...]]:
    return [tuple(variable.path for variable in one.variables) for one in sets]


SOME = st.lists(st.sampled_from(STATES), min_size=1, unique=True)


@settings(max_examples=40)
@given(SOME, st.integers(1, 5))
def test_all_minimal_sets_come_in_order_whatever_models_the_solver_has(wanted, turn):
    sets, given_out = looking(wanted, [], Trying(turn=turn))
    assert names(given_out) == minimal(wanted)
    assert all(one.smallest for one in given_out)
    assert sets.complete and not sets.more


@settings(max_examples=40)
@given(SOME, st.lists(st.sampled_from(STATES), unique=True))
def test_unexplored_states_might_give_a_smaller_set(wanted, doubtful):
    doubtful = [state for state in doubtful if state not in wanted]
    sets, given_out = looking(wanted, doubtful, Trying())
    assert names(given_out) == minimal(wanted)
    for place, one in enumerate(given_out):
        before = names(given_out)[:place]
        smaller = [each for each in map(changed, doubtful) if len(each) < len(one.variables)]
        assert one.smallest == all(any(set(b) <= set(each) for b in before) for each in smaller)
    others = [each for each in map(changed, doubtful) if not any(set(b) <= set(each) for b in names(given_out))]
    assert sets.complete == (not others)
    assert bool(sets.why) or all(one.smallest for one in given_out)


@settings(max_examples=40)
@given(SOME, st.integers(1, 12))
def test_a_solver_that_gives_up_leads_to_no_false_claim(wanted, gives_up):
    sets, given_out = looking(wanted, [], Trying(gives_up))
    right = minimal(wanted)
    allowed = {changed(state) for state in wanted}
    assert set(names(given_out)) <= allowed
    for place, one in enumerate(given_out):
        left = [each for each in right if not any(set(b) <= set(each) for b in names(given_out)[:place])]
        assert not one.smallest or len(one.variables) == min(map(len, left))
    if sets.complete:
        assert all(any(set(one) <= set(each) for one in names(given_out)) for each in allowed)
    else:
        assert sets.why == LeftOpen("time", out_of_time=True)


@pytest.mark.parametrize("excludes_fact", [True, False])
def test_of_one_change_no_solver_is_asked_whether_none_is_enough(excludes_fact):
    """Where what is asked about leaves the fact out, which a counterfactual question does."""
    within = build.not_(some([(0, 0, 0)])) if excludes_fact else build.TRUE
    sets = ChangeSets([within], some([(0, 1, 0)]), build.FALSE, VARIABLES, FACT, Trying(gives_up=1))
    (one,) = sets.starting({VARIABLES[1].symbol: 1})
    assert names([one]) == [("b",)]
    assert one.smallest is excludes_fact


def test_there_are_more_than_were_asked_for():
    sets = ChangeSets([build.TRUE], some([(1, 0, 0), (0, 0, 1)]), build.FALSE, VARIABLES, FACT, Trying())
    first = next(sets.starting({VARIABLES[2].symbol: 1}))
    assert names([first]) == [("a",)]
    assert sets.more and not sets.complete


def test_what_is_doubtful_is_told_with_its_reason():
    left = LeftOpen("open: it hangs on the last bits"), LeftOpen("open: it hangs on the last bits")
    sets = ChangeSets([build.TRUE], some([(1, 0, 0)]), some([(0, 1, 0)]), VARIABLES, FACT, Trying(), frozenset(), left)
    assert names(list(sets.starting({VARIABLES[0].symbol: 1}))) == [("a",)]
    assert not sets.complete and sets.why == LeftOpen("some scenarios were left open: it hangs on the last bits")
