"""The SMT-LIB engine: paths that any symbolic executor wrote become a PathSummary.

One file is one path (as KLEE's `--write-smt2s` makes them), or a file's named assertions are its paths. States that no
path covers are unexplored. Two paths that differ on a state that both cover are an error that shows this state.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Final, assert_never, final

from soid.assumptions import Ledger
from soid.engine.protocol import PERCEPTION_OPEN, Engine, Exploration, ExplorationProgress
from soid.engine.smtlib.composition import START, StepComposition, outputs_so_far
from soid.engine.smtlib.path_reader import load
from soid.engine.smtlib.smtlib_source import SmtLibSource
from soid.engine.summary import Decided, Path, PathSummary, Unexplored, overlap
from soid.errors import ProgramError
from soid.formula import build
from soid.formula.build import FALSE
from soid.formula.checker import Impossible, Open, Possible
from soid.formula.term import Term
from soid.program.interface import Interface
from soid.program.types import show

UNCOVERED: Final = "no path that was given covers them"
MOST_PATHS: Final = 100_000  # over several steps there may be many


@final
class SmtLibEngine(Engine):
    """Explores one program given as SMT-LIB paths."""

    name = "smtlib"

    def __init__(self, interface: Interface, source: SmtLibSource) -> None:
        self.interface = interface
        paths = load(interface, source)
        self.given_paths = len(paths)
        self._stepping = StepComposition(interface, paths)

    def explore(self, exploration: Exploration) -> PathSummary:
        """The given paths that are possible under the precondition, step by step, and what they leave uncovered."""
        if exploration.window is not None:
            raise ProgramError(
                "a window counts what a program does, and of this one only the paths are given", "Leave it out."
            )
        found: list[Path] = []
        reached = [START]
        for step in range(exploration.steps):
            if not reached:
                break
            paths: list[Path] = []
            for before in reached:
                paths += self._after(before, step, len(found) + len(paths), exploration)
            goes_on = step + 1 < exploration.steps
            reached = [path for path in paths if goes_on and isinstance(path.ending, Decided)]
            found += [path for path in paths if not (goes_on and isinstance(path.ending, Decided))]
        return PathSummary(tuple(found), (Ledger.GIVEN_PATHS.of(),))

    def _after(self, before: Path, step: int, paths: int, exploration: Exploration) -> list[Path]:
        """The paths that continue one that has decided in the step before; together they cover it."""
        spent = _out_of_budget(exploration, paths) if step else None
        if spent is not None:
            return [_given_up(before, spent)]
        if step and exploration.open_after(outputs_so_far(before)) is not FALSE:
            return [_given_up(before, Unexplored(PERCEPTION_OPEN))]
        possible = (
            self._stepping.next(before, exploration.perceived)
            if step
            else self._stepping.first(exploration.fixed, exploration.computed)
        )
        if isinstance(possible, str):
            return [_given_up(before, Unexplored(f"not supported: {possible}"))]
        possible = _possible(possible, exploration)
        unsettled = self._overlaps(possible, exploration)
        covered = build.any_of(path.condition for path in possible)
        uncovered = build.and_(before.condition, build.not_(covered))
        rest = Path("the rest", uncovered, Unexplored(UNCOVERED), earlier=outputs_so_far(before))
        return [*possible, *unsettled, *_possible([rest], exploration)]

    def _overlaps(self, paths: Sequence[Path], exploration: Exploration) -> list[Path]:
        """Refuse paths that contradict each other; if the checker cannot tell, their overlap is unexplored."""
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
                case Open(reason, late):
                    why = f"whether {one.name} and {other.name} overlap is not settled ({reason})"
                    ending = Unexplored(why, out_of_time=late)
                    unsettled.append(Path(f"{one.name} and {other.name}", both, ending, {}, one.earlier))
                case _:
                    assert_never(answer)
        return unsettled

    def _shown(self, model: Mapping[Term, Any], fixed: Mapping[str, int]) -> dict[str, object]:
        """A state in the interface's words, without the inputs that the overlap does not depend on."""
        bits = {v.path: fixed.get(v.path, model.get(v.symbol)) for v in self.interface.inputs}
        kinds = {variable.path: variable.type for variable in self.interface.inputs}
        return {path: show(kinds[path], int(value)) for path, value in bits.items() if value is not None}


def _possible(paths: Sequence[Path], exploration: Exploration) -> list[Path]:
    """The paths except those that no state takes."""
    kept: list[Path] = []
    for checks, path in enumerate(paths):
        exploration.progress(ExplorationProgress(len(kept), len(paths) - checks, checks))
        if path.condition is FALSE:
            continue
        if not isinstance(exploration.check([exploration.precondition, path.condition]), Impossible):
            kept.append(path)
    return kept


def _out_of_budget(exploration: Exploration, paths: int) -> Unexplored | None:
    if exploration.cancel.cancelled:
        return Unexplored("cancelled", out_of_time=True)
    if exploration.deadline.is_over:
        return Unexplored("the time budget ended", out_of_time=True)
    return Unexplored(f"more than {MOST_PATHS} paths") if paths > MOST_PATHS else None


def _given_up(before: Path, ending: Unexplored) -> Path:
    return Path(before.name, before.condition, ending, earlier=outputs_so_far(before))


def _different(one: Path, other: Path) -> Term:
    """Where two paths say different things."""
    if one.ending != other.ending:
        return build.TRUE
    pairs = ((one.outputs[name].term, other.outputs[name].term) for name in one.outputs)
    return build.any_of(build.not_(build.eq(a, b)) for a, b in pairs)
