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
import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, final

from msgspec import Struct

from soid.errors import ManifestError, UnknownVariableError, did_you_mean
from soid.formula import build
from soid.formula.passes import substitute
from soid.formula.sorts import BitVec
from soid.formula.term import Term
from soid.formula.value_order import ValueOrder
from soid.program.domain import DEFAULT, Domain, describe
from soid.program.types import (
    BoolType,
    EnumType,
    IntType,
    VariableType,
    missing_value,
    reading,
    show,
    symbol_sort,
    value_order,
)
from soid.program.units import unit_told
from soid.shown import Shown
from soid.surface import Advice

#: what a question observes that speaks of how the program ends
ENDINGS: Final = frozenset({"fails"})


#: the remedy for a name that the program does not have
LISTED: Final = Advice(
    command="`soid inspect` lists the program's variables.",
    python="`project.variables` lists the program's variables, and `project.program.interface` tells all of them.",
    page="The list of what may differ has the program's variables.",
)


@final
class Role(enum.StrEnum):
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
    says: dict[str, str]


@final
class VariablePart(Struct, frozen=True):
    """Some bits of a variable that a view reads."""

    variable: Variable
    first: int  # the lowest of them in the variable's memory
    count: int
    at: int  # where in the view the lowest is

    @property
    def term(self) -> Term:
        """The bits before the call."""
        symbol, kind = self.variable.symbol, self.variable.type
        if isinstance(kind, BoolType):  # a whole byte, 0 or 1
            symbol = build.ite(symbol, build.const(BitVec(8), 1), build.const(BitVec(8), 0))
        return build.extract(symbol, self.first + self.count - 1, self.first)

    def bits_in(self, bits: int) -> int:
        """The part, in the bits of the whole variable."""
        return bits >> self.first & (1 << self.count) - 1


@final
class Variable(Struct, frozen=True, dict=True):
    """One variable of the program."""

    path: str  # as in the program, with dots: world.agents[1].pos_x
    role: Role
    type: VariableType
    domain: Domain = DEFAULT  # its values when it is free
    unit: str = ""  # of its numbers, for display: m, m/s, lb
    label: str = ""  # a description for display
    initial: int | None = None  # bits of an input that is not logged; None: it must be logged
    decimals: int | None = None  # to which the log rounds it; None: the log has the exact value
    parts: tuple[VariablePart, ...] = ()  # of a view: the bits that it reads, the lowest first
    says: tuple[tuple[int, str], ...] = ()  # of a decision: what is done by a value, as a verb: (1, "drive on")

    @property
    def is_input(self) -> bool:
        return self.role in (Role.ENVIRONMENT, Role.STATE)

    @functools.cached_property
    def symbol(self) -> Term:
        """The term that stands for the variable's bits before the call."""
        if not self.parts:
            return build.var(self.path, symbol_sort(self.type))
        return build.not_(_is_zero(self.held)) if isinstance(self.type, BoolType) else self.held

    @property
    def held(self) -> Term:
        """The bits that a view reads; those of a bool are its whole byte."""
        return functools.reduce(lambda below, part: build.concat(part.term, below), self.parts[1:], self.parts[0].term)

    def symbol_in(self, state: Mapping[str, int]) -> Term:
        """The term for its bits, with the values that a state has of what it reads."""
        if not self.parts and self.path not in state:
            return self.symbol
        return given(self.symbol, state, self.sources)

    @functools.cached_property
    def sources(self) -> tuple[Variable, ...]:
        """The variables that hold its bits: itself, or what a view reads."""
        return tuple(part.variable for part in self.parts) or (self,)

    def value_in(self, state: Mapping[str, int]) -> int | None:
        """Its bits in a state; None if the state does not have all of them."""
        if not self.parts:
            return state.get(self.path)
        value = 0
        for part in self.parts:
            if part.variable.path not in state:
                return None
            value |= part.bits_in(state[part.variable.path]) << part.at
        return int(value != 0) if isinstance(self.type, BoolType) else value

    @functools.cached_property
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

    def amount(self, bits: int) -> str:
        """A value with its unit; what is missing has none."""
        return (
            show(self.type, bits)
            if bits == missing_value(self.type)
            else f"{show(self.type, bits)} {self.measure}".rstrip()
        )

    @property
    def measure(self) -> str:
        """Its unit as people write it."""
        return unit_told(self.unit)

    @functools.cached_property
    def domain_text(self) -> str:
        return describe(self.type, self.domain)

    @property
    def document(self) -> VariableDocument:
        kind = self.type
        typed = str(kind), kind.width, dict(kind.labels) if isinstance(kind, EnumType) else None
        says = {show(kind, bits): phrase for bits, phrase in self.says}
        return VariableDocument(
            self.path, self.role, *typed, self.domain_text, self.unit, self.label, self.decimals, says
        )


