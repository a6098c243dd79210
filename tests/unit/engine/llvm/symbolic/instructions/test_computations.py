"""What optimisers write, operation by operation: LLVM's own machine code and the engine give the same bits.

Every operation is a function in LLVM IR, compiled in this process by LLVM. The engine explores it twice, its arguments
constant and free; where LLVM leaves the result open (poison) the engine must say that it fails.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random

import pytest
from llvmlite import binding

from soid.budget import UNLIMITED, Cancellation
from soid.engine.llvm.compiler.module_linker import canonical_text
from soid.engine.llvm.ir.ir_module import Module
from soid.engine.llvm.ir.ir_types import IntegerType, StructType, Type, VectorType
from soid.engine.llvm.reader.module_reader import read_module
from soid.engine.llvm.symbolic.explorer import ExplorationLimits, Explorer, Hooks
from soid.engine.llvm.symbolic.library.external_functions import EXTERNALS
from soid.engine.llvm.symbolic.library.mathematics import mathematics
from soid.engine.llvm.symbolic.memory.addresses import typed
from soid.engine.llvm.symbolic.path_state import PathState
from soid.engine.llvm.symbolic.program_constants import Constants
from soid.engine.llvm.symbolic.values.float_bits import digits
from soid.engine.llvm.symbolic.values.held_values import Held, sort_of
from soid.engine.protocol import Exploration
from soid.engine.summary import Decided, Failed, OutputValue, PathSummary
from soid.formula import build
from soid.formula.checker import Impossible, Open, Possibility, Possible
from soid.formula.sorts import BitVec, Float
from soid.formula.term import Term
from soid.solver.back_ends import in_process
from soid.solver.protocol import Sat, Unsat

_TEXT = Path(__file__).with_name("operations.ll").read_text()
_NAMES = re.findall(r"define .*@([\w.]+)\(", _TEXT)

#: where the operations that have no value on some arguments have one
_DEFINED: dict[str, Callable[..., bool]] = {
    "add_nsw": lambda x, y: -128 <= _s(x) + _s(y) <= 127,
    "add_nuw": lambda x, y: x + y <= 255,
    "sub_nsw": lambda x, y: -128 <= _s(x) - _s(y) <= 127,
    "mul_nsw": lambda x, y: -128 <= _s(x) * _s(y) <= 127,
    "shl": lambda x, y: y < 8,
    "shl_nuw": lambda x, y: y < 8 and x << y <= 255,
    "shl_nsw": lambda x, y: y < 8 and -128 <= _s(x) << y <= 127,
    "lshr_exact": lambda x, y: y < 8 and x % (1 << y) == 0,
    "ashr_exact": lambda x, y: y < 8 and x % (1 << y) == 0,
    "udiv_exact": lambda x, y: y != 0 and x % y == 0,
    "or_disjoint": lambda x, y: x & y == 0,
    "trunc_nuw": lambda x: x <= 255,
    "trunc_nsw": lambda x: -128 <= _s(x, 16) <= 127,
    "zext_nneg": lambda x: x < 128,
    "uitofp_nneg": lambda x: x < 128,
    "samesign": lambda x, y: (x < 128) == (y < 128),
    "ctlz": lambda x: x != 0,
    "abs": lambda x: x != 128,
    "fptosi": lambda x: -64 <= _s(x) < 64,
    "nnan": lambda x: x != 0,
}


def _s(value: int, width: int = 8) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def _with_callers(text: str) -> str:
    """The functions, each with one that takes its arguments from memory and leaves its result there."""
    lines = ['target triple = "x86_64-unknown-linux-gnu"', text]
    for returns, name, rest in re.findall(r"define (.*) @([\w.]+)\((.*)\) {", text):
        takes = [part.rpartition(" ")[0] for part in rest.split(", ")]
        lines.append(f"define void @{name}.bits(ptr %in, ptr %out) {{")
        for i, kind in enumerate(takes):
            lines += [
                f"  %p{i} = getelementptr i8, ptr %in, i64 {64 * i}",
                f"  %a{i} = load {kind}, ptr %p{i}, align 1",
            ]
        handed = ", ".join(f"{kind} %a{i}" for i, kind in enumerate(takes))
        lines += [
            f"  %r = call {returns} @{name}({handed})",
            f"  store {returns} %r, ptr %out, align 1",
            "  ret void",
            "}",
        ]
    return "\n".join(lines)


class Machine:
    """The operations compiled by LLVM, and read by the engine."""

    def __init__(self) -> None:
        text = _with_callers(_TEXT)
        self.module: Module = read_module(canonical_text([text.encode()]))
        binding.initialize_native_target()
        binding.initialize_native_asmprinter()
        parsed = binding.parse_assembly(text)  # in LLVM's own context, which no garbage collection takes away under it
        target = binding.Target.from_default_triple().create_target_machine(opt=0, cpu="x86-64")
        self._engine = binding.create_mcjit_compiler(parsed, target)
        self._engine.finalize_object()
        self._constants = Constants(self.module, lazy=True)
        self._externals = {**EXTERNALS, **mathematics()}
        self._solver = in_process("bitwuzla")

    def types(self, name: str) -> tuple[tuple[Type, ...], Type]:
        function = self.module.functions[name]
        return tuple(param.type for param in function.params), function.type.returns

    def native(self, name: str, row: Sequence[tuple[int, ...]]) -> list[int]:
        """The bits of each part of what the machine gives."""
        takes, returns = self.types(name)
        given = bytearray(64 * 3)
        for i, (kind, bits) in enumerate(zip(takes, row, strict=True)):
            size = self.module.layout.size(_inner(kind))
            for j, each in enumerate(bits):
                given[64 * i + j * size : 64 * i + (j + 1) * size] = each.to_bytes(size, "little")
        out = ctypes.create_string_buffer(64)
        address = self._engine.get_function_address(f"{name}.bits")
        ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_char_p)(address)(bytes(given), out)
        found = []
        for offset, kind in self.parts(returns):
            size = self.module.layout.store_size(kind)
            whole = int.from_bytes(out.raw[offset : offset + size], "little")
            found.append(whole & (1 << self.module.layout.bits(kind)) - 1)
        return found

    def parts(self, kind: Type) -> list[tuple[int, Type]]:
        if isinstance(kind, StructType):
            return list(zip(self.module.layout.offsets(kind), kind.elements or (), strict=True))
        if isinstance(kind, VectorType):
            size = self.module.layout.size(kind.element)
            return [(i * size, kind.element) for i in range(kind.count)]
        return [(0, kind)]

    def explore(self, name: str, arguments: Sequence[Held]) -> PathSummary:
        _, returns = self.types(name)

        def outputs(explorer: Explorer, state: PathState, held: Held | None) -> dict[str, OutputValue]:
            assert held is not None
            held = explorer.sound(state, held)
            parts = [digits(explorer, state, part) for part in (held if isinstance(held, tuple) else (held,))]
            kinds = [kind for _, kind in self.parts(returns)]
            return {
                str(i): OutputValue(_term(part, kind)) for i, (part, kind) in enumerate(zip(parts, kinds, strict=True))
            }

        exploration = Exploration({}, build.TRUE, self._check, UNLIMITED.started(), Cancellation())
        explorer = Explorer(self._constants, exploration, self._externals, Hooks(outputs), ExplorationLimits())
        state = explorer.initial()
        assert state is not None
        return PathSummary(tuple(explorer.run(state, self.module.functions[name], arguments)))

    def _check(self, conjuncts: Sequence[Term], /) -> Possibility:
        result = self._solver.check(conjuncts)
        if isinstance(result, Sat):
            return Possible(result.model)
        return Impossible() if isinstance(result, Unsat) else Open(str(result))

    def close(self) -> None:
        self._solver.close()
        self._engine.close()

    def symbols(self, name: str) -> tuple[list[list[Term]], list[Held]]:
        """Free arguments: their symbols, and what the function is handed."""
        symbols, handed = [], []
        for kind, letter in zip(self.types(name)[0], "xyz", strict=False):
            count = kind.count if isinstance(kind, VectorType) else 1
            inner = _inner(kind)
            row = [build.var(f"{letter}{i}", BitVec(self.module.layout.bits(inner))) for i in range(count)]
            held = tuple(typed(each, inner) for each in row)
            symbols.append(row)
            handed.append(held if isinstance(kind, VectorType) else held[0])
        return symbols, handed


def _inner(kind: Type) -> Type:
    return kind.element if isinstance(kind, VectorType) else kind


def _term(held: Held, kind: Type) -> Term:
    return held if isinstance(held, Term) else build.const(sort_of(kind), held)


def _rows(machine: Machine, name: str, count: int) -> Iterator[list[tuple[int, ...]]]:
    random = Random(name)
    for _ in range(count):
        row = []
        for kind in machine.types(name)[0]:
            width = machine.module.layout.bits(_inner(kind))
            length = kind.count if isinstance(kind, VectorType) else 1
            row.append(tuple(_bits(random, width, _inner(kind)) for _ in range(length)))
        yield row


def _bits(random: Random, width: int, kind: Type) -> int:
    if not isinstance(kind, IntegerType):
        sort = sort_of(kind)
        assert isinstance(sort, Float)
        chosen = random.choice(
            [0, sort.sign_bit, sort.infinity, 1, random.getrandbits(width), random.getrandbits(width)]
        )
        return sort.infinity if chosen & (sort.sign_bit - 1) > sort.infinity else chosen
    edges = (0, 1, (1 << width) - 1, 1 << width - 1, (1 << width - 1) - 1, random.randrange(min(16, 1 << width)))
    return random.choice(edges) if random.random() < 0.5 else random.getrandbits(width)


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    made = Machine()
    yield made
    made.close()


def _said(summary: PathSummary, state: dict[Term, int], count: int) -> list[int] | None:
    run = summary.run(state)
    if isinstance(run.path.ending, Failed):
        return None
    assert isinstance(run.path.ending, Decided), str(run.path.ending)
    return [int(run.outputs[str(i)]) for i in range(count)]


def _same(kind: Type, one: int, other: int) -> bool:
    sort = sort_of(kind)
    if isinstance(sort, Float) and one & (sort.sign_bit - 1) > sort.infinity:
        return other & (sort.sign_bit - 1) > sort.infinity
    return one == other


@pytest.mark.parametrize("name", _NAMES)
def test_an_operation_gives_what_the_machine_gives(name: str, machine: Machine) -> None:
    """An operation that has no value fails where it is looked at."""
    kind, _, partial = name.partition(".")
    defined = _DEFINED[kind] if partial else lambda *_: True
    symbols, handed = machine.symbols(name)
    free = machine.explore(name, handed)
    kinds = [kind for _, kind in machine.parts(machine.types(name)[1])]
    takes = machine.types(name)[0]
    for row in _rows(machine, name, 10):
        constants = [bits if isinstance(kind, VectorType) else bits[0] for kind, bits in zip(takes, row, strict=True)]
        state = {s: b for group, bits in zip(symbols, row, strict=True) for s, b in zip(group, bits, strict=True)}
        for summary, where in ((machine.explore(name, constants), {}), (free, state)):
            said = _said(summary, where, len(kinds))
            if not defined(*(bits[0] for bits in row)):
                assert said is None, f"{name} on {row}"
                continue
            native = machine.native(name, row)
            assert said is not None, f"{name} on {row}"
            assert all(map(_same, kinds, said, native)), f"{name} on {row}: {said}, not {native}"
