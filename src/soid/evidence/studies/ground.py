"""The scenarios of a question, explored anew: what a study says of them is proved and run on this.

A study says two kinds of things: that something happens in no scenario of a part of the family, which is a formula
(`excluded`), and what the program does in one scenario, which is run (`ShownScenario`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, final

from msgspec import Struct

from soid.allowance import allowed
from soid.budget import usual_memory
from soid.documents import json_of
from soid.engine.summary import PathSummary
from soid.engine.trail import Trail
from soid.errors import BundleError, LimitError, SoidError
from soid.evidence.checks import CheckOutcome
from soid.evidence.derivation import Derivation, ExaminedMoment, Means, RecordedClaim, derive, explored, exploring
from soid.evidence.obligations import Obligation
from soid.evidence.studies.study_checks import StudyExamination
from soid.explanation.divergence import parting
from soid.explanation.proof_needs import around
from soid.explanation.study import UNEXPLORED, Explored, StudiedScenario, outcome_in
from soid.formula import build
from soid.formula.build import FALSE, TRUE
from soid.formula.term import Term
from soid.oracle.answer import Verdict
from soid.oracle.confirmation import witness_of
from soid.oracle.encoding import Encoding, FactualMoment, concrete_path, encode
from soid.oracle.inquiry import LEAST_OPENING
from soid.program.interface import Variable
from soid.program.perception import Perceived, resolved, with_acts
from soid.program.types import from_python
from soid.query.query import Query, QueryKind
from soid.scenario.course import Course
from soid.scenario.family import Family
from soid.witness.replay_comparison import Confirmed, Mismatch, Unconfirmed, compare
from soid.witness.witness import Shows, Witness

_SHOWN = ("inputs", "outputs", "steps", "ending", "between")  # of a scenario's document, what a run gives


@final
class StudyGround(Struct, frozen=True):
    """A question's family, and where in it what happens."""

    examined: ExaminedMoment
    query: Query
    window: int | None
    course: Course
    family: Family
    derivation: Derivation
    encoding: Encoding

    @classmethod
    def of(cls, examined: ExaminedMoment, query: Query, window: int | None, means: Means) -> StudyGround:
        course = query.course(examined.keyframe)
        shown = Verdict.NO if query.kind is QueryKind.WOULD else Verdict.YES  # a proof is made from the encoding
        try:
            derivation = derive(examined, RecordedClaim(query, shown, course.fact, window), means)
        except SoidError as error:  # it says nothing about the study
            raise LimitError(f"it was not derived anew: {error.cause}") from error
        course = course.lasting_as(derivation.lasted)
        family = course.family()
        surroundings = course.environments, course.acts
        facts = FactualMoment(course.interface, course.fact, derivation.fact, family.given, *surroundings)
        encoding = encode(derivation.summary, query.behavior, facts, query.period)
        return cls(examined, query, window, course, family, derivation, encoding)

    @property
    def not_occurring(self) -> Term:
        return build.any_of(self.encoding.refutes.values())

    def as_in_fact(self, path: str) -> Term:
        """That an input is as in fact; never, if the fact has several values of it in its steps."""
        variable = self.course.interface.variable(path)
        return variable.equals(self.course.fact[path]) if self.family.was_one_value(variable) else FALSE

    @property
    def uncovered(self) -> Term:
        """The scenarios that take none of the paths; a search for paths need not be trusted if there are none."""
        given = [path for path in self.family.freed if path in self.family.given]
        pinned = [self.course.interface.variable(path).equals(self.family.given[path]) for path in given]
        return build.not_(build.and_(*pinned, covered(self.derivation.summary)))

    def run_of(self, inputs: Mapping[str, int], means: Means, course: Course | None = None) -> Ran:
        """Explore one state alone."""
        course = course or self.course
        claim = RecordedClaim(self.query, Verdict.YES, inputs, self.window)
        summary = self._explored(claim, means, course, inputs)
        facts = FactualMoment(
            course.interface, course.fact, self.derivation.fact, inputs, course.environments, course.acts
        )
        happens = outcome_in(encode(summary, self.query.behavior, facts, self.query.period))
        witness = witness_of(
            summary.run({}), Shows.MEMBER, course.interface, course.fact, inputs, "", recorded=course.recorded
        )
        return Ran(summary, happens, witness, course.environments, with_acts(course.acts, inputs))

    def _explored(
        self,
        claim: RecordedClaim,
        means: Means,
        course: Course,
        given: Mapping[str, int],
        condition: Term = TRUE,
    ) -> PathSummary:
        """Explore where some inputs have these values."""
        fixed = {path: bits for path, bits in given.items() if path in course.perceived}
        steps, engine = self.query.period.count, self.examined.engine
        return explored(engine, claim, means, course.environments, steps, fixed, condition, acts=course.acts)

    def parted(self, one: Ran, other: Ran, means: Means) -> dict[str, Any]:
        """Where two states part in the source, as JSON."""

        def trail(scenario: StudiedScenario) -> Trail | None:
            claim = RecordedClaim(self.query, Verdict.YES, scenario.state, self.window)
            count, acts = self.query.period.count, self.course.acts
            exploration = exploring(claim, means, scenario.environments, count, scenario.state, acts=acts)
            return self.examined.engine.trail(exploration)

        first, second = (StudiedScenario(each.happens, each.witness, each.environments) for each in (one, other))
        return json_of(parting(first, second, trail, steps=self.query.period.count).document)

    def moved(self, loose: Sequence[Variable], means: Means) -> Explored:
        """Explore the scenarios with some variables moved anywhere in their domains."""
        return self.along(*around(loose, self.family), means)

    def along(self, given: Mapping[str, int], condition: Term, means: Means) -> Explored:
        """Explore other states than those of the family: with these values, where a condition holds."""
        course = self.course
        claim = RecordedClaim(self.query, Verdict.YES, given, self.window)
        summary = self._explored(claim, means, course, given, condition)
        facts = FactualMoment(
            course.interface, course.fact, self.derivation.fact, given, course.environments, course.acts
        )
        encoding = encode(summary, self.query.behavior, facts, self.query.period)
        return Explored(summary, encoding, means.check_with(summary))


