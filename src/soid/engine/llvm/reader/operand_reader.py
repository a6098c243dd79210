"""Reads operands: registers, constants, constant expressions.

>>> reader = ValueReader(TypeReader({}))
>>> str(reader.typed(Cursor("i8 -1")))
'i8 -1'
>>> reader.typed(Cursor('[3 x i8] c"hi\\\\00"')).values
(104, 105, 0)
>>> str(reader.typed(Cursor("ptr getelementptr inbounds (i8, ptr @g, i64 4)")))
'ptr getelementptr (i8, ptr @g, i64 4)'
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, cast, final, get_args

from soid.engine.llvm.ir.instructions import FAST_MATH
from soid.engine.llvm.ir.ir_types import (
    METADATA,
    ArrayType,
    FloatingType,
    IntegerType,
    Ptr,
    StructType,
    Type,
    VectorType,
    is_scalar_number,
)
from soid.engine.llvm.ir.operands import (
    BinaryOpcode,
    BlockAddress,
    CastOp,
    ConstAggregate,
    Constant,
    ConstBinary,
    ConstCast,
    ConstData,
    ConstFloat,
    ConstGep,
    ConstInt,
    ConstNull,
    ConstZero,
    GlobalRef,
    InlineAsm,
    MetadataValue,
    Poison,
    Register,
    Undef,
    UnsupportedConstant,
    Value,
)
from soid.engine.llvm.reader.float_literals import all_float_bits, float_bits
from soid.engine.llvm.reader.lexer import Cursor, joined, name_of, string_of, unescape
from soid.engine.llvm.reader.type_reader import TypeReader

CASTS: Final = frozenset(get_args(CastOp))
BINARIES: Final = frozenset(get_args(BinaryOpcode))
_UNSUPPORTED: Final = frozenset({"dso_local_equivalent", "no_cfi", "ptrauth", "none"})
_SINGLE: Final = frozenset({"true", "false", "null", "zeroinitializer", "undef", "poison", "splat", "asm"})

#: words with which a value can begin; any other word between a type and a value is an attribute
VALUE_WORDS: Final = CASTS | BINARIES | _UNSUPPORTED | _SINGLE | {"getelementptr", "blockaddress"}

#: keywords between an opcode and its operands
FLAGS: Final = FAST_MATH | {"nsw", "nuw", "exact", "disjoint", "nneg", "samesign", "inbounds", "nusw"}
_NO_FLAGS: Final[frozenset[str]] = frozenset()


def read_flags(cursor: Cursor) -> frozenset[str]:
    """Step over the flags that come next."""
    if cursor.tokens[cursor.pos] not in FLAGS:
        return _NO_FLAGS
    found = []
    while cursor.tokens[cursor.pos] in FLAGS:
        found.append(cursor.next())
    return frozenset(found)


@final
class ValueReader:
    """Reads values."""

    __slots__ = ("_ints", "_local", "_refs", "types")

    def __init__(
        self, types: TypeReader, local: Callable[[str, Type], Register] | None = None, module: ValueReader | None = None
    ) -> None:
        """Inside a function, `local` gives the register of a `%name`; constants are shared with the reader `module`."""
        self.types = types
        self._local = local
        # the same few constants occur again and again
        self._ints: dict[tuple[IntegerType, str], ConstInt] = {} if module is None else module._ints
        self._refs: dict[str, GlobalRef] = {} if module is None else module._refs

    def typed(self, cursor: Cursor) -> Value:
        """Read a type and a value of it."""
        return self.value(self.types.read(cursor), cursor)

    def constant(self, cursor: Cursor) -> Constant:
        """Read a type and a constant of it."""
        return self.constant_only(self.typed(cursor), cursor)

    def value(self, type_: Type, cursor: Cursor) -> Value:
        """Read a value of a known type."""
        token = cursor.tokens[cursor.pos]
        cursor.pos += 1
        first = token[:1]
        if first == "%" and self._local is not None:
            return self._local(token, type_)
        if type_ == METADATA:
            cursor.pos -= 1
            return MetadataValue(_until_end_of_argument(cursor))
        if first == "@":
            return self._global(token, type_)
        if isinstance(type_, IntegerType):
            return self.simple(type_, token) or self._word(type_, token, cursor)
        return self._other(type_, token, cursor)

    def simple(self, type_: Type, token: str) -> Value | None:
        """A constant that is a single token: a number, a global, null; None for any other."""
        if isinstance(type_, IntegerType):
            found = self._ints.get((type_, token))
            if found is None and token.lstrip("-").isdecimal():
                found = self._ints[type_, token] = ConstInt(type_, int(token) & ((1 << type_.width) - 1))
            elif found is None and token in ("true", "false"):
                found = self._ints[type_, token] = ConstInt(type_, int(token == "true"))
            return found
        if token[0] == "@" and isinstance(type_, Ptr):
            return self._global(token, type_)
        if token == "null" and isinstance(type_, Ptr):
            return ConstNull(type_)
        if isinstance(type_, FloatingType) and token[0] in "0123456789-":
            return ConstFloat(type_, float_bits(type_, token))
        return None

    def _global(self, token: str, type_: Type) -> GlobalRef:
        found = self._refs.get(token)
        if found is None or found.type != type_:
            found = self._refs[token] = GlobalRef(name_of(token), cast(Ptr, type_))
        return found

    def _other(self, type_: Type, token: str, cursor: Cursor) -> Value:
        if token == "asm":
            return self._asm(cursor)
        if isinstance(type_, ArrayType | StructType | VectorType) and token[:1] in ("[", "{", "<", "c", "s"):
            return self._aggregate(type_, token, cursor)
        if isinstance(type_, FloatingType) and token[:1] in "0123456789-+":
            try:
                return ConstFloat(type_, float_bits(type_, token))
            except (ValueError, OverflowError):
                cursor.pos -= 1
                cursor.fail(f"a number of type {type_}")
        return self._word(type_, token, cursor)

    def _word(self, type_: Type, token: str, cursor: Cursor) -> Constant:
        if token == "undef":
            return Undef(type_)
        if token == "poison":
            return Poison(type_)
        if token == "zeroinitializer":
            return ConstZero(type_)
        if token == "null" and isinstance(type_, Ptr):
            return ConstNull(type_)
        if token == "getelementptr":
            return self._gep(type_, cursor)
        if token in CASTS:
            return self._cast(cast(CastOp, token), cursor)
        if token in BINARIES:
            return self._binary(cast(BinaryOpcode, token), type_, cursor)
        if token == "blockaddress":
            return self._block_address(type_, cursor)
        if token in _UNSUPPORTED:
            # in parentheses, or a single name
            rest = "" if token == "none" else cursor.balanced() if cursor.peek() == "(" else cursor.next()
            return UnsupportedConstant(token, f"{token} {rest}".strip(), type_)
        cursor.pos -= 1
        return cursor.fail(f"a value of type {type_}")

    def _gep(self, type_: Type, cursor: Cursor) -> ConstGep:
        flags = set(read_flags(cursor))
        if cursor.accept("inrange"):
            cursor.balanced()
            flags |= read_flags(cursor)
        cursor.expect("(")
        source = self.types.read(cursor)
        operands = []
        while cursor.accept(","):
            operands.append(self.constant(cursor))
        cursor.expect(")")
        return ConstGep(source, operands[0], tuple(operands[1:]), frozenset(flags), type_)

    def _block_address(self, type_: Type, cursor: Cursor) -> BlockAddress:
        cursor.expect("(")
        function = name_of(cursor.next())
        cursor.expect(",")
        label = name_of(cursor.next())
        cursor.expect(")")
        return BlockAddress(function, label, type_)

    def _cast(self, op: CastOp, cursor: Cursor) -> ConstCast:
        cursor.expect("(")
        value = self.constant(cursor)
        cursor.expect("to")
        target = self.types.read(cursor)
        cursor.expect(")")
        return ConstCast(op, value, target)

    def _binary(self, op: BinaryOpcode, type_: Type, cursor: Cursor) -> ConstBinary:
        flags = read_flags(cursor)
        cursor.expect("(")
        left = self.constant(cursor)
        cursor.expect(",")
        right = self.constant(cursor)
        cursor.expect(")")
        return ConstBinary(op, left, right, flags, type_)

    def _aggregate(self, type_: ArrayType | StructType | VectorType, token: str, cursor: Cursor) -> Constant:
        if token[0] == "c" and not isinstance(type_, StructType):
            return ConstData(type_, tuple(unescape(token[2:-1])))
        if token == "splat" and isinstance(type_, VectorType):
            return self._splat(type_, cursor)
        if not isinstance(type_, StructType):
            quick = self._data(type_, cursor) or self._rows(type_, cursor)
            if quick is not None:
                return quick
        elif token == "<":
            cursor.expect("{")
        closing = {"[": "]", "{": "}", "<": "}" if isinstance(type_, StructType) else ">"}[token]
        elements = []
        while not cursor.accept(closing):
            elements.append(self.constant(cursor))
            if not cursor.accept(",") and cursor.peek() != closing:
                cursor.fail(f"',' or {closing!r}")
        if token == "<" and closing == "}":
            cursor.expect(">")
        return ConstAggregate(type_, tuple(elements))

    def _splat(self, type_: VectorType, cursor: Cursor) -> Constant:
        cursor.expect("(")
        element = self.constant(cursor)
        cursor.expect(")")
        if isinstance(element, ConstInt | ConstFloat):
            pattern = element.value if isinstance(element, ConstInt) else element.bits
            return ConstData(type_, (pattern,) * type_.count)
        return ConstAggregate(type_, (element,) * type_.count)

    def _data(self, type_: ArrayType | VectorType, cursor: Cursor) -> ConstData | None:
        """A fast way for tables of plain numbers: `double 1.0, double 2.0, ...`, three tokens an element."""
        element, start = type_.element, cursor.pos
        end = start + 3 * type_.count
        if type_.count == 0 or not is_scalar_number(element) or end > len(cursor.tokens):
            return None
        if cursor.tokens[end - 1] not in ("]", ">"):
            return None
        try:
            values = _patterns(element, cursor.tokens[start + 1 : end : 3])
        except (ValueError, OverflowError):
            return None  # for example undef: the general way reads it
        cursor.pos = end
        return ConstData(type_, tuple(values))

    def _rows(self, type_: ArrayType | VectorType, cursor: Cursor) -> ConstAggregate | None:
        """A fast way for tables of tables: `[2 x float] [float 1.0, float 2.0], ...`, column by column.

        All rows must have the same tokens except for the numbers. The general way reads other tables.
        """
        row, tokens, start = type_.element, cursor.tokens, cursor.pos
        if not isinstance(row, ArrayType) or not is_scalar_number(row.element) or not row.count or not type_.count:
            return None
        self.types.read(cursor)
        head = cursor.pos - start  # the row's type; a bracket opens the row
        cursor.pos = start
        stride = head + 1 + 3 * row.count + 1
        end = start + type_.count * stride
        if end > len(tokens) or tokens[start + head] != "[" or tokens[end - 1] != "]":
            return None
        numbers = range(head + 2, stride - 1, 3)
        for column in range(stride):
            alike = tokens[start + column : end : stride]
            if column == stride - 1:
                alike[-1] = ","  # where the table closes
            if column not in numbers and alike.count(alike[0]) != type_.count:
                return None
        try:
            columns = [_patterns(row.element, tokens[start + column : end : stride]) for column in numbers]
        except (ValueError, OverflowError):
            return None
        cursor.pos = end
        return ConstAggregate(type_, tuple(ConstData(row, values) for values in zip(*columns, strict=True)))

    def _asm(self, cursor: Cursor) -> InlineAsm:
        while cursor.peek() in ("sideeffect", "alignstack", "inteldialect", "unwind"):
            cursor.next()
        assembly = string_of(cursor.next())
        cursor.expect(",")
        return InlineAsm(assembly, string_of(cursor.next()))

    def constant_only(self, value: Value, cursor: Cursor) -> Constant:
        """The value, which must be a constant."""
        if isinstance(value, Register | InlineAsm | MetadataValue):
            cursor.fail("a constant")
        return value


def _patterns(type_: Type, texts: Sequence[str]) -> Sequence[int]:
    """The bit patterns of plain numbers; ValueError where one is none."""
    if not isinstance(type_, IntegerType):
        return all_float_bits(cast(FloatingType, type_), texts)
    if type_.width == 1:
        return [1 if text == "true" else 0 if text == "false" else int(text) & 1 for text in texts]
    mask = (1 << type_.width) - 1
    return [int(text) & mask for text in texts]


def _until_end_of_argument(cursor: Cursor) -> str:
    """The text up to the comma or the closing parenthesis of the argument list."""
    start = cursor.pos
    while cursor.peek() not in (",", ")", ""):
        if cursor.peek() in ("(", "{"):
            cursor.balanced()
        else:
            cursor.pos += 1
    return joined(cursor.tokens[start : cursor.pos])
