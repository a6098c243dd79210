"""What an open question has come to so far, kept as a file in the cache: when it is resumed, it goes on from there.

    paths that were explored, boxes that are open, steps that are settled, scenarios that were run

It is kept under the hash of everything that the answer depends on: the program, soid itself, the family, the behavior.
What is settled is a fact about these, however it was found. A file that is damaged, that is about another question, or
whose parts do not fit, is ignored: then the question begins anew.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress
from functools import cached_property
from operator import itemgetter
from pathlib import Path
from typing import Final, final

import msgspec
from msgspec import Struct

from soid.assumptions import Assumption
from soid.cache import digest, sealed, trim, unsealed, write_atomically
from soid.engine.code_version import all_of_soid
from soid.engine.summary import PathSummary
from soid.engine.summary_cache.subsumption import KeptSummary
from soid.engine.summary_cache.summaries import LARGEST, named_value
from soid.engine.summary_cache.summary_file import from_bytes, to_bytes
from soid.formula.interval_program import Box
from soid.formula.passes import size
from soid.formula.term import Term
from soid.formula.value_order import ValueOrder
from soid.oracle.encoding import FactualMoment
from soid.program.perception import Perceived
from soid.query.language.query_printer import behavior_text, to_text
from soid.query.query import Query
from soid.scenario.family import Family

_FORM: Final = "2"  # of the files
FILES: Final = 200
ON_DISK: Final = 256 << 20  # bytes
_BOXES: Final = 20_000  # with more the paving is not kept


@final
class OpenBoxes(Struct, frozen=True):
    """The open boxes of a paving; everything else of the family is settled."""

    variables: tuple[str, ...]  # symbols and how their values are ordered, in the order of a box's sides
    boxes: tuple[Box, ...]
    stuck: tuple[bool, ...]  # for each box: whether cutting it further settled nothing


def ordered(symbol: Term, order: ValueOrder) -> str:
    """A variable with the order of its values: without the same order, places of boxes mean other values."""
    read_as = order.read_as
    return f"{symbol.name} {order.name} {read_as.smtlib}"


@final
class Unfinished(Struct, frozen=True):
    """How far a question has come."""

    seconds: float  # that went into it
    explored: PathSummary | None = None  # None: the program is explored anew
    solved: bool = False  # no scenario on an explored path settles the question
    open: OpenBoxes | None = None  # None: no box was settled
    steps: int = 0  # so many of the first are settled
    tried: frozenset[tuple[int, ...]] = frozenset()  # scenarios that were run and settle nothing
    relies_on: tuple[Assumption, ...] = ()  # what is settled was explored under these, also where no path is kept

    def beside(self, relies_on: Collection[Assumption]) -> tuple[Assumption, ...]:
        """What it relies on besides these."""
        return tuple(each for each in self.relies_on if each not in relies_on)


class _Kept(Struct, frozen=True):
    """The form of a file."""

    key: str  # what it is kept under: under another name it is about another question
    seconds: float
    explored: str | None
    solved: bool
    open: OpenBoxes | None
    steps: int
    tried: list[tuple[int, ...]]
    relies_on: tuple[Assumption, ...]

    @property
    def is_whole(self) -> bool:
        """Whether its parts fit each other."""
        boxes = self.open
        return boxes is None or (
            len(boxes.stuck) == len(boxes.boxes)
            and all(len(box) == len(boxes.variables) for box in boxes.boxes)
            and all(low <= high for box in boxes.boxes for low, high in box)
        )


@final
class UnfinishedQuestions:
    """The open questions of one program."""

    def __init__(self, identify: Callable[[], str | None], folder: Path) -> None:
        self._identify = identify  # gives a hash of the program; None: it is not known
        self._folder = folder

    @cached_property
    def identity(self) -> str | None:
        """A hash of the program; None: it is not known."""
        return self._identify()

    def find(self, key: str, family: Family) -> Unfinished | None:
        """How far a question has come; None if nothing is kept of it."""
        kept = self._read(key)
        if kept is None:
            return None
        explored = None
        if kept.explored is not None:
            symbols = {variable.path: variable.symbol for variable in family.interface.inputs}
            found = from_bytes(kept.explored.encode(), key, symbols)
            explored = found.summary if found is not None else None
        solved = kept.solved and explored is not None
        done = kept.open, kept.steps, frozenset(kept.tried), kept.relies_on
        return Unfinished(kept.seconds, explored, solved, *done)

    def _read(self, key: str) -> _Kept | None:
        try:
            content = unsealed(self._file(key).read_bytes())
            kept = msgspec.json.decode(content or b"", type=_Kept)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return None
        return kept if kept.key == key and kept.is_whole else None

    def keep(self, key: str, work: Unfinished, family: Family) -> bool:
        """Keep how far a question has come; whether anything is kept of it now.

        Of two the one that took longer is kept: a question that is asked again, for a short time, loses nothing.
        """
        explored = None if work.explored is None else _written(key, work.explored, family)
        boxes = work.open if work.open is not None and len(work.open.boxes) <= _BOXES else None
        before = self._read(key)
        if before is not None and before.seconds > work.seconds:
            return True
        if explored is None and boxes is None and not work.steps and not work.tried:
            return False
        done = boxes, work.steps, sorted(work.tried), work.relies_on
        kept = _Kept(key, work.seconds, explored, work.solved, *done)
        try:
            write_atomically(self._file(key), sealed(msgspec.json.encode(kept)))
            trim(self._folder, FILES, ON_DISK)
        except OSError:
            return False
        return True

    def forget(self, key: str) -> None:
        """Remove what was kept of a question that is settled now."""
        with suppress(OSError):  # what stays there only takes room: it is found for the same question alone
            self._file(key).unlink(missing_ok=True)

    def key(self, query: Query, family: Family, facts: FactualMoment, settings: tuple[object, ...]) -> str | None:
        """The hash of everything that the answer depends on; None if that is not known."""
        from soid.formula.smtlib.script_writer import text  # loaded on demand: most questions are settled at once

        if self.identity is None:
            return None
        surroundings = [_named(each) for each in (*facts.environments, facts.acts)]
        return digest(
            _FORM,
            all_of_soid(),
            self.identity,
            to_text(query),
            behavior_text(query.behavior),
            repr((str(query.period), query.period.future, settings)),
            repr((sorted(family.given.items()), sorted(family.fact.items()), sorted(facts.outputs.items()))),
            repr(surroundings),
            *(text(each) for each in family.scenarios),
            *(f"{variable.path} {variable.type!r}" for variable in family.varying),
        )

    def _file(self, key: str) -> Path:
        return self._folder / f"{key}.json"


def _named(values: Perceived) -> list[tuple[str, object]]:
    return [(path, named_value(value)) for path, value in sorted(values.items(), key=itemgetter(0))]


def _written(key: str, explored: PathSummary, family: Family) -> str | None:
    """The text of a summary; None if it is too large, or has results that no formula gives."""
    kept = KeptSummary(dict(family.given), family.scenarios[0], explored)
    if explored.approximations or size(kept.terms) > LARGEST:
        return None
    return to_bytes(key, kept).decode()
