"""A proposal, from a folder to a soid.toml that was tried out.

    gather        the files, the functions, what the log holds             gathered_project.py
    ranked        which function decides, with which log: the best first
    doubted       what is not certain about its columns, tried by running the program over the log
    finished      the manifest, and what running the program over the whole log shows
    questioned    the keyframe and the first questions, once the manifest is written

Between these a person may choose; `soid.cli.commands.init_command` asks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.allowance import allowed
from soid.budget import Budget
from soid.case.project import Project
from soid.engine.manifest_reader import load_draft
from soid.engine.protocol import Engine, replayer_for
from soid.engine.registry import open_program
from soid.errors import InputError, LimitError, SoidError, TraceError
from soid.oracle.inquiry import Context
from soid.oracle.log_walk import Explores
from soid.program.manifest import FILE_NAME
from soid.program.types import FloatType
from soid.proposal.column_match import SURE
from soid.proposal.doubts import EMPTY, Doubt, ProposedReading, doubts_of, tried
from soid.proposal.entry_candidates import EntryCandidate, candidate_of
from soid.proposal.first_questions import FirstQuestion, QuestionChoice
from soid.proposal.gathered_project import Gathered
from soid.proposal.log_agreement import LogAgreement, agreement, unrun
from soid.proposal.manifest_draft import ManifestDraft
from soid.proposal.threshold_proposal import TABLE, ProposedThreshold, proposed_threshold, two_valued
from soid.scenario.trace import Trace
from soid.scenario.trace_reader import read_for
from soid.solver.chain import chain

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
    def can_be_asked(self) -> bool:
        """Whether questions may have answers, even if the program could not be run over the log."""
        return self.problem is None or bool(self.candidate.missing)

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

    def __init__(
        self,
        gathered: Gathered,
        candidate: EntryCandidate,
        others: Sequence[str],
        topic: str | None,
        *,
        replayed: bool = True,
    ) -> None:
        """`replayed`: the compiled program, or the library of a model, is run; else soid's own evaluation."""
        self._replayed = replayed
        self._gathered, self._candidate = gathered, candidate
        self._others, self._topic = tuple(others), topic
        self._context = self._context_of(candidate.opened.engine)
        # a library may add in any order, so that what it logged has other last bits
        alone = candidate.opened.files.frontend.calls_alone
        self._explores = Explores.DIFFERING if alone else Explores.NONE

    def doubted(self) -> list[Doubt]:
        """What is not certain about the columns; choices are tried where that does not take long."""
        candidate = self._candidate
        doubts, reading = doubts_of(candidate), ProposedReading(candidate.matches)
        if not doubts or self._can_run(reading):
            doubts = tried(doubts, reading, self._fit, Budget(_TRIED_SECONDS).started())
        return [doubt for doubt in doubts if not doubt.is_moot]

    def _can_run(self, reading: ProposedReading) -> bool:
        """Whether trying takes no longer than one try; a log that cannot be read may be with another choice."""
        tried = self._fit(reading)
        return bool(tried.steps) or tried.is_unread

    def _fit(self, reading: ProposedReading) -> LogAgreement:
        try:
            _refuse_missing(replace(self._candidate, matches=reading.matches))
            trace = self._read(self._draft(reading))
        except InputError as error:
            return LogAgreement(0, 0, 0, obstacle=error.cause, is_unread=True)
        return agreement(trace, self._context, _TRIED_STEPS, self._explores)

    def _draft(self, reading: ProposedReading) -> ManifestDraft:
        candidate = replace(self._candidate, matches=reading.matches)
        order = {target.name: at for at, target in enumerate(candidate.targets)}
        return ManifestDraft(
            candidate.opened.files,
            candidate.function.entry,
            self._others,
            self._gathered.name_of(candidate.survey),
            candidate.survey,
            self._topic,
            candidate.rows.clock,
            candidate.rows.step_column,
            tuple(sorted(reading.matches, key=lambda match: order[match.target.name])),
            tuple(column.name for column in candidate.free_columns),
            unlogged=candidate.unlogged,
            missing=candidate.missing,
            empty="" if reading.empty_is_missing else None,
        )

    def _elsewhere(self, candidate: EntryCandidate) -> Iterator[str]:
        """Inputs that the log does not have, and another file in the folder seems to have."""
        for name, survey in self._gathered.surveys.items():
            if survey is not candidate.survey:
                other = candidate_of(candidate.opened, survey, self._gathered.comments)
                wanted = [match for match in other.matches if match.target.variable in candidate.missing]
                for match in (each for each in wanted if each.score >= SURE):
                    clock = other.rows.clock
                    time = f', time = {{ column = "{clock.column}", unit = "{clock.unit}" }}' if clock else ""
                    join = f'[[trace.join]] with file = "{name}"{time} joins it; name the column under [trace.columns]'
                    yield f"{name} may have {match.target.name}, in its column {match.column.name}: {join}"

    def _read(self, draft: ManifestDraft) -> Trace:
        """The log, read with the manifest as it would be written."""
        return self._opened(draft)[0]

    def _opened(self, draft: ManifestDraft) -> tuple[Trace, Engine]:
        declared = load_draft(draft.text, draft.files.folder / FILE_NAME)
        program, engine = open_program(declared.program)
        return read_for(replace(declared, program=program)), engine

    def _thresholds(
        self, draft: ManifestDraft, candidate: EntryCandidate, run: LogAgreement
    ) -> Iterator[ProposedThreshold | str]:
        """What the application may have decided from the program's numbers; a text says of a column that it did not."""
        interface = candidate.opened.program.interface
        numbers = [each.path for each in interface.decisions if isinstance(each.type, FloatType)]
        for match in two_valued(candidate.free_columns, interface) if numbers and run.steps else ():
            tried = ProposedThreshold(match, f"{numbers[0]} >= 0", "")
            try:
                trace = self._read(_deciding(draft, [tried]))
            except TraceError:  # its other rows have other texts
                continue
            found = proposed_threshold(match, trace, run.outputs)
            yield found or (
                f"{match.column.name} has two values, and no threshold on {', '.join(numbers)} gives them at every "
                f'row: it is ignored. If one decides it: [decisions] {match.target.name} = "{numbers[-1]} >= 0.5"'
            )

    def _context_of(self, engine: Engine) -> Context:
        return Context(engine, chain(), replayer_for(engine, "confined") if self._replayed else None)

    def guessed(self) -> Proposal:
        """The proposal with the best choice about everything."""
        reading = ProposedReading(self._candidate.matches)
        for doubt in self.doubted():
            reading = reading.with_choice(doubt.column, doubt.choices[0])
        return self.finished(reading, frozenset(), {})

    def finished(self, reading: ProposedReading, confirmed: frozenset[str], tested: Mapping[str, str]) -> Proposal:
        """The proposal with these columns, and what running the program over the log shows of it."""
        draft = replace(self._draft(reading), confirmed=confirmed, tested=tested)
        if reading.empty_is_missing:
            draft = replace(draft, empty="confirmed" if EMPTY in confirmed else tested.get(EMPTY) or "GUESSED")
        candidate = replace(self._candidate, matches=reading.matches)
        refused = [f"not taken for the log: {error.cause}" for error in self._gathered.unreadable.values()]
        refused += [f"not taken for the program: {error.cause}" for error in self._gathered.unopened]
        proposal = Proposal(draft, candidate, beside=(*refused, *self._elsewhere(candidate)))
        try:
            _refuse_missing(candidate)
            trace = self._read(draft)
        except TraceError as error:
            return replace(proposal, problem=error)
        run = agreement(trace, self._context, explores=self._explores)
        if TABLE in draft.files.frontend.tables:
            decided = list(self._thresholds(draft, candidate, run))
            draft = _deciding(draft, [each for each in decided if isinstance(each, ProposedThreshold)])
            proposal = replace(
                proposal, beside=(*proposal.beside, *(each for each in decided if isinstance(each, str)))
            )
        if draft.thresholds:
            trace, engine = self._opened(draft)
            run = agreement(trace, self._context_of(engine), explores=self._explores)
        agreed = f"{run.agreeing} of {run.compared}" if run.compared else ""
        proposal = replace(proposal, draft=replace(draft, agreed=agreed))
        return replace(proposal, warnings=trace.warnings, run=run, steps=len(trace))


def _deciding(draft: ManifestDraft, thresholds: Sequence[ProposedThreshold]) -> ManifestDraft:
    """The draft with decisions of the application, and their columns."""
    columns = {each.match.column.name for each in thresholds}
    return replace(
        draft,
        thresholds=tuple(thresholds),
        matches=(*draft.matches, *(each.match for each in thresholds)),
        ignored=tuple(name for name in draft.ignored if name not in columns),
    )


def _refuse_missing(candidate: EntryCandidate) -> None:
    """Without all that the program perceives, running it says nothing."""
    if candidate.missing:
        names = ", ".join(each.path for each in candidate.missing)
        remedy = f"{FILE_NAME} has lines to complete: a column for each, or the value that it had at every step."
        raise TraceError(f"these inputs are not in the log: {names}", remedy)


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
    changes = tuple(dict.fromkeys(trace.steps[turn.at].time for turn in choice.turns))
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
