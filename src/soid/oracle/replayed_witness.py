"""From a finding's formula to the witness that is shown: settle a model of it, then replay it on the program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from soid.budget import Budget
from soid.engine.summary import PathSummary
from soid.errors import REPORT_QUESTION, InternalError
from soid.formula.build import FALSE, TRUE
from soid.formula.checker import Possibility
from soid.formula.term import Term
from soid.oracle.answer import Verdict
from soid.oracle.confirmation import Confirmation, confirm, witness_of
from soid.oracle.encoding import FactualMoment, concrete_path, truth_on
from soid.oracle.finding import Finding, WitnessGoal
from soid.oracle.inquiry import Inquiry
from soid.program.perception import resolved, with_acts
from soid.query.query import Query, QueryKind
from soid.scenario.family import Family
from soid.witness.settlement import SettledState, rounded, settle
from soid.witness.witness import Shows, Witness

#: the share of the witness budget that is left for one check: a check without an answer must not end the search
_ONE_CHECK: Final = 0.5


def replayed(
    finding: Finding, query: Query, family: Family, facts: FactualMoment, summary: PathSummary, asking: Inquiry
) -> Finding:
    """The finding with its witness, if it has a goal for one."""
    goal = finding.goal
    if goal is None:
        return finding
    deadline = asking.witness_deadline()

    def check(conjuncts: Sequence[Term], /) -> Possibility:
        left = deadline.seconds_left
        return asking.check_until(Budget(None if left is None else left * _ONE_CHECK).started())(conjuncts)

    def settled_in(conjuncts: Sequence[Term]) -> SettledState:
        varying, model = family.varying, goal.model
        return settle(conjuncts, varying, facts.inputs, model, check, deadline, summary.approximations)

    settled = settled_in(goal.conjuncts)
    is_nearest = settled.complete and not finding.partly
    if is_nearest and goal.doubt is not FALSE:  # no unexplored state may be nearer
        is_nearest = settled_in(goal.widened) == settled
    witness, confirmation = _run(settled.state, finding, goal, query, family, facts, summary, asking)
    apart: dict[str, int] = {}  # where the nearest one is another
    if settled.complete and query.kind is not QueryKind.DID:
        state = rounded(
            goal.conjuncts,
            family.varying,
            facts.inputs,
            settled.state,
            check,
            deadline,
            summary.approximations,
            kept=family.assumed,
        )
        apart = {path: bits for path, bits in settled.state.items() if bits != state[path]}
        if apart:
            witness, confirmation = _run(state, finding, goal, query, family, facts, summary, asking)
    nearest = {} if goal.shows is Shows.MEMBER else apart  # of a proof any one will do
    witness = replace(witness, settled=is_nearest, nearest=nearest)
    relies_on = confirmation.relies_on("the scenario shown")
    return replace(finding, witness=witness, relies_on=(*finding.relies_on, *relies_on))


def _run(
    settled: Mapping[str, int],
    finding: Finding,
    goal: WitnessGoal,
    query: Query,
    family: Family,
    facts: FactualMoment,
    summary: PathSummary,
    asking: Inquiry,
) -> tuple[Witness, Confirmation]:
    """A state of the goal as a witness, replayed."""
    state = {**family.given, **settled}
    run = summary.run({variable.symbol: state[variable.path] for variable in family.varying})
    concrete = concrete_path(run.path.name, run.path.ending, (*run.earlier, run.outputs), facts.interface, run.between)
    truth = truth_on(concrete, query.behavior, replace(facts, fixed=state), query.period)
    occurs = truth.true is TRUE
    if goal.shows is Shows.MEMBER and any(run.kept) and finding.verdict is Verdict.YES:
        occurs = truth.false is not TRUE  # of a label that is not known it may be proved that it is one of several
    _confirm(finding, query.kind, family, state, occurs)
    inputs = {variable.path: state[variable.path] for variable in family.interface.inputs}
    steps, environments = query.period.count, resolved(facts.environments, inputs, concrete.earlier)
    first = with_acts(facts.acts, inputs)
    confirmation = confirm(run, first, family.interface, asking, steps=steps, environments=environments)
    assumed = tuple(variable.path for variable in family.undetermined)
    witness = witness_of(
        run,
        goal.shows,
        family.interface,
        {**facts.inputs, **{path: inputs[path] for path in assumed}},  # as it was, whatever that was
        inputs,
        confirmation.replayed,
        recorded=family.recorded,
        unlogged=family.assumed.difference(assumed),
        assumed=assumed,
    )
    return witness, confirmation


def _confirm(finding: Finding, kind: QueryKind, family: Family, state: Mapping[str, int], occurs: bool) -> None:
    """Raise an internal error if the witness does not show what the finding says."""
    # the witness of a yes is an example or a member of a proved family: the behavior occurs there; for a no it does not
    expected = finding.verdict is Verdict.YES
    if not family.contains(state, punctured=kind is not QueryKind.DID) or occurs is not expected:
        raise InternalError(f"the witness found for '{kind.value}' does not replay: {state}", REPORT_QUESTION)
