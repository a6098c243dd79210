"""Runs of a program on one state after the other: each becomes a path whose condition is that state.

    x in {1..3}         x = 1: returns 0        x = 2: returns 0        x = 3: fails, division by zero

Nothing is approximated here: a library function returns what the machine's own library returns for the arguments. A
state whose run depends on anything besides its inputs is an unexplored one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, final

from msgspec import Struct, field
from msgspec.structs import replace

from soid.assumptions import Assumption
from soid.engine.protocol import Engine, Exploration
from soid.engine.summary import Path, PathSummary, Unexplored
from soid.formula import build
from soid.formula.build import TRUE
from soid.program.interface import Variable

_OPEN: Final = Unexplored("what it does depends on more than its inputs")


@final
class ConcreteRuns(Struct):
    """The runs of one program so far, on states that differ in some variables only."""

    engine: Engine
    exploration: Exploration  # `fixed` has the inputs that are the same in all states
    variables: Sequence[Variable]  # the others
    paths: list[Path] = field(default_factory=list)
    _relies_on: list[tuple[Assumption, ...]] = field(default_factory=list)  # what the engine assumed, by run

    def run(self, state: Mapping[str, int]) -> Path:
        """Run the program on the bits of the variables; gives the path of this state."""
        fixed = {**self.exploration.fixed, **{variable.path: state[variable.path] for variable in self.variables}}
        summary = self.engine.explore(replace(self.exploration, fixed=fixed, precondition=TRUE))
        where = build.all_of(variable.equals(state[variable.path]) for variable in self.variables)
        path = replace(_only(summary), name=str(len(self.paths) + 1), condition=where)
        self.paths.append(path)
        self._relies_on.append(summary.relies_on)
        return path

    @property
    def summary(self) -> PathSummary:
        """The paths of all states that were run. They cover no other state."""
        return self.summary_of(range(len(self.paths)))

    def summary_of(self, numbers: Iterable[int]) -> PathSummary:
        """The paths of some of the states that were run."""
        chosen = list(numbers)
        relies_on = dict.fromkeys(each for number in chosen for each in self._relies_on[number])
        return PathSummary(tuple(self.paths[number] for number in chosen), tuple(relies_on))


def _only(summary: PathSummary) -> Path:
    """The path of a state's run, if there is exactly one, its condition holds and its outputs are constants.

    Paths that another tool has made may overlap; where they say the same they count as one.
    """
    first, *others = summary.paths or (Path("", TRUE, _OPEN),)
    outputs = [output for step in (*first.earlier, first.outputs) for output in step.values()]
    is_plain = all(term.is_const for output in outputs for term in output.terms)
    if first.condition is TRUE and is_plain and all(replace(path, name=first.name) == first for path in others):
        return first
    left = (path.ending for path in summary.paths if isinstance(path.ending, Unexplored))
    return Path("", TRUE, next(left, _OPEN))
