"""Arrays of arrays of numbers are one row of numbers, however they are read; parts of them are looked up."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from soid.engine.llvm.compiler.compilation import Build, compile_ir
from soid.engine.llvm.reader.module_reader import read_module
from soid.engine.llvm.symbolic.memory.memory_object import Data, MemoryObject
from soid.engine.llvm.symbolic.program_constants import Constants
from soid.formula.constant_table import ConstantTable
from soid.formula.sorts import FLOAT32, BitVec

PROGRAM = """
const float q[4][2] = {{1.5f, -2.0f}, {0, 0}, {0.1f, 3e38f}};
const short grid[2][2][3] = {{{1, -2, 3}, {4, 5, 6}}, {{0}, {-7, 8, 9}}};
int written[2][3] = {{1, 2, 3}, {4, 5, 6}};
const char names[3][4] = {"ab", "", "xyz"};
const struct { int number; float value; } pairs[2] = {{1, 2.0f}, {3, 4.0f}};
"""
FORMATS = {
    "q": ("<8f", (1.5, -2.0, 0, 0, 0.1, 3e38, 0, 0)),
    "grid": ("<12h", (1, -2, 3, 4, 5, 6, 0, 0, 0, -7, 8, 9)),
    "written": ("<6i", (1, 2, 3, 4, 5, 6)),
    "names": ("<12s", (b"ab\0\0\0\0\0\0xyz\0",)),
    "pairs": ("<ifif", (1, 2.0, 3, 4.0)),
}


@pytest.fixture(scope="module")
def constants(tmp_path_factory: pytest.TempPathFactory) -> Constants:
    root = tmp_path_factory.mktemp("tables")
    (root / "c.c").write_text(PROGRAM)
    return Constants(read_module(compile_ir(Build((Path("c.c"),), root=root)).text))


def thing(constants: Constants, name: str) -> MemoryObject:
    return constants.memory().objects[constants.addresses[name].object]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("size", [1, 2, 4, 8])
def test_every_read_gives_the_bytes_that_are_there(constants: Constants, name: str, size: int) -> None:
    form, values = FORMATS[name]
    expected = struct.pack(form, *values)
    whole = thing(constants, name)
    assert whole.size == len(expected)
    for at in range(whole.size - size + 1):
        assert whole.read(at, size) == int.from_bytes(expected[at : at + size], "little"), at


def test_arrays_of_arrays_are_one_row_and_structs_are_not(constants: Constants) -> None:
    sizes = {name: data.size for name in FORMATS if (data := thing(constants, name).data) is not None}
    assert sizes == {"q": 4, "grid": 2, "written": 4, "names": 1}


def test_writing_leaves_the_first_content_of_others_alone(constants: Constants) -> None:
    memory = constants.memory()
    number = constants.addresses["written"].object
    memory.to_write(number).write(4, 4, 99)
    assert memory.objects[number].read(4, 4) == 99
    assert memory.objects[number].read(0, 8) == 99 << 32 | 1
    assert thing(constants, "written").read(4, 4) == 2


def test_a_part_is_made_once_and_is_one_number_where_all_are() -> None:
    data = Data((7, 1, 7, 2, 7, 0), 4)
    assert data.part(range(0, 6, 2), BitVec(32)) == 7
    part = data.part(range(1, 6, 2), BitVec(32))
    assert isinstance(part, ConstantTable) and part.rows == (1, 2) and part.at(2) == 0
    assert data.part(range(1, 6, 2), BitVec(32)) is part
    assert data.part(range(1, 6, 2), FLOAT32) is not part
