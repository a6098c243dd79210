"""What `soid init` found and wrote, as JSON: docs/json.md, `init`."""

from __future__ import annotations

import shlex
from typing import final

from msgspec import Struct

from soid.proposal.column_entry import decimals_of, is_converted
from soid.proposal.proposal import Proposal


@final
class MatchedColumnDocument(Struct, frozen=True):
    """A column and its variable, as JSON."""

    column: str
    variable: str
    unit: str | None
    program_unit: str | None
    decimals: int | None
    labels: dict[str, str]
    sure: bool


@final
class FirstQuestionDocument(Struct, frozen=True):
    """A question worth asking, as JSON."""

    step: int
    question: str
    command: str
    verdict: str


@final
class InitDocument(Struct, frozen=True):
    """A proposal as JSON."""

    manifest: str
    entry: str
    other_entries: tuple[str, ...]
    files: list[str]
    log: str
    rows: int
    all_rows: bool
    time: str | None
    columns: list[MatchedColumnDocument]
    ignored: tuple[str, ...]
    unused: tuple[str, ...]
    unlogged: tuple[str, ...]
    missing: tuple[str, ...]
    undefined: list[str]
    guesses: tuple[str, ...]
    warnings: tuple[str, ...]
    problem: str | None
    remedy: str | None
    steps: int | None
    ran: int | None
    compared: int | None
    agreeing: int | None
    first_difference: str | None
    obstacle: str | None
    changes: tuple[int, ...]
    questions: list[FirstQuestionDocument]


def proposal_document(proposal: Proposal, manifest: str, guesses: tuple[str, ...], ask: str) -> InitDocument:
    """The document; `ask` is what is typed before a question."""
    draft, run, problem = proposal.draft, proposal.run, proposal.problem
    survey, opened = proposal.candidate.survey, proposal.candidate.opened
    return InitDocument(
        manifest=manifest,
        entry=draft.entry,
        other_entries=draft.other_entries,
        files=[file.as_posix() for file in draft.files.sources],
        log=str(draft.log),
        rows=survey.rows,
        all_rows=survey.is_whole,
        time=draft.clock.column if draft.clock else None,
        columns=[
            MatchedColumnDocument(
                match.column.name,
                match.target.name,
                match.unit,
                match.ours if is_converted(match) else match.unit or match.ours,
                decimals_of(match, survey),
                match.labels.labels if match.labels else {},
                match.is_sure or match.target.name in draft.confirmed,
            )
            for match in draft.matches
        ],
        ignored=draft.ignored,
        unused=tuple(each.name for each in survey.columns if each.name in proposal.candidate.unused),
        unlogged=draft.unlogged,
        missing=tuple(each.path for each in draft.missing),
        undefined=[part.declared for part in opened.engine.missing],
        guesses=guesses,
        warnings=(*proposal.warnings, *proposal.notes),
        problem=problem.cause if problem else None,
        remedy=problem.remedy if problem else None,
        steps=proposal.steps if run else None,
        ran=run.steps if run else None,
        compared=run.compared if run else None,
        agreeing=run.agreeing if run else None,
        first_difference=run.first or None if run else None,
        obstacle=run.obstacle or None if run else None,
        changes=draft.changes,
        questions=[
            FirstQuestionDocument(each.step, each.text, f"{ask} -s {each.step} {_in_quotes(each.text)}", each.verdict)
            for each in proposal.questions
        ],
    )


def _in_quotes(text: str) -> str:
    """A question as one word of a shell.

    >>> _in_quotes("did x == 1"), _in_quotes("did a$b == 1")
    ('"did x == 1"', "'did a$b == 1'")
    """
    return shlex.quote(text) if set('"$`\\!') & set(text) else f'"{text}"'
