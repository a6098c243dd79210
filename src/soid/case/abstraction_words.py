"""The abstraction in words: what the picture shows, what boxes and arrows are, and what it means that states meet."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Final, final

from msgspec import Struct

from soid.case.abstraction import REST, Abstraction
from soid.case.inside_visit import InsideVisit, named_values
from soid.case.state_words import StateWords
from soid.case.visited_states import Visit
from soid.program.interface import Interface
from soid.query.words import listed, sentence

_MOST_COMPARED: Final = 40  # visited states of which it is said which lies in which

_BOXES: Final = (
    "A box is a state: the situations that a question looks at together. On the left is what the question gave to the "
    "program, on the right what the program made of it, and whether that is as asked. An arrow leads from a state to "
    "what comes of it. A box has the same as questions write it, where the pointer rests on it."
)
_INSIDE: Final = (
    "Between them, in blue, is the program's inside: where it is at calls of functions, at rounds of loops and at "
    "returns, with the variables that have names there. Where an arrow parts, the program goes different ways."
)
_REST: Final = (
    "What no question has visited is not known yet: from there the program may go anywhere. Each further question "
    "makes this smaller, and splits what is known."
)


@final
class InsideTable(Struct, frozen=True):
    """What one question visited inside the program."""

    called: str  # the question's mark
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    open: str  # why there may be more


@final
class VisitWords(Struct, frozen=True):
    """A question, and what it visited."""

    called: str  # its mark
    question: str  # as a sentence
    verdict: str
    visited: str


@final
class AbstractionWords(Struct, frozen=True):
    """All that the picture shows, as text."""

    summary: tuple[str, ...]  # paragraphs
    questions: tuple[VisitWords, ...]
    heads: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]  # rows
    inside: tuple[InsideTable, ...]


HEADS: Final = ("state", "visited by", "what it is", "leads to")
_INSIDE_HEADS: Final = ("place", "line", "what happens", "values there", "comes only if", "after")


def in_words(found: Abstraction, interface: Interface, program: str) -> AbstractionWords:
    words = StateWords(interface)
    return AbstractionWords(
        tuple(_summary(found, program)),
        tuple(_visit(each, interface) for each in found.visits),
        HEADS,
        tuple(rows(found, interface)),
        tuple(_table(each.inside, words, interface) for each in found.visits if each.inside is not None),
    )


def rows(found: Abstraction, interface: Interface) -> Iterable[tuple[str, ...]]:
    """The abstract states: a line of each."""
    visits = {visit.number: visit for visit in found.visits}
    names = {state.number: state.name for state in found.states} | {REST: "anywhere"}
    words = StateWords(interface)
    for state in found.states:
        yield (
            names[state.number] if state.settled else f"{names[state.number]} (may be empty)",
            ", ".join(f"q{number}" for number in state.questions),
            "; ".join(words.told(state.members[0], visits[state.members[0].question])[:2]),
            ", ".join(names[other] for one, other in found.transitions if one == state.number),
        )


def _summary(found: Abstraction, program: str) -> Iterable[str]:
    asked, visited = len(found.visits), len(found.visited)
    yield (
        f"{_counted(asked, 'question')} about {program} {'has' if asked == 1 else 'have'} visited "
        f"{_counted(visited, 'state')} of it. {_BOXES}"
    )
    if any(each.inside is not None and each.inside.states for each in found.visits):
        yield " ".join((_INSIDE, *_inside_in_common(found)))
    shared = [state for state in found.states if state.shared]
    if shared:
        yield (
            "Where several questions visited the same, their states meet (⊓): such a box has a thick edge, and the "
            f"marks of these questions. There are {len(shared)} among {len(found.states)} in the result."
        )
    yield from _within(found)
    opened = sum(not state.settled for state in found.states)
    if opened:
        yield f"Of {_counted(opened, 'box', 'boxes')} with a dashed edge it is not settled whether anything is in it."
    yield _REST


def _within(found: Abstraction) -> Iterable[str]:
    """Which visited state lies wholly in another: the conditions of the one imply those of the other."""
    if len(found.visited) > _MOST_COMPARED:
        return
    told = [
        f"{one.name} lies wholly in {other.name}"
        for one in found.visited
        for other in found.visited
        if one.question != other.question and found.inside(one, other)
    ]
    if told:
        yield f"{listed(told)}: all that is in the one is in the other."


def _inside_in_common(found: Abstraction) -> Iterable[str]:
    for one, other in combinations([each.inside for each in found.visits if each.inside is not None], 2):
        pair = one.question, other.question
        met = {each.states[1] for each in found.inside_meets if each.questions == pair and each.settled}
        if met:
            last = other.states[max(met)].point
            yield (
                f"q{one.question} and q{other.question} have states in common at {len(met)} of the "
                f"{_counted(len(other.states), 'place')} inside that q{other.question} comes to; the last: {last}."
            )


def _visit(visit: Visit, interface: Interface) -> VisitWords:
    answer = visit.answer
    states = listed(state.name for state in visit.states) if visit.states else "nothing: no scenario is left"
    asked = sentence(answer.query, interface)
    return VisitWords(f"q{visit.number}", asked, answer.verdict.value, f"visited {states}")


def _table(inside: InsideVisit, words: StateWords, interface: Interface) -> InsideTable:
    found = []
    for number, state in enumerate(inside.states):
        where = "" if state.point.where is None else str(state.point.where)
        values = ", ".join(f"{name} {value}" for name, value in named_values(state, words.depends))
        parted = "; ".join(words.condition(each) for each in inside.parted(number, interface))
        after = "the beginning" if state.before is None else str(state.before + 1)
        found.append((str(number + 1), where, str(state.point), values, parted, after))
    return InsideTable(f"q{inside.question}", _INSIDE_HEADS, tuple(found), inside.open)


def _counted(number: int, one: str, more: str = "") -> str:
    return f"1 {one}" if number == 1 else f"{number} {more or f'{one}s'}"
