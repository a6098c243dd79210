"""Which bits of a program's regions it may read before it has written them, and which it may write.

    out->x = 3; if (out->x > 2) ...        x is written, and never read as it was before the call

Reads are counted except where a write comes first on every way to them; writes are counted wherever they may be. A
write is sure only if its pointer can mean one place alone. What a function does is worked out once for each context
in which it is called and then used at its calls; recursion is followed until nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias, final

from msgspec import Struct, field

from soid.engine.llvm import instructions as ir
from soid.engine.llvm.flow import library
from soid.engine.llvm.flow.bitfields import BitFields
from soid.engine.llvm.flow.objects import Objects
from soid.engine.llvm.flow.pointed import Pointed
from soid.engine.llvm.flow.pointing import Frame, Pointing
from soid.engine.llvm.values import InlineAsm

Bits: TypeAlias = Mapping[int, int]  # region -> its bits, as a number whose bit i stands for bit i of the region


@final
class Access(Struct, frozen=True):
    """Some bits of a region that one instruction reads or writes."""

    region: int
    bits: int
    writes: bool
    surely: bool  # all of these bits, on every run that gets there


@final
class Summary(Struct, eq=False):
    """What a function does in one context."""

    read: dict[int, int] = field(default_factory=dict)  # perhaps, and perhaps before they are written
    written: dict[int, int] = field(default_factory=dict)  # perhaps
    surely: Bits | None = None  # written on every way to a return; None: it does not return, as far as is known


@final
class Accesses:
    """The summaries of all frames that a program's first frame leads to."""

    def __init__(self, pointing: Pointing, ignored: frozenset[str] = frozenset()) -> None:
        self._pointing = pointing
        self._objects: Objects = pointing.objects
        self._ignored = ignored  # functions that are known to leave memory alone
        self._bit_fields: dict[str, BitFields] = {}
        self._effects: dict[tuple[int, int], tuple[list[Access], list[Frame]]] = {}  # by frame and instruction
        self._summaries: dict[int, Summary] = {}
        self._order: list[Frame] = []
        self._changed = False

    def of(self, first: Frame) -> Summary:
        """What the program does, beginning with this frame."""
        self._summary(first)
        self._changed = True
        while self._changed:
            self._changed = False
            for frame in list(self._order):
                self._examine(frame)
        return self._summary(first)

    def _summary(self, frame: Frame) -> Summary:
        known = self._summaries.get(id(frame))
        if known is None:
            known = self._summaries[id(frame)] = Summary()
            self._order.append(frame)
            self._changed = True
        return known

    # --- a function -------------------------------------------------------------------------------------------

    def _examine(self, frame: Frame) -> None:
        """One more look at a function, with what is known of those that it calls."""
        blocks = frame.function.blocks
        arriving: dict[int, Bits] = {0: {}}  # what is surely written at the beginning of each block that is reached
        leaving: Bits | None = None
        waiting = [0]
        while waiting:
            number = waiting.pop()
            written, thrown = self._through(frame, number, arriving[number])
            last = blocks[number].terminator
            if isinstance(last, ir.Ret) and written is not None:
                leaving = written if leaving is None else _both(leaving, written)
            for following in ir.successors(last):
                unwinds = isinstance(last, ir.Invoke) and following == last.unwind
                reached = thrown if unwinds else written
                if reached is None:
                    continue
                before = arriving.get(following)
                after = reached if before is None else _both(before, reached)
                if after != before:
                    arriving[following] = after
                    waiting.append(following)
        summary = self._summary(frame)
        if leaving != summary.surely:
            summary.surely = leaving
            self._changed = True

    def _through(self, frame: Frame, number: int, arriving: Bits) -> tuple[Bits | None, Bits | None]:
        """What is surely written at the end of a block, and where its last call throws; None: it never gets there."""
        summary = self._summary(frame)
        written = dict(arriving)
        for one in frame.function.blocks[number].instructions:
            before = dict(written)
            accesses, called = self._effect(frame, one)
            for access in accesses:
                self._note(summary, access, written)
            if called:
                after = self._after_calls(summary, called, written)
                if after is None:
                    return None, before if isinstance(one, ir.Invoke) else None
                written = after
        return written, before

    def _note(self, summary: Summary, access: Access, written: dict[int, int]) -> None:
        if access.writes:
            self._add(summary.written, access.region, access.bits)
            if access.surely:
                written[access.region] = written.get(access.region, 0) | access.bits
        else:
            self._add(summary.read, access.region, access.bits & ~written.get(access.region, 0))

    def _after_calls(self, summary: Summary, called: list[Frame], written: dict[int, int]) -> dict[int, int] | None:
        """The effects of one of several functions."""
        sure: Bits | None = None
        for frame in called:
            inner = self._summary(frame)
            for region, bits in list(inner.read.items()):
                self._add(summary.read, region, bits & ~written.get(region, 0))
            for region, bits in list(inner.written.items()):
                self._add(summary.written, region, bits)
            if inner.surely is not None:
                sure = inner.surely if sure is None else _both(sure, inner.surely)
        if sure is None:
            return None
        return {region: written.get(region, 0) | sure.get(region, 0) for region in {*written, *sure}}

    def _add(self, to: dict[int, int], region: int, bits: int) -> None:
        if bits & ~to.get(region, 0):
            to[region] = to.get(region, 0) | bits
            self._changed = True

    # --- an instruction ---------------------------------------------------------------------------------------

    def _effect(self, frame: Frame, one: ir.Instruction) -> tuple[list[Access], list[Frame]]:
        """What one instruction reads and writes, and which functions it may call."""
        key = (id(frame), id(one))
        known = self._effects.get(key)
        if known is None:
            call = one.call if isinstance(one, ir.Invoke) else one
            called = self._pointing.called(frame, call) if isinstance(call, ir.Call) else []
            known = self._effects[key] = (list(self._accesses(frame, call)), called)
        return known

    def _accesses(self, frame: Frame, one: ir.Instruction) -> Iterator[Access]:
        pointing, layout = self._pointing, self._pointing.layout
        match one:
            case ir.Load(result, pointer):
                bits = self._fields(frame).read(one)
                size = layout.store_size(result.type)
                yield from self._at(pointing.value(frame, pointer), size, bits, writes=False)
            case ir.Store(value, pointer):
                bits = self._fields(frame).written(one)
                size = layout.store_size(value.type)
                yield from self._at(pointing.value(frame, pointer), size, bits, writes=True, surely=True)
            case ir.Call(callee=InlineAsm()) | ir.Unsupported():
                yield from self._everything()
            case ir.Call():
                yield from self._call(frame, one)
            case _:
                pass

    def _fields(self, frame: Frame) -> BitFields:
        name = frame.function.name
        if name not in self._bit_fields:
            self._bit_fields[name] = BitFields(frame.function)
        return self._bit_fields[name]

    def _call(self, frame: Frame, one: ir.Call) -> Iterator[Access]:
        pointing = self._pointing
        for argument in one.arguments:
            if argument.attributes.byval is not None:
                size = pointing.layout.size(argument.attributes.byval)
                yield from self._at(pointing.value(frame, argument.value), size, None, writes=False)
        targets = pointing.targets(frame, one)
        for name in targets:
            if pointing.module.functions[name].defined or name in self._ignored:
                continue
            used = library.uses(one, name)
            if used is None:
                yield from self._reachable(frame, one)
                continue
            for use in used:
                pointed = pointing.value(frame, one.arguments[use.argument].value)
                surely = use.surely and len(targets) == 1
                yield from self._at(pointed, use.size, None, writes=use.writes, surely=surely)

    def _at(
        self, pointed: Pointed, size: int | None, bits: int | None, *, writes: bool, surely: bool = False
    ) -> Iterator[Access]:
        """An access of so many bytes, of them perhaps only some bits, through a pointer."""
        sure = surely and len(pointed) == 1 and size is not None
        for target, mask in pointed.items():
            thing = self._objects.things[target.object]
            if thing.region is None:
                continue
            stretch, text = target.end - target.start, size == library.TEXT
            length = stretch if text else thing.size if size is None else size
            if length <= stretch and not text:
                mask &= (1 << target.end - length + 1) - 1  # the place past an array's end is there to compare with
            limit = target.end if text else thing.size
            touched = _touched(mask, length, (1 << 8 * length) - 1 if bits is None else bits) & (1 << 8 * limit) - 1
            if touched:
                yield Access(thing.region, touched, writes, sure and thing.given and mask.bit_count() == 1)

    def _everything(self) -> Iterator[Access]:
        yield from self._all_of(set(self._objects.regions))

    def _reachable(self, frame: Frame, one: ir.Call) -> Iterator[Access]:
        for argument in one.arguments:
            yield from self._all_of(self._objects.reachable(self._pointing.value(frame, argument.value)))

    def _all_of(self, numbers: set[int]) -> Iterator[Access]:
        for number in sorted(numbers):
            thing = self._objects.things[number]
            if thing.region is not None:
                for writes in (False, True):
                    yield Access(thing.region, (1 << 8 * thing.size) - 1, writes, surely=False)


def _touched(mask: int, size: int, bits: int) -> int:
    """The bits that an access of some bits touches, at one of a set of offsets in bytes."""
    if mask.bit_count() == 1:
        return bits << 8 * (mask.bit_length() - 1)
    if bits == (1 << 8 * size) - 1:
        width = 1
        while width < size:  # each offset grows into a stretch of bytes
            grow = min(width, size - width)
            mask |= mask << grow
            width += grow
        return _eightfold(mask)
    starts, result = _eightfold(mask) & _eightfold_lowest(mask), 0
    for i in range(bits.bit_length()):
        if bits >> i & 1:
            result |= starts << i
    return result


def _eightfold(mask: int) -> int:
    """Bytes as bits.

    >>> bin(_eightfold(0b101))
    '0b111111110000000011111111'
    """
    return int(f"{mask:b}".replace("1", "11111111").replace("0", "00000000"), 2)


def _eightfold_lowest(mask: int) -> int:
    """The lowest bit of every byte, as far as a set of bytes goes."""
    count = mask.bit_length()
    return ((1 << 8 * count) - 1) // 255 if count else 0


def _both(one: Bits, other: Bits) -> Bits:
    return {region: bits for region in one if (bits := one[region] & other.get(region, 0))}
