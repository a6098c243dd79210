"""One fact, examined: explored, proved and run anew, whatever the record says of it.

Whoever makes a bundle examines each fact before it goes in, and whoever checks the bundle does so again, on another
machine and with other solvers. The oracle's pipeline is asked in neither case.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import assert_never, final

from msgspec import Struct, field

from soid.case.facts import fact_of
from soid.case.stored_answer import LATER, recall
from soid.documents import json_of
from soid.engine.summary import Unexplored
from soid.errors import BundleError, SoidError
from soid.evidence.bundled_record import MISSHAPEN, Recorded
from soid.evidence.derivation import Derivation, ExaminedMoment, Means, RecordedClaim, derive
from soid.evidence.obligations import UNSETTLED, Obligation
from soid.oracle.answer import Answer, Verdict
from soid.query.language.query_parser import parse
from soid.solver.script_solver import ScriptAnswer, ScriptSolver
from soid.witness.replay_comparison import Confirmed, Mismatch, Unconfirmed, compare
from soid.witness.witness import Witness


@final
class CheckOutcome(enum.Enum):
    """What came of looking at one thing."""

    CONFIRMED = "confirmed"
    OPEN = "open"  # nothing was found for it or against it
    CONTRADICTED = "contradicted"


@final
class Check(Struct, frozen=True):
    """One thing that was looked at."""

    about: str
    outcome: CheckOutcome
    words: str


@final
class Examination(Struct):
    """What was found out about one fact."""

    recorded: Recorded
    checks: list[Check] = field(default_factory=list)
    scripts: dict[str, str] = field(default_factory=dict)  # file -> the formula, derived anew
    proofs: dict[str, ScriptAnswer] = field(default_factory=dict)  # file -> who said what to it
    derivation: Derivation | None = None
    answer: Answer | None = None  # as the record has it
    replay: str = ""  # what the compiled program did, in words

    def note(self, about: str, outcome: CheckOutcome, words: str) -> None:
        self.checks.append(Check(about, outcome, words))

    def expect(self, about: str, holds: bool, confirmed: str, contradicted: str) -> None:
        """A check that has no third outcome."""
        self.note(
            about, CheckOutcome.CONFIRMED if holds else CheckOutcome.CONTRADICTED, confirmed if holds else contradicted
        )

    def said(self, outcome: CheckOutcome) -> list[str]:
        return [f"{check.about}: {check.words}" for check in self.checks if check.outcome is outcome]


def examine(
    recorded: Recorded,
    examined: ExaminedMoment,
    means: Means,
    scripts: ScriptSolver,
    answered_by: Mapping[str, str] | None = None,
) -> Examination:
    """Look at one fact in every way there is; `answered_by` says whose answers are to be had from others."""
    found = Examination(recorded)
    answer = _recalled(found, examined)
    if answer is None or answer.witness is None:
        return found
    claim = RecordedClaim(answer.query, answer.verdict, answer.witness.inputs, recorded.window, recorded.accepted)
    try:
        derivation = found.derivation = derive(examined, claim, means)
    except SoidError as error:
        found.note("exploring", CheckOutcome.OPEN, f"it was not derived anew: {error.cause}")
        return found
    _compare(found, answer, derivation, rounded=bool(examined.keyframe.rounded))
    _run(found, answer.witness, derivation, examined)
    for obligation in derivation.obligations:
        _prove(found, obligation, means, scripts, (answered_by or {}).get(obligation.file, ""))
    return found


def _recalled(found: Examination, examined: ExaminedMoment) -> Answer | None:
    """The answer on record, if it is well-formed and says of itself what follows from it."""
    recorded, keyframe = found.recorded, examined.keyframe
    try:
        answer = found.answer = recall(recorded.answer, keyframe)
        asked = examined.query(parse(recorded.question, keyframe.interface))
        same = asked == answer.query and (answer.step, answer.verdict.value) == (recorded.step, recorded.verdict)
        found.expect("the question", same, "the answer is to the question asked", "the answer is to another question")
        shown = {name: value for name, value in recorded.answer.items() if name != "bits"}
        given = json_of(answer.document)
        follows = {name: given[name] for name in given if name in shown or name not in LATER}
        consistent = follows == shown and answer.verdict in (Verdict.YES, Verdict.NO)
        found.expect("the answer", consistent, "its values are its bits, read", "its values are not what its bits say")
        stated = fact_of(answer, keyframe)
    except (SoidError, *MISSHAPEN) as error:
        why = error.cause if isinstance(error, SoidError) else f"it is misshapen ({type(error).__name__})"
        found.note("the answer", CheckOutcome.CONTRADICTED, f"it says nothing that can be true: {why}")
        return None
    same = stated == recorded.fact
    found.expect("the fact", same, "it is what follows from the answer", "it is not what follows from the answer")
    if answer.witness is None:
        found.note("the scenario", CheckOutcome.CONTRADICTED, "there is none")
    return answer


def _compare(found: Examination, answer: Answer, derivation: Derivation, *, rounded: bool) -> None:
    """What the record says of the moment and of the scenario, against what was derived."""
    witness = answer.witness
    assert witness is not None
    if derivation.mismatch and not found.recorded.accepted:
        outcome = CheckOutcome.OPEN if rounded else CheckOutcome.CONTRADICTED
        found.note("the log", outcome, f"log and program differ, and nobody has accepted that: {derivation.mismatch}")
    else:
        accepted = f"it differs, which is accepted on the record: {derivation.mismatch}" if derivation.mismatch else ""
        found.note("the log", CheckOutcome.CONFIRMED, accepted or "the program gives what is logged")
    same = dict(answer.fact) == dict(derivation.fact)
    if not same and isinstance(derivation.factual.path.ending, Unexplored):
        found.note(
            "what was decided", CheckOutcome.OPEN, f"the logged moment was left {derivation.factual.path.ending}"
        )
    else:
        found.expect("what was decided", same, "as the record has it", "the record has something else")
    same = answer.suppositions == derivation.suppositions
    found.expect("what was supposed", same, "as the record has it", "the record has something else")
    kept = "all that the question does not free is as in fact"
    found.expect("the scenario", not derivation.differs, kept, f"it also changes {', '.join(derivation.differs)}")
    run = derivation.run
    steps = [{name: int(value) for name, value in step.items()} for step in (*run.earlier, run.outputs)]
    claimed = [dict(step) for step in (*witness.earlier, witness.outputs)]
    same = steps == claimed and run.path.ending == witness.ending
    if isinstance(run.path.ending, Unexplored):
        found.note("the outcome", CheckOutcome.OPEN, f"explored alone, the scenario was left {run.path.ending}")
        return
    found.expect("the outcome", same, f"explored alone, the scenario {run.path.ending}", _otherwise(run.path.ending))


def _otherwise(ending: object) -> str:
    return f"explored alone, the scenario {ending}, and not as the record has it"


def _run(found: Examination, witness: Witness, derivation: Derivation, examined: ExaminedMoment) -> None:
    """The scenario on the compiled program."""
    if examined.replayer is None:
        found.replay = "the paths are all there is of this program: the scenario was evaluated on them"
        found.note("the run", CheckOutcome.CONFIRMED, found.replay)
        return
    interface = examined.keyframe.interface
    comparison = compare(derivation.run, witness.inputs, interface, examined.replayer, derivation.environments)
    match comparison:
        case Confirmed(how):
            found.replay = f"{how}: it {derivation.run.path.ending}, and gives the same to the bit"
            found.note("the run", CheckOutcome.CONFIRMED, found.replay)
        case Unconfirmed(reason):
            found.replay = f"not confirmed: {reason}"
            found.note("the run", CheckOutcome.OPEN, found.replay)
        case Mismatch(difference):
            found.replay = f"contradicted: {difference}"
            found.note("the run", CheckOutcome.CONTRADICTED, found.replay)
        case _:
            assert_never(comparison)


def _prove(found: Examination, obligation: Obligation, means: Means, scripts: ScriptSolver, without: str) -> None:
    assert found.derivation is not None
    left_open = found.derivation.left_open
    text = found.scripts[obligation.file] = obligation.script(found.recorded.about)
    said = found.proofs[obligation.file] = scripts.check(text, means.seconds, means.cancel, without=without)
    if means.cancel.cancelled:
        raise BundleError("called off", "Nothing was concluded.")
    if said.answer == obligation.expected:
        found.note(obligation.file, CheckOutcome.CONFIRMED, f"{said.answer} ({said.solver}): {obligation.proves}")
    elif said.solver and left_open and obligation.name in UNSETTLED:
        found.note(obligation.file, CheckOutcome.OPEN, f"not settled here, because some of it was left {left_open}")
    elif said.solver:
        found.note(
            obligation.file, CheckOutcome.CONTRADICTED, f"{said.answer} ({said.solver}): not so: {obligation.proves}"
        )
    else:
        found.note(obligation.file, CheckOutcome.OPEN, f"no solver said: {said.detail}")
