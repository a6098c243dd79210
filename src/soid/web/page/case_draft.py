"""A CaseDraft: uploaded files, what the user declares of their program, and what is wrong with them. It knows no pages.

The declarations become an `UploadManifest`. The draft also holds what a look into the files has found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, final

from msgspec import Struct, field
from msgspec.structs import replace

from soid.program.types import MISSING
from soid.web.page.amounts import capital
from soid.web.page.told_error import in_sentences
from soid.web.upload_areas import Area
from soid.web.upload_manifest import UploadManifest

ROLES: Final = ("environment", "state", "decision")
_NUMBER: Final = re.compile(r"[+-]?\d+")
_MOST_SHOWN: Final = 400  # characters of a source line

Found = Mapping[str, Any]  # a variable as a look into the files finds it


@final
class VariableEntry(Struct):
    """A variable's declaration as typed; an empty field keeps what was found."""

    role: str = ""
    low: str = ""
    high: str = ""
    labels: str = ""  # NONE = 0, LEFT = 1
    unit: str = ""
    label: str = ""

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> VariableEntry:
        """An entry under [variables] of a manifest, as it would be typed."""
        labels = ", ".join(f"{label} = {number}" for number, label in enumerate(entry.get("labels", ())))
        low, high = (str(each) for each in entry.get("domain", ("", "")))
        return cls(low=low, high=high, labels=labels, unit=entry.get("unit", ""))

    def problem(self) -> str:
        """Why it is no declaration; empty if it is one."""
        if bool(self.low.strip()) != bool(self.high.strip()):
            return "A range has two ends: give both, or none."
        try:
            self.labelled()
        except ValueError as error:
            return str(error)
        return ""

    def labelled(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for part in (each.strip() for each in self.labels.split(",")):
            name, sign, value = (each.strip() for each in part.partition("="))
            if not part:
                continue
            if not name or not sign or not _NUMBER.fullmatch(value):
                raise ValueError(f"{part!r} is no label: write NONE = 0, LEFT = 1.")
            found[name] = int(value)
        return found

    def declared(self) -> dict[str, Any]:
        """The entry under [variables] of a manifest."""
        texts = {"role": self.role.strip(), "unit": self.unit.strip(), "label": self.label.strip()}
        said: dict[str, Any] = {key: text for key, text in texts.items() if text}
        if self.low.strip():
            said["domain"] = [_value(self.low), _value(self.high)]
        labels = self.labelled()
        return {**said, "labels": labels} if labels else said


def _value(text: str) -> int | float | str:
    """An end of a range: a number, or else the text itself, such as a label.

    >>> _value(" 12"), _value("0.5"), _value("1e3"), _value("LEFT")
    (12, 0.5, 1000.0, 'LEFT')
    """
    text = text.strip()
    if _NUMBER.fullmatch(text):
        return int(text)
    try:
        return float(text)
    except ValueError:
        return text


@final
class FileProblem(Struct, frozen=True):
    """A line of a file on which something is wrong."""

    file: str
    line: int
    variable: str  # the variable of a log that it is about; may be empty
    words: str
    source: str  # the line itself; empty if it cannot be shown


@final
class CaseDraft(Struct):
    """A case before it exists."""

    area: Area
    entry: str = ""
    log: str = ""
    keyframe: str = ""
    ignored: str = ""  # columns of the log to leave out, separated by commas
    decided: str = ""  # what the application decides from a model's numbers: approve = probability >= 0.5, ...
    empty: str = ""  # what a model was given where the log has no value: it was told so, or else that is not known
    columns: Mapping[str, Any] = field(default_factory=dict)  # of the log, where they have other names
    notes: tuple[str, ...] = ()  # what was proposed, and why
    proposed: CaseDraft | None = None  # what soid proposed for these files
    title: str = ""
    said: dict[str, VariableEntry] = field(default_factory=dict)  # by path
    functions: tuple[str, ...] = ()  # defined by the files
    variables: tuple[Found, ...] = ()  # of the entry, with their declarations
    steps: str = ""  # the log's steps in words
    refused: str = ""  # why the files or the log cannot be used
    places: tuple[FileProblem, ...] = ()  # the lines at fault, where the error names them

    def of(self, path: str) -> VariableEntry:
        return self.said.setdefault(path, VariableEntry())

    @property
    def problems(self) -> dict[str, str]:
        """Why a declaration cannot be read, by variable."""
        found = {path: said.problem() for path, said in self.said.items()}
        return {path: problem for path, problem in found.items() if problem}

    @property
    def lacks(self) -> str:
        """What is missing for a case; empty if nothing is."""
        if not self.area.sources and not self.area.models:
            return "Upload the program: files that end with .c, .cc, .cpp or .cxx, or a learned model."
        if self.area.sources and self.area.models:
            return "Sources and a model are two programs: leave one of them out."
        if self.area.sources and not self.entry:
            return "Choose the function that decides."
        if not self.area.logs:
            return "Upload the log: what the program perceived, step by step."
        if self.refused:
            return "Something does not fit yet: see above."
        if not self.variables:
            return "The program is being looked at."
        if self.problems:
            return "Something that is typed cannot be read: it is marked."
        if self.undecided:
            return f"{self.undecided!r} is no decision: write approve = probability >= 0.5."
        if self.keyframe.strip() and not _NUMBER.fullmatch(self.keyframe.strip()):
            return "The moment is the number of a step."
        return "" if self.title.strip() else "Give the case a title."

    def declared(self) -> UploadManifest:
        """The manifest; it leaves out declarations that cannot be read, which `problems` lists."""
        step = self.keyframe.strip()
        wrong = self.problems
        variables = {path: said.declared() for path, said in self.said.items() if path not in wrong}
        return UploadManifest(
            self.entry,
            (),
            self.log or None,
            int(step) if _NUMBER.fullmatch(step) else None,
            ignore=tuple(name for each in self.ignored.split(",") if (name := each.strip())),
            variables={path: said for path, said in variables.items() if said},
            decisions={name: text for name, text in self._decisions() if text},
            columns=self.columns if self.is_model else {},
            empty_is_missing=bool(self.empty) and self.is_model,
        )

    @property
    def is_model(self) -> bool:
        """Whether the program is a learned model, which has no functions."""
        return bool(self.area.models) and not self.area.sources

    @property
    def undecided(self) -> str:
        """The first of the decisions that cannot be read; empty if all can be."""
        return next((name for name, text in self._decisions() if not text), "")

    def _decisions(self) -> Iterator[tuple[str, str]]:
        for part in (each.strip() for each in self.decided.split(",")):
            name, sign, text = (each.strip() for each in part.partition("="))
            if part and self.is_model:
                yield (name, text) if sign and name.isidentifier() else (part, "")

    # --- a proposal for a model

    def propose(self, said: Mapping[str, Any]) -> None:
        """Take over a proposal for a model and its log, of which nothing was said yet."""
        self.proposed = CaseDraft(
            self.area,
            decided=", ".join(f"{name} = {text}" for name, text in said["decisions"].items()),
            ignored=", ".join(said["ignore"]),
            empty=MISSING if said["empty_is_missing"] else "",
            said={path: VariableEntry.of(entry) for path, entry in said["variables"].items()},
        )
        self.decided, self.ignored, self.empty = self.proposed.decided, self.proposed.ignored, self.proposed.empty
        self.columns, self.notes = said["columns"], tuple(said["notes"])
        self.said |= {path: replace(entry) for path, entry in self.proposed.said.items()}

    def withdraw(self) -> None:
        """Forget a proposal, which was for other files; what was typed in its place stays."""
        old, self.proposed, self.columns, self.notes = self.proposed, None, {}, ()
        if old is not None:
            self.decided = "" if self.decided == old.decided else self.decided
            self.ignored = "" if self.ignored == old.ignored else self.ignored
            self.empty = "" if self.empty == old.empty else self.empty
            self.said = {path: entry for path, entry in self.said.items() if entry != old.said.get(path)}

    # --- the result of a look into the files

    def seen(self, found: Mapping[str, Any]) -> None:
        """Take over what a look found."""
        self.functions = tuple(found["functions"])
        self.refused, self.places, self.steps = "", (), ""
        self.variables = tuple(found["variables"] or ())
        log, problem = found["log"], found["log_problem"]
        if log is not None:
            self.steps = f"{log['steps']} steps, {log['first']} to {log['last']}"
        if problem is not None:
            self.failed(problem["cause"], problem["remedy"], problem["places"])

    def failed(self, cause: str, remedy: str, places: Sequence[Mapping[str, Any]]) -> None:
        """Take over why a look failed."""
        there = self.area.files
        named = {str(each["file"]) for each in places}
        lines = {file: self._lines(file) for file in named if file in there}  # each file is read once
        self.places = tuple(_problem(each, lines.get(str(each["file"]), [])) for each in places)
        here = [place.file for place in self.places if place.file in there]
        first = cause.strip().splitlines()[0].rstrip(":") if here else ""
        if first and first.startswith(tuple(here)):
            self.refused = f"{here[0]} does not fit the program: what is wrong stands beside it."
        elif first:
            self.refused = f"{capital(first)}: what is wrong stands beside the file."
        else:
            self.refused = str(in_sentences(cause, remedy))

    def _lines(self, file: str) -> list[str]:
        return (Path(self.area.folder) / file).read_text(encoding="utf-8", errors="replace").splitlines()


def _problem(said: Mapping[str, Any], lines: Sequence[str]) -> FileProblem:
    """A place that an error names, with its line if the file was uploaded."""
    file, line = str(said["file"]), int(said["line"])
    source = lines[line - 1][:_MOST_SHOWN] if 0 < line <= len(lines) else ""
    return FileProblem(file, line, str(said["variable"] or ""), str(said["words"]), source)
