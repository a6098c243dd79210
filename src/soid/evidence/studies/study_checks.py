"""The examination of one study: its checks, and the formulas that were proved for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, final

from msgspec import Struct, field

from soid.assumptions import Assumption
from soid.case.record.study_request import Request
from soid.engine.protocol import Engine
from soid.engine.summary import PathSummary
from soid.errors import BundleError
from soid.evidence.checks import CheckedClaim, CheckOutcome
from soid.evidence.derivation import Derivation, Means, with_premises
from soid.evidence.obligations import Obligation
from soid.solver.script_solver import ScriptSolver


@final
class BundledStudy(Struct, frozen=True):
    """A study in the record."""

    number: int
    wanted: Request
    log: str
    step: int
    result: dict[str, Any]
    statement: str
    window: int | None
    accepted: bool  # the record accepts that log and program differ there
    explained: Mapping[str, Any] | None = None  # of an explanation: the payload of the answer that it explains

    @property
    def kind(self) -> str:
        return str(self.wanted.document["kind"])

    @property
    def about(self) -> tuple[str, ...]:
        """The comment at the top of each of its formulas."""
        return (f"soid evidence for entry {self.number} of the case: {self.kind}, step {self.step} of {self.log}",)


@final
class StudyExamination(CheckedClaim, kw_only=True):
    """The checks of one study."""

    recorded: BundledStudy
    scripts: ScriptSolver
    engine: Engine | None = None  # None: the program was not opened, and nothing is proved
    files: dict[str, str] = field(default_factory=dict)  # the formulas, derived anew
    answered_by: dict[str, str] = field(default_factory=dict)  # file -> the solver that answered it
    asked: dict[str, str] = field(default_factory=dict)  # the same in the bundle: such a solver is not asked again
    is_unfinished: bool = True  # it was not explored here
    relies_on: tuple[Assumption, ...] = ()  # what exploring it here assumed

    def explored(self, derivation: Derivation) -> None:
        """Note that it was explored here, and whether the log fits."""
        self.is_unfinished = False
        self.relies_on = derivation.summary.relies_on
        mismatch = derivation.mismatch
        if mismatch and not self.recorded.accepted:
            words = f"log and program differ, and the record does not accept that: {mismatch}"
            self.note("the log", CheckOutcome.CONTRADICTED, words)
        else:
            told = f"it differs, which is accepted on the record: {mismatch}" if mismatch else "the program gives it"
            self.note("the log", CheckOutcome.CONFIRMED, told)

    def rests_on(self, recorded: Sequence[Assumption], summary: PathSummary) -> None:
        """Refuse a record that leaves out an assumption."""
        known = {each.id for each in recorded}
        if missing := [str(each) for each in summary.relies_on if each.id not in known]:
            words = f"the record leaves out what it rests on: {'; '.join(missing)}"
            self.note("what it rests on", CheckOutcome.CONTRADICTED, words)

    def prove(self, obligation: Obligation, means: Means, *, soft: bool = False) -> None:
        """Prove that a formula cannot be satisfied; `soft`: where it can be, that contradicts nothing."""
        assert self.engine is not None
        try:
            whole = with_premises(obligation, means, self.engine)
        except BundleError as error:
            self.note(obligation.file, CheckOutcome.OPEN, error.cause)
            return
        text = self.files[whole.file] = whole.script(self.recorded.about)
        if whole.by_search:
            self.note(whole.file, CheckOutcome.OPEN, f"no formula shows it: {whole.proves}")
            return
        answer = self.scripts.check(text, means.seconds, means.cancel, without=self.asked.get(whole.file, ""))
        if means.cancel.cancelled:
            raise BundleError("called off", "Nothing was concluded.")
        self.answered_by[whole.file] = answer.solver
        if not answer.solver:
            self.note(whole.file, CheckOutcome.OPEN, f"no solver said: {answer.detail}")
        elif answer.answer == whole.expected:
            self.note(whole.file, CheckOutcome.CONFIRMED, f"{answer.answer} ({answer.solver}): {whole.proves}")
        else:
            outcome = CheckOutcome.OPEN if soft else CheckOutcome.CONTRADICTED
            self.note(whole.file, outcome, f"{answer.answer} ({answer.solver}): not so: {whole.proves}")
