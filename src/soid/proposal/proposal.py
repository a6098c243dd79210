"""A proposal, from a folder to a soid.toml that was tried out.

    gather     the files, the functions, what the log holds
    ranked     which function decides, with which log: every pair, the best first
    doubted    what is not certain about its columns, tried by running the program over the log
    finished   the manifest, what running it over the log shows, the first questions

Between these a person may choose; `soid.cli.commands.init_command` asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.allowance import allowed
from soid.budget import Budget
from soid.case.project import Project
from soid.engine.manifest_reader import load_draft
from soid.engine.protocol import Engine, replayer_for
from soid.engine.registry import kept_summaries, open_program
from soid.engine.replay import Replayer
from soid.errors import InputError, LimitError, SoidError, TraceError
from soid.oracle.inquiry import Settings
from soid.program.manifest import FILE_NAME, Manifest
from soid.proposal.column_match import SURE, ColumnMatch
from soid.proposal.doubts import Doubt, doubts_of, tried
from soid.proposal.entry_candidates import EntryCandidate, candidate_of
from soid.proposal.first_questions import FirstQuestion, QuestionChoice
from soid.proposal.gathered_project import Gathered
from soid.proposal.log_agreement import LogAgreement, agreement
from soid.proposal.manifest_draft import ManifestDraft
from soid.scenario.trace import Trace, read_for
from soid.solver.protocol import Solver

_TRIED_STEPS: Final = 2000
_TRIED_SECONDS: Final = 20.0  # for trying choices
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


@final
class Proposer:
    """Tries out and completes the proposal for one function and one log."""

    def __init__(self, gathered: Gathered, candidate: EntryCandidate, others: Sequence[str], topic: str | None) -> None:
        self._gathered, self._candidate = gathered, candidate
        self._others, self._topic = tuple(others), topic
        self._replayer = replayer_for(candidate.opened.engine, "confined")

    def doubted(self) -> list[Doubt]:
        """What is not certain about the columns; choices are tried where that does not take long."""
        candidate = self._candidate
        doubts = doubts_of(candidate)
        if doubts and not self._can_run(candidate.matches):
            return doubts
        return tried(doubts, candidate.matches, self._fit, Budget(_TRIED_SECONDS).started())

    def _can_run(self, matches: Sequence[ColumnMatch]) -> bool:
        """Whether trying takes no longer than one try; a log that cannot be read may be with another choice."""
        tried = self._fit(matches)
        return bool(tried.steps) or tried.is_unread

    def _fit(self, matches: Sequence[ColumnMatch]) -> LogAgreement:
        try:
            trace = self._read(self._draft(matches))[2]
        except InputError as error:
            return LogAgreement(0, 0, 0, obstacle=error.cause, is_unread=True)
        return agreement(trace, self._replayer, _TRIED_STEPS)

    def _draft(self, matches: Sequence[ColumnMatch]) -> ManifestDraft:
        candidate = replace(self._candidate, matches=tuple(matches))
        order = {target.name: at for at, target in enumerate(candidate.targets)}
        return ManifestDraft(
            self._gathered.files,
            candidate.function.entry,
            self._others,
            self._gathered.name_of(candidate.survey),
            candidate.survey,
            self._topic,
            candidate.rows.clock,
            candidate.rows.step_column,
            tuple(sorted(matches, key=lambda match: order[match.target.name])),
            tuple(column.name for column in candidate.free_columns),
            unlogged=candidate.unlogged,
            missing=candidate.missing,
        )

    def _elsewhere(self, candidate: EntryCandidate) -> Iterator[str]:
        """Inputs that the log does not have, and another file in the folder seems to have."""
        for name, survey in self._gathered.surveys.items():
            if survey is not candidate.survey:
                other = candidate_of(candidate.opened, survey, self._gathered.comments)
                wanted = [match for match in other.matches if match.target.variable in candidate.missing]
                for match in (each for each in wanted if each.score >= SURE):
                    join = f'[[trace.join]] file = "{name}" joins it by time'
                    yield f"{name} may have {match.target.name}, in its column {match.column.name}: {join}"

    def _read(self, draft: ManifestDraft) -> tuple[Manifest, Engine, Trace]:
        """The manifest as it would be read, and the log by it."""
        declared = load_draft(draft.text, draft.files.folder / FILE_NAME)
        program, engine = open_program(declared.program)
        manifest = replace(declared, program=program)
        return manifest, engine, read_for(manifest)

    def finished(
        self,
        matches: Sequence[ColumnMatch],
        confirmed: frozenset[str],
        tested: Mapping[str, str],
        solver: Solver,
        settings: Settings,
        report: Callable[[str], None] = lambda _: None,
    ) -> Proposal:
        """The proposal with these columns, tried out."""
        draft = replace(self._draft(matches), confirmed=confirmed, tested=tested)
        candidate = replace(self._candidate, matches=tuple(matches))
        refused = [f"not taken for the log: {error.cause}" for error in self._gathered.unreadable.values()]
        beside = (*refused, *self._elsewhere(candidate))
        report("log")
        try:
            manifest, engine, trace = self._read(draft)
        except TraceError as error:
            return Proposal(draft, candidate, problem=error, beside=beside)
        report("running the program over the log")
        run = agreement(trace, self._replayer)
        proposal = Proposal(draft, candidate, trace.warnings, run=run, steps=len(trace), beside=beside)
        if self._replayer is None or not run.steps:
            return proposal
        report("looking for questions worth asking")
        return _questioned(proposal, manifest, engine, trace, self._replayer, solver, settings)


def _questioned(
    proposal: Proposal,
    manifest: Manifest,
    engine: Engine,
    trace: Trace,
    replayer: Replayer,
    solver: Solver,
    settings: Settings,
) -> Proposal:
    """The proposal with its keyframe and its first questions."""
    assert proposal.run is not None
    choice = QuestionChoice(trace, proposal.run, replayer)
    program = manifest.program
    summaries = kept_summaries(program, engine)
    first = trace.keyframe(trace.steps[0].time)
    project = Project(program, trace, first, engine, solver, settings, manifest, replayer, summaries)
    found = _found(choice, project)
    changes = tuple(dict.fromkeys(trace.steps[turn.at].time for turn in choice.turns))
    keyframe = found[0].step if found else None
    asked = tuple(each.text for each in found if each.step == keyframe)
    return replace(
        proposal, questions=found, draft=replace(proposal.draft, keyframe=keyframe, changes=changes, questions=asked)
    )


def _found(choice: QuestionChoice, project: Project) -> tuple[FirstQuestion, ...]:
    """The questions that were found in time; a manifest without any is of use too."""
    deadline = Budget(_QUESTIONS_SECONDS).started()
    found: list[FirstQuestion] = []

    def ask(step: int, text: str) -> str:
        left = min(_QUESTION_SECONDS, deadline.seconds_left or 0.0)
        asked = replace(project.at(step), settings=replace(project.settings, seconds=left))
        return asked.ask(text).verdict.value if left else "unknown"

    with suppress(LimitError), allowed(seconds=_QUESTIONS_SECONDS):
        found.extend(choice.questions(ask))
    return tuple(found)
