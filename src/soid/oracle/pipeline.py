"""The oracle: a question in, an Answer out. This module alone defines the order of the stages.

fact      what does the program do on the logged inputs, and is that what the log says?
          for an `until`: when would what is supposed have ended in fact?
rounding  if the log is rounded, or something is not known: the same for all states that the log allows
family    is there any scenario to ask about? (if not: which suppositions conflict)
          in a sweep: does a proof that other moments share settle it?
explore   every path that some scenario takes
solve     is there a scenario that settles the question? is there an unexplored one?
          if one settles it: is what it shows so in all of them?
run       if neither is known after a short time: single scenarios one by one, all of them if they are few;
          if they do not settle it, explore and solve again with the time that is left
steps     if it is still open, step by step: for how many of the first steps is it settled?
run       more single scenarios, if the steps are too many to be explored
pave      and box by box: for which share of the scenarios is it settled?
witness   the scenario as near to the fact as possible, replayed
rounding  again, for a definite answer: is it the same for the other values that are logged so?
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, assert_never

from msgspec.structs import replace

from soid.assumptions import STANDING, Assumption, Ledger
from soid.engine.summary import ConcreteRun, PathSummary
from soid.formula.build import TRUE
from soid.formula.term import Term
from soid.oracle.answer import Answer, Verdict, freed_by
from soid.oracle.assumed_inputs import Dependence, Everywhere
from soid.oracle.encoding import Encoding, FactualMoment, encode
from soid.oracle.fact import Fact, examined, judge, without_fact
from soid.oracle.factual_lapse import lapses
from soid.oracle.finding import NO_TIME, Finding, WitnessGoal, might, would
from soid.oracle.inquiry import Context, Inquiry
from soid.oracle.log_check import LoggedSteps
from soid.oracle.log_record import taken_from_log
from soid.oracle.next_step import NextStep
from soid.oracle.possible_facts import PossibleFacts
from soid.oracle.reason import ReasonCode, VerdictReason
from soid.oracle.replayed_witness import replayed
from soid.oracle.resumption import OpenQuestion, resumed
from soid.oracle.rounded_log import judge_around, reconsidered, standing_for
from soid.oracle.throughout import throughout
from soid.oracle.two_lives import lived
from soid.oracle.vacuity import inhabited
from soid.oracle.world_fit import within_tolerance
from soid.program.perception import NO_ACTS, Perceived
from soid.query.behavior import Behavior
from soid.query.language.query_printer import to_text
from soid.query.query import CheckedQuery, Query, QueryKind
from soid.query.remarks import no_numbers, remarks
from soid.query.steps import Steps
from soid.scenario.course import Course
from soid.scenario.family import Family
from soid.scenario.future import Future, usual_future
from soid.scenario.input_names import all_called
from soid.scenario.rounded_course import fitting_course, rounded_course
from soid.scenario.trace import Keyframe
from soid.witness.witness import Shows

#: seconds for looking at all values that are logged as the fact is, and what part of the time that is left they may be
_ROUNDING: Final = 1.0
_ROUNDING_SHARE: Final = 0.25
#: values of all steps that may vary then: more of them take longer than that before the first is looked at
_ROUNDED_VALUES: Final = 400

#: the part of the time that is left for more single scenarios of a loop that is too long to be explored
_SEARCH_SHARE: Final = 0.5


def answer(checked: CheckedQuery, keyframe: Keyframe, context: Context) -> Answer:
    """The answer to one question about one moment."""
    about = keyframe
    if checked.query.lives is not None:
        keyframe, context = lived(checked.query.lives, keyframe, context)
    query, interface, asking = checked.query.going(usual_future(checked.interface)), checked.interface, Inquiry(context)
    with asking.stage("fact"):
        going_on = query.course(keyframe)
        log = LoggedSteps(keyframe, going_on.following if query.future is Future.AS_LOGGED else ())
        steps = 1 + len(log.following)

        def fact_of(log: LoggedSteps) -> Fact:
            inputs, how = log.keyframe.inputs, (log.environments, log.compared)
            found = partial(explore, inputs, TRUE, query.behavior, asking, steps, *how)
            return examined(log, query.behavior.observed | log.compared, interface, asking, found)

        fact = fact_of(log)

    def run_on(environments: tuple[Perceived, ...], observed: frozenset[str]) -> ConcreteRun:
        with asking.stage("fact"):
            found = explore(keyframe.inputs, TRUE, query.behavior, asking, going_on.count, environments, observed)
        return found.run({})

    facts = PossibleFacts.of(log)
    if facts is not None and (fact.mismatch or query.kind is QueryKind.DID):
        with asking.stage("rounding"):
            where = facts.family.given, facts.precondition
            near = explore(*where, query.behavior, asking, steps, facts.course.environments, log.compared)
            asking.refine(near)
            if fact.mismatch and (fits := facts.fitted_log(near, asking)) is not None:
                log, keyframe, going_on = fits, fits.keyframe, query.course(fits.keyframe)
                fact, facts = fact_of(log), PossibleFacts.of(log) or facts
            fact = reconsidered(fact, facts, near, asking) if fact.mismatch else fact
    lasted: Mapping[str, int] = {}
    if (withheld := fact.withheld) is not None and not context.settings.accept_log_mismatch:
        finding, family = withheld, None
    elif unknown := without_fact(fact, query, keyframe):
        finding, family = unknown, None
    elif query.kind is QueryKind.DID:
        finding, family = judge(fact, query, interface), None
        if facts is not None:
            family = facts.family
            with asking.stage("rounding"):
                finding = judge_around(finding, fact, query, facts, near, asking)
    elif isinstance(ended := lapses(going_on, run_on, asking.check), str):
        finding, family = Finding(Verdict.UNKNOWN, VerdictReason(ReasonCode.UNTIL_OPEN, (ended,))), None
    else:
        lasted, going_on = ended, going_on.lasting_as(ended)
        family = going_on.family(pinning=asking.mechanisms.pinning)
        asking.settled_by["pinning"] += len(family.given) - len(family.fixed)
        finding = counterfactual(query, family, going_on, fact, asking)
        finding = replace(finding, relies_on=(*standing_for(log, fact, query), *finding.relies_on))
        if finding.verdict.is_definite:
            with asking.stage("rounding"):
                finding = _unless_rounding_matters(finding, query, going_on, log, facts, fact, asking)
    rests_on = (finding.summary or (PathSummary(()) if family else fact.summary)).relies_on
    finding = within_tolerance(finding, rests_on, context.engine, keyframe.trace)
    return replace(_assemble(query, keyframe, fact, family, finding, asking, lasted), keyframe=about)


def _unless_rounding_matters(
    finding: Finding,
    query: Query,
    going_on: Course,
    log: LoggedSteps,
    facts: PossibleFacts | None,
    fact: Fact,
    asking: Inquiry,
) -> Finding:
    """The finding for the logged values; unknown if it is another one for values that are logged as these are.

    If the time for it does not suffice, the finding stands: it says that the logged values stand for the fact. So it
    does where the behavior speaks of the fact, which would be another one for each value.
    """
    wide = None if facts is None or query.behavior.facts else rounded_course(going_on, log.keyframe)
    if wide is None or facts is None or len(wide.assumed) > _ROUNDED_VALUES:
        return finding
    around = wide.family(pinning=asking.mechanisms.pinning)
    moment = FactualMoment(wide.interface, around.fact, fact.outputs, around.given, wide.environments, wide.acts)
    if (known := _shared(query, around, moment, asking)) is not None and known.verdict is finding.verdict:
        return finding
    settings, left = asking.context.settings, asking.deadline.seconds_left
    brief = replace(settings, seconds=_ROUNDING if left is None else min(_ROUNDING, left * _ROUNDING_SHARE))
    brief = replace(brief, recipe=brief.recipe.without("paving", "runs", "settling"))  # no scenario of it is shown
    inner = Inquiry(replace(asking.context, settings=brief, unfinished=None, replayer=None))
    again = counterfactual(query, around, wide, fact, inner)
    if again.verdict is finding.verdict and (again.throughout is not None or finding.throughout is None):
        return finding  # so it is for those of these values that give what is logged
    where, steps = (facts.family.given, facts.precondition), 1 + len(log.following)
    near = explore(*where, query.behavior, inner, steps, facts.course.environments, log.compared)
    if not near.approximations and not fact.mismatch:
        wide = fitting_course(wide, facts.consistent(near))
        again = counterfactual(query, wide.family(pinning=asking.mechanisms.pinning), wide, fact, inner)
    if again.why.code is ReasonCode.DEPENDS:
        names, change = again.why.told
        told = f"it depends on digits of {names} that are not logged{change}"
    elif again.verdict.is_definite and again.verdict is not finding.verdict:
        told = "it is otherwise on all values that round to the logged ones and give what is logged"
    else:
        return finding if again.throughout is not None else replace(finding, throughout=None)
    why = VerdictReason(ReasonCode.LOG_ROUNDED, (told,))
    return Finding(Verdict.UNKNOWN, why, summary=finding.summary, relies_on=finding.relies_on)


def counterfactual(query: Query, family: Family, going_on: Course, fact: Fact, asking: Inquiry) -> Finding:
    """`would` and `might`, stage by stage; each stage may settle the question."""
    with asking.stage("family"):
        someone = inhabited(family, asking)
    if isinstance(someone, Finding):
        return someone
    within = family.scenarios
    surroundings = going_on.environments, going_on.acts
    facts = FactualMoment(family.interface, family.fact, fact.outputs, family.given, *surroundings)
    asking.left = {variable.symbol: family.fact[variable.path] for variable in family.undetermined}

    def look(where: Term, inner: Inquiry) -> tuple[PathSummary, Encoding]:
        found = _paths(query, family, facts, where, inner)
        return found, encode(found, query.behavior, facts, query.period)

    def decided(summary: PathSummary, encoding: Encoding) -> Finding:
        with asking.stage("solve"):
            return (would if query.kind is QueryKind.WOULD else might)(within, encoding, summary, asking)

    def explored() -> tuple[PathSummary, Encoding]:
        with asking.stage("explore"):
            found = look(within[0], asking)
        asking.refine(found[0])
        return found

    if not family.assumed and (known := _shared(query, family, facts, asking)) is not None:
        return known
    question = OpenQuestion(query, family, facts, asking)
    former = question.former
    if former is not None:
        finding, summary, encoding = resumed(former, query, family, facts, look, decided, asking)
    else:
        finding, summary, encoding = _first_attempts(query, family, facts, someone.model, explored, decided, asking)
    if finding.verdict is Verdict.UNKNOWN:
        begun = former.steps if former is not None else 0
        finding = _over_steps(finding, query, family, facts, someone.model, (summary, encoding), asking, begun)
    if finding.verdict is Verdict.UNKNOWN:
        from soid.oracle.open_share import pave  # seldom needed, and it loads what starts processes

        with asking.stage("pave"):
            opened = former.open if former is not None else None
            finding = pave(finding, query.kind, family, within, encoding, look, asking, opened)
    finding = question.kept(finding, former)
    with asking.stage("solve"):
        judged = Everywhere(family, within, encoding, asking, summary).judged(finding)
        alike = None
        if not isinstance(judged, Dependence):
            alike = judged.throughout
            # if paths were kept from before, a box that was settled then may be on none of them
            if former is None or former.explored is None:
                alike = throughout(judged, query.kind, family, encoding, summary, asking)
    with asking.stage("witness"):
        if isinstance(judged, Dependence):
            return _depending(judged, query, going_on, family, facts, summary, asking)
        finding = replace(judged, throughout=alike)
        if finding.open_at is not None:
            from soid.oracle.last_bits import both_sides  # seldom needed

            finding = both_sides(finding, query, family, facts, finding.summary or summary, asking)
        if finding.verdict.is_definite and finding.goal is None:
            # a proof is shown with one scenario of its family, as evidence that the family is not empty
            finding = replace(finding, goal=WitnessGoal(Shows.MEMBER, tuple(within), someone.model))
        finding = replayed(finding, query, family, facts, finding.summary or summary, asking)
    later = (*supposed_of_later(query.period, going_on), *lasting(query, family, going_on), *acted(family))
    before = former.beside((finding.summary or summary).relies_on) if former is not None else ()
    return replace(finding, relies_on=(*later, *finding.relies_on, *before))


def _paths(query: Query, family: Family, facts: FactualMoment, where: Term, asking: Inquiry) -> PathSummary:
    """The program's paths in a family: of those that moments share, or explored."""
    shared = asking.context.shared
    if shared is not None and (known := shared.paths(query, family, facts, asking)) is not None:
        return known
    around = query.period.count, facts.environments
    return explore(family.given, where, query.behavior, asking, *around, acts=facts.acts)


