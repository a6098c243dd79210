"""A Proposer: tries out what one function and one log say of each other, and completes the proposal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final, final

from msgspec.structs import replace

from soid.budget import Budget
from soid.engine.manifest_reader import load_draft
from soid.engine.protocol import Engine, replayer_for
from soid.engine.registry import open_program
from soid.errors import InputError, TraceError
from soid.formula.build import TRUE
from soid.oracle.inquiry import Context, Inquiry
from soid.oracle.log_walk import Explores
from soid.program.manifest import FILE_NAME
from soid.program.types import EnumType, FloatType
from soid.proposal.column_doubt import EMPTY, Doubt, ProposedReading
from soid.proposal.column_match import SURE, ColumnMatch
from soid.proposal.doubts import doubts_of, lacking_number, tried
from soid.proposal.entry_candidates import EntryCandidate, candidate_of
from soid.proposal.gathered_project import Gathered
from soid.proposal.log_agreement import LogAgreement, agreement
from soid.proposal.manifest_draft import ManifestDraft
from soid.proposal.number_columns import is_near, possible_numbers
from soid.proposal.proposal import Proposal
from soid.proposal.threshold_proposal import TABLE, ProposedThreshold, proposed_threshold, two_valued
from soid.scenario.trace import Step, Trace
from soid.scenario.trace_reader import read_for
from soid.solver.chain import chain

_TRIED_STEPS: Final = 2000
_TRIED_SECONDS: Final = 20.0  # for trying choices


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
        self._contexts: dict[tuple[tuple[str, str], ...], Context] = {}  # by the types that a draft states
        # a library may add in any order, so that what it logged has other last bits
        alone = candidate.opened.files.frontend.calls_alone
        self._explores = Explores.DIFFERING if alone else Explores.NONE

    def doubted(self) -> list[Doubt]:
        """What is not certain about the columns; choices are tried where that does not take long."""
        candidate = self._candidate
        doubts, reading = doubts_of(candidate), ProposedReading(candidate.matches)
        numbers = list(possible_numbers(candidate))
        if not doubts and not numbers:
            return []
        first = self._fit(reading)
        doubts = [*self._numbers(numbers, reading, first), *doubts]
        if (
            first.steps or first.is_unread
        ):  # else a try takes long; a log that cannot be read may be with another choice
            doubts = tried(doubts, reading, self._fit, Budget(_TRIED_SECONDS).started())
        return [doubt for doubt in doubts if not doubt.is_moot]

    def _numbers(self, possible: Sequence[ColumnMatch], reading: ProposedReading, run: LogAgreement) -> Iterator[Doubt]:
        """The numbers of a model that columns have under other names."""
        near: dict[str, list[ColumnMatch]] = {}
        for match in possible if run.steps else ():
            other = replace(reading, matches=(*reading.matches, match))
            try:
                trace = self._read(self._draft(other))
            except TraceError:  # what is in other rows
                continue
            if is_near(match, self._candidate, trace, run.outputs):
                near.setdefault(match.target.name, []).append(match)
        yield from map(lacking_number, near.values())

    def _fit(self, reading: ProposedReading) -> LogAgreement:
        try:
            _refuse_missing(replace(self._candidate, matches=reading.matches))
            trace, context = self._ready(self._draft(reading))
        except InputError as error:
            return LogAgreement(0, 0, 0, obstacle=error.cause, is_unread=True)
        return agreement(trace, context, _TRIED_STEPS, self._explores)

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

    def _ready(self, draft: ManifestDraft) -> tuple[Trace, Context]:
        """The log, and the program to run over it: with other types it has other bits, but the same library."""
        trace, engine = self._opened(draft)
        key = draft.stated_types
        if key not in self._contexts:
            self._contexts[key] = self._context_of(engine)
        return trace, self._contexts[key]

    def _opened(self, draft: ManifestDraft) -> tuple[Trace, Engine]:
        declared = load_draft(draft.text, draft.files.folder / FILE_NAME)
        program, engine = open_program(declared.program)
        return read_for(replace(declared, program=program)), engine

    def _decided(
        self, draft: ManifestDraft, candidate: EntryCandidate, run: LogAgreement
    ) -> tuple[ManifestDraft, list[ProposedThreshold | str]]:
        """The draft, and what the application may have decided.

        A column that says yes and no as the model's two classes are called is not its class, if the model decides
        otherwise somewhere, and a threshold gives it at every row.
        """
        wrong = next((each for each in candidate.matches if run.contradicted and _is_class_of_two(each)), None)
        if wrong is not None and wrong.target.name not in draft.confirmed:
            column = wrong.column.name
            bare = replace(draft, matches=_without(draft.matches, wrong), ignored=(*draft.ignored, column))
            found = list(self._thresholds(bare, replace(candidate, matches=_without(candidate.matches, wrong)), run))
            if any(isinstance(each, ProposedThreshold) and each.match.column.name == column for each in found):
                return bare, found
        return draft, list(self._thresholds(draft, candidate, run))

    def _thresholds(
        self, draft: ManifestDraft, candidate: EntryCandidate, run: LogAgreement
    ) -> Iterator[ProposedThreshold | str]:
        """What the application may have decided from the program's numbers; a text says of a column that it did not."""
        interface = candidate.opened.program.interface
        numbers = [each.path for each in interface.decisions if isinstance(each.type, FloatType)]
        for match in two_valued(candidate.free_columns, interface) if numbers and run.steps else ():
            tried = ProposedThreshold(match, f"{numbers[0]} >= 0.5")
            try:
                trace = self._read(_deciding(draft, [tried]))
            except TraceError:  # its other rows have other texts
                continue
            ends = partial(self._ends, self._contexts[draft.stated_types])
            found = proposed_threshold(match, trace, run.outputs, ends)
            yield found or (
                f"{match.column.name} has two values, and no threshold on {', '.join(numbers)} gives them at every "
                f'row: it is ignored. If one decides it: [decisions] {match.target.name} = "{numbers[-1]} >= 0.5"'
            )

    def _ends(self, context: Context, step: Step, name: str) -> tuple[int, int] | None:
        """Between which bits a number lies at a step: a library may add in any order, and its run shows one of them."""
        asking = Inquiry(context)
        ran = context.engine.explore(asking.exploration(step.inputs, TRUE, asking.deadline)).run({})
        known = (ran.outputs[name], ran.outputs[name]) if name in ran.outputs else None
        return ran.between[-1].get(name, known)

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
            trace, context = self._ready(draft)
        except TraceError as error:
            return replace(proposal, problem=error)
        run = agreement(trace, context, explores=self._explores)
        if TABLE in draft.files.frontend.tables:
            draft, decided = self._decided(draft, candidate, run)
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


def _is_class_of_two(match: ColumnMatch) -> bool:
    kind = match.target.variable.type
    return isinstance(kind, EnumType) and len(kind.labels) == 2 and not match.target.variable.is_input


def _without(matches: Sequence[ColumnMatch], one: ColumnMatch) -> tuple[ColumnMatch, ...]:
    return tuple(each for each in matches if each.column.name != one.column.name)


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
