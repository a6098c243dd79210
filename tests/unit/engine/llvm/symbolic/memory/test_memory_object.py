"""Memory against its own bytes: whatever was written, and however it is cut and put together, reads as its bytes do."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from soid.engine.llvm.symbolic.memory.memory_object import MemoryKind, MemoryObject
from soid.engine.llvm.symbolic.values.held_values import Held
from soid.formula import build
from soid.formula.passes import evaluate
from soid.formula.sorts import BitVec
from soid.formula.term import Term

SIZE = 16  # bytes

CONTENT = st.binary(min_size=8, max_size=8)
writes = st.lists(
    st.tuples(
        st.integers(0, SIZE - 1), st.sampled_from([1, 2, 4, 8]), st.booleans(), st.binary(min_size=8, max_size=8)
    ),
    max_size=6,
)


@given(writes, st.binary(min_size=SIZE, max_size=SIZE))
def test_what_is_read_is_what_its_bytes_say(written, first):
    thing, expected, model = MemoryObject("thing", SIZE, MemoryKind.STACK, zeroed=True), bytearray(SIZE), {}
    thing.write(0, 8, int.from_bytes(first[:8], "little"))
    thing.write(8, 8, int.from_bytes(first[8:], "little"))
    expected[:] = first
    for number, (start, size, symbolic, content) in enumerate(written):
        if start + size > SIZE:
            continue
        value: Held = int.from_bytes(content[:size], "little")
        if symbolic:
            symbol = build.var(f"x{number}", BitVec(8 * size))
            model[symbol], value = value, symbol
        thing.write(start, size, value)
        expected[start : start + size] = content[:size]
    for size in (1, 2, 4, 8):
        for start in range(SIZE - size + 1):
            held = thing.read(start, size)
            found = evaluate(held, model) if isinstance(held, Term) else held
            assert found == int.from_bytes(expected[start : start + size], "little"), (start, size)


def test_a_member_of_what_was_passed_as_one_number_is_the_member_itself():
    x = build.var("x", BitVec(32))
    caller, callee = MemoryObject("tile", 8, MemoryKind.STACK), MemoryObject("tile", 8, MemoryKind.STACK)
    caller.write(0, 4, x)
    caller.write(4, 4, 7)
    callee.write(0, 8, caller.read(0, 8))
    assert callee.read(0, 4) is x
    assert callee.read(4, 4) == 7
