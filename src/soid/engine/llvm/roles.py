"""What each variable of a C program is to it, by what the program does with it.

    read, never written             environment
    read, and written               state
    written, and not read before    decision, like everything that is returned
    neither                         no variable at all

Where the analysis cannot tell, a variable counts as read and written: state rather than a decision whose old value
would be overlooked. Of a parameter that is passed by value, only reading counts: its caller never sees it again. The
same goes for a static variable of a function that is always written before it is read: nobody can tell it is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, final

from msgspec import Struct

from soid.engine.llvm.flow.bitfields import registers_of
from soid.engine.llvm.places import RETURN, Place, Region
from soid.engine.llvm.program import LoadedProgram
from soid.engine.llvm.values import Register
from soid.program.interface import Role

if TYPE_CHECKING:
    from soid.engine.llvm.flow.objects import Objects
    from soid.engine.llvm.flow.pointed import Pointed


@final
class Examined(Struct, frozen=True):
    """What the program does with what it is given, as far as can be told without running it."""

    read: Mapping[int, int]  # by region the bits, perhaps, and perhaps before they are written
    written: Mapping[int, int]  # perhaps
    reached: frozenset[str]  # IR names of the functions that the entry may lead to, itself included


def roles_of(loaded: LoadedProgram, examined: Examined) -> dict[str, Role]:
    """The role of each variable, by its path; what the program does not touch has none."""
    roles = {}
    for place in loaded.places.places:
        role = _role(loaded, place, examined)
        if role is not None:
            roles[place.path] = role
    return roles


def examine(loaded: LoadedProgram, inputs_from: frozenset[str] = frozenset()) -> Examined:
    """What the program reads and writes; `inputs_from` are external functions that only give a logged value."""
    # imported here: what is known already (`examined.py`) needs none of it
    from soid.engine.llvm.flow.accesses import Accesses
    from soid.engine.llvm.flow.objects import Objects
    from soid.engine.llvm.flow.pointing import Pointing

    objects = Objects(loaded.module, loaded.places)
    pointing = Pointing(loaded.module, objects)
    frame = pointing.frame(loaded.entry, _arguments(loaded, objects))
    for number, region in enumerate(loaded.places.regions):
        if region.by_value and region.parameter is not None:
            # the memory in which the entry keeps a parameter is the region itself
            address = loaded.info.params[region.parameter].address
            if isinstance(address, Register):
                frame.allocated[address.slot] = objects.regions[number]
    pointing.run()
    summary = Accesses(pointing, inputs_from).of(frame)
    for number, bits in _read_in_registers(loaded):
        summary.read[number] = summary.read.get(number, 0) | bits
    return Examined(summary.read, summary.written, frozenset(each.function.name for each in pointing.frames))


def _read_in_registers(loaded: LoadedProgram) -> Iterator[tuple[int, int]]:
    """Parameters passed by value that have no memory of their own: they are read where their register is used."""
    entry, layout = loaded.entry, loaded.module.layout
    used = {register.slot for block in entry.blocks for one in block.instructions for register in registers_of(one)}
    for number, region in enumerate(loaded.places.regions):
        if not region.by_value or region.parameter is None:
            continue
        parameter = loaded.info.params[region.parameter]
        for piece in () if isinstance(parameter.address, Register) else parameter.pieces:
            param = entry.params[piece.index]
            if param.register.slot in used:
                size = region.size if piece.by_address else layout.store_size(param.type)
                yield number, ((1 << 8 * size) - 1) << 8 * piece.offset


def _arguments(loaded: LoadedProgram, objects: Objects) -> list[Pointed]:
    from soid.engine.llvm.flow.pointed import NOTHING

    arguments = [NOTHING] * len(loaded.entry.params)
    for number, region in enumerate(loaded.places.regions):
        whole = objects.whole(objects.regions[number])
        if region.name == RETURN:
            for index, param in enumerate(loaded.entry.params):
                if param.attributes.sret is not None:
                    arguments[index] = whole
        for piece in loaded.info.params[region.parameter].pieces if region.parameter is not None else ():
            if region.by_value and not piece.by_address:
                arguments[piece.index] = objects.load(objects.whole(objects.regions[number], piece.offset), 8)
            else:
                arguments[piece.index] = whole
    return arguments


def _role(loaded: LoadedProgram, place: Place, examined: Examined) -> Role | None:
    region = loaded.places.regions[place.region]
    if region.name == RETURN:
        return Role.DECISION
    first, count = place.bits or (0, 8 * place.size)
    mask = ((1 << count) - 1) << 8 * place.offset + first
    read, written = (bool(bits.get(place.region, 0) & mask) for bits in (examined.read, examined.written))
    if read:
        return Role.STATE if written and not region.by_value else Role.ENVIRONMENT
    return Role.DECISION if written and not region.by_value and not _is_local(loaded, region) else None


def _is_local(loaded: LoadedProgram, region: Region) -> bool:
    return region.variable is not None and loaded.debug.globals[region.variable].function is not None
