"""Runs of single scenarios, for a question that the solvers do not settle at once.

A family of few scenarios is run whole, which is a proof. Of a larger one some scenarios are run (`sampled_states`): one
that refutes a `would` or shows a `might` settles the question as a solver's model does. A scenario whose run is
unexplored settles nothing. Where a loop turns out to be too long to be explored, more of them are run.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any, Final, final

from msgspec.structs import replace

from soid.budget import Budget, Deadline
from soid.engine.concrete_runs import ConcreteRuns
from soid.engine.summary import PathSummary, Unexplored, add_results
from soid.formula.build import FALSE, TRUE
from soid.formula.passes import evaluate, evaluate_all
from soid.formula.term import Term
from soid.oracle.answer import BY_RUNS, Verdict
from soid.oracle.encoding import FAILS, NEITHER, NO_VALUE, OTHERWISE, UNDECIDED, Encoding, FactualMoment, encode
from soid.oracle.finding import Finding, occurring, proved_by_runs, refuted
from soid.oracle.inquiry import Inquiry
from soid.oracle.near_pairs import Twins, brought_together, drawn_together, is_moved, numeric_twins
from soid.oracle.reason import VerdictReason
from soid.oracle.sampled_states import State, proposed, sampled
from soid.program.interface import Variable
from soid.program.types import FloatType
from soid.query.query import Query, QueryKind
from soid.scenario.family import Family
from soid.solver.state_enumeration import FEW, all_states
from soid.witness.round_numbers import round_numbers

_SOME: Final = 400  # scenarios of a larger family that are run
_MORE: Final = 4_000  # of one that cannot be explored
_FIRST: Final = 16  # runs that tell how long the others will take
_NEARER: Final = 200  # runs on the way from a scenario that settles the question towards the fact

#: the share of the time left for running a family whole, and for running some of it
_WHOLE_SHARE: Final = 0.5
_SOME_SHARE: Final = 0.125
_MORE_SHARE: Final = 0.75
_ONE_SHARE: Final = 0.125  # of the time left, for one run
_UNLIMITED: Final = 60.0  # seconds that count as left if the question has no limit


#: what a scenario that settles the question does; the first kind that has a scenario is shown
_SHOWS: Final = "shows the behavior"
_KINDS: Final = (_SHOWS, OTHERWISE, FAILS, UNDECIDED, NEITHER, NO_VALUE)


def run_members(
    query: Query,
    family: Family,
    facts: FactualMoment,
    start: Mapping[Term, Any],
    explored: tuple[PathSummary, Encoding],
    asking: Inquiry,
    *,
    more: bool = False,
) -> Finding | None:
    """What runs of the family's scenarios find; None if they settle nothing.

    `start` is a model of the family. `explored` has the paths that are known, and where on them the behavior occurs.
    `more`: the search goes on, with scenarios that were not run before.
    """
    variables, symbols = family.varying, [variable.symbol for variable in family.varying]
    if not variables:
        return None
    states = None if more else all_states(family.scenarios, symbols, FEW)
    members = _Members(query, family, facts, asking)
    if states is not None and members.run_all([_named(variables, state) for state in states]):
        found = members.proof()
    else:
        first = _named(variables, {each.symbol: start.get(each.symbol, family.fact[each.path]) for each in variables})
        formulas = (explored[1].shows, *explored[1].refutes.values(), explored[1].unexplored)
        given = family.scenarios, variables, family.fact, first
        if query.lives is not None and (twins := numeric_twins(family.interface, variables)):
            members.run_pairs(itertools.islice(proposed(*given, formulas), _SOME), twins)
        if not members.has_settled:
            share = _MORE_SHARE if more else _SOME_SHARE
            members.run_some(sampled(*given, _MORE if more else _SOME, formulas), share)
        found = members.scenario(explored)
    if found is not None:
        asking.settled_by[BY_RUNS] += len(members.runs.paths)
    return found


def _named(variables: Sequence[Variable], state: Mapping[Term, Any]) -> State:
    return {variable.path: int(state[variable.symbol]) for variable in variables}


def _key(state: State) -> tuple[int, ...]:
    return tuple(bits for _, bits in sorted(state.items()))


@final
class _Members:
    """The scenarios that were run, and what they settle."""

    def __init__(self, query: Query, family: Family, facts: FactualMoment, asking: Inquiry) -> None:
        self._query = query
        self._family = family
        self._facts = facts
        self._asking = asking
        steps, names = query.period.count, query.behavior.names
        exploration = asking.exploration(
            family.given, TRUE, asking.direct, names, steps, facts.environments, facts.acts
        )
        exploration = replace(exploration, progress=lambda _: None)
        self.runs = ConcreteRuns(asking.context.engine, exploration, family.varying)
        self._settling: list[tuple[str, int, State]] = []  # what happens, and the number of the run
        self._unexplored: list[int] = []  # the numbers of runs that settle nothing
        self._is_late = False  # a run took too long

    def run_all(self, states: Sequence[State]) -> bool:
        """Run every scenario; False if that takes too long."""
        began, deadline = time.monotonic(), self._limit(_WHOLE_SHARE)
        for number, state in enumerate(states):
            left = deadline.seconds_left
            taken = time.monotonic() - began
            late = number == _FIRST and left is not None and taken / number * (len(states) - number) > left
            if late or self._is_late or deadline.is_over or self._asking.context.cancel.cancelled:
                return False
            self._run(state, deadline)
        return not self._is_late

    def run_some(self, states: Iterable[State], share: float) -> None:
        """Run scenarios until one of them settles the question as solvers would try first, or the time is over."""
        deadline, first = self._limit(share), _KINDS[:2]
        for state in states:
            if deadline.is_over or self._asking.context.cancel.cancelled:
                return
            if _key(state) not in self._asking.tried:
                self._run(state, deadline)
            if any(what in first for what, _, _ in self._settling):
                return

    def run_pairs(self, states: Iterable[State], twins: Sequence[Twins]) -> None:
        """Run pairs until one settles the question, or would if its lives were nearer, and some such pair does."""
        deadline, luck = self._limit(_SOME_SHARE), Random(0)

        def settles(state: State) -> bool:
            return not deadline.is_over and any(what in _KINDS[:2] for what in self._happening(state, deadline)[0])

        for state in states:
            if deadline.is_over or self._asking.context.cancel.cancelled:
                return
            if is_moved(state, twins) and settles(state):
                found = brought_together(state, twins, self._is_scenario, settles)
            else:
                near = drawn_together(state, twins, luck)
                found = near if self._is_scenario(near) else None
            if found is not None and self._run(found, deadline):
                return

    @property
    def has_settled(self) -> bool:
        return bool(self._settling)

    def proof(self) -> Finding | None:
        """The finding if every scenario was run."""
        if self._settling:
            alike = len({number for _, number, _ in self._settling}) == len(self.runs.paths)
            finding = self._among_those_run()
            return replace(finding, throughout=self._alike(finding.verdict)) if alike else finding
        return proved_by_runs(self._query.kind, self.runs.summary) if not self._unexplored else None

    def _alike(self, verdict: Verdict) -> VerdictReason:
        """That what one scenario shows is so in all of them: the reason that the sibling question would have."""
        sibling = QueryKind.MIGHT if verdict is Verdict.NO else QueryKind.WOULD
        return proved_by_runs(sibling, self.runs.summary).why

    def scenario(self, explored: tuple[PathSummary, Encoding]) -> Finding | None:
        """The finding if some scenario settles the question.

        Where its path is known, a solver can look for the nearest scenario; else those that were run are compared.
        """
        if not self._settling:
            return None
        what, _, state = min(self._settling, key=lambda each: _KINDS.index(each[0]))
        summary, encoding = explored
        model: dict[Term, Any] = {variable.symbol: state[variable.path] for variable in self._family.varying}
        add_results(summary.approximations, model)
        if evaluate(encoding.refutes.get(what, encoding.shows), model) and summary.is_explored:
            return self._finding(what, encoding, model, summary)
        self._approach(state)
        return replace(self._among_those_run(), partly=True)

    def _limit(self, share: float) -> Deadline:
        """The time for some runs."""
        left = self._asking.direct.seconds_left
        return Budget((_UNLIMITED if left is None else left) * share).started()

    def _run(self, state: State, deadline: Deadline) -> bool:
        """Run one scenario; whether it settles the question."""
        settles, is_open = self._happening(state, deadline)
        number = len(self.runs.paths) - 1
        if is_open:
            self._unexplored.append(number)
        self._settling += [(what, number, state) for what in settles]
        return bool(settles)

    def _happening(self, state: State, deadline: Deadline) -> tuple[list[str], bool]:
        """What happens on a state that would settle the question, and whether anything is unexplored there."""
        left = deadline.seconds_left
        one = Budget(None if left is None else left * _ONE_SHARE).started()  # it may never come back
        self.runs.exploration = replace(self.runs.exploration, deadline=one)
        path = self.runs.run(state)
        self._asking.tried.add(_key(state))
        self._is_late = self._is_late or (isinstance(path.ending, Unexplored) and path.ending.out_of_time)
        facts = replace(self._facts, fixed={**self._family.given, **state})
        encoding = encode(PathSummary((path,)), self._query.behavior, facts, self._query.period)
        happens = encoding.refutes if self._query.kind is QueryKind.WOULD else {_SHOWS: encoding.shows}
        return [what for what, where in happens.items() if where is not FALSE], encoding.unexplored is not FALSE

    def _is_scenario(self, state: State) -> bool:
        values = {variable.symbol: state[variable.path] for variable in self._family.varying}
        return all(evaluate_all(self._family.scenarios, values))

    def _approach(self, state: State) -> None:
        """Run scenarios between one that settles the question and the fact, one variable after the other."""
        runs, deadline = len(self.runs.paths), self._asking.witness_deadline()

        def settles(tried: State) -> bool:
            return self._is_scenario(tried) and self._run(tried, deadline)

        for variable in self._family.varying:
            order, path = variable.order, variable.path
            near, far = (order.place_of(each[path]) for each in (self._family.fact, state))
            middle = near
            while near != far and len(self.runs.paths) < runs + _NEARER and not deadline.is_over:
                tried = {**state, path: int(order.value_at(middle))}
                if settles(tried):
                    far, state = middle, tried
                else:
                    near = middle
                if abs(far - near) <= 1:
                    break
                middle = (near + far) // 2
        for variable in self._family.varying:  # what is shown may be rounder than what is nearest
            fact, nearest = (each[variable.path] for each in (self._family.fact, state))
            for bits in round_numbers(variable.type, fact, nearest) if isinstance(variable.type, FloatType) else ():
                if not deadline.is_over and settles({**state, variable.path: bits}):
                    break

    def _among_those_run(self) -> Finding:
        """The finding whose scenario is sought among those that were run; it is the nearest if no unexplored one is."""
        what = min((what for what, _, _ in self._settling), key=_KINDS.index)
        chosen = [(number, state) for each, number, state in self._settling if each == what]
        summary = self.runs.summary_of([*(number for number, _ in chosen), *self._unexplored])
        encoding = encode(summary, self._query.behavior, self._facts, self._query.period)
        model = {variable.symbol: chosen[0][1][variable.path] for variable in self._family.varying}
        return self._finding(what, encoding, model, summary)

    def _finding(self, what: str, encoding: Encoding, model: Mapping[Term, Any], summary: PathSummary) -> Finding:
        within = self._family.scenarios
        if self._query.kind is QueryKind.MIGHT:
            return occurring(within, encoding, model, summary)
        return refuted(what, within, encoding, model, summary)
