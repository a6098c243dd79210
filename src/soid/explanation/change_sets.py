"""Smallest change sets: the fewest variables that must differ from the fact for a formula to hold.

    fact  x = 1, y = 2, signal = LEFT      formula  x >= 3 or (y = 0 and signal = RIGHT)
    sets  {x}, then {y, signal}

The size of a set is its number of variables; among sets of equal size the one whose variables come first in the
interface comes first. Each later set contains none of the sets before it, so each is a different reason. A check with a
bound on the number of changes proves that no smaller set exists.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, assert_never, final

from msgspec import Struct

from soid.engine.summary import LeftOpen
from soid.explanation.study import why_open
from soid.formula import build
from soid.formula.checker import Checker, Impossible, Open, Possible
from soid.formula.passes import substitute
from soid.formula.sorts import BitVec
from soid.formula.term import Term
from soid.program.interface import Variable


@final
class ChangeSet(Struct, frozen=True):
    """Variables that must change together, and a model in which only they change."""

    variables: tuple[Variable, ...]
    model: Mapping[Term, Any]
    smallest: bool  # True: proved; False: it is not settled whether a smaller set exists


@final
class ChangeSets(Struct):
    """All change sets with which a formula holds, the smallest first; no set contains another."""

    within: list[Term]  # bounds; excludes the sets yielded so far
    wanted: Term  # the formula
    doubtful: Term  # where it is not known whether the formula holds
    variables: Sequence[Variable]
    fact: Mapping[str, int]
    check: Checker
    never_kept: frozenset[str] = frozenset()  # by path: those that differ from the fact whatever their value is
    left_open: tuple[LeftOpen, ...] = ()  # why it is not known there
    complete: bool = False  # proved: there are no sets besides those yielded so far
    more: bool = False  # proved: there are further sets
    why: LeftOpen | None = None  # why something was not settled

    def first(self) -> Mapping[Term, Any] | None:
        """Any model of the formula; None with `complete`: it is proved that there is none."""
        found, sure = self._ask()
        self.complete = found is None and sure
        return found

    def starting(self, model: Mapping[Term, Any]) -> Iterator[ChangeSet]:
        """The sets, one after the other; `model` is any model of the formula."""
        found: Mapping[Term, Any] | None = model
        while found is not None:
            smallest = self._smallest(found)
            self.exclude(smallest.variables)
            found, sure = self._ask()
            self.complete, self.more = found is None and sure, found is not None
            yield smallest

    def exclude(self, variables: Sequence[Variable]) -> None:
        """From now on look for no set that contains all of these."""
        self.within.append(build.any_of(map(self._kept, variables)))

    def at_most(self, size: int | None, among: Variable | None = None) -> tuple[Mapping[Term, Any] | None, bool]:
        """A model that changes at most so many variables, one of them given; without one, whether that is proved."""
        bounds = [] if size is None else [self._at_most(size)]
        return self._ask(*bounds, *([] if among is None else [build.not_(self._kept(among))]))

    def changed(self, model: Mapping[Term, Any]) -> list[Variable]:
        """The variables that a model changes."""
        return self._changed(model)

    def _smallest(self, model: Mapping[Term, Any]) -> ChangeSet:
        changed = self._changed(model)
        proved = True
        while changed and not self._cannot_be_fewer(changed):
            fewer, sure = self._ask(self._at_most(len(changed) - 1))
            if fewer is None:
                proved = sure
                break
            model, changed = fewer, self._changed(fewer)
        model = self._first(model, len(changed))
        return ChangeSet(tuple(self._changed(model)), model, proved)

    def _cannot_be_fewer(self, changed: Sequence[Variable]) -> bool:
        """Whether there is nothing to ask a solver: with one change less nothing changes, which the bounds exclude."""
        if len(changed) > 1 or self.never_kept:
            return False
        fact = {each.symbol: build.const(each.symbol.sort, self.fact[each.path]) for each in self.variables}
        return build.FALSE in substitute(self.within, fact)

    def _first(self, model: Mapping[Term, Any], size: int) -> Mapping[Term, Any]:
        """A model of the set whose variables come first, among all sets of a size."""
        settled, rest = [self._at_most(size)], list(self.variables)
        for _ in range(size):
            while before := self._before_the_first_change(model, rest):
                found, _ = self._ask(*settled, build.any_of(build.not_(self._kept(variable)) for variable in before))
                if found is None:
                    settled += map(self._kept, before)
                    rest = rest[len(before) :]
                    break
                model = found
            if rest:
                settled.append(build.not_(self._kept(rest.pop(0))))
        return model

    def _before_the_first_change(self, model: Mapping[Term, Any], variables: Sequence[Variable]) -> list[Variable]:
        changed = self._changed(model)
        return list(takewhile(lambda variable: variable not in changed, variables))

    def _ask(self, *bounds: Term) -> tuple[Mapping[Term, Any] | None, bool]:
        """A model of the formula within further bounds; without a model, whether it is proved that there is none."""
        answer = self.check([*self.within, self.wanted, *bounds])
        match answer:
            case Possible(model):
                return model, True
            case Impossible():
                return None, self._beyond_doubt(bounds)
            case Open():
                self.why = why_open(answer)
                return None, False
            case _:
                assert_never(answer)

    def _beyond_doubt(self, bounds: Sequence[Term]) -> bool:
        """Whether the bounds also exclude every doubtful state."""
        if self.doubtful is build.FALSE:
            return True
        answer = self.check([*self.within, self.doubtful, *bounds])
        if not isinstance(answer, Impossible):
            self.why = why_open(answer, self.left_open)
        return isinstance(answer, Impossible)

    def _kept(self, variable: Variable) -> Term:
        return build.FALSE if variable.path in self.never_kept else variable.equals(self.fact[variable.path])

    def _changed(self, model: Mapping[Term, Any]) -> list[Variable]:
        # a model has no value for a variable that the formula does not mention: it keeps its factual value
        bits = {v.path: int(model.get(v.symbol, self.fact[v.path])) for v in self.variables}
        return [v for v in self.variables if v.path in self.never_kept or bits[v.path] != self.fact[v.path]]

    def _at_most(self, count: int) -> Term:
        return at_most(count, [self._kept(variable) for variable in self.variables])


def at_most(count: int, kept: Sequence[Term]) -> Term:
    """The formula: at most `count` variables change; `kept` says of each that it does not."""
    sort = BitVec(max(1, len(kept).bit_length()))
    one, none = build.const(sort, 1), build.const(sort, 0)
    total = none
    for each in kept:
        total = build.bvadd(total, build.ite(each, none, one))
    return build.bvule(total, build.const(sort, count))
