"""Learned models: how their files are recognised, described in `soid.toml` and opened.

[program]
engine = "model"
model  = "lending.json"           # as its library wrote it
unpickle = true                   # optional: a pickle or joblib file of scikit-learn, which is a program, is opened in
                                  #   the jail, and read as the skops file that it becomes there

[decisions]                       # optional: what an application decides from the model's numbers
approve = "probability >= 0.37"   # as `soid init` guesses: "probability >= 0.4 guessed between 0.31 and 0.42"; what
                                  #   hangs on where the bound lies is unknown then

[variables]                       # optional: soid finds features and classes in the file, see soid.program.override
income   = { unit = "EUR", domain = [0.0, 200000.0] }
decision = { labels = ["REFUSED", "APPROVED"] }
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, Literal, cast, final

from msgspec.structs import replace

from soid.engine.frontend import Frontend, StrangersProject
from soid.engine.learned.learned_source import LearnedSource, OpenBound, Threshold
from soid.engine.learned.model_files import recognises
from soid.program.files import matching
from soid.program.interface import Interface
from soid.program.override import Declaration
from soid.program.program import Program
from soid.program.toml_table import TomlTable

if TYPE_CHECKING:
    from soid.engine.learned.learned_engine import LearnedEngine

_DECIMAL: Final = r"[+-]?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,3})?"
_THRESHOLD: Final = re.compile(
    rf"\s*(?P<number>[^\W\d]\w*)\s*(?P<comparison>>=|<=|>|<)\s*(?P<bound>{_DECIMAL})\s*"
    rf"(?:guessed\s+between\s+(?P<over>{_DECIMAL})\s+and\s+(?P<upto>{_DECIMAL})\s*)?",
)
_NAME: Final = re.compile(r"[^\W\d]\w*")


@final
class LearnedFrontend(Frontend):
    """Reads learned models."""

    name: ClassVar[str] = "model"
    reads: ClassVar[str] = (
        "learned models of XGBoost (.json, .ubj), LightGBM (.txt), CatBoost (.json), scikit-learn (.skops) "
        "and ONNX (.onnx)"
    )
    tables: ClassVar[tuple[str, ...]] = ("decisions",)
    file_keys: ClassVar[tuple[str, ...]] = ("model",)
    finds_variables: ClassVar[bool] = True
    file_key: ClassVar[str] = "model"
    calls_alone: ClassVar[bool] = True

    def recognises(self, ending: str, head: bytes) -> bool:
        return recognises(ending, head)

    def read(self, tables: Mapping[str, TomlTable], folder: Path) -> tuple[Interface, LearnedSource]:
        table = tables["program"]
        name = table.required("model", '"model.json"')
        file = matching(table, "model", folder, name, ("*.json",))[0]
        model = file.relative_to(folder) if file.is_relative_to(folder) else file.absolute()
        unpickle = table.flag("unpickle") or False
        declarations = tuple(_declarations(tables["variables"]))
        return Interface(()), LearnedSource(model, _thresholds(tables["decisions"]), unpickle, declarations)

    def open(self, program: Program, *, replayed: bool) -> tuple[Program, LearnedEngine]:
        from soid.engine.learned.learned_engine import open_model

        assert isinstance(program.source, LearnedSource)
        interface, engine = open_model(program.source, program.folder)
        return replace(program, interface=interface), engine

    def bare(
        self, files: Sequence[Path], entry: str, include: Sequence[Path] = (), defines: Sequence[str] = ()
    ) -> LearnedSource:
        return LearnedSource(files[0])

    def guarded(self, program: Program, project: StrangersProject) -> Program:
        """The program as it is: its file lies in the project, and is read in a jail."""
        return program


def _thresholds(table: TomlTable) -> tuple[Threshold, ...]:
    found: list[Threshold] = []
    for name in table:
        text = table.required(name, '"probability >= 0.37"')
        written = _THRESHOLD.fullmatch(text)
        if not _NAME.fullmatch(name):
            table.fail(name, f"{name!r} is no name", "Write letters, digits and _.")
        if written is None:
            table.fail(name, f"{text!r} compares no number of the model", f'Write {name} = "probability >= 0.37".')
        comparison = cast(Literal[">=", ">", "<=", "<"], written["comparison"])
        found.append(
            Threshold(name, written["number"], comparison, written["bound"], _open_bound(table, name, written))
        )
    return tuple(found)


def _open_bound(table: TomlTable, name: str, written: re.Match[str]) -> OpenBound | None:
    """Between which numbers a bound is guessed to be; None if it is known."""
    if written["over"] is None:
        return None
    bound, over, upto = (Fraction(written[each]) for each in ("bound", "over", "upto"))
    if not (over < upto and over <= bound <= upto):
        known = f"{written['number']} {written['comparison']} {written['bound']}"
        between = f"{written['over']} and {written['upto']}"
        table.fail(name, f"{written['bound']} is not between {between}", f'If you know the bound: {name} = "{known}".')
    return OpenBound(written["over"], written["upto"])


def _declarations(table: TomlTable) -> list[Declaration]:
    declared: list[Declaration] = []
    for path in table:
        entry = table.table(path)
        assert entry is not None
        declared.append(Declaration.read(entry, path))
    return declared
