"""A Witness: a concrete scenario, how it differs from the fact, and what the program does there."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, final

from msgspec import UNSET, Struct, UnsetType

from soid.documents import JsonValue
from soid.engine.summary import Decided, Ending
from soid.program.domain import LoggedValue, Range
from soid.program.interface import Interface, Variable
from soid.program.types import VariableType, json_value, show
from soid.scenario.input_names import is_marked
from soid.scenario.origin import NOT_KNOWN, Origin

#: bits of the least and of the greatest that a number may be
Ends = tuple[int, int]


@final
class Shows(enum.Enum):
    """What a witness shows."""

    FACT = "fact"  # what happened
    EXAMPLE = "example"  # a scenario in which the behavior occurs
    COUNTEREXAMPLE = "counterexample"  # a scenario in which it does not
    MEMBER = "member"  # any scenario of the family: the family is not empty


@final
class ChangeDocument(Struct, frozen=True):
    """One variable that differs from the fact, as JSON."""

    variable: str
    fact: JsonValue | None
    scenario: JsonValue
    unit: str


@final
class Change(Struct, frozen=True):
    """One variable that differs from the fact."""

    variable: Variable
    before: int  # bits in the fact; those of the moment asked about if it is not known
    after: int  # bits in the scenario
    origin: Origin = Origin.LOGGED  # of the fact; assumed too if the log ends before
    is_later: bool = False  # `before` was logged in a later step: at its first one, fact and scenario agree

    def __repr__(self) -> str:
        return f"Change({self})"

    def __str__(self) -> str:
        return f"{self.variable.path}: {self.was} -> {self.variable.amount(self.after)}"

    @property
    def is_known(self) -> bool:
        """Whether it is known what it was in fact."""
        return self.origin is not Origin.ASSUMED

    @property
    def was(self) -> str:
        """What it was in fact, in words."""
        return self.told(show(self.variable.type, self.before))

    def told(self, value: str) -> str:
        """The text of its factual value with its origin, unless it was logged; what is not known has no value."""
        derived = f" ({self.origin.value})" if self.origin is Origin.DERIVED else ""
        later = " (in a later step)" if self.is_later else ""
        return f"{value}{derived}{later}" if self.is_known else NOT_KNOWN

    @property
    def document(self) -> ChangeDocument:
        kind = self.variable.type
        values = json_value(kind, self.before) if self.is_known else None, json_value(kind, self.after)
        return ChangeDocument(self.variable.path, *values, self.variable.unit)


class WitnessDocument(Struct, frozen=True):
    """A scenario as JSON."""

    shows: Shows
    inputs: dict[str, JsonValue]
    outputs: dict[str, JsonValue]
    steps: list[dict[str, JsonValue]]
    ending: str
    path: str
    replayed: str
    settled: bool
    nearest: dict[str, JsonValue] | UnsetType = UNSET
    between: list[dict[str, tuple[JsonValue, JsonValue]]] | UnsetType = UNSET


@final
class ContrastDocument(WitnessDocument, frozen=True):
    """A second scenario as JSON, with its differences from the fact."""

    changed: list[ChangeDocument] = []


@final
class Witness(Struct, frozen=True):
    """A scenario, replayed."""

    shows: Shows
    interface: Interface
    inputs: Mapping[str, int]  # bits of every input
    changed: tuple[Change, ...]  # against the fact, in the interface's order
    outputs: Mapping[str, int]  # bits of the program's outputs: decisions and the state after the call
    ending: Ending
    path: str  # the name of the path that it takes
    replayed: str  # how it was replayed, in words
    earlier: tuple[Mapping[str, int], ...] = ()  # outputs of each step before the last one
    settled: bool = True  # False: a nearer one may exist: the witness budget ended, or the recipe does not settle
    nearest: Mapping[str, int] = {}  # bits of inputs that are round here and are others in the nearest scenario
    unlogged: frozenset[str] = frozenset()  # inputs of which there is no known fact, and that the question varies
    assumed: tuple[str, ...] = ()  # inputs of which there is none either; their values here are possible ones
    between: tuple[Mapping[str, Ends], ...] = ()  # of each step: ends of outputs that are not known exactly

    def __repr__(self) -> str:
        return f"Witness({'; '.join(map(str, self.changed)) or 'as in fact'})"

    @property
    def steps(self) -> tuple[Mapping[str, int], ...]:
        """The outputs of each step in which the program decided."""
        return (*self.earlier, self.outputs) if isinstance(self.ending, Decided) else self.earlier

    def step_number(self, index: int, keyframe: int) -> int:
        """A step's number, as in the log: from the keyframe's on."""
        return index + keyframe

    @property
    def outcomes(self) -> tuple[Mapping[str, Range], ...]:
        """What the outputs of each such step are, those first that are known between two ends only."""
        between = (*self.between, *({},) * len(self.steps))
        return tuple(
            {name: Range(*found) for name, found in (*ends.items(), *((n, (bits, bits)) for n, bits in step.items()))}
            for step, ends in zip(self.steps, between, strict=False)
        )

    def step_rows(self, keyframe: int) -> Iterator[tuple[str, Mapping[str, Range], Mapping[str, int]]]:
        """Each step with its number, its outputs, and what is done in the place of decisions.

        Consecutive steps in which all is the same are one row, "3 to 5".
        """
        first = self.step_number(0, keyframe)
        steps = ((outputs, self.done(number)) for number, outputs in enumerate(self.outcomes, start=first))
        for step, same in itertools.groupby(steps):
            last = first + sum(1 for _ in same) - 1
            yield str(first) if first == last else f"{first} to {last}", *step
            first = last + 1

    def done(self, step: int) -> dict[str, int]:
        """The bits of what is done at a step, by its number, in the place of decisions."""
        marked = (each.path.partition("@") for each in self.acts)
        return {path: self.inputs[f"{path}@{mark}"] for path, _, mark in marked if is_marked(mark, step)}

    @property
    def acts(self) -> tuple[Variable, ...]:
        """The inputs that are done in the place of decisions: those of some steps that stand for one."""
        based = ((each, each.path.partition("@")[0]) for each in self.interface.inputs)
        return tuple(
            each
            for each, base in based
            if base != each.path and base in self.interface and not self.interface.variable(base).is_input
        )

    def output_text(self, name: str) -> str:
        """What an output of the last step is, in words."""
        kind = self.interface.output_type(name)
        return outcome_text(self.outcomes[-1][name], kind, partial(show, kind))

    @property
    def document(self) -> WitnessDocument:
        return WitnessDocument(**self._shown)

    @property
    def contrast(self) -> ContrastDocument:
        """The document with the differences from the fact."""
        return ContrastDocument(**self._shown, changed=[change.document for change in self.changed])

    @property
    def _shown(self) -> dict[str, Any]:

        def value(name: str, bits: int) -> JsonValue:
            return json_value(self.interface.output_type(name), bits)

        def values(state: Mapping[str, int]) -> dict[str, JsonValue]:
            return {name: value(name, bits) for name, bits in state.items()}

        between = [
            {name: (value(name, low), value(name, high)) for name, (low, high) in step.items()} for step in self.between
        ]
        return {
            "shows": self.shows,
            "inputs": values(self.inputs),
            "outputs": values(self.outputs),
            "steps": [values(step) for step in self.steps],
            "ending": str(self.ending),
            "path": self.path,
            "replayed": self.replayed,
            "settled": self.settled,
            "nearest": values(self.nearest) or UNSET,
            "between": between or UNSET,
        }


def changes(
    interface: Interface,
    fact: Mapping[str, int],
    state: Mapping[str, int],
    recorded: Mapping[str, tuple[LoggedValue, ...]] | None = None,
    unlogged: frozenset[str] = frozenset(),
) -> tuple[Change, ...]:
    """The differences between the fact and a scenario, compared by bits.

    `recorded` has what was logged of an input in steps after its first one, where it has one value in several. The
    first logged value that differs is the one that is shown.
    """
    found = []
    for variable in interface.inputs:
        after = state[variable.path]
        later = [each.bits for each in (recorded or {}).get(variable.path, ()) if not each.may_be(variable.type, after)]
        origin = Origin.ASSUMED if variable.path in unlogged else Origin.LOGGED
        # what is not known at the moment differs from nothing, and is told; what is as at the moment later on is not
        told = origin is Origin.ASSUMED and "@" not in variable.path
        known = (fact[variable.path], False), *((bits, True) for bits in later)
        found += [Change(variable, bits, after, origin, late) for bits, late in known if bits != after or told][:1]
    return tuple(found)


def outcome_text(outcome: Range, kind: VariableType, text: Callable[[int], str], done: int | None = None) -> str:
    """An output in words, by the words for one value: with its two ends where it is known between them only.

    Of a decision in whose place something else is `done`, that is told too.
    """
    exactly = text(outcome.high)
    told = exactly if outcome.low == outcome.high else f"{show(kind, outcome.low)} to {exactly}"
    return told if done is None else f"{told}, done: {text(done)}"
