"""Constant tables."""

import gc
import threading
import weakref

import pytest

from soid.formula import build as b
from soid.formula.constant_table import ConstantTable
from soid.formula.operators import IllSorted
from soid.formula.sorts import BOOL, FLOAT16, FLOAT32, BitVec


def test_zeros_at_the_end_do_not_count():
    assert ConstantTable.of(BitVec(8), [1, 0, 2, 0, 0]) is ConstantTable.of(BitVec(8), [1, 0, 2])
    assert ConstantTable.of(BitVec(8), [0, 0]) is ConstantTable.of(BitVec(8), [])
    assert ConstantTable.of(BitVec(8), [1]) is not ConstantTable.of(BitVec(16), [1])


def test_rows_past_the_end_read_zero():
    table = ConstantTable.of(BitVec(8), [4, 5])
    assert [table.at(i) for i in (0, 1, 2, 10**9)] == [4, 5, 0, 0]
    assert b.lookup(table, b.const(BitVec(64), 10**9)).value == 0


def test_rows_are_reduced_and_nans_folded():
    assert ConstantTable.of(BitVec(8), [256 + 3]).rows == (3,)
    assert ConstantTable.of(FLOAT32, [0xFFC01234, 0x80000000]).rows == (FLOAT32.nan, 0x80000000)
    assert ConstantTable.of(FLOAT16, [FLOAT16.infinity]).rows == (FLOAT16.infinity,)


def test_the_repr_does_not_show_all_rows():
    assert repr(ConstantTable.of(BitVec(8), range(1, 200))) == "<table of 199 rows of (_ BitVec 8)>"


def test_tables_nobody_holds_are_forgotten():
    table = ConstantTable.of(BitVec(31), [1, 2, 3])
    held = weakref.ref(table)
    assert ConstantTable.of(BitVec(31), [1, 2, 3]) is held()
    del table
    gc.collect()
    assert held() is None


def test_threads_make_the_same_tables():
    made: list[list[ConstantTable]] = []
    start = threading.Barrier(4)

    def work():
        start.wait()
        made.append([ConstantTable.of(BitVec(30), [i, i + 1, 1]) for i in range(2_000)])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(a is b for tables in made for a, b in zip(tables, made[0], strict=True))


def test_a_look_up_takes_a_bit_vector():
    with pytest.raises(IllSorted):
        b.lookup(ConstantTable.of(BitVec(8), [1]), b.var("p", BOOL))
