"""From the program, the log and a question to the obligations of an answer, by a new exploration.

The oracle's pipeline takes no part in this. The record provides only the claim: the question, the verdict and the
scenario.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.budget import Budget, Cancellation
from soid.documents import json_of
from soid.engine.concrete_runs import ConcreteRuns
from soid.engine.learned.model import LearnedModel
from soid.engine.protocol import Engine, Exploration
from soid.engine.refinement import RefiningChecker
from soid.engine.replay import Replayer
from soid.engine.summary import Approximation, ConcreteRun, Path, PathSummary, Unexplored
from soid.errors import BundleError
from soid.evidence import obligations
from soid.evidence.covers import MOST_BOXES, CoverDocument, FormConditions, read_cover
from soid.evidence.learned.number_facts import facts_of
from soid.evidence.obligations import Obligation
from soid.formula import build
from soid.formula.build import TRUE
from soid.formula.checker import Checker, Impossible, Open, Possibility, Possible
from soid.formula.term import Term
from soid.oracle.answer import Verdict
from soid.oracle.encoding import FactualMoment, concrete_path
from soid.oracle.factual_lapse import lapses
from soid.oracle.inquiry import OPEN_RANGES, box_functions
from soid.oracle.log_check import LoggedSteps, decided, fact_ends
from soid.oracle.possible_facts import PossibleFacts
from soid.oracle.world_fit import world_off
from soid.program.perception import NO_ACTS, Perceived, resolved, with_acts
from soid.program.program import Program
from soid.query.query import Query, QueryKind, check_suppositions
from soid.query.steps import Steps
from soid.release import version
from soid.scenario.course import Course
from soid.scenario.family import Family
from soid.scenario.future import Future
from soid.scenario.trace import Keyframe
from soid.solver.box_splitter import BY_BOXES, Cover, decided_by_boxes
from soid.solver.monotone_lemmas import abstracted, lemmas
from soid.solver.protocol import Sat, Solver, Unknown, Unsat
from soid.solver.state_enumeration import FEW, all_states
from soid.witness.witness import Ends

_BRIEFLY: Final = 2.0  # seconds in which solvers may answer what boxes would show
_AGAIN: Final = 5.0  # seconds for a second search with what the first has proved
REFINEMENTS: Final = 64  # how often a formula with an approximated function is checked again, as in the oracle


@final
class ExaminedMoment(Struct, frozen=True):
    """A program at one moment of its log, with its engine and its replayer."""

    program: Program
    engine: Engine
    replayer: Replayer | None
    keyframe: Keyframe

    def query(self, query: Query) -> Query:
        """The question with its number of steps, which the manifest may define."""
        return query if query.steps is not None else replace(query, steps=Steps.after(self.program.source.steps))


@final
class RecordedClaim(Struct, frozen=True):
    """The part of a recorded answer that must be shown."""

    query: Query
    verdict: Verdict
    inputs: Mapping[str, int]  # bits of every input in the scenario shown
    window: int | None = None  # loop iterations and calls that the program has for a decision
    by_runs: bool = False  # runs on single scenarios settled it
    everywhere: tuple[Mapping[str, int], ...] = ()  # scenarios that settle it together for every unknown value
    throughout: bool = False  # what the scenario shows is so in all of them

    @property
    def of_all(self) -> Query | None:
        """The question whose proof over the whole family must be shown: the one that was asked, or its sibling."""
        would, might = (replace(self.query, kind=kind) for kind in (QueryKind.WOULD, QueryKind.MIGHT))
        proved = would if self.verdict is Verdict.YES else might  # the other one is shown by one scenario
        return proved if self.query.kind is proved.kind or self.throughout else None


@final
class Means(Struct, frozen=True):
    """The solver and the limits of a derivation."""

    solver: Solver
    seconds: float
    cancel: Cancellation
    covers: Mapping[str, Mapping[str, Any]] | None = None  # of a bundle that is verified, by file; None: one is made
    maker: str = version()  # the version of soid that made the record

    def check_with(self, summary: PathSummary) -> Checker:
        """A check of formulas that mention functions of the summary's paths: its models have their real results."""
        refining, functions = _refining(summary.approximations), box_functions(summary.approximations)

        def check(conjuncts: Sequence[Term], /) -> Possibility:
            if not any(one.enclosure.number is not None for one in refining.relevant(conjuncts)):
                return refining.checker(self.check)(conjuncts)
            match decided_by_boxes(conjuncts, functions, Budget(self.seconds).started(), self.cancel):
                case Sat(model):
                    return Possible(model)
                case Unsat():
                    return Impossible()
                case None:
                    return Open(OPEN_RANGES)

        return check

    def check(self, conjuncts: Sequence[Term], /) -> Possibility:
        result = self.solver.check(conjuncts, Budget(self.seconds), self.cancel)
        match result:
            case Sat(model):
                return Possible(model)
            case Unsat():
                return Impossible()
            case Unknown(reason, detail):
                return Open(f"{reason.value}: {detail}")


