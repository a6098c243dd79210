"""FACTS by number: one for each statement, however often it was asked for.

A definite answer states something: its question has this verdict, at a moment of a log, for the program as it was
compiled, given what the answer relies on. Another answer that states the same is a repetition of the fact, and one that
relies on more besides is too, since that states less. Numbers follow the record: a statement keeps its number for good,
also after its answers were retracted. So numbers of facts that count may leave some out.

Questions are compared as they are read, never as a sentence: `a is anything and b is anything` supposes what
`b is anything and a is anything` does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, TypeAlias, final

from msgspec import Struct, field

from soid.assumptions import Assumption, Ledger, stored
from soid.case.record.entry import Entry, EntryKind
from soid.case.validity import facts, in_force
from soid.documents import Document
from soid.errors import SoidError
from soid.oracle.answer import Verdict
from soid.query.behavior import Behavior
from soid.query.language.query_parser import parse
from soid.query.lives import Lives
from soid.query.query import QueryKind
from soid.query.steps import Steps
from soid.scenario.supposition import During, Supposition

_KEPT: Final = 10_000  # questions that were read

_Asked: TypeAlias = "tuple[ReadQuestion | str, str | None, int | None]"


@final
class NumberedFactDocument(Document, frozen=True):
    """A numbered fact as JSON."""

    number: int
    answer: int = field(name="entry")
    statement: str
    repeated: list[int]
    otherwise: list[int]
    follows_from: int | None
    same_as: int | None
    contradicts: list[int]


@final
class NumberedFact(Struct, frozen=True):
    """One statement that counts, and the answers about its question."""

    number: int  # from 1, in the order in which statements came onto the record
    entry: Entry  # the first answer that counts and states it
    again: tuple[Entry, ...] = ()  # further ones
    others: tuple[Entry, ...] = ()  # what the same question got besides, with another verdict
    compiled: tuple[str, ...] = ()  # what was noticed of the compiler that made the program; nothing: as in the case
    # what other facts say of it (`soid.case.implications`), by their numbers
    follows_from: int | None = None  # the fact that implies it
    same_as: int | None = None  # an earlier fact that says the same in other words
    contradicts: tuple[int, ...] = ()  # facts that cannot be true beside it

    @property
    def answer(self) -> int:
        return self.entry.number

    @property
    def repeated(self) -> list[int]:
        return [each.number for each in self.again]

    @property
    def otherwise(self) -> list[int]:
        return [each.number for each in self.others]

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Every answer that counts and states it."""
        return (self.entry, *self.again)

    @property
    def statement(self) -> str:
        assert self.entry.fact is not None
        return str(self.entry.fact["statement"])

    @property
    def denied_by(self) -> tuple[Entry, ...]:
        """Answers to the same question that cannot be true beside it, unless they rely on something else.

        A yes and a no with another window each can: what does not decide within one may do so within the other.
        """
        window = window_of(self.entry)
        return tuple(
            each
            for each in self.others
            if each.verdict in _DENYING and (each.verdict is Verdict.VACUOUS or window_of(each) == window)
        )

    @property
    def document(self) -> NumberedFactDocument:
        return NumberedFactDocument.of(self)


_DENYING: Final = (Verdict.YES, Verdict.NO, Verdict.VACUOUS)


def numbered_facts(entries: Sequence[Entry]) -> tuple[NumberedFact, ...]:
    """The facts that count, by their numbers."""
    counting = {entry.number for entry in facts(entries)}
    given = in_force(entries, EntryKind.ANSWERED, EntryKind.FAILED)
    outcomes: dict[_Asked, list[Entry]] = {}  # without a yes or a no that rests on what no longer counts
    for entry in given:
        if entry.fact is None or entry.number in counting:
            outcomes.setdefault(_asked(entry), []).append(entry)
    found = []
    for number, (compiled, stated) in enumerate(_statements(entries), start=1):
        standing = [entry for entry in stated if entry.number in counting]
        if standing:
            first = standing[0]
            others = tuple(each for each in outcomes[_asked(first)] if each.verdict is not first.verdict)
            found.append(NumberedFact(number, first, tuple(standing[1:]), others, compiled))
    return tuple(found)


def fact_numbers(entries: Sequence[Entry]) -> dict[int, int]:
    """By entry of each yes or no, also of those that no longer count: the number of its fact."""
    found = enumerate(_statements(entries), start=1)
    return {entry.number: number for number, (_, stated) in found for entry in stated}


def _statements(entries: Sequence[Entry]) -> list[tuple[tuple[str, ...], list[Entry]]]:
    """All statements that the record has ever had: what was noticed of the compiler, and the answers."""
    found: list[tuple[tuple[str, ...], list[Entry]]] = []
    known: dict[object, list[list[Entry]]] = {}
    compiled: tuple[str, ...] = ()
    for entry in entries:
        if entry.kind is EntryKind.NOTICED and entry.payload["about"] == "compiler":
            compiled = tuple(entry.payload["found"])
        if entry.kind is not EntryKind.ANSWERED or entry.fact is None:
            continue
        alike = known.setdefault((_asked(entry), entry.verdict, compiled), [])
        same = next((each for each in alike if relied_on(each[0]) <= relied_on(entry)), None)
        if same is None:
            alike.append(same := [])
            found.append((compiled, same))
        same.append(entry)
    return found


def _asked(entry: Entry) -> _Asked:
    """The question of an entry, the log and the step."""
    return read_question(str(entry.question)), entry.log, entry.step


def relied_on(entry: Entry) -> frozenset[Assumption]:
    """What an answer relies on."""
    answer: Mapping[str, Any] = entry.payload["answer"]
    return frozenset(map(stored, answer.get("relies_on", ())))


def window_of(entry: Entry) -> Assumption | None:
    """The rounds of loops and calls that the program had for each decision."""
    return next((each for each in relied_on(entry) if each.id == Ledger.WINDOW.value), None)


@final
class ReadQuestion(Struct, frozen=True):
    """A question without the order of what it supposes."""

    kind: QueryKind
    behavior: Behavior
    steps: Steps | None
    lives: Lives | None
    timed: tuple[Supposition, ...]  # suppositions about some steps
    untimed: frozenset[Supposition]


@lru_cache(maxsize=_KEPT)
def read_question(text: str) -> ReadQuestion | str:
    """What a question's text says; the text itself if it cannot be read, as that of another version may not be."""
    try:
        query = parse(text)
    except SoidError:
        return text
    timed = tuple(each for each in query.suppositions if isinstance(each, During))
    untimed = frozenset(query.suppositions).difference(timed)
    return ReadQuestion(query.kind, query.behavior, query.steps, query.lives, timed, untimed)
