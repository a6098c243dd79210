"""Reads instructions that stand for a sequence of simpler ones: atomic operations, and assembly without instructions.

    %old = atomicrmw add ptr %p, i32 %n seq_cst, align 4      fence, %old = load, %new = add %old, %n, store %new
    %r = cmpxchg ptr %p, i32 %a, i32 %b acq_rel monotonic     fence, load, icmp eq, select, store, two insertvalue
    %y = call i32 asm "", "=r,0"(i32 %x)                      %y = select true, %x, %x

A program that runs alone cannot tell an atomic operation from its parts. The fence stands for what that takes for
granted. A compare-and-exchange that fails stores what was there, which it may do only where it may write.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from soid.engine.llvm.ir import instructions as ins
from soid.engine.llvm.ir.instructions import NO_ATTRIBUTES, Argument, Instruction, SourcePosition
from soid.engine.llvm.ir.ir_types import I1, FloatingType, FunctionType, IntegerType, StructType, Type
from soid.engine.llvm.ir.operands import BinaryOpcode, ConstInt, GlobalRef, InlineAsm, Register, Undef, Value
from soid.engine.llvm.reader.function_scope import FunctionScope
from soid.engine.llvm.reader.lexer import Cursor

_NO_FLAGS: Final[frozenset[str]] = frozenset()
_TRUE: Final = ConstInt(I1, 1)
_ORDERS: Final = frozenset({"unordered", "monotonic", "acquire", "release", "acq_rel", "seq_cst"})
_BINARY: Final[dict[str, BinaryOpcode]] = {
    "add": "add",
    "sub": "sub",
    "and": "and",
    "or": "or",
    "xor": "xor",
    "fadd": "fadd",
    "fsub": "fsub",
}
_EXTREMES: Final[dict[str, ins.IntPredicate]] = {"max": "sgt", "min": "slt", "umax": "ugt", "umin": "ult"}
_FLOAT_EXTREMES: Final = {"fmax": "maxnum", "fmin": "minnum", "fmaximum": "maximum", "fminimum": "minimum"}
_SUFFIXES: Final = {"half": "f16", "float": "f32", "double": "f64"}


def read_sequence(cursor: Cursor, scope: FunctionScope, loc: SourcePosition | None) -> list[Instruction] | None:
    """Read an atomic instruction as its parts; None for any other instruction, with the cursor where it was."""
    result = ""
    if cursor.tokens[1] == "=":
        result, cursor.pos = cursor.tokens[0], 2
    opcode = cursor.next()
    reader = _READERS.get(opcode)
    is_access = opcode in ("load", "store")
    found = reader(cursor, scope, result, loc) if reader and (not is_access or cursor.accept("atomic")) else None
    if found is None:
        cursor.pos = 0
    return found


def _scratch(scope: FunctionScope, type_: Type) -> Register:
    """A register that no name of the program can mean: names have no blanks."""
    return scope.register(f"% {len(scope.registers)}", type_)


def _load(cursor: Cursor, scope: FunctionScope, result: str, loc: SourcePosition | None) -> list[Instruction]:
    volatile = cursor.accept("volatile")
    type_ = scope.types.read(cursor)
    cursor.expect(",")
    pointer = scope.values.typed(cursor)
    return [ins.Fence(False, loc), ins.Load(scope.register(result, type_), pointer, _order(cursor), volatile, loc)]


def _store(cursor: Cursor, scope: FunctionScope, _result: str, loc: SourcePosition | None) -> list[Instruction]:
    volatile = cursor.accept("volatile")
    value = scope.values.typed(cursor)
    cursor.expect(",")
    pointer = scope.values.typed(cursor)
    return [ins.Fence(False, loc), ins.Store(value, pointer, _order(cursor), volatile, loc)]


def _fence(_cursor: Cursor, _scope: FunctionScope, _result: str, loc: SourcePosition | None) -> list[Instruction]:
    return [ins.Fence(False, loc)]


def _order(cursor: Cursor) -> int:
    """Step over `syncscope("agent") acq_rel monotonic, align 4`; gives the alignment."""
    if cursor.accept("syncscope"):
        cursor.balanced()
    while cursor.peek() in _ORDERS:
        cursor.pos += 1
    cursor.expect(",")
    cursor.expect("align")
    return cursor.integer()


def _exchange(cursor: Cursor, scope: FunctionScope, result: str, loc: SourcePosition | None) -> list[Instruction]:
    """cmpxchg: gives what was there, and whether it was the expected value and was replaced."""
    weak, volatile = cursor.accept("weak"), cursor.accept("volatile")
    pointer = scope.values.typed(cursor)
    cursor.expect(",")
    expected = scope.values.typed(cursor)
    cursor.expect(",")
    replacement = scope.values.typed(cursor)
    align = _order(cursor)
    both = StructType(None, (expected.type, I1), packed=False)
    old, new = _scratch(scope, expected.type), _scratch(scope, expected.type)
    same, half = _scratch(scope, I1), _scratch(scope, both)
    return [
        ins.Fence(weak, loc),
        ins.Load(old, pointer, align, volatile, loc),
        ins.ICmp(same, "eq", old, expected, _NO_FLAGS, loc),
        ins.Select(new, same, replacement, old, _NO_FLAGS, loc),
        ins.Store(new, pointer, align, volatile, loc),
        ins.InsertValue(half, Undef(both), old, (0,), loc),
        ins.InsertValue(scope.register(result, both), half, same, (1,), loc),
    ]


def _read_modify_write(
    cursor: Cursor, scope: FunctionScope, result: str, loc: SourcePosition | None
) -> list[Instruction] | None:
    volatile = cursor.accept("volatile")
    op = cursor.next()
    pointer = scope.values.typed(cursor)
    cursor.expect(",")
    operand = scope.values.typed(cursor)
    align = _order(cursor)
    old = scope.register(result, operand.type)
    changed = _changed(op, old, operand, scope, loc)
    if changed is None:
        return None
    computed, new = changed
    load = ins.Load(old, pointer, align, volatile, loc)
    return [ins.Fence(False, loc), load, *computed, ins.Store(new, pointer, align, volatile, loc)]


def _changed(
    op: str, old: Register, operand: Value, scope: FunctionScope, loc: SourcePosition | None
) -> tuple[list[Instruction], Value] | None:
    """What computes the new value of an atomicrmw, and the value; None for an operation that no C program has."""
    kind = operand.type
    if op == "xchg":
        return [], operand
    if op in _BINARY:
        new = _scratch(scope, kind)
        return [ins.BinaryOp(new, _BINARY[op], old, operand, _NO_FLAGS, loc)], new
    if op == "nand" and isinstance(kind, IntegerType):
        both, new = _scratch(scope, kind), _scratch(scope, kind)
        ones = ConstInt(kind, (1 << kind.width) - 1)
        conjunction = ins.BinaryOp(both, "and", old, operand, _NO_FLAGS, loc)
        return [conjunction, ins.BinaryOp(new, "xor", both, ones, _NO_FLAGS, loc)], new
    if op in _EXTREMES:
        first, new = _scratch(scope, I1), _scratch(scope, kind)
        compared = ins.ICmp(first, _EXTREMES[op], old, operand, _NO_FLAGS, loc)
        return [compared, ins.Select(new, first, old, operand, _NO_FLAGS, loc)], new
    if op in _FLOAT_EXTREMES and isinstance(kind, FloatingType) and kind.name in _SUFFIXES:
        new = _scratch(scope, kind)
        callee = GlobalRef(f"llvm.{_FLOAT_EXTREMES[op]}.{_SUFFIXES[kind.name]}")
        arguments = (Argument(old, NO_ATTRIBUTES), Argument(operand, NO_ATTRIBUTES))
        type_ = FunctionType(kind, (kind, kind), varargs=False)
        plain = (NO_ATTRIBUTES, NO_ATTRIBUTES, _NO_FLAGS, "ccc", "", ())
        return [ins.Call(new, callee, arguments, type_, *plain, loc)], new
    return None


_READERS: Final[dict[str, Callable[[Cursor, FunctionScope, str, SourcePosition | None], list[Instruction] | None]]] = {
    "load": _load,
    "store": _store,
    "fence": _fence,
    "cmpxchg": _exchange,
    "atomicrmw": _read_modify_write,
}


# --- assembly without instructions ----------------------------------------------------------------------------------


def without_assembly(call: ins.Call, scope: FunctionScope) -> list[Instruction] | None:
    """A call of assembly that has no instructions as copies of what it is given; None where it is more than that.

    Such assembly only hides values from the optimiser. An output that is tied to an input has its value. An output in
    memory must be an input as well, and stays as it is. Any other output has no known value.
    """
    asm = call.callee
    if not isinstance(asm, InlineAsm) or asm.assembly.strip():
        return None
    constraints = [word for word in asm.constraints.split(",") if word and word[0] not in "~"]
    outputs = [word for word in constraints if word[0] == "="]
    inputs = constraints[len(outputs) :]
    addresses = [word for word in outputs if word.lstrip("=&").startswith("*")]
    given = [argument.value for argument in call.arguments]
    if any(word[0] in "!" for word in constraints) or len(given) != len(addresses) + len(inputs):
        return None
    kept, read = given[: len(addresses)], dict(zip(inputs, given[len(addresses) :], strict=True))
    in_memory = [value for word, value in zip(inputs, given[len(addresses) :], strict=True) if word.startswith("*")]
    if any(value not in in_memory for value in kept):
        return None
    tied = [read.get(str(number)) for number, word in enumerate(outputs) if word not in addresses]
    values = [value for value in tied if value is not None]
    if len(values) != len(tied):
        return None
    return _copies(call, values, scope)


def _copies(call: ins.Call, values: list[Value], scope: FunctionScope) -> list[Instruction] | None:
    result, loc = call.result, call.loc
    if result is None:
        return [] if not values else None
    if len(values) == 1 and values[0].type == result.type:
        return [ins.Select(result, _TRUE, values[0], values[0], _NO_FLAGS, loc)]
    kinds = result.type.elements if isinstance(result.type, StructType) else None
    if kinds != tuple(value.type for value in values):
        return None
    found: list[Instruction] = []
    whole: Value = Undef(result.type)
    for index, value in enumerate(values):
        target = result if index == len(values) - 1 else _scratch(scope, result.type)
        found.append(ins.InsertValue(target, whole, value, (index,), loc))
        whole = target
    return found
