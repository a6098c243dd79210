"""What all explorations of a program share: values of constants, its globals as memory, and caches by instruction."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final, final

from soid.engine.llvm.compiler.c_library import INSIDE
from soid.engine.llvm.flow.function_traits import uses_sign_only
from soid.engine.llvm.ir import operands
from soid.engine.llvm.ir.data_layout import DataLayout
from soid.engine.llvm.ir.instructions import Call, Gep, IndirectBr, Instruction
from soid.engine.llvm.ir.ir_module import Function, Module
from soid.engine.llvm.ir.ir_types import ArrayType, Ptr, StructType, Type, VectorType, is_scalar_number
from soid.engine.llvm.ir.symbol_names import demangled
from soid.engine.llvm.symbolic.instructions.concrete_steps import ConcreteStep, prepare
from soid.engine.llvm.symbolic.memory.addresses import stored
from soid.engine.llvm.symbolic.memory.memory_object import AddressSpace, Data, MemoryKind, MemoryObject
from soid.engine.llvm.symbolic.memory.offsets import Route, route_of
from soid.engine.llvm.symbolic.paths.control_flow_graph import round_ends
from soid.engine.llvm.symbolic.paths.path_end import FoldedAway, NotModelled
from soid.engine.llvm.symbolic.values.extended_floats import from_memory, is_extended
from soid.engine.llvm.symbolic.values.held_values import (
    NULL,
    AddressNumber,
    Held,
    Pointer,
    address_number,
    fixed_address,
    unset,
)
from soid.engine.llvm.symbolic.values.poison import NOTHING
from soid.engine.llvm.variables.variable_layout import MemoryRegion

#: zeros of one array that are listed; a larger one is filled part by part, and zeros take nothing
_MOST_ZEROS: Final = 1 << 20
#: the C library's streams, which programs pass to functions that print
STREAMS: Final = frozenset({"stdin", "stdout", "stderr"})


@final
class Constants:
    """Values of constants, and the addresses of globals and functions."""

    def __init__(
        self,
        module: Module,
        *,
        lazy: bool = False,
        extern: Collection[str] = (),
        library: frozenset[str] = frozenset(),
        described: Collection[str] = (),
        regions: Sequence[MemoryRegion] = (),
    ) -> None:
        """`extern` are variables that no source defines, and whose content is given like an argument's.

        `described` are functions that no source defines, and of which the manifest says what they do. The device's
        registers among the `regions` are memory at fixed addresses.
        """
        self.module = module
        self.library = library  # functions of soid's own library that programs call
        # poison is a value; else a poison constant means that the compiler folded an operation without a value
        self.lazy = lazy
        self.layout: DataLayout = module.layout
        self.addresses: dict[str, Pointer] = {}
        self._labels: dict[tuple[str, str], Pointer] = {}  # by function and label
        self._blocks: dict[int, tuple[str, int]] = {}  # function and block of each of them, by object
        self._known: dict[int, Held] = {}  # by identity: operands live as long as the module
        self._routes: dict[int, Route] = {}  # likewise
        self._round_ends: dict[str, frozenset[int]] = {}  # by function
        self._calls: dict[tuple[int, str], bool] = {}  # by instruction and function
        self._sign_only: dict[int, bool] = {}  # by instruction
        self._steps: dict[tuple[str, int], tuple[ConcreteStep | None, ...]] = {}  # by function and block
        self._extern = extern
        self._present = {*extern, *described}
        self._memory = AddressSpace()
        self._lay_out(self._memory)
        self.registers: dict[int, Pointer] = {}  # by address
        for region in regions:
            if region.address is not None:
                thing = MemoryObject(region.name, region.size, MemoryKind.REGISTER)
                self.registers[region.address] = self._memory.add(thing)

    def start_with(self, memory: AddressSpace) -> None:
        """Let the program start with this memory, in which its initialisers have run."""
        self.forget_library_state(memory)
        self._memory = memory

    def pointer_to(self, region: MemoryRegion) -> Pointer:
        """Where a global or a register lies."""
        if region.address is not None:
            return self.registers[region.address]
        assert region.variable is not None
        return self.addresses[region.variable]

    def name_of(self, pointer: Pointer) -> str | None:
        """The IR name of the global or function at an address."""
        if pointer.offset != 0:
            return None
        return next((name for name, known in self.addresses.items() if known.object == pointer.object), None)

    def block_at(self, function: Function, pointer: Pointer) -> int | None:
        """The block of a function at an address."""
        name, block = self._blocks.get(pointer.object, ("", 0))
        return block if name == function.name and pointer.offset == 0 else None

    def is_own(self, function: str) -> bool:
        """Whether a function is part of soid's own library."""
        return function in self.library or function.startswith(INSIDE)

    def forget_library_state(self, memory: AddressSpace) -> None:
        """Let soid's own library start again: between two calls of the program, others may have used the library."""
        for name, variable in self.module.globals.items() if self.library else ():
            if name.startswith(INSIDE) and not variable.constant:
                memory.to_write(self.addresses[name].object).fill(0)

    def memory(self) -> AddressSpace:
        """The memory that a program starts with: its globals and functions."""
        return self._memory.fork()

    def known(self, operand: operands.Value) -> Held:
        """The value of a constant operand of the module, computed once."""
        held = self._known.get(id(operand))
        if held is None:
            held = self._known[id(operand)] = self.value(operand)
        return held

    def route(self, one: Gep) -> Route:
        """The route of an instruction of the module, computed once."""
        found = self._routes.get(id(one))
        if found is None:
            found = self._routes[id(one)] = route_of(self.layout, one.source, one.indices)
        return found

    def round_ends(self, function: Function) -> frozenset[int]:
        """The blocks of a function that end a round of a loop."""
        found = self._round_ends.get(function.name)
        if found is None:
            found = self._round_ends[function.name] = round_ends(function)
        return found

    def calls_rightly(self, one: Call, function: Function) -> bool:
        """Whether a call has the type of the function that it reaches; a cast pointer may have another."""
        found = self._calls.get((id(one), function.name))
        if found is None:
            found = self._calls[id(one), function.name] = _calls_rightly(one, function)
        return found

    def uses_sign_only(self, function: Function, one: Call) -> bool:
        """Whether a function only compares the result of a call with 0."""
        found = self._sign_only.get(id(one))
        if found is None:
            found = self._sign_only[id(one)] = uses_sign_only(function, one)
        return found

    def steps(self, function: Function, block: int) -> tuple[ConcreteStep | None, ...]:
        """The concrete steps of a block, made when a path first enters it."""
        found = self._steps.get((function.name, block))
        if found is None:
            found = self._steps[function.name, block] = prepare(self, function.blocks[block])
        return found

    def _lay_out(self, memory: AddressSpace) -> None:
        """Allocate every global and every function, then write the initial values of globals."""
        for name, function in self.module.functions.items():
            self.addresses[name] = memory.add(MemoryObject(function.name, 0, MemoryKind.FUNCTION, writable=False))
            targets = {t for block in function.blocks for t in _jump_targets(block.terminator)}
            for block in (function.blocks[target] for target in sorted(targets)):
                thing = MemoryObject(f"{name}, {block.label}", 0, MemoryKind.LABEL, writable=False)
                self._labels[name, block.label] = pointer = memory.add(thing)
                self._blocks[pointer.object] = name, block.index
        for name, variable in self.module.globals.items():
            thing = MemoryObject(name, self.layout.size(variable.type), MemoryKind.GLOBAL, not variable.constant)
            self.addresses[name] = memory.add(thing)
        for name, variable in self.module.globals.items():
            if variable.initializer is not None:
                thing = memory.objects[self.addresses[name].object]
                thing.zeroed = True  # padding too
                try:
                    self._fill(thing, 0, variable.initializer)
                except NotModelled as unsupported:
                    thing.kind, thing.name = MemoryKind.UNMODELLED, f"{name}, which starts with {unsupported.what}"
                    thing.direct = False
            elif name in self._extern:
                memory.objects[self.addresses[name].object].kind = MemoryKind.GIVEN
            elif name not in STREAMS:
                thing = memory.objects[self.addresses[name].object]
                thing.kind, thing.direct = MemoryKind.UNMODELLED, False  # no source defines it

    def _fill(self, thing: MemoryObject, at: int, constant: operands.Value) -> None:
        kind = constant.type
        whole = at == 0 and self.layout.size(kind) == thing.size
        if isinstance(constant, operands.ConstData) and whole and isinstance(kind, ArrayType):
            thing.data = Data(constant.values, self.layout.size(kind.element))
        elif isinstance(constant, operands.ConstData):
            assert isinstance(kind, ArrayType | VectorType)
            size = self.layout.size(kind.element)
            for i, bits in enumerate(constant.values):
                thing.write(at + i * size, size, bits)
        elif isinstance(constant, operands.ConstAggregate) and whole and (table := self._numbers(constant)) is not None:
            thing.data = table
        elif isinstance(constant, operands.ConstAggregate):
            for offset, element in zip(self._offsets(kind), constant.elements, strict=True):
                self._fill(thing, at + offset, element)
        elif not isinstance(constant, operands.ConstZero | operands.Undef | operands.Poison):
            size = self.layout.store_size(kind)
            thing.write(at, size, stored(self.value(constant), kind, size))

    def _numbers(self, constant: operands.ConstAggregate) -> Data | None:
        """An array of arrays of plain numbers as one flat array; None for any other constant."""
        values: list[int] = []
        element: Type | None = None
        stack: list[operands.Value] = [constant]
        while stack:
            part = stack.pop()
            kind = part.type
            if isinstance(part, operands.ConstAggregate) and isinstance(kind, ArrayType):
                stack.extend(reversed(part.elements))
                continue
            if not isinstance(part, operands.ConstData | operands.ConstZero) or not isinstance(kind, ArrayType):
                return None
            if not is_scalar_number(kind.element) or element not in (None, kind.element):
                return None
            element = kind.element
            if isinstance(part, operands.ConstZero) and kind.count > _MOST_ZEROS:
                return None
            values += part.values if isinstance(part, operands.ConstData) else (0,) * kind.count
        return None if element is None else Data(tuple(values), self.layout.size(element))

    def _offsets(self, kind: Type) -> list[int]:
        if isinstance(kind, StructType):
            return list(self.layout.offsets(kind))
        assert isinstance(kind, ArrayType | VectorType)
        return [i * self.layout.size(kind.element) for i in range(kind.count)]

    def value(self, constant: operands.Value) -> Held:
        """The value of a constant operand."""
        match constant:
            case operands.ConstInt(_, value):
                return value
            case operands.ConstFloat(kind, bits):
                return from_memory(bits) if is_extended(kind) else bits
            case operands.ConstNull():
                return NULL
            case operands.GlobalRef(name):
                return self._address(name)
            case operands.Poison(kind) if self.lazy:
                return self._filled(kind, lambda _: NOTHING)
            case operands.Poison(kind) if is_scalar_number(kind):
                raise FoldedAway
            case operands.Undef(kind) | operands.Poison(kind):
                return self._filled(kind, lambda scalar: unset(self.layout.bits(scalar)))
            case operands.ConstZero(kind):
                return self._filled(kind, lambda scalar: NULL if isinstance(scalar, Ptr) else 0)
            case operands.ConstData(kind, values):
                return tuple(map(from_memory, values)) if is_extended(kind.element) else tuple(values)
            case operands.ConstAggregate(_, elements):
                return tuple(self.value(element) for element in elements)
            case operands.BlockAddress(function, label) if (function, label) in self._labels:
                return self._labels[function, label]
            case operands.ConstGep():
                return self._gep(constant)
            case operands.ConstCast(op, inner, kind):
                return self._cast(op, self.value(inner), kind)
            case _:
                raise NotModelled(f"the constant {constant}")

    def _address(self, name: str) -> Held:
        found = self.addresses.get(name)
        if found is not None:
            thing = self.module.functions.get(name) or self.module.globals[name]
            if thing.linkage == "extern_weak" and name not in self._present:
                raise NotModelled(
                    f"the address of {demangled(name)}, which is weak: it may be defined elsewhere or not"
                )
            return found
        alias = self.module.aliases.get(name)
        if alias is None or alias.ifunc:
            raise NotModelled(f"the address of {name}")
        return self.value(alias.target)

    def _filled(self, kind: Type, scalar: Callable[[Type], Held]) -> Held:
        """A value of a type in which each scalar is as `scalar` gives it."""
        if isinstance(kind, StructType):
            return tuple(self._filled(element, scalar) for element in kind.elements or ())
        if isinstance(kind, ArrayType | VectorType):
            return (self._filled(kind.element, scalar),) * kind.count
        return scalar(kind)

    def _gep(self, constant: operands.ConstGep) -> Held:
        base, route = self.value(constant.base), route_of(self.layout, constant.source, constant.indices)
        indices = [constant.indices[step.index] for step in route.steps]
        numbers = [index.signed for index in indices if isinstance(index, operands.ConstInt)]
        if not isinstance(base, Pointer) or not isinstance(base.offset, int) or len(numbers) < len(indices):
            raise NotModelled(f"the constant {constant}")
        moved = sum(number * step.size for number, step in zip(numbers, route.steps, strict=True))
        return Pointer(base.object, base.offset + route.constant + moved)

    def _cast(self, op: str, held: Held, kind: Type) -> Held:
        if op == "ptrtoint" and isinstance(held, Pointer) and kind == self.layout.address:
            return address_number(held)
        if op == "inttoptr" and isinstance(held, int | AddressNumber):
            return held.pointer if isinstance(held, AddressNumber) else fixed_address(held)
        if op == "bitcast":
            return held
        raise NotModelled(f"the constant {op} to {kind}")


def _jump_targets(terminator: Instruction) -> tuple[int, ...]:
    """The blocks that a computed goto may go to."""
    return terminator.targets if isinstance(terminator, IndirectBr) else ()


def _calls_rightly(one: Call, function: Function) -> bool:
    given = [argument.value.type for argument in one.arguments]
    taken = [param.type for param in function.params]
    if given[: len(taken)] != taken or (len(given) != len(taken) and not function.varargs):
        return False
    return one.result is None or one.result.type == function.type.returns