def _shared(query: Query, family: Family, facts: FactualMoment, asking: Inquiry) -> Finding | None:
    """The finding, if a proof about several moments is about this family too."""
    if (shared := asking.context.shared) is None:
        return None

    def over(fixed: Mapping[str, int], where: Term, query: Query, inner: Inquiry) -> PathSummary:
        return explore(fixed, where, query.behavior, inner)

    with asking.stage("explore"):
        return shared.finding(query, family, facts, asking, over)


def _first_attempts(
    query: Query,
    family: Family,
    facts: FactualMoment,
    start: Mapping[Term, Any],
    explored: Callable[[], tuple[PathSummary, Encoding]],
    decided: Callable[[PathSummary, Encoding], Finding],
    asking: Inquiry,
) -> tuple[Finding, PathSummary, Encoding]:
    """The family as a whole: a short attempt, then single scenarios, then with the time that is left."""
    with asking.briefly(query.period.count):
        summary, encoding = explored()
        cut_short = asking.is_brief and asking.direct.is_over
        finding = Finding(Verdict.UNKNOWN, NO_TIME) if cut_short else decided(summary, encoding)
    if finding.verdict is Verdict.UNKNOWN and asking.mechanisms.runs:
        from soid.oracle.member_runs import run_members  # seldom needed

        with asking.stage("run"):
            found = run_members(query, family, facts, start, (summary, encoding), asking)
        if found is None and cut_short:
            summary, encoding = explored()
        if found is None and finding.why.out_of_time:
            found = decided(summary, encoding)
        finding = found or finding
    return finding, summary, encoding


