"""The interface of a decision program: its variables and their roles.

>>> from soid.program.types import BoolType
>>> interface = Interface((
...     Variable("closed", Role.ENVIRONMENT, BoolType()),
...     Variable("started", Role.STATE, BoolType()),
...     Variable("heat", Role.DECISION, BoolType()),
... ))
>>> [variable.path for variable in interface.inputs], [output.name for output in interface.outputs]
(['closed', 'started'], ['heat', "started'"])
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import final

from msgspec import Struct

from soid.errors import ManifestError, UnknownVariableError, did_you_mean
from soid.formula import build
from soid.formula.term import Term
from soid.formula.value_order import ValueOrder
from soid.program.domain import DEFAULT, Domain, describe
from soid.program.types import EnumType, VariableType, reading, symbol_sort, value_order


@final
class Role(enum.Enum):
    """The role of a variable in the program."""

    ENVIRONMENT = "environment"  # what the program perceives
    STATE = "state"  # what it remembers: it reads this before the decision, and may change it
    DECISION = "decision"  # what it decides
    INTERNAL = "internal"  # an intermediate value: questions may mention it, but it is no input and no decision


class VariableDocument(Struct, frozen=True):
    """A variable as JSON."""

    path: str
    role: Role
    type: str
    width: int
    labels: dict[str, int] | None
    domain: str
    unit: str
    label: str
    decimals: int | None


@final
class Variable(Struct, frozen=True):
    """One variable of the program."""

    path: str  # as in the program, with dots: world.agents[1].pos_x
    role: Role
    type: VariableType
    domain: Domain = DEFAULT  # its values when it is free
    unit: str = ""  # of its numbers, for display: m, m/s, lb
    label: str = ""  # a description for display
    initial: int | None = None  # bits of an input that is not logged; None: it must be logged
    decimals: int | None = None  # to which the log rounds it; None: the log has the exact value

    @property
    def is_input(self) -> bool:
        return self.role in (Role.ENVIRONMENT, Role.STATE)

    @property
    def symbol(self) -> Term:
        """The term that stands for the variable's bits before the call."""
        return build.var(self.path, symbol_sort(self.type))

    @property
    def reading(self) -> Term:
        """The variable as the program computes with it."""
        return reading(self.type, self.symbol)

    @property
    def order(self) -> ValueOrder:
        return value_order(self.type)

    def equals(self, bits: int) -> Term:
        """The condition that the variable has these bits."""
        return build.eq(self.symbol, build.const(self.symbol.sort, bits))

    def between(self, low: int, high: int) -> Term:
        """The condition that the variable lies from one place of its order to another, both included."""
        return self.order.between(self.symbol, low, high)

    @property
    def domain_text(self) -> str:
        return describe(self.type, self.domain)

    @property
    def document(self) -> VariableDocument:
        kind = self.type
        typed = str(kind), kind.width, dict(kind.labels) if isinstance(kind, EnumType) else None
        return VariableDocument(self.path, self.role, *typed, self.domain_text, self.unit, self.label, self.decimals)


@final
class Output(Struct, frozen=True):
    """A result of a call: a decision, a state variable after the call (`started'`), or an internal variable."""

    name: str  # the variable's path, with a prime for state
    variable: Variable


@final
@dataclass(frozen=True, slots=True)
class Interface:
    """All variables, in the order in which they are shown."""

    variables: tuple[Variable, ...]
    untouched: frozenset[str] = frozenset()  # paths that the program has but does not use; a log may have them
    _by_path: dict[str, Variable] = field(init=False, repr=False, compare=False)
    _suggested: dict[str, str] = field(init=False, repr=False, compare=False, default_factory=dict)  # cache

    def __post_init__(self) -> None:
        by_path = {variable.path: variable for variable in self.variables}
        if len(by_path) < len(self.variables):
            paths = [variable.path for variable in self.variables]
            twice = next(path for path in paths if paths.count(path) > 1)
            raise ManifestError(f"the variable {twice} is declared twice", "Give each variable one entry.")
        object.__setattr__(self, "_by_path", by_path)

    def __iter__(self) -> Iterator[Variable]:
        return iter(self.variables)

    def __contains__(self, path: str) -> bool:
        return normal_path(path) in self._by_path

    @property
    def inputs(self) -> tuple[Variable, ...]:
        return tuple(variable for variable in self.variables if variable.is_input)

    @property
    def decisions(self) -> tuple[Variable, ...]:
        return tuple(variable for variable in self.variables if variable.role is Role.DECISION)

    @property
    def outputs(self) -> tuple[Output, ...]:
        """The outputs that every path must define: each decision, and each state variable after the call."""
        decided = [Output(variable.path, variable) for variable in self.decisions]
        state = [Output(f"{v.path}'", v) for v in self.variables if v.role is Role.STATE]
        return (*decided, *state)

    def variable(self, path: str) -> Variable:
        """The variable of this path. The error for an unknown path suggests a similar one."""
        found = self._by_path.get(normal_path(path))
        if found is None:
            raise UnknownVariableError(f"there is no variable {path}", self.suggestion(path))
        return found

    def output_type(self, name: str) -> VariableType:
        """The type of an output; a prime marks state after the call."""
        return self.variable(name.removesuffix("'")).type

    def suggestion(self, path: str) -> str:
        """The remedy for an unknown path: a similar variable, or how to list the variables.

        It is cached: labels of enumerations are looked up as variables first, so the same paths come again and again.
        """
        if normal_path(path) in self.untouched:
            return f"The program has {path} and does nothing with it; to speak of it, name it in the manifest."
        if path not in self._suggested:
            tail = next((known for known in self._by_path if known.endswith("." + path)), None)
            otherwise = f"Did you mean {tail}?" if tail else "`soid inspect` lists the program's variables."
            self._suggested[path] = did_you_mean(normal_path(path), self._by_path, otherwise)
        return self._suggested[path]


def normal_path(path: str) -> str:
    """A path in its normal form: arrows become dots, blanks are dropped.

    >>> normal_path("world->agents[ 1 ].pos_x")
    'world.agents[1].pos_x'
    """
    return "".join(path.split()).replace("->", ".")


def covers(pattern: str, path: str) -> bool:
    """Whether a pattern means a path: a star stands for every index.

    >>> covers("a[*].x", "a[12].x"), covers("a[*].x", "a[1].xs"), covers("a", "a")
    (True, False, True)
    """
    if "[*]" not in pattern:
        return pattern == path
    return re.fullmatch(re.escape(pattern).replace(re.escape("[*]"), r"\[\d+\]"), path) is not None
