"""The oracle: a question in, an Answer out. This module alone defines the order of the stages.

fact      what does the program do on the logged inputs, and is that what the log says?
rounding  if the log is rounded: the same for all states that round to the logged one
family    is there any scenario to ask about? (if not: which suppositions conflict)
explore   every path that some scenario takes
solve     is there a scenario that settles the question? is there an unexplored one?
run       if neither is known after a short time: single scenarios one by one, all of them if they are few;
          if they do not settle it, explore and solve again with the time that is left
pave      if it is still open, box by box: for which share of the scenarios is it settled?
witness   the scenario as near to the fact as possible, replayed
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from soid.assumptions import STANDING, Assumption, Ledger
from soid.engine.summary import PathSummary
from soid.formula.build import TRUE
from soid.formula.term import Term
from soid.oracle.answer import Answer, Verdict, freed_by
from soid.oracle.encoding import Encoding, FactualMoment, encode
from soid.oracle.fact import Fact, examine, judge, without_fact
from soid.oracle.finding import NO_TIME, Finding, WitnessGoal, might, would
from soid.oracle.inquiry import Context, Inquiry
from soid.oracle.log_check import LoggedSteps
from soid.oracle.log_record import taken_from_log
from soid.oracle.replayed_witness import replayed
from soid.oracle.rounded_log import around, judge_around, reconsidered, standing_for
from soid.oracle.vacuity import inhabited
from soid.query.behavior import Behavior
from soid.query.language.query_printer import to_text
from soid.query.query import CheckedQuery, Query, QueryKind
from soid.scenario.family import Family
from soid.scenario.trace import Keyframe
from soid.witness.witness import Shows


def answer(checked: CheckedQuery, keyframe: Keyframe, context: Context) -> Answer:
    """The answer to one question about one moment."""
    query, interface, asking = checked.query, checked.interface, Inquiry(context)
    with asking.stage("fact"):
        steps = query.period.count if query.kind is QueryKind.DID else 1
        log = LoggedSteps(keyframe, keyframe.following(steps - 1))
        exploration = explore(keyframe.inputs, TRUE, query.behavior, asking, steps, log.environments, log.compared)
        fact = examine(log, exploration, interface, asking)
    rounding = around(keyframe)
    if rounding is not None and (fact.mismatch or query.kind is QueryKind.DID):
        with asking.stage("rounding"):
            where = rounding.given, rounding.scenarios[0]
            near = explore(*where, query.behavior, asking, steps, log.environments, log.compared)
            asking.refine(near)
            fact = reconsidered(fact, log, rounding, near, asking) if fact.mismatch else fact
    if (withheld := fact.withheld) is not None and not context.settings.accept_log_mismatch:
        finding, family = withheld, None
    elif unknown := without_fact(fact, query.behavior, interface):
        finding, family = unknown, None
    elif query.kind is QueryKind.DID:
        finding, family = judge(fact, query, interface), rounding
        if rounding is not None:
            with asking.stage("rounding"):
                finding = judge_around(finding, fact, query, log, rounding, near, asking)
    else:
        family = Family(interface, keyframe.inputs, query.suppositions, asking.mechanisms.pinning, keyframe.rounded)
        asking.settled_by["pinning"] += len(family.given) - len(family.fixed)
        finding = counterfactual(query, family, fact, asking)
        finding = replace(finding, relies_on=(*standing_for(keyframe, fact, query), *finding.relies_on))
    return _assemble(query, keyframe, fact, family, finding, asking)


def counterfactual(query: Query, family: Family, fact: Fact, asking: Inquiry) -> Finding:
    """`would` and `might`, stage by stage; each stage may settle the question."""
    with asking.stage("family"):
        someone = inhabited(family, asking)
    if isinstance(someone, Finding):
        return someone
    within = family.scenarios
    facts = FactualMoment(family.interface, fact.inputs, fact.outputs, family.given)

    def look(where: Term, inner: Inquiry) -> tuple[PathSummary, Encoding]:
        found = explore(family.given, where, query.behavior, inner, query.period.count)
        return found, encode(found, query.behavior, facts, query.period)

    def decided(summary: PathSummary, encoding: Encoding) -> Finding:
        with asking.stage("solve"):
            return (would if query.kind is QueryKind.WOULD else might)(within, encoding, summary, asking)

    def explored() -> tuple[PathSummary, Encoding]:
        with asking.stage("explore"):
            found = look(within[0], asking)
        asking.refine(found[0])
        return found

    with asking.briefly():
        summary, encoding = explored()
        cut_short = asking.is_brief and asking.direct.is_over
        finding = Finding(Verdict.UNKNOWN, NO_TIME) if cut_short else decided(summary, encoding)
    if finding.verdict is Verdict.UNKNOWN and asking.mechanisms.runs:
        from soid.oracle.member_runs import run_members  # seldom needed

        with asking.stage("run"):
            found = run_members(query, family, facts, someone.model, (summary, encoding), asking)
        if found is None and cut_short:
            summary, encoding = explored()
        if found is None and finding.why.out_of_time:
            found = decided(summary, encoding)
        finding = found or finding
    if finding.verdict is Verdict.UNKNOWN:
        from soid.oracle.open_share import pave  # seldom needed, and it loads what starts processes

        with asking.stage("pave"):
            finding = pave(finding, query.kind, family, within, encoding, look, asking)
    with asking.stage("witness"):
        if finding.verdict.is_definite and finding.goal is None:
            # a proof is shown with one scenario of its family, as evidence that the family is not empty
            finding = replace(finding, goal=WitnessGoal(Shows.MEMBER, tuple(within), someone.model))
        finding = replayed(finding, query, family, facts, finding.summary or summary, asking)
    return replace(finding, relies_on=(*held(query.period.count), *finding.relies_on))


def held(count: int) -> tuple[Assumption, ...]:
    """The assumption of a question over several steps that have no log."""
    return (Ledger.STEADY.of(count),) if count > 1 else ()


def explore(
    fixed: Mapping[str, int],
    precondition: Term,
    behavior: Behavior,
    asking: Inquiry,
    steps: int = 1,
    environments: tuple[Mapping[str, int], ...] = (),
    compared: frozenset[str] = frozenset(),
) -> PathSummary:
    """The program's paths under a precondition, observing what a behavior mentions and what a log is compared with."""
    observed = behavior.names | compared
    exploration = asking.exploration(fixed, precondition, asking.direct, observed, steps, environments)
    kept = asking.context.summaries if asking.mechanisms.summaries else None
    summary = kept.find(exploration) if kept is not None else None
    if summary is None:
        summary = asking.context.engine.explore(exploration)
        if kept is not None:
            kept.keep(exploration, summary)
    asking.settled_by.update(summary.settled_by)
    return summary


