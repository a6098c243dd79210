"""What was found in a folder: files, functions and logs, and which of them go together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, final

from msgspec import Struct

from soid.engine.frontend import DefinedFunction
from soid.errors import InputError, SoidError, TraceError, did_you_mean
from soid.program.types import FloatType, IntType
from soid.proposal.column_match import SURE, name_score
from soid.proposal.column_survey import LogSurvey, survey_log
from soid.proposal.entry_candidates import EntryCandidate, OpenedFunction, candidate_of, functions_of, opened_functions
from soid.proposal.name_words import named_words
from soid.proposal.project_files import NamedFiles, ProjectFiles, files_in
from soid.proposal.source_comments import SourceComment, comments_in
from soid.scenario.log_formats import quoted

_MOST_LOGS: Final = 6
_SHOWN: Final = 20  # names in a message


@final
class Gathered(Struct, frozen=True):
    """What was found in a folder."""

    files: ProjectFiles
    comments: Mapping[str, SourceComment]
    surveys: Mapping[Path, LogSurvey]  # by the log's name, relative to the folder
    unreadable: Mapping[Path, SoidError]  # files that may be logs, and cannot be read as such
    functions: tuple[OpenedFunction, ...]

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
    files = files_in(folder, named)
    surveys: dict[Path, LogSurvey] = {}
    unreadable: dict[Path, SoidError] = {}
    for name in files.logs[:_MOST_LOGS]:
        try:
            surveys[name] = survey_log(folder / name, topic)
        except SoidError as error:
            unreadable[name] = error
    if not surveys:
        raise next(iter(unreadable.values()))
    for name in files.logs[_MOST_LOGS:]:
        unreadable[name] = TraceError(f"{name}: it was not looked at, because there are many", "Name it with --log.")
    functions = functions_of(files)
    if entry is not None:
        functions = _named(entry, functions)
    comments = comments_in(files.texts())
    return Gathered(files, comments, surveys, unreadable, tuple(opened_functions(files, functions)))


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
    if not candidate.matches:
        columns = ", ".join(quoted(column.name) for column in survey.columns[:_SHOWN])
        variables = ", ".join(target.name for target in candidate.targets[:_SHOWN]) or "none"
        problem = f"no column of {name} fits a variable of the program. Its columns are: {columns}"
        remedy = (
            f"The likeliest function is {candidate.function.entry}; its variables are: {variables}. "
            "--entry names another function and --log another log. If both are right, write a soid.toml by hand, "
            'with lines such as [trace.columns] VARIABLE = "COLUMN".'
        )
        if all(column.name.replace(".", "").isdigit() for column in survey.columns):
            remedy = "Its first line must name the columns, and has numbers."
        raise TraceError(problem, remedy)
