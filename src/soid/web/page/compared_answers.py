"""The answers of two or three programs, or at as many moments, to one question, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import final

from soid.case.report.phrases import badge
from soid.case.shown_pair import shown_pair
from soid.engine.summary import Decided
from soid.errors import SoidError
from soid.oracle.answer import Answer
from soid.scenario.input_names import NO_STEPS
from soid.scenario.trace import Keyframe
from soid.web.page import parts, scenario_tables
from soid.web.page.amounts import capital
from soid.web.page.compared_side import ComparedSide
from soid.web.page.session import Session
from soid.web.page.told_error import told_error
from soid.web.work.job import Job
from soid.witness.witness import Witness


@final
class ComparedAnswers:
    """A column for each: its verdict, its scenario's changes, and what it decides there."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._box = parts.box("div", "compared-answers", aria_live="polite")

    def show(self, question: str, jobs: Mapping[ComparedSide, Job]) -> None:
        """Show the answers, which are there."""
        self._box.clear()
        with self._box:
            parts.text("Their answers", tag="h3")
            parts.text(question, "asked", tag="p")
            with parts.box("div", "beside"):
                for side, job in jobs.items():
                    with parts.box("section", "one", aria_label=f"The answer {side.whose}"):
                        parts.text(side.name, tag="h4")
                        self._column(side, job)

    def clear(self) -> None:
        self._box.clear()

    def _column(self, side: ComparedSide, job: Job) -> None:
        if job.result is None:
            parts.text(told_error(job.error).cause if job.error is not None else capital(job.state.value), tag="p")
            return
        session, number = self._session, int(job.result["entry"])
        entry, answer = session.case.entry(number), session.case.recall(number)
        with parts.box("div", f"verdict-box {answer.verdict.value}"):
            parts.Markup(badge(answer.verdict), tag="span")
            parts.text(answer.obstacle or capital(answer.because), "reason", tag="p")
        keyframe = session.case.project_at(entry.step, entry.log).logged.supplied_with(answer.supplied)
        for witness in (answer.witness, answer.contrast):
            if witness is not None:
                _scenario(side.program, answer, witness, keyframe)
        show = partial(session.trying, partial(session.open_entry, number))
        parts.button(f"Entry {number}", show, "small", aria_label=f"Open the answer {side.whose}, entry {number}")


def _scenario(program: str, answer: Answer, witness: Witness, keyframe: Keyframe) -> None:
    parts.text(answer.heading(witness), "heading", tag="p")
    found = shown_pair(answer, witness)
    if found is not None:
        for table in scenario_tables.pair(found, answer.query, witness.interface):
            parts.table(*table)
        return
    if witness.changed:
        parts.table(*scenario_tables.changed(answer, witness, _steps(answer, keyframe)))
    if isinstance(witness.ending, Decided) and not witness.earlier:
        parts.table(*scenario_tables.outcome(answer, witness, keyframe, program))
    else:
        for told in scenario_tables.steps_told(answer, witness, keyframe.step, program):
            parts.told(told, tag="div")
    if not isinstance(witness.ending, Decided):
        parts.text(f"The program {witness.ending}.", "ending", tag="p")
    parts.text(f"Checked {witness.replayed}.", "replayed", tag="p")


def _steps(answer: Answer, keyframe: Keyframe) -> Mapping[str, str]:
    """The steps of what varies, in words; none if the question cannot be put again."""
    try:
        return answer.steps(keyframe)
    except SoidError:
        return NO_STEPS
