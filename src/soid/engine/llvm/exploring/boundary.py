"""Between an interface and memory: inputs are put where the program reads them, outputs are read where it left them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

from soid.engine.llvm.debuginfo import CFunctionInfo
from soid.engine.llvm.exploring.addresses import typed
from soid.engine.llvm.exploring.explorer import Explorer
from soid.engine.llvm.exploring.memory import Object
from soid.engine.llvm.exploring.runtime import Held, Partial, PathEnd, Pointer, Unsupported, lift, lower, unset
from soid.engine.llvm.exploring.state import State
from soid.engine.llvm.ir import Function
from soid.engine.llvm.places import RETURN, Place, Places, Region
from soid.engine.llvm.types import VOID, DoubleType, HalfType, Type
from soid.engine.llvm.types import FloatType as IrFloat
from soid.engine.llvm.types import IntType as IrInt
from soid.engine.summary import Failed, OutputValue, Unexplored
from soid.formula import build
from soid.formula.sorts import FLOAT16, FLOAT32, BitVec, Bool
from soid.formula.term import Term
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, FloatType, constant

UNSET_DECISION = "an uninitialised value becomes a decision"


@final
class Boundary:
    """The regions of one entry function, laid out in the memory of one exploration."""

    def __init__(
        self, explorer: Explorer, entry: Function, info: CFunctionInfo, places: Places, interface: Interface
    ) -> None:
        self.explorer = explorer
        self.entry = entry
        self.info = info
        self.places = places
        self.interface = interface
        self._pointers: dict[int, Pointer] = {}  # by region

    # --- in ---------------------------------------------------------------------------------------------------

    def lay_out(self, state: State, fixed: Mapping[str, int]) -> list[Held]:
        """Put all inputs into memory; gives the arguments of the entry."""
        for number, region in enumerate(self.places.regions):
            self._pointers[number] = self._region(state, region)
        for number, region in enumerate(self.places.regions):
            if region.pointed_from is not None:
                holder, offset = region.pointed_from
                self._thing(state, holder).write(offset, 8, self._pointers[number])
        for region_number, offset, path in self.places.opaque:
            hidden = state.memory.add(Object(path, 0, "opaque"))
            self._thing(state, region_number).write(offset, 8, hidden)
        for place in self.places.places:
            self._put(state, place, fixed)
        return self._arguments(state)

    def next_step(self, state: State) -> list[Held]:
        """Make memory ready for another call, the state left as it is; gives the arguments of the entry.

        Decisions in the program's own variables stay as well, as they do on a machine; those in memory that it is
        given are not there yet.
        """
        inputs = self.explorer.exploration.inputs_at(len(state.earlier))
        for place in self.places.places:
            if place.path in self.interface:
                variable = self.interface.variable(place.path)
                if variable.role is Role.ENVIRONMENT:
                    self._put(state, place, inputs)
                elif variable.role is Role.DECISION and self.places.regions[place.region].variable is None:
                    self._unset(state, place)
        return self._arguments(state)

    def _unset(self, state: State, place: Place) -> None:
        thing = self._thing(state, place.region)
        first, count = place.bits or (0, 8 * place.size)
        mask = ((1 << count) - 1) << first
        held = thing.read(place.offset, place.size) if place.bits is not None else 0
        known = held.value if isinstance(held, Partial) else _plain(held)
        mask |= held.unset if isinstance(held, Partial) else 0
        nothing = Partial(known, mask, exact=thing.kind != "given", copied=True)  # the program has stored nothing there
        thing.write(place.offset, place.size, nothing)

    def _region(self, state: State, region: Region) -> Pointer:
        if region.variable is not None:
            return self.explorer.constants.addresses[region.variable]
        opaque = region.size == 0 and region.name != RETURN
        kind = "opaque" if opaque else "stack" if region.name == RETURN else "given"
        return state.memory.add(Object(region.name, region.size, kind))

    def _thing(self, state: State, region: int) -> Object:
        return state.memory.to_write(self._pointers[region].object)

    def _put(self, state: State, place: Place, fixed: Mapping[str, int]) -> None:
        if place.path not in self.interface:
            return
        variable = self.interface.variable(place.path)
        if not variable.is_input:
            return
        bits = fixed.get(variable.path)
        value = variable.reading if bits is None else bits
        thing = self._thing(state, place.region)
        if place.bits is not None:
            self._put_bits(thing, place, value)
        else:
            thing.write(place.offset, place.size, _in_memory(value, place.size))

    def _put_bits(self, thing: Object, place: Place, value: int | Term) -> None:
        """Set some bits of the bytes that hold a bit-field; bits of no field read 0."""
        assert place.bits is not None
        first, count = place.bits
        width = 8 * place.size
        old = thing.read(place.offset, place.size)
        base: int | Term = 0 if isinstance(old, Partial) and old.unset == (1 << width) - 1 else _plain(old)
        wide = build.zero_extend(_as_vector(value, count), width - count)
        mask = build.const(BitVec(width), ~(((1 << count) - 1) << first))
        kept = build.bvand(lift(base, IrInt(width)), mask)
        new = lower(build.bvor(kept, build.bvshl(wide, build.const(BitVec(width), first))))
        for i in range(place.size):
            byte = new >> 8 * i & 0xFF if isinstance(new, int) else lower(build.extract(new, 8 * i + 7, 8 * i))
            thing.write(place.offset + i, 1, byte)

    def _arguments(self, state: State) -> list[Held]:
        layout = self.explorer.module.layout
        arguments: list[Held] = [
            unset(layout.bits(param.type)) if not isinstance(param.type, type(VOID)) else 0
            for param in self.entry.params
        ]
        for index, param in enumerate(self.entry.params):
            if param.attributes.sret is not None:
                arguments[index] = self._pointers[self._number_of(RETURN)]
        for number, region in enumerate(self.places.regions):
            if region.parameter is None:
                continue
            for piece in self.info.params[region.parameter].pieces:
                pointer = self._pointers[number]
                if not region.by_value or piece.by_address:
                    arguments[piece.index] = pointer
                else:
                    arguments[piece.index] = self._piece(
                        state, pointer, piece.offset, self.entry.params[piece.index].type
                    )
        return arguments

    def _piece(self, state: State, pointer: Pointer, offset: int, kind: Type) -> Held:
        """Part of a value that is passed in a register; it may be wider than what is left of the value."""
        thing = state.memory.objects[pointer.object]
        size = self.explorer.module.layout.store_size(kind)
        inside = min(size, thing.size - offset)
        if inside == size:
            return self.explorer.addresses.load(state, Pointer(pointer.object, offset), kind, None)
        known = typed(thing.read(offset, inside), IrInt(8 * inside))
        rest = ((1 << 8 * size) - 1) ^ ((1 << 8 * inside) - 1)
        if isinstance(known, Partial):
            raise Unsupported("a struct of odd size with padding, passed by value")
        wide = (
            known
            if isinstance(known, int)
            else build.zero_extend(lift(_plain(known), IrInt(8 * inside)), 8 * (size - inside))
        )
        return Partial(wide, rest)

    def _number_of(self, name: str) -> int:
        return next(i for i, region in enumerate(self.places.regions) if region.name == name)

    # --- out --------------------------------------------------------------------------------------------------

    def addresses(self) -> list[tuple[Variable, Place, Pointer]]:
        """Where each variable lies, once inputs have been laid out."""
        laid_out = [place for place in self.places.places if place.region in self._pointers]
        known = [place for place in laid_out if place.path in self.interface]
        return [(self.interface.variable(place.path), place, self._pointers[place.region]) for place in known]

    def outputs(self, state: State, returned: Held | None) -> dict[str, OutputValue]:
        """What the program decided, and its state after the call."""
        if returned is not None and self.places.regions and self.places.regions[-1].name == RETURN:
            self._keep_returned(state, returned)
        found: dict[str, OutputValue] = {}
        for place in self.places.places:
            if place.path in self.interface:
                variable = self.interface.variable(place.path)
                if variable.role is Role.STATE:
                    found[f"{variable.path}'"] = self._get(state, place, variable)
                elif variable.role is Role.DECISION:
                    found[variable.path] = self._get(state, place, variable)
        return found

    def _keep_returned(self, state: State, returned: Held) -> None:
        kind = self.entry.type.returns
        size = self.explorer.module.layout.store_size(kind)
        thing = self._thing(state, self._number_of(RETURN))
        thing.size = max(thing.size, size)  # a small struct comes back in a register that is wider than it
        self.explorer.addresses.store(state, self._pointers[self._number_of(RETURN)], returned, kind, None)

    def _get(self, state: State, place: Place, variable: Variable) -> OutputValue:
        thing = state.memory.objects[self._pointers[place.region].object]
        held = self.explorer.sound(state, thing.read(place.offset, place.size))
        if place.bits is not None:
            held = self._get_bits(held, place)
        kind: Type = ir_type(variable, place.size)
        held = typed(held, kind) if place.bits is None else held
        if isinstance(held, Partial):
            used = thing.stored(place.offset, place.size)
            return _never_set(held, variable, used=isinstance(used, Partial) and not used.copied)
        if not isinstance(held, int | Term):
            raise Unsupported(f"a pointer left in {variable.path}")
        return OutputValue(output_reading(held, variable))

    def _get_bits(self, held: Held, place: Place) -> Held:
        assert place.bits is not None
        first, count = place.bits
        if isinstance(held, Partial):
            touched = held.unset >> first & (1 << count) - 1
            if touched:
                return Partial(0, touched, held.exact)
            held = held.value
        value = _plain(held)
        if isinstance(value, int):
            return value >> first & (1 << count) - 1
        return lower(build.extract(value, first + count - 1, first))


def _never_set(held: Partial, variable: Variable, *, used: bool) -> OutputValue:
    """A decision that this path leaves unset has no value here; an uninitialised value that was stored is a failure."""
    whole = held.unset == (1 << variable.type.width) - 1 or isinstance(variable.type, BoolType)
    if whole and not used:
        return OutputValue(constant(variable.type, 0), build.FALSE)
    if held.exact:
        raise PathEnd(Failed(f"{UNSET_DECISION}: {variable.path}"))
    raise PathEnd(Unexplored(f"perhaps {UNSET_DECISION}: {variable.path}"))


def _plain(held: Held) -> int | Term:
    if isinstance(held, int | Term):
        return held
    raise Unsupported("a pointer where a number is")


def _as_vector(value: int | Term, width: int) -> Term:
    if isinstance(value, int):
        return build.const(BitVec(width), value)
    if isinstance(value.sort, Bool):
        return build.ite(value, build.const(BitVec(width), 1), build.const(BitVec(width), 0))
    return value


def _in_memory(value: int | Term, size: int) -> int | Term:
    """An input as it lies in memory: a bool fills its byte."""
    if isinstance(value, Term) and isinstance(value.sort, Bool):
        return _as_vector(value, 8 * size)
    return value


def ir_type(variable: Variable, size: int) -> Type:
    """The type of a variable of so many bytes as the program loads it."""
    if isinstance(variable.type, FloatType):
        format = variable.type.format
        return HalfType() if format == FLOAT16 else IrFloat() if format == FLOAT32 else DoubleType()
    return IrInt(8 * size)


def output_reading(value: int | Term, variable: Variable) -> Term:
    """An output as the interface reads it."""
    if isinstance(value, int):
        return constant(variable.type, value)
    if isinstance(variable.type, BoolType) and isinstance(value.sort, BitVec):
        return build.not_(build.eq(value, build.const(value.sort, 0)))
    return value
