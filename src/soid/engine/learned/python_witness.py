"""A recorded run of a model as a test for pytest that runs the model's library on the rows, without soid.

    ROWS = [[52000.0, 24.75, math.nan]]
    RECORDED = [{'decision': '1', 'score': '0x1.d517b4p-1', 'approve': True}]

Where the library adds in no fixed order, a number on record is two: the least and the greatest that it may be.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Final

from soid.engine.learned.library_calls import CALLS
from soid.engine.learned.library_replayer import row_of
from soid.engine.learned.model import LearnedModel, ModelFeature
from soid.engine.learned.model_interface import DECISION, LearnedProgram
from soid.engine.protocol import RecordedRun
from soid.formula import softfloat as sf
from soid.formula.sorts import FLOAT32
from soid.program.interface import Interface
from soid.program.types import FloatType

TEST: Final = "test_witness.py"
_KINDS: Final = ("probability", "score", "value")
_MISSING: Final = ("NoneType", "float")  # what a missing label is in the application, beside texts

Cell = float | str | None


def retold(learned: LearnedProgram, file: Path, run: RecordedRun) -> dict[str, bytes]:
    """The test, by its name; none if the library's call for such a row, or such numbers, is not known here."""
    model, classes = learned.model, learned.model.label.classes if learned.model.label else ()
    if model.networks:
        return {}
    recorded = [_recorded(learned, run, step) for step in range(len(run.outputs))]
    rows = _rows(learned, run)
    names = {*_KINDS, *(f"{kind}_{label}" for kind in _KINDS for label in classes)}
    told = names.issuperset(each.name for each in model.outputs) and all(recorded)
    if rows is None or not told or file.is_absolute():
        return {}
    call = CALLS[model.library]
    given = {
        "about": "\n".join(f"# {ascii(line)[1:-1]}" for line in run.about),
        "imports": "\n".join(
            f'{package.partition(".")[0]} = pytest.importorskip("{package.partition(".")[0]}")'
            + (f'\npytest.importorskip("{package}")' if "." in package else "")
            for package in call.packages
        ),
        "model": str(run.project / PurePosixPath(file)),
        "classes": list(classes),
        "rows": "\n".join(f"    [{', '.join(map(_literal, row))}]," for row in rows),
        "recorded": "\n".join(f"    {row!r}," for row in recorded),
        "decides": "\n".join(
            f"    {one.name!r}: lambda given: given[{one.number!r}] {one.comparison} Fraction({one.bound!r}),"
            for one in learned.thresholds
        ),
        "known": "".join(f"{name} = {value!r}\n" for name, value in _known(learned).items()),
        "predicted": call.predicted,
    }
    return {TEST: _TEST.format(**given).encode()}


