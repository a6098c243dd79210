"""The values that a rounded one may stand for, compared with the decimal module."""

from __future__ import annotations

import decimal
import struct
from decimal import ROUND_HALF_DOWN, ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from soid.engine.manifest_reader import load
from soid.errors import ManifestError, TraceError
from soid.formula import softfloat as sf
from soid.formula.sorts import FLOAT16, FLOAT32, FLOAT64
from soid.program.domain import contains
from soid.program.interface import Interface, Role, Variable
from soid.program.types import FloatType, show
from soid.scenario.precision import rounding_to
from soid.scenario.trace_reader import read
from tests.unit.scenario.written import write_jsonl

HALF = FloatType(FLOAT16)
SINGLE = FloatType(FLOAT32)
DOUBLE = FloatType(FLOAT64)

#: the ordinals of the least and the greatest finite float16; there are no gaps between them
LEAST, GREATEST = -0x7C00, 0x7BFF


def rounds_to(bits: int, literal: Decimal, decimals: int) -> bool:
    """Whether a logger may write a float16 like this. The decimal module rounds; ties count both ways."""
    (value,) = struct.unpack("<e", bits.to_bytes(2, "little"))
    with decimal.localcontext() as context:
        context.prec = 200
        unit = Decimal(1).scaleb(-decimals)
        ways = (ROUND_HALF_UP, ROUND_HALF_DOWN)
        return any(Decimal(value).quantize(unit, rounding=way) == literal for way in ways)


@settings(max_examples=50)
@given(st.integers(LEAST, GREATEST), st.integers(0, 6))
def test_every_float_that_rounds_to_a_literal_and_no_other(place, decimals):
    """Takes a literal that some float16 rounds to, and tries the floats around both ends of the range."""
    bits = sf.from_ordinal(FLOAT16, place)
    exact = sf.to_fraction(FLOAT16, bits)
    literal = Decimal(round(exact * 10**decimals)).scaleb(-decimals)
    found = rounding_to(HALF, str(literal), decimals)
    assert found is not None
    assert contains(HALF, found, bits)
    for end in (found.low, found.high):
        at = sf.ordinal(FLOAT16, end)
        for one in range(max(at - 9, LEAST), min(at + 10, GREATEST + 1)):
            tried = sf.from_ordinal(FLOAT16, one)
            assert contains(HALF, found, tried) == rounds_to(tried, literal, decimals), show(HALF, tried)


@pytest.mark.parametrize(
    ("kind", "literal", "decimals", "value"),
    [
        (DOUBLE, "1.376", 3, "1.376"),
        (DOUBLE, "2", 0, "2"),  # both ends are doubles: ties
        (DOUBLE, "-2.", 0, "-2"),
        (DOUBLE, "0", 0, "0"),
        (DOUBLE, "-0.000", 3, "0"),
        (DOUBLE, "0.5", 1, "1/2"),
        (DOUBLE, "1.5e2", 0, "150"),
        (DOUBLE, "1.500E-1", 2, "3/20"),
        (DOUBLE, "+.25", 2, "1/4"),
        (DOUBLE, "0e999999999", 2, "0"),
        (SINGLE, "16777216", 0, "16777216"),
        (SINGLE, "340282346638528859811704183484516925440", 0, "340282346638528859811704183484516925440"),
    ],
)
def test_ends(kind, literal, decimals, value):
    """The ends lie within half a unit of the literal's last digit; the next values outside do not."""
    found = rounding_to(kind, literal, decimals)
    assert found is not None
    for bits, outside in ((found.low, -1), (found.high, 1)):
        beyond = sf.from_ordinal(kind.format, sf.ordinal(kind.format, bits) + outside)
        inside, further = (distance(kind, at, Fraction(value)) for at in (bits, beyond))
        assert inside is not None and inside <= Fraction(1, 2 * 10**decimals)
        assert further is None or further > Fraction(1, 2 * 10**decimals)


def distance(kind: FloatType, bits: int, value: Fraction) -> Fraction | None:
    return None if sf.is_infinite(kind.format, bits) else abs(sf.to_fraction(kind.format, bits) - value)


@pytest.mark.parametrize("literal", ["nan", "inf", "-infinity", "0x1.8p1", "nan(0x7fc00001)", "bits(0x3f800000)"])
def test_what_is_no_decimal_is_exact(literal):
    assert rounding_to(SINGLE, literal, 3) is None


