"""The objects that pointers may point to, and the pointers that lie in them."""

from __future__ import annotations

from typing import Final, final

from msgspec import Struct

from soid.engine.llvm.flow.pointed import NOTHING, Pointed, Target, includes, joined, offsets
from soid.engine.llvm.image import memory_image
from soid.engine.llvm.ir import Module
from soid.engine.llvm.places import Places, Region
from soid.engine.llvm.types import ArrayType, Ptr, StructType, Type, VectorType
from soid.errors import ProgramError

_POINTER: Final = 8  # bytes
_MOST_PLACES: Final = 256  # where one store may go before it is taken to go anywhere in the object
ANYWHERE: Final = -1  # the key of pointers that lie somewhere in an object


@final
class Thing(Struct, frozen=True):
    """An object."""

    size: int  # bytes; 0 where nothing is known, and all offsets count as one
    region: int | None = None  # number of the region that it is
    given: bool = True  # what it holds at first comes from outside; else the program itself puts it there
    function: str | None = None  # IR name of the function that it is


@final
class Objects:
    """All objects, numbered, and which pointers have been stored where."""

    def __init__(self, module: Module, places: Places) -> None:
        self.module = module
        self.things: list[Thing] = []
        self.sizes: dict[int, int] = {}
        self.changed = False
        self._contents: list[dict[int, Pointed]] = []
        self._named: dict[str, int] = {}
        self.regions = [self._region(number, region) for number, region in enumerate(places.regions)]
        for number, region in enumerate(places.regions):
            if region.pointed_from is not None:
                holder, at = region.pointed_from
                self.store(self.whole(self.regions[holder], at), _POINTER, self.whole(self.regions[number]))

    def add(self, thing: Thing) -> int:
        """A new object; gives its number."""
        number = len(self.things)
        self.things.append(thing)
        self.sizes[number] = thing.size
        self._contents.append({})
        return number

    def whole(self, number: int, offset: int = 0) -> Pointed:
        """A pointer to an object, free to be moved all over it."""
        size = self.sizes[number]
        return {Target(number, 0, size): 1 << min(offset, size)}

    def _region(self, number: int, region: Region) -> int:
        if region.variable is None:
            return self.add(Thing(region.size, region=number, given=not region.by_value))
        made = self._named[region.variable] = self.add(Thing(region.size, region=number))
        self._fill(made, region.variable)
        return made

    def named(self, name: str, offset: int = 0) -> Pointed:
        """A pointer to a global or a function."""
        if name not in self._named:
            if name in self.module.functions:
                self._named[name] = self.add(Thing(0, function=name))
            elif name in self.module.globals:
                self._named[name] = self.add(Thing(self.module.layout.size(self.module.globals[name].type)))
                self._fill(self._named[name], name)
            else:
                self._named[name] = self.add(Thing(0))
        return self.whole(self._named[name], offset)

    def _fill(self, number: int, name: str) -> None:
        """The pointers that a global starts with."""
        initializer = self.module.globals[name].initializer
        if initializer is None or not _has_pointers(initializer.type):
            return
        try:
            addresses = memory_image(initializer, self.module.layout).addresses
        except ProgramError:
            return  # the explorer refuses what is not understood here where it is used
        for address in addresses:
            self.store(self.whole(number, address.offset), _POINTER, self.named(address.name, address.addend))

    # --- pointers in memory -----------------------------------------------------------------------------------

    def load(self, pointed: Pointed, size: int) -> Pointed:
        """The pointers that so many bytes may hold, whole or in part."""
        found = []
        for target, mask in pointed.items():
            collapsed = self.sizes[target.object] == 0
            for at, held in self._contents[target.object].items():
                # a read at any of the bytes from at - size + 1 to at + 7 overlaps the pointer that lies at `at`
                near = (1 << _POINTER + size - 1) - 1
                window = near << at - size + 1 if at >= size - 1 else near >> size - 1 - at
                if at == ANYWHERE or collapsed or mask & window:
                    found.append(held)
        return joined(found)

    def store(self, pointed: Pointed, size: int, held: Pointed) -> None:
        """Pointers are stored: nothing that lay there before is forgotten."""
        if not held:
            return
        for target, mask in pointed.items():
            whole = size >= _POINTER and self.sizes[target.object] and mask.bit_count() <= _MOST_PLACES
            for at in offsets(mask) if whole else (ANYWHERE,):
                self._put(target.object, at, held)

    def _put(self, number: int, at: int, held: Pointed) -> None:
        known = self._contents[number].get(at, NOTHING)
        if not includes(known, held):
            self._contents[number][at] = joined((known, held))
            self.changed = True

    def copy(self, to: Pointed, source: Pointed, size: int | None) -> None:
        """Some bytes are copied, with the pointers among them."""
        for target, mask in source.items():
            exact = mask.bit_count() == 1 and self.sizes[target.object] and size is not None
            start = mask.bit_length() - 1
            for at, held in list(self._contents[target.object].items()):
                if not exact or at == ANYWHERE:
                    self.store(to, 1, held)
                elif size is not None and start <= at < start + size:
                    self._copy_one(to, at - start, held)

    def _copy_one(self, to: Pointed, distance: int, held: Pointed) -> None:
        for target, mask in to.items():
            here = {target: mask << distance & (1 << self.sizes[target.object] + 1) - 1}
            self.store(here, _POINTER, held)

    def reachable(self, pointed: Pointed) -> set[int]:
        """The objects that a pointer leads to, directly or by pointers that lie in them."""
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
