"""Fixed addresses: registers of a device, which the manifest maps to variables.

    RCC_CR = { address = 0x40021000, type = "uint32" }        *(volatile uint32_t *)0x40021000u & 1

A register is a region of its own, at an address that is known. Which of them the program reads and writes is seen where
it uses the address as it is; if it computes with fixed addresses or hands them on, every register counts as both.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import final

from msgspec import Struct
from msgspec.structs import replace

from soid.engine.llvm.c_source import DeviceRegister
from soid.engine.llvm.debug.bare_entry import base_of
from soid.engine.llvm.debug.parameter_pieces import constant_offset
from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.data_layout import DataLayout
from soid.engine.llvm.ir.ir_module import Function, Module
from soid.engine.llvm.ir.ir_types import Type
from soid.engine.llvm.ir.operands import ConstCast, ConstGep, ConstInt, Value
from soid.engine.llvm.variables.variable_layout import MemoryRegion, VariableLayout, VariablePlace
from soid.errors import ManifestError


@final
class FixedAccess(Struct, frozen=True):
    """A load or a store at an address that the program has as a number."""

    address: int
    type: Type
    written: bool
    loc: ir.SourcePosition | None


def with_registers(places: VariableLayout, registers: Sequence[DeviceRegister]) -> VariableLayout:
    """The layout with a region for each register."""
    known = {region.name for region in places.regions}
    regions, found = list(places.regions), list(places.places)
    for each in registers:
        if each.name in known:
            raise ManifestError(
                f"[registers] {each.name}: the program has a variable {each.name}", "Name it otherwise."
            )
        kind = base_of(each.type)
        found.append(VariablePlace(each.name, each.type, len(regions), 0, kind.size))
        regions.append(MemoryRegion(each.name, kind, 1, address=each.address))
    return replace(places, regions=regions, places=found)


def register_use(
    module: Module, places: VariableLayout, reached: Collection[str]
) -> tuple[dict[int, int], dict[int, int]]:
    """The bits of registers that the program may read and may write, by region."""
    regions = [(n, region) for n, region in enumerate(places.regions) if region.address is not None]
    if not regions:
        return {}, {}
    functions = [module.functions[name] for name in reached]
    whole = {n: (1 << 8 * region.size) - 1 for n, region in regions}
    if _handed_on(module, functions):
        return whole, whole
    read: dict[int, int] = {}
    written: dict[int, int] = {}
    for one in fixed_accesses(module.layout, functions):
        for n, region in regions:
            assert region.address is not None
            if region.address - module.layout.store_size(one.type) < one.address < region.address + region.size:
                (written if one.written else read)[n] = whole[n]
    return read, written


def fixed_accesses(layout: DataLayout, functions: Sequence[Function]) -> Iterator[FixedAccess]:
    """The loads and stores of functions at fixed addresses."""
    for one in _instructions(functions):
        if isinstance(one, ir.Load | ir.Store):
            address = _fixed(one.pointer, layout)
            if address:
                kind = one.result.type if isinstance(one, ir.Load) else one.value.type
                yield FixedAccess(address, kind, isinstance(one, ir.Store), one.loc)


def _instructions(functions: Sequence[Function]) -> Iterator[ir.Instruction]:
    return (one for function in functions for block in function.blocks for one in block.instructions)


def _fixed(operand: Value, layout: DataLayout) -> int | None:
    """The number of a fixed address; None for any other operand."""
    match operand:
        case ConstCast("inttoptr", ConstInt(_, value)):
            return value
        case ConstGep():
            base, offset = _fixed(operand.base, layout), constant_offset(operand.source, operand.indices, layout)
            return None if base is None or offset is None else base + offset
        case _:
            return None


def _handed_on(module: Module, functions: Sequence[Function]) -> bool:
    """Whether fixed addresses are used otherwise than to load and store there."""
    if any(_mentions(variable.initializer) for variable in module.globals.values()):
        return True
    for one in _instructions(functions):
        match one:
            case ir.Cast(_, "inttoptr"):
                return True
            case ir.Load(_, pointer) if _fixed(pointer, module.layout) is not None:
                pass
            case ir.Store(value, pointer) if _fixed(pointer, module.layout) is not None:
                if _mentions(value):
                    return True
            case _:
                if _mentions(one):
                    return True
    return False


def _mentions(value: object) -> bool:
    """Whether a fixed address is inside an instruction or a constant."""
    match value:
        case ConstCast("inttoptr", ConstInt()):
            return True
        case tuple():
            return any(map(_mentions, value))
        case _ if hasattr(value, "__struct_fields__") and not isinstance(value, ir.SourcePosition | Function):
            return any(_mentions(getattr(value, field)) for field in value.__struct_fields__)
        case _:
            return False
