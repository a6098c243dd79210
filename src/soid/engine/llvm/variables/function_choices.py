"""Function pointers as variables: each is one of the program's functions of its type, or null.

    void (*handler)(int);        enum { NULL, on_alarm, on_timer }      numbers in the order of the module

A log and a question name the function: `handler == on_alarm`.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final, final

from soid.engine.llvm.debug.c_types import (
    CArray,
    CBase,
    CEnum,
    CFunction,
    CPointer,
    CStruct,
    CType,
    CTypedef,
    CUnion,
    CUnknown,
    CVoid,
    strip,
)
from soid.engine.llvm.debug.debug_info import DebugInfo
from soid.engine.llvm.ir.constant_image import memory_image
from soid.engine.llvm.ir.ir_module import Module
from soid.engine.llvm.ir.symbol_names import demangled
from soid.errors import ProgramError
from soid.program.types import EnumType

NULL_LABEL: Final = "NULL"


@final
class FunctionChoices:
    """The functions that pointers of a program may point to."""

    def __init__(self, module: Module, info: DebugInfo, entry: str) -> None:
        """`entry` is the IR name of the program's entry, which none of its own pointers is taken to point to."""
        self._module = module
        self._info = info
        self._entry = entry

    def of(self, kind: CType) -> tuple[str, ...]:
        """The IR names of all functions of a type; none if it is no function's, or if one of them has no plain name."""
        if not isinstance(kind, CFunction):
            return ()
        found = self._by_shape.get(_shape(kind), [])
        labels = {demangled(name).partition("(")[0] for name in found}
        plain = len(labels) == len(found) and all(label.isidentifier() for label in labels)
        return tuple(found) if plain else ()

    def start(self, variable: str, offset: int, functions: tuple[str, ...]) -> int | None:
        """The number with which a pointer in a global starts; None if that is none of the functions."""
        initializer = self._module.globals[variable].initializer
        try:
            image = memory_image(initializer, self._module.layout) if initializer is not None else None
        except ProgramError:
            return None
        if image is None:
            return None
        held = [(each.name, each.addend) for each in image.addresses if each.offset == offset]
        if not held:
            number = int.from_bytes(image.data[offset : offset + self._module.layout.pointer_bytes], "little")
            return 0 if number == 0 else None
        (name, addend), *_ = held
        return functions.index(name) + 1 if name in functions and addend == 0 else None

    @cached_property
    def _by_shape(self) -> dict[object, list[str]]:
        found: dict[object, list[str]] = {}
        for function in self._module.functions.values():
            is_choice = function.defined and function.name != self._entry
            kind = self._info.declared(function.name) if is_choice else None
            if kind is not None:
                found.setdefault(_shape(kind), []).append(function.name)
        return found


def choice_type(functions: tuple[str, ...], size: int) -> EnumType:
    """The type of a pointer to one of these functions; a pointer has `size` bytes."""
    labels = [NULL_LABEL, *(demangled(name).partition("(")[0] for name in functions)]
    return EnumType("function", 8 * size, False, tuple((label, number) for number, label in enumerate(labels)))


def _shape(kind: CType) -> object:
    """What two types have in common where one function pointer can hold both."""
    match strip(kind):
        case CFunction(returns, params, varargs):
            return "function", _shape(returns), tuple(map(_shape, params)), varargs
        case CPointer() as pointer:
            return "pointer", str(strip(pointer.resolve()))
        case CBase(_, encoding, size):
            return encoding, size
        case CEnum(name, _, _, size):
            return "enum", name, size
        case CStruct() | CUnion() | CArray() | CTypedef() | CUnknown() | CVoid() as other:
            return str(other), other.size
        case other:
            return str(other)
