"""Which variables have to change: smallest sets of changes from the fact that still satisfy a formula.

    fact  x = 1, y = 2, signal = LEFT      formula  x >= 3 or (y = 0 and signal = RIGHT)
    sets  {x}, then {y, signal}

Smallest is smallest in number; of sets of one size the one whose variables come first in the interface. After the first
come others, smallest again, that contain none of those before: each is a different reason. That there is nothing
smaller is proved by asking with a bound on the number of changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, assert_never, final

from msgspec import Struct

from soid.formula import build
from soid.formula.checker import Checker, Impossible, Open, Possible
from soid.formula.sorts import BitVec
from soid.formula.term import Term
from soid.program.interface import Variable


@final
class ChangeSet(Struct, frozen=True):
    """Variables that have to change together, and a model in which no others do."""

    variables: tuple[Variable, ...]
    model: Mapping[Term, Any]
    smallest: bool  # proved; False: whether a smaller one exists was not settled


@final
class ChangeSets:
    """All sets of changes with which a formula holds and of which none contains another, the smallest first."""

    def __init__(
        self,
        within: Sequence[Term],
        wanted: Term,
        doubtful: Term,
        variables: Sequence[Variable],
        fact: Mapping[str, int],
        check: Checker,
    ) -> None:
        """`wanted` is to hold `within` some bounds; where `doubtful` holds, nobody knows whether it does."""
        self._within = list(within)
        self._wanted = wanted
        self._doubtful = doubtful
        self._variables = variables
        self._fact = fact
        self._check = check
        self.complete = False  # proved that there are no other sets than those given out so far
        self.more = False  # proved that there are
        self.why = ""  # something was not settled

    def starting(self, model: Mapping[Term, Any]) -> Iterator[ChangeSet]:
        """The sets, one after the other, from any model of the formula on."""
        found: Mapping[Term, Any] | None = model
        while found is not None:
            one = self._smallest(found)
            self._within.append(build.any_of(self._kept(variable) for variable in one.variables))
            found, sure = self._ask()
            self.complete, self.more = found is None and sure, found is not None
            yield one

    def _smallest(self, model: Mapping[Term, Any]) -> ChangeSet:
        changed = self._changed(model)
        proved = True
        while changed:
            fewer, sure = self._ask(self._at_most(len(changed) - 1))
            if fewer is None:
                proved = sure
                break
            model, changed = fewer, self._changed(fewer)
        model = self._first(model, len(changed))
        return ChangeSet(tuple(self._changed(model)), model, proved)

    def _first(self, model: Mapping[Term, Any], size: int) -> Mapping[Term, Any]:
        """Of all sets of a size, a model of the one whose variables come first."""
        settled = [self._at_most(size)]
        left = size
        for variable in self._variables:
            if not left:
                break
            other = build.not_(self._kept(variable))
            if variable not in self._changed(model):
                found, _ = self._ask(*settled, other)
                if found is None:
                    settled.append(self._kept(variable))
                    continue
                model = found
            settled.append(other)
            left -= 1
        return model

    def _ask(self, *wish: Term) -> tuple[Mapping[Term, Any] | None, bool]:
        """A model of the formula with a wish, if one is found; if not, whether there surely is none."""
        answer = self._check([*self._within, self._wanted, *wish])
        match answer:
            case Possible(model):
                return model, True
            case Impossible():
                return None, self._beyond_doubt(wish)
            case Open(reason):
                self.why = reason
                return None, False
            case _:
                assert_never(answer)

    def _beyond_doubt(self, wish: Sequence[Term]) -> bool:
        """Whether the wish also excludes everything of which nobody knows."""
        if self._doubtful is build.FALSE:
            return True
        answer = self._check([*self._within, self._doubtful, *wish])
        if not isinstance(answer, Impossible):
            self.why = answer.reason if isinstance(answer, Open) else "some scenarios were left unexplored"
        return isinstance(answer, Impossible)

    def _kept(self, variable: Variable) -> Term:
        return variable.equals(self._fact[variable.path])

    def _changed(self, model: Mapping[Term, Any]) -> list[Variable]:
        # a variable that the formula does not mention stays as it was
        return [v for v in self._variables if int(model.get(v.symbol, self._fact[v.path])) != self._fact[v.path]]

    def _at_most(self, count: int) -> Term:
        """That no more than so many variables change."""
        sort = BitVec(max(1, len(self._variables).bit_length()))
        one, none = build.const(sort, 1), build.const(sort, 0)
        total = none
        for variable in self._variables:
            total = build.bvadd(total, build.ite(self._kept(variable), none, one))
        return build.bvule(total, build.const(sort, count))
