"""Converts between variables and bytes of memory: lays out inputs for the harness, reads outputs back.

The layout is the one that the engine explores with (`engine/llvm/variables/variable_layout.py`). Bytes that no input
sets have a pattern in memory that the entry is given, and their initial values in the program's globals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, final

from soid.engine.llvm.loaded_program import LoadedProgram
from soid.engine.llvm.native.replay_process import FILL, RegionImage
from soid.engine.llvm.native.trampoline import result_size
from soid.engine.llvm.symbolic.library.external_functions import DescribedFunction
from soid.engine.llvm.variables.variable_layout import RETURN, MemoryRegion, VariablePlace
from soid.program.interface import Interface, Role
from soid.program.types import BoolType, IntType

_REGISTER: Final = 16  # a value may be passed in registers that are wider than its last part


@final
class MemoryImage:
    """The memory of one program, and where each variable lies in it."""

    def __init__(self, loaded: LoadedProgram, interface: Interface, feeds: Sequence[DescribedFunction]) -> None:
        self.regions = loaded.places.regions
        self.opaque = loaded.places.opaque
        places = [place for place in loaded.places.places if place.path in interface]
        self._places = [(place, interface.variable(place.path).role) for place in places]
        self._views = {view.path for view in interface.views}
        self.feeds = feeds
        self._widths = [result_size(loaded, feed) for feed in feeds]
        primes = {Role.STATE: "'", Role.DECISION: ""}
        written = [(place, primes[role]) for place, role in self._places if role in primes]
        written = [(place, prime) for place, prime in written if not _is_behind_result(self.regions[place.region])]
        self._written = [(place.path + prime, place.region, place) for place, prime in written]

    @property
    def size(self) -> int:
        """About how many bytes one step takes in the shared file."""
        return 4 * (sum(region.size + _REGISTER for region in self.regions) + sum(self._widths) * 16)

    def images(self, steps: Sequence[Mapping[str, int]]) -> list[RegionImage]:
        """Regions in their order, then the logged values of each function, then what opaque pointers point to.

        `steps` are the inputs of each step; of the state, those of the first alone count.
        """
        found = [_blank(region, len(steps)) for region in self.regions]
        held = [each for each in self._places if each[0].path not in self._views]
        for place, role in held:
            if role is not Role.DECISION and place.bits is not None:  # bits that belong to no field are 0
                found[place.region].steps[0][place.offset : place.offset + place.size] = bytes(place.size)
        for place, role in held:
            if role in (Role.ENVIRONMENT, Role.STATE):
                set_before = steps if role is Role.ENVIRONMENT else steps[:1]
                _put(found[place.region], place, [inputs[place.path] for inputs in set_before])
        found += [_logged(feed, width, steps) for feed, width in zip(self.feeds, self._widths, strict=True)]
        nothing = [bytearray()] * len(steps)
        found += [RegionImage(nothing, bytearray(), bytearray(), holder=(r, at)) for r, at, _ in self.opaque]
        return found

    def outputs(self, images: Sequence[bytes]) -> dict[str, int]:
        """The bits of every output that lies in memory; what is behind a returned pointer may lie anywhere."""
        return {name: _get(images[region], place) for name, region, place in self._written}


def _is_behind_result(region: MemoryRegion) -> bool:
    return region.name == RETURN and region.pointed_from is not None


def _blank(region: MemoryRegion, steps: int) -> RegionImage:
    """A region in which no input has been set."""
    passed = region.by_value or region.name == RETURN
    size = -(-region.size // _REGISTER) * _REGISTER if passed else region.size
    given = region.is_passed
    return RegionImage(
        steps=[bytearray([FILL]) * size for _ in range(steps)],
        first=bytearray([0xFF if given else 0]) * size,
        later=bytearray(size),
        given=given,
        fenced=given and not passed,
        holder=region.pointed_from,
        address=region.address,
    )


def _logged(feed: DescribedFunction, width: int, steps: Sequence[Mapping[str, int]]) -> RegionImage:
    whole_number = VariablePlace("", IntType(8 * width, signed=False), 0, 0, width)
    parts = feed.parts or (whole_number,)
    values = []
    for inputs in steps:
        bits = [0] * feed.calls
        for number, variable in enumerate(feed.variables):
            call, part = divmod(number, len(parts))
            place = parts[part]
            bits[call] |= inputs[variable.path] << 8 * place.offset + place.extent[0]
        values.append(b"".join(each.to_bytes(width, "little") for each in bits))
    whole = bytearray([0xFF]) * len(values[0])
    return RegionImage([bytearray(value) for value in values], whole, whole)


def _put(image: RegionImage, place: VariablePlace, values: Sequence[int]) -> None:
    """Put a variable's value of each step into a region, from the first step on."""
    first, count = place.extent
    whole = slice(place.offset, place.offset + place.size)
    mask = ((1 << count) - 1) << first
    masks = [image.first, image.later] if len(values) > 1 else [image.first]
    for data in masks:
        data[whole] = (int.from_bytes(data[whole], "little") | mask).to_bytes(place.size, "little")
    if count == 8 * place.size:
        for data, bits in zip(image.steps, values, strict=False):
            data[whole] = bits.to_bytes(place.size, "little")
        return
    for data, bits in zip(image.steps, values, strict=False):
        old = int.from_bytes(data[whole], "little")
        data[whole] = (old & ~mask | bits << first).to_bytes(place.size, "little")


def _get(image: bytes, place: VariablePlace) -> int:
    whole = int.from_bytes(image[place.offset : place.offset + place.size], "little")
    if place.bits is not None:
        first, count = place.bits
        return whole >> first & (1 << count) - 1
    return int(whole != 0) if isinstance(place.type, BoolType) else whole
