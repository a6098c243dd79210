"""Values of a log with labels, units and few digits, compared with exact fractions."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soid.errors import ManifestError
from soid.formula import softfloat as sf
from soid.formula.sorts import FLOAT16, FLOAT32, FLOAT64
from soid.program.domain import LoggedValue, Range, contains
from soid.program.interface import Role, Variable
from soid.program.trace_table import MappedColumn
from soid.program.types import BoolType, EnumType, FloatType, IntType, VariableType, parse, show
from soid.program.units import unit_conversion
from soid.scenario.log_formats import StoredFloat
from soid.scenario.logs.logged_value import LoggedValueReader

SINGLE, DOUBLE, HALF = FloatType(FLOAT32), FloatType(FLOAT64), FloatType(FLOAT16)
PILOT = EnumType("", 8, False, (("PILOT_NONE", 0), ("PILOT_RTH", 3)))
COUNT = IntType(16, signed=True)


def reader(kind: VariableType, own: str = "", **mapped: object) -> LoggedValueReader:
    variable = Variable("x", Role.ENVIRONMENT, kind, unit=own)
    return LoggedValueReader("x", variable, MappedColumn("x", "X", **mapped))  # type: ignore[arg-type]


def number(kind: VariableType, bits: int) -> Fraction:
    if isinstance(kind, FloatType):
        return sf.to_fraction(kind.format, bits)
    return Fraction(show(kind, bits))


def test_labels() -> None:
    read = reader(PILOT, labels={"RTH": "PILOT_RTH", "0": "PILOT_NONE", "true": "3"}).read
    assert [read(each).bits for each in ("RTH", "0", True, " RTH ")] == [3, 0, 3, 3]
    with pytest.raises(ValueError, match="rth is none of the labels that the manifest has for it: RTH, 0, true"):
        read("rth")
    on = reader(BoolType(), labels={"ON": "true", "OFF": "false"}).read
    assert (on("ON").bits, on("OFF").bits) == (1, 0)
    with pytest.raises(ValueError, match="1 is none of the labels"):
        on("1")
    with pytest.raises(ManifestError, match=r"\[trace.columns\] x: labels: expected one of PILOT_NONE, PILOT_RTH"):
        reader(PILOT, labels={"RTH": "PILOT_RHT"})


@given(st.lists(st.text(min_size=1, max_size=5).map(str.strip).filter(bool), unique=True, min_size=1), st.data())
def test_any_text_may_be_a_label_and_no_other_is_taken_for_one(texts: list[str], data: st.DataObject) -> None:
    bits = data.draw(st.lists(st.sampled_from([0, 3]), min_size=len(texts), max_size=len(texts)))
    read = reader(PILOT, labels={text: str(value) for text, value in zip(texts, bits, strict=True)}).read
    assert [read(text).bits for text in texts] == bits
    other = data.draw(st.text(max_size=5).filter(lambda text: text.strip() not in texts))
    with pytest.raises(ValueError, match="is none of the labels"):
        read(other)


@pytest.mark.parametrize(
    ("kind", "literal", "units", "expected"),
    [
        (SINGLE, "100", ("cm", "m"), ("1.0", None)),
        (SINGLE, "36", ("km/h", "m/s"), ("10.0", None)),
        (SINGLE, "-0", ("km/h", "m/s"), ("-0.0", None)),
        (SINGLE, "inf", ("ft", "m"), ("inf", None)),
        (COUNT, "1.25", ("m", "cm"), ("125", None)),
        (COUNT, "1.2345", ("m", "cm"), ("123", ("123", "124"))),
        (DOUBLE, "0", ("deg", "rad"), ("0.0", None)),
        (DOUBLE, "180", ("deg", "rad"), ("3.141592653589793", ("3.141592653589793", "3.1415926535897936"))),
        (SINGLE, "1", ("ft", "m"), ("0.3048", ("0.30479997", "0.3048"))),
    ],
)
def test_units(
    kind: VariableType, literal: str, units: tuple[str, str], expected: tuple[str, tuple[str, str] | None]
) -> None:
    value, ends = expected
    around = Range(*(parse(kind, end) for end in ends)) if ends else None
    found = reader(kind, units[1], unit=units[0]).read(literal)
    assert found == LoggedValue(parse(kind, value), around)


UNIT_PAIRS = st.sampled_from([("ft", "m"), ("km/h", "m/s"), ("deg", "rad"), ("ms", "s"), ("degF", "degC"), ("m", "ft")])
DIGITS = st.tuples(st.integers(-(10**7), 10**7), st.integers(0, 4))


@given(st.sampled_from([HALF, SINGLE, DOUBLE, COUNT]), UNIT_PAIRS, DIGITS, st.none() | st.integers(4, 5))
def test_the_range_holds_the_exact_value_and_nothing_farther_than_needed(
    kind: FloatType | IntType, units: tuple[str, str], written: tuple[int, int], decimals: int | None
) -> None:
    literal = f"{written[0]}e-{written[1]}"
    value = Fraction(written[0], 10 ** written[1])
    low, high = unit_conversion(*units).bounds(value)
    try:
        found = reader(kind, units[1], unit=units[0], decimals=decimals).read(literal)
    except ValueError:
        assert abs(high) > (kind.greatest if isinstance(kind, IntType) else 65504)
        return
    ends = found.rounded or Range(found.bits, found.bits)
    least, greatest = number(kind, ends.low), number(kind, ends.high)
    assert least <= number(kind, found.bits) <= greatest
    if decimals is None:
        if found.rounded is None:
            assert least == low == high
        else:  # neighbours, with the exact value between them
            assert least <= low <= high <= greatest
            assert variable(kind).order.place_of(ends.high) - variable(kind).order.place_of(ends.low) <= 2
        return
    half = Fraction(1, 2 * 10**decimals)
    lowest, highest = unit_conversion(*units).bounds(value - half)[0], unit_conversion(*units).bounds(value + half)[1]
    for bits, step in ((ends.low, -1), (ends.high, 1)):  # what lies beyond the ends is not logged so
        order = variable(kind).order
        beyond = order.place_of(bits) + step
        if order.places[0] < beyond < order.places[1] and contains(
            kind, variable(kind).domain, int(order.value_at(beyond))
        ):
            outer = number(kind, int(order.value_at(beyond)))
            assert outer == number(kind, bits) or not lowest <= outer <= highest


def variable(kind: VariableType) -> Variable:
    return Variable("x", Role.ENVIRONMENT, kind)


@given(st.integers(0, (1 << 16) - 1), st.sampled_from([SINGLE, DOUBLE]))
def test_a_stored_float_stands_for_all_that_are_stored_so(bits: int, kind: FloatType) -> None:
    found = reader(kind).read(StoredFloat(FLOAT16, bits))
    if not sf.is_finite(FLOAT16, bits):
        assert show(kind, found.bits) == show(HALF, bits).split("(")[0]
        return
    assert number(kind, found.bits) == number(HALF, bits)
    assert found.rounded is not None
    for end, step in ((found.rounded.low, -1), (found.rounded.high, 1)):
        order = variable(kind).order
        assert sf.convert(kind.format, FLOAT16, end) in (bits, *neighbours(bits))
        inside, beyond = (int(order.value_at(order.place_of(end) + shift * step)) for shift in (-1, 1))
        assert sf.convert(kind.format, FLOAT16, inside) & 0x7FFF == bits & 0x7FFF
        assert sf.convert(kind.format, FLOAT16, beyond) != bits


def neighbours(bits: int) -> tuple[int, ...]:
    """A tie is stored as the even one of two."""
    order = variable(HALF).order
    return tuple(int(order.value_at(order.place_of(bits) + step)) for step in (-1, 1))


def test_stored_floats_of_the_same_kind_are_exact() -> None:
    assert reader(SINGLE).read(StoredFloat(FLOAT32, 0x7FC00123)) == LoggedValue(0x7FC00123)
    assert reader(SINGLE).read(StoredFloat(FLOAT64, sf.float_to_bits64(0.1))) == LoggedValue(parse(SINGLE, "0.1"))
    assert reader(COUNT).read(StoredFloat(FLOAT64, sf.float_to_bits64(-7.0))) == LoggedValue(parse(COUNT, "-7"))
    with pytest.raises(ValueError, match="expected a whole number"):
        reader(COUNT).read(StoredFloat(FLOAT64, sf.float_to_bits64(-7.5)))


def test_whole_numbers_that_tables_write_as_floats() -> None:
    """As soon as a cell of a column is empty, pandas writes the others as 3132.0."""
    for text in ("3132.0", "3132", "3.132e3", " 3132.000 ", "+3132."):
        assert reader(COUNT).read(text).bits == 3132, text
    assert show(COUNT, reader(COUNT).read("-0.0").bits) == "0"
    assert show(COUNT, reader(COUNT).read("-7.0").bits) == "-7"
    assert [reader(BoolType()).read(text).bits for text in ("1.0", "0.0", "True")] == [1, 0, 1]
    assert reader(PILOT).read("3.0").bits == 3
    for wrong in ("3132.5", "1e400", "nan", "40000.0"):
        with pytest.raises(ValueError, match=r"expected a whole number|outside int16"):
            reader(COUNT).read(wrong)
    with pytest.raises(ValueError, match="expected true or false"):
        reader(BoolType()).read("2.0")


def test_a_float_that_may_have_been_another_whole_number_is_refused() -> None:
    wide, exact = IntType(64, signed=True), (1 << 53) - 1
    assert reader(wide).read(f"{exact}.0").bits == exact
    assert reader(wide).read(f"{exact + 2}").bits == exact + 2
    single = StoredFloat(FLOAT32, parse(SINGLE, "16777216"))
    for literal in (f"{exact + 1}.0", StoredFloat(FLOAT64, sf.float_to_bits64(2.0**53)), single):
        with pytest.raises(ValueError, match="may have been another whole number"):
            reader(wide).read(literal)
    assert reader(wide).read(StoredFloat(FLOAT32, parse(SINGLE, "16777215"))).bits == 16777215


def test_flags_are_numbers_for_a_model_and_for_integers() -> None:
    feature = FloatType(FLOAT64, missing=True, flags=True)
    for literal, expected in ((True, "1.0"), (False, "0.0"), ("True", "1.0"), ("false", "0.0")):
        assert show(feature, reader(feature).read(literal).bits) == expected
        assert reader(feature, decimals=0).read(literal) == reader(feature).read(literal)  # no digit is lost
    assert [reader(COUNT).read(literal).bits for literal in (True, "False", "TRUE")] == [1, 0, 1]
    for wrong in (True, "true"):
        with pytest.raises(ValueError, match="found"):
            reader(DOUBLE).read(wrong)


@pytest.mark.parametrize(
    ("kind", "unit", "mapped", "message"),
    [
        (SINGLE, "", {"unit": "ft"}, "the log has it in ft, and the program's unit is not known"),
        (SINGLE, "s", {"unit": "ft"}, "ft is a length, and s is a time"),
        (SINGLE, "parsec", {"unit": "ft"}, 'there is no unit "parsec"'),
        (BoolType(), "m", {"unit": "ft"}, "bool has no unit"),
        (COUNT, "", {"labels": {"on": "1", " on": "2"}}, "labels: on has two meanings"),
        (COUNT, "", {"decimals": 2}, "only floats and converted numbers are rounded"),
    ],
)
def test_mappings_that_do_not_fit(kind: VariableType, unit: str, mapped: dict[str, object], message: str) -> None:
    with pytest.raises(ManifestError, match=message):
        reader(kind, unit, **mapped)


@pytest.mark.parametrize(
    ("literal", "message"),
    [
        ("1,5", "expected a number"),
        (True, "expected a number"),
        ("1e99999999", "beyond every number"),
        ("1e300", "beyond"),
    ],
)
def test_values_that_cannot_be_converted(literal: str | bool, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        reader(SINGLE, "m", unit="ft").read(literal)


LABELS = {"OFF_VIOLENT": (("enum offence", 1),), "BOTH": (("enum a", 1), ("enum b", 2)), "SAME": (("a", 3), ("b", 3))}


def named(kind: VariableType) -> LoggedValueReader:
    variable = Variable("x", Role.ENVIRONMENT, kind)
    return LoggedValueReader("x", variable, None, lambda label: LABELS.get(label, ()))


def test_characters_and_labels_are_whole_numbers() -> None:
    read = named(IntType(8, signed=True)).read
    written = ("'B'", " 'B' ", r"'\n'", "'5'", "5", "OFF_VIOLENT", "SAME", "true")
    assert [read(each).bits for each in written] == [66, 66, 10, 53, 5, 1, 3, 1]
    assert named(COUNT).read("OFF_VIOLENT").bits == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("B", "a character has quotes: 'B'"),
        ("BOTH", "BOTH has several meanings: 1 in enum a, 2 in enum b"),
        ("OFF_VIOLENTLY", "expected a whole number, found 'OFF_VIOLENTLY'"),
        ("'BC'", "expected a whole number"),
        ("'\u00e4'", "expected a whole number"),
    ],
)
def test_no_other_text_is_taken_for_a_number(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        named(IntType(8, signed=False)).read(text)
