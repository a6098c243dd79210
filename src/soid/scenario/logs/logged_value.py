"""Reads one value of a log as its column writes it: labels, units and digits become bits, or a range of them.

A value in another unit is converted with fractions. If the result is no value of the variable's type, the variable had
one of the two values around it; if the log has few decimals, all values that are logged so. The value nearest to the
result stands for the fact, and `rounded` has all that may have been the fact (see `soid.scenario.precision`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Final, final

from soid.errors import ManifestError
from soid.formula import softfloat as sf
from soid.formula.decimals import number_literal, quick, shortest
from soid.formula.sorts import Float
from soid.program.domain import LoggedValue, Range
from soid.program.interface import Role, Variable
from soid.program.manifest import FILE_NAME
from soid.program.trace_table import MappedColumn
from soid.program.types import EnumType, FloatType, IntType, VariableType, from_python
from soid.program.units import UnitConversion, unit_conversion
from soid.scenario.log_formats import Literal, StoredFloat, quoted
from soid.scenario.logs.category_text import beside_own, category_bits
from soid.scenario.logs.named_number import Numbered, named_number, no_labels
from soid.scenario.logs.written_number import plain_number, stored_number
from soid.scenario.precision import rounding_to

MAX_LITERAL: Final = 4000  # characters; all floats and integers of programs are shorter
_MAX_EXPONENT: Final = 5000  # of a number that is converted; all floats of programs have a smaller one
_MEMORY: Final = 1 << 12  # converted values that a column caches: the values of a log repeat
_SAME: Final = UnitConversion(Fraction(1), Fraction(0), Fraction(0), 0)


@final
class LoggedValueReader:
    """Reads the values of one column."""

    def __init__(
        self, name: str, variable: Variable, mapped: MappedColumn | None, numbered: Numbered = no_labels
    ) -> None:
        self._kind = kind = variable.type
        self._float = kind.format if isinstance(kind, FloatType) else None
        self._numbered = numbered
        self._decimals = variable.decimals if mapped is None or mapped.decimals is None else mapped.decimals
        #: the program gives it, and is compared with so many decimals, whatever the log has beyond
        self._given = variable.role is Role.DECISION
        self._labels = _label_bits(name, kind, mapped.labels) if mapped is not None else {}
        self._adds, self._translates = beside_own(kind, self._labels)
        self._conversion = _conversion(name, variable, mapped)
        if mapped is not None and mapped.decimals is not None and not self._float and self._conversion is None:
            raise _wrong(
                name, f"only floats and converted numbers are rounded, and it is {kind}", "Leave decimals out."
            )
        #: floats of a binary log that are the variable's own bits
        self.stored = None if self._labels or self._conversion or self._decimals is not None else self._float
        self.read = lru_cache(_MEMORY)(self._read)

    def _read(self, literal: Literal) -> LoggedValue:
        """The value. A ValueError says what was found and what was expected."""
        if isinstance(literal, str) and len(literal) > MAX_LITERAL:
            raise ValueError(f"expected {self._kind}, found a value of {len(literal)} characters")
        if self._labels and (written(literal) in self._labels or not self._adds):
            return LoggedValue(self._labelled(literal))
        if isinstance(literal, StoredFloat):
            return self._stored(literal)
        if self._conversion is not None:
            return self._converted(literal, self._conversion)
        if isinstance(self._kind, EnumType) and self._kind.spellings:
            return LoggedValue(self._category(self._kind, literal))
        bits = quick(self._float, literal) if self._float is not None and isinstance(literal, str) else None
        if bits is None:
            bits = from_python(self._kind, self._named(plain_number(self._kind, literal)))
        if self._float is not None and sf.is_infinite(self._float, bits) and number_literal(str(literal)) is not None:
            raise ValueError(f"{quoted(str(literal))} is beyond every number of {self._kind}")
        return LoggedValue(bits, self._rounded(literal))

    def _named(self, literal: bool | str) -> bool | str:
        """A character or a label as a whole number."""
        if not isinstance(literal, str) or not isinstance(self._kind, IntType):
            return literal
        return named_number(self._kind, literal.strip(), self._numbered) or literal

    def is_unseen(self, literal: Literal, bits: int) -> bool:
        """Whether a value stands for a category that training has not seen, because it has no label."""
        kind, text = self._kind, written(literal)
        if not isinstance(kind, EnumType) or kind.other is None or bits != kind.other & (1 << kind.width) - 1:
            return False
        return kind.number(text) is None and text not in self._labels

    def _rounded(self, literal: Literal) -> Range | None:
        if self._decimals is None or not isinstance(literal, str) or not isinstance(self._kind, FloatType):
            return None
        return rounding_to(self._kind, literal, self._decimals, further=self._given)

    def _labelled(self, literal: Literal) -> int:
        text = written(literal)
        if text not in self._labels:
            known = ", ".join(map(quoted, self._labels))
            raise ValueError(f"{quoted(text)} is none of the labels that the manifest has for it: {known}")
        return self._labels[text]

    def _category(self, kind: EnumType, literal: bool | str) -> int:
        if self._translates and kind.number(written(literal)) is None:  # it may be one that was to be translated
            return self._labelled(literal)
        return category_bits(kind, literal)

    def _converted(self, literal: bool | str, conversion: UnitConversion) -> LoggedValue:
        number = number_literal(literal.strip()) if isinstance(literal, str) else None
        if number is None:
            if self._float is None or isinstance(literal, bool):
                raise ValueError(f"expected a number, found {written(literal)!r}")
            return LoggedValue(from_python(self._kind, literal))  # nan and the infinities are the same in all units
        if abs(number.exponent) > _MAX_EXPONENT:
            raise ValueError(f"{quoted(str(literal))} is beyond every number of a program")
        if self._decimals is not None and number.base == 10 and -number.exponent > self._decimals:
            raise ValueError(f"{literal} has more than the {self._decimals} decimals that the manifest declares for it")
        value = number.value
        half = Fraction(0) if self._decimals is None else Fraction(1, 2 * 10**self._decimals)
        return self._fitted(value, (value - half, value + half), conversion, negative=number.negative)

    def _stored(self, stored: StoredFloat) -> LoggedValue:
        """A float of a binary log. If the variable has more bits, or another unit, the log has rounded it."""
        if self._decimals is None and self._conversion is None and self._float == stored.format:
            return LoggedValue(stored.bits)
        if not sf.is_finite(stored.format, stored.bits) or self._decimals is not None:
            return self._read(written(stored))
        if self._conversion is None and self._float is None:
            return self._read(stored_number(stored))  # tables store whole numbers as floats too
        if self._conversion is None and self._float is not None and self._float.significand < stored.format.significand:
            bits = sf.convert(stored.format, self._float, stored.bits)
            if sf.is_infinite(self._float, bits):
                raise ValueError(f"{written(stored)} is beyond every number of {self._kind}")
            return LoggedValue(bits)
        value, negative = sf.to_fraction(stored.format, stored.bits), bool(stored.bits & stored.format.sign_bit)
        return self._fitted(value, _stored_alike(stored), self._conversion or _SAME, negative=negative)

    def _fitted(
        self, value: Fraction, ends: tuple[Fraction, Fraction], conversion: UnitConversion, *, negative: bool
    ) -> LoggedValue:
        """The value of the variable's type that is nearest to a converted one, and all that may have been logged so."""
        near, far = conversion.bounds(value)
        low, high = conversion.bounds(ends[0])[0], conversion.bounds(ends[1])[1]
        if isinstance(self._kind, FloatType):
            return _fitting_float(self._kind.format, (near, far), (low, high), negative=negative)
        assert isinstance(self._kind, IntType), "only numbers have units"
        return _fitting_integer(self._kind, (near, far), (low, high))


