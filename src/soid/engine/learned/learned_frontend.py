"""Learned models: how their files are recognised, described in `soid.toml` and opened.

[program]
engine = "model"
model  = "lending.json"           # as its library wrote it
unpickle = true                   # optional: a pickle or joblib file of scikit-learn, which is a program, is opened in
                                  #   the jail, and read as the skops file that it becomes there

[decisions]                       # optional: what an application decides from the model's numbers
approve = "probability >= 0.37"   # as `soid init` guesses: "probability >= 0.4 guessed between 0.31 and 0.42"; what
                                  #   hangs on where the bound lies is unknown then

advisory = "argmax of y"          # of a network: the place of the greatest number of its output y, or argmin
strong = "y_0 - y_1 >= 0.2"       #   a difference of two numbers, as floats

[inputs]                          # optional: what an application makes of its variables before it calls a network
"x[0]" = "(altitude - 19791.091) / 60261.0"      # one operation after the other, in float64; or "in float32: ..."
"x[3:6]" = "one hot of weather: DRY, RAIN, SNOW"

[state]                           # optional: inputs of a network that are given an output of the call before
h_in = "h_out"

[variables]                       # optional: soid finds features and classes in the file, see soid.program.override
income   = { unit = "EUR", domain = [0.0, 200000.0] }
decision = { labels = ["REFUSED", "APPROVED"] }
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, Literal, cast, final

from msgspec.structs import replace

from soid.engine.frontend import Frontend, StrangersProject
from soid.engine.learned.input_formula import FormulaError, written
from soid.engine.learned.learned_source import (
    FedBack,
    LearnedSource,
    OpenBound,
    OutputChoice,
    PreparedInput,
    Threshold,
)
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
_DIFFERENCE: Final = re.compile(
    rf"\s*(?P<number>[^\W\d]\w*)\s*-\s*(?P<minus>[^\W\d]\w*)\s*(?P<comparison>>=|<=|>|<)\s*(?P<bound>{_DECIMAL})\s*",
)
_CHOICE: Final = re.compile(r"\s*(?P<which>argmax|argmin)\s+of\s+(?P<output>\S.*?)\s*")
_ELEMENTS: Final = re.compile(r"(?P<name>.*?)\s*(?:\[\s*(?P<first>[0-9]{1,9})\s*(?::\s*(?P<end>[0-9]{1,9})\s*)?\])?\s*")
_FORMS: Final = 'Write such as "(altitude - 19791.0) / 60261.0", or "one hot of weather: DRY, RAIN, SNOW".'
_NAME: Final = re.compile(r"[^\W\d]\w*")


@final
class LearnedFrontend(Frontend):
    """Reads learned models."""

    name: ClassVar[str] = "model"
    reads: ClassVar[str] = (
        "learned models of XGBoost (.json, .ubj), LightGBM (.txt), CatBoost (.json), scikit-learn (.skops) "
        "and ONNX (.onnx)"
    )
    tables: ClassVar[tuple[str, ...]] = ("decisions", "inputs", "state")
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
        thresholds, choices = _decisions(tables["decisions"])
        prepared = tuple(_prepared(tables["inputs"])) if "inputs" in tables else ()
        fed_back = tuple(_fed_back(tables["state"])) if "state" in tables else ()
        source = LearnedSource(model, thresholds, unpickle, declarations, choices, prepared, fed_back)
        return Interface(()), source

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


def _decisions(table: TomlTable) -> tuple[tuple[Threshold, ...], tuple[OutputChoice, ...]]:
    found: list[Threshold] = []
    choices: list[OutputChoice] = []
    for name in table:
        text = table.required(name, '"probability >= 0.37"')
        if not _NAME.fullmatch(name):
            table.fail(name, f"{name!r} is no name", "Write letters, digits and _.")
        if (chosen := _CHOICE.fullmatch(text)) is not None:
            choices.append(OutputChoice(name, chosen["output"], chosen["which"] == "argmin"))
            continue
        threshold, difference = _THRESHOLD.fullmatch(text), _DIFFERENCE.fullmatch(text)
        if difference is not None:
            number, bound, minus = difference["number"], difference["bound"], difference["minus"]
            found.append(Threshold(name, number, _comparison(difference), bound, None, minus))
        elif threshold is None:
            table.fail(name, f"{text!r} compares no number of the model", f'Write {name} = "probability >= 0.37".')
        else:
            between = _open_bound(table, name, threshold)
            found.append(Threshold(name, threshold["number"], _comparison(threshold), threshold["bound"], between))
    return tuple(found), tuple(choices)


def _comparison(written: re.Match[str]) -> Literal[">=", ">", "<=", "<"]:
    return cast(Literal[">=", ">", "<=", "<"], written["comparison"])


def _prepared(table: TomlTable) -> Iterator[PreparedInput]:
    for key in table:
        text = table.required(key, '"(altitude - 19791.0) / 60261.0"')
        place = _ELEMENTS.fullmatch(key)
        assert place is not None
        first = int(place["first"] or 0)
        count = None if place["first"] is None else int(place["end"] or first + 1) - first
        if count is not None and count < 1:
            table.fail(key, f"{key} has no elements", 'The end is one beyond the last: "x[3:6]" has three.')
        try:
            yield PreparedInput(place["name"], first, count, written(text), text)
        except FormulaError as error:
            table.fail(key, f"{text!r} says not how the elements are made: {error}", _FORMS)


def _fed_back(table: TomlTable) -> Iterator[FedBack]:
    for name in table:
        yield FedBack(name, table.required(name, '"h_out"'))


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
