"""The approximations of one exploration: each call with the same arguments has the same symbol."""

from __future__ import annotations

from typing import Final, final

from soid.engine.llvm.exploring.approximated.errors import is_known, units
from soid.engine.llvm.exploring.approximated.library import Library, library
from soid.engine.llvm.exploring.approximated.ranges import Ranges
from soid.engine.llvm.exploring.runtime import Unsupported
from soid.engine.refinement import RefiningChecker
from soid.engine.summary import Approximation, Location
from soid.formula import build
from soid.formula.checker import Checker
from soid.formula.sorts import FLOAT32, Float
from soid.formula.term import Term

#: How often a branch is asked about anew where an approximation misled the solver; the oracle asks more patiently.
_ROUNDS: Final = 8


@final
class Approximations:
    """What has been approximated so far."""

    def __init__(self, triple: str, precondition: Term) -> None:
        self._triple = triple
        self._ranges = Ranges(precondition)
        self._by_call: dict[tuple[str, Float, tuple[Term, ...]], Approximation] = {}
        self.by_symbol: dict[Term, Approximation] = {}
        self._asked: dict[str, None] = {}  # functions whose results came from the library
        self._refining = RefiningChecker(self.by_symbol, _ROUNDS)

    def checker(self, check: Checker) -> Checker:
        """The checker for questions that may mention approximations."""
        return self._refining.checker(check)

    def library(self, function: str, where: Location | None) -> Library:
        """The library that the program will be run with."""
        found = library(self._triple)
        if found is None:
            raise Unsupported(f"{function} for a machine that is not this one", where)
        return found

    def concrete(self, function: str, format: Float, arguments: list[int], where: Location | None) -> int:
        """What the library returns."""
        self._asked[spelled(function, format)] = None
        return self.library(function, where).call(function, format, *arguments)

    def symbolic(self, function: str, format: Float, arguments: tuple[Term, ...], where: Location | None) -> Term:
        """The symbol that stands for what the library returns."""
        key = (function, format, arguments)
        found = self._by_call.get(key)
        if found is None:
            found = self._by_call[key] = self._made(function, format, arguments, where)
            self.by_symbol[found.symbol] = found
        return found.symbol

    def _made(self, function: str, format: Float, arguments: tuple[Term, ...], where: Location | None) -> Approximation:
        if not is_known(function):
            raise Unsupported(f"{spelled(function, format)} of a value that depends on inputs", where)
        from soid.engine.llvm.exploring.approximated.cells import cells  # it loads Arb, which most programs never need

        name = spelled(function, format)
        symbol = build.var(f"approx!{name}!{len(self.by_symbol) + 1}", format)
        ranges = [self._ranges.of(argument) for argument in arguments]
        known = cells(function, format, symbol, arguments, ranges, self.library(function, where))
        self._ranges.expect(symbol, known.range())
        return Approximation(symbol, name, arguments, where, known)

    def relies_on(self) -> tuple[str, ...]:
        """What answers assume of the functions that were met, for people."""
        found = library(self._triple)
        if found is None:
            return ()
        asked = [*self._asked, *(one.function for one in self.by_symbol.values() if one.function not in self._asked)]
        lines = [f"{name}: results as this machine's {found.name} returns them" for name in dict.fromkeys(asked)]
        for name, format in dict.fromkeys((one.function, one.symbol.sort) for one in self.by_symbol.values()):
            assert isinstance(format, Float)
            off = units(name.removesuffix("f") if format == FLOAT32 else name, format)
            lines.append(
                f"{name}: proofs take every result to be within {off} units in the last place of the true value and "
                "of its sign, twice the library's documented error and 2 more"
            )
        return tuple(lines)


def spelled(function: str, format: Float) -> str:
    return f"{function}f" if format == FLOAT32 else function