def _fitting_float(
    f: Float, value: tuple[Fraction, Fraction], ends: tuple[Fraction, Fraction], *, negative: bool
) -> LoggedValue:
    bits = sf.from_fraction(f, value[0], negative=negative)
    if sf.is_infinite(f, bits):
        raise ValueError("the converted value is beyond every number of its type")
    if ends[0] == ends[1] == sf.to_fraction(f, bits):
        return LoggedValue(bits)
    low, high = sf.ceil_fraction(f, ends[0]), sf.floor_fraction(f, ends[1])
    if sf.ordinal(f, low) > sf.ordinal(f, high):  # none of them: the next ones on both sides
        low, high = sf.floor_fraction(f, value[0]), sf.ceil_fraction(f, value[1])
    finite = [each for each in (low, bits, high) if sf.is_finite(f, each)]
    return LoggedValue(bits, Range(min(finite, key=_order(f)), max(finite, key=_order(f))))


def _order(f: Float) -> Callable[[int], int]:
    return lambda bits: sf.ordinal(f, bits)


def _fitting_integer(kind: IntType, value: tuple[Fraction, Fraction], ends: tuple[Fraction, Fraction]) -> LoggedValue:
    nearest, mask = round(value[0]), (1 << kind.width) - 1
    if not kind.least <= nearest <= kind.greatest:
        raise ValueError(f"it is converted to {nearest}, outside {kind}, which holds {kind.least} to {kind.greatest}")
    if ends[0] == ends[1] == nearest:
        return LoggedValue(nearest & mask)
    low, high = math.ceil(ends[0]), math.floor(ends[1])
    if low > high:
        low, high = math.floor(value[0]), math.ceil(value[1])
    low, high = max(min(low, nearest), kind.least), min(max(high, nearest), kind.greatest)
    return LoggedValue(nearest & mask, Range(low & mask, high & mask))


