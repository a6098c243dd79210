"""One program's names and those of the product: explorations go one way, what is found comes back.

Of two programs with a symbol of the same name for different things, such as what `pow` returned in each, one would take
the other's value. So every symbol of a program that is no input of the product is called after its program.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Set
from types import MappingProxyType
from typing import Final, final

from msgspec.structs import replace

from soid.engine.protocol import Exploration
from soid.engine.summary import Approximation, Enclosure, ModelNumber, Path, PathSummary
from soid.formula import build
from soid.formula.cell_function import CellFunction, Rise
from soid.formula.intervals import Values
from soid.formula.passes import free_variables, substitute
from soid.formula.term import Term
from soid.program.interface import Variable
from soid.program.perception import Lapsing, Perceived, PerceivedValue
from soid.program.product_interface import NamedInterface

_FOREIGN: Final = "outside: "  # before the name of a symbol that means something else to the program


@final
class Renaming:
    """The names of one program in one exploration."""

    def __init__(self, member: NamedInterface, exploration: Exploration) -> None:
        self._member = member
        inputs = member.interface.inputs
        self._own = {member.called(each.path): each for each in inputs}
        there = {build.var(path, each.symbol.sort): each.symbol for path, each in self._own.items()}
        given = free_variables([exploration.precondition, *exploration.computed.values()])
        taken = {each.symbol.name for each in inputs}
        hidden = {
            symbol: build.var(f"{_FOREIGN}{symbol.name}", symbol.sort)
            for symbol in given
            if symbol not in there and symbol.name in taken
        }
        self._there = {product: own for product, own in there.items() if product is not own} | hidden
        self._back = {own: product for product, own in self._there.items()}
        self._own_exploration = replace(
            exploration,
            fixed={each.path: exploration.fixed[path] for path, each in self._own.items() if path in exploration.fixed},
            precondition=self._to_own([exploration.precondition])[0],
            computed=self._computed(exploration.computed),
            environments=tuple(map(self._perceived, exploration.environments)),
        )
        own = self._own_exploration
        self._known = free_variables([own.precondition, *own.computed.values()]) | {each.symbol for each in inputs}

    @property
    def exploration(self) -> Exploration:
        return self._own_exploration

    def _to_own(self, terms: Iterable[Term]) -> list[Term]:
        return substitute(terms, self._there) if self._there else list(terms)

    def _computed(self, values: Mapping[str, Term]) -> dict[str, Term]:
        own = {each.path: values[path] for path, each in self._own.items() if path in values}
        return dict(zip(own, self._to_own(own.values()), strict=True))

    def _perceived(self, step: Perceived) -> Perceived:
        return {each.path: self._value(step[path]) for path, each in self._own.items() if path in step}

    def _value(self, value: PerceivedValue) -> PerceivedValue:
        assert not isinstance(value, Lapsing), "what ends with a decision is not explored for several programs"
        if isinstance(value, Variable) and value.path in self._own:
            return replace(value, path=self._own[value.path].path)
        return value

    # --- back ---------------------------------------------------------------------------------------------------

    def found(self, summary: PathSummary) -> PathSummary:
        """What an exploration found, in the product's names."""
        return renamed(summary, self._known | self._environment(), self._member.output, self._back)

    def _environment(self) -> set[Term]:
        steps = self._own_exploration.environments
        return {value.symbol for step in steps for value in step.values() if isinstance(value, Variable)}


def renamed(
    summary: PathSummary,
    known: Set[Term],
    called: Callable[[str], str],
    back: Mapping[Term, Term] = MappingProxyType({}),
) -> PathSummary:
    """A summary in which symbols that are not known are called otherwise, and some others are put back."""
    terms = [term for path in summary.paths for term in _terms(path)]
    terms += [term for one in summary.approximations for term in (one.symbol, *one.arguments)]
    own = free_variables(terms) - known
    put = {**back, **{each: build.var(called(each.name), each.sort) for each in own}}
    if not put:
        return summary
    approximations = tuple(_renamed(one, put) for one in summary.approximations)
    return replace(summary, paths=tuple(_put(path, put) for path in summary.paths), approximations=approximations)


def _terms(path: Path) -> Iterable[Term]:
    yield path.condition
    for step in (*path.earlier, path.outputs):
        for output in step.values():
            yield from output.terms


def _put(path: Path, values: Mapping[Term, Term]) -> Path:
    condition, *terms = substitute(_terms(path), values)
    rest = iter(terms)
    steps = [{name: output.put(rest) for name, output in step.items()} for step in (*path.earlier, path.outputs)]
    return replace(path, condition=condition, outputs=steps[-1], earlier=tuple(steps[:-1]))


def _renamed(one: Approximation, put: Mapping[Term, Term]) -> Approximation:
    symbol, *arguments = substitute([one.symbol, *one.arguments], put)
    return dataclasses.replace(
        one, symbol=symbol, arguments=tuple(arguments), enclosure=_RenamedEnclosure(one.enclosure, put)
    )


@final
class _RenamedEnclosure(Enclosure):
    """What is known of a function, in other names."""

    def __init__(self, inner: Enclosure, put: Mapping[Term, Term]) -> None:
        self._inner = inner
        self._put = put

    def facts(self) -> tuple[Term, ...]:
        return tuple(substitute(self._inner.facts(), self._put))

    def over(self, arguments: tuple[Values, ...], /) -> Values:
        return self._inner.over(arguments)

    def value(self, arguments: tuple[int, ...], /) -> int:
        return self._inner.value(arguments)

    def closer(self, arguments: tuple[int, ...], /) -> Enclosure:
        return _RenamedEnclosure(self._inner.closer(arguments), self._put)

    @property
    def bulk(self) -> CellFunction | None:
        return self._inner.bulk

    @property
    def rise(self) -> Rise | None:
        return self._inner.rise

    @property
    def number(self) -> ModelNumber | None:
        return self._inner.number