def _assemble(
    query: Query, keyframe: Keyframe, fact: Fact, family: Family | None, finding: Finding, asking: Inquiry
) -> Answer:
    summary = finding.summary or (PathSummary(()) if family else fact.summary)  # an empty family takes no path
    settings = asking.context.settings
    differs = fact.mismatch if settings.accept_log_mismatch else ""
    limited = family.limited if family else []
    domains = (Ledger.DOMAIN.of("; ".join(limited)),) if limited else ()
    accepted = (Ledger.ACCEPTED.of(differs),) if differs else ()
    return Answer(
        query=query,
        text=to_text(query),
        step=keyframe.step,
        verdict=finding.verdict,
        why=finding.why,
        witness=finding.witness,
        contrast=finding.contrast,
        instead=finding.instead,
        settled=finding.settled,
        fact=fact.outputs,
        freed=freed_by(family, keyframe.interface) if family else (),
        suppositions=tuple(conjunct.label for conjunct in family.conjuncts) if family else (),
        relies_on=(
            *accepted,
            *taken_from_log(keyframe),
            *fact.relies_on,
            *finding.relies_on,
            *domains,
            *summary.relies_on,
            *STANDING,
        ),
        paths=summary.counts(),
        solver={"calls": asking.calls, "recipe": str(settings.recipe)},
        settled_by=asking.settled(),
        seconds=asking.taken,
    )