def _over_steps(
    finding: Finding,
    query: Query,
    family: Family,
    facts: FactualMoment,
    start: Mapping[Term, Any],
    explored: tuple[PathSummary, Encoding],
    asking: Inquiry,
    begun: int,
) -> Finding:
    """An open question over several steps: its first steps, then more scenarios, if the loop is too long."""
    from soid.oracle.first_steps import settle_first_steps  # seldom needed
    from soid.oracle.member_runs import run_members

    if query.period.count == 1:
        return finding
    with asking.stage("steps"):
        finding = settle_first_steps(finding, query, family, facts, explored, asking, begun)
    if finding.verdict is Verdict.UNKNOWN and finding.why.out_of_time and asking.mechanisms.runs:
        with asking.stage("run"), asking.within(_SEARCH_SHARE):
            finding = run_members(query, family, facts, start, explored, asking, more=True) or finding
    return finding


def lasting(query: Query, family: Family, going_on: Course) -> tuple[Assumption, ...]:
    """The assumption of a question in which something varies in several steps together; of what is held it is said."""
    held, lasts = query.future is Future.HELD, going_on.lasting
    paths = [v.path for v in family.varying if v.path in lasts and not (held and "@" not in v.path)]
    return (Ledger.LASTING.of(", ".join(all_called(paths))),) if paths else ()


