"""The scenario of an answer as tables: what changed, and what each program decided. It knows no pages."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from soid.case.report.phrases import giver, is_left_by_world, shown_outcomes, stepped_outcomes, told_in_fact
from soid.case.shown_pair import ONE, OTHER, PairRow, ShownPair
from soid.oracle.answer import Answer
from soid.program.domain import Range
from soid.program.interface import Interface
from soid.query.lives import of_one_life
from soid.query.query import Query
from soid.query.words import RoundedText, called
from soid.query.words.amount_words import read, shown
from soid.scenario import input_names
from soid.scenario.origin import NOT_LOGGED
from soid.scenario.trace import Keyframe
from soid.witness.witness import Shows, Witness, outcome_text

_DECIDES: Final = "What the program decides"


class ScenarioTable(NamedTuple):
    """A table: the first cell of a row says what the others are about."""

    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str | RoundedText, ...], ...]
    kind: str  # "changed" or "outcome"


def changed(answer: Answer, witness: Witness, steps: Mapping[str, str]) -> ScenarioTable:
    """What differs from the fact."""
    words, rows = partial(called, interface=witness.interface), []
    for change in answer.told(witness):
        texts = read(answer.query, change.variable, (change.before, change.after)), partial(shown, change.variable)
        before, after = (RoundedText(*(text(bits) for text in texts)) for bits in (change.before, change.after))
        known = RoundedText(change.told(before.read), change.told(before.exact))
        rows.append((input_names.called(change.variable.path, steps, words), known, after))
    return ScenarioTable("What changed", ("what changed", "in fact", "in the scenario"), tuple(rows), "changed")


def outcome(answer: Answer, witness: Witness, keyframe: Keyframe, program: str = "") -> ScenarioTable:
    """What is decided at one step, by all programs or by one of several; of each first what the question is about."""
    moment, interface = answer.query.moment(keyframe), witness.interface
    rows: list[tuple[str | RoundedText, ...]] = []
    outcomes = witness.outcomes[-1]
    found, asked = shown_outcomes(interface, outcomes), answer.query.behavior.names
    owners = [owner for owner, _ in found]
    for owner, name in sorted(found, key=lambda each: (owners.index(each[0]), each[1] not in asked)):
        if is_left_by_world(name, interface, asked) or program not in ("", owner):
            continue
        said = called(name, interface)
        given = tuple(_outcome_cells(name, answer, witness, moment))
        rows.append((owner, said, *given) if interface.programs and not program else (said, *given))
    heads = ("the log says", "the program gives") if witness.shows is Shows.FACT else ("in fact", "in the scenario")
    what = ("program", "what it decides") if interface.programs and not program else ("what it decides",)
    return ScenarioTable(_DECIDES, (*what, *heads), tuple(rows), "outcome")


def _outcome_cells(name: str, answer: Answer, witness: Witness, moment: Keyframe) -> Iterator[RoundedText]:
    """An outcome in fact, and in the scenario."""
    variable, outcome = witness.interface.variable(name.removesuffix("'")), witness.outcomes[-1][name]
    in_fact, exact = answer.in_fact(name), partial(shown, variable)
    ends = [bits for each in (outcome, in_fact) if each is not None for bits in (each.low, each.high)]
    between = outcome.low != outcome.high  # its ends differ in the last digits alone
    texts = (exact if between else read(answer.query, variable, ends)), exact
    if witness.shows is not Shows.FACT:
        yield RoundedText(*(told_in_fact(name, answer, moment, text) for text in texts))
    else:
        yield RoundedText(*(text(moment.decisions[name]) if name in moment.decisions else NOT_LOGGED for text in texts))
    yield RoundedText(*(outcome_text(outcome, variable.type, text) for text in texts))


def steps_told(answer: Answer, witness: Witness, step: int, program: str = "") -> Iterator[RoundedText]:
    """What is decided at each of several steps, from one on: by all programs, or by one of several.

    Consecutive steps of which the same is told are told together.
    """
    interface, asked = witness.interface, answer.query.behavior.names
    names = [
        name
        for name in stepped_outcomes(interface, witness.outcomes)
        if not is_left_by_world(name, interface, asked) and program in ("", giver(name, interface))
    ]
    first = witness.step_number(0, step)
    told = [
        (number, _decided(outcomes, names, witness.done(number), answer.query, interface))
        for number, outcomes in enumerate(witness.outcomes, start=first)
    ]
    for said, same in itertools.groupby(told, key=lambda each: each[1]):
        numbers = [number for number, _ in same]
        if said.read:
            when = f"Step {numbers[0]}{f' to {numbers[-1]}' if numbers[1:] else ''}"
            yield RoundedText(f"{when}: {said.read}", f"{when}: {said.exact}")


def _decided(
    outcomes: Mapping[str, Range], names: Sequence[str], done: Mapping[str, int], query: Query, interface: Interface
) -> RoundedText:
    """What a step gives, in one line."""
    amounts = []
    for name in (name for name in names if name in outcomes):
        variable, outcome = interface.variable(name.removesuffix("'")), outcomes[name]
        exact = partial(shown, variable)
        near = read(query, variable, ()) if outcome.low == outcome.high else exact
        texts = (outcome_text(outcome, variable.type, text, done.get(name)) for text in (near, exact))
        amounts.append([f"{called(name, interface)}: {text}" for text in texts])
    return RoundedText(*(", ".join(each[way] for each in amounts) for way in (0, 1)))


def pair(found: ShownPair, query: Query, interface: Interface) -> Iterator[ScenarioTable]:
    """Two lives side by side."""
    differing, interface = (*found.differing, *found.shared), of_one_life(interface)
    yield _lives("The two, side by side", "what differs", differing, "changed", query, interface)
    if found.outcomes:
        yield _lives(_DECIDES, "what it decides", found.outcomes, "outcome", query, interface)


def _lives(
    caption: str, what: str, rows: Sequence[PairRow], kind: str, query: Query, interface: Interface
) -> ScenarioTable:
    made: list[tuple[str | RoundedText, ...]] = []
    for row in rows:
        bits = [end for each in (row.one, row.other) if each is not None for end in (each.low, each.high)]
        texts = read(query, row.variable, bits), partial(shown, row.variable)
        lives = (RoundedText(*(row.told(each, text) for text in texts)) for each in (row.one, row.other))
        made.append((called(row.name, interface), *lives))
    return ScenarioTable(caption, (what, ONE, OTHER), tuple(made), kind)
