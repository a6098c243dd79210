"""Which program decides, and which of its functions: by names, by what calls it, and by how well it fits the log."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.allowance import look
from soid.engine.frontend import DefinedFunction
from soid.engine.manifest_reader import load_draft
from soid.engine.protocol import Engine
from soid.engine.registry import open_program
from soid.errors import InputError, ProgramError
from soid.program.identifier import words_of
from soid.program.interface import Interface, Variable
from soid.program.manifest import FILE_NAME
from soid.program.program import Program
from soid.proposal.column_match import ColumnMatch, LogTarget, assigned, needs_column, numbered, pairs, targets_of
from soid.proposal.column_survey import LogSurvey, SurveyedColumn
from soid.proposal.log_columns import RowMeaning, row_meaning
from soid.proposal.manifest_draft import ManifestDraft
from soid.proposal.project_files import ProjectFiles
from soid.proposal.source_comments import SourceComment

_MOST: Final = 8  # functions that are opened
_SHOWN: Final = 10  # files in a message
_NAME: Final = re.compile(r"[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*", re.ASCII)
_DECIDING: Final = frozenset(
    words_of(
        "step tick decide decision control controller update respond act plan policy choose select command "
        "loop cycle run operator drive evaluate predict"
    )
)
_OTHERWISE: Final = frozenset(
    words_of("init setup reset test print log main free create destroy get set read write show")
)


#: the entry of a program that is one file, such as a learned model: it has no functions
_WHOLE: Final = DefinedFunction("")


@final
class OpenedFunction(Struct, frozen=True):
    """A function, and the program with it as its entry."""

    files: ProjectFiles
    function: DefinedFunction
    program: Program
    engine: Engine


@final
class EntryCandidate(Struct, frozen=True):
    """A function that may decide, with the columns of a log that fit its variables."""

    opened: OpenedFunction
    survey: LogSurvey
    targets: tuple[LogTarget, ...]
    matches: tuple[ColumnMatch, ...]
    rows: RowMeaning
    score: float
    unused: frozenset[str] = frozenset()  # columns of features that the model does not use

    @property
    def function(self) -> DefinedFunction:
        return self.opened.function

    @property
    def named(self) -> str:
        """What decides: the function, or the file of a program that has none."""
        return self.function.name or self.opened.files.sources[0].as_posix()

    @property
    def missing(self) -> tuple[Variable, ...]:
        """Inputs without a column and without an initial value."""
        return tuple(each for each in self._without_column if needs_column(each))

    @property
    def free_columns(self) -> tuple[SurveyedColumn, ...]:
        """The columns that no variable has, and no feature that the model does not use."""
        used = {match.column.name for match in self.matches} | self.rows.used | self.unused
        return tuple(column for column in self.survey.columns if column.name not in used)

    @property
    def unlogged(self) -> tuple[str, ...]:
        """Inputs without a column that have an initial value."""
        return tuple(each.path for each in self._without_column if not needs_column(each))

    @property
    def _without_column(self) -> list[Variable]:
        known = {match.target.name for match in self.matches}
        return [each for each in self.opened.program.interface.inputs if each.path not in known]


def functions_of(files: ProjectFiles) -> list[DefinedFunction]:
    """The functions that may be an entry, the likeliest first; what the compiler refuses is a CompileError."""
    if files.frontend.file_key:
        return [_WHOLE]
    program = load_draft(ManifestDraft(files, "decide").text, files.folder / FILE_NAME).program
    try:
        found, _ = files.frontend.entries(program)
    except ProgramError as error:
        taken = ", ".join(map(str, files.sources[:_SHOWN])) + (", ..." if len(files.sources) > _SHOWN else "")
        remedy = "--source names the files of one program, --include and --define say how they are compiled"
        raise type(error)(
            error.cause, f"{error.remedy}\nThese were taken for its sources: {taken}. {remedy}."
        ) from error
    known = [each for each in found if _NAME.fullmatch(each.entry)]
    if not known:
        named = ", ".join(map(str, files.sources[:3]))
        raise ProgramError(
            f"no function is defined in {named}", "Name the files that define the program with --source."
        )
    return sorted(known, key=lambda each: (-_likelihood(each), each.name))


def _likelihood(function: DefinedFunction) -> float:
    words = set(words_of(function.entry.rpartition("::")[2]))
    score = 0.5 * bool(words & _DECIDING) - 0.5 * bool(words & _OTHERWISE) - 0.3 * function.is_local
    score += 0.5 * (function.callers <= {"main", function.name})
    return score - (function.entry == "main")


def opened_functions(files: ProjectFiles, functions: Sequence[DefinedFunction]) -> list[OpenedFunction]:
    """The likeliest functions, opened. If none can be opened, the error of the likeliest."""
    found: list[OpenedFunction] = []
    refused: InputError | None = None
    for function in functions[:_MOST]:
        look("looking for the function that decides")
        declared = load_draft(ManifestDraft(files, function.entry).text, files.folder / FILE_NAME).program
        try:
            found.append(OpenedFunction(files, function, *open_program(declared, replayed=True)))
        except InputError as error:
            refused = refused or error
    if not found and refused is not None:
        raise refused
    return found


def candidate_of(opened: OpenedFunction, survey: LogSurvey, comments: Mapping[str, SourceComment]) -> EntryCandidate:
    """A function with a log, and how well they fit."""
    interface, is_model = opened.program.interface, opened.files.frontend.calls_alone
    targets = targets_of(interface, comments, exact=is_model)
    unused = _unused(survey, interface) if is_model else frozenset()
    rest = replace(survey, columns=tuple(each for each in survey.columns if each.name not in unused))
    scored = pairs(rest, targets)
    if not any(match.target.variable.is_input for match in scored):
        scored = [*numbered(survey, targets), *scored]
    found = assigned(scored)
    rows = row_meaning(rest, {match.column.name for match in found if match.is_sure or match.is_named})
    found = [match for match in found if match.column.name not in rows.used]
    unused -= {match.column.name for match in found}  # columns in the order of features that have numbers for names
    candidate = EntryCandidate(opened, survey, tuple(targets), tuple(found), rows, 0.0, unused)
    return _scored(candidate, len(rest.columns) - len(rows.used))


def _unused(survey: LogSurvey, interface: Interface) -> frozenset[str]:
    """Columns of features that a model does not use; they are called as its file calls them, and are no others."""
    paths = ((column.name, interface.spellings.get(column.name, column.name)) for column in survey.columns)
    return frozenset(name for name, path in paths if path in interface.untouched)


def _scored(candidate: EntryCandidate, columns: int) -> EntryCandidate:
    inputs = [match for match in candidate.matches if match.target.variable.is_input]
    decisions = len(candidate.matches) - len(inputs)
    needed = len(candidate.missing) + len(inputs)
    fit = sum(min(match.score, 1.0) for match in candidate.matches) / max(columns, 1)
    lacking = len(candidate.missing) / needed if needed else 0.0
    none = not candidate.opened.program.interface.decisions
    score = _likelihood(candidate.function) + 2 * fit + 0.5 * bool(decisions) + 0.5 * bool(inputs) - lacking - 2 * none
    return replace(candidate, score=score)