def acted(family: Family) -> tuple[Assumption, ...]:
    """The assumption of a question in which something else is done than what was decided."""
    decisions = (path for path in family.supposed if not family.interface.variable(path.partition("@")[0]).is_input)
    told = ", ".join(all_called(decisions))
    return (Ledger.ACTED.of(told),) if told else ()


def supposed_of_later(period: Steps, going_on: Course | None = None) -> tuple[Assumption, ...]:
    """The assumption of a counterfactual question over several steps: how the environment goes on."""
    if period.count == 1:
        return ()
    match period.future or Future.HELD:
        case Future.AS_LOGGED:
            return (Ledger.UNREACTIVE.of(),)
        case Future.HELD:
            return (Ledger.STEADY.of(period.count),)
        case Future.ANYTHING:
            return ()  # its domains are named as those of all that varies
        case Future.CLOSED_LOOP:
            assert going_on is not None
            beside = going_on.beside_the_world
            how = Ledger.BESIDE_WORLD_LOGGED if going_on.following else Ledger.BESIDE_WORLD_HELD
            return (how.of(", ".join(beside)),) if beside else ()
        case _ as unreachable:
            assert_never(unreachable)


def _depending(
    found: Dependence,
    query: Query,
    going_on: Course,
    family: Family,
    facts: FactualMoment,
    summary: PathSummary,
    asking: Inquiry,
) -> Finding:
    """Unknown, shown by two scenarios: the question has another answer for each."""
    one, other = (
        replayed(finding, query, family, facts, finding.summary or summary, asking)
        for finding in (found.settled, found.otherwise)
    )
    relies_on = (*supposed_of_later(query.period, going_on), *one.relies_on, *other.relies_on)
    return Finding(
        Verdict.UNKNOWN,
        found.why,
        witness=one.witness,
        contrast=other.witness,
        summary=one.summary,
        relies_on=relies_on,
    )