@final
class Ran(Struct, frozen=True):
    """One state that was explored alone."""

    summary: PathSummary
    happens: str  # a key of IN_WORDS
    witness: Witness
    environments: tuple[Perceived, ...]
    perceived: Mapping[str, int]  # the bits of the first step, what is done there in the place of decisions among them


def excluded(
    found: StudyExamination,
    name: str,
    proves: str,
    where: Term,
    part: Sequence[Term],
    ground: StudyGround,
    means: Means,
    *,
    punctured: bool = True,
) -> None:
    """Prove that something happens nowhere in a part of the family, unless it is not known there what happens."""
    family, approximations = ground.family, ground.derivation.summary.approximations
    within = (family.precondition, *((family.puncture,) if punctured else ()), *part)
    words, nowhere = f"{proves}, and each of these scenarios takes one of the paths", build.or_(where, ground.uncovered)
    found.prove(Obligation(name, words, "unsat", (*within, nowhere), numbers=approximations), means)
    if ground.encoding.unexplored is not FALSE:
        words = f"{proves}; and nothing was left unexplored there"
        terms = (*within, ground.encoding.unexplored)
        found.prove(Obligation(f"{name}.open", words, "unsat", terms, numbers=approximations), means, soft=True)


def covered(summary: PathSummary) -> Term:
    """The states that take one of the paths."""
    return build.any_of(path.condition for path in summary.in_order)


def bits_of(inputs: Mapping[str, Any], ground: StudyGround, course: Course | None = None) -> dict[str, int]:
    """The bits of a recorded scenario; a BundleError if it has not just the inputs of the question."""
    interface = (course or ground.course).interface
    expected = [variable.path for variable in interface.inputs]
    if sorted(inputs) != sorted(expected):
        raise BundleError("its scenario has other inputs than the question")
    return {path: from_python(interface.variable(path).type, inputs[path]) for path in expected}


def shown(
    found: StudyExamination,
    name: str,
    scenario: Struct,
    happens: str,
    ground: StudyGround,
    means: Means,
    *,
    course: Course | None = None,
    member: bool = True,
) -> Ran | None:
    """Run a recorded scenario; None if it is not known here what happens in it. `happens` is what is claimed."""
    told = json_of(scenario)
    inputs = bits_of(told["inputs"], ground, course)
    if member:
        inside = ground.family.contains(inputs)
        found.expect(f"{name}: the scenario", inside, "it is one that was asked about", "it is not one asked about")
    ran = ground.run_of(inputs, means, course)
    if ran.happens == UNEXPLORED:
        found.note(f"{name}: the outcome", CheckOutcome.OPEN, f"explored alone, it was left {ran.witness.ending}")
        return None
    mine = json_of(ran.witness.document)
    same = all(mine.get(part) == told.get(part) for part in _SHOWN)
    found.expect(
        f"{name}: the outcome",
        same and ran.happens == happens,
        f"explored alone, the scenario {ran.witness.ending}",
        f"explored alone, the scenario {ran.witness.ending}, and not as the record has it",
    )
    replayed(found, name, ran, ground, means)
    return ran


def replayed(found: StudyExamination, name: str, ran: Ran, ground: StudyGround, means: Means) -> None:
    """Run a state on the compiled program."""
    replayer, witness, run = ground.examined.replayer, ran.witness, ran.summary.run({})
    about = f"{name}: the run"
    if replayer is None:
        found.note(about, CheckOutcome.CONFIRMED, "the paths are all there is of this program")
        return
    path = concrete_path(
        witness.path, witness.ending, (*witness.earlier, witness.outputs), witness.interface, run.between
    )
    environments = resolved(ran.environments, witness.inputs, path.earlier)
    environments = environments or ({},) * (ground.query.period.count - 1)
    try:
        with allowed(seconds=max(means.seconds, LEAST_OPENING), cancel=means.cancel, memory=usual_memory()):
            comparison = compare(run, ran.perceived, witness.interface, replayer, environments)
    except LimitError as error:
        comparison = Unconfirmed(error.cause)
    match comparison:
        case Confirmed(how):
            found.note(about, CheckOutcome.CONFIRMED, f"{how}: the same")
        case Unconfirmed(reason):
            found.note(about, CheckOutcome.OPEN, f"not confirmed: {reason}")
        case Mismatch(difference):
            found.note(about, CheckOutcome.CONTRADICTED, f"contradicted: {difference}")
