"""The values of a stretch of a log that were not logged and follow, to be shown beside those that were.

The program is run over the log as `soid log check` does it. What is certain of a step is filled in, decisions and the
state before the call; the rest stays open. How far a log is gone through does not depend on the clock, except that what
takes too long to explore stays open too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, final

from msgspec import Struct

from soid.budget import Budget, Deadline
from soid.oracle.inquiry import Context, QuestionProgress
from soid.oracle.log_run import looks_ahead
from soid.oracle.log_walk import EXPLORING, ComparedStep, Fit, LogWalk
from soid.oracle.step_runs import StepRuns
from soid.program.interface import Interface, Role, Variable
from soid.scenario.log_series import LoggedSeries, LogSeries
from soid.scenario.trace import Trace

#: steps that are gone through at most: natively, and if they are explored
MOST_DERIVED, _EXPLORED = 100_000, 2_000
#: steps before a stretch that are gone through with it, where the log is too long to begin at its start
_LEAD: Final = 256
_REPORTED: Final = 1000


@final
class DerivedLog(Struct, frozen=True):
    """A stretch of a log with what follows."""

    log: LogSeries
    unasked: bool = False  # something was not logged, and the stretch is too long to look for it
    cut: int | None = None  # from this step on there was no time to look for it


def derived_log(log: LogSeries, trace: Trace, context: Context, *, from_start: bool) -> DerivedLog:
    """Fill in the decisions and the state that a stretch of a log does not have."""
    wanted = _wanted(log, trace.interface)
    if not wanted:
        return DerivedLog(log)
    runs = StepRuns(trace.interface, context)
    first, end = trace.place(log.numbers[0]), trace.place(log.numbers[-1]) + 1
    exact = from_start and runs.is_exact(trace.steps[0])
    most = MOST_DERIVED if exact else _EXPLORED
    begin = 0 if end <= most else max(first - _LEAD, 0)
    if end - begin > (MOST_DERIVED if exact and begin == 0 else _EXPLORED):
        return DerivedLog(log, unasked=True)
    start = from_start and begin == 0
    ahead = looks_ahead(trace.steps[end - 1], runs) if start else 0  # what comes then may show that it begins elsewhere
    steps = trace.steps[begin : min(len(trace), end + ahead)]
    found: dict[str, list[int | None]] = {path: [None] * (end - first) for path in wanted}
    cut, until = None, Budget(EXPLORING).started()
    for each in LogWalk(steps, runs, start, until):
        if start and _may_begin_elsewhere(each, runs, until):
            return derived_log(log, trace, context, from_start=False)
        if each.place % _REPORTED == 0:
            words = f"running the program over the log, step {each.place} of {len(steps)}"
            context.progress(QuestionProgress(words))
        if cut is None and each.cut and each.place < end - begin:
            cut = each.step.time
        if first - begin <= each.place < end - begin:
            _fill(found, each, each.place - (first - begin))
    return DerivedLog(_with(log, trace.interface, wanted, found), cut=cut)


def _may_begin_elsewhere(each: ComparedStep, runs: StepRuns, until: Deadline) -> bool:
    """Whether a step is not as the run from the first call has it, and may be so from another state."""
    if each.fit is Fit.DIFFERS:
        return runs.explored(each.step, {}, until).agrees is not False
    return each.fit is Fit.UNLINKED


def _fill(found: Mapping[str, list[int | None]], each: ComparedStep, at: int) -> None:
    for path, values in found.items():
        values[at] = each.decided.get(path, each.known.get(path) if path in each.step.unlogged else None)


def _wanted(log: LogSeries, interface: Interface) -> dict[str, Variable]:
    """The decisions and the state that were not logged at all of the steps."""
    lacking = {*log.absent, *(each.name for each in log.series if None in each.values)}
    known = [v for v in (*interface.decisions, *interface.inputs) if v.role in (Role.DECISION, Role.STATE)]
    return {variable.path: variable for variable in known if variable.path in lacking}


def _with(
    log: LogSeries, interface: Interface, wanted: Mapping[str, Variable], found: Mapping[str, Sequence[int | None]]
) -> LogSeries:
    logged = {each.name: each.values for each in log.series}
    filled: dict[str, LoggedSeries] = {}
    for path, variable in wanted.items():
        pairs = list(zip(logged.get(path, [None] * len(log.numbers)), found[path], strict=True))
        derived = bytes(old is None and new is not None for old, new in pairs)
        if any(derived):
            values = [new if old is None else old for old, new in pairs]
            filled[path] = LoggedSeries(path, variable, values, derived)
    return log.with_series(filled, interface)
