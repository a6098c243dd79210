"""What was found in a folder: files, functions and logs, and which of them go together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, final

from msgspec import Struct

from soid.engine.frontend import DefinedFunction
from soid.errors import InputError, ProgramError, SoidError, TraceError, did_you_mean
from soid.program.types import EnumType, FloatType, IntType
from soid.proposal.column_match import SURE, name_score
from soid.proposal.column_survey import LogSurvey, survey_log
from soid.proposal.entry_candidates import EntryCandidate, OpenedFunction, candidate_of, functions_of, opened_functions
from soid.proposal.name_words import named_words
from soid.proposal.project_files import NamedFiles, ProjectFiles, files_in
from soid.proposal.source_comments import SourceComment, comments_in
from soid.scenario.log_formats import quoted
from soid.scenario.logs.log_source import LOG_ENDINGS

_MOST_LOGS: Final = 6
_MOST_PROGRAMS: Final = 8
_FEW: Final = 5  # values in a message
_SHOWN: Final = 20  # names in a message


@final
class Gathered(Struct, frozen=True):
    """What was found in a folder."""

    folder: Path
    comments: Mapping[str, SourceComment]
    surveys: Mapping[Path, LogSurvey]  # by the log's name, relative to the folder
    unreadable: Mapping[Path, SoidError]  # files that may be logs, and cannot be read as such
    functions: tuple[OpenedFunction, ...]
    unopened: tuple[SoidError, ...] = ()  # why other files, which may be programs, are none

    @property
    def ranked(self) -> list[EntryCandidate]:
        """Every function with every log, the best first."""
        found = [
            candidate_of(each, survey, self.comments) for survey in self.surveys.values() for each in self.functions
        ]
        return sorted(found, key=lambda each: -each.score)

    def name_of(self, survey: LogSurvey) -> Path:
        return next(name for name, each in self.surveys.items() if each is survey)


def gather(folder: Path, named: NamedFiles, entry: str | None = None, topic: str | None = None) -> Gathered:
    """Look at a folder; an InputError says what it lacks."""
    programs = files_in(folder, named)
    logs = programs[0].logs
    if not logs:
        raise _no_log(folder, programs)
    surveys: dict[Path, LogSurvey] = {}
    unreadable: dict[Path, SoidError] = {}
    for name in logs[:_MOST_LOGS]:
        try:
            surveys[name] = survey_log(folder / name, topic)
        except SoidError as error:
            unreadable[name] = error
    if not surveys:
        raise next(iter(unreadable.values()))
    for name in logs[_MOST_LOGS:]:
        unreadable[name] = TraceError(f"{name}: it was not looked at, because there are many", "Name it with --log.")
    functions, unopened = _opened(programs, entry)
    comments = comments_in(text for files in programs for text in files.texts())
    return Gathered(folder, comments, surveys, unreadable, functions, unopened)


def _opened(
    programs: Sequence[ProjectFiles], entry: str | None
) -> tuple[tuple[OpenedFunction, ...], tuple[SoidError, ...]]:
    """The functions of all programs, and why other programs cannot be opened. If none can be, that is an error."""
    found: list[OpenedFunction] = []
    refused: list[InputError] = []
    if entry is not None:  # a program that is one file has no functions
        programs = [files for files in programs if not files.frontend.file_key] or programs
    for files in programs[:_MOST_PROGRAMS]:
        try:
            functions = functions_of(files)
            found += opened_functions(files, functions if entry is None else _named(entry, functions))
        except InputError as error:
            refused.append(error)
    if not found:
        raise refused[0]
    left = [
        ProgramError(f"{files.sources[0]}: it was not looked at, because there are many", "Name it with --source.")
        for files in programs[_MOST_PROGRAMS:]
    ]
    return tuple(found), (*refused, *left)


def _no_log(folder: Path, programs: Sequence[ProjectFiles]) -> TraceError:
    """Where a program needs no function to be chosen, the message has the first line of a log."""
    remedy = f"soid reads logs that end in {', '.join(LOG_ENDINGS)}. Name one with --log."
    alone = [files for files in programs if files.frontend.file_key]
    if alone:
        program = _opened(alone[:1], None)[0][0].program
        names = ",".join(each.path for each in program.interface.inputs)
        remedy += f" One that you write needs a row for each call, and as its first line: {names}"
    return TraceError(f"there is no log in {folder}", remedy)


def _named(entry: str, functions: Sequence[DefinedFunction]) -> list[DefinedFunction]:
    found = [each for each in functions if entry in (each.entry, each.name)]
    if not found:
        names = [each.entry for each in functions]
        remedy = did_you_mean(entry, names, f"They define: {', '.join(names[:_SHOWN])}.")
        raise InputError(f"the sources define no function {entry}", remedy)
    return found


def refuse_unfit(gathered: Gathered, candidate: EntryCandidate) -> None:
    """Refuse a log in which nothing is to be found: none of its columns, or numbers that soid does not read."""
    survey, name = candidate.survey, gathered.name_of(candidate.survey)
    numbers = [each for each in candidate.targets if isinstance(each.variable.type, FloatType | IntType)]
    for column in survey.columns:
        if column.has_commas and any(name_score(named_words(column.name), each) >= SURE for each in numbers):
            problem = (
                f"{name}: the column {quoted(column.name)} has numbers with a decimal comma ({quoted(column.texts[0])})"
            )
            raise TraceError(problem, "soid reads numbers with a point: export the log anew with points.")
    _refuse_misfits(name, candidate)
    if not candidate.matches:
        columns = ", ".join(quoted(column.name) for column in survey.columns[:_SHOWN])
        variables = ", ".join(target.name for target in candidate.targets[:_SHOWN]) or "none"
        problem = f"no column of {name} fits a variable of the program. Its columns are: {columns}"
        remedy = (
            f"The likeliest to decide is {candidate.named}; its variables are: {variables}. "
            "--entry names another function, --source another program and --log another log. If all are right, "
            'write a soid.toml by hand, with lines such as [trace.columns] VARIABLE = "COLUMN".'
        )
        if all(column.name.replace(".", "").isdigit() for column in survey.columns):
            remedy = "Its first line must name the columns, and has numbers."
        raise TraceError(problem, remedy)


def _refuse_misfits(name: Path, candidate: EntryCandidate) -> None:
    """Refuse a column that is called as a variable and does not have its values: it could not be ignored."""
    targets = {target.name: target.variable.type for target in candidate.targets}
    for column in candidate.free_columns:
        kind = targets.get(column.name)
        if kind is not None:
            found = ", ".join(map(quoted, column.texts[:_FEW]))
            problem = f"{name}: the column {quoted(column.name)} is called as the program's variable, and has {found}"
            fits = ", ".join(label for label, _ in kind.labels) if isinstance(kind, EnumType) else str(kind)
            raise TraceError(problem, f"It may have: {fits}. Correct the log, or give the column another name.")
