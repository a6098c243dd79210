"""A new case of uploaded files, before it is one: what is said of the program, and what is wrong, and where.

It knows nothing of pages. What is said becomes a `Declared`; what a look into the files has shown is kept beside it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, final

from msgspec import Struct, field

from soid.web.declaring import Declared
from soid.web.staging import Area

ROLES: Final = ("environment", "state", "decision")
_NUMBER: Final = re.compile(r"[+-]?\d+")
_MOST_SHOWN: Final = 400  # characters of a line of source

Found = Mapping[str, Any]  # a variable as a look into the files shows it


@final
class Said(Struct):
    """What is said of a variable, as it was typed; what is empty stays as it was found."""

    role: str = ""
    low: str = ""
    high: str = ""
    labels: str = ""  # NONE = 0, LEFT = 1
    unit: str = ""
    label: str = ""

    def problem(self) -> str:
        """Why it cannot be meant so; empty if it can."""
        if bool(self.low.strip()) != bool(self.high.strip()):
            return "A range has two ends: give both, or none."
        try:
            self.labelled()
        except ValueError as error:
            return str(error)
        return ""

    def labelled(self) -> dict[str, int]:
        """The labels with their numbers."""
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
        """As [variables] of a manifest has it."""
        said: dict[str, Any] = {
            key: text.strip()
            for key, text in (("role", self.role), ("unit", self.unit), ("label", self.label))
            if text.strip()
        }
        if self.low.strip():
            said["domain"] = [_value(self.low), _value(self.high)]
        labels = self.labelled()
        return {**said, "labels": labels} if labels else said


def _value(text: str) -> int | float | str:
    """An end of a range: a number, or what else was typed, be it a label.

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
class Place(Struct, frozen=True):
    """Where something is wrong."""

    file: str
    line: int
    variable: str  # of a log; empty: it is about none
    words: str
    source: str  # the line itself, as far as it can be shown


@final
class Preparation(Struct):
    """A case to be."""

    area: Area
    entry: str = ""
    log: str = ""
    keyframe: str = ""
    ignored: str = ""  # columns of the log that are nothing to the program, with commas between them
    title: str = ""
    said: dict[str, Said] = field(default_factory=dict)  # by path
    functions: tuple[str, ...] = ()  # that the files define
    variables: tuple[Found, ...] = ()  # of the entry, as they are found and said
    steps: str = ""  # of the log, in words
    refused: str = ""  # why files or log do not do, in words
    places: tuple[Place, ...] = ()  # where, as far as that is said

    def of(self, path: str) -> Said:
        """What is said of a variable."""
        return self.said.setdefault(path, Said())

    @property
    def problems(self) -> dict[str, str]:
        """What is typed and cannot be meant, by variable."""
        found = {path: said.problem() for path, said in self.said.items()}
        return {path: problem for path, problem in found.items() if problem}

    @property
    def lacks(self) -> str:
        """What there must be before it is a case; empty if nothing."""
        if not self.area.sources:
            return "Upload the program: files that end with .c, .cc, .cpp or .cxx."
        if not self.entry:
            return "Choose the function that decides."
        if not self.area.logs:
            return "Upload the log: what the program perceived, step by step."
        if self.refused:
            return "Something does not fit yet: see above."
        if not self.variables:
            return "The program is being looked at."
        if self.problems:
            return "Something that is typed cannot be read: it is marked."
        if self.keyframe.strip() and not _NUMBER.fullmatch(self.keyframe.strip()):
            return "The moment is the number of a step."
        return "" if self.title.strip() else "Give the case a title."

    def declared(self) -> Declared:
        """What is said of it; what cannot be read is left out, and is told elsewhere."""
        step = self.keyframe.strip()
        wrong = self.problems
        variables = {path: said.declared() for path, said in self.said.items() if path not in wrong}
        return Declared(
            self.entry,
            (),
            self.log or None,
            int(step) if _NUMBER.fullmatch(step) else None,
            ignore=tuple(name for each in self.ignored.split(",") if (name := each.strip())),
            variables={path: said for path, said in variables.items() if said},
        )

    # --- what a look has shown

    def seen(self, found: Mapping[str, Any]) -> None:
        """What is in the files."""
        self.functions = tuple(found["functions"])
        self.refused, self.places, self.steps = "", (), ""
        self.variables = tuple(found["variables"] or ())
        log, problem = found["log"], found["log_problem"]
        if log is not None:
            self.steps = f"{log['steps']} steps, {log['first']} to {log['last']}"
        if problem is not None:
            self.failed(problem["cause"], problem["remedy"], problem["places"])

    def failed(self, cause: str, remedy: str, places: Sequence[Mapping[str, Any]]) -> None:
        """Why a look came to nothing."""
        self.places = tuple(self._place(each) for each in places)
        here = [place.file for place in self.places if place.file in self.area.files]
        first = cause.strip().splitlines()[0].rstrip(":") if here else ""
        if first and first.startswith(tuple(here)):
            self.refused = f"{here[0]} does not fit the program: what is wrong stands beside it."
        elif first:
            self.refused = f"{first[0].upper()}{first[1:]}: what is wrong stands beside the file."
        else:
            self.refused = f"{cause}\n{remedy}".strip()

    def _place(self, said: Mapping[str, Any]) -> Place:
        file, line = str(said["file"]), int(said["line"])
        return Place(file, line, str(said["variable"] or ""), str(said["words"]), self._source(file, line))

    def _source(self, file: str, line: int) -> str:
        """A line of an uploaded file; of no other."""
        if file not in self.area.files:
            return ""
        text = (Path(self.area.folder) / file).read_text(encoding="utf-8", errors="replace")
        lines = text.splitlines()
        return lines[line - 1][:_MOST_SHOWN] if 0 < line <= len(lines) else ""
