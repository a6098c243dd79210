"""What an explanation must say, by trying every state: smallest changes, flips, irrelevance, needed suppositions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tests.differential.logics.expectation import (
    State,
    TooMany,
    freed_variables,
    occurs,
    place_of,
    scenarios,
    settled,
)
from tests.differential.logics.formulas import both, input_of, same_bits
from tests.differential.logics.logic import UNEXPLORED, Logic, Variable
from tests.differential.logics.questions import Question, Supposition

OCCURS = "occurs"


def happens(logic: Logic, question: Question, state: Mapping[str, int]) -> str:
    """What a state is to a question: the behavior occurs, or how the logic ends instead."""
    ending = logic.outcome(state).ending
    return OCCURS if ending != UNEXPLORED and occurs(logic, question, state) is True else ending


def proved(logic: Logic, question: Question, most: int) -> Question | None:
    """The question narrowed to values of one variable with which nothing breaks, where others break it."""
    free = replace(question, suppositions=tuple(each for each in question.suppositions if not restricts(each)))
    family = [state for state in scenarios(logic, free, most) if state != logic.fact]
    for variable in freed_variables(logic, free):
        name = variable.name
        bad = {state[name] for state in family if breaks(logic, question, state)}
        bad |= {state[name] for state in family if happens(logic, question, state) == UNEXPLORED}
        good = tuple(bits for bits in dict.fromkeys(state[name] for state in family) if bits not in bad)[:6]
        if bad and good:
            formula = both([same_bits(input_of(name, variable.kind), bits) for bits in good], "or")
            holds = Supposition(f"({formula.text})", formula.mentions, formula.holds, only={name: good})
            return replace(question, suppositions=(holds, *free.suppositions))
    return None


# --- smallest changes -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Set:
    variables: tuple[str, ...]
    smallest: bool  # nothing that nobody explored could be smaller
    state: State


def changed(logic: Logic, state: Mapping[str, int]) -> tuple[str, ...]:
    return tuple(v.name for v in logic.inputs if state[v.name] != logic.fact[v.name])


def sets(logic: Logic, question: Question, goal: str, most: int) -> tuple[list[Set], bool]:
    """All minimal sets of changes with which something happens, in their order; whether others are excluded."""
    family = [state for state in scenarios(logic, question, most) if state != logic.fact]
    order = {v.name: place for place, v in enumerate(logic.inputs)}
    giving: dict[tuple[str, ...], list[State]] = {}
    doubtful: set[tuple[str, ...]] = set()
    for state in family:
        what = happens(logic, question, state)
        if what == goal:
            giving.setdefault(changed(logic, state), []).append(state)
        elif what == UNEXPLORED:
            doubtful.add(changed(logic, state))
    minimal = [one for one in giving if not any(set(other) < set(one) for other in giving)]
    minimal.sort(key=lambda one: (len(one), [order[name] for name in one]))
    found: list[Set] = []
    for place, one in enumerate(minimal):
        before = minimal[:place]
        smaller = [other for other in doubtful if len(other) < len(one) and not _contains_any(other, before)]
        variables = [v for v in logic.inputs if v.name in one]
        found.append(Set(one, not smaller, settled(logic, variables, giving[one])))
    return found, not any(not _contains_any(other, minimal) for other in doubtful)


def _contains_any(one: Iterable[str], others: Iterable[tuple[str, ...]]) -> bool:
    return any(set(other) <= set(one) for other in others)


# --- flips ----------------------------------------------------------------------------------------------------


def line(logic: Logic, variable: Variable, state: Mapping[str, int]) -> Iterator[State]:
    """The states on the way from the fact to a state along one variable, both ends included."""
    name, kind = variable.name, variable.kind
    start, end = place_of(kind, logic.fact[name]), place_of(kind, state[name])
    bits_at = {place_of(kind, bits): bits for bits in range(1 << kind.width)} if kind.width <= 16 else None
    step = 1 if end >= start else -1
    for place in range(start, end + step, step):
        bits = bits_at[place] if bits_at else _float_bits(kind.width, place)
        yield {**state, name: bits}


def _float_bits(width: int, place: int) -> int:
    return place if place >= 0 else ~place | 1 << (width - 1)


def distance(logic: Logic, variable: Variable, state: Mapping[str, int]) -> int:
    return abs(place_of(variable.kind, logic.fact[variable.name]) - place_of(variable.kind, state[variable.name]))


# --- proofs ---------------------------------------------------------------------------------------------------


def breaks(logic: Logic, question: Question, state: Mapping[str, int]) -> bool:
    what = happens(logic, question, state)
    return what != UNEXPLORED and (what == OCCURS) is (question.kind == "might")


def irrelevant(logic: Logic, question: Question, loose: Sequence[Variable], most: int) -> bool | None:
    """Whether no scenario of the family breaks the proof when some variables are given any values."""
    family = [state for state in scenarios(logic, question, most) if state != logic.fact]
    anything = [_anything(logic, question, variable, most) for variable in loose]
    if len(family) * math.prod(map(len, anything)) > most:
        raise TooMany
    seen: set[tuple[int, ...]] = set()
    doubtful = False
    for state, values in itertools.product(family, itertools.product(*anything)):
        moved = {**state, **{v.name: bits for v, bits in zip(loose, values, strict=True)}}
        key = tuple(moved.values())
        if key in seen:
            continue
        seen.add(key)
        if breaks(logic, question, moved):
            return False
        doubtful = doubtful or happens(logic, question, moved) == UNEXPLORED
    return None if doubtful else True


def _anything(logic: Logic, question: Question, variable: Variable, most: int) -> list[int]:
    """The domain, and the factual value, which may lie outside."""
    wide = any(each.wide == variable.name for each in question.suppositions)
    values = range(1 << variable.kind.width) if wide else variable.values
    if len(values) > most:
        raise TooMany
    return list(dict.fromkeys([*values, logic.fact[variable.name]]))


def needs(logic: Logic, question: Question, most: int) -> list[bool | None]:
    """Of each supposition that excludes something: whether the proof needs it."""
    found: list[bool | None] = []
    dropped: list[Supposition] = []
    for each in question.suppositions:
        if not restricts(each):
            continue
        needed = _is_needed(logic, question, [*dropped, each], most)
        if needed is False:
            dropped.append(each)
        found.append(needed)
    return found


def restricts(each: Supposition) -> bool:
    return not each.text.endswith(("is anything", "is any bits"))


def _is_needed(logic: Logic, question: Question, dropped: Sequence[Supposition], most: int) -> bool | None:
    asked = without(logic, question, dropped)
    allowed = scenarios(logic, asked, most)
    if not _allows_fact(logic, question, most):
        wider = allowed  # it is a supposition that keeps the fact out: it counts
    else:
        wider = [state for state in allowed if state != logic.fact]
    if any(breaks(logic, asked, state) for state in wider):
        return True
    return None if any(happens(logic, asked, state) == UNEXPLORED for state in wider) else False


def _allows_fact(logic: Logic, question: Question, most: int) -> bool:
    return any(state == logic.fact for state in scenarios(logic, question, most))


def without(logic: Logic, question: Question, dropped: Sequence[Supposition]) -> Question:
    """The question without some suppositions; what only they speak of is free."""
    left = [each for each in question.suppositions if not any(each is other for other in dropped)]
    wide = {each.wide for each in question.suppositions}
    orphans = [v.name for v in logic.inputs if v.name in _spoken_of(dropped) - _spoken_of(left)]
    free = [
        Supposition(f"{name} is any bits", frozenset({name}), wide=name)
        if name in wide
        else Supposition(f"{name} is anything", frozenset({name}))
        for name in orphans
    ]
    return replace(question, suppositions=(*left, *free))


def _spoken_of(suppositions: Sequence[Supposition]) -> set[str]:
    mentioned = frozenset().union(*(each.mentions for each in suppositions))
    return set(mentioned) | {each.keeps for each in suppositions if each.keeps}
