"""A summary of many states, narrowed to a question about some of them.

    kept       x and y free, 0 <= x <= 9                three paths
    wanted     y = 2, x free, 3 <= x <= 5               y put in, two of the paths still possible

This needs a proof that every wanted state is a kept one: inputs that were fixed have the same bits now, and the new
precondition implies the old one. Paths that no wanted state takes are removed. If an unexplored path remains, the
summary cannot be used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import final

from msgspec import Struct
from msgspec.structs import replace

from soid.engine.protocol import Exploration
from soid.engine.summary import Path, PathSummary, Unexplored, assuming
from soid.formula import build
from soid.formula.checker import Checker, Impossible
from soid.formula.passes import flatten_and, substitute
from soid.formula.term import Term


@final
class KeptSummary(Struct, frozen=True):
    """A summary, and the states that it is about; the key that it is kept under has everything else."""

    fixed: Mapping[str, int]  # bits of the inputs that had one value, by path
    precondition: Term
    summary: PathSummary

    @property
    def terms(self) -> list[Term]:
        found = [self.precondition]
        for path in self.summary.paths:
            found.append(path.condition)
            for step in (*path.earlier, path.outputs):
                found += [term for output in step.values() for term in output.terms]
        return found

    def is_about(self, wanted: Exploration) -> bool:
        """Whether the states wanted are exactly these."""
        return self.precondition is wanted.precondition and self.fixed == wanted.fixed


def narrowed(kept: KeptSummary, wanted: Exploration, symbols: Mapping[str, Term]) -> PathSummary | None:
    """The paths that states of `wanted` take; None if some are unknown, or if it is not proved that all are known.

    `symbols` are those of all inputs, by path.
    """
    if kept.is_about(wanted):
        return kept.summary if kept.summary.is_explored else None
    if any(wanted.fixed.get(path) != bits for path, bits in kept.fixed.items()):
        return None
    given = {
        symbols[path]: build.const(symbols[path].sort, bits)
        for path, bits in wanted.fixed.items()
        if path not in kept.fixed
    }
    if not implied(wanted.precondition, substitute([kept.precondition], given)[0], wanted.check):
        return None
    paths: list[Path] = []
    for path in assuming(kept.summary.paths, given):
        if isinstance(wanted.check([wanted.precondition, path.condition]), Impossible):
            continue
        if isinstance(path.ending, Unexplored):
            return None
        paths.append(path)
    return replace(kept.summary, paths=_numbered(kept.summary.paths, paths))


def implied(wanted: Term, before: Term, check: Checker) -> bool:
    """Whether the wanted precondition implies the kept one: conjunct by conjunct, or proved."""
    known = set(flatten_and([wanted]))
    missing = [term for term in flatten_and([before]) if term not in known]
    if not missing:
        return True
    outside = build.not_(build.all_of(missing))
    return isinstance(check([wanted, outside]), Impossible)


def _numbered(before: Sequence[Path], paths: Sequence[Path]) -> tuple[Path, ...]:
    """Number the paths anew if their names are numbers."""
    if any(path.name != str(number) for number, path in enumerate(before, 1)):
        return tuple(paths)
    return tuple(replace(path, name=str(number)) for number, path in enumerate(paths, 1))
