"""Branch and bound on one box of a family: exclude a goal from as many of its states as possible.

A box that was halved often enough is first given to a checker: a solver, or an exploration of the program. Otherwise
interval evaluation excludes the goal from a box, or its middle state shows the goal, or the box is halved. The states
of a small box are evaluated one by one. The largest box by measure comes first. When the limit is reached, the
remaining boxes stay open.
"""

from __future__ import annotations

import functools
import heapq
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final, final

from msgspec import Struct, field
from msgspec.structs import replace

from soid.budget import Cancellation, Deadline
from soid.formula import build
from soid.formula import operators as ops
from soid.formula.checker import Checker, Impossible, Possible
from soid.formula.interval_program import Box
from soid.formula.intervals import ALWAYS, NEVER, Values
from soid.formula.measure import Ruler
from soid.formula.passes import evaluate_all, flatten_and
from soid.formula.term import Term, postorder
from soid.solver.box_conditions import LOW, MIDDLE, BoxConditions, BoxFunction, BoxVariable, Size, halves, hull, lay_out
from soid.solver.state_count import NONE, Count, Counter

_SIZE: Final = Size(variables=12, terms=40_000)
_SIZE_IN_BULK: Final = Size(variables=64, terms=40_000)  # where functions bound many boxes at once
_OPEN_IN_BULK: Final = 20_000  # boxes: with more the family is not cut further
_FEW: Final = 32  # boxes whose bounds are a formula
_ONE_BY_ONE: Final = 32  # states of a box: to evaluate so many is faster than to halve it on


@final
class Pace(Struct, frozen=True):
    """How many boxes one `cut` evaluates, and when the checker is asked."""

    boxes: int
    halvings: int  # of a box, before the checker is asked about it
    checks_per_answer: int | None  # the checker is not asked any more when it answers less often; None: no such limit


BY_SOLVER: Final = Pace(boxes=32, halvings=3, checks_per_answer=6)
BY_EXPLORING: Final = Pace(boxes=4, halvings=2, checks_per_answer=None)  # slower than a solver, but it settles more

Model = Mapping[Term, bool | int]


@final
class ExclusionGoal(Struct, frozen=True):
    """The states to exclude from a family."""

    shows: Term  # states that answer the question
    doubt: Term = build.FALSE  # unexplored states


@final
class CutBox(Struct, frozen=True):
    """A box that is open: it may have a state of the goal."""

    box: Box
    size: Count  # of the family in it, by measure (`soid.formula.measure`)
    since: int = 0  # halvings since the checker was last asked about a box around it
    stuck: bool = False  # cutting it further settles nothing


@final
class Cuts(Struct):
    """The result of cutting a box."""

    settled: Count = NONE  # the size of what the goal is excluded from
    open: list[CutBox] = field(default_factory=list)
    model: Model | None = None  # a state that shows the goal


