"""Symbolic states in words, and exactly: where a question begins, what was decided, what a way inside assumes.

exactly                              in words
guard.elapsed is anything            whatever the time since the alarm had been
limits.brake = true                  it decides to demand to brake
guard.elapsed' = guard.elapsed + 0.1 the time since the alarm after the call is the time since the alarm + 0.1
not (road.distance < 51.76501)       not (the distance to the car in front is less than 51.76501)
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, final

from soid.case.visited_states import SymbolicState, Visit
from soid.engine.summary import Decided, OutputValue
from soid.formula import build
from soid.formula.passes import free_variables, substitute
from soid.formula.term import Term
from soid.formula.term_text import reading
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, EnumType, show
from soid.query.query import QueryKind
from soid.query.words import Words, listed, readable
from soid.query.words.readable_numbers import with_unit
from soid.scenario.supposition import supposition_text

_LONGEST: Final = 40  # characters of a value that is written out
_DEPTH: Final = 5  # of a condition that is written out
_SIGNS: Final = (
    (" <= ", " is at most "),
    (" < ", " is less than "),
    (" >= ", " is at least "),
    (" > ", " is more than "),
)


@final
class StateWords:
    """Says what states of one program are."""

    def __init__(self, interface: Interface) -> None:
        self._interface = interface
        self._words = Words(interface)

    def told(self, state: SymbolicState, visit: Visit) -> list[str]:
        """A state in words, in lines."""
        query = visit.answer.query
        if state.after == 0:
            supposed = [] if query.kind is QueryKind.DID else self._words.supposed(query)
            return supposed or [f"the fact at step {visit.answer.step}"]
        if state.ending is not None and not isinstance(state.ending, Decided):
            return [self._words.spoken(str(state.ending))]
        return [self._output(name, state.outputs[name]) for name in _ordered(state, visit)]

    def exact(self, state: SymbolicState, visit: Visit) -> list[str]:
        """The same as questions write it."""
        query = visit.answer.query
        if state.after == 0:
            supposed = [] if query.kind is QueryKind.DID else [supposition_text(each) for each in query.suppositions]
            return supposed or [f"the fact at step {visit.answer.step}"]
        if state.ending is not None and not isinstance(state.ending, Decided):
            return [str(state.ending)]
        return [f"{name} = {self._exact_value(name, state.outputs[name])}" for name in _ordered(state, visit)]

    def condition(self, condition: Term) -> str:
        """What a way inside assumes, over inputs as they are read."""
        return self._spoken(reading(condition, depth=_DEPTH))

    def depends(self, names: Iterable[str]) -> str:
        """What a value hangs on."""
        return f"depends on {listed(self._called(name) for name in names)}"

    # --- what was decided, and what is left ---------------------------------------------------------------------

    def _output(self, name: str, value: OutputValue) -> str:
        path = name.removesuffix("'")
        variable = self._interface.variable(path)
        called = f"{self._called(path)}{'' if path == name else ' after the call'}"
        if value.kept is not build.FALSE:
            return f"{called} is {'' if value.kept is build.TRUE else 'set or '}kept from before"
        if value.term.is_const:
            bits = int(value.term.value)
            if variable.role is Role.DECISION and path == name:
                return self._words.decided({path: bits})
            return f"{called} is {self._amount(variable, bits)}"
        text = self._text(value.term)
        if text is None:
            return f"{called} {self.depends(_names(value.term))}"
        return f"{called} is {self._spoken(text)}"

    def _exact_value(self, name: str, value: OutputValue) -> str:
        variable = self._interface.variable(name.removesuffix("'"))
        if value.kept is not build.FALSE:
            return "kept from before" if value.kept is build.TRUE else "set or kept from before"
        if value.term.is_const:
            return with_unit(show(variable.type, int(value.term.value)), variable.unit)
        return self._text(value.term) or f"depends on {', '.join(_names(value.term))}"

    def _text(self, term: Term) -> str | None:
        """A value over inputs as they are read; None if it is too long to be read."""
        plainly = {each.reading: build.var(each.path, each.reading.sort) for each in self._interface.inputs}
        text = reading(substitute([term], plainly)[0], depth=4)
        return text if len(text) <= _LONGEST and "…" not in text else None

    @staticmethod
    def _amount(variable: Variable, bits: int) -> str:
        is_label = isinstance(variable.type, BoolType | EnumType)
        return show(variable.type, bits) if is_label else readable(variable, bits)

    # --- words --------------------------------------------------------------------------------------------------

    def _called(self, name: str) -> str:
        return self._words.called(name) if name in self._interface else name

    def _spoken(self, text: str) -> str:
        """A text of a term, with labels for their numbers, and words for paths and comparisons."""
        for variable in self._interface.inputs:
            if variable.path in text:
                text = _labelled(text, variable)
        for sign, words in _SIGNS:
            text = text.replace(sign, words)
        return self._words.spoken(text)


def _labelled(text: str, variable: Variable) -> str:
    """A text with the label of a value in place of its number: "signal is RIGHT" for "signal is 2"."""
    if not isinstance(variable.type, EnumType):
        return text
    labels = {str(number): label for label, number in variable.type.labels}
    value = rf"(?<![\w.])({re.escape(variable.path)} is )(-?\d+)\b"
    return re.sub(value, lambda found: f"{found[1]}{labels.get(found[2], found[2])}", text)


def _names(term: Term) -> list[str]:
    return sorted(each.name for each in free_variables([term]))


def _ordered(state: SymbolicState, visit: Visit) -> list[str]:
    """The outputs, first those that the question speaks of."""
    spoken_of = visit.answer.query.behavior.names
    return sorted(state.outputs, key=lambda name: name.removesuffix("'") not in spoken_of)
