"""One box of a family, cut into pieces: from which of them a goal is excluded, and which are left open.

`intervals` excludes the goal from a piece, or a point of it is tried and shows the goal, or a solver is asked about
that piece alone, or it is halved, the larger ones first, until there are enough of them.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Mapping, Sequence
from typing import Final, final

from msgspec import Struct, field
from msgspec.structs import replace

from soid.formula import build
from soid.formula import operators as ops
from soid.formula.checker import Checker, Impossible, Possible
from soid.formula.interval_program import Box
from soid.formula.intervals import ALWAYS, NEVER, Values
from soid.formula.passes import evaluate_all
from soid.formula.term import Term
from soid.solver.box_conditions import MIDDLE, BoxConditions, BoxVariable, Size, halves, lay_out
from soid.solver.state_count import NONE, Count, Counter

_SIZE: Final = Size(variables=12, terms=40_000)


@final
class Pace(Struct, frozen=True):
    """How much is done about one piece before another is taken up, and when somebody is asked about it."""

    pieces: int  # looked at
    asked_every: int  # halvings
    in_vain: int | None  # times more often than not, and nobody is asked any more; None: they always are


BY_SOLVER: Final = Pace(pieces=32, asked_every=3, in_vain=6)
BY_EXPLORING: Final = Pace(pieces=4, asked_every=2, in_vain=None)  # which takes longer, and tells more

Model = Mapping[Term, bool | int]


@final
class ExclusionGoal(Struct, frozen=True):
    """What is to be excluded from a family: states that show something, and states of which nobody knows."""

    shows: Term
    doubt: Term = build.FALSE


@final
class CutBox(Struct, frozen=True):
    """A box that is open."""

    box: Box
    states: Count
    since: int = 0  # halvings since a solver was asked about what it is a part of
    stuck: bool = False  # cutting it further would settle nothing


@final
class Cuts(Struct):
    """What came of a piece."""

    settled: Count = NONE  # states from which the goal is excluded
    open: list[CutBox] = field(default_factory=list)
    model: Model | None = None  # a state that shows the goal


@final
class BoxCutter:
    """Cuts pieces of one family."""

    def __init__(
        self, family: Sequence[Term], goal: ExclusionGoal, symbols: Sequence[Term], question: BoxConditions, pace: Pace
    ) -> None:
        self._family = family
        self._goal = goal
        self._pace = pace
        self._variables = len(symbols)
        self._question = question
        self._counter = Counter(question, family, len(symbols))
        places = {term: place for place, term in enumerate(question.order)}
        self._shows, self._doubts = ([places.get(part) for part in _parts(term)] for term in (goal.shows, goal.doubt))
        self._asked = self._told = 0

    @classmethod
    def of(
        cls, family: Sequence[Term], goal: ExclusionGoal, symbols: Sequence[Term], pace: Pace = BY_SOLVER
    ) -> BoxCutter | None:
        """None if that is too much, or of another kind."""
        question = lay_out(family, _SIZE, goals=[build.or_(goal.shows, goal.doubt)], symbols=symbols)
        return None if question is None else cls(family, goal, symbols, question, pace)

    @property
    def variables(self) -> list[BoxVariable]:
        """The family's, in the order of a box's sides."""
        return self._question.variables[: self._variables]

    @property
    def is_closed(self) -> bool:
        """Whether the goal speaks of what varies in the family alone, and of no function that is approximated."""
        return len(self._question.variables) == self._variables

    def whole(self) -> CutBox | None:
        """The box that the family lies in; None if the family is empty."""
        box = self._question.start()
        return None if box is None else self._piece(box)

    def _piece(self, box: Box, since: int = 0) -> CutBox:
        return CutBox(box, self._counter.count(box), since)

    def cut(self, piece: CutBox, check: Checker) -> Cuts:
        """Cut a piece, if no solver settles it as it is."""
        cuts = Cuts()
        if piece.since >= self._pace.asked_every:
            piece = replace(piece, since=0)
            if self._ask(piece, check, cuts):
                return cuts
        self._search(piece, cuts)
        return cuts

    def _search(self, piece: CutBox, cuts: Cuts) -> None:
        question, serial = self._question, itertools.count()
        values, everything = question.constants.copy(), (1 << len(question.variables)) - 1
        waiting: list[tuple[int, int, CutBox, list[Values], int]] = [(0, next(serial), piece, values, everything)]
        looked = 0
        while waiting:
            _, _, piece, values, changed = heapq.heappop(waiting)
            if looked == self._pace.pieces or cuts.model is not None:
                cuts.open.append(piece)
                continue
            looked += 1
            if not question.evaluate(piece.box, values, changed):
                cuts.settled = cuts.settled.plus(piece.states)
                continue
            self._try(piece.box, cuts)
            which = None if self._is_stuck(values) else question.widest(piece.box[: self._variables], values)
            if which is None:
                cuts.open.append(self._at_its_end(piece))
                continue
            for half in halves(piece.box, which):
                part = self._piece(half, piece.since + 1)
                if part.states.most:
                    heapq.heappush(waiting, (-part.states.most, next(serial), part, values.copy(), 1 << which))

    def _at_its_end(self, piece: CutBox) -> CutBox:
        """A piece that is not cut any more: somebody is asked about it before it is given up."""
        if self._pace.in_vain is None and piece.since:
            return replace(piece, since=self._pace.asked_every)
        return replace(piece, stuck=True)

    def _is_stuck(self, values: list[Values]) -> bool:
        """Nobody knows of any of these states, none of them shows the goal, and nobody will be asked in earnest."""
        if self._pace.in_vain is None:
            return False
        unknown = any(place is not None and values[place] == ALWAYS for place in self._doubts)
        return unknown and all(place is not None and values[place] == NEVER for place in self._shows)

    def _try(self, box: Box, cuts: Cuts) -> None:
        """The state in the middle: it counts if it shows the goal, evaluated."""
        if not self.is_closed:
            return  # what an approximated function gives there, only its library knows
        model = self._question.model_at(box, MIDDLE)
        if model is not None and self._shows_goal(model):
            cuts.model = model

    def _ask(self, piece: CutBox, check: Checker, cuts: Cuts) -> bool:
        """Whether a solver settles a piece."""
        if self._pace.in_vain is not None and self._asked > self._pace.in_vain * (self._told + 1):
            return False
        self._asked += 1
        answer = check([build.or_(self._goal.shows, self._goal.doubt), *self._bounds(piece.box), *self._family])
        if isinstance(answer, Impossible):
            self._told += 1
            cuts.settled = piece.states
            return True
        if isinstance(answer, Possible) and self._shows_goal(answer.model):
            self._told += 1
            cuts.model = answer.model
            cuts.open.append(piece)
            return True
        return False

    def _shows_goal(self, model: Model) -> bool:
        """Whether a state of the family shows the goal, evaluated."""
        known = all(variable.term in model for variable in self._question.variables)
        return known and all(evaluate_all([*self._family, self._goal.shows], model))

    def _bounds(self, box: Box) -> list[Term]:
        sides = zip(self.variables, box, strict=False)
        return [variable.order.between(variable.term, low, high) for variable, (low, high) in sides]


def _parts(term: Term) -> tuple[Term, ...]:
    """Of an alternative, each; of what is never so, none."""
    return term.args if term.op is ops.OR else () if term is build.FALSE else (term,)
