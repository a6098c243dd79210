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
from soid.query.words import called
from soid.scenario import input_names
from soid.scenario.origin import NOT_LOGGED
from soid.scenario.trace import Keyframe
from soid.web.page.amounts import shown
from soid.witness.witness import Shows, Witness, outcome_text

_DECIDES: Final = "What the program decides"


class ScenarioTable(NamedTuple):
    """A table: the first cell of a row says what the others are about."""

    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    kind: str  # "changed" or "outcome"


def changed(answer: Answer, witness: Witness, steps: Mapping[str, str]) -> ScenarioTable:
    """What differs from the fact."""
    names = partial(called, interface=witness.interface)
    rows = (
        (
            input_names.called(c.variable.path, steps, names),
            c.told(shown(c.variable, c.before)),
            shown(c.variable, c.after),
        )
        for c in answer.told(witness)
    )
    return ScenarioTable("What changed", ("what changed", "in fact", "in the scenario"), tuple(rows), "changed")


def outcome(answer: Answer, witness: Witness, keyframe: Keyframe, program: str = "") -> ScenarioTable:
    """What is decided at one step: by all programs, or by one of several."""
    moment, rows, interface = answer.query.moment(keyframe), [], witness.interface
    outcomes = witness.outcomes[-1]
    for owner, name in shown_outcomes(interface, outcomes):
        if is_left_by_world(name, interface, answer.query.behavior.names) or program not in ("", owner):
            continue
        variable = interface.variable(name.removesuffix("'"))
        said = called(name, interface)
        text = partial(shown, variable)
        if witness.shows is Shows.FACT:
            known = text(moment.decisions[name]) if name in moment.decisions else NOT_LOGGED
        else:
            known = told_in_fact(name, answer, moment, text)
        given = (known, outcome_text(outcomes[name], variable.type, text))
        rows.append((owner, said, *given) if interface.programs and not program else (said, *given))
    heads = ("the log says", "the program gives") if witness.shows is Shows.FACT else ("in fact", "in the scenario")
    what = ("program", "what it decides") if interface.programs and not program else ("what it decides",)
    return ScenarioTable(_DECIDES, (*what, *heads), tuple(rows), "outcome")


def steps_told(answer: Answer, witness: Witness, step: int, program: str = "") -> Iterator[str]:
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
        (number, _decided(outcomes, names, witness.done(number), interface))
        for number, outcomes in enumerate(witness.outcomes, start=first)
    ]
    for said, same in itertools.groupby(told, key=lambda each: each[1]):
        numbers = [number for number, _ in same]
        if said:
            yield f"Step {numbers[0]}{f' to {numbers[-1]}' if numbers[1:] else ''}: {said}"


def _decided(outcomes: Mapping[str, Range], names: Sequence[str], done: Mapping[str, int], interface: Interface) -> str:
    variables = {name: interface.variable(name.removesuffix("'")) for name in names if name in outcomes}
    amounts = {
        name: outcome_text(outcomes[name], variable.type, partial(shown, variable), done.get(name))
        for name, variable in variables.items()
    }
    return ", ".join(f"{called(name, interface)}: {amount}" for name, amount in amounts.items())


def pair(found: ShownPair, interface: Interface) -> Iterator[ScenarioTable]:
    """Two lives side by side."""
    differing = (*found.differing, *found.shared)
    yield _lives("The two, side by side", "what differs", differing, "changed", interface)
    if found.outcomes:
        yield _lives(_DECIDES, "what it decides", found.outcomes, "outcome", interface)


def _lives(caption: str, what: str, rows: Sequence[PairRow], kind: str, interface: Interface) -> ScenarioTable:
    made = []
    for row in rows:
        text = partial(shown, row.variable)
        made.append((called(row.name, interface), row.told(row.one, text), row.told(row.other, text)))
    return ScenarioTable(caption, (what, ONE, OTHER), tuple(made), kind)
