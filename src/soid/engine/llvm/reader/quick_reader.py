"""A fast reader for the most frequent instructions of unoptimised code, several times as fast as `instruction_reader`.

Each pattern matches one common form only. An instruction that matches none, or has an operand that is more than a name
or a plain number, is left to `instruction_reader`. A test checks that both give equal results.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeAlias, cast

from soid.engine.llvm.ir import instructions as ins
from soid.engine.llvm.ir.instructions import Instruction
from soid.engine.llvm.ir.ir_types import I1, PTR, Type
from soid.engine.llvm.ir.operands import BinaryOpcode, CastOp, Value
from soid.engine.llvm.reader.function_scope import FunctionScope
from soid.engine.llvm.reader.instruction_reader import ONE
from soid.engine.llvm.reader.operand_reader import BINARIES, CASTS, FLAGS

_REGISTER: Final = r"(%[-\w.$]+)"
_ADDRESS: Final = r"([%@][-\w.$]+)"
_VALUE: Final = r"([%@]?[-+\w.$]+)"
_LABEL: Final = r"%([-\w.$]+)"
_FLAGS: Final = rf"((?:(?:{'|'.join(sorted(FLAGS))}) )*)"
_END: Final = r"(?:, !dbg !(\d+))?\Z"

_LOAD: Final = re.compile(rf'  {_REGISTER} = load ([^"!]+?), ptr {_ADDRESS}, align (\d+){_END}')
_STORE: Final = re.compile(rf'  store ([^",!]+?) {_VALUE}, ptr {_ADDRESS}, align (\d+){_END}')
_ALLOCA: Final = re.compile(rf'  {_REGISTER} = alloca ([^",!]+), align (\d+){_END}')
_GEP: Final = re.compile(
    rf'  {_REGISTER} = getelementptr {_FLAGS}([^"!]+?), ptr {_ADDRESS}((?:, i\d+ [-%\w.$]+)+){_END}'
)
_INDEX: Final = re.compile(r"(i\d+) ([-%\w.$]+)")
_BR: Final = re.compile(rf"  br (?:i1 {_REGISTER}, label {_LABEL}, )?label {_LABEL}{_END}")
_BINARY: Final = re.compile(rf"  {_REGISTER} = (\w+) {_FLAGS}(\w+) {_VALUE}, {_VALUE}{_END}")
_COMPARE: Final = re.compile(rf"  {_REGISTER} = ([if]cmp) (\w+) (\w+) {_VALUE}, {_VALUE}{_END}")
_CAST: Final = re.compile(rf"  {_REGISTER} = (\w+) {_FLAGS}(\w+) {_VALUE} to (\w+){_END}")

_NO_FLAGS: Final[frozenset[str]] = frozenset()
_KNOWN_FLAGS: Final[dict[str, frozenset[str]]] = {"": _NO_FLAGS}  # by their text

#: makes the instruction of the groups of its pattern; None where an operand is not simple
Maker: TypeAlias = Callable[..., Instruction | None]


def read_quick(line: str, scope: FunctionScope) -> Instruction | None:
    """Read the instruction if it has one of the common shapes."""
    words = line.split(" ", 5)  # the first two are empty: instructions are indented by two blanks
    known = _QUICK.get(words[4] if words[2][:1] == "%" and len(words) > 4 else words[2])
    if known is None:
        return None
    pattern, make = known
    match = pattern.match(line)
    return None if match is None else make(scope, *match.groups())


def _operand(type_: Type | None, token: str, scope: FunctionScope) -> Value | None:
    if type_ is None:
        return None
    if token[0] == "%":
        return scope.registers.get(token) or scope.register(token, type_)
    return scope.values.simple(type_, token)


def _flags(text: str) -> frozenset[str]:
    found = _KNOWN_FLAGS.get(text)
    if found is None:
        found = _KNOWN_FLAGS[text] = frozenset(text.split())
    return found


def _load(
    scope: FunctionScope, result: str, written: str, address: str, align: str, loc: str | None
) -> Instruction | None:
    type_, pointer = scope.types.of_text(written), _operand(PTR, address, scope)
    if type_ is None or pointer is None:
        return None
    return ins.Load(scope.register(result, type_), pointer, int(align), False, scope.places[loc])


def _store(
    scope: FunctionScope, written: str, text: str, address: str, align: str, loc: str | None
) -> Instruction | None:
    value = _operand(scope.types.of_text(written), text, scope)
    pointer = _operand(PTR, address, scope) if value is not None else None
    if value is None or pointer is None:
        return None
    return ins.Store(value, pointer, int(align), False, scope.places[loc])


def _alloca(scope: FunctionScope, result: str, written: str, align: str, loc: str | None) -> Instruction | None:
    type_ = scope.types.of_text(written)
    if type_ is None:
        return None
    return ins.Alloca(scope.register(result, PTR), type_, ONE, int(align), scope.places[loc])


def _gep(
    scope: FunctionScope, result: str, flags: str, written: str, address: str, tail: str, loc: str | None
) -> Instruction | None:
    source, base = scope.types.of_text(written), _operand(PTR, address, scope)
    if source is None or base is None:
        return None
    indices = []
    for kind, text in _INDEX.findall(tail):
        index = _operand(scope.types.word(kind), text, scope)
        if index is None:
            return None
        indices.append(index)
    return ins.Gep(scope.register(result, PTR), source, base, tuple(indices), _flags(flags), scope.places[loc])


def _br(
    scope: FunctionScope, condition: str | None, then: str | None, otherwise: str, loc: str | None
) -> Instruction | None:
    if otherwise not in scope.labels or not (then is None or then in scope.labels):
        return None
    last, place = scope.labels[otherwise], scope.places[loc]
    if condition is None or then is None:
        return ins.Br(last, place)
    return ins.CondBr(scope.register(condition, I1), scope.labels[then], last, place)


def _pair(written: str, first: str, second: str, scope: FunctionScope) -> tuple[Value, Value] | None:
    type_ = scope.types.known.get(written)
    left = _operand(type_, first, scope)
    right = _operand(type_, second, scope) if left is not None else None
    return None if left is None or right is None else (left, right)


def _binary(
    scope: FunctionScope, result: str, op: str, flags: str, written: str, first: str, second: str, loc: str | None
) -> Instruction | None:
    pair = _pair(written, first, second, scope)
    if pair is None:
        return None
    register = scope.register(result, pair[0].type)
    return ins.BinaryOp(register, cast(BinaryOpcode, op), *pair, _flags(flags), scope.places[loc])


def _compare(
    scope: FunctionScope, result: str, op: str, predicate: str, written: str, first: str, second: str, loc: str | None
) -> Instruction | None:
    pair = _pair(written, first, second, scope)
    if pair is None:
        return None
    register, place = scope.register(result, I1), scope.places[loc]
    if op == "icmp":
        return ins.ICmp(register, cast(ins.IntPredicate, predicate), *pair, _NO_FLAGS, place)
    return ins.FCmp(register, cast(ins.FloatPredicate, predicate), *pair, _NO_FLAGS, place)


def _cast(
    scope: FunctionScope, result: str, op: str, flags: str, written: str, text: str, wanted: str, loc: str | None
) -> Instruction | None:
    target = scope.types.known.get(wanted)
    value = _operand(scope.types.known.get(written), text, scope) if target is not None else None
    if value is None or target is None:
        return None
    return ins.Cast(scope.register(result, target), cast(CastOp, op), value, _flags(flags), scope.places[loc])


_QUICK: Final[dict[str, tuple[re.Pattern[str], Maker]]] = {
    **dict.fromkeys(BINARIES, (_BINARY, _binary)),
    **dict.fromkeys(CASTS, (_CAST, _cast)),
    "load": (_LOAD, _load),
    "store": (_STORE, _store),
    "alloca": (_ALLOCA, _alloca),
    "getelementptr": (_GEP, _gep),
    "br": (_BR, _br),
    "icmp": (_COMPARE, _compare),
    "fcmp": (_COMPARE, _compare),
}