def _stored_alike(stored: StoredFloat) -> tuple[Fraction, Fraction]:
    """The least and the greatest number that is rounded to a stored float."""
    f, value = stored.format, sf.to_fraction(stored.format, stored.bits)
    if sf.is_zero(f, stored.bits):
        half = sf.to_fraction(f, 1) / 2
        return -half, half
    magnitude = stored.bits & ~f.sign_bit
    below, own = sf.to_fraction(f, magnitude - 1), abs(value)
    above = 2 * own - below if magnitude == f.max_finite else sf.to_fraction(f, magnitude + 1)
    ends = (below + own) / 2, (own + above) / 2
    return ends if value > 0 else (-ends[1], -ends[0])


def written(literal: Literal) -> str:
    """A value as a log of text would write it."""
    if isinstance(literal, StoredFloat):
        return shortest(literal.format, literal.bits)
    return str(literal).lower() if isinstance(literal, bool) else literal.strip()


def _label_bits(name: str, kind: VariableType, labels: Mapping[str, str]) -> dict[str, int]:
    found: dict[str, int] = {}
    try:
        for text, value in labels.items():
            bits = from_python(kind, value)
            if found.setdefault(text.strip(), bits) != bits:  # the blanks around a cell are not read
                raise ValueError(f"{quoted(text.strip())} has two meanings")
    except ValueError as error:
        raise _wrong(name, f"labels: {error}", "First what the log writes, then the program's value.") from None
    return found


def _conversion(name: str, variable: Variable, mapped: MappedColumn | None) -> UnitConversion | None:
    """From the log's unit to the variable's; None if the numbers are the same."""
    if mapped is None or mapped.unit is None:
        return None
    if not isinstance(variable.type, FloatType | IntType):
        raise _wrong(name, f"{variable.type} has no unit", "Leave unit out.")
    if not variable.unit:
        remedy = f'Say which unit the program has: [variables] "{variable.path}" = {{ unit = "m" }}.'
        raise _wrong(name, f"the log has it in {mapped.unit}, and the program's unit is not known", remedy)
    try:
        found = unit_conversion(mapped.unit, variable.unit)
    except ValueError as error:
        raise _wrong(name, str(error), "Correct the unit here, or under [variables].") from None
    return None if found == _SAME else found


def _wrong(name: str, problem: str, remedy: str) -> ManifestError:
    return ManifestError(f"{FILE_NAME}: [trace.columns] {name}: {problem}", remedy)