@final
class Derivation(Struct, frozen=True):
    """The obligations of an answer, and what the program does in the scenario."""

    obligations: tuple[Obligation, ...]
    run: ConcreteRun  # of the engine, on the scenario alone
    environments: tuple[Mapping[str, int], ...]  # from the second step on, if they change
    mismatch: str  # how log and program differ at the moment asked about
    differs: tuple[str, ...]  # inputs that the scenario changes and the question does not free
    fact: Mapping[str, int]  # bits of the factual decisions: as logged, else as computed
    fact_ends: Mapping[str, Ends]  # of those that are known between two ends only
    suppositions: tuple[str, ...]  # as parsed
    summary: PathSummary
    factual: ConcreteRun  # of the engine, on the logged inputs
    lasted: Mapping[str, int]  # steps that what is supposed `until` something would have had in fact
    first: Mapping[str, int]  # bits of the first step in the scenario, with what is done in the place of decisions

    @property
    def left_open(self) -> str:
        """The ending of an unexplored path; empty if everything was explored."""
        endings = [self.factual.path.ending, self.run.path.ending, *(path.ending for path in self.summary.paths)]
        return next((str(ending) for ending in endings if isinstance(ending, Unexplored)), "")


def derive(examined: ExaminedMoment, claim: RecordedClaim, means: Means) -> Derivation:
    """The obligations of one answer."""
    query, keyframe = claim.query, examined.keyframe
    query.behavior.check(keyframe.interface)
    check_suppositions(keyframe.interface, query.suppositions)
    steps, going_on = query.period.count, query.course(keyframe)
    log = LoggedSteps(keyframe, going_on.following if query.future is Future.AS_LOGGED else ())
    factual = explored(
        examined.engine, claim, means, log.environments, len(log.following) + 1, keyframe.inputs, compared=log.compared
    )
    explore = partial(explored, examined.engine, claim, means, going_on.environments, acts=going_on.acts)
    fact = factual.run({})
    outputs = decided(keyframe, outputs_by_step(fact)[0])
    ends = fact_ends(keyframe, fact)
    compared = log.compared if query.kind is QueryKind.DID else frozenset[str]()  # its run is the one that is compared
    run = explore(steps, claim.inputs, compared=compared).run({})
    taken = concrete_path(run.path.name, run.path.ending, (*run.earlier, run.outputs), going_on.interface, run.between)
    environments = resolved(going_on.environments, claim.inputs, taken.earlier) or ({},) * (steps - 1)
    facts = FactualMoment(
        going_on.interface, going_on.fact, outputs, claim.inputs, going_on.environments, going_on.acts
    )
    result = obligations.outcome(query, claim.verdict, facts, run)
    mismatch = "" if isinstance(fact.path.ending, Unexplored) else log.mismatch(fact)
    if mismatch and _fits_elsewhere(log, partial(explored, examined.engine, claim, means), means):
        mismatch = ""
    lasted = _lapses(examined, claim, means, going_on)
    going_on = going_on.lasting_as(lasted)
    family = going_on.family()
    if not family.freed:  # the answer is about the logged state alone
        found_there = (
            mismatch,
            _differing(keyframe.inputs, claim.inputs),
            outputs,
            ends,
            (),
            factual,
            fact,
            lasted,
            claim.inputs,
        )
        return Derivation((result,), run, environments, *found_there)
    punctured = query.kind is not QueryKind.DID
    proved = query if query.kind is QueryKind.DID else claim.of_all
    if claim.by_runs:
        exploration = exploring(claim, means, going_on.environments, steps, family.given, acts=going_on.acts)
        summary = _ran(examined.engine, exploration, family, None if proved is not None else claim.inputs)
    else:
        summary = explore(steps, family.given, family.scenarios[0])
    facts = replace(facts, interface=family.interface, fixed=family.given)
    found = [
        obligations.membership(family, claim.inputs, punctured=punctured),
        obligations.paths_formula(family, summary, claim.inputs, punctured=punctured),
    ]
    _check_world(examined, summary)
    if proved is not None:
        possible = PossibleFacts(log, going_on, family)
        fitting = _fitting(possible, summary, means) if query.kind is QueryKind.DID else TRUE
        proof = obligations.proof(proved, claim.verdict, family, summary, facts, fitting, punctured=punctured)
        if query.lives is not None:
            proof = [_without_arithmetic(one, means) for one in proof]
        found += [with_premises(one, means, examined.engine) for one in proof]
    if proved != query:
        found.append(obligations.shown(query, claim.verdict, family, summary, facts, claim.inputs))
        if family.assumed:
            everywhere = obligations.everywhere(query, claim.verdict, family, summary, facts, claim.everywhere)
            found.append(with_premises(everywhere, means, examined.engine))
    differs = _differing(family.fixed, claim.inputs)
    labels = tuple(conjunct.label for conjunct in family.conjuncts)
    given = outputs, ends, labels, summary, fact, lasted, with_acts(going_on.acts, claim.inputs)
    return Derivation((*found, result), run, environments, mismatch, differs, *given)


