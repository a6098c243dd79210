"""Between an interface and the bytes of memory: inputs are laid out for the harness, outputs are read back.

The layout is the one that the engine explores with (`soid.engine.llvm.places`): what no input sets is, in memory that
the entry is given, a pattern, and in the program's globals what they start with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, final

from soid.engine.llvm.places import RETURN, Place, Region
from soid.engine.llvm.program import LoadedProgram
from soid.program.interface import Interface, Role
from soid.program.types import BoolType
from soid.witness.native.shared import FILL, Image
from soid.witness.native.trampoline import Feed

_REGISTER: Final = 16  # a value may travel in registers that are wider than what is left of it


@final
class Layout:
    """The memory of one program, and who is where in it."""

    def __init__(self, loaded: LoadedProgram, interface: Interface, feeds: Sequence[Feed]) -> None:
        self.regions = loaded.places.regions
        self.opaque = loaded.places.opaque
        self.places = [place for place in loaded.places.places if place.path in interface]
        self.interface = interface
        self.feeds = feeds
        self._widths = [loaded.module.layout.size(loaded.module.function(feed.function).type.returns) for feed in feeds]

    def images(self, inputs: Mapping[str, int]) -> list[Image]:
        """Regions in their order, then the logged values of each function, then what opaque pointers point to."""
        found = [_blank(region) for region in self.regions]
        given = [place for place in self.places if self.interface.variable(place.path).is_input]
        for place in given:
            if place.bits is not None:  # bits of no field read 0 beside those of one that is set
                found[place.region].data[place.offset : place.offset + place.size] = bytes(place.size)
        for place in given:
            _put(found[place.region], place, inputs[place.path])
        for feed, width in zip(self.feeds, self._widths, strict=True):
            values = b"".join(inputs[path].to_bytes(width, "little") for path in feed.paths)
            found.append(Image(bytearray(values)))
        found += [Image(bytearray(), holder=(region, offset)) for region, offset, _ in self.opaque]
        return found

    def outputs(self, images: Sequence[bytes]) -> dict[str, int]:
        """The bits of every output that lies in memory."""
        found = {}
        for place in self.places:
            variable = self.interface.variable(place.path)
            if variable.role in (Role.STATE, Role.DECISION):
                prime = "'" if variable.role is Role.STATE else ""
                found[variable.path + prime] = _get(images[place.region], place)
        return found


def _blank(region: Region) -> Image:
    """A region in which no input has been set."""
    if region.variable is not None:
        return Image(bytearray(region.size), mask=bytearray(region.size), holder=region.pointed_from)
    passed = region.by_value or region.name == RETURN
    size = -(-region.size // _REGISTER) * _REGISTER if passed else region.size
    return Image(bytearray([FILL]) * size, fenced=not passed, holder=region.pointed_from)


def _put(image: Image, place: Place, bits: int) -> None:
    at, size = place.offset, place.size
    first, count = place.bits or (0, 8 * size)
    mask = ((1 << count) - 1) << first
    old = int.from_bytes(image.data[at : at + size], "little")
    image.data[at : at + size] = (old & ~mask | bits << first).to_bytes(size, "little")
    if image.mask is not None:
        known = int.from_bytes(image.mask[at : at + size], "little") | mask
        image.mask[at : at + size] = known.to_bytes(size, "little")


def _get(image: bytes, place: Place) -> int:
    whole = int.from_bytes(image[place.offset : place.offset + place.size], "little")
    if place.bits is not None:
        first, count = place.bits
        return whole >> first & (1 << count) - 1
    return int(whole != 0) if isinstance(place.type, BoolType) else whole
