"""A proposal, from a folder to a soid.toml that was tried out.

    gather        the files, the functions, what the log holds             gathered_project.py
    ranked        which function or model decides, with which log: the best first
    doubted       what is not certain about its columns, tried by running the program over the log     proposer.py
    finished      the manifest, and what running the program over the whole log shows
    questioned    the keyframe and the first questions, once the manifest is written

Between these a person may choose; `soid.cli.commands.init_command` asks.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.allowance import allowed
from soid.budget import Budget
from soid.case.project import Project
from soid.errors import LimitError, SoidError
from soid.proposal.entry_candidates import EntryCandidate
from soid.proposal.first_questions import FirstQuestion, QuestionChoice
from soid.proposal.log_agreement import LogAgreement, unrun
from soid.proposal.manifest_draft import ManifestDraft

_QUESTION_SECONDS: Final = 10.0  # for one question,
_QUESTIONS_SECONDS: Final = 25.0  # and for choosing all of them


@final
class Proposal(Struct, frozen=True):
    """A manifest that is not written yet, and what trying it out showed."""

    draft: ManifestDraft
    candidate: EntryCandidate
    warnings: tuple[str, ...] = ()  # what is strange about the log
    problem: SoidError | None = None  # why the log cannot be read with it
    run: LogAgreement | None = None
    steps: int = 0  # of the log
    questions: tuple[FirstQuestion, ...] = ()
    beside: tuple[str, ...] = ()  # what is to be said of other files: why they are no logs, what they may have

    @property
    def can_be_asked(self) -> bool:
        """Whether questions may have answers, even if the program could not be run over the log."""
        return self.problem is None or bool(self.candidate.missing)

    @property
    def guesses(self) -> tuple[str, ...]:
        """The guesses that are no doubts about columns: the bounds of thresholds."""
        write = "write the one that the application has; until then what hangs on it is unknown"
        return tuple(f"{each.name} = {each.text}: {each.why}; {write}" for each in self.draft.thresholds)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is strange about the log's columns."""
        rows, survey = self.candidate.rows, self.candidate.survey
        found = [f"{rows.backwards} seems to be a clock, but it runs back: rows are counted"] if rows.backwards else []
        if rows.guessed_unit and rows.clock is not None:
            found.append(f"nothing says in which unit {rows.clock.column} counts: it is taken for seconds")
        for match in self.draft.matches:
            if match.column.rows < survey.rows:
                found.append(
                    f"{match.column.name} has no value in {survey.rows - match.column.rows} of {survey.rows} rows"
                )
        return (*found, *self.beside)


def questioned(proposal: Proposal, project: Project) -> Proposal:
    """The proposal with its keyframe and its first questions; `project` is the one that it describes.

    Where inputs were never logged, these are questions that have one answer for every value that they may have had.
    """
    trace, replayer = project.trace, project.replayer
    run = unrun(trace) if proposal.candidate.missing else proposal.run
    if run is None or not run.steps or replayer is None:
        return proposal
    alone = proposal.draft.files.frontend.calls_alone
    choice = QuestionChoice(trace, run, replayer, alone=alone)
    found = _found(choice, project)
    turned = (turn.at for turn in choice.turns if not turn.aspect.bound)
    changes = tuple(dict.fromkeys(trace.steps[at].time for at in turned))
    keyframe = found[0].step if found else None
    asked = tuple(each.text for each in found if each.step == keyframe)
    draft = replace(proposal.draft, keyframe=keyframe, changes=changes, questions=asked)
    return replace(proposal, questions=found, draft=draft)


def _found(choice: QuestionChoice, project: Project) -> tuple[FirstQuestion, ...]:
    """The questions that were found in time; a manifest without any is of use too."""
    deadline = Budget(_QUESTIONS_SECONDS).started()
    found: list[FirstQuestion] = []

    def ask(step: int, text: str) -> str:
        left = min(_QUESTION_SECONDS, deadline.seconds_left or 0.0)
        asked = replace(project.at(step), settings=replace(project.settings, seconds=left))
        return asked.ask(text).verdict.value if left else "unknown"

    # the time for questions is over: those that were found are enough, and none is no error
    with suppress(LimitError), allowed(seconds=_QUESTIONS_SECONDS):
        found.extend(choice.questions(ask))
    return tuple(found)