def is_python(folder: Path) -> bool:
    """Whether the test in a folder is one that Python reads."""
    try:
        compile((folder / TEST).read_text(), TEST, "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def _known(learned: LearnedProgram) -> dict[str, object]:
    """What the call of a library takes from the model's file besides the rows."""
    model, settings = learned.model, dict(learned.model.settings)
    match model.library:
        case "xgboost":
            begin, _, end = settings.get("iteration_range", "0:0").partition(":")
            return {"ROUNDS": (int(begin), int(end)), "IN_PLACE": settings.get("input") == "inplace_predict"}
        case "sklearn":
            names = [each.name for each in model.features] if settings.get("input") == "names" else []
            return {"NAMES": names, "TEXTS": [_is_text(each, settings) for each in model.features]}
        case "onnxruntime":
            kind = next(kind for kind in _KINDS if any(each.name.startswith(kind) for each in model.outputs))
            return {"CODES": [dict(each.categories) for each in model.features], "KIND": kind}
    return {}


def _rows(learned: LearnedProgram, run: RecordedRun) -> list[list[Cell]] | None:
    """The rows as the library takes them; None if what a category is there is not clear."""
    model, settings = learned.model, dict(learned.model.settings)
    steps = ({}, *run.environments[: len(run.outputs) - 1])
    rows = [row_of(model, learned.inputs, {**run.inputs, **later}) for later in steps]
    if model.library in ("xgboost", "lightgbm"):
        return [[_coded(cell, each) for cell, each in zip(row, model.features, strict=True)] for row in rows]
    if model.library != "sklearn":
        return rows if all(cell is not None for row in rows for cell in row) else None
    kinds = [set(settings.get(f"categories of {each.name}", "str").split()) for each in model.features]
    mixed = [kind - {*_MISSING} not in ({"str"}, set(), {"int"}) for kind in kinds]
    if any(mixed):
        return None
    return [
        [_labelled(cell, each, kind) for cell, each, kind in zip(row, model.features, kinds, strict=True)]
        for row in rows
    ]


def _is_text(feature: ModelFeature, settings: Mapping[str, str]) -> bool:
    return feature.kind == "category" and "str" in settings.get(f"categories of {feature.name}", "str").split()


def _coded(cell: Cell, feature: ModelFeature) -> Cell:
    if cell is None:
        return math.nan
    return float(dict(feature.categories)[cell]) if isinstance(cell, str) else cell


def _labelled(cell: Cell, feature: ModelFeature, kinds: set[str]) -> Cell:
    """A category as scikit-learn's encoders know it: a text, or a number."""
    if cell is None:
        return None if "NoneType" in kinds else math.nan
    seen = any(cell == label for label, _ in feature.categories)
    return float(cell) if isinstance(cell, str) and seen and "str" not in kinds else cell


def _literal(cell: Cell) -> str:
    if not isinstance(cell, float) or math.isfinite(cell):
        return ascii(cell)
    return "math.nan" if math.isnan(cell) else f'float("{cell}")'


def _recorded(learned: LearnedProgram, run: RecordedRun, step: int) -> dict[str, object]:
    """What is on record of a step; empty if there is something that no plain text tells."""
    found: dict[str, object] = {}
    label = learned.model.label
    for name, bits in run.outputs[step].items():
        if name == DECISION and label is not None:
            found[name] = label.classes[bits]
        elif any(one.name == name for one in learned.thresholds):
            found[name] = bool(bits)
        else:
            found[name] = _hex(run.interface, name, bits)
    between = run.between[step] if step < len(run.between) else {}
    found |= {name: tuple(_hex(run.interface, name, bits) for bits in ends) for name, ends in between.items()}
    withheld = _withheld(learned.model)
    return {name: told for name, told in found.items() if not withheld or not name.startswith(withheld)}


def _withheld(model: LearnedModel) -> str:
    """How the names of the numbers begin that the library computes and does not give."""
    if model.library == "xgboost" and dict(model.settings).get("objective") == "multi:softmax":
        return "probability"
    shares = any(each.name.startswith("probability") for each in model.outputs)
    return "score" if model.library == "onnxruntime" and shares else ""


def _hex(interface: Interface, name: str, bits: int) -> str:
    kind = interface.output_type(name)
    assert isinstance(kind, FloatType)
    return (sf.bits32_to_float(bits) if kind.format == FLOAT32 else sf.bits64_to_float(bits)).hex()


_TEST: Final = '''"""The scenario in the model's own library: it must give what is on record."""

{about}

import math
from fractions import Fraction
from pathlib import Path

import pytest

numpy = pytest.importorskip("numpy")
{imports}

MODEL = Path(__file__).parent / {model!r}
CLASSES = {classes!r}
ROWS = [
{rows}
]
# of each row: the class, the numbers to the last bit (two: the least and the greatest that it may be, where the
# library's order of summation is not fixed), and what the application decides
RECORDED = [
{recorded}
]
DECIDES = {{
{decides}
}}
{known}

{predicted}

def by_class(name, columns):
    """A number of each class by its name; of two classes that of the second alone."""
    columns = numpy.asarray(columns)
    if columns.ndim == 1 or columns.shape[1] == 1:
        return {{name: columns.ravel()}}
    if len(CLASSES) == 2:
        return {{name: columns[:, 1]}}
    return {{f"{{name}}_{{label}}": columns[:, place] for place, label in enumerate(CLASSES)}}


def test_the_library_gives_what_is_on_record():
    labels, numbers = predicted()
    columns = {{name: each for kind, given in numbers.items() for name, each in by_class(kind, given).items()}}
    for row, recorded in enumerate(RECORDED):
        given = {{name: float(column[row]) for name, column in columns.items()}}
        for name, told in recorded.items():
            if name in DECIDES:
                assert DECIDES[name](given) == told, name
            elif isinstance(told, tuple):
                assert float.fromhex(told[0]) <= given[name] <= float.fromhex(told[1]), name
            elif name in given:
                assert given[name].hex() == told, name
            else:
                assert labels[row] == told, name
'''
