"""An entry without debug info: the manifest names and describes its parameters.

parameters = ["speed: float32", "out: *int32"]      define i32 @decide(float %0, ptr %1)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from soid.engine.llvm.c_source import GivenParameter
from soid.engine.llvm.debug.c_types import CArray, CBase, CFunction, CPointer, CType, CVoid, Encoding
from soid.engine.llvm.debug.debug_info import CFunctionInfo, CParameter
from soid.engine.llvm.debug.parameter_pieces import ParameterPiece
from soid.engine.llvm.ir.instructions import Attributes, SourcePosition
from soid.engine.llvm.ir.ir_module import Function
from soid.engine.llvm.ir.ir_types import DOUBLE, FLOAT, HALF, VOID, IntegerType, Ptr, Type
from soid.engine.summary import Location
from soid.errors import ProgramError
from soid.program.types import BoolType, FloatType, IntType, VariableType

_REMEDY: Final = 'Describe the parameters in soid.toml: parameters = ["speed: float32", "out: *int32"].'
_FLOATS: Final[dict[Type, tuple[str, int]]] = {HALF: ("_Float16", 2), FLOAT: ("float", 4), DOUBLE: ("double", 8)}


def describe(function: Function, given: Sequence[GivenParameter]) -> CFunctionInfo:
    """A function described by its IR types and by the manifest."""
    if given and len(given) != len(function.params):
        count = len(function.params)
        raise ProgramError(f"{function.name} takes {count} parameters, and soid.toml names {len(given)}", _REMEDY)
    if any(param.attributes.sret or param.attributes.byval for param in function.params):
        raise ProgramError(
            f"{function.name} takes or returns a struct, of which nothing is known", "Compile it with -g."
        )
    params = []
    for index, param in enumerate(function.params):
        told = given[index] if given else GivenParameter(f"parameter{index + 1}", None)
        kind = _told(function.name, told, param.type, param.attributes)
        params.append(CParameter(told.name, kind, None, (ParameterPiece(index, 0, by_address=False),)))
    returned: CType = CVoid()
    if function.type.returns != VOID:
        returned = _number(f"what {function.name} returns", function.type.returns, function.returns)
    signature = CFunction(returned, tuple(param.type for param in params), varargs=False)
    return CFunctionInfo(function.name, signature, tuple(params), (), SourcePosition(Location("", 0), 0))


def _told(function: str, told: GivenParameter, given: Type, attributes: Attributes) -> CType:
    """The type of a parameter; the manifest's type must be as wide as the IR's."""
    what = f"the parameter {told.name} of {function}"
    if not isinstance(given, Ptr):
        plain = _number(what, given, attributes)
        if told.type is None:
            return plain
        kind = base_of(told.type)
        alike = kind.size == plain.size and (kind.encoding == "float") == (plain.encoding == "float")
        if told.points or told.count > 1 or not alike:
            raise ProgramError(f"{what} is a {given}, and soid.toml says otherwise", _REMEDY)
        return kind
    if told.type is None or not told.points:
        raise ProgramError(f"it is not known what {what} points to", _REMEDY)
    element = base_of(told.type)
    target: CType = element
    if told.count > 1:
        target = CArray(element, (told.count,), told.count * element.size)
    return CPointer(0, 8, const=False, resolve=lambda: target)


def _number(what: str, kind: Type, attributes: Attributes) -> CBase:
    if kind in _FLOATS:
        name, size = _FLOATS[kind]
        return CBase(name, "float", size)
    if isinstance(kind, IntegerType) and kind.width == 1:
        return CBase("bool", "bool", 1)
    if isinstance(kind, IntegerType) and kind.width in (8, 16, 32, 64):
        encoding: Encoding = "unsigned" if "zeroext" in attributes else "signed"
        return CBase(f"{'u' if encoding == 'unsigned' else ''}int{kind.width}", encoding, kind.width // 8)
    raise ProgramError(f"{what} is a {kind}, which is no plain number", "Compile it with -g.")


def base_of(kind: VariableType) -> CBase:
    """The C type of a number that the manifest describes."""
    match kind:
        case BoolType():
            return CBase("bool", "bool", 1)
        case IntType(width, signed) if width in (8, 16, 32, 64):
            return CBase(str(kind), "signed" if signed else "unsigned", width // 8)
        case FloatType():
            return CBase(str(kind), "float", kind.width // 8)
        case _:
            raise ProgramError(
                f"{kind} is no type of a plain number here", "Write int8 to int64, uint8 to uint64, bool or a float."
            )