def given(term: Term, state: Mapping[str, int], variables: Iterable[Variable]) -> Term:
    """A term with the values that a state has of some variables."""
    known = {each.symbol: state[each.path] for each in variables if each.path in state}
    return substitute([term], {symbol: build.const(symbol.sort, bits) for symbol, bits in known.items()})[0]


def _is_zero(bits: Term) -> Term:
    return build.eq(bits, build.const(bits.sort, 0))


@final
class Output(Struct, frozen=True):
    """A result of a call: a decision, a state variable after the call (`started'`), or an internal variable."""

    name: str  # the variable's path, with a prime for state
    variable: Variable


_FEW: Final = 3  # names in a message
_CHARACTER: Final = 8  # bits of a character


@final
@dataclass(frozen=True, slots=True)
class Interface(Shown):
    """All variables, in the order in which they are shown.

    No two inputs share a bit. Where a program has several names for the same bytes, as in a union, some of them are
    variables and the others are views: questions and logs may name a view, and mean those bits of the variables.
    """

    variables: tuple[Variable, ...]
    untouched: frozenset[str] = frozenset()  # paths that the program has but does not use; a log may have them
    views: tuple[Variable, ...] = ()  # other names for bits of inputs, which are their parts, and of decisions
    partial_views: tuple[Variable, ...] = ()  # of bytes that are in part no input: logs may have them, no question may
    shared: frozenset[str] = frozenset()  # outputs that an engine may give only where they are observed
    spellings: Mapping[str, str] = field(default_factory=dict)  # how the program writes names that are no paths -> path
    produced: frozenset[str] = frozenset()  # inputs that a world gives anew after each step of a closed loop
    left: frozenset[str] = frozenset()  # outputs that a world gives in each step in which it does not fail
    as_logged: frozenset[str] = frozenset()  # inputs that a world could give, and that go on as they were logged
    acted: frozenset[str] = frozenset()  # decisions that a world goes on from: it may be supposed what was done instead
    events: frozenset[str] = frozenset()  # what may happen in a world, each with a sentence as its label
    harms: frozenset[str] = frozenset()  # those events that are harm
    unperceived: frozenset[str] = frozenset()  # inputs of the world alone, which no program reads
    enumerators: Mapping[str, tuple[tuple[str, int], ...]] = field(
        default_factory=dict
    )  # label -> enumerations, numbers
    programs: tuple[str, ...] = ()  # of several programs: their names, the first of which made the log
    inputs: tuple[Variable, ...] = field(init=False, repr=False, compare=False)
    _by_path: dict[str, Variable] = field(init=False, repr=False, compare=False)
    _suggested: dict[str, str] = field(init=False, repr=False, compare=False, default_factory=dict)  # cache
    _numbered: dict[str, tuple[tuple[str, int], ...]] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )  # likewise, of labels
    #: cache of what its variables are called in sentences (`soid.query.words.variable_names`)
    spoken: dict[str, str] = field(init=False, repr=False, compare=False, default_factory=dict)
    homonyms: dict[str, list[Variable]] = field(init=False, repr=False, compare=False, default_factory=dict)  # likewise
    #: cache of what formulas over its inputs mean (`soid.scenario.free_conditions`)
    meanings: dict[Any, Any] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        by_path = {variable.path: variable for variable in self.nameable}
        if len(by_path) < len(self.nameable):
            paths = [variable.path for variable in self.nameable]
            twice = next(path for path in paths if paths.count(path) > 1)
            raise ManifestError(f"the variable {twice} is declared twice", "Give each variable one entry.")
        object.__setattr__(self, "_by_path", by_path)
        object.__setattr__(self, "inputs", tuple(variable for variable in self.variables if variable.is_input))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickled without its caches, which have terms in them."""
        return Interface, tuple(getattr(self, each.name) for each in fields(self) if each.init)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """What IPython shows: a line. `repr` stays exact, as hashes of programs are made of it."""
        shown = ", ".join(each.path for each in self.variables[:_FEW]) + (", ..." if len(self.variables) > _FEW else "")
        printer.text(f"Interface({len(self.variables)} variables: {shown})")

    def __iter__(self) -> Iterator[Variable]:
        return iter(self.variables)

    def __contains__(self, path: str) -> bool:
        return path in self._by_path or normal_path(path) in self._by_path

    @property
    def nameable(self) -> tuple[Variable, ...]:
        """All that a question may name: variables and views."""
        return (*self.variables, *self.views)

    @property
    def decisions(self) -> tuple[Variable, ...]:
        return tuple(variable for variable in self.variables if variable.role is Role.DECISION)

    def program_of(self, path: str) -> str:
        """The one of several programs whose output it is; empty: there is one program alone."""
        owner = path.partition(".")[0]
        return owner if owner in self.programs else self.programs[0] if self.programs else ""

    @property
    def outputs(self) -> tuple[Output, ...]:
        """The outputs that every path must define: each decision, and each state variable after the call."""
        decided = [Output(variable.path, variable) for variable in self.decisions]
        state = [Output(f"{v.path}'", v) for v in self.variables if v.role is Role.STATE]
        return (*decided, *state)

    @property
    def seen_outputs(self) -> tuple[Output, ...]:
        """The outputs that views are; an engine gives them where they are observed."""
        outputs = [v for v in self.views if v.role is not Role.ENVIRONMENT]
        return tuple(Output(f"{v.path}'" if v.role is Role.STATE else v.path, v) for v in outputs)

    def variable(self, path: str) -> Variable:
        """The variable of this path. The error for an unknown path suggests a similar one."""
        found = self._by_path.get(path) or self._by_path.get(normal_path(path))
        if found is None:
            raise UnknownVariableError(f"there is no variable {path}", self.suggestion(path))
        return found

    def numbered(self, label: str) -> tuple[tuple[str, int], ...]:
        """The enumerations of the program that have a label, by their names, and its number in each."""
        if label not in self._numbered:
            kinds = dict.fromkeys(variable.type for variable in self.nameable if isinstance(variable.type, EnumType))
            found = dict.fromkeys(self.enumerators.get(label, ()))
            for kind in kinds:
                number = None if kind.spellings else dict(kind.labels).get(label)
                found |= {} if number is None else {(str(kind), number): None}
            self._numbered[label] = tuple(found)
        return self._numbered[label]

    def output_type(self, name: str) -> VariableType:
        """The type of an output; a prime marks state after the call."""
        return self.variable(name.removesuffix("'")).type

    def suggestion(self, path: str) -> str:
        """The remedy for an unknown path: a similar variable, or how to list the variables.

        It is cached: labels of enumerations are looked up as variables first, so the same paths come again and again.
        """
        if path not in self._suggested:
            self._suggested[path] = self._suggestion(path)
        return self._suggested[path]

    def _suggestion(self, path: str) -> str:
        part = next((view for view in self.partial_views if view.path == normal_path(path)), None)
        if part is not None:
            used = ", ".join(source.path for source in part.sources)
            return f'The program uses of it only {used}; to speak of all of it: [variables] "{part.path}" = {{}}.'
        spelt = [known for original, known in self.spellings.items() if normal_path(original) == normal_path(path)]
        if spelt:
            return f"It is called {' or '.join(spelt)} here. {LISTED}"
        if normal_path(path) in self.untouched:
            return f"The program has {path} and does nothing with it; to speak of it, name it in the manifest."
        if self.enumerators.get(path):
            return "It is a label of the program: compare a variable with it."
        return self._related(normal_path(path)) or self._similar(normal_path(path))

    def _related(self, path: str) -> str:
        """The remedy for a path that lies before or inside variables; empty for any other."""
        pointer = path.removesuffix("[0]")
        if f"*{pointer}" in self._by_path:
            more = f', or say how many elements there are: [lengths] "{pointer}" = 2' if pointer != path else ""
            return f"What {pointer} points to is called *{pointer}{more}."
        parts = [known for known in self._by_path if known.startswith((f"{path}.", f"{path}["))]
        if not parts:
            return ""
        shown = ", ".join(parts[:_FEW]) + (", ..." if len(parts) > _FEW else "")
        text = f' As a text it is compared in quotes: {path} == "abc".' if self.is_text(path) else ""
        return f"It has parts, which are variables: {shown}.{text}"

    def is_text(self, path: str) -> bool:
        """Whether a path is that of an array of characters: its first element is a variable of eight bits."""
        first = self._by_path.get(f"{normal_path(path)}[0]")
        return first is not None and isinstance(first.type, IntType) and first.type.width == _CHARACTER

    def _similar(self, path: str) -> str:
        tail = next((known for known in self._by_path if known.endswith("." + path)), None)
        otherwise = f"Did you mean {tail}?" if tail else str(LISTED)
        return did_you_mean(path, [*self._by_path, *self.enumerators], otherwise)


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
