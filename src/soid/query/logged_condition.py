"""A condition on the steps of a log: a formula as in questions, about what each step has logged.

>>> from soid.program.interface import Role, Variable
>>> from soid.program.types import BoolType, IntType
>>> from soid.scenario.log_series import read_series
>>> from soid.scenario.trace import Step, Trace
>>> level = Variable("level", Role.ENVIRONMENT, IntType(8, signed=False))
>>> interface = Interface((level, Variable("stop", Role.DECISION, BoolType())))
>>> log = Trace(interface, tuple(Step(at, {"level": at % 4}, {"stop": int(at > 4)}) for at in range(8)))
>>> LoggedCondition("level >= 2 and not stop", interface).stretches(read_series(log))
[(2, 3)]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import final

from soid.allowance import look
from soid.errors import QueryError
from soid.formula.passes import evaluate_ordered
from soid.formula.term import postorder
from soid.program.interface import Interface
from soid.query.behavior import CheckScope
from soid.query.language.query_parser import parse_behavior
from soid.scenario.kleene_terms import lower
from soid.scenario.log_series import LogSeries
from soid.scenario.trace import Step

_REMEMBERED = 1 << 16  # rows of values; those of a log repeat
_AT_ONCE = 1000  # steps


@final
class LoggedCondition:
    """Holds at a step, or not; where a value that it needs was not logged, neither is known."""

    def __init__(self, text: str, interface: Interface) -> None:
        behavior = parse_behavior(text, interface)
        if behavior.speaks_of_endings:
            raise QueryError("a log has values, and not how the program ended", "Name an input or a decision.")
        self._holds = lower(behavior.expression, CheckScope(interface)).true
        self._order = postorder([self._holds])
        self._symbols = [term for term in self._order if term.is_var]
        self.names: Sequence[str] = [term.name for term in self._symbols]
        self._inputs = {variable.path for variable in interface.inputs}
        self._known: dict[tuple[int, ...], bool] = {}

    def holds(self, step: Step) -> bool | None:
        return self._of(tuple(map(self._reading(step), self.names)))

    def stretches(self, log: LogSeries) -> list[tuple[int, int]]:
        """The numbers of the first and the last step of each stretch in which it holds at every step."""
        logged = {each.name: each.values for each in log.series}
        if missing := [name for name in self.names if name not in logged]:
            raise QueryError(
                f"of {missing[0]} nothing was read from the log", "Name an input or a decision that it has."
            )
        columns = [logged[name] for name in self.names]
        found: list[tuple[int, int]] = []
        goes_on = False
        for at, number in enumerate(log.numbers):
            if at % _AT_ONCE == 0:
                look("looking through the log")
            if not self._of(tuple([column[at] for column in columns])):
                goes_on = False
            elif goes_on:
                found[-1] = found[-1][0], number
            else:
                goes_on = True
                found.append((number, number))
        return found

    def _reading(self, step: Step) -> Callable[[str], int | None]:
        def value(name: str) -> int | None:
            if step.unlogged and name in step.unlogged:
                return None
            return (step.inputs if name in self._inputs else step.decisions).get(name)

        return value

    def _of(self, values: tuple[int | None, ...]) -> bool | None:
        if None in values:
            return None
        known = self._known.get(values)  # type: ignore[arg-type]
        if known is None:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            found = evaluate_ordered(self._order, dict(zip(self._symbols, values, strict=True)))
            known = self._known[values] = bool(found[self._holds])  # type: ignore[index]
        return known
