"""The points-to analysis: where every pointer may point, in all functions that are reachable from the entry.

It is insensitive to the order of stores. It is sensitive to contexts: a function is analysed once for each combination
of pointers that it is called with, so that a helper called for two structs does not confuse them. It also follows
integers that hold a pointer's bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from msgspec import Struct, field

from soid.allowance import paced
from soid.engine.llvm.flow import library_effects as library
from soid.engine.llvm.flow.abstract_objects import AbstractObject, AbstractObjects
from soid.engine.llvm.flow.points_to_sets import NOTHING, PointsTo, anywhere, joined, moved, narrowed, spread, widened
from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.constant_image import address_of
from soid.engine.llvm.ir.ir_module import Function, Module
from soid.engine.llvm.ir.ir_types import ArrayType, FloatingType, StructType, VectorType
from soid.engine.llvm.ir.operands import ConstAggregate, ConstInt, GlobalRef, InlineAsm, MetadataValue, Register, Value
from soid.engine.llvm.ir.symbol_names import in_library

EXAMINING: Final = "finding what the program reads and writes"
_MOST_CONTEXTS: Final = 32  # of one function; further ones share one context
_MOST_IN_LIBRARY: Final = 2  # the same for functions of the C++ library and without debug info


@final
class CallContext(Struct, eq=False):
    """A function called with certain pointers."""

    function: Function
    arguments: list[PointsTo]
    registers: dict[int, PointsTo] = field(default_factory=dict)  # by slot
    allocated: dict[int, int] = field(default_factory=dict)  # the object of an alloca or a call, by slot
    returned: PointsTo = field(default_factory=dict)
    copies: dict[tuple[int, int], int] = field(default_factory=dict)  # of structs passed by value, by call and argument
    varargs: int | None = None  # the object that holds the variable arguments


@final
class PointsToAnalysis:
    """The analysis; `run` repeats it until nothing changes."""

    def __init__(self, module: Module, objects: AbstractObjects, own: frozenset[str] = frozenset()) -> None:
        """`own` are the functions of soid's own library."""
        self.module = module
        self._told = own & library.TOLD
        self.layout = module.layout
        self.objects = objects
        self.contexts: list[CallContext] = []
        self._by_arguments: dict[str, dict[tuple[frozenset[object], ...], CallContext]] = {}
        self._together: dict[str, CallContext] = {}
        self.thrown: PointsTo = NOTHING  # exceptions; any landing pad may get any of them

    def run(self) -> None:
        """Follow all contexts until nothing changes."""
        self.objects.changed = True
        while self.objects.changed:
            self.objects.changed = False
            for context in list(self.contexts):
                for block in context.function.blocks:
                    for instruction in paced(block.instructions, EXAMINING):
                        self._follow(context, instruction)

    # --- contexts -----------------------------------------------------------------------------------------------

    def context(self, function: Function, arguments: Sequence[PointsTo]) -> CallContext:
        known = self._by_arguments.setdefault(function.name, {})
        key = tuple(frozenset(argument.items()) for argument in arguments)
        if key in known:
            return known[key]
        library = function.loc is None or in_library(function.loc.location.file)
        if len(known) >= (_MOST_IN_LIBRARY if library else _MOST_CONTEXTS):
            return self._merged(function, arguments)
        known[key] = self._made(function, arguments)
        return known[key]

    def _made(self, function: Function, arguments: Sequence[PointsTo]) -> CallContext:
        context = CallContext(function, list(arguments))
        self._hand_over(context)
        self.contexts.append(context)
        self.objects.changed = True
        return context

    def _merged(self, function: Function, arguments: Sequence[PointsTo]) -> CallContext:
        context = self._together.get(function.name)
        if context is None:
            context = self._together[function.name] = self._made(function, arguments)
        for i, argument in enumerate(arguments):
            context.arguments[i] = self.objects.grown(context.arguments[i], argument)
        self._hand_over(context)
        return context

    def _hand_over(self, context: CallContext) -> None:
        named = len(context.function.params)
        for param, argument in zip(context.function.params, context.arguments, strict=False):
            context.registers[param.register.slot] = argument
        if context.function.varargs:
            if context.varargs is None:
                context.varargs = self.objects.add(AbstractObject(0))
            for argument in context.arguments[named:]:
                self.objects.store(self.objects.whole(context.varargs), 8, argument)

    # --- values -----------------------------------------------------------------------------------------------

    def value(self, context: CallContext, operand: Value) -> PointsTo:
        """Where an operand may point; nowhere if it is a plain number."""
        if isinstance(operand, Register):
            return context.registers.get(operand.slot, NOTHING)
        if isinstance(operand, ConstAggregate):
            return joined(self.value(context, element) for element in operand.elements)
        if isinstance(operand, InlineAsm | MetadataValue):
            return NOTHING
        if isinstance(operand, GlobalRef) and operand.name in self.module.aliases:
            operand = self.module.aliases[operand.name].target
        address = address_of(operand, self.layout)
        return self.objects.named(*address) if address is not None else NOTHING

    def _set(self, context: CallContext, register: Register | None, pointed: PointsTo) -> None:
        if register is None or not pointed or isinstance(register.type, FloatingType):
            return
        known = context.registers.get(register.slot, NOTHING)
        grown = self.objects.grown(known, pointed)
        if grown is not known:
            context.registers[register.slot] = widened(grown) if known else grown

    # --- instructions -----------------------------------------------------------------------------------------

    def _follow(self, context: CallContext, one: ir.Instruction) -> None:
        match one:
            case ir.Load(result, pointer):
                found = self.objects.load(self.value(context, pointer), self.layout.store_size(result.type))
                self._set(context, result, found)
            case ir.Store(value, pointer):
                size = self.layout.store_size(value.type)
                self.objects.store(self.value(context, pointer), size, self.value(context, value))
            case ir.Gep(result):
                self._set(context, result, self.element(context, one))
            case ir.Alloca(result):
                self._set(context, result, self.objects.whole(self._allocate(context, one)))
            case ir.Cast(result, _, value) | ir.Freeze(result, value):
                self._set(context, result, self.value(context, value))
            case ir.Phi(result, incoming):
                self._set(context, result, joined(self.value(context, value) for value, _ in incoming))
            case ir.Select(result, _, then, otherwise):
                self._set(context, result, joined((self.value(context, then), self.value(context, otherwise))))
            case ir.BinaryOp(result, op, left, right):
                sides = self.value(context, left), self.value(context, right)
                if not (op == "sub" and all(sides)):  # the difference of two pointers is no pointer
                    self._set(context, result, spread(joined(sides)))
            case ir.ExtractValue(result, whole) | ir.ExtractElement(result, whole):
                self._set(context, result, self.value(context, whole))
            case ir.InsertValue(result, whole, value) | ir.InsertElement(result, whole, value):
                self._set(context, result, joined((self.value(context, whole), self.value(context, value))))
            case ir.ShuffleVector(result, left, right):
                self._set(context, result, joined((self.value(context, left), self.value(context, right))))
            case ir.VaArg(result, list_):
                inside = self.objects.load(self.value(context, list_), 8)
                self._set(context, result, joined((inside, self.objects.load(inside, 8))))
            case ir.Call():
                self._call(context, one)
            case ir.Invoke(call=call):
                self._call(context, call)
            case ir.LandingPad(result):
                self._set(context, result, self.thrown)
            case ir.Ret(value) if value is not None:
                context.returned = self.objects.grown(context.returned, self.value(context, value))
            case _:
                pass

    def _allocate(self, context: CallContext, one: ir.Alloca) -> int:
        slot = one.result.slot
        if slot not in context.allocated:
            size = self.layout.size(one.allocated) * one.count.value if isinstance(one.count, ConstInt) else 0
            context.allocated[slot] = self.objects.add(AbstractObject(size))
        return context.allocated[slot]

    def element(self, context: CallContext, one: ir.Gep) -> PointsTo:
        """The address that a getelementptr computes; an index that is no constant may have any value that C allows."""
        sizes = self.objects.sizes
        pointed, kind = self.value(context, one.base), one.source
        if not pointed:
            return NOTHING
        for position, index in enumerate(one.indices):
            if position and isinstance(kind, StructType):
                assert isinstance(index, ConstInt) and kind.elements is not None
                offset, kind = self.layout.offsets(kind)[index.value], kind.elements[index.value]
                pointed = narrowed(moved(pointed, offset, sizes), self.layout.size(kind))
                continue
            if position:
                assert isinstance(kind, ArrayType | VectorType)
                if kind.count > 1:  # an array of length 0 or 1 may have more elements in C, so it sets no bounds
                    pointed = narrowed(pointed, self.layout.size(kind))
                kind = kind.element
            step = self.layout.size(kind)
            if isinstance(index, ConstInt):
                # with steps of one byte, a program may move from a member to its struct
                pointed = moved(pointed, index.signed * step, sizes, stays=step > 1)
            else:
                pointed = anywhere(pointed, step)
        return pointed

    # --- calls ------------------------------------------------------------------------------------------------

    def targets(self, context: CallContext, one: ir.Call) -> list[str]:
        """The functions that a call may go to."""
        things = (self.objects.things[target.object] for target in self.value(context, one.callee))
        return sorted({thing.function for thing in things if thing.function is not None})

    def called(self, context: CallContext, one: ir.Call) -> list[CallContext]:
        """The contexts that a call may lead to, of functions that the program defines."""
        arguments = [self._passed(context, one, i) for i in range(len(one.arguments))]
        functions = [self.module.functions[name] for name in self.targets(context, one) if self.is_followed(name)]
        return [self.context(f, arguments) for f in functions if len(arguments) >= len(f.params)]

    def is_followed(self, name: str) -> bool:
        """Whether the code of a function is analysed; of any other its name tells what it does."""
        return self.module.functions[name].defined and name not in self._told

    def _passed(self, context: CallContext, one: ir.Call, index: int) -> PointsTo:
        """An argument; a struct passed by value is copied for the callee."""
        argument = one.arguments[index]
        pointed, kind = self.value(context, argument.value), argument.attributes.byval
        if kind is None:
            return pointed
        key = (id(one), index)
        if key not in context.copies:
            context.copies[key] = self.objects.add(AbstractObject(self.layout.size(kind)))
        copy = self.objects.whole(context.copies[key])
        self.objects.copy(copy, pointed, self.layout.size(kind))
        return copy

    def _call(self, context: CallContext, one: ir.Call) -> None:
        for callee in self.called(context, one):
            self._set(context, one.result, callee.returned)
        for name in self.targets(context, one):
            if not self.is_followed(name):
                self._set(context, one.result, library.follow(self, context, one, name))
