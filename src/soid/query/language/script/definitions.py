"""The names that a script defines, and their expansion.

A name stands for the beginning of paths (`let other = world.agents[1]`), for a value (`let gap = abs(other.x - x)`), or
for suppositions (`family`). A name must be new: it is refused if the script defines it already, or if the program has a
variable, a path prefix or a label of that name. The definition is expanded where it is written. The expansion of a name
has the place where the name is used, so that errors point there.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from typing import Final, Self, assert_never, final

from msgspec import Struct, field
from msgspec.structs import force_setattr, replace

from soid.errors import QueryError, UnknownVariableError, did_you_mean
from soid.program.interface import LISTED, Interface
from soid.program.types import EnumType
from soid.query.behavior import Behavior
from soid.query.every_input import of_each_input
from soid.query.language.script.nodes import LoopPlace, WholeNumbers
from soid.query.lives import LifeRelation, Lives
from soid.query.query import check_supposition
from soid.scenario import expression as ex
from soid.scenario.character_arrays import with_characters
from soid.scenario.expression import (
    Expression,
    TextSpan,
    check_depth,
    error_at,
    moved,
    placed,
    pointing_at,
    rebuilt,
    walk,
)
from soid.scenario.supposition import AnyBits, Anything, During, Keep, Satisfies, Supposition, Within, supposition_text

#: nodes of one question after expansion: names defined by names can make the expansion exponentially long
MOST_PARTS: Final = 10_000

_CUT: Final = re.compile(r"[.\[:]|\(\)")
_HEAD: Final = re.compile(r"(\**)([^\W\d]\w*)(.*)", re.DOTALL)


@final
class _Meaning(Struct, frozen=True):
    """What a name stands for, expanded: the value of a `let`, or the suppositions of a `family`."""

    value: Expression | tuple[Supposition, ...]
    size: int


@final
class _Program(Struct, frozen=True):
    """The names of the program, computed once."""

    heads: dict[str, str]  # first word of a path -> such a path
    labels: frozenset[str]  # of enumerations
    beginnings: frozenset[str]  # all proper prefixes of paths
    idle: frozenset[str]  # paths that the program does not use, and their prefixes

    @classmethod
    def of(cls, interface: Interface) -> Self:
        paths = [*(variable.path for variable in interface.nameable), *sorted(interface.untouched)]
        kinds = (variable.type for variable in interface.nameable)
        return cls(
            heads={head[2]: path for path in reversed(paths) if (head := _HEAD.match(path))},
            labels=frozenset(interface.enumerators).union(
                label for kind in kinds if isinstance(kind, EnumType) for label, _ in kind.labels
            ),
            beginnings=frozenset(begun for variable in interface.nameable for begun in _beginnings(variable.path)),
            idle=frozenset(begun for path in interface.untouched for begun in (path, *_beginnings(path))),
        )


def _beginnings(path: str) -> list[str]:
    """
    >>> _beginnings("world.agents[1].x")
    ['world', 'world.agents', 'world.agents[1]']
    """
    return [path[: cut.start()] for cut in _CUT.finditer(path)]


@final
class Definitions(Struct, frozen=True):
    """The names that are defined at one place of a script. It is immutable: a definition returns a new object."""

    interface: Interface
    given: dict[str, _Meaning] = field(default_factory=dict)
    questions: frozenset[str] = frozenset()  # names of questions: they stand for verdicts, not for values
    witnesses: dict[str, int] = field(default_factory=dict)  # names of scenarios, with the numbers of their questions
    program: _Program = None  # type: ignore[assignment] # made of the interface by default

    def __post_init__(self) -> None:
        if self.program is None:
            force_setattr(self, "program", _Program.of(self.interface))

    def let(self, name: str, value: Expression, span: TextSpan | None = None) -> Definitions:
        """Adds a name for a value or for the beginning of paths."""
        self._refuse(name, span)
        size = self._size(value)
        found = self.expression(value)
        check_depth(found)
        if isinstance(found, ex.Name):
            self._check_beginning(found, value)
        else:
            for node in walk(found):
                if isinstance(node, ex.Name | ex.FactOf) and not self._is_known(node.path, texts=True):
                    with pointing_at(node.span):
                        self.interface.variable(node.path)  # raises: there is no such variable
        return replace(self, given={**self.given, name: _Meaning(found, size)})

    def family(self, name: str, suppositions: tuple[Supposition, ...], span: TextSpan | None = None) -> Definitions:
        self._refuse(name, span)
        found = self.suppositions(suppositions)
        for each in of_each_input(found, self.interface):
            check_supposition(self.interface, with_characters(each, self.interface))
        size = sum(self._supposition_size(each) for each in found)
        return replace(self, given={**self.given, name: _Meaning(found, size)})

    def question(self, name: str, span: TextSpan | None = None) -> Definitions:
        """Adds a name of a question."""
        self._refuse(name, span)
        return replace(self, questions=self.questions | {name})

    def witness(self, name: str, order: int, span: TextSpan | None = None) -> Definitions:
        """Adds a name of the scenario that the answer to a question has shown."""
        self._refuse(name, span)
        return replace(self, witnesses={**self.witnesses, name: order})

    def over(self, place: LoopPlace, span: TextSpan | None) -> tuple[Expression, ...]:
        """The places or values that a loop goes over. Each place must exist in the program."""
        if isinstance(place, ex.Literal):
            return (place,)
        if isinstance(place, WholeNumbers):
            return tuple(ex.Literal(str(number)) for number in range(place.first, place.last + 1))
        if isinstance(place, str):
            paths: Iterable[str] = [place]
        else:
            paths = (f"{place.path}[{index}]" for index in range(place.first, place.last + 1))
        found: list[Expression] = []
        for path in paths:
            name = ex.Name(path, span=span)
            expanded = self.expression(name)
            if isinstance(expanded, ex.Name):
                self._check_beginning(expanded, name)
            found.append(expanded)
        return tuple(found)

    def given_path(self, path: str) -> str | None:
        """The program's path for a path that may begin with a defined name; None if the name stands for no path."""
        try:
            found = self.expression(ex.Name(path))
        except QueryError:
            return None
        return found.path if isinstance(found, ex.Name) else None

    def values(self) -> Iterator[tuple[str, Expression | None]]:
        """The names and their values; None for a family."""
        for name, meant in self.given.items():
            yield name, meant.value if not isinstance(meant.value, tuple) else None

    def _refuse(self, name: str, span: TextSpan | None) -> None:
        """Refuse a name that exists already."""
        with pointing_at(span):
            if name in self.given or name in self.questions or name in self.witnesses:
                raise QueryError(f"the name {name} is given already", "Give each thing a name of its own.")
            if name in self.program.heads:
                path = self.program.heads[name]
                what = (
                    "a variable of the program" if name in self.interface else f"the beginning of the program's {path}"
                )
                raise QueryError(f"{name} is {what}", "Choose another name.")
            if name in self.program.labels:
                raise QueryError(f"{name} is a label of the program", "Choose another name.")

    def behavior(self, behavior: Behavior) -> Behavior:
        self._size(behavior.expression)
        expression = self.expression(behavior.expression)
        check_depth(expression)
        return Behavior(expression, span=behavior.span)

    def lives(self, lives: Lives) -> Lives:
        """The expanded names of a question about pairs."""
        outcome, changes = (tuple(map(self._relation, each)) for each in (lives.outcome, lives.changes))
        population = self.suppositions(lives.population) if lives.population else ()
        return replace(lives, outcome=outcome, changes=changes, population=population)

    def _relation(self, relation: LifeRelation) -> LifeRelation:
        found = self._name(ex.Name(relation.path, relation.primed, span=relation.span))
        if isinstance(found, ex.Name):
            return replace(relation, path=found.path, primed=found.primed)
        raise error_at(relation.span, f"{relation.path} is a value, and two lives are compared by variables")

    def suppositions(self, suppositions: tuple[Supposition, ...]) -> tuple[Supposition, ...]:
        """The expanded suppositions; a family's name becomes its suppositions."""
        if sum(self._supposition_size(each) for each in suppositions) > MOST_PARTS:
            raise _too_long(suppositions[0].span)
        return tuple(found for each in suppositions for found in self._supposition(each))

    def _supposition(self, supposition: Supposition) -> tuple[Supposition, ...]:
        match supposition:
            case Satisfies(ex.Name(path, primed=False)) if path in self.given and isinstance(
                family := self.given[path].value, tuple
            ):
                return tuple(moved(each, supposition.span) for each in family)
            case Satisfies(formula):
                expression = self.expression(formula)
                check_depth(expression)
                return (replace(supposition, formula=expression),)
            case During(supposed):
                return tuple(self._timed(each, supposition) for each in self._supposition(supposed))
            case Anything(path) | AnyBits(path) | Keep(path) | Within(path, _):
                return (replace(supposition, path=self._path(path, supposition.span)),)
            case _:
                assert_never(supposition)

    def _timed(self, supposed: Supposition, written: During) -> Supposition:
        """A part of what is supposed of some steps: a family's name may stand for several."""
        if isinstance(supposed, Keep | During):
            raise error_at(written.span, f"`{supposition_text(supposed)}` takes no steps", "Leave them out.")
        if written.until is None:
            return replace(written, supposed=supposed)
        until = self.expression(written.until)
        check_depth(until)
        return replace(written, supposed=supposed, until=until)

    def expression(self, node: Expression) -> Expression:
        match node:
            case ex.Name():
                return self._name(node)
            case ex.FactOf() if node.shown is not None:
                return node
            case ex.FactOf(path, primed):
                found = self._name(ex.Name(path, primed, span=node.span))
                if isinstance(found, ex.Name):
                    return ex.FactOf(found.path, found.primed, span=node.span)
                raise error_at(node.span, f"{path} is a value, and only a variable has a fact")
            case ex.SmtLib():
                return node  # it has the program's own names
            case ex.Identical(_, value):
                made: ex.Identical = rebuilt(node, self.expression)
                if not isinstance(made.value, ex.Literal | ex.Label | ex.Name) and not _is_shown(made.value):
                    raise error_at(value.span, "`is` compares with one value, written out", "Compare with == instead.")
                return made
            case _:
                expanded: Expression = rebuilt(node, self.expression)
                return expanded

    def _path(self, path: str, span: TextSpan | None) -> str:
        found = self._name(ex.Name(path, span=span))
        if isinstance(found, ex.Name) and not found.primed:
            return found.path
        raise error_at(span, f"{path} is a value, and only a variable can be supposed to vary or stay")

    def _name(self, node: ex.Name) -> Expression:
        head = _HEAD.fullmatch(node.path)
        meant = self.given.get(head[2]) if head is not None else None
        if head is not None and head[2] in self.questions:
            remedy = f"Use its verdict: when {head[2]} is yes:"
            raise error_at(node.span, f"{head[2]} is a question, not a value", remedy)
        if head is not None and head[2] in self.witnesses:
            return self._shown(node, head[2], head[3])
        if head is None or meant is None:
            self._refuse_near_miss(node)
            return node
        stars, name, tail = head.groups()
        value = meant.value
        if isinstance(value, tuple):
            raise error_at(
                node.span, f"{name} is a family, not a formula", "It stands after `if`, joined to others by `and`."
            )
        if isinstance(value, ex.Name) and not (value.primed and (stars or tail or node.primed)):
            return ex.Name(f"{stars}{value.path}{tail}", value.primed or node.primed, span=node.span)
        if stars or tail or node.primed:
            raise error_at(node.span, f"{name} is a value, and has no parts and no prime")
        return moved(value, node.span)

    def _shown(self, node: ex.Name, name: str, tail: str) -> Expression:
        """A variable of a scenario: `w.speed`."""
        if not tail.startswith("."):
            remedy = f"Name a variable of it: {name}.{next(iter(self.interface.inputs)).path}"
            raise error_at(node.span, f"{name} is a scenario, not a value", remedy)
        found = self._name(ex.Name(tail[1:], node.primed, span=node.span))
        if not isinstance(found, ex.Name):
            raise error_at(node.span, f"{tail[1:]} is a value, and only a variable has one in a scenario")
        with pointing_at(node.span):
            variable = self.interface.variable(found.path)  # raises: there is no such variable
        return ex.FactOf(variable.path, found.primed, self.witnesses[name], span=node.span)

    def _refuse_near_miss(self, node: ex.Name) -> None:
        """Refuse an unknown name that is similar to a defined one."""
        head = _HEAD.fullmatch(node.path)
        if head is None or self._is_known(node.path) or head[2] in self.program.heads:
            return
        close = difflib.get_close_matches(head[2], self.given, n=1, cutoff=0.75)
        if close:
            meant = f"{head[1]}{close[0]}{head[3]}"
            error = UnknownVariableError(f"there is no variable {node.path}", f"Did you mean {meant}?")
            raise placed(error, node.span)

    def _check_beginning(self, found: ex.Name, written: Expression) -> None:
        """Refuse a path that is no variable, no beginning of one, and no label."""
        path = found.path
        if self._is_known(path) or path in self.program.beginnings:
            return
        if path in self.program.idle:
            idle = UnknownVariableError(
                f"the program does nothing with {path}", "To speak of it all the same, name it in a soid.toml."
            )
            raise placed(idle, written.span)
        known = {*self.program.beginnings, *(variable.path for variable in self.interface.nameable)}
        remedy = did_you_mean(path, sorted(known), LISTED)
        raise placed(UnknownVariableError(f"the program has nothing called {path}", remedy), written.span)

    def _is_known(self, path: str, *, texts: bool = False) -> bool:
        known = path in self.interface or path in self.program.labels
        return known or (texts and self.interface.is_text(path))

    def _size(self, expression: Expression) -> int:
        """The number of nodes after expansion. Too many are refused before the expansion is made."""
        total = 0
        for node in walk(expression):
            total += 1
            if isinstance(node, ex.Name) and (head := _HEAD.fullmatch(node.path)) is not None:
                total += meant.size if (meant := self.given.get(head[2])) is not None else 0
        if total > MOST_PARTS:
            raise _too_long(expression.span)
        return total

    def _supposition_size(self, supposition: Supposition) -> int:
        if isinstance(supposition, During):
            until = 0 if supposition.until is None else self._size(supposition.until)
            return until + self._supposition_size(supposition.supposed)
        return self._size(supposition.formula) if isinstance(supposition, Satisfies) else 1


def _is_shown(value: Expression) -> bool:
    return isinstance(value, ex.FactOf) and value.shown is not None


def _too_long(span: TextSpan | None) -> QueryError:
    return error_at(
        span, f"with what its names stand for, this has more than {MOST_PARTS} parts", "Ask it as several questions."
    )
