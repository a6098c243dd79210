"""The boundary between interface and memory: it writes inputs where the program reads them, and reads outputs back."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from typing import final

from msgspec.structs import replace

from soid.assumptions import Assumption, Ledger
from soid.engine.llvm.debug.debug_info import CFunctionInfo
from soid.engine.llvm.ir.ir_module import Function
from soid.engine.llvm.ir.ir_types import DOUBLE, FLOAT, HALF, VOID, X86_FP80, IntegerType, Ptr, Type
from soid.engine.llvm.symbolic.explorer import Explorer
from soid.engine.llvm.symbolic.memory.addresses import stored, typed
from soid.engine.llvm.symbolic.memory.memory_object import MemoryKind, MemoryObject, byte_of
from soid.engine.llvm.symbolic.path_state import PathState, StackFrame
from soid.engine.llvm.symbolic.paths.path_end import NotModelled
from soid.engine.llvm.symbolic.values.extended_floats import SIZE
from soid.engine.llvm.symbolic.values.float_bits import digits
from soid.engine.llvm.symbolic.values.held_values import (
    NULL,
    Fragment,
    Held,
    Mosaic,
    Partial,
    Pointer,
    as_bits,
    lift,
    lower,
    unknown,
    unset,
    unset_use,
)
from soid.engine.llvm.symbolic.values.shadow_bits import marked, parts
from soid.engine.llvm.variables.internals import Internal
from soid.engine.llvm.variables.variable_layout import RETURN, MemoryRegion, VariableLayout, VariablePlace
from soid.engine.protocol import PERCEPTION_OPEN
from soid.engine.summary import OutputValue, Unexplored
from soid.formula import build
from soid.formula.sorts import FLOAT16, FLOAT32, BitVec, Bool, Float
from soid.formula.term import Term
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, FloatType, constant, reading

UNSET_DECISION = "an uninitialised value becomes a decision"


@final
class Boundary:
    """The regions of one entry function, laid out in the memory of one exploration."""

    def __init__(self, entry: Function, info: CFunctionInfo, places: VariableLayout, interface: Interface) -> None:
        self.entry = entry
        self.info = info
        self.places = places
        self._known = [(place, interface.variable(place.path)) for place in places.places if place.path in interface]
        self._views = frozenset(view.path for view in interface.views)
        self._pointers: dict[int, Pointer] = {}  # by region

    @property
    def _held(self) -> list[tuple[VariablePlace, Variable]]:
        """The variables that are written into memory: no views of them."""
        return [(place, variable) for place, variable in self._known if place.path not in self._views]

    # --- in ---------------------------------------------------------------------------------------------------

    def lay_out(self, explorer: Explorer, state: PathState) -> list[Held]:
        """Write all inputs into memory, and symbols for what decisions were; gives the arguments of the entry."""
        fixed, computed = explorer.exploration.fixed, explorer.exploration.computed
        width = explorer.module.layout.pointer_bytes
        for number, region in enumerate(self.places.regions):
            self._pointers[number] = self._region(explorer, state, region)
            self._thing(state, number).direct = region.by_value or region.name == RETURN
        for number, region in enumerate(self.places.regions):
            if region.pointed_from is not None:
                holder, offset = region.pointed_from
                self._thing(state, holder).write(offset, width, self._pointers[number])
        for region_number, offset, path in self.places.opaque:
            hidden = state.memory.add(MemoryObject(path, 0, MemoryKind.OPAQUE))
            self._thing(state, region_number).write(offset, width, hidden)
        for path, (region_number, offset, size) in self.places.refused.items():
            size = SIZE if size == explorer.module.layout.size(X86_FP80) else size
            nothing = unknown(8 * size, f"what {path} holds before the call: no log has numbers of its type")
            self._thing(state, region_number).write(offset, size, nothing)
        for place, variable in self._held:
            if variable.path in computed:
                put_value(self._thing(state, place.region), place, variable, lower(computed[variable.path]))
            elif variable.is_input:
                self._put(explorer, state, place, variable, variable.symbol_in(fixed))
            elif self.places.regions[place.region].name != RETURN:
                before = explorer.before.of(variable)
                self._put(explorer, state, place, before, before.symbol)
        return self._arguments(explorer, state)

    def next_step(self, explorer: Explorer, state: PathState) -> list[Held]:
        """Prepare memory for another call; gives the arguments of the entry.

        State and decisions stay as they are, in the program's own variables and in the caller's, as on a machine.
        """
        exploration, earlier = explorer.exploration, state.earlier
        known = build.not_(exploration.open_after(earlier))
        explorer.brancher.continue_where(state, known is build.TRUE or known, Unexplored(PERCEPTION_OPEN))
        for place, variable in self._held:
            if variable.role is Role.ENVIRONMENT:
                self._put(explorer, state, place, variable, exploration.perceived(variable, earlier))
        return self._arguments(explorer, state)

    def _region(self, explorer: Explorer, state: PathState, region: MemoryRegion) -> Pointer:
        if region.variable is not None or region.address is not None:
            return explorer.constants.pointer_to(region)
        if region.name == RETURN:
            kind = MemoryKind.STACK
        elif region.size == 0:
            kind = MemoryKind.OPAQUE
        else:
            kind = MemoryKind.GIVEN if region.measured else MemoryKind.OPEN
        return state.memory.add(MemoryObject(region.name, region.size, kind))

    def _thing(self, state: PathState, region: int) -> MemoryObject:
        return state.memory.to_write(self._pointers[region].object)

    def _put(
        self, explorer: Explorer, state: PathState, place: VariablePlace, variable: Variable, symbol: Term
    ) -> None:
        """Write an input to its place, given the term for its bits."""
        thing = self._thing(state, place.region)
        if not place.functions:
            put(thing, place, variable, symbol)
            return
        targets = tuple(explorer.constants.addresses[name] for name in place.functions)
        if not symbol.is_const:
            thing.write(place.offset, place.size, explorer.addresses.choice(symbol, targets))
        elif (bits := int(symbol.value)) > len(targets):
            raise NotModelled(f"a function that {variable.path} cannot point to")
        else:
            thing.write(place.offset, place.size, targets[bits - 1] if bits else NULL)

    def _arguments(self, explorer: Explorer, state: PathState) -> list[Held]:
        layout = explorer.module.layout
        kinds = [param.type for param in self.entry.params]
        arguments: list[Held] = [unset(layout.bits(kind)) if kind != VOID else 0 for kind in kinds]
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
                    arguments[piece.index] = self._piece(explorer, state, pointer, piece.offset, kinds[piece.index])
        return arguments

    def _piece(self, explorer: Explorer, state: PathState, pointer: Pointer, offset: int, kind: Type) -> Held:
        """The part of a value that one register passes; the register may be wider than that part."""
        thing = state.memory.objects[pointer.object]
        size = explorer.module.layout.store_size(kind)
        inside = min(size, thing.size - offset)
        if inside == size:
            return explorer.addresses.held_at(state, Pointer(pointer.object, offset), kind)
        known = typed(thing.read(offset, inside), IntegerType(8 * inside))
        rest = ((1 << 8 * size) - 1) ^ ((1 << 8 * inside) - 1)
        if isinstance(known, Partial):
            raise NotModelled("a struct of odd size with padding, passed by value")
        wide = build.zero_extend(lift(_plain(known), IntegerType(8 * inside)), 8 * (size - inside))
        return Partial(lower(wide), rest)

    def _number_of(self, name: str) -> int:
        return next(i for i, region in enumerate(self.places.regions) if region.name == name)

    def relied_on(self, touched: Container[int]) -> list[Assumption]:
        """What is assumed about the objects that the program accessed, or whose addresses it compared."""
        regions = [self.places.regions[at] for at, pointer in self._pointers.items() if pointer.object in touched]
        behind = [region for region in regions if region.variable is None]
        variables = {region.name for region in regions if region.variable is not None}
        kept = [path for path in self.places.kept if re.split(r"[.\[]", path)[0] in variables]
        lengths = [f"{region.name} ({region.count})" for region in behind if region.measured and region.size]
        one = [region.name for region in behind if not region.measured]
        names = [region.name for region in behind]
        found = (
            (Ledger.SEPARATE, [*names, *sorted(variables)] if behind and len(regions) > 1 else ()),
            (Ledger.NOT_NULL, names),
            (Ledger.ONE_ELEMENT, one),
            (Ledger.LENGTH, lengths),
            (Ledger.KEPT_POINTERS, kept),
        )
        return [ledger.of(", ".join(about)) for ledger, about in found if about]

    # --- out --------------------------------------------------------------------------------------------------

    def addresses(self) -> list[tuple[Variable, VariablePlace, Pointer]]:
        """Each variable with its place and its region; to be called after `lay_out`."""
        laid_out = [(place, variable) for place, variable in self._held if place.region in self._pointers]
        return [(variable, place, self._pointers[place.region]) for place, variable in laid_out]

    def outputs(self, explorer: Explorer, state: PathState, returned: Held | None) -> dict[str, OutputValue]:
        """The decisions, and the state after the call."""
        if returned is not None and any(region.name == RETURN for region in self.places.regions):
            self._keep_returned(explorer, state, returned)
        found: dict[str, OutputValue] = {}
        for place, variable in self._known:
            asked = place.path in explorer.exploration.observed
            if variable.role not in (Role.STATE, Role.DECISION) or (place.path in self._views and not asked):
                continue
            try:
                value = self._get(explorer, state, place, variable)
            except NotModelled:
                # another member of the union may be the one that the program has set
                if asked or place.union is None or variable.role is Role.STATE:
                    raise
                continue
            found[f"{variable.path}'" if variable.role is Role.STATE else variable.path] = value
        return found

    def _now_at(self, explorer: Explorer, state: PathState, number: int) -> Pointer | None:
        """Where a region lies after the call: behind the pointer that the program returns, or where it was.

        None where the program has changed a pointer on the way to it.
        """
        region, pointer = self.places.regions[number], self._pointers[number]
        if region.pointed_from is None:
            return pointer
        holder, offset = region.pointed_from
        outer = self._now_at(explorer, state, holder)
        held = explorer.sound(state, self._thing(state, holder).read(offset, explorer.module.layout.pointer_bytes))
        if held == pointer and outer == self._pointers[holder]:
            return pointer
        found = typed(held, Ptr())
        return found if region.name == RETURN and isinstance(found, Pointer) else None

    def _is_known(self, state: PathState, pointer: Pointer, place: VariablePlace) -> bool:
        """Whether soid knows what is at a place behind a returned pointer: in a global, its variables alone."""
        if pointer == self._pointers[place.region]:
            return True
        thing = state.memory.objects.get(pointer.object)
        if thing is None or not isinstance(pointer.offset, int):
            return False
        at = pointer.offset + place.offset
        if not (0 <= at <= thing.size - place.size and thing.alive and thing.kind.has_content):
            return False
        own = (each for each, _ in self._known if self._pointers[each.region].object == pointer.object)
        covered = any(each.offset <= at and at + place.size <= each.offset + each.size for each in own)
        return covered or not thing.writable or thing.kind is not MemoryKind.GLOBAL

    def _keep_returned(self, explorer: Explorer, state: PathState, returned: Held) -> None:
        kind = self.entry.type.returns
        size = explorer.module.layout.store_size(kind)
        thing = self._thing(state, self._number_of(RETURN))
        thing.size = max(thing.size, size)  # a register that returns a small struct may be wider than the struct
        explorer.addresses.store(state, self._pointers[self._number_of(RETURN)], returned, kind)

    def _get(self, explorer: Explorer, state: PathState, place: VariablePlace, variable: Variable) -> OutputValue:
        pointer = self._now_at(explorer, state, place.region)
        if pointer == NULL:
            return OutputValue(constant(variable.type, 0), build.FALSE)  # there is nothing behind it
        if pointer is None or not self._is_known(state, pointer, place):
            return OutputValue(constant(variable.type, 0), build.FALSE, build.TRUE)
        assert isinstance(pointer.offset, int)
        thing, place = state.memory.objects[pointer.object], replace(place, offset=pointer.offset + place.offset)
        held = explorer.sound(state, thing.read(place.offset, place.size))
        if place.functions and isinstance(held, Pointer):
            return OutputValue(_function_number(explorer, held, place, variable))
        held = digits(explorer, state, typed(held, ir_type(variable, place.size)) if place.bits is None else held)
        held = held if place.bits is None else _part(held, *place.bits)
        if isinstance(held, Partial):
            used = thing.stored(place.offset, place.size)
            in_part = place.union is not None
            return _never_set(held, variable, used=isinstance(used, Partial) and not used.copied, in_part=in_part)
        if not isinstance(held, int | Term):
            raise NotModelled(f"a pointer left in {variable.path}")
        return explorer.before.output(output_reading(held, variable))


def _function_number(explorer: Explorer, held: Pointer, place: VariablePlace, variable: Variable) -> Term:
    """A function pointer as the number of its function."""
    if held.object in explorer.addresses.choices:
        return explorer.addresses.choices[held.object].symbol
    name = explorer.constants.name_of(held)
    if held != NULL and name not in place.functions:
        raise NotModelled(f"a pointer left in {variable.path}")
    return constant(variable.type, 0 if held == NULL else place.functions.index(name or "") + 1)


def put(thing: MemoryObject, place: VariablePlace, variable: Variable, symbol: Term) -> None:
    """Write an input to its place in an object, given the term for its bits."""
    put_value(thing, place, variable, as_read(variable, symbol))


def put_value(thing: MemoryObject, place: VariablePlace, variable: Variable, value: int | Term) -> None:
    """Write an input to its place in an object, given its value as the program reads it."""
    if place.bits is not None:
        _put_bits(thing, place, value)
    else:
        thing.write(place.offset, place.size, stored(value, ir_type(variable, place.size), place.size))


def as_read(variable: Variable, symbol: Term) -> int | Term:
    """An input as the program reads it: its bits if they are known."""
    if symbol.is_const:
        return int(symbol.value)
    return symbol if isinstance(symbol.sort, Float) else reading(variable.type, symbol)


def _put_bits(thing: MemoryObject, place: VariablePlace, value: int | Term) -> None:
    """Set the bits of a bit-field in the bytes that hold it; bits that belong to no field stay unknown."""
    assert place.bits is not None
    first, count = place.bits
    width = 8 * place.size
    field = ((1 << count) - 1) << first
    old, unset, exact = parts(thing.read(place.offset, place.size))
    wide = build.zero_extend(_as_vector(value, count), width - count)
    kept = build.bvand(lift(old, IntegerType(width)), build.const(BitVec(width), ~field))
    new = lower(build.bvor(kept, build.bvshl(wide, build.const(BitVec(width), first))))
    whole = marked(new, unset & ~field, exact)
    for i in range(place.size):
        thing.write(place.offset + i, 1, byte_of(whole, i, place.size))


def _part(held: Held, first: int, count: int) -> Held:
    """A bit-field in the bytes that hold it."""
    if isinstance(held, Partial):
        touched = held.unset >> first & (1 << count) - 1
        if touched:
            return Partial(0, touched, held.exact)
        held = held.value
    value = _plain(held)
    if isinstance(value, int):
        return value >> first & (1 << count) - 1
    return lower(build.extract(value, first + count - 1, first))


def _never_set(held: Partial, variable: Variable, *, used: bool, in_part: bool) -> OutputValue:
    """A decision that the path never set has no value; one that it set to an uninitialised value is a failure.

    `in_part`: a path may set a part of it, because that is another member of its union.
    """
    whole = held.unset == (1 << variable.type.width) - 1 or isinstance(variable.type, BoolType)
    if (whole or in_part) and not used:  # what the caller's memory held before is a value, though not a known one
        return OutputValue(constant(variable.type, 0), build.FALSE, build.FALSE if held.exact else build.TRUE)
    raise unset_use(held, f"{UNSET_DECISION}: {variable.path}", None)


def _plain(held: Held) -> int | Term:
    if isinstance(held, int | Term):
        return held
    raise NotModelled("a pointer where a number is")


def _as_vector(value: int | Term, width: int) -> Term:
    if isinstance(value, int):
        return build.const(BitVec(width), value)
    return as_bits(value, width) if isinstance(value.sort, Bool) else value


def ir_type(variable: Variable, size: int) -> Type:
    """The type with which the program loads a variable of `size` bytes."""
    if isinstance(variable.type, FloatType):
        format = variable.type.format
        return HALF if format == FLOAT16 else FLOAT if format == FLOAT32 else DOUBLE
    return IntegerType(8 * size)


def output_reading(value: int | Term, variable: Variable) -> Term:
    """An output as the interface reads it."""
    if isinstance(value, int):
        return constant(variable.type, value)
    if isinstance(variable.type, BoolType) and isinstance(value.sort, BitVec):
        return build.not_(build.eq(value, build.const(value.sort, 0)))
    return value


# --- internal values --------------------------------------------------------------------------------------------


@final
class InternalObserver:
    """The internal values that a question mentions: it reads them whenever their function returns."""

    def __init__(self, observed: Iterable[Internal]) -> None:
        self._observed = tuple(observed)
        self._by_function: dict[str, list[Internal]] = {}
        for each in self._observed:
            self._by_function.setdefault(each.function, []).append(each)

    def returning(self, state: PathState, frame: StackFrame, returned: Held | None) -> None:
        """Read the values of a function that is about to return, while its locals still exist."""
        for each in self._by_function.get(frame.function.name, ()):
            held = returned if each.slot is None else local_value(state, frame, each)
            if held is not None:
                state.seen[each.variable.path] = held

    def outputs(self, explorer: Explorer, state: PathState) -> dict[str, OutputValue]:
        """The values seen last; a value that the path never reached or never set is absent."""
        seen = ((each, state.seen.get(each.variable.path)) for each in self._observed)
        return {each.variable.path: internal_output(explorer, each, held) for each, held in seen}


def local_value(state: PathState, frame: StackFrame, internal: Internal) -> Held | None:
    assert internal.slot is not None
    address = frame.registers[internal.slot]
    if not isinstance(address, Pointer) or not isinstance(address.offset, int):
        return None
    held = state.memory.objects[address.object].read(address.offset, internal.size)
    return typed(held, ir_type(internal.variable, internal.size))


def internal_output(explorer: Explorer, internal: Internal, held: Held | None) -> OutputValue:
    if isinstance(held, Mosaic | Fragment):
        raise NotModelled(f"the bits of a computed float in {internal.variable.path}")
    if not isinstance(held, int | Term):
        return OutputValue(constant(internal.variable.type, 0), build.FALSE)
    return explorer.before.output(output_reading(held, internal.variable))
