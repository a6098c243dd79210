"""Whether some state satisfies conditions of several visited states, asking a solver only where values do not tell.

Most inputs have one value in most states. Conditions that give one input two values have no state in common. Else the
values that all of them give are put into what is left of each, which often becomes false by folding, and makes
conditions of different questions about the same path equal:

    x = 3, y < x    and    x = 3, y > 4      y < 3 and y > 4 is left for the solver

What is left of a conjunct is computed once for the same values: the states of two questions share most of both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias, final

from soid.engine.summary import Approximation
from soid.formula import build
from soid.formula import operators as ops
from soid.formula.checker import Checker, Impossible, Possible
from soid.formula.passes import flatten_and, free_variables, substitute
from soid.formula.term import Term
from soid.scenario.pinned_variables import pins

#: the constants that symbols equal; equal ones are one object, so that pairs of them are found by identity
Pins: TypeAlias = Mapping[Term, Term]
#: what a condition pins, and the rest of its conjuncts
_Part: TypeAlias = tuple[Pins, tuple[Term, ...]]


@final
class StateEmptiness:
    """Knows what is left of the conditions of one abstraction."""

    def __init__(self) -> None:
        self._computed_from: set[Term] = set()  # symbols that approximated results are computed from
        self._pins: dict[frozenset[tuple[Term, Term]], Pins] = {}
        self._said: dict[Term, tuple[tuple[Term, Term], ...]] = {}  # what a conjunct pins
        self._parts: dict[Term, _Part] = {}  # by condition
        self._joined: dict[tuple[int, int], Pins | None] = {}
        self._left: dict[tuple[Term, int], tuple[Term, ...]] = {}  # of a conjunct, with these values put in

    def learn(self, approximations: Iterable[Approximation]) -> None:
        """Conditions may mention these from now on."""
        self._computed_from |= free_variables(term for one in approximations for term in one.arguments)

    def apart(self, conditions: Sequence[Term]) -> bool:
        """Whether values alone show that the conditions have no state in common."""
        found = self._together(conditions)
        return found is None or build.FALSE in found[1]

    def __call__(self, conditions: Sequence[Term], check: Checker) -> bool | None:
        """Whether the conditions have no state in common; None: not settled."""
        found = self._together(conditions)
        if found is None or build.FALSE in found[1]:
            return True
        values, left = found
        if not left:
            return False
        stated = (build.eq(symbol, values[symbol]) for symbol in values.keys() & self._computed_from)
        answer = check([*left, *stated])
        return True if isinstance(answer, Impossible) else False if isinstance(answer, Possible) else None

    def _together(self, conditions: Sequence[Term]) -> tuple[Pins, dict[Term, None]] | None:
        """What conditions pin together, and what is left of them; None if they pin one symbol to two values."""
        parts = [self._part(condition) for condition in conditions]
        joined = parts[0][0]
        for values, _ in parts[1:]:
            both = self._join(joined, values)
            if both is None:
                return None
            joined = both
        left: dict[Term, None] = {}
        for _, rest in parts:
            for conjunct in rest:
                left.update(dict.fromkeys(self._put(conjunct, joined)))
                if build.FALSE in left:
                    return joined, left
        return joined, left

    def _part(self, condition: Term) -> _Part:
        """What a condition pins, and the rest of it.

        Most are of conjunctions of hundreds that were read before, and of little else.
        """
        waiting = [condition]
        while condition not in self._parts:
            now = waiting[-1]
            inner = [each for each in now.args if each.op is ops.AND] if now.op is ops.AND else []
            unread = [each for each in inner if each not in self._parts]
            if unread:
                waiting += unread
                continue
            others = [each for each in now.args if each.op is not ops.AND] if now.op is ops.AND else [now]
            self._parts[now] = self._all_of([*(self._parts[each] for each in inner), self._read(others)])
            waiting.pop()
        return self._parts[condition]

    def _read(self, conjuncts: Iterable[Term]) -> _Part:
        """The part of conjuncts that are no conjunctions themselves."""
        values: dict[Term, Term] = {}
        rest = []
        for conjunct in conjuncts:
            fits = [values.setdefault(symbol, constant) is constant for symbol, constant in self._pinned(conjunct)]
            if conjunct.op is ops.FP_EQ or not fits or not all(fits):
                rest.append(conjunct)  # a comparison with NaN says more than its value
        return self._one(values), tuple(rest)

    def _all_of(self, parts: Sequence[_Part]) -> _Part:
        """Several parts as one, without what their values make true."""
        joined, *more = (values for values, _ in parts)
        for values in more:
            both = self._join(joined, values)
            if both is None:
                return joined, (build.FALSE,)
            joined = both
        rest = dict.fromkeys(conjunct for _, conjuncts in parts for conjunct in conjuncts)
        return joined, tuple(conjunct for conjunct in rest if self._put(conjunct, joined))

    def _pinned(self, conjunct: Term) -> tuple[tuple[Term, Term], ...]:
        said = self._said.get(conjunct)
        if said is None:
            said = tuple((symbol, build.const(symbol.sort, bits)) for symbol, bits in pins(conjunct))
            self._said[conjunct] = said
        return said

    def _one(self, values: Pins) -> Pins:
        return self._pins.setdefault(frozenset(values.items()), values)

    def _join(self, one: Pins, other: Pins) -> Pins | None:
        key = id(one), id(other)
        if key not in self._joined:
            differ = any(one[symbol] is not other[symbol] for symbol in one.keys() & other.keys())
            self._joined[key] = None if differ else self._one({**one, **other})
        return self._joined[key]

    def _put(self, conjunct: Term, values: Pins) -> tuple[Term, ...]:
        key = conjunct, id(values)
        found = self._left.get(key)
        if found is None:
            put = self._put_outside if conjunct.op is ops.NOT and conjunct.args[0].op is ops.AND else _put_anywhere
            found = self._left[key] = put(conjunct, values)
        return found

    def _put_outside(self, conjunct: Term, values: Pins) -> tuple[Term, ...]:
        """The same for what is not in a state: of its many inputs with one value most have that value here."""
        pinned, rest = self._part(conjunct.args[0])
        if self._join(values, pinned) is None:
            return ()
        others = [build.eq(symbol, constant) for symbol, constant in pinned.items() if symbol not in values]
        left = [each for one in rest for each in self._put(one, values)]
        return tuple(flatten_and([build.not_(build.and_(*others, *left))]))


def _put_anywhere(conjunct: Term, values: Pins) -> tuple[Term, ...]:
    return tuple(flatten_and(substitute([conjunct], values)))
