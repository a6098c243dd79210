"""The examination of one fact: it is explored, proved and run again, independently of the record.

`soid bundle` examines each fact before it goes in, and `soid verify` examines it again, on another machine and with
other solvers. Neither uses the oracle's pipeline.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, assert_never, final

from msgspec import field
from msgspec.structs import replace

from soid.allowance import allowed
from soid.budget import Budget, usual_memory
from soid.case.facts import fact_of
from soid.case.stored_answer import LATER, moment_of, recall
from soid.documents import json_of
from soid.engine.summary import Unexplored
from soid.errors import BundleError, LimitError, SoidError
from soid.evidence import covers
from soid.evidence.bundled_record import MISSHAPEN, Recorded
from soid.evidence.checks import CheckedClaim, CheckOutcome
from soid.evidence.derivation import Derivation, ExaminedMoment, Means, RecordedClaim, derive, outputs_by_step
from soid.evidence.learned.model_covers import recheck
from soid.evidence.learned.model_run import compare_run
from soid.evidence.obligations import UNSETTLED, Obligation
from soid.oracle.answer import BY_RUNS, Answer, Verdict
from soid.oracle.inquiry import LEAST_OPENING
from soid.oracle.throughout import ALIKE
from soid.oracle.two_lives import in_both
from soid.query.language.query_parser import parse
from soid.query.words import listed
from soid.scenario.origin import Supplied
from soid.scenario.trace import Keyframe
from soid.solver.script_solver import ScriptAnswer, ScriptSolver
from soid.witness.replay_comparison import Confirmed, Mismatch, Unconfirmed, compare
from soid.witness.witness import Shows

#: what a check of a cover with bounds has shown
BOUNDED: Final = (
    "in each of its boxes the model's numbers lie within their bounds and some condition holds nowhere, and the boxes "
    "cover all"
)

#: the names of what answers a formula that no solver could
BY_SEARCH: Final = "soid's search"
BY_FORMS: Final = "boxes by affine forms"


@final
class Examination(CheckedClaim, kw_only=True):
    """The checks of one fact, and what was derived for them."""

    recorded: Recorded
    scripts: dict[str, str] = field(default_factory=dict)  # file -> the formula, derived again
    proofs: dict[str, ScriptAnswer] = field(default_factory=dict)  # file -> the solver's answer to it
    derivation: Derivation | None = None
    answer: Answer | None = None  # from the record
    replay: str = ""  # what the compiled program did, in words

    def try_out(self, about: str, check: Callable[[], str], confirmed: str) -> None:
        """Note a check that says why it is open, if it is, and raises a BundleError where it contradicts the fact."""
        try:
            why = check()
        except BundleError as error:
            self.note(about, CheckOutcome.CONTRADICTED, error.cause)
            return
        self.note(
            about, CheckOutcome.OPEN if why else CheckOutcome.CONFIRMED, f"not rechecked: {why}" if why else confirmed
        )

    @property
    def is_unfinished(self) -> bool:
        """Whether it was not derived here, or not to its end."""
        if self.derivation is None:
            return True
        return bool(self.derivation.left_open) and CheckOutcome.OPEN in self.outcomes


def examine(
    recorded: Recorded,
    examined: ExaminedMoment,
    means: Means,
    scripts: ScriptSolver,
    answered_by: Mapping[str, str] | None = None,
) -> Examination:
    """Check one fact in every way; `answered_by` has the solver of each formula, which is not asked about it again."""
    found = Examination(recorded=recorded)
    answer = _recalled(found, examined, means.maker)
    if answer is None or answer.witness is None:
        return found
    by_runs = isinstance(answer.settled_by, Mapping) and BY_RUNS in answer.settled_by
    examined = _moment_of(examined, answer, recorded)
    shown = answer.query, answer.verdict, answer.witness.inputs
    throughout = answer.throughout is not None
    claim = RecordedClaim(*shown, recorded.window, by_runs, answer.everywhere, throughout)
    try:
        derivation = found.derivation = derive(examined, claim, means)
    except SoidError as error:
        found.note("exploring", CheckOutcome.OPEN, f"it was not derived anew: {error.cause}")
        return found
    _compare(found, answer, derivation, rounded=bool(examined.keyframe.rounded))
    _run(found, derivation, examined, means)
    learned = examined.engine.learned
    if learned is not None:
        told = partial(compare_run, learned, answer.witness, derivation.environments)
        found.try_out("the evaluation", told, "other code than that of the engine evaluates the scenario to the same")
    for obligation in derivation.obligations:
        _prove(found, obligation, means, scripts, (answered_by or {}).get(obligation.file, ""))
        if learned is not None and obligation.cover is not None:
            parts = obligation.cover, obligation.claim, obligation.numbers, learned.model
            told = partial(recheck, *parts, Budget(means.seconds))
            found.try_out(f"the bounds in {obligation.file}", told, BOUNDED)
    return found


def _moment_of(examined: ExaminedMoment, answer: Answer, recorded: Recorded) -> ExaminedMoment:
    """The moment that an answer is about; of one about pairs both lives."""
    keyframe, lives = examined.keyframe, answer.query.lives
    if lives is not None:
        engine, replayer = in_both(lives, keyframe.interface, examined.engine, examined.replayer)
        examined = replace(examined, engine=engine, replayer=replayer)
    return replace(examined, keyframe=moment_of(recorded.answer, answer.query.moment(keyframe)))


def _recalled(found: Examination, examined: ExaminedMoment, maker: str) -> Answer | None:
    """The recorded answer, if it is well-formed; notes whether its parts agree with each other."""
    recorded, keyframe = found.recorded, examined.keyframe
    try:
        answer = found.answer = recall(recorded.answer, keyframe)
        asked = examined.query(parse(recorded.question, keyframe.interface))
        keyframe = answer.query.moment(keyframe)
        _compare_origins(found, answer, keyframe)
        keyframe = moment_of(recorded.answer, keyframe)
        same = asked == answer.query and (answer.step, answer.verdict.value) == (recorded.step, recorded.verdict)
        found.expect("the question", same, "the answer is to the question asked", "the answer is to another question")
        shown = {name: value for name, value in recorded.answer.items() if name != "bits"}
        given = json_of(answer.document)
        follows = {name: given[name] for name in given if name in shown or name not in LATER}
        consistent = follows == shown and answer.verdict in (Verdict.YES, Verdict.NO) and _is_of_sibling(answer)
        found.expect("the answer", consistent, "its values are its bits, read", "its values are not what its bits say")
        stated = fact_of(answer, keyframe)
    except (SoidError, *MISSHAPEN) as error:
        why = error.cause if isinstance(error, SoidError) else f"it is misshapen ({type(error).__name__})"
        found.note("the answer", CheckOutcome.CONTRADICTED, f"it says nothing that can be true: {why}")
        return None
    same = stated is not None and {**stated, "statement": recorded.statement} == recorded.fact
    found.expect("the fact", same, "it is what follows from the answer", "it is not what follows from the answer")
    if stated is not None:
        found.expect_words("the fact", stated["statement"], recorded.statement, maker)
    if answer.witness is None:
        found.note("the scenario", CheckOutcome.CONTRADICTED, "there is none")
    return answer


def _is_of_sibling(answer: Answer) -> bool:
    """Whether what is said of all scenarios besides the one that is shown is what their proof would say."""
    if answer.throughout is None:
        return True
    shown = answer.witness is not None and answer.witness.shows in (Shows.COUNTEREXAMPLE, Shows.EXAMPLE)
    return shown and answer.throughout.code in ALIKE[answer.verdict]


def _compare_origins(found: Examination, answer: Answer, keyframe: Keyframe) -> None:
    """Compare what the record took for inputs that are not logged with what follows here."""
    if not keyframe.unlogged and answer.supplied == Supplied():
        return
    here = {each.variable.path: each for each in keyframe.supplied.derived}
    taken = {each.variable.path: each for each in answer.supplied.derived}
    missing = [path for path in keyframe.unlogged if path not in taken and path not in _assumed(answer)]
    other = [path for path, each in taken.items() if path in here and here[path].bits != each.bits]
    if missing or other:
        words = f"the record has something else for {listed([*missing, *other])} than follows from the log"
        found.note("what was not logged", CheckOutcome.CONTRADICTED, words)
    elif left := [path for path in taken if path not in here]:
        words = f"that the record's value of {listed(left)} follows from the log was not shown here"
        found.note("what was not logged", CheckOutcome.OPEN, words)
    else:
        words = "what the record has for it follows from the log, or it is proved for every value"
        found.note("what was not logged", CheckOutcome.CONFIRMED, words)


def _assumed(answer: Answer) -> set[str]:
    return {each.variable.path for each in answer.supplied.assumed}


def _compare(found: Examination, answer: Answer, derivation: Derivation, *, rounded: bool) -> None:
    """Compare the recorded moment and scenario with the derivation."""
    witness = answer.witness
    assert witness is not None
    if derivation.mismatch and not found.recorded.accepted:
        outcome = CheckOutcome.OPEN if rounded else CheckOutcome.CONTRADICTED
        words = f"log and program differ, and the record does not accept that: {derivation.mismatch}"
        found.note("the log", outcome, words)
    else:
        accepted = f"it differs, which is accepted on the record: {derivation.mismatch}" if derivation.mismatch else ""
        found.note("the log", CheckOutcome.CONFIRMED, accepted or "the program gives what is logged")
    same = (dict(answer.fact), dict(answer.fact_ends)) == (dict(derivation.fact), dict(derivation.fact_ends))
    if not same and isinstance(derivation.factual.path.ending, Unexplored):
        found.note(
            "what was decided", CheckOutcome.OPEN, f"the logged moment was left {derivation.factual.path.ending}"
        )
    else:
        found.expect("what was decided", same, "as the record has it", "the record has something else")
    same = answer.suppositions == derivation.suppositions
    found.expect("what was supposed", same, "as the record has it", "the record has something else")
    if derivation.lasted:  # else no scenario depends on it
        same = dict(answer.lasted) == dict(derivation.lasted)
        found.expect("when `until` ends in fact", same, "as the record has it", "the record has another step")
    kept = "all that the question does not free is as in fact"
    found.expect("the scenario", not derivation.differs, kept, f"it also changes {', '.join(derivation.differs)}")
    ending = derivation.run.path.ending
    if isinstance(ending, Unexplored):
        found.note("the outcome", CheckOutcome.OPEN, f"explored alone, the scenario was left {ending}")
        return
    claimed = [dict(step) for step in (*witness.earlier, witness.outputs)]
    between = [dict(step) for step in witness.between] or [{} for _ in derivation.run.between]
    same = outputs_by_step(derivation.run) == claimed and ending == witness.ending
    same = same and list(derivation.run.between) == between
    explored = f"explored alone, the scenario {ending}"
    found.expect("the outcome", same, explored, f"{explored}, and not as the record has it")


def _run(found: Examination, derivation: Derivation, examined: ExaminedMoment, means: Means) -> None:
    """Run the scenario on the compiled program, in the time that one formula has."""
    if examined.replayer is None:
        found.replay = "the paths are all there is of this program: the scenario was evaluated on them"
        found.note("the run", CheckOutcome.CONFIRMED, found.replay)
        return
    interface = examined.keyframe.interface
    inputs, environments = derivation.first, derivation.environments
    try:
        with allowed(seconds=max(means.seconds, LEAST_OPENING), cancel=means.cancel, memory=usual_memory()):
            comparison = compare(derivation.run, inputs, interface, examined.replayer, environments)
    except LimitError as error:
        comparison = Unconfirmed(error.cause)
    match comparison:
        case Confirmed(how):
            outcome = CheckOutcome.CONFIRMED
            same = (
                "the same, or a number between its two ends" if any(derivation.run.between) else "the same to the bit"
            )
            found.replay = f"{how}: it {derivation.run.path.ending}, and gives {same}"
        case Unconfirmed(reason):
            outcome, found.replay = CheckOutcome.OPEN, f"not confirmed: {reason}"
        case Mismatch(difference):
            outcome, found.replay = CheckOutcome.CONTRADICTED, f"contradicted: {difference}"
        case _:
            assert_never(comparison)
    found.note("the run", outcome, found.replay)


def _prove(found: Examination, obligation: Obligation, means: Means, scripts: ScriptSolver, without: str) -> None:
    assert found.derivation is not None
    left_open = found.derivation.left_open
    text = found.scripts[obligation.file] = obligation.script(found.recorded.about)
    if obligation.by_search:
        found.proofs[obligation.file] = ScriptAnswer(obligation.expected, BY_SEARCH)
        words = f"{obligation.expected} ({BY_SEARCH}), which no other code has checked: {obligation.proves}"
        found.note(obligation.file, CheckOutcome.OPEN, words)
        return
    if obligation.by_forms:
        _prove_by_forms(found, obligation, means)
        return
    proof = found.proofs[obligation.file] = scripts.check(text, means.seconds, means.cancel, without=without)
    if means.cancel.cancelled:
        raise BundleError("called off", "Nothing was concluded.")
    answer = f"{proof.answer} ({proof.solver})"
    if proof.answer == obligation.expected:
        found.note(obligation.file, CheckOutcome.CONFIRMED, f"{answer}: {obligation.proves}")
    elif proof.solver and left_open and obligation.name in UNSETTLED:
        found.note(obligation.file, CheckOutcome.OPEN, f"not settled here, because some of it was left {left_open}")
    elif proof.solver:
        found.note(obligation.file, CheckOutcome.CONTRADICTED, f"{answer}: not so: {obligation.proves}")
    else:
        found.note(obligation.file, CheckOutcome.OPEN, f"no solver said: {proof.detail}")


def _prove_by_forms(found: Examination, obligation: Obligation, means: Means) -> None:
    """Check the boxes of a cover one by one, with numbers that are computed for that."""
    assert obligation.cover is not None
    try:
        why = covers.recheck(obligation.cover, obligation.terms, obligation.numbers, Budget(means.seconds))
    except BundleError as error:
        found.note(obligation.file, CheckOutcome.CONTRADICTED, error.cause)
        return
    found.proofs[obligation.file] = ScriptAnswer(
        "unknown" if why else obligation.expected, "" if why else BY_FORMS, why
    )
    words = f"not rechecked: {why}" if why else f"{obligation.expected} ({BY_FORMS}): {obligation.proves}"
    found.note(obligation.file, CheckOutcome.OPEN if why else CheckOutcome.CONFIRMED, words)