def _check_world(examined: ExaminedMoment, summary: PathSummary) -> None:
    """Refuse what rests on a world that does not reproduce the log as the manifest says."""
    off = world_off(summary.relies_on, examined.engine, examined.keyframe.trace)
    if off:
        raise BundleError(f"the world does not reproduce the log as the manifest says: {'; '.join(off)}")


def _lapses(examined: ExaminedMoment, claim: RecordedClaim, means: Means, going_on: Course) -> Mapping[str, int]:
    def run_on(environments: tuple[Perceived, ...], observed: frozenset[str]) -> ConcreteRun:
        inputs = examined.keyframe.inputs
        return explored(examined.engine, claim, means, environments, going_on.count, inputs, compared=observed).run({})

    found = lapses(going_on, run_on, means.check)
    if isinstance(found, str):
        raise BundleError(f"when `until` would have ended it in fact is not settled: {found}")
    return found


def _fits_elsewhere(log: LoggedSteps, explore: Callable[..., PathSummary], means: Means) -> bool:
    """Whether the program gives what is logged on other values than those that it was run on, which the log allows."""
    facts = PossibleFacts.of(log)
    if facts is None:
        return False
    where = facts.course.count, facts.family.given, facts.precondition
    summary = explore(facts.course.environments, *where, compared=log.compared)
    return isinstance(means.check_with(summary)([facts.precondition, facts.agreeing(summary)]), Possible)


def _fitting(facts: PossibleFacts, summary: PathSummary, means: Means) -> Term:
    """Which states give what is logged, if there are such: what gives something else is not the fact."""
    fitting = facts.consistent(summary)
    return fitting if isinstance(means.check_with(summary)([facts.precondition, fitting]), Possible) else TRUE


def explored(
    engine: Engine,
    claim: RecordedClaim,
    means: Means,
    environments: tuple[Perceived, ...],
    steps: int,
    fixed: Mapping[str, int],
    precondition: Term = TRUE,
    compared: frozenset[str] = frozenset(),
    acts: Perceived = NO_ACTS,
) -> PathSummary:
    exploration = exploring(claim, means, environments, steps, fixed, precondition, acts)
    return engine.explore(replace(exploration, observed=exploration.observed | compared))


