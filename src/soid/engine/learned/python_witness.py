"""A recorded run of a model as a test for pytest that runs the model's library on the rows, without soid.

    ROWS = [[52000.0, 24.75, math.nan]]
    GIVEN = {'score': ['0x3f6a8bda'], 'probability': ['0x3f36da2a']}

Only XGBoost's numbers of one class are told so. There is no file for any other model: soid is asked again instead.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from soid.engine.learned.model import MISSING, ModelFeature
from soid.engine.learned.model_interface import LearnedProgram
from soid.engine.protocol import RecordedRun
from soid.formula import softfloat as sf
from soid.formula.sorts import FLOAT32
from soid.program.interface import Variable
from soid.program.types import BoolType, EnumType, FloatType, number

TEST: Final = "test_witness.py"
_NUMBERS: Final = frozenset({"score", "probability", "value"})


def retold(learned: LearnedProgram, file: Path, run: RecordedRun) -> dict[str, bytes]:
    """The test, by its name; none if the library's numbers are not plainly those on record."""
    model, settings = learned.model, dict(learned.model.settings)
    names = [each.name for each in model.outputs]
    told = all(name in step for step in run.outputs for name in names)
    if model.library != "xgboost" or not names or not told or not _NUMBERS.issuperset(names) or file.is_absolute():
        return {}
    begin, _, end = settings.get("iteration_range", "0:0").partition(":")
    rows = [_row(learned, {**run.inputs, **later}) for later in ({}, *run.environments[: len(run.outputs) - 1])]
    given = {
        "about": "\n".join(f"# {ascii(line)[1:-1]}" for line in run.about),
        "model": str(run.project / PurePosixPath(file)),
        "rows": "\n".join(f"    [{', '.join(row)}]," for row in rows),
        "numbers": {name: [f"{step[name]:#x}" for step in run.outputs] for name in names},
        "other": next((name for name in names if name != "score"), "value"),
        "rounds": (int(begin), int(end)),
        "predicted": _IN_PLACE if settings.get("input") == "inplace_predict" else _BY_MATRIX,
    }
    return {TEST: _TEST.format(**given).encode()}


def is_python(folder: Path) -> bool:
    """Whether the test in a folder is one that Python reads."""
    try:
        compile((folder / TEST).read_text(), TEST, "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def _row(learned: LearnedProgram, inputs: Mapping[str, int]) -> Sequence[str]:
    pairs = zip(learned.model.features, learned.inputs, strict=True)
    return [_cell(feature, variable, inputs) for feature, variable in pairs]


def _cell(feature: ModelFeature, variable: Variable | None, inputs: Mapping[str, int]) -> str:
    if variable is None:
        return "0.0"  # the model does not use it
    bits, kind = inputs[variable.path], variable.type
    if isinstance(kind, EnumType):
        index, codes = number(kind, bits), [code for _, code in feature.categories]
        if index == MISSING:
            return "math.nan"
        return repr(float(codes[index] if 0 <= index < len(codes) else max(codes, default=-1) + 1))
    if isinstance(kind, FloatType):
        read = sf.bits32_to_float(bits) if kind.format == FLOAT32 else sf.bits64_to_float(bits)
        return repr(read) if math.isfinite(read) else "math.nan" if math.isnan(read) else f'float("{read}")'
    return repr(float(bits if isinstance(kind, BoolType) else number(kind, bits)))


#: how the library is called, by what has saved the file
_BY_MATRIX: Final = """    data = xgboost.DMatrix(
        numpy.array(ROWS),
        missing=math.nan,
        feature_names=booster.feature_names,
        feature_types=booster.feature_types,
        enable_categorical=True,
    )

    def predicted(margin):
        return booster.predict(data, output_margin=margin, iteration_range=ROUNDS)
"""
_IN_PLACE: Final = """
    def predicted(margin):
        kind = "margin" if margin else "value"
        return booster.inplace_predict(
            numpy.array(ROWS), predict_type=kind, iteration_range=ROUNDS, validate_features=False
        )
"""

_TEST: Final = '''"""The scenario in the model's own library: it must give the numbers on record, to the bit."""

{about}

import math
from pathlib import Path

import pytest

numpy = pytest.importorskip("numpy")
xgboost = pytest.importorskip("xgboost")

MODEL = Path(__file__).parent / {model!r}
ROWS = [
{rows}
]
GIVEN = {numbers!r}  # the bits of each number, as a float32, in each row
ROUNDS = {rounds!r}


def test_the_library_gives_what_is_on_record():
    booster = xgboost.Booster({{"nthread": 1}})
    booster.load_model(str(MODEL))
{predicted}
    found = {{"score": predicted(True), {other!r}: predicted(False)}}
    for name, bits in GIVEN.items():
        assert [hex(each) for each in found[name].view(numpy.uint32)] == bits
'''
