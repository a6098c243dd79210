"""The manifest of an uploaded program: what the user declares of it, written as a `soid.toml`.

>>> place = {"unit": "m", "domain": [0.0, 1.5]}
>>> print(UploadManifest("decide", ("oven.c",), "log.csv", variables={"a.x": place}).toml("oven"))
[program]
name = "oven"
engine = "llvm"
sources = ["oven.c"]
entry = "decide"
<BLANKLINE>
[trace]
file = "log.csv"
<BLANKLINE>
[variables]
"a.x" = { unit = "m", domain = [0.0, 1.5] }
<BLANKLINE>
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, final

from msgspec import Struct, field

from soid.program.toml_text import key_text, value_text
from soid.program.types import MISSING

MODEL: Final = "model"  # the engine of learned models


@final
class UploadManifest(Struct, frozen=True):
    """The declarations; soid finds everything else in the program."""

    entry: str  # the function that decides; a learned model has none
    sources: tuple[str, ...]
    log: str | None = None
    keyframe: int | None = None  # the default moment of a question
    step_column: str | None = None  # the log's column with the step numbers
    ignore: tuple[str, ...] = ()  # columns of the log to leave out
    defines: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    lengths: Mapping[str, int] = field(default_factory=dict)  # number of elements behind each pointer
    variables: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # the entries under [variables]
    model: str | None = None  # the file of a learned model, which is the program then
    decisions: Mapping[str, str] = field(default_factory=dict)  # what the application decides from a model's numbers
    columns: Mapping[str, Any] = field(default_factory=dict)  # the entries under [trace.columns]
    empty_is_missing: bool = False  # a model was told so where the log has no value

    @property
    def says_nothing(self) -> bool:
        """Whether nothing is said of a model and its log: then it may be proposed."""
        return not (self.variables or self.decisions or self.columns or self.ignore or self.empty_is_missing)

    def toml(self, name: str) -> str:
        program: dict[str, Any] = {"name": name, "engine": "llvm", "sources": list(self.sources), "entry": self.entry}
        if self.model is not None:
            program = {"name": name, "engine": MODEL, "model": self.model}
        program |= {key: list(value) for key, value in (("defines", self.defines), ("flags", self.flags)) if value}
        trace = {"file": self.log, "keyframe": self.keyframe, "step": self.step_column, "ignore": list(self.ignore)}
        trace["empty"] = MISSING if self.empty_is_missing else None
        tables = {
            "program": program,
            "decisions": self.decisions,
            "trace": {key: value for key, value in trace.items() if value not in (None, [])} if self.log else {},
            "trace.columns": self.columns if self.log else {},
            "lengths": self.lengths,
            "variables": self.variables,
        }
        return "\n".join(_table(title, table) for title, table in tables.items() if table)


def _table(title: str, table: Mapping[str, Any]) -> str:
    return f"[{title}]\n" + "".join(f"{key_text(key)} = {value_text(value)}\n" for key, value in table.items())
