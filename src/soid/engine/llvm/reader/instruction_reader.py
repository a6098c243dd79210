"""Reads instructions: a table has one function for each opcode.

A function takes the cursor after the opcode, the names in scope, the name of the result ("" if there is none) and the
position in the source.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias, cast, get_args

from soid.engine.llvm.ir import instructions as ins
from soid.engine.llvm.ir.instructions import Instruction, SourcePosition
from soid.engine.llvm.ir.ir_types import I1, ArrayType, IntegerType, StructType, Type, VectorType
from soid.engine.llvm.ir.operands import BinaryOpcode, CastOp, Constant, ConstInt, Value
from soid.engine.llvm.reader.call_reader import read_call
from soid.engine.llvm.reader.function_scope import FunctionScope
from soid.engine.llvm.reader.lexer import Cursor, joined
from soid.engine.llvm.reader.operand_reader import BINARIES, CASTS, read_flags

_INT_PREDICATES: Final = frozenset(get_args(ins.IntPredicate))
_FLOAT_PREDICATES: Final = frozenset(get_args(ins.FloatPredicate))

#: the number of elements of an alloca that gives none
ONE: Final = ConstInt(IntegerType(32), 1)


def read_instruction(cursor: Cursor, scope: FunctionScope, loc: SourcePosition | None) -> Instruction:
    """Read one instruction without its metadata."""
    result = ""
    if cursor.tokens[1] == "=":
        result = cursor.tokens[0]
        cursor.pos = 2
    opcode = cursor.next()
    reader = _READERS.get(opcode)
    if reader is None:
        cursor.pos -= 1
        cursor.fail("an instruction")
    return reader(cursor, scope, result, loc)


Reader: TypeAlias = Callable[[Cursor, FunctionScope, str, SourcePosition | None], Instruction]


def _binary(cursor: Cursor, scope: FunctionScope, result: str, loc: SourcePosition | None) -> Instruction:
    op = cast(BinaryOpcode, cursor.tokens[cursor.pos - 1])
    flags = read_flags(cursor)
    left, right = _pair(cursor, scope)
    return ins.BinaryOp(scope.register(result, left.type), op, left, right, flags, loc)


def _pair(cursor: Cursor, scope: FunctionScope) -> tuple[Value, Value]:
    """Read `i32 %x, %y`."""
    type_ = scope.types.read(cursor)
    left = scope.values.value(type_, cursor)
    cursor.expect(",")
    return left, scope.values.value(type_, cursor)


def _fneg(cursor: Cursor, scope: FunctionScope, result: str, loc: SourcePosition | None) -> Instruction:
    flags = read_flags(cursor)
    value = scope.values.typed(cursor)
    return ins.FNeg(scope.register(result, value.type), value, flags, loc)


def _compare(cursor: Cursor, scope: FunctionScope, result: str, loc: SourcePosition | None) -> Instruction:
    of_integers = cursor.tokens[cursor.pos - 1] == "icmp"
    flags = read_flags(cursor)
    if cursor.peek() not in (_INT_PREDICATES if of_integers else _FLOAT_PREDICATES):
        cursor.fail("a predicate")
    predicate = cursor.next()
    left, right = _pair(cursor, scope)
    type_ = VectorType(left.type.count, I1, left.type.scalable) if isinstance(left.type, VectorType) else I1
    register = scope.register(result, type_)
    if of_integers:
        return ins.ICmp(register, cast(ins.IntPredicate, predicate), left, right, flags, loc)
    return ins.FCmp(register, cast(ins.FloatPredicate, predicate), left, right, flags, loc)


def _cast(cursor: Cursor, scope: FunctionScope, result: str, loc: SourcePosition | None) -> Instruction:
    op = cast(CastOp, cursor.tokens[cursor.pos - 1])
    flags = read_flags(cursor)
    value = scope.values.typed(cursor)
    cursor.expect("to")
    return ins.Cast(scope.register(result, scope.types.read(cursor)), op, value, flags, loc)


def _freeze(cursor: Cursor, scope: FunctionScope, result: str, loc: SourcePosition | None) -> Instruction:
    value = scope.values.typed(cursor)
    return ins.Freeze(scope.register(result, value.type), value, loc)


def _alloca(cursor: Cursor, scope: FunctionScope, result: str, loc: SourcePosition | None) -> Instruction:
    cursor.accept("inalloca")
    allocated, count, align = scope.types.read(cursor), cast(Value, ONE), 1
    space = scope.types.known["ptr"]
    while cursor.accept(","):
        if cursor.accept("align"):
            align = cursor.integer()
        elif cursor.peek() == "addrspace":
            cursor.tokens.insert(cursor.pos, "ptr")
            space = scope.types.read(cursor)
        elif cursor.peek().startswith("!"):
            break
        else:
            count = scope.values.typed(cursor)
    return ins.Alloca(scope.register(result, space), allocated, count, align, loc)


def _load(cursor: Cursor, scope: FunctionScope, result: str, loc: SourcePosition | None) -> Instruction:
    volatile = cursor.accept("volatile")
    type_ = scope.types.read(cursor)
    cursor.expect(",")
    pointer = scope.values.typed(cursor)
    return ins.Load(scope.register(result, type_), pointer, _align(cursor), volatile, loc)


def _store(cursor: Cursor, scope: FunctionScope, _result: str, loc: SourcePosition | None) -> Instruction:
    volatile = cursor.accept("volatile")
    value = scope.values.typed(cursor)
    cursor.expect(",")
    pointer = scope.values.typed(cursor)
    return ins.Store(value, pointer, _align(cursor), volatile, loc)


def _align(cursor: Cursor) -> int:
    """Read `, align 4`, which LLVM always writes out."""
    cursor.expect(",")
    cursor.expect("align")
    return cursor.integer()


def _gep(cursor: Cursor, scope: FunctionScope, result: str, loc: SourcePosition | None) -> Instruction:
    flags = read_flags(cursor)
    source = scope.types.read(cursor)
    cursor.expect(",")
    base = scope.values.typed(cursor)
    indices = []
    while cursor.accept(",") and not cursor.peek().startswith("!"):
        indices.append(scope.values.typed(cursor))
    # one vector among the operands makes the result a vector of pointers
    type_ = base.type
    if not isinstance(type_, VectorType):
        type_ = next((VectorType(v.type.count, type_) for v in indices if isinstance(v.type, VectorType)), type_)
    return ins.Gep(scope.register(result, type_), source, base, tuple(indices), flags, loc)


def _phi(cursor: Cursor, scope: FunctionScope, result: str, loc: SourcePosition | None) -> Instruction:
    flags = read_flags(cursor)
    type_ = scope.types.read(cursor)
    incoming = []
    while cursor.accept("["):
        value = scope.values.value(type_, cursor)
        cursor.expect(",")
        incoming.append((value, scope.block(cursor)))
        cursor.expect("]")
        cursor.accept(",")
    return ins.Phi(scope.register(result, type_), tuple(incoming), flags, loc)


def _select(cursor: Cursor, scope: FunctionScope, result: str, loc: SourcePosition | None) -> Instruction:
    flags = read_flags(cursor)
    condition, then, otherwise = _list(cursor, scope, 3)
    return ins.Select(scope.register(result, then.type), condition, then, otherwise, flags, loc)


def _list(cursor: Cursor, scope: FunctionScope, length: int) -> list[Value]:
    """Read operands, each with its type, between commas."""
    found = [scope.values.typed(cursor)]
    while len(found) < length:
        cursor.expect(",")
        found.append(scope.values.typed(cursor))
    return found


def _extractvalue(cursor: Cursor, scope: FunctionScope, result: str, loc: SourcePosition | None) -> Instruction:
    aggregate, indices = scope.values.typed(cursor), _indices(cursor)
    register = scope.register(result, _part(aggregate.type, indices, cursor))
    return ins.ExtractValue(register, aggregate, indices, loc)


def _insertvalue(cursor: Cursor, scope: FunctionScope, result: str, loc: SourcePosition | None) -> Instruction:
    aggregate, value = _list(cursor, scope, 2)
    return ins.InsertValue(scope.register(result, aggregate.type), aggregate, value, _indices(cursor), loc)


def _indices(cursor: Cursor) -> tuple[int, ...]:
    found = []
    while cursor.accept(",") and not cursor.peek().startswith("!"):
        found.append(cursor.integer())
    return tuple(found)


def _part(type_: Type, indices: tuple[int, ...], cursor: Cursor) -> Type:
    for index in indices:
        if isinstance(type_, ArrayType):
            type_ = type_.element
        elif isinstance(type_, StructType) and type_.elements is not None and index < len(type_.elements):
            type_ = type_.elements[index]
        else:
            cursor.fail(f"an index into {type_}")
    return type_


def _extractelement(cursor: Cursor, scope: FunctionScope, result: str, loc: SourcePosition | None) -> Instruction:
    vector, index = _list(cursor, scope, 2)
    register = scope.register(result, _vector(vector, cursor).element)
    return ins.ExtractElement(register, vector, index, loc)


def _insertelement(cursor: Cursor, scope: FunctionScope, result: str, loc: SourcePosition | None) -> Instruction:
    vector, value, index = _list(cursor, scope, 3)
    return ins.InsertElement(scope.register(result, vector.type), vector, value, index, loc)


def _shufflevector(cursor: Cursor, scope: FunctionScope, result: str, loc: SourcePosition | None) -> Instruction:
    left, right, mask = _list(cursor, scope, 3)
    type_ = VectorType(_vector(mask, cursor).count, _vector(left, cursor).element, _vector(mask, cursor).scalable)
    return ins.ShuffleVector(scope.register(result, type_), left, right, cast(Constant, mask), loc)


def _vector(value: Value, cursor: Cursor) -> VectorType:
    if not isinstance(value.type, VectorType):
        cursor.fail("a vector")
    return value.type


def _va_arg(cursor: Cursor, scope: FunctionScope, result: str, loc: SourcePosition | None) -> Instruction:
    address = scope.values.typed(cursor)
    cursor.expect(",")
    return ins.VaArg(scope.register(result, scope.types.read(cursor)), address, loc)


def _invoke(cursor: Cursor, scope: FunctionScope, result: str, loc: SourcePosition | None) -> Instruction:
    call = read_call(cursor, scope, result, loc)
    cursor.expect("to")
    normal = scope.label(cursor)
    cursor.expect("unwind")
    return ins.Invoke(call.result, call, normal, scope.label(cursor), loc)


def _landingpad(cursor: Cursor, scope: FunctionScope, result: str, loc: SourcePosition | None) -> Instruction:
    register = scope.register(result, scope.types.read(cursor))
    cleanup, catches, filters = cursor.accept("cleanup"), [], False
    while cursor.peek() in ("catch", "filter"):
        if cursor.next() == "catch":
            catches.append(scope.values.constant(cursor))
        else:
            scope.values.constant(cursor)
            filters = True
    return ins.LandingPad(register, cleanup, tuple(catches), filters, loc)


def _br(cursor: Cursor, scope: FunctionScope, _result: str, loc: SourcePosition | None) -> Instruction:
    if cursor.peek() == "label":
        return ins.Br(scope.label(cursor), loc)
    condition = scope.values.typed(cursor)
    cursor.expect(",")
    then = scope.label(cursor)
    cursor.expect(",")
    return ins.CondBr(condition, then, scope.label(cursor), loc)


def _switch(cursor: Cursor, scope: FunctionScope, _result: str, loc: SourcePosition | None) -> Instruction:
    value = scope.values.typed(cursor)
    cursor.expect(",")
    default = scope.label(cursor)
    cursor.expect("[")
    cases = []
    while not cursor.accept("]"):
        case = scope.values.constant(cursor)
        if not isinstance(case, ConstInt):
            cursor.fail("an integer")
        cursor.expect(",")
        cases.append((case.value, scope.label(cursor)))
    return ins.Switch(value, default, tuple(cases), loc)


def _indirectbr(cursor: Cursor, scope: FunctionScope, _result: str, loc: SourcePosition | None) -> Instruction:
    address = scope.values.typed(cursor)
    cursor.expect(",")
    cursor.expect("[")
    targets = []
    while not cursor.accept("]"):
        targets.append(scope.label(cursor))
        cursor.accept(",")
    return ins.IndirectBr(address, tuple(targets), loc)


_TERMINATORS: Final = frozenset({"callbr", "catchswitch", "catchret", "cleanupret"})


def _unsupported(cursor: Cursor, scope: FunctionScope, result: str, loc: SourcePosition | None) -> Instruction:
    opcode = cursor.tokens[cursor.pos - 1]
    name = f"{opcode} {cursor.peek()}" if opcode == "atomicrmw" else opcode
    text = joined(cursor.tokens)
    register = scope.register(result, _result_type(opcode, cursor, scope)) if result else None
    return ins.UnsupportedInstruction(register, name, text, opcode in _TERMINATORS, loc)


def _result_type(opcode: str, cursor: Cursor, scope: FunctionScope) -> Type:
    """The type of the result of an unsupported instruction."""
    if opcode == "atomicrmw":
        while not cursor.accept(","):
            cursor.pos += 1
    while not scope.types.starts(cursor.peek()):
        if not cursor.next():
            cursor.fail("a type")
    return scope.types.read(cursor)


_READERS: Final[dict[str, Reader]] = {
    **dict.fromkeys(BINARIES, _binary),
    **dict.fromkeys(CASTS, _cast),
    "fneg": _fneg,
    "icmp": _compare,
    "fcmp": _compare,
    "freeze": _freeze,
    "alloca": _alloca,
    "load": _load,
    "store": _store,
    "getelementptr": _gep,
    "phi": _phi,
    "select": _select,
    "extractvalue": _extractvalue,
    "insertvalue": _insertvalue,
    "extractelement": _extractelement,
    "insertelement": _insertelement,
    "shufflevector": _shufflevector,
    "va_arg": _va_arg,
    **dict.fromkeys(("call", "tail", "musttail", "notail"), read_call),
    "ret": lambda cursor, scope, _, loc: ins.Ret(None if cursor.accept("void") else scope.values.typed(cursor), loc),
    "br": _br,
    "switch": _switch,
    "unreachable": lambda _cursor, _scope, _result, loc: ins.Unreachable(loc),
    "invoke": _invoke,
    "landingpad": _landingpad,
    "resume": lambda cursor, scope, _, loc: ins.Resume(scope.values.typed(cursor), loc),
    "indirectbr": _indirectbr,
    **dict.fromkeys(("atomicrmw", "catchpad", "cleanuppad"), _unsupported),
    **dict.fromkeys(_TERMINATORS, _unsupported),
}
