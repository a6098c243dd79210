"""Types: every value keeps its bits through text, JSON and back."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soid.formula.passes import evaluate
from soid.formula.sorts import BOOL, FLOAT16, FLOAT32, FLOAT64, BitVec, Float
from soid.program import types
from soid.program.types import BoolType, EnumType, FloatType, IntType, VariableType, from_python, named, parse, show
from tests.floats import special_patterns

SIGNAL = EnumType("signal", 8, False, (("OFF", 0), ("LEFT", 1), ("RIGHT", 200)))
OFFSET = EnumType("", 4, True, (("BACK", -1), ("STAY", 0), ("ALSO_STAY", 0), ("LOWEST", -8)))
WIDE = [FloatType(FLOAT16), FloatType(FLOAT32), FloatType(FLOAT64)]
ARRIVAL = EnumType("arrival", 8, True, (("WALKED", 0), ("NONE", -1)), (("on foot", 0),), missing=-1)
SMALL: list[VariableType] = [BoolType(), IntType(8, True), IntType(8, False), IntType(1, True), SIGNAL, OFFSET, ARRIVAL]


@pytest.mark.parametrize("kind", SMALL, ids=str)
def test_every_value_of_a_small_type_survives_text_and_json(kind: VariableType) -> None:
    for bits in range(1 << kind.width):
        assert parse(kind, show(kind, bits)) == bits
        assert from_python(kind, json.loads(json.dumps(types.json_value(kind, bits)))) == bits
        assert parse(kind, f"bits(0x{bits:x})") == bits


def test_every_float_of_a_small_format_survives_text_and_json() -> None:
    kind = FloatType(Float(4, 6))
    for bits in range(1 << kind.width):
        assert parse(kind, show(kind, bits)) == bits
        assert from_python(kind, json.loads(json.dumps(types.json_value(kind, bits)))) == bits


@pytest.mark.parametrize("kind", WIDE, ids=str)
@given(data=st.data())
def test_wide_floats_survive_text_and_json(kind: FloatType, data: st.DataObject) -> None:
    bits = data.draw(st.sampled_from(special_patterns(kind.format)) | st.integers(0, kind.format.mask))
    assert parse(kind, show(kind, bits)) == bits
    assert from_python(kind, json.loads(json.dumps(types.json_value(kind, bits), allow_nan=False))) == bits


@pytest.mark.parametrize("kind", WIDE, ids=str)
def test_special_floats_survive_text(kind: FloatType) -> None:
    for bits in special_patterns(kind.format):
        assert parse(kind, show(kind, bits)) == bits


def test_a_float_is_rounded_once() -> None:
    # Above a tie between two singles by less than a double can hold: rounding through a double would go down.
    assert parse(FloatType(FLOAT32), "1.000000059604644775390625000000000000001") == 0x3F800001
    assert parse(FloatType(FLOAT32), "1.000000059604644775390625") == 0x3F800000


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        (BoolType(), "maybe", "expected true or false, found 'maybe'"),
        (BoolType(), "2", "expected true or false, found '2'"),
        (IntType(8, True), "128", "128 is outside int8, which holds -128 to 127"),
        (IntType(8, False), "-1", "-1 is outside uint8, which holds 0 to 255"),
        (IntType(8, True), "1.0", "expected a whole number, found '1.0'"),
        (IntType(8, True), "", "expected a whole number, found ''"),
        (FloatType(FLOAT32), "1,5", "expected a number, found '1,5'"),
        (SIGNAL, "LEFTISH", "expected one of OFF, LEFT, RIGHT, found 'LEFTISH'"),
        (SIGNAL, "256", "256 is outside uint8"),
        (IntType(8, True), "bits(0x100)", "more than the 8 bits of int8"),
        (FloatType(FLOAT32), "nan(0x3f800000)", "is no NaN of float32"),
        (IntType(32, True), "nan(0x7fc00000)", "is no NaN of int32"),
    ],
)
def test_what_cannot_be_read_says_what_was_expected(kind: VariableType, text: str, expected: str) -> None:
    with pytest.raises(ValueError, match=re.escape(expected)):
        parse(kind, text)


@pytest.mark.parametrize(
    ("kind", "value", "bits"),
    [
        (BoolType(), True, 1),
        (BoolType(), 0, 0),
        (IntType(8, True), True, 1),
        (IntType(8, True), -1, 255),
        (IntType(16, True), "0x10", 16),
        (IntType(16, True), "-0x10", 0xFFF0),
        (FloatType(FLOAT32), 1, 0x3F800000),
        (FloatType(FLOAT32), 0.1, 0x3DCCCCCD),
        (FloatType(FLOAT32), "0x1.8p0", 0x3FC00000),
        (FloatType(FLOAT32), float("-inf"), 0xFF800000),
        (FloatType(FLOAT16), float("nan"), FLOAT16.nan),
        (SIGNAL, "RIGHT", 200),
        (SIGNAL, 7, 7),
        (OFFSET, "BACK", 15),
    ],
)
def test_python_values(kind: VariableType, value: object, bits: int) -> None:
    assert from_python(kind, value) == bits


@pytest.mark.parametrize(
    ("kind", "value"),
    [(FloatType(FLOAT32), True), (SIGNAL, False), (IntType(8, True), 1.0), (BoolType(), None), (SIGNAL, [1])],
)
def test_python_values_of_another_kind_are_refused(kind: VariableType, value: object) -> None:
    with pytest.raises(ValueError, match="expected"):
        from_python(kind, value)


def test_names_of_types() -> None:
    for text in ("bool", "int8", "uint1", "int128", "float16", "float32", "float64"):
        assert str(named(text)) == text
    for text in ("int", "int0", "int08", "uint99999", "float80", "double", "Bool", "enum", ""):
        assert named(text) is None


@given(data=st.data())
def test_readings_are_the_values_that_the_program_computes_with(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from([*SMALL, FloatType(FLOAT32)]))
    bits = data.draw(st.integers(0, (1 << kind.width) - 1))
    value = evaluate(types.constant(kind, bits), {})
    if isinstance(kind, FloatType):
        # the reading of any NaN is the one NaN
        assert value == (kind.format.nan if show(kind, bits).startswith("nan") else bits)
    else:
        assert int(value) == bits
    assert types.symbol_sort(kind) == (BOOL if isinstance(kind, BoolType) else BitVec(kind.width))


def test_what_is_missing_is_called_so() -> None:
    lactate = FloatType(FLOAT64, missing=True)
    assert show(lactate, FLOAT64.nan) == "missing" and parse(lactate, "missing") == parse(lactate, "nan") == FLOAT64.nan
    assert types.missing_value(lactate) == FLOAT64.nan and types.missing_value(FloatType(FLOAT64)) is None
    assert parse(ARRIVAL, "missing") == types.missing_value(ARRIVAL) == 0xFF and show(ARRIVAL, 0xFF) == "NONE"
    with pytest.raises(ValueError, match="expected a number, found 'missing'"):
        parse(FloatType(FLOAT64), "missing")


def test_a_label_of_this_name_is_that_label() -> None:
    assert parse(EnumType("", 8, True, (("missing", 3), ("NONE", -1)), missing=-1), "missing") == 3
