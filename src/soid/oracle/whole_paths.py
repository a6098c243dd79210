"""What the program gives in one step for all values that its inputs may have had, by intervals alone.

The program is explored once over all inputs. Of a step, each input has a range: one value, what rounds to the logged
one, or all. A path whose condition holds all over these ranges is the one that every state of them takes, and its
outputs are evaluated over them. Nothing is asked of a solver; where no path is certain, nothing is said.

    paths    x > 2.0: n' = n + 1        not x > 2.0: n' = 0
    step     x = 3.1 to 3.2, n = 4      n' = 5
    step     x = 1.9 to 2.1, n = 4      nothing is certain
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Self, final

from soid.engine.summary import Decided, PathSummary
from soid.formula import intervals
from soid.formula.interval_program import Box, IntervalProgram
from soid.formula.intervals import ALWAYS, Floats, Values
from soid.formula.softfloat import from_ordinal
from soid.formula.sorts import Float, Sort
from soid.formula.term import postorder
from soid.program.interface import Interface, Variable
from soid.program.types import FloatType
from soid.scenario.trace import Keyframe

#: terms that are evaluated for a step: with more of them, exploring the step takes no longer
_TERMS: Final = 4_000

#: of an output the least and the greatest value, in the order of its sort; they are one value if it is certain
Ends = tuple[int, int]


@final
class WholePaths:
    """The paths of a program over all inputs."""

    def __init__(self, summary: PathSummary, interface: Interface) -> None:
        self._inputs = interface.inputs
        self._paths = [path for path in summary.paths if isinstance(path.ending, Decided)]
        outputs = (output for path in self._paths for output in path.outputs.values())
        roots = [path.condition for path in self._paths]
        roots += [term for output in outputs for term in (output.term, output.defined)]
        self._program = IntervalProgram(postorder(roots), {v.symbol: v.order for v in self._inputs})

    @classmethod
    def of(cls, summary: PathSummary, interface: Interface) -> Self | None:
        """None: they say nothing by intervals, or no sooner than an exploration."""
        made = None if summary.approximations else cls(summary, interface)
        return made if made is not None and len(made._program.order) <= _TERMS else None

    def over(self, moment: Keyframe) -> Mapping[str, Ends] | None:
        """The outputs that have a value in every state that a moment may have been; None: it is not known which."""
        return self._outputs(tuple(_range(variable, moment) for variable in self._inputs))

    def at(self, moment: Keyframe) -> Mapping[str, Ends] | None:
        """The same for the values that stand for what it was."""
        places = (variable.order.place_of(moment.inputs[variable.path]) for variable in self._inputs)
        return self._outputs(tuple((place, place) for place in places))

    def _outputs(self, box: Box) -> Mapping[str, Ends] | None:
        values, place = self._program.run(box), self._program.places
        taken = next((path for path in self._paths if values[place[path.condition]] == ALWAYS), None)
        if taken is None:
            return None
        found: dict[str, Ends] = {}
        for name, output in taken.outputs.items():
            ends = _ends(output.term.sort, values[place[output.term]])
            if ends is not None and values[place[output.defined]] == ALWAYS:
                found[name] = ends
        return found


def _range(variable: Variable, moment: Keyframe) -> tuple[int, int]:
    """The places of the values that an input may have had; a range of numbers that ends at zero has both zeros."""
    path, order = variable.path, variable.order
    if path in moment.assumed:
        return order.places
    rounded = moment.rounded.get(path)
    if rounded is None:
        place = order.place_of(moment.inputs[path])
        return place, place
    low, high = order.place_of(rounded.low), order.place_of(rounded.high)
    if isinstance(variable.type, FloatType):
        return min(low, -1) if low == 0 else low, max(high, 0) if high == -1 else high
    return low, high


def _ends(sort: Sort, values: Values) -> Ends | None:
    """The least and the greatest of some values; None where they are no range of numbers."""
    only = intervals.single(sort, values)
    if only is not None:
        return only, only
    if isinstance(values, Floats) and isinstance(sort, Float) and not values.nan:
        return from_ordinal(sort, values.low), from_ordinal(sort, values.high)
    return None