@final
class BoxCutter:
    """Cuts boxes of one family."""

    def __init__(
        self, family: Sequence[Term], goal: ExclusionGoal, symbols: Sequence[Term], laid_out: BoxConditions, pace: Pace
    ) -> None:
        self._family = family
        self._goal = goal
        self._pace = pace
        self._variables = len(symbols)
        self._conditions = laid_out
        self._states = Counter(laid_out, family, len(symbols))
        start = laid_out.start()
        self._sizes = self._states if start is None else self._states.by_measure(start[: len(symbols)])
        # together with the doubt the goal may be simpler than alone, and then not all of its symbols are laid out
        mentioned = [term for term in postorder([*family, goal.shows]) if term.is_var]
        self._mentioned = dict.fromkeys([*(each.term for each in laid_out.variables), *mentioned])
        places = {term: place for place, term in enumerate(laid_out.order)}
        self._shows, self._doubts = (
            [places.get(part) for part in _disjuncts(term)] for term in (goal.shows, goal.doubt)
        )
        self._checks = self._answers = 0

    @classmethod
    def of(
        cls,
        family: Sequence[Term],
        goal: ExclusionGoal,
        symbols: Sequence[Term],
        pace: Pace = BY_SOLVER,
        functions: Sequence[BoxFunction] = (),
    ) -> BoxCutter | None:
        """None if `lay_out` refuses the family and the goal."""
        wanted = build.or_(goal.shows, goal.doubt)
        in_bulk = any(each.bulk is not None for each in functions)
        size, goals = (_SIZE_IN_BULK, flatten_and([wanted])) if in_bulk else (_SIZE, [wanted])
        laid_out = lay_out(family, size, goals=goals, symbols=symbols, functions=functions)
        return None if laid_out is None else cls(family, goal, symbols, laid_out, pace)

    @property
    def variables(self) -> list[BoxVariable]:
        """The family's variables, in the order of a box's sides."""
        return self._conditions.variables[: self._variables]

    @property
    def is_closed(self) -> bool:
        """Whether the goal depends on the family's variables alone."""
        return len(self._conditions.variables) == self._variables

    def whole(self) -> CutBox | None:
        """The box around the family; None if the family is empty."""
        box = self._conditions.start()
        return None if box is None else self._open_box(box)

    def _open_box(self, box: Box, since: int = 0) -> CutBox:
        return CutBox(box, self._sizes.count(box), since)

    def around(self, boxes: Sequence[Box]) -> list[list[Term]]:
        """Bounds of the family's variables that hold in some boxes, one list for each if they are few, else for all."""
        boxes = boxes if len(boxes) <= _FEW else [hull(boxes)]
        return [self._bounds(box) for box in boxes]

    def piece(self, box: Box, *, stuck: bool) -> CutBox:
        """An open box that an earlier search has left."""
        return replace(self._open_box(box, self._pace.halvings), stuck=stuck)

    def is_outside(self, box: Box) -> bool:
        """Whether no state of the family is in a box, as far as one evaluation shows."""
        return self._states.is_empty(box)

    def states(self, box: Box) -> Count:
        """The number of the family's states in a box."""
        return self._states.count(box)

    @property
    def rulers(self) -> tuple[Ruler, ...]:
        """What the family's variables are measured with."""
        return self._sizes.rulers

    @property
    def is_in_bulk(self) -> bool:
        """Whether functions bound many boxes at once: then `cut_in_bulk` cuts the family."""
        return any(each.bulk is not None for each in self._conditions.functions)

    def cut_in_bulk(
        self,
        pieces: Sequence[CutBox],
        deadline: Deadline,
        cancel: Cancellation,
        report: Callable[[float], None] = lambda _: None,
    ) -> Cuts:
        """Cut boxes where the functions' cells are, until time is over; large ones first."""
        from soid.solver.cell_search import settled_cells  # numpy takes long to load

        start = self._conditions.start()
        assert start is not None, "it has a piece"
        parts = [(*piece.box, *start[self._variables :]) for piece in pieces]
        within = None if parts == [start] else parts
        given, most = (self._conditions, deadline, cancel), _OPEN_IN_BULK
        # where the goal is in doubt the search goes on
        found = settled_cells(*given, widely=True, most=most, report=report, within=within, accepts=self.shows_goal)
        if found is None:
            return Cuts(open=[replace(piece, stuck=True) for piece in pieces])
        if found.model is not None:
            return Cuts(open=list(pieces), model=found.model)
        opened = [replace(self._open_box(box[: self._variables]), stuck=True) for box in found.open]
        opened += [self._open_box(box[: self._variables]) for box in found.waiting]
        before, left = (functools.reduce(Count.plus, (one.size for one in each), NONE) for each in (pieces, opened))
        return Cuts(before.less(left), opened)

    def cut(self, piece: CutBox, check: Checker) -> Cuts:
        """Settle a box or cut it."""
        cuts = Cuts()
        if piece.since >= self._pace.halvings:
            piece = replace(piece, since=0)
            if self._ask(piece, check, cuts):
                return cuts
        self._search(piece, cuts)
        return cuts

    def _search(self, piece: CutBox, cuts: Cuts) -> None:
        conditions, serial = self._conditions, itertools.count()
        values, everything = conditions.constants.copy(), (1 << len(conditions.variables)) - 1
        waiting: list[tuple[int, int, CutBox, list[Values], int]] = [(0, next(serial), piece, values, everything)]
        evaluated = 0
        while waiting:
            _, _, piece, values, changed = heapq.heappop(waiting)
            if evaluated == self._pace.boxes or cuts.model is not None:
                cuts.open.append(piece)
                continue
            evaluated += 1
            if not conditions.evaluate(piece.box, values, changed):
                cuts.settled = cuts.settled.plus(piece.size)
                continue
            if self._is_small(piece.box):
                self._try_each(piece, cuts)
                continue
            self._try_middle(piece.box, cuts)
            which = None if self._is_stuck(values) else conditions.widest(piece.box[: self._variables], values)
            if which is None:
                cuts.open.append(self._uncuttable(piece))
                continue
            for half in halves(piece.box, which):
                part = self._open_box(half, piece.since + 1)
                if part.size.most:
                    heapq.heappush(waiting, (-part.size.most, next(serial), part, values.copy(), 1 << which))

    def _uncuttable(self, piece: CutBox) -> CutBox:
        """A box that is not cut further. Without a limit of checks the checker is asked about it before it is stuck."""
        if self._pace.checks_per_answer is None and piece.since:
            return replace(piece, since=self._pace.halvings)
        return replace(piece, stuck=True)

    def _is_stuck(self, values: list[Values]) -> bool:
        """Whether all states are in doubt and none shows the goal: then only a checker without a limit can help."""
        if self._pace.checks_per_answer is None:
            return False
        in_doubt = any(place is not None and values[place] == ALWAYS for place in self._doubts)
        return in_doubt and all(place is not None and values[place] == NEVER for place in self._shows)

    def _is_small(self, box: Box) -> bool:
        """Whether each state of a box can be evaluated, and none of them is in doubt."""
        if not self.is_closed or self._goal.doubt is not build.FALSE:
            return False
        return math.prod(high - low + 1 for low, high in box) <= _ONE_BY_ONE

    def _try_each(self, piece: CutBox, cuts: Cuts) -> None:
        """Settle a small box: no state of it shows the goal, or one does."""
        for places in itertools.product(*(range(low, high + 1) for low, high in piece.box)):
            model = self._conditions.model_at(tuple((place, place) for place in places), LOW)
            if model is not None:
                cuts.model = model
                cuts.open.append(piece)
                return
        cuts.settled = cuts.settled.plus(piece.size)

    def _try_middle(self, box: Box, cuts: Cuts) -> None:
        if not self.is_closed:
            return  # the value of another variable is not known here
        model = self._conditions.model_at(box, MIDDLE)
        if model is not None and self.shows_goal(model):
            cuts.model = model

    def _ask(self, piece: CutBox, check: Checker, cuts: Cuts) -> bool:
        """Whether the checker settles a box."""
        limit = self._pace.checks_per_answer
        if limit is not None and self._checks > limit * (self._answers + 1):
            return False
        self._checks += 1
        answer = check([build.or_(self._goal.shows, self._goal.doubt), *self._bounds(piece.box), *self._family])
        if isinstance(answer, Impossible):
            cuts.settled = piece.size
        elif isinstance(answer, Possible) and self.shows_goal(answer.model):
            cuts.model = answer.model
            cuts.open.append(piece)
        else:
            return False
        self._answers += 1
        return True

    def shows_goal(self, model: Model) -> bool:
        """Whether a model is total, lies in the family and shows the goal: evaluated."""
        is_total = all(symbol in model for symbol in self._mentioned)
        return is_total and all(evaluate_all([*self._family, self._goal.shows], model))

    def _bounds(self, box: Box) -> list[Term]:
        sides = zip(self.variables, box, strict=False)
        return [variable.order.between(variable.term, low, high) for variable, (low, high) in sides]


def _disjuncts(term: Term) -> tuple[Term, ...]:
    return term.args if term.op is ops.OR else () if term is build.FALSE else (term,)
