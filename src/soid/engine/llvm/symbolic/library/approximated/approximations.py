"""The approximations of one exploration: calls with the same arguments have the same symbol."""

from __future__ import annotations

from functools import cached_property
from typing import final

from soid.assumptions import Assumption, Ledger
from soid.engine.llvm.symbolic.library.approximated.cell_tree import Span
from soid.engine.llvm.symbolic.library.approximated.math_library import MathLibrary, library
from soid.engine.llvm.symbolic.paths.path_end import NotModelled
from soid.engine.summary import Approximation, Location
from soid.formula import build
from soid.formula.intervals import Floats
from soid.formula.reach import Reach
from soid.formula.sorts import FLOAT32, Float
from soid.formula.term import Term


@final
class Approximations:
    """The approximations made so far."""

    def __init__(self, triple: str, precondition: Term) -> None:
        self._triple = triple
        self._precondition = precondition
        self._by_call: dict[tuple[str, Float, tuple[Term, ...]], Approximation] = {}
        self.by_symbol: dict[Term, Approximation] = {}
        self._asked: dict[str, None] = {}  # functions that the library has computed
        self._errors: dict[str, int] = {}  # functions with symbols: the error that a proof allows

    @cached_property
    def _reach(self) -> Reach:
        """Only a guide to which cells are worth having; seldom needed."""
        return Reach(self._precondition)

    def library(self, function: str) -> MathLibrary:
        """The library that the program runs with."""
        found = library(self._triple)
        if found is None:
            raise NotModelled(f"{function} for a machine that is not this one")
        return found

    def concrete(self, function: str, format: Float, arguments: list[int]) -> int:
        """The library's result."""
        self._asked[spelled(function, format)] = None
        return self.library(function).call(function, format, *arguments)

    def symbolic(self, function: str, format: Float, arguments: tuple[Term, ...], where: Location | None) -> Term:
        """The symbol of the library's result."""
        key = (function, format, arguments)
        found = self._by_call.get(key)
        if found is None:
            found = self._by_call[key] = self._made(function, format, arguments, where)
            self.by_symbol[found.symbol] = found
        return found.symbol

    def _made(self, function: str, format: Float, arguments: tuple[Term, ...], where: Location | None) -> Approximation:
        from soid.engine.llvm.symbolic.library.approximated.cells import cells
        from soid.engine.llvm.symbolic.library.approximated.true_functions import FUNCTIONS

        name = spelled(function, format)
        if function not in FUNCTIONS:
            raise NotModelled(f"{name} of a value that depends on inputs")
        symbol = build.var(f"approx!{name}!{len(self.by_symbol) + 1}", format)
        ranges = [self._expected(argument) for argument in arguments]
        known = cells(function, format, symbol, arguments, ranges, self.library(function))
        self._reach.expect(symbol, Floats(*known.range(), nan=True))
        self._errors[name] = FUNCTIONS[function].units(format)
        return Approximation(symbol, name, arguments, where, known)

    def _expected(self, argument: Term) -> Span:
        """Where an argument may be expected. Cells are facts wherever they lie, so an error here costs no truth."""
        found = self._reach.of(argument)
        assert isinstance(found, Floats)
        return found.low, found.high

    def relies_on(self) -> tuple[Assumption, ...]:
        """What answers assume about these functions, in words."""
        found = library(self._triple)
        if found is None:
            return ()
        asked = dict.fromkeys((*self._asked, *self._errors))
        return (
            *(Ledger.LIBRARY_RESULTS.of(name, found.name) for name in asked),
            *(Ledger.LIBRARY_ERROR.of(name, off) for name, off in self._errors.items()),
        )


def spelled(function: str, format: Float) -> str:
    return f"{function}f" if format == FLOAT32 else function
