"""The abstract objects of the points-to analysis, and the pointers stored in them."""

from __future__ import annotations

from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.engine.llvm.flow.points_to_sets import NOTHING, PointsTo, Target, includes, joined, offsets
from soid.engine.llvm.ir.constant_image import memory_image
from soid.engine.llvm.ir.ir_module import Module
from soid.engine.llvm.ir.ir_types import ArrayType, Ptr, StructType, Type, VectorType
from soid.engine.llvm.variables.variable_layout import MemoryRegion, VariableLayout
from soid.errors import ProgramError

_MOST_PLACES: Final = 256  # offsets of one store; above this, it counts as a store anywhere in the object
#: of an object that is no region; a pointer into a larger one may be anywhere in it: a set of offsets takes a bit for
#: each byte
_MOST_BYTES: Final = 1 << 20
ANYWHERE: Final = -1  # the key of pointers at an unknown offset


@final
class AbstractObject(Struct, frozen=True):
    """One object, or all objects that one instruction allocates."""

    size: int  # bytes; 0: unknown, all offsets count as one
    region: int | None = None  # the number of the region, if it is one
    given: bool = True  # its first content comes from the caller; else the program writes it
    function: str | None = None  # the IR name, if it is a function


@final
class AbstractObjects:
    """All objects by number, and which pointers the program stores where."""

    def __init__(self, module: Module, places: VariableLayout) -> None:
        self.module = module
        self.things: list[AbstractObject] = []
        self.sizes: dict[int, int] = {}
        self.changed = False
        self._pointer = module.layout.pointer_bytes
        self._contents: list[dict[int, PointsTo]] = []
        self._named: dict[str, int] = {}
        self.regions = [self._region(number, region) for number, region in enumerate(places.regions)]
        for number, region in enumerate(places.regions):
            if region.pointed_from is not None:
                holder, at = region.pointed_from
                self.store(self.whole(self.regions[holder], at), self._pointer, self.whole(self.regions[number]))
        for place in places.places:
            for function in place.functions:
                held = self.whole(self.regions[place.region], place.offset)
                self.store(held, self._pointer, self.named(function))

    def add(self, thing: AbstractObject) -> int:
        """A new object; gives its number."""
        number = len(self.things)
        if thing.size > _MOST_BYTES and thing.region is None:
            thing = replace(thing, size=0)
        self.things.append(thing)
        self.sizes[number] = thing.size
        self._contents.append({})
        return number

    def whole(self, number: int, offset: int = 0) -> PointsTo:
        """A pointer into an object that may move anywhere inside it; one that starts outside may be anywhere in it."""
        size = self.sizes[number]
        return {Target(number, 0, size): 1 << offset if 0 <= offset <= size else (1 << size + 1) - 1}

    def _region(self, number: int, region: MemoryRegion) -> int:
        if region.variable is None:
            return self.add(AbstractObject(region.size, region=number, given=not region.by_value))
        made = self._named[region.variable] = self.add(AbstractObject(region.size, region=number))
        self._fill(made, region.variable)
        return made

    def named(self, name: str, offset: int = 0) -> PointsTo:
        """A pointer to a global or a function."""
        if name not in self._named:
            if name in self.module.functions:
                self._named[name] = self.add(AbstractObject(0, function=name))
            elif name in self.module.globals:
                self._named[name] = self.add(AbstractObject(self.module.layout.size(self.module.globals[name].type)))
                self._fill(self._named[name], name)
            else:
                self._named[name] = self.add(AbstractObject(0))
        return self.whole(self._named[name], offset)

    def _fill(self, number: int, name: str) -> None:
        """Store the pointers of a global's initial value."""
        initializer = self.module.globals[name].initializer
        if initializer is None or not _has_pointers(initializer.type):
            return
        try:
            addresses = memory_image(initializer, self.module.layout).addresses
        except ProgramError:
            return  # the explorer refuses such a constant where the program uses it
        for address in addresses:
            self.store(self.whole(number, address.offset), self._pointer, self.named(address.name, address.addend))

    # --- pointers in memory -----------------------------------------------------------------------------------

    def load(self, pointed: PointsTo, size: int) -> PointsTo:
        """The pointers that `size` bytes may hold, whole or in part."""
        found = []
        for target, mask in pointed.items():
            collapsed = self.sizes[target.object] == 0
            for at, held in self._contents[target.object].items():
                # a read at any of the bytes from at - size + 1 to at + 7 overlaps the pointer that lies at `at`
                near = (1 << self._pointer + size - 1) - 1
                window = near << at - size + 1 if at >= size - 1 else near >> size - 1 - at
                if at == ANYWHERE or collapsed or mask & window:
                    found.append(held)
        return joined(found)

    def store(self, pointed: PointsTo, size: int, held: PointsTo) -> None:
        """Add stored pointers; earlier ones at the same place stay."""
        if not held:
            return
        for target, mask in pointed.items():
            whole = size >= self._pointer and self.sizes[target.object] and mask.bit_count() <= _MOST_PLACES
            contents = self._contents[target.object]
            for at in offsets(mask) if whole else (ANYWHERE,):
                contents[at] = self.grown(contents.get(at, NOTHING), held)

    def grown(self, known: PointsTo, more: PointsTo) -> PointsTo:
        """The union of two sets; if it is not `known` itself, the analysis must go on."""
        if includes(known, more):
            return known
        self.changed = True
        return joined((known, more))

    def copy(self, to: PointsTo, source: PointsTo, size: int | None) -> None:
        """Copy the pointers in a block of bytes."""
        for target, mask in source.items():
            exact = mask.bit_count() == 1 and self.sizes[target.object] and size is not None
            start = mask.bit_length() - 1
            for at, held in list(self._contents[target.object].items()):
                if not exact or at == ANYWHERE:
                    self.store(to, 1, held)
                elif size is not None and start <= at < start + size:
                    for goal, there in to.items():
                        here = there << at - start & (1 << self.sizes[goal.object] + 1) - 1
                        self.store({goal: here}, self._pointer, held)

    def reachable(self, pointed: PointsTo) -> set[int]:
        """The objects that are reachable from a pointer, also through pointers stored in them."""
        found: set[int] = set()
        waiting = [target.object for target in pointed]
        while waiting:
            number = waiting.pop()
            if number not in found:
                found.add(number)
                waiting += [target.object for held in self._contents[number].values() for target in held]
        return found


def _has_pointers(kind: Type) -> bool:
    match kind:
        case Ptr():
            return True
        case ArrayType(_, element) | VectorType(_, element):
            return _has_pointers(element)
        case StructType(elements=elements):
            return any(map(_has_pointers, elements or ()))
        case _:
            return False
