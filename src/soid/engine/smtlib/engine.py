"""The SMT-LIB engine: paths that any symbolic executor wrote become a PathSummary.

One file is one path (as KLEE's `--write-smt2s` makes them), or a file's named assertions are its paths. What no path
covers counts as unexplored, and two paths that say different things about one state are an error that shows it.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Final, assert_never, final

from soid.engine.protocol import Exploration, Progress
from soid.engine.smtlib.load import assuming, load
from soid.engine.summary import Path, PathSummary, Unexplored, overlap
from soid.formula import build
from soid.formula.build import FALSE
from soid.formula.checking import Impossible, Open, Possible
from soid.formula.term import Term
from soid.program.interface import Interface
from soid.program.program import SmtLibSource
from soid.program.types import show

UNCOVERED: Final = "no path that was given covers them"
RELIES_ON: Final = "the paths were made by another tool: soid has not seen the program that they stand for"


@final
class SmtLibEngine:
    """Explores one program given as SMT-LIB paths."""

    def __init__(self, interface: Interface, source: SmtLibSource) -> None:
        self.interface = interface
        self._paths = load(interface, source)

    @property
    def name(self) -> str:
        return "smtlib"

    def explore(self, exploration: Exploration) -> PathSummary:
        """The given paths that are possible under the precondition, and what they leave uncovered."""
        fixed = {
            variable.symbol: build.const(variable.symbol.sort, exploration.fixed[variable.path])
            for variable in self.interface.inputs
            if variable.path in exploration.fixed
        }
        possible = _possible(assuming(self._paths, fixed), exploration)
        unsettled = self._overlaps(possible, exploration)
        rest = Path("the rest", build.not_(build.any_of(p.condition for p in possible)), Unexplored(UNCOVERED))
        return PathSummary((*possible, *unsettled, *_possible([rest], exploration)), (RELIES_ON,))

    def _overlaps(self, paths: Sequence[Path], exploration: Exploration) -> list[Path]:
        """Refuse paths that contradict each other; where that is not settled, count their overlap as unexplored."""
        unsettled: list[Path] = []
        for one, other in itertools.combinations(paths, 2):
            both = build.and_(one.condition, other.condition, _different(one, other))
            if both is FALSE:
                continue
            answer = exploration.check([exploration.precondition, both])
            match answer:
                case Possible(model):
                    raise overlap(one, other, self._shown(model, exploration.fixed))
                case Impossible():
                    continue
                case Open(reason):
                    why = f"whether {one.name} and {other.name} overlap is not settled ({reason})"
                    unsettled.append(Path(f"{one.name} and {other.name}", both, Unexplored(why)))
                case _:
                    assert_never(answer)
        return unsettled

    def _shown(self, model: Mapping[Term, Any], fixed: Mapping[str, int]) -> dict[str, object]:
        """A state in the interface's words; what the overlap does not depend on is left out."""
        bits = {v.path: fixed.get(v.path, model.get(v.symbol)) for v in self.interface.inputs}
        kinds = {variable.path: variable.type for variable in self.interface.inputs}
        return {path: show(kinds[path], int(value)) for path, value in bits.items() if value is not None}


def _possible(paths: Sequence[Path], exploration: Exploration) -> list[Path]:
    """The paths that some state takes, or for all we know may take."""
    kept: list[Path] = []
    for checks, path in enumerate(paths):
        exploration.progress(Progress(len(kept), len(paths) - checks, checks))
        if path.condition is FALSE:
            continue
        if not isinstance(exploration.check([exploration.precondition, path.condition]), Impossible):
            kept.append(path)
    return kept


def _different(one: Path, other: Path) -> Term:
    """Where two paths say different things."""
    if one.ending != other.ending:
        return build.TRUE
    pairs = ((one.outputs[name].term, other.outputs[name].term) for name in one.outputs)
    return build.any_of(build.not_(build.eq(a, b)) for a, b in pairs)