def explore(
    fixed: Mapping[str, int],
    precondition: Term,
    behavior: Behavior,
    asking: Inquiry,
    steps: int = 1,
    environments: tuple[Perceived, ...] = (),
    compared: frozenset[str] = frozenset(),
    acts: Perceived = NO_ACTS,
) -> PathSummary:
    """The program's paths under a precondition, observing what a behavior mentions and what a log is compared with."""
    observed = behavior.observed | compared
    exploration = asking.exploration(fixed, precondition, asking.direct, observed, steps, environments, acts)
    kept = asking.context.summaries if asking.mechanisms.summaries else None
    if not asking.context.engine.keeps(exploration):
        kept = None
    summary = kept.find(exploration) if kept is not None else None
    if summary is None:
        summary = asking.context.engine.explore(exploration)
        if kept is not None:
            kept.keep(exploration, summary)
    asking.settled_by.update(summary.settled_by)
    return summary


def _assemble(
    query: Query,
    keyframe: Keyframe,
    fact: Fact,
    family: Family | None,
    finding: Finding,
    asking: Inquiry,
    lasted: Mapping[str, int],
) -> Answer:
    summary = finding.summary or (PathSummary(()) if family else fact.summary)  # an empty family takes no path
    settings = asking.context.settings
    differs = fact.mismatch if settings.accept_log_mismatch else ""
    limited = family.limited if family else []
    steps: tuple[NextStep, ...] = ()
    if finding.verdict is Verdict.UNKNOWN:
        from soid.oracle.proposed_steps import proposed  # seldom needed

        steps = proposed(finding, query, keyframe, settings)
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
        throughout=finding.throughout if finding.verdict.is_definite else None,
        settled=finding.settled,
        settled_steps=finding.settled_steps,
        fact=fact.outputs,
        fact_ends=fact.ends,
        freed=freed_by(family) if family else (),
        suppositions=tuple(conjunct.label for conjunct in family.conjuncts) if family else (),
        remarks=(
            *remarks(query, keyframe.interface),
            *no_numbers(query, keyframe.interface, {**keyframe.inputs, **fact.outputs}),
        ),
        relies_on=(
            *accepted,
            *taken_from_log(keyframe),
            *fact.relies_on,
            *finding.relies_on,
            *domains,
            *summary.relies_on,
            *STANDING,
        ),
        paths=summary.counts() if asking.context.engine.has_ways else {},
        solver={"calls": asking.calls, "recipe": str(settings.recipe)},
        settled_by=asking.settled(),
        seconds=asking.taken,
        supplied=keyframe.supplied,
        everywhere=finding.everywhere,
        lasted=lasted,
        tried=len(asking.tried) if finding.verdict is Verdict.UNKNOWN else 0,
        resumable=finding.can_resume,
        before=finding.before,
        next_steps=steps,
    )
