"""The role of each variable of a C program, by what the program does with it.

    read, never written             environment
    read, and written               state
    written, and not read before    decision, like everything that is returned
    neither                         no variable at all

Where the analysis cannot tell, a variable counts as read and written: it becomes state, because the old value of a
decision would be overlooked. Of a parameter that is passed by value only reads count, because its caller never sees it
again. The same holds for a static variable of a function that is always written before it is read: no caller can
observe it.

What it reads and writes is found without running it (`flow/`). This takes longer than reading the program, so the
result is kept on disk, by the program's digest.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, final

from msgspec import Struct, field

from soid.allowance import paced
from soid.cache import cache_folder, digest, keep, kept
from soid.engine.code_version import this_soid
from soid.engine.llvm.flow.bit_fields import used_slots
from soid.engine.llvm.ir.operands import Register
from soid.engine.llvm.loaded_program import LoadedProgram
from soid.engine.llvm.variables.device_registers import register_use
from soid.engine.llvm.variables.variable_layout import FINDING, RETURN, VariablePlace
from soid.program.interface import Role

if TYPE_CHECKING:
    from soid.engine.llvm.flow.abstract_objects import AbstractObjects
    from soid.engine.llvm.flow.points_to_sets import PointsTo


def roles_of(loaded: LoadedProgram, use: MemoryUse) -> dict[str, Role]:
    """The role of each variable by its path; a variable that the program does not touch has none."""
    roles = {}
    for place in paced(loaded.places.places, FINDING):
        role = role_of(loaded, place, use)
        if role is not None:
            roles[place.path] = role
    return roles


def role_of(loaded: LoadedProgram, place: VariablePlace, use: MemoryUse) -> Role | None:
    """The role of one variable; None: the program does not touch it."""
    region = loaded.places.regions[place.region]
    if region.name == RETURN:
        return Role.DECISION
    read, written = bool(use.reads(place)), bool(use.writes(place))
    if read or (written and region.extern):  # what an extern one holds where it is not written is not known
        return Role.STATE if written and not region.by_value else Role.ENVIRONMENT
    is_local = region.variable is not None and loaded.debug.globals[region.variable].function is not None
    return Role.DECISION if written and not region.by_value and not is_local else None


@final
class MemoryUse(Struct, frozen=True):
    """The bits that a program may read and may write, by region."""

    read: Mapping[int, int]  # bits that it may read before it writes them
    written: Mapping[int, int]  # bits that it may write
    reached: frozenset[str]  # IR names of all reachable functions, the entry included
    _images: dict[tuple[bool, int], bytes] = field(default_factory=dict)  # the masks as bytes: cutting these is quick

    def reads(self, place: VariablePlace) -> int:
        """The bits of a variable that the program may read before it writes them."""
        return self._cut(place, self.read, writes=False)

    def writes(self, place: VariablePlace) -> int:
        """The bits of a variable that the program may write."""
        return self._cut(place, self.written, writes=True)

    def _cut(self, place: VariablePlace, masks: Mapping[int, int], *, writes: bool) -> int:
        image = self._images.get((writes, place.region))
        if image is None:
            mask = masks.get(place.region, 0)
            image = mask.to_bytes((mask.bit_length() + 7) // 8, "little")
            self._images[writes, place.region] = image
        first, count = place.extent
        return int.from_bytes(image[place.offset : place.offset + place.size], "little") >> first & (1 << count) - 1


def memory_use(loaded: LoadedProgram, described: frozenset[str] = frozenset()) -> MemoryUse:
    """The result of `examine`; each program is examined once."""
    if not loaded.digest:
        return examine(loaded, described)
    regions = repr((loaded.entry.name, loaded.setup and loaded.setup.name, loaded.places.regions))
    name = digest(this_soid(), loaded.digest, regions, *sorted(described))
    place = cache_folder() / "examined" / f"{name}.json"
    content = kept(place)
    if content is not None:
        read, written, reached = json.loads(content)
        return MemoryUse(_from_hex(read), _from_hex(written), frozenset(reached))
    found = examine(loaded, described)
    parts = [_to_hex(found.read), _to_hex(found.written), sorted(found.reached)]
    keep(place, json.dumps(parts).encode())
    return found


def _to_hex(masks: Mapping[int, int]) -> list[tuple[int, str]]:
    """Masks by region for a file: Python limits the length of decimal numbers, and a mask has a bit for each bit."""
    return [(region, f"{bits:x}") for region, bits in masks.items()]


def _from_hex(masks: list[tuple[int, str]]) -> dict[int, int]:
    return {region: int(bits, 16) for region, bits in masks}


def examine(loaded: LoadedProgram, described: frozenset[str] = frozenset()) -> MemoryUse:
    """Analyse a program; `described` are functions of which the manifest says what they do."""
    # imported here: a result that is kept needs none of it
    from soid.engine.llvm.flow.abstract_objects import AbstractObjects
    from soid.engine.llvm.flow.accesses import Accesses
    from soid.engine.llvm.flow.points_to import PointsToAnalysis

    objects = AbstractObjects(loaded.module, loaded.places)
    analysis = PointsToAnalysis(loaded.module, objects, loaded.library)
    context = analysis.context(loaded.entry, _arguments(loaded, objects))
    for number, region in enumerate(loaded.places.regions):
        if region.by_value and region.parameter is not None:
            # the memory in which the entry keeps a parameter counts as the region itself
            address = loaded.info.params[region.parameter].address
            if isinstance(address, Register):
                context.allocated[address.slot] = objects.regions[number]
    if loaded.setup is not None:
        analysis.context(loaded.setup, [])  # pointers that it stores are there when the entry is called
    analysis.run()
    summary = Accesses(analysis, described).of(context)
    for number, bits in _read_in_registers(loaded):
        summary.read[number] = summary.read.get(number, 0) | bits
    reached = frozenset(each.function.name for each in analysis.contexts)
    before = {loaded.setup.name} if loaded.setup is not None else set()
    read, written = register_use(loaded.module, loaded.places, reached - before)
    return MemoryUse({**summary.read, **read}, {**summary.written, **written}, reached)


def _read_in_registers(loaded: LoadedProgram) -> Iterator[tuple[int, int]]:
    """The regions of parameters passed by value without memory: they count as read if their register is used."""
    entry, layout = loaded.entry, loaded.module.layout
    used = used_slots(entry)
    for number, region in enumerate(loaded.places.regions):
        if not region.by_value or region.parameter is None:
            continue
        parameter = loaded.info.params[region.parameter]
        for piece in () if isinstance(parameter.address, Register) else parameter.pieces:
            param = entry.params[piece.index]
            if param.register.slot in used:
                size = region.size if piece.by_address else layout.store_size(param.type)
                yield number, ((1 << 8 * size) - 1) << 8 * piece.offset


def _arguments(loaded: LoadedProgram, objects: AbstractObjects) -> list[PointsTo]:
    from soid.engine.llvm.flow.points_to_sets import NOTHING

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
