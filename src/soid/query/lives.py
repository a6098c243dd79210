"""Two lives of one program: what it decides of two cases that differ in what is named, and in nothing else.

    would risk be the same if sex differs, for every patient with 18 <= age <= 90

is a question about pairs. Each input that a change names is two variables, `sex` and `other.sex`; every other input is
one variable of both lives. All of them are free. The program is run on both, and decides `risk` and `other.risk`:

    would risk == other.risk if sex != other.sex and 18 <= age <= 90 and age is anything and ...
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping, Sequence
from typing import Final, TypeVar, final

from msgspec import Struct
from msgspec.structs import replace

from soid.errors import QueryError
from soid.program.interface import Interface, Variable
from soid.program.product_interface import FAILS, NamedInterface, product_interface
from soid.program.types import BoolType, EnumType, FloatType
from soid.query.behavior import Behavior
from soid.query.every_input import of_each_input, spread
from soid.scenario import expression as ex
from soid.scenario.expression import ArithmeticOp, Comparison, Expression, Located, error_at, rebuilt
from soid.scenario.expression_text import expression_text
from soid.scenario.supposition import Anything, Keep, Satisfies, Supposition, freed, mentioned
from soid.scenario.trace import Keyframe

T = TypeVar("T")
_NAMES: Final = (
    "other",
    "another",
    "twin",
    "second_life",
)  # of the second life: the first that the program leaves free


#: of a question about pairs before it is checked: what it asks follows from its lives
NO_BEHAVIOR: Final = Behavior(ex.Literal("true"))


@final
class Trend(enum.Enum):
    """How a variable is in the second life, compared with the first."""

    SAME = "same"  # the same value; any nan is the same as any other
    DIFFERENT = "different"
    HIGHER = "higher"
    LOWER = "lower"
    NEAR = "near"  # they differ by at most so much


#: how a way is written of outcomes, and of changes
_OUTCOMES: Final = {Trend.SAME: "be the same", Trend.DIFFERENT: "differ", Trend.HIGHER: "rise", Trend.LOWER: "fall"}
_CHANGES: Final = {Trend.DIFFERENT: "differs", Trend.HIGHER: "rises", Trend.LOWER: "falls"}
_NEAR: Final = "by at most"
_WRITTEN: Final = {
    **{words: way for known in (_OUTCOMES, _CHANGES) for way, words in known.items()},
    "stay the same": Trend.SAME,
    "drop": Trend.LOWER,
    "drops": Trend.LOWER,
    f"differ {_NEAR}": Trend.NEAR,
    f"differs {_NEAR}": Trend.NEAR,
}


def way_of(words: str) -> tuple[bool, Trend]:
    """Whether a relation is denied, and which one it is.

    >>> way_of("not  fall")
    (True, <Trend.LOWER: 'lower'>)
    """
    plain = " ".join(words.split())
    return plain.startswith("not "), _WRITTEN[plain.removeprefix("not ")]


@final
class LifeRelation(Located, frozen=True):
    """How one variable compares between the lives: `sex differs`, `limit not drop`, `x differs by at most 1 %`."""

    path: str
    way: Trend
    primed: bool = False  # the state after the call
    denied: bool = False
    distance: str = ""  # of NEAR: a decimal
    percent: bool = False  # and whether it is a part of the first life's value

    def text(self, *, is_change: bool) -> str:
        """As questions have it: `limit not fall`, or of a change `income rises`."""
        name = expression_text(ex.Name(self.path, self.primed))
        if self.way is Trend.NEAR:
            words = f"differ{'s' if is_change else ''} {_NEAR} {self.distance}{' %' if self.percent else ''}"
        else:
            words = (_CHANGES if is_change else _OUTCOMES)[self.way]
        return f"{name} {'not ' if self.denied else ''}{words}"

    def formula(self, interface: Interface, life: str) -> Expression:
        """The relation as a formula over the variables of both lives."""
        variable = interface.variable(self.path)
        one, other = ex.Name(variable.path, self.primed), ex.Name(f"{life}.{variable.path}", self.primed)
        found = self._held(variable, one, other)
        return ex.Not(found) if self.denied else found

    def _held(self, variable: Variable, one: ex.Name, other: ex.Name) -> Expression:
        match self.way:
            case Trend.SAME:
                return _same(variable, one, other)
            case Trend.DIFFERENT:
                return ex.Not(_same(variable, one, other))
            case Trend.HIGHER | Trend.LOWER if isinstance(variable.type, BoolType):  # false is lower than true
                lower, higher = (one, other) if self.way is Trend.HIGHER else (other, one)
                return ex.And((ex.Not(lower), higher))
            case Trend.HIGHER | Trend.LOWER:
                self._refuse_unordered(variable)
                comparison = Comparison.GT if self.way is Trend.HIGHER else Comparison.LT
                return ex.Compare(other, ((comparison, one),))
            case Trend.NEAR:
                self._refuse_unordered(variable)
                apart = ex.FunctionCall(ex.NumberFunction.ABS, (ex.Arithmetic(ArithmeticOp.SUB, other, one),))
                most: Expression = ex.Literal(self.distance)
                if self.percent:
                    part = ex.Arithmetic(ArithmeticOp.DIV, most, ex.Literal("100"))
                    most = ex.Arithmetic(ArithmeticOp.MUL, part, ex.FunctionCall(ex.NumberFunction.ABS, (one,)))
                return ex.Compare(apart, ((Comparison.LE, most),))

    def _refuse_unordered(self, variable: Variable) -> None:
        if isinstance(variable.type, EnumType | BoolType):
            raise error_at(
                self.span,
                f"{variable.path} is {variable.type}, whose values have no order",
                f"Write that it differs: `{variable.path} differs`, or `{variable.path} be the same`.",
            )


def _same(variable: Variable, one: ex.Name, other: ex.Name) -> Expression:
    equal = ex.Compare(one, ((Comparison.EQ, other),))
    if not isinstance(variable.type, FloatType):
        return equal
    nan = ex.Literal("nan")  # none equals itself
    return ex.Or((equal, ex.And((ex.Identical(one, nan), ex.Identical(other, nan)))))


@final
class Lives(Struct, frozen=True):
    """What a question about pairs says."""

    outcome: tuple[LifeRelation, ...]  # of decisions: all of them hold
    changes: tuple[LifeRelation, ...]  # of inputs: what the lives differ in
    population: tuple[Supposition, ...] = ()  # which pairs it is about: each life satisfies it
    called: str = "case"  # what one of the population is: a patient, an applicant

    def of_each_input(self, interface: Interface) -> Lives:
        """The same, where `every input` stands for all of them; labels that hardly differ are the same."""
        population = of_each_input(self.population, interface)
        kept = {each.path for each in population if isinstance(each, Keep)}
        unordered = {each.path for each in interface.inputs if isinstance(each.type, EnumType | BoolType)}
        changes: list[LifeRelation] = []
        for each in self.changes:
            changes += spread([each], interface, kept | (unordered if each.way is Trend.NEAR else set()))
        return replace(self, changes=tuple(changes), population=population)

    def doubled(self, interface: Interface) -> tuple[Variable, ...]:
        """The inputs that are two variables."""
        found: dict[str, Variable] = {}
        said: set[tuple[str, Trend]] = set()
        for each in self.changes:
            variable = interface.variable(each.path)
            if not variable.is_input or each.primed or variable.parts:
                raise error_at(each.span, f"{each.path} is no input: lives differ in inputs", "Name an input.")
            if (variable.path, each.way) in said:
                raise error_at(each.span, f"{each.path} is said twice to differ so", "Say it once.")
            said.add((variable.path, each.way))
            found[variable.path] = variable
        return tuple(found.values())

    def members(self, interface: Interface) -> tuple[NamedInterface, NamedInterface]:
        """The program in each life: the second one calls what differs by another name."""
        life = second_life(interface)
        names = {each.path: f"{life}.{each.path}" for each in self.doubled(interface)}
        return NamedInterface("", interface), NamedInterface(life, interface, names)

    def interface(self, interface: Interface) -> Interface:
        """The variables of both lives."""
        return product_interface(self.members(interface))

    def moment(self, keyframe: Keyframe) -> Keyframe:
        """The factual moment, as the pair of which both lives are the fact."""
        if keyframe.of_pair:
            return keyframe
        one, other = self.members(keyframe.interface)

        def both(values: Mapping[str, T]) -> dict[str, T]:
            return {**values, **{other.called(path): bits for path, bits in values.items()}}

        unlogged = dict.fromkeys([*keyframe.unlogged, *map(other.called, keyframe.unlogged)])
        return dataclasses.replace(
            keyframe,
            interface=product_interface((one, other)),
            inputs=both(keyframe.inputs),
            rounded=both(keyframe.rounded),
            derived=both(keyframe.derived),
            unlogged=tuple(unlogged),
            of_pair=True,
        )

    def behavior(self, interface: Interface) -> Expression:
        """What is asked of the outcomes."""
        life = second_life(interface)
        for each in self.outcome:
            if interface.variable(each.path).is_input and not each.primed:
                raise error_at(
                    each.span, f"{each.path} is an input: it is what it is supposed to be", "Name a decision."
                )
        return _all([each.formula(interface, life) for each in self.outcome])

    def suppositions(self, interface: Interface) -> tuple[Supposition, ...]:
        """What is supposed of the variables of both lives: everything is free, but what is kept."""
        other = self.members(interface)[1]
        kept = {v.path for each in self.population if isinstance(each, Keep) for v in mentioned(interface, each)}
        free = [path for path in _inputs(interface) if path not in kept]
        twice = [other.names[path] for path in free if path in other.names]
        conditions = [each for each in self.population if not isinstance(each, Keep)]
        return (
            *(Anything(path) for path in (*free, *twice)),
            *(Satisfies(each.formula(interface, other.name)) for each in self.changes),
            *conditions,
            *(found for each in conditions if (found := _of_other(each, other)) != each),
            *(each for each in self.population if isinstance(each, Keep)),
        )

    def check(self, interface: Interface) -> None:
        """Refuse what cannot be supposed of a population."""
        for each in self.population:
            if not isinstance(each, Satisfies | Keep):
                raise error_at(
                    each.span, "everything is free here that is not said", "Write a condition: 18 <= age <= 90."
                )
        freed(interface, self.population)


def second_life(interface: Interface) -> str:
    """What the second life is called."""
    paths = [variable.path for variable in interface.nameable]
    free = (name for name in _NAMES if not any(path == name or path.startswith(f"{name}.") for path in paths))
    found = next(free, None)
    if found is None:
        raise QueryError(f"the program has variables that are called {', '.join(_NAMES)}", "Rename one of them.")
    return found


def other_life(interface: Interface) -> str:
    """What the second life is called in the interface of a pair."""
    found = _other_life(interface)
    assert found is not None, "this is no interface of a pair"
    return found


def _other_life(interface: Interface) -> str | None:
    return next((name for name in _NAMES if f"{name}.{FAILS}" in interface), None)


def of_one_life(interface: Interface) -> Interface:
    """The variables of a pair without those of the second life; all of them if there is one life alone."""
    other = _other_life(interface)
    if other is None:
        return interface
    life = f"{other}."
    return dataclasses.replace(
        interface,
        variables=tuple(each for each in interface.variables if not each.path.startswith(life)),
        views=tuple(each for each in interface.views if not each.path.startswith(life)),
    )


def _inputs(interface: Interface) -> list[str]:
    return [variable.path for variable in interface.inputs]


def _of_other(supposition: Supposition, other: NamedInterface) -> Supposition:
    """A condition of the first life, of the second."""
    assert isinstance(supposition, Satisfies)

    def change(node: Located) -> Located:
        if isinstance(node, ex.Name) and node.path in other.names:
            return replace(node, path=other.names[node.path])
        found: Located = rebuilt(node, change)
        return found

    formula: Expression = change(supposition.formula)  # type: ignore[assignment]
    return replace(supposition, formula=formula)


def _all(formulas: Sequence[Expression]) -> Expression:
    return formulas[0] if len(formulas) == 1 else ex.And(tuple(formulas))
