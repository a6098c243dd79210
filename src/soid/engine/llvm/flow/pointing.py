"""Where every pointer of a program may point: an analysis of the functions that can be reached from its entry.

What lies in memory is followed without regard to order; functions are told apart by the pointers that they are handed,
so that a helper called for two structs does not confuse them. Integers that hold a pointer's bits are followed too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from msgspec import Struct, field

from soid.engine.llvm import instructions as ir
from soid.engine.llvm.flow import library
from soid.engine.llvm.flow.objects import Objects, Thing
from soid.engine.llvm.flow.pointed import NOTHING, Pointed, anywhere, includes, joined, moved, narrowed, spread, widened
from soid.engine.llvm.image import address_of
from soid.engine.llvm.ir import Function, Module
from soid.engine.llvm.names import in_library
from soid.engine.llvm.types import ArrayType, StructType, Type, VectorType, is_floating
from soid.engine.llvm.values import ConstAggregate, ConstInt, GlobalRef, InlineAsm, MetadataValue, Register, Value

_MOST_CONTEXTS: Final = 32  # of one function; further ones are taken together
_MOST_IN_LIBRARY: Final = 2  # the same, for the many small functions of the C++ library, and without debug info


@final
class Frame(Struct, eq=False):
    """A function in one context: handed these pointers."""

    function: Function
    arguments: list[Pointed]
    registers: dict[int, Pointed] = field(default_factory=dict)  # by slot
    allocated: dict[int, int] = field(default_factory=dict)  # by slot of an alloca or of a call: the object
    returned: Pointed = field(default_factory=dict)
    copies: dict[tuple[int, int], int] = field(default_factory=dict)  # of structs passed by value: call and argument
    varargs: int | None = None  # the object that holds the variable arguments


@final
class Pointing:
    """The analysis; `run` ends when nothing new is found."""

    def __init__(self, module: Module, objects: Objects) -> None:
        self.module = module
        self.layout = module.layout
        self.objects = objects
        self.frames: list[Frame] = []
        self._contexts: dict[str, dict[tuple[frozenset[object], ...], Frame]] = {}
        self._together: dict[str, Frame] = {}
        self.thrown: Pointed = NOTHING  # exceptions, wherever they are caught

    def run(self) -> None:
        """Follow all frames until nothing changes."""
        self.objects.changed = True
        while self.objects.changed:
            self.objects.changed = False
            for frame in list(self.frames):
                for block in frame.function.blocks:
                    for instruction in block.instructions:
                        self._follow(frame, instruction)

    # --- frames -----------------------------------------------------------------------------------------------

    def frame(self, function: Function, arguments: Sequence[Pointed]) -> Frame:
        """The frame of a call."""
        contexts = self._contexts.setdefault(function.name, {})
        key = tuple(frozenset(argument.items()) for argument in arguments)
        if key in contexts:
            return contexts[key]
        library = function.loc is None or in_library(function.loc.file)
        if len(contexts) >= (_MOST_IN_LIBRARY if library else _MOST_CONTEXTS):
            return self._merged(function, arguments)
        made = contexts[key] = self._made(function, arguments)
        return made

    def _made(self, function: Function, arguments: Sequence[Pointed]) -> Frame:
        frame = Frame(function, list(arguments))
        self._hand_over(frame)
        self.frames.append(frame)
        self.objects.changed = True
        return frame

    def _merged(self, function: Function, arguments: Sequence[Pointed]) -> Frame:
        frame = self._together.get(function.name)
        if frame is None:
            frame = self._together[function.name] = self._made(function, arguments)
        for i, argument in enumerate(arguments):
            if not includes(frame.arguments[i], argument):
                frame.arguments[i] = joined((frame.arguments[i], argument))
                self.objects.changed = True
        self._hand_over(frame)
        return frame

    def _hand_over(self, frame: Frame) -> None:
        named = len(frame.function.params)
        for param, argument in zip(frame.function.params, frame.arguments, strict=False):
            frame.registers[param.register.slot] = argument
        if frame.function.varargs:
            if frame.varargs is None:
                frame.varargs = self.objects.add(Thing(0))
            for argument in frame.arguments[named:]:
                self.objects.store(self.objects.whole(frame.varargs), 8, argument)

    # --- values -----------------------------------------------------------------------------------------------

    def value(self, frame: Frame, operand: Value) -> Pointed:
        """Where an operand may point; nowhere if it is a plain number."""
        if isinstance(operand, Register):
            return frame.registers.get(operand.slot, NOTHING)
        if isinstance(operand, GlobalRef):
            return self._global(operand)
        if isinstance(operand, ConstAggregate):
            return joined(self.value(frame, element) for element in operand.elements)
        if isinstance(operand, InlineAsm | MetadataValue):
            return NOTHING
        address = address_of(operand, self.layout)
        return self.objects.named(*address) if address is not None else NOTHING

    def _global(self, operand: GlobalRef) -> Pointed:
        alias = self.module.aliases.get(operand.name)
        if alias is None:
            return self.objects.named(operand.name)
        address = address_of(alias.target, self.layout)
        return self.objects.named(*address) if address is not None else NOTHING

    def _set(self, frame: Frame, register: Register | None, pointed: Pointed) -> None:
        if register is None or not pointed or is_floating(register.type):
            return
        known = frame.registers.get(register.slot, NOTHING)
        if not includes(known, pointed):
            both = joined((known, pointed))
            frame.registers[register.slot] = widened(both) if known else both
            self.objects.changed = True

    # --- instructions -----------------------------------------------------------------------------------------

    def _follow(self, frame: Frame, one: ir.Instruction) -> None:
        match one:
            case ir.Load(result, pointer):
                found = self.objects.load(self.value(frame, pointer), self.layout.store_size(result.type))
                self._set(frame, result, found)
            case ir.Store(value, pointer):
                size = self.layout.store_size(value.type)
                self.objects.store(self.value(frame, pointer), size, self.value(frame, value))
            case ir.Gep(result):
                self._set(frame, result, self.element(frame, one))
            case ir.Alloca(result):
                self._set(frame, result, self.objects.whole(self._allocate(frame, one)))
            case ir.Cast(result, _, value) | ir.Freeze(result, value):
                self._set(frame, result, self.value(frame, value))
            case ir.Phi(result, incoming):
                self._set(frame, result, joined(self.value(frame, value) for value, _ in incoming))
            case ir.Select(result, _, then, otherwise):
                self._set(frame, result, joined((self.value(frame, then), self.value(frame, otherwise))))
            case ir.BinaryOp(result, op, left, right):
                sides = self.value(frame, left), self.value(frame, right)
                if not (op == "sub" and all(sides)):  # the distance of two pointers is none
                    self._set(frame, result, spread(joined(sides)))
            case ir.ExtractValue(result, whole) | ir.ExtractElement(result, whole):
                self._set(frame, result, self.value(frame, whole))
            case ir.InsertValue(result, whole, value) | ir.InsertElement(result, whole, value):
                self._set(frame, result, joined((self.value(frame, whole), self.value(frame, value))))
            case ir.ShuffleVector(result, left, right):
                self._set(frame, result, joined((self.value(frame, left), self.value(frame, right))))
            case ir.VaArg(result, list_):
                inside = self.objects.load(self.value(frame, list_), 8)
                self._set(frame, result, joined((inside, self.objects.load(inside, 8))))
            case ir.Call():
                self._call(frame, one)
            case ir.Invoke(call=call):
                self._call(frame, call)
            case ir.LandingPad(result):
                self._set(frame, result, self.thrown)
            case ir.Ret(value) if value is not None:
                self._return(frame, self.value(frame, value))
            case _:
                pass

    def _allocate(self, frame: Frame, one: ir.Alloca) -> int:
        slot = one.result.slot
        if slot not in frame.allocated:
            known = isinstance(one.count, ConstInt)
            size = self.layout.size(one.allocated) * one.count.value if isinstance(one.count, ConstInt) else 0
            frame.allocated[slot] = self.objects.add(Thing(size if known else 0))
        return frame.allocated[slot]

    def _return(self, frame: Frame, pointed: Pointed) -> None:
        if not includes(frame.returned, pointed):
            frame.returned = joined((frame.returned, pointed))
            self.objects.changed = True

    def element(self, frame: Frame, one: ir.Gep) -> Pointed:
        """The address of a part: an index that is not a plain number may be any that C allows."""
        sizes = self.objects.sizes
        pointed, kind = self.value(frame, one.base), one.source
        if not pointed:
            return NOTHING
        for position, index in enumerate(one.indices):
            if position and isinstance(kind, StructType):
                assert isinstance(index, ConstInt) and kind.elements is not None
                offset, kind = self.layout.offsets(kind)[index.value], kind.elements[index.value]
                pointed = narrowed(moved(pointed, offset, sizes), self.layout.size(kind))
                continue
            if position:
                pointed, kind = self._inside(pointed, kind)
            step = self.layout.size(kind)
            known = index.signed if isinstance(index, ConstInt) else None
            if known is None:
                pointed = anywhere(pointed, step, sizes)
            else:
                # in steps of bytes, programs also get from a member to the struct that it is in
                pointed = moved(pointed, known * step, sizes, stays=step > 1)
        return pointed

    def _inside(self, pointed: Pointed, kind: Type) -> tuple[Pointed, Type]:
        """Into an array. One of length 0 or 1 is C's way of saying that more follows, and bounds nothing."""
        assert isinstance(kind, ArrayType | VectorType)
        return (narrowed(pointed, self.layout.size(kind)) if kind.count > 1 else pointed), kind.element

    # --- calls ------------------------------------------------------------------------------------------------

    def targets(self, frame: Frame, one: ir.Call) -> list[str]:
        """The functions that a call may go to."""
        things = (self.objects.things[target.object] for target in self.value(frame, one.callee))
        return sorted({thing.function for thing in things if thing.function is not None})

    def called(self, frame: Frame, one: ir.Call) -> list[Frame]:
        """The frames that a call may lead to, of functions that the program defines."""
        arguments = [self._passed(frame, one, i) for i in range(len(one.arguments))]
        functions = (self.module.functions[name] for name in self.targets(frame, one))
        return [self.frame(f, arguments) for f in functions if f.defined and len(arguments) >= len(f.params)]

    def _passed(self, frame: Frame, one: ir.Call, index: int) -> Pointed:
        """An argument; the callee gets a copy of its own of a struct that is passed by value."""
        argument = one.arguments[index]
        pointed, kind = self.value(frame, argument.value), argument.attributes.byval
        if kind is None:
            return pointed
        key = (id(one), index)
        if key not in frame.copies:
            frame.copies[key] = self.objects.add(Thing(self.layout.size(kind)))
        copy = self.objects.whole(frame.copies[key])
        self.objects.copy(copy, pointed, self.layout.size(kind))
        return copy

    def _call(self, frame: Frame, one: ir.Call) -> None:
        for callee in self.called(frame, one):
            self._set(frame, one.result, callee.returned)
        for name in self.targets(frame, one):
            if not self.module.functions[name].defined:
                self._set(frame, one.result, library.follow(self, frame, one, name))
