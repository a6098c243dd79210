"""A Witness: a concrete scenario, how it differs from the fact, and what the program does there."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, final

from msgspec import Struct

from soid.engine.summary import Decided, Ending
from soid.program.interface import Interface, Variable
from soid.program.types import show, to_json


@final
class Shows(enum.Enum):
    """What a witness is shown for."""

    FACT = "fact"  # what happened
    EXAMPLE = "example"  # a scenario in which the behavior occurs
    COUNTEREXAMPLE = "counterexample"  # a scenario in which it does not
    MEMBER = "member"  # any scenario of the family: the proof is not about nothing


@final
class Change(Struct, frozen=True):
    """One variable that differs from the fact."""

    variable: Variable
    before: int  # bits in the fact
    after: int  # bits in the scenario

    def __str__(self) -> str:
        kind, unit = self.variable.type, f" {self.variable.unit}" if self.variable.unit else ""
        return f"{self.variable.path}: {show(kind, self.before)} -> {show(kind, self.after)}{unit}"

    def to_json(self) -> dict[str, Any]:
        kind = self.variable.type
        return {
            "variable": self.variable.path,
            "fact": to_json(kind, self.before),
            "scenario": to_json(kind, self.after),
            "unit": self.variable.unit,
        }


@final
class Witness(Struct, frozen=True):
    """A scenario, replayed."""

    shows: Shows
    interface: Interface
    inputs: Mapping[str, int]  # bits of every input
    changed: tuple[Change, ...]  # against the fact, in the interface's order
    outputs: Mapping[str, int]  # bits of what the program gave: decisions and the state after the call
    ending: Ending  # how the program ended on it
    path: str  # the path that it takes
    replayed: str  # how it was replayed, in words
    earlier: tuple[Mapping[str, int], ...] = ()  # what it gave in each step before the one that it ended in
    settled: bool = True  # False: there may be a nearer one: the witness budget ended, or the recipe does not settle

    @property
    def steps(self) -> tuple[Mapping[str, int], ...]:
        """Bits of what the program gave, step by step, as far as it decided."""
        return (*self.earlier, self.outputs) if isinstance(self.ending, Decided) else self.earlier

    def output_text(self, name: str) -> str:
        kind = self.interface.variable(name.removesuffix("'")).type
        return show(kind, self.outputs[name])

    def to_json(self) -> dict[str, Any]:
        variable = self.interface.variable

        def outputs(given: Mapping[str, int]) -> dict[str, Any]:
            return {name: to_json(variable(name.removesuffix("'")).type, bits) for name, bits in given.items()}

        return {
            "shows": self.shows.value,
            "inputs": {path: to_json(variable(path).type, bits) for path, bits in self.inputs.items()},
            "outputs": outputs(self.outputs),
            "steps": [outputs(step) for step in self.steps],
            "ending": str(self.ending),
            "path": self.path,
            "replayed": self.replayed,
            "settled": self.settled,
        }


def changes(interface: Interface, fact: Mapping[str, int], state: Mapping[str, int]) -> tuple[Change, ...]:
    """What differs between the fact and a scenario, compared by bits."""
    return tuple(
        Change(variable, fact[variable.path], state[variable.path])
        for variable in interface.inputs
        if fact[variable.path] != state[variable.path]
    )