@pytest.mark.parametrize(
    ("literal", "message"),
    [
        ("1.3765", "more than the 3 decimals"),
        ("1e-4", "more than the 3 decimals"),
        ("1e-999999999", "more than the 3 decimals"),
        ("1000000.123", "no float32 rounds to"),
        ("1e39", "no float32 rounds to"),
        ("1e999999999", "no float32 rounds to"),
    ],
)
def test_what_is_logged_otherwise_than_declared_is_told(literal, message):
    with pytest.raises(ValueError, match=message):
        rounding_to(SINGLE, literal, 3)


# --- from the manifest and the log ----------------------------------------------------------------------------

INTERFACE = Interface((
    Variable("x", Role.ENVIRONMENT, SINGLE, decimals=3),
    Variable("y", Role.ENVIRONMENT, SINGLE),
    Variable("s", Role.STATE, DOUBLE, decimals=0),
    Variable("out", Role.DECISION, SINGLE, decimals=1),
))  # fmt: skip


def test_a_log_keeps_what_its_values_stand_for(tmp_path):
    log = tmp_path / "log.csv"
    log.write_text("x,y,s,out,s'\n1.376,1.376,2,0.5,3\n1.376,0.25,nan,,\n1000000.125,0,0,0,0\n")
    trace = read(log, INTERFACE)
    first = trace.keyframe(0).rounded
    assert set(first) == {"x", "s", "out", "s'"}
    assert first["x"] == rounding_to(SINGLE, "1.376", 3)
    assert first["s'"] == rounding_to(DOUBLE, "3", 0)
    assert set(trace.keyframe(1).rounded) == {"x"}
    again = tmp_path / "again.jsonl"
    again.write_text(write_jsonl(trace))
    back = read(again, INTERFACE)
    assert back == trace
    assert [step.rounded for step in back] == [step.rounded for step in trace]


@pytest.mark.parametrize("value", ["1.37649", "1000000.123"])
def test_a_log_that_is_not_rounded_so_is_told(tmp_path, value):
    log = tmp_path / "log.csv"
    log.write_text(f"x,y,s\n{value},0,0\n")
    with pytest.raises(TraceError, match=r"log\.csv:2: x: "):
        read(log, INTERFACE)


def test_what_a_program_gives_is_compared_to_the_decimals_that_are_declared(tmp_path):
    """A log of a decision may have more: they are not compared."""
    log = tmp_path / "log.csv"
    log.write_text("x,y,s,out\n1.376,0,0,0.54\n")
    ends = read(log, INTERFACE).keyframe(0).rounded["out"]
    assert [show(SINGLE, end) for end in (ends.low, ends.high)] == ["0.49", "0.59"]
    with pytest.raises(ValueError, match="more than the 1 decimals"):
        rounding_to(SINGLE, "1e-999999999", 1, further=True)


MANIFEST = """
[program]
engine = "smtlib"
paths = ["p.smt2"]

[variables]
x = {{ role = "environment", type = "{type}", {logged} }}
d = {{ role = "decision", type = "bool" }}
"""


@pytest.mark.parametrize(
    ("kind", "logged", "message"),
    [
        ("float32", "logged = { decimals = -1 }", "-1 is no number of decimals"),
        ("float32", "logged = { decimals = 101 }", "101 is no number of decimals"),
        ("float32", "logged = { decimals = 1.5 }", "expected a whole number"),
        ("float32", "logged = {}", "does not say how"),
        ("float32", "logged = 3", "expected a table"),
        ("float32", "logged = { digits = 3 }", "there is no such key"),
        ("int32", "logged = { decimals = 3 }", "only floats are rounded"),
    ],
)
def test_mistakes_in_the_manifest(tmp_path, kind, logged, message):
    (tmp_path / "p.smt2").touch()
    (tmp_path / "soid.toml").write_text(MANIFEST.format(type=kind, logged=logged))
    with pytest.raises(ManifestError, match=message):
        load(tmp_path)


def test_the_manifest_says_it(tmp_path):
    (tmp_path / "p.smt2").touch()
    (tmp_path / "soid.toml").write_text(MANIFEST.format(type="float32", logged="logged = { decimals = 3 }"))
    assert load(tmp_path).program.interface.variable("x").decimals == 3
