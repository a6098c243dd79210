"""Summaries that are kept for later questions: the latest in memory, more of them on disk.

A key is a hash of everything that must be the same for a summary to be used, except the states that it is about: the
program as compiled, soid itself, the machine's C library, the window, the steps and what is perceived in them, and the
observed internal values. Files lie in one folder, `<key>-<states>.json`; the oldest are removed when it is full.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Final, final

from soid.cache import digest, newest, trim_at_times, write_atomically
from soid.engine.code_version import this_soid
from soid.engine.protocol import Exploration
from soid.engine.summary import PathSummary, Unexplored
from soid.engine.summary_cache.subsumption import KeptSummary, narrowed
from soid.engine.summary_cache.summary_file import fixed_in, from_bytes, to_bytes
from soid.formula.passes import size
from soid.formula.term import Term
from soid.program.interface import Interface, Role, Variable
from soid.program.perception import Lapsing, PerceivedValue, inputs_of

#: the name in `settled_by` of an answer from a kept summary
BY: Final = "summaries"

_FORM: Final = "1"  # of the files
LARGEST: Final = 200_000  # terms; a larger summary is not kept
IN_MEMORY: Final = 1_000_000  # terms
ON_DISK: Final = 256 << 20  # bytes
FILES: Final = 2_000
_TRIED: Final = 8  # candidates for a question; trying more takes longer than exploring
_HEAD: Final = 1 << 16  # bytes of a file that are read to see what it is about


@final
class Summaries:
    """What is kept of one program."""

    def __init__(self, identity: str, interface: Interface, folder: Path | None = None) -> None:
        self._identity = identity  # of the program: programs with the same identity have the same paths
        self._symbols = {variable.path: variable.symbol for variable in interface.inputs}
        internal = (variable.path for variable in interface if variable.role is Role.INTERNAL)
        self._observable = frozenset({*internal, *(view.path for view in interface.views), *interface.shared})
        self._folder = folder  # None: in memory alone
        # by key and states: a summary and its size
        self._kept: OrderedDict[tuple[str, str], tuple[KeptSummary, int]] = OrderedDict()

    def find(self, wanted: Exploration) -> PathSummary | None:
        """The paths under a precondition, from a kept summary; None if none has them."""
        key = self._key(wanted)
        for name, kept in islice(self._candidates(key, wanted), _TRIED):
            found = narrowed(kept, wanted, self._symbols_of(wanted))
            if found is not None:
                self._remember(key, name, kept)
                if found is not kept.summary:  # the same question again need not be narrowed again
                    states = repr((sorted(wanted.fixed.items()), wanted.precondition.uid))
                    self._remember(
                        key, digest(name, states), KeptSummary(dict(wanted.fixed), wanted.precondition, found)
                    )
                return PathSummary(found.paths, found.relies_on, settled_by={BY: 1})
        return None

    def keep(self, explored: Exploration, summary: PathSummary, *, incomplete: bool = False) -> str:
        """Keep a summary for later; gives the reason if it is not kept.

        A summary with approximations is not kept, since their enclosures become tighter with each question. One with
        unexplored paths is kept only if `incomplete` allows it.
        """
        if summary.approximations:
            names = ", ".join(sorted({each.function for each in summary.approximations}))
            return f"what the program makes of {names} is not known exactly"
        unexplored = [isinstance(path.ending, Unexplored) for path in summary.paths]
        if any(unexplored) and not incomplete:
            return "some paths were left unexplored"
        if all(unexplored):
            return "no path was explored"
        kept = KeptSummary(dict(explored.fixed), explored.precondition, PathSummary(summary.paths, summary.relies_on))
        key = self._key(explored)
        if size(kept.terms) > LARGEST:
            return f"its formulas have more than {LARGEST} terms"
        content = to_bytes(key, kept)
        name = digest(content)
        self._remember(key, name, kept)
        if self._folder is not None:
            with suppress(OSError):  # the files only save time
                write_atomically(self._folder / f"{key}-{name}.json", content)
                trim_at_times(self._folder, FILES, ON_DISK)
        return ""

    def _key(self, exploration: Exploration) -> str:
        environments = [
            [(path, named_value(value)) for path, value in sorted(each.items(), key=itemgetter(0))]
            for each in exploration.environments
        ]
        return digest(
            _FORM,
            this_soid(),
            self._identity,
            repr((exploration.window, exploration.steps, environments)),
            repr(sorted(exploration.observed & self._observable)),
        )

    def _symbols_of(self, exploration: Exploration) -> dict[str, Term]:
        """The symbols of all inputs, those of later steps included."""
        later = (made for each in exploration.environments for value in each.values() for made in inputs_of(value))
        return {**self._symbols, **{variable.path: variable.symbol for variable in later}}

    def _candidates(self, key: str, wanted: Exploration) -> Iterator[tuple[str, KeptSummary]]:
        """Summaries that may contain the wanted states: first those of exactly these states, then the latest.

        For a single state only a summary of this state alone counts: the fact is run, not derived.
        """
        single = wanted.fixed.keys() >= self._symbols_of(wanted).keys()
        known = [(name, kept) for (under, name), (kept, _) in reversed(self._kept.items()) if under == key]
        yield from (each for each in known if each[1].is_about(wanted))
        if not single:
            yield from (each for each in known if not each[1].is_about(wanted))
        seen = {name for name, _ in known}
        for path, _, _ in newest(self._folder, f"{key}-") if self._folder is not None else ():
            file = Path(path)
            name = file.stem.removeprefix(f"{key}-")
            if name not in seen:
                kept = self._read(file, key, wanted, single=single)
                if kept is not None:
                    yield name, kept

    def _read(self, path: Path, key: str, wanted: Exploration, *, single: bool) -> KeptSummary | None:
        """The summary of a file, if it may contain the wanted states."""
        try:
            with path.open("rb") as file:
                fixed = fixed_in(file.read(_HEAD), key)
                if fixed is None or any(wanted.fixed.get(each) != bits for each, bits in fixed.items()):
                    return None
                if single and fixed != wanted.fixed:
                    return None
                file.seek(0)
                return from_bytes(file.read(), key, self._symbols_of(wanted))
        except OSError:
            return None

    def _remember(self, key: str, name: str, kept: KeptSummary) -> None:
        """Keep in memory, as the latest; the oldest are dropped when there are too many terms."""
        if (key, name) not in self._kept:
            self._kept[key, name] = kept, size(kept.terms)
        self._kept.move_to_end((key, name))
        while sum(terms for _, terms in self._kept.values()) > IN_MEMORY:
            self._kept.popitem(last=False)


def named_value(value: PerceivedValue) -> object:
    """A perceived value as a part of a key."""
    if isinstance(value, Lapsing):
        from soid.formula.smtlib.script_writer import text  # loaded on demand: few questions have an `until`

        condition = text(value.until.true), text(value.until.false), value.first
        return named_value(value.supposed), named_value(value.otherwise), *condition
    return value.path if isinstance(value, Variable) else value
