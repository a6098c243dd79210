"""Tables of tables are read column by column where they are regular, and as everything else where they are not."""

from __future__ import annotations

import pytest

from soid.engine.llvm.ir.operands import ConstAggregate, Constant, ConstData, ConstFloat, ConstInt
from soid.engine.llvm.reader.lexer import Cursor, tokens
from soid.engine.llvm.reader.operand_reader import ValueReader
from soid.engine.llvm.reader.type_reader import TypeReader

REGULAR = [
    "[2 x [3 x i32]] [[3 x i32] [i32 1, i32 -2, i32 3], [3 x i32] [i32 4, i32 5, i32 -6]]",
    "[2 x [1 x i8]] [[1 x i8] [i8 1], [1 x i8] [i8 -1]]",
    "[1 x [2 x i64]] [[2 x i64] [i64 1, i64 2]]",
    "[2 x [2 x i1]] [[2 x i1] [i1 true, i1 false], [2 x i1] [i1 false, i1 true]]",
    (
        "[2 x [2 x float]] [[2 x float] [float 1.500000e+00, float 0x3FB99999A0000000], "
        "[2 x float] [float -0.000000e+00, float 0x7FF0000000000000]]"
    ),
    (
        "[2 x [2 x float]] [[2 x float] [float 0x7FF8000000000000, float 0xFFF4000000000000], "
        "[2 x float] [float 1.000000e+00, float 2.000000e+00]]"
    ),
    (
        "[2 x [2 x double]] [[2 x double] [double 0x3FB999999999999A, double 1.000000e+00], "
        "[2 x double] [double 0xFFF0000000000000, double 0x7FF8000000000001]]"
    ),
    "[2 x [2 x half]] [[2 x half] [half 0xH3C00, half 0xHBC00], [2 x half] [half 0xH7C00, half 0xH0001]]",
    (
        "[2 x [2 x [2 x i32]]] [[2 x [2 x i32]] [[2 x i32] [i32 1, i32 2], [2 x i32] [i32 3, i32 4]], "
        "[2 x [2 x i32]] [[2 x i32] [i32 5, i32 6], [2 x i32] [i32 7, i32 8]]]"
    ),
]
IRREGULAR = [
    "[2 x [2 x i32]] [[2 x i32] zeroinitializer, [2 x i32] [i32 1, i32 2]]",
    "[2 x [2 x i32]] [[2 x i32] [i32 1, i32 2], [2 x i32] zeroinitializer]",
    "[3 x [2 x i32]] [[2 x i32] [i32 1, i32 2], [2 x i32] [i32 undef, i32 3], [2 x i32] [i32 4, i32 5]]",
    "[2 x [3 x i8]] [[3 x i8] c\"ab\\00\", [3 x i8] [i8 1, i8 2, i8 3]]",
    "[2 x [1 x i64]] [[1 x i64] [i64 ptrtoint (ptr @x to i64)], [1 x i64] [i64 1]]",
]  # fmt: skip


def numbers(constant: Constant) -> list[object]:
    """What is in a table, number by number, whatever is no number as it is."""
    if isinstance(constant, ConstData):
        found = [constant.element(i) for i in range(len(constant.values))]
        return [each.value if isinstance(each, ConstInt) else each.bits for each in found]
    if isinstance(constant, ConstAggregate):
        return [each for element in constant.elements for each in numbers(element)]
    if isinstance(constant, ConstInt | ConstFloat):
        return [constant.value if isinstance(constant, ConstInt) else constant.bits]
    return [str(constant)]


def one_by_one(text: str) -> list[object]:
    """The same with the quick ways closed."""

    class Slow(ValueReader):  # type: ignore[misc]  # it is final to everybody else
        __slots__ = ()

        def _data(self, type_, cursor):
            return None

        def _rows(self, type_, cursor):
            return None

    return numbers(Slow(TypeReader({})).constant(Cursor(text)))


@pytest.mark.parametrize("text", [*REGULAR, *IRREGULAR])
def test_a_table_is_the_same_either_way(text: str) -> None:
    cursor = Cursor(f"{text}, align 16")
    found = ValueReader(TypeReader({})).constant(cursor)
    assert numbers(found) == one_by_one(text)
    assert cursor.next() == "," and cursor.next() == "align"


@pytest.mark.parametrize("text", REGULAR)
def test_a_regular_table_is_rows_of_data(text: str) -> None:
    found = ValueReader(TypeReader({})).constant(Cursor(text))
    assert isinstance(found, ConstAggregate)
    rows = [row for each in found.elements for row in (each.elements if isinstance(each, ConstAggregate) else (each,))]
    assert rows and all(isinstance(row, ConstData) for row in rows)


def test_words_commas_and_brackets_are_split_as_ever() -> None:
    line = "@t = internal constant [2 x [1 x float]] [[1 x float] [float -1.5e+00], [1 x float] [float 0x3F]], !dbg !4"
    assert tokens(line) == tokens(f'{line} ; "a comment"')