def exploring(
    claim: RecordedClaim,
    means: Means,
    environments: tuple[Perceived, ...],
    steps: int,
    fixed: Mapping[str, int],
    precondition: Term = TRUE,
    acts: Perceived = NO_ACTS,
) -> Exploration:
    return Exploration(
        fixed,
        precondition,
        means.check,
        Budget(means.seconds).started(),
        means.cancel,
        observed=claim.query.behavior.observed,
        window=claim.window,
        steps=steps,
        environments=environments,
        acts=acts,
    )


def _ran(engine: Engine, exploration: Exploration, family: Family, scenario: Mapping[str, int] | None) -> PathSummary:
    """The program's runs as paths: on one scenario, the others unexplored; or on every scenario of the family."""
    runs = ConcreteRuns(engine, exploration, family.varying)
    if scenario is not None:
        path = runs.run(scenario)
        others = Path("others", build.not_(path.condition), Unexplored("not run"))
        return replace(runs.summary, paths=(path, others))
    states = all_states(family.scenarios, [variable.symbol for variable in family.varying], FEW)
    if states is None:
        raise BundleError(f"the family may have more than {FEW:,} scenarios, so that they cannot all have been run")
    for state in states:
        runs.run({variable.path: int(state[variable.symbol]) for variable in family.varying})
    return runs.summary


def _differing(fixed: Mapping[str, int], inputs: Mapping[str, int]) -> tuple[str, ...]:
    return tuple(path for path, bits in fixed.items() if inputs[path] != bits)


def outputs_by_step(run: ConcreteRun) -> list[dict[str, int]]:
    return [{name: int(value) for name, value in step.items()} for step in (*run.earlier, run.outputs)]


def with_premises(obligation: Obligation, means: Means, engine: Engine) -> Obligation:
    """An unsatisfiable formula, with what makes it so: boxes, or facts about approximated functions."""
    obligation = _by_forms(obligation, means)
    if not obligation.numbers or obligation.by_forms:
        return obligation
    asked: list[Sequence[Term]] = []

    def check(conjuncts: Sequence[Term], /) -> Possibility:
        asked.append(conjuncts)
        return means.check(conjuncts)

    refining = _refining(obligation.numbers)
    if all(one.enclosure.number is not None for one in obligation.numbers):
        return _with_bounds(obligation, means, engine) if refining.relevant(obligation.terms) else obligation
    answer = refining.checker(check)(obligation.terms)
    if isinstance(answer, Possible):
        return obligation  # satisfiable with the library's real results: any solver will say so
    if isinstance(answer, Open):
        raise BundleError(f"whether {obligation.proves} is not settled: {answer.reason}")
    premises = "; the first assertions are what is known of library functions, whatever their arguments"
    known = len(asked[-1]) - len(obligation.terms)
    return replace(obligation, terms=tuple(asked[-1]), proves=obligation.proves + premises, premises=known)


def _by_forms(obligation: Obligation, means: Means) -> Obligation:
    """A formula that boxes by affine forms show, where solvers do not at once: with its cover."""
    if any(one.enclosure.number is not None for one in obligation.numbers):
        return obligation
    if means.covers is not None:
        given = means.covers.get(obligation.cover_file, {})
        cover = given if given.get("forms") is True else None
    else:
        cover = _cover_by_forms(obligation, means)
    if cover is None:
        return obligation
    functions = tuple(_refining(obligation.numbers).relevant(obligation.terms))
    told = f"; no solver was asked: {obligation.cover_file} has boxes in each of which affine forms show it"
    told += ", with what is known of library functions, which is not in the formula" if functions else ""
    return replace(obligation, proves=obligation.proves + told, cover=cover, numbers=functions, by_forms=True)


