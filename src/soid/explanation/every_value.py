"""A check for every value of the inputs that are not known: is there one scenario that satisfies conditions for all?

A scenario is looked for that satisfies them for the values tried so far. If it does not for some other values, these
are tried too; so it goes on until a scenario does it for all, or none does it for those tried.

    wanted  level + ticks > 6        ticks is not known: 0 to 5
    ticks = 5: level 2 does it, but not with ticks = 0;  ticks = 5 and 0: level 7 does it, with every other value too
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any, Final, final

from msgspec import Struct, field

from soid.formula import build
from soid.formula.checker import Checker, Impossible, Open, Possibility, Possible
from soid.formula.passes import free_variables, substitute
from soid.formula.term import Term

#: values that are tried together
_MOST: Final = 64


@final
class EveryValue(Struct):
    """Checks conditions for every possible value of some symbols."""

    check: Checker
    symbols: frozenset[Term]  # of what is not known
    possible: Term  # which values these may have
    fact: Mapping[Term, int]  # bits of every symbol, for those that a model leaves open
    _tried: list[Mapping[Term, int]] = field(default_factory=list)

    def __call__(self, conjuncts: Sequence[Term], /) -> Possibility:
        """A model has no values of what is not known: it satisfies the conjuncts whatever these are."""
        scenario = free_variables(conjuncts) - self.symbols
        if not self._tried:
            self._tried.append(self._bits(self.symbols, {}))
        while len(self._tried) <= _MOST:
            tried = [term for values in self._tried for term in _at(values, conjuncts)]
            found = self.check(tried)
            if not isinstance(found, Possible):
                return found
            bits = self._bits(scenario, found.model)
            against = self.check([self.possible, build.not_(build.all_of(_at(bits, conjuncts)))])
            match against:
                case Impossible():
                    return Possible(bits)
                case Open():
                    return against
                case Possible(model):
                    self._tried.append(self._bits(self.symbols, model))
        return Open(f"{_MOST} values do not settle it for every value")

    def for_each(self, conjuncts: Sequence[Term], /) -> Possibility:
        """Whether there is a scenario for each value, perhaps another one; a model is one of them, with its values."""
        free, scenarios = free_variables(conjuncts) - self.symbols, list[Mapping[Term, int]]()
        shown: Mapping[Term, int] = {}
        while len(scenarios) <= _MOST:
            without = (build.not_(build.all_of(_at(bits, conjuncts))) for bits in scenarios)
            left = self.check([self.possible, *without])
            if not isinstance(left, Possible):
                return left if isinstance(left, Open) else Possible(shown)
            values = self._bits(self.symbols, left.model)
            found = self.check(_at(values, conjuncts))
            if not isinstance(found, Possible):
                return found
            scenarios.append(self._bits(free, found.model))
            shown = shown or {**scenarios[0], **values}
        return Open(f"{_MOST} scenarios do not settle it for every value")

    def _bits(self, symbols: Set[Term], model: Mapping[Term, Any]) -> dict[Term, int]:
        return {symbol: int(model.get(symbol, self.fact.get(symbol, 0))) for symbol in symbols}


def _at(values: Mapping[Term, int], terms: Sequence[Term]) -> list[Term]:
    """Terms with values for some symbols."""
    return substitute(terms, {symbol: build.const(symbol.sort, bits) for symbol, bits in values.items()})
