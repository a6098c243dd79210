"""A soid.toml that is not written yet: what it will say, and its text with the reasons beside the lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, final

from msgspec import Struct

from soid.program.interface import Variable
from soid.program.toml_text import key_text, value_text
from soid.program.trace_table import EVERYTHING, LogClock
from soid.program.types import MISSING, BoolType, FloatType, IntType, show
from soid.proposal.column_entry import column_entry, is_mapped, reasons, seen_values, variable_entry
from soid.proposal.column_match import ColumnMatch
from soid.proposal.column_survey import LogSurvey
from soid.proposal.project_files import ProjectFiles
from soid.proposal.threshold_proposal import ProposedThreshold
from soid.visible_text import visible_line

_WIDE: Final = 100  # columns of a line: a longer comment stands above it
_MANY: Final = 12  # steps and names that a comment lists

_HEAD: Final = """\
# Proposed by `soid init` from the program and the log. Read each line before you cite an answer.
# `soid inspect` shows what it says of the program, `soid docs manifest` has every key.
"""
_THRESHOLDS: Final = """\
# What the application decides from the model's numbers. Which bound it has the log does not tell: what hangs on that is
# unknown, until you write the one that it has, without the words from "guessed" on.
"""
_DOMAINS: Final = """\
# A domain is what a variable ranges over where a question frees it ("if x is anything"). The domains here are
# PROPOSALS, rounded out from the values in the log. A "no" is proved for what the domain has, and for nothing
# beyond it: write what can really occur.
"""


@final
class ManifestDraft(Struct, frozen=True):
    """What the manifest will say."""

    files: ProjectFiles
    entry: str
    other_entries: tuple[str, ...] = ()
    log: Path | None = None  # relative to the folder
    survey: LogSurvey | None = None
    topic: str | None = None
    clock: LogClock | None = None
    step_column: str | None = None
    matches: tuple[ColumnMatch, ...] = ()
    ignored: tuple[str, ...] = ()  # columns of the log that no variable has
    confirmed: frozenset[str] = frozenset()  # variables whose column a person has chosen
    tested: Mapping[str, str] = {}  # by variable: what running the program said of its column
    empty: str | None = None  # why a cell without a value means that it is missing; None: it is not known
    thresholds: tuple[ProposedThreshold, ...] = ()
    unlogged: tuple[str, ...] = ()  # inputs without a column that have an initial value
    missing: tuple[Variable, ...] = ()  # inputs without a column and without an initial value
    agreed: str = ""  # in how many steps it decides as logged, run from its first call
    keyframe: int | None = None
    changes: tuple[int, ...] = ()  # the steps at which a decision changed
    questions: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The manifest."""
        parts = [_HEAD, _table("program", self._program())]
        if self.thresholds:
            lines = [_ManifestLine(key_text(each.name), each.text, f"GUESSED: {each.why}") for each in self.thresholds]
            parts.append(_THRESHOLDS + _table("decisions", lines))
        if self.log is not None:
            parts.append(_table("trace", self._trace()))
            columns = [
                _ManifestLine(key_text(m.target.name), column_entry(m, self.survey), self._reason(m))
                for m in self.mapped
            ]
            if columns:
                parts.append(
                    "# the variable = the column of the log that has its values\n" + _table("trace.columns", columns)
                )
            parts.append(_DOMAINS + _table("variables", self._variables()) + self._gaps())
        if self.questions:
            asked = "".join(f"    {value_text(question)},\n" for question in self.questions)
            parts.append(f"[questions]\n# what `soid ask` asks at the keyframe\nask = [\n{asked}]\n")
        return "\n".join(parts)

    def _program(self) -> Iterator[_ManifestLine]:
        files = self.files
        yield _ManifestLine("name", files.folder.resolve().name or "program")
        yield _ManifestLine("engine", files.frontend.name)
        if files.frontend.file_key:
            also = f"it may also be {', '.join(self.other_entries)}" if self.other_entries else ""
            yield _ManifestLine(files.frontend.file_key, files.sources[0].as_posix(), also)
            if files.unpickle:
                yield _ManifestLine("unpickle", True, "a pickle is a program: it is opened in the jail alone")
            return
        if files.commands is not None:
            yield _ManifestLine("compile_commands", files.commands.as_posix(), "how the sources are compiled")
        else:
            yield _ManifestLine("sources", [source.as_posix() for source in files.sources])
            if files.include:
                yield _ManifestLine("include", list(files.include))
        if files.defines:
            yield _ManifestLine("defines", list(files.defines))
        others = f"the function that decides; it may also be {', '.join(self.other_entries)}"
        yield _ManifestLine("entry", self.entry, others if self.other_entries else "the function that decides")

    def _trace(self) -> Iterator[_ManifestLine]:
        assert self.log is not None
        yield _ManifestLine("file", self.log.as_posix())
        if self.topic is not None:
            yield _ManifestLine("topic", self.topic)
        if self.step_column is not None:
            yield _ManifestLine("step", self.step_column, "the column that numbers the steps")
        if self.clock is not None:
            yield _ManifestLine("time", {"column": self.clock.column, "unit": self.clock.unit})
        if self.empty is not None:
            yield _ManifestLine("empty", MISSING, self.empty)
        if self.blanks:
            yield _ManifestLine("missing", list(self.blanks), "what the log writes where it has no value")
        if self.keyframe is not None:
            many = () if self.files.frontend.calls_alone else self.changes[:_MANY]
            more = ", ..." if len(self.changes) > _MANY else ""
            listed = f"decisions changed at {', '.join(map(str, many))}{more}" if many else ""
            yield _ManifestLine("keyframe", self.keyframe, f"the step that is asked about; {listed}".rstrip("; "))
        if self.ignored:
            inside = {match.target.name for match in self.matches}
            hides = any(name.startswith(each) for each in self.ignored for name in inside)
            yield _ManifestLine(
                "ignore", [EVERYTHING] if hides else list(self.ignored), "columns that match no variable"
            )

    @property
    def mapped(self) -> tuple[ColumnMatch, ...]:
        """Those of which [trace.columns] says something."""
        return tuple(match for match in self.matches if is_mapped(match, self.survey))

    @property
    def blanks(self) -> tuple[str, ...]:
        """What stands for no value, unless it is a label in another column."""
        found = dict.fromkeys(text for match in self.matches for text in match.column.blanks)
        labels = {text for match in self.matches if match.labels is not None for text in match.column.texts}
        return tuple(text for text in found if text not in labels)

    def _reason(self, match: ColumnMatch) -> str:
        said = "confirmed" if match.target.name in self.confirmed else f"GUESSED: {'; '.join(reasons(match))}"
        tested = self.tested.get(match.target.name, "")
        return "" if match.is_sure else "; ".join(filter(None, (said, tested)))

    @property
    def stated_types(self) -> tuple[tuple[str, str], ...]:
        """The types that the file gives to variables, by their paths."""
        entries = {match.target.variable.path: variable_entry(match, self.survey) for match in self.matches}
        return tuple((path, said["type"]) for path, said in entries.items() if "type" in said)

    def _variables(self) -> Iterator[_ManifestLine]:
        """One entry a variable: of state that is logged before and after the call, what is said of it before."""
        entries: dict[str, tuple[dict[str, Any], str]] = {}
        for match in self.matches:
            said = variable_entry(match, self.survey)
            if said and match.target.variable.path not in entries:
                entries[match.target.variable.path] = said, seen_values(match, self.survey)
        for path, (said, seen) in entries.items():
            yield _ManifestLine(key_text(path), said, seen)

    def _gaps(self) -> str:
        """What the log does not have, as comments."""
        text = ""
        if self.unlogged:
            text += _comment(f"Not in the log, though the program remembers it: {_listed(self.unlogged)}.")
            text += _comment("Where it does not follow from the log, answers are for every value that it may have had.")
            text += _comment("If the log begins with the program's first call, say so under [trace]: from_start = true")
            if self.agreed:
                text += _comment(f"(run from its first call, the program decides as logged in {self.agreed} steps).")
        if self.missing:
            names = tuple(each.path for each in self.missing)
            text += _comment(f"NOT IN THE LOG: {_listed(names)}. Answers are for every value that it may have had.")
            text += _comment("Name its column under [trace.columns], or give the value that it had at every step:")
            text += "".join(f"# {key_text(each.path)} = {{ initial = {_example(each)} }}\n" for each in self.missing)
        return text


@final
class _ManifestLine(Struct, frozen=True):
    key: str
    value: Any
    why: str = ""


def _table(title: str, lines: Iterator[_ManifestLine] | list[_ManifestLine]) -> str:
    rows = list(lines)
    wide = max((len(row.key) for row in rows), default=0)
    text = f"[{title}]\n"
    for row in rows:
        line = f"{row.key.ljust(wide)} = {value_text(row.value)}"
        if row.why and len(line) + len(row.why) > _WIDE:
            text += _comment(row.why)
            text += f"{line}\n"
        else:
            text += f"{line}  # {visible_line(row.why)}\n" if row.why else f"{line}\n"
    return text


def _example(variable: Variable) -> str:
    """A value of a variable's type, in TOML."""
    text = show(variable.type, 0)
    return text if isinstance(variable.type, BoolType | FloatType | IntType) else value_text(text)


def _comment(text: str) -> str:
    return f"# {visible_line(text)}\n"


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names[:_MANY]) + (f" and {len(names) - _MANY} more" if len(names) > _MANY else "")