def _cover_by_forms(obligation: Obligation, means: Means) -> Mapping[str, Any] | None:
    from soid.solver.affine_search import cover_by_forms, has_sums  # numpy takes long to load

    functions = box_functions(_refining(obligation.numbers).relevant(obligation.terms))
    if not has_sums(obligation.terms, functions):
        return None
    if not functions:
        match means.solver.check(obligation.terms, Budget(_BRIEFLY), means.cancel):
            case Sat():
                return None
            case Unsat(by) if by != BY_BOXES:
                return None
    conditions = FormConditions(obligation.terms, obligation.numbers)
    found = cover_by_forms(
        obligation.terms, functions, conditions.exclude, MOST_BOXES, Budget(means.seconds).started(), means.cancel
    )
    return json_of(replace(CoverDocument.of(found), forms=True)) if isinstance(found, Cover) else None


def _without_arithmetic(obligation: Obligation, means: Means) -> Obligation:
    """An unsatisfiable formula about pairs, without the arithmetic of floats if it is unsatisfiable all the same."""
    added = lemmas(obligation.terms)
    terms = abstracted(obligation.terms, added) if added else []
    if not added or not isinstance(means.check(terms), Impossible):
        return obligation
    told = "; rounded results stand as symbols, of which it says how they rise and fall with their arguments"
    return replace(obligation, terms=tuple(terms), proves=obligation.proves + told)


def _refining(approximations: Sequence[Approximation]) -> RefiningChecker:
    return RefiningChecker({one.symbol: one for one in approximations}, REFINEMENTS)


def _with_bounds(obligation: Obligation, means: Means, engine: Engine) -> Obligation:
    """An unsatisfiable formula, with the bounds of a learned model's numbers that make it unsatisfiable."""
    model = None if engine.learned is None else engine.learned.model
    if model is not None and model.networks and (given := (means.covers or {}).get(obligation.cover_file)) is not None:
        try:
            return bounded(obligation, given)  # what is in it is checked, and nothing is searched
        except BundleError:  # which is noted where the bundle's files are compared
            pass
    found = _searched(obligation, means, model)
    if found is None:
        raise BundleError(f"whether {obligation.proves} is not settled: {OPEN_RANGES}")
    if isinstance(found, Cover):
        cover = _shown_cover(found, obligation, means, model)
    elif found:
        return obligation  # satisfiable with the model's real numbers: any solver will say so
    else:
        cover = None
    if cover is not None:
        return bounded(obligation, json_of(cover))
    told = "; what the model's numbers are is not in this formula, since that takes too many boxes: soid searches them"
    return replace(obligation, proves=obligation.proves + told, by_search=True)


def _searched(obligation: Obligation, means: Means, model: LearnedModel | None) -> Cover | Mapping[Term, Any] | None:
    """The cover of a search, or what it has found otherwise: see `cover_cells`."""
    from soid.solver.cell_search import NOTHING, cover_cells  # numpy takes long to load

    functions = box_functions(obligation.numbers)
    found = cover_cells(obligation.terms, functions, MOST_BOXES, Budget(means.seconds).started(), means.cancel)
    if found == NOTHING and model is not None and model.networks:
        # with what the search has proved of whole regions, and a network keeps, few boxes may do
        deadline = Budget(min(means.seconds, _AGAIN)).started()
        return cover_cells(obligation.terms, functions, MOST_BOXES, deadline, means.cancel) or found
    return found


def _shown_cover(
    found: Cover, obligation: Obligation, means: Means, model: LearnedModel | None
) -> CoverDocument | None:
    """A cover for a bundle: of a network with what a checker can show of each box."""
    document = CoverDocument.of(found)
    if model is None or not model.networks:
        return document
    from soid.evidence.learned.certified_covers import certified

    given = read_cover(json_of(document), obligation.terms, obligation.numbers)
    shown = certified(given, obligation.terms, obligation.numbers, model, Budget(means.seconds).started())
    return None if shown is None else shown.document


def bounded(obligation: Obligation, cover: Mapping[str, Any]) -> Obligation:
    """A formula about a learned model's numbers, with a cover's bounds of them."""
    facts = facts_of(read_cover(cover, obligation.claim, obligation.numbers))
    told = f"; the first assertions are bounds of the model's numbers: those of {obligation.cover_file}"
    proves = obligation.proves.removesuffix(told) + told
    terms = (*facts, *obligation.claim)
    return replace(obligation, terms=terms, proves=proves, premises=len(facts), cover=cover)
