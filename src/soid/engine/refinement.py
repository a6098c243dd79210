"""A checker for formulas that mention approximated functions: every model that it gives is a real one.

A solver may give the symbol of an approximation any value that the known facts allow. So this checker takes the inputs
of a model and calls the library. If the formula holds with the library's results, the model is a real one. If not, the
enclosure becomes tighter at that place and the solver is asked again. The number of rounds is bounded, since two
functions may lie so close together that no enclosure tells them apart.

    x in 1 to 2,  pow(x, 2) = 3.5           what is known: pow(x, 2) in 1 to 4
    model x = 1.25, pow(x, 2) = 3.5         the library says 1.5625
    known afterwards                        pow(1.25, 2) = 1.5625, pow(x, 2) in 1 to 1.5625 for x in 1 to 1.25, ...

The facts hold everywhere, so a formula that is impossible under them is impossible. Models that are rare (`pow(x, 2)`
is not `x * x` for one x in a thousand) are found by trying states near the solver's models.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from random import Random
from typing import Any, Final, final

from soid.engine.summary import Approximation, Enclosure, add_results
from soid.errors import InternalError
from soid.formula import build
from soid.formula.checker import Checker, Open, Possibility, Possible
from soid.formula.passes import evaluate_all, free_variables
from soid.formula.sorts import Bool
from soid.formula.term import Term

#: For more calls of one function than this, "equal arguments, equal results" is not stated pair by pair.
_PAIRED: Final = 8

#: States that are tried near each model that is not a real one.
_TRIED: Final = 64


class _Defaulting(dict[Term, Any]):
    """A model; a variable that it leaves out may have any value, and gets 0."""

    def __missing__(self, term: Term) -> Any:
        return 0


@final
class RefiningChecker:
    """Knows the tightest enclosures of approximations that were needed so far."""

    def __init__(self, approximations: Mapping[Term, Approximation], rounds: int) -> None:
        self._approximations = approximations  # by symbol, in the order they were made in; more may come
        self._rounds = rounds
        self._known: dict[Term, Enclosure] = {}  # by symbol, where more is known than the approximation came with
        self._made: dict[Term, tuple[Enclosure, tuple[Term, ...]]] = {}  # by symbol: facts, and their source
        self._mentioned: dict[Term, frozenset[Term]] = {}
        self._random = Random(0)

    def checker(self, check: Checker) -> Checker:
        """A checker that asks another one and gives only models that the library confirms."""
        return partial(self._ask, check)

    def _ask(self, check: Checker, conjuncts: Sequence[Term]) -> Possibility:
        relevant = self.relevant(conjuncts)
        if not relevant:
            return check(conjuncts)
        off: list[Approximation] = []
        for _ in range(self._rounds):
            facts = self._facts(relevant)
            answer = check([*facts, *conjuncts])
            if not isinstance(answer, Possible):
                return answer
            real = _Defaulting(answer.model)
            add_results(relevant, real)
            if not all(evaluate_all(facts, real)):
                raise _farther_off(relevant)
            if all(evaluate_all(conjuncts, real)):
                return Possible(dict(real))
            found = self._near(real, relevant, conjuncts)
            if found is not None:
                return Possible(found)
            off = [one for one in relevant if answer.model.get(one.symbol) != real[one.symbol]]
            for one in off:
                arguments = tuple(evaluate_all(one.arguments, real))
                self._known[one.symbol] = self._enclosure(one).closer(arguments)
        return Open("; ".join(dict.fromkeys(str(one) for one in off)), approximated=True)

    def _near(
        self, values: Mapping[Term, Any], relevant: Sequence[Approximation], conjuncts: Sequence[Term]
    ) -> dict[Term, Any] | None:
        """A model of the formula near a state, if random tries find one."""
        inputs = sorted((term for term in values if term not in self._approximations), key=lambda term: term.uid)
        for _ in range(_TRIED):
            tried = _Defaulting((term, self._moved(term, values[term])) for term in inputs)
            add_results(relevant, tried)
            if all(evaluate_all(conjuncts, tried)):
                return dict(tried)
        return None

    def _moved(self, term: Term, value: Any) -> Any:
        """A value that differs in some of its last bits, or in none."""
        if isinstance(term.sort, Bool):
            return bool(self._random.getrandbits(1))
        bits = self._random.randrange(-term.sort.width // 4, term.sort.width)
        return value ^ self._random.getrandbits(bits) if bits > 0 else value

    def _enclosure(self, one: Approximation) -> Enclosure:
        return self._known.get(one.symbol, one.enclosure)

    def _facts(self, relevant: Sequence[Approximation]) -> list[Term]:
        found: list[Term] = []
        for one in relevant:
            enclosure, made = self._enclosure(one), self._made.get(one.symbol)
            if made is None or made[0] is not enclosure:
                made = self._made[one.symbol] = (enclosure, enclosure.facts())
            found += made[1]
        return [*found, *_equal_results(relevant)]

    def relevant(self, conjuncts: Iterable[Term]) -> list[Approximation]:
        """The approximations that the conjuncts mention, and those that their arguments mention."""
        if not self._approximations:
            return []
        found: set[Term] = set()
        waiting = list(conjuncts)
        while waiting:
            for symbol in self._symbols(waiting.pop()) - found:
                found.add(symbol)
                waiting.extend(each for each in self._approximations[symbol].arguments if not each.is_const)
        return [one for symbol, one in self._approximations.items() if symbol in found]

    def _symbols(self, term: Term) -> frozenset[Term]:
        known = self._mentioned.get(term)
        if known is None:
            known = frozenset(t for t in free_variables([term]) if t in self._approximations)
            self._mentioned[term] = known
        return known


def _equal_results(relevant: Sequence[Approximation]) -> list[Term]:
    """Equal arguments give equal results."""
    by_function: dict[tuple[str, Any], list[Approximation]] = {}
    for one in relevant:
        by_function.setdefault((one.function, one.symbol.sort), []).append(one)
    return [
        build.implies(
            build.all_of(build.eq(a, b) for a, b in zip(one.arguments, other.arguments, strict=True)),
            build.eq(one.symbol, other.symbol),
        )
        for group in by_function.values()
        if len(group) <= _PAIRED
        for place, one in enumerate(group)
        for other in group[:place]
    ]


def _farther_off(relevant: Sequence[Approximation]) -> InternalError:
    names = ", ".join(sorted({one.function for one in relevant}))
    return InternalError(
        f"this machine's library returned a result that its documented errors exclude: {names}",
        "Please report this with the program, the question, and the name and version of the C library.",
    )
