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
_BR: Final = re.compile(rf"  br label {_LABEL}{_END}")
_COND_BR: Final = re.compile(rf"  br i1 {_REGISTER}, label {_LABEL}, label {_LABEL}{_END}")
_BINARY: Final = re.compile(rf"  {_REGISTER} = (\w+) {_FLAGS}(\w+) {_VALUE}, {_VALUE}{_END}")
_COMPARE: Final = re.compile(rf"  {_REGISTER} = ([if]cmp) (\w+) (\w+) {_VALUE}, {_VALUE}{_END}")
_CAST: Final = re.compile(rf"  {_REGISTER} = (\w+) {_FLAGS}(\w+) {_VALUE} to (\w+){_END}")

_NO_FLAGS: Final[frozenset[str]] = frozenset()
_KNOWN_FLAGS: Final[dict[str, frozenset[str]]] = {}  # by their text

Quick: TypeAlias = Callable[[str, FunctionScope], Instruction | None]


def read_quick(line: str, scope: FunctionScope) -> Instruction | None:
    """Read the instruction if it has one of the common shapes."""
    words = line.split(" ", 5)  # the first two are empty: instructions are indented by two blanks
    reader = _QUICK.get(words[4] if words[2][:1] == "%" and len(words) > 4 else words[2])
    return None if reader is None else reader(line, scope)


def _operand(type_: Type, token: str, scope: FunctionScope) -> Value | None:
    if token[0] == "%":
        return scope.registers.get(token) or scope.register(token, type_)
    return scope.values.simple(type_, token)


def _flags(text: str) -> frozenset[str]:
    if not text:
        return _NO_FLAGS
    found = _KNOWN_FLAGS.get(text)
    if found is None:
        found = _KNOWN_FLAGS[text] = frozenset(text.split())
    return found


def _load(line: str, scope: FunctionScope) -> Instruction | None:
    match = _LOAD.match(line)
    if match is None:
        return None
    result, written, address, align, loc = match.groups()
    type_ = scope.types.known.get(written) or scope.types.of_text(written)
    pointer = scope.registers.get(address) or _operand(PTR, address, scope)
    if type_ is None or pointer is None:
        return None
    return ins.Load(scope.register(result, type_), pointer, int(align), False, scope.places[loc])


def _store(line: str, scope: FunctionScope) -> Instruction | None:
    match = _STORE.match(line)
    if match is None:
        return None
    written, text, address, align, loc = match.groups()
    type_ = scope.types.known.get(written) or scope.types.of_text(written)
    value = None if type_ is None else scope.registers.get(text) or _operand(type_, text, scope)
    if value is None:
        return None
    pointer = scope.registers.get(address) or _operand(PTR, address, scope)
    return pointer and ins.Store(value, pointer, int(align), False, scope.places[loc])


def _alloca(line: str, scope: FunctionScope) -> Instruction | None:
    match = _ALLOCA.match(line)
    type_ = match and scope.types.of_text(match[2])
    if match is None or type_ is None:
        return None
    loc = scope.places[match[4]]
    return ins.Alloca(scope.register(match[1], PTR), type_, ONE, int(match[3]), loc)


def _gep(line: str, scope: FunctionScope) -> Instruction | None:
    match = _GEP.match(line)
    if match is None:
        return None
    result, flags, written, address, tail, loc = match.groups()
    source = scope.types.known.get(written) or scope.types.of_text(written)
    base = scope.registers.get(address) or _operand(PTR, address, scope)
    if source is None or base is None:
        return None
    indices = []
    for kind, text in _INDEX.findall(tail):
        index = scope.registers.get(text) or _operand(scope.types.word(kind), text, scope)
        if index is None:
            return None
        indices.append(index)
    register = scope.register(result, PTR)
    return ins.Gep(register, source, base, tuple(indices), _flags(flags), scope.places[loc])


def _br(line: str, scope: FunctionScope) -> Instruction | None:
    match = _BR.match(line)
    if match is not None:
        target = scope.labels.get(match[1])
        return None if target is None else ins.Br(target, scope.places[match[2]])
    match = _COND_BR.match(line)
    if match is None:
        return None
    condition, then, otherwise, loc = match.groups()
    if then not in scope.labels or otherwise not in scope.labels:
        return None
    place = scope.places[loc]
    return ins.CondBr(scope.register(condition, I1), scope.labels[then], scope.labels[otherwise], place)


def _pair(written: str, first: str, second: str, scope: FunctionScope) -> tuple[Value, Value] | None:
    type_ = scope.types.known.get(written)
    left = None if type_ is None else _operand(type_, first, scope)
    right = None if type_ is None or left is None else _operand(type_, second, scope)
    return None if left is None or right is None else (left, right)


def _binary(line: str, scope: FunctionScope) -> Instruction | None:
    match = _BINARY.match(line)
    if match is None:
        return None
    result, op, flags, written, first, second, loc = match.groups()
    pair = _pair(written, first, second, scope)
    if pair is None:
        return None
    register = scope.register(result, pair[0].type)
    place = scope.places[loc]
    return ins.BinaryOp(register, cast(BinaryOpcode, op), *pair, _flags(flags), place)


def _compare(line: str, scope: FunctionScope) -> Instruction | None:
    match = _COMPARE.match(line)
    pair = match and _pair(match[4], match[5], match[6], scope)
    if match is None or pair is None:
        return None
    result, place = scope.register(match[1], I1), scope.places[match[7]]
    if match[2] == "icmp":
        return ins.ICmp(result, cast(ins.IntPredicate, match[3]), *pair, _NO_FLAGS, place)
    return ins.FCmp(result, cast(ins.FloatPredicate, match[3]), *pair, _NO_FLAGS, place)


def _cast(line: str, scope: FunctionScope) -> Instruction | None:
    match = _CAST.match(line)
    if match is None:
        return None
    result, op, flags, written, text, wanted, loc = match.groups()
    source, target = scope.types.known.get(written), scope.types.known.get(wanted)
    value = None if source is None or target is None else _operand(source, text, scope)
    if value is None or target is None:
        return None
    place = scope.places[loc]
    return ins.Cast(scope.register(result, target), cast(CastOp, op), value, _flags(flags), place)


_QUICK: Final[dict[str, Quick]] = {
    **dict.fromkeys(BINARIES, _binary),
    **dict.fromkeys(CASTS, _cast),
    "load": _load,
    "store": _store,
    "alloca": _alloca,
    "getelementptr": _gep,
    "br": _br,
    "icmp": _compare,
    "fcmp": _compare,
}
