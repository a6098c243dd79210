"""Which bits of its regions a program may read before it writes them, and which it may write.

    out->x = 3; if (out->x > 2) ...        x is written, and its value from before the call is never read

A read counts unless a write precedes it on every way. Every possible write counts. A write is certain only if its
pointer has a single target. Each function is summarised once for each context in which it is called, and its callers
use the summary; with recursion, this repeats until nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias, final

from msgspec import Struct, field

from soid.allowance import look
from soid.engine.llvm.flow import library_effects as library
from soid.engine.llvm.flow.abstract_objects import AbstractObjects
from soid.engine.llvm.flow.bit_fields import BitFields
from soid.engine.llvm.flow.points_to import EXAMINING, CallContext, PointsToAnalysis
from soid.engine.llvm.flow.points_to_sets import PointsTo
from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.operands import InlineAsm

Bits: TypeAlias = Mapping[int, int]  # region -> a mask of its bits


@final
class MemoryAccess(Struct, frozen=True):
    """Some bits of a region that one instruction reads or writes."""

    region: int
    bits: int
    writes: bool
    surely: bool  # every run that gets there accesses all of these bits


@final
class Summary(Struct, eq=False):
    """What a function may read and write in one context."""

    read: dict[int, int] = field(default_factory=dict)  # it may read them before it writes them
    written: dict[int, int] = field(default_factory=dict)  # it may write them
    surely: Bits | None = None  # written on every way to a return; None: no way to a return is known


@final
class Accesses:
    """The summaries of all contexts that are reachable from the entry's."""

    def __init__(self, analysis: PointsToAnalysis, ignored: frozenset[str] = frozenset()) -> None:
        self._analysis = analysis
        self._objects: AbstractObjects = analysis.objects
        self._ignored = ignored  # functions that are known not to access memory
        self._bit_fields: dict[str, BitFields] = {}
        # by context and instruction
        self._effects: dict[tuple[int, int], tuple[list[MemoryAccess], list[CallContext]]] = {}
        self._summaries: dict[int, Summary] = {}
        self._order: list[CallContext] = []
        self._changed = False

    def of(self, first: CallContext) -> Summary:
        """The summary of the entry's context."""
        self._summary(first)
        self._changed = True
        while self._changed:
            self._changed = False
            for context in list(self._order):
                self._examine(context)
        return self._summary(first)

    def _summary(self, context: CallContext) -> Summary:
        known = self._summaries.get(id(context))
        if known is None:
            known = self._summaries[id(context)] = Summary()
            self._order.append(context)
            self._changed = True
        return known

    # --- a function -------------------------------------------------------------------------------------------

    def _examine(self, context: CallContext) -> None:
        """Update the summary of a function with the current summaries of its callees."""
        blocks = context.function.blocks
        arriving: dict[int, Bits] = {0: {}}  # certainly written at the start of each reachable block
        leaving: Bits | None = None
        waiting = [0]
        while waiting:
            number = waiting.pop()
            look(EXAMINING)
            written, thrown = self._through(context, number, arriving[number])
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
        summary = self._summary(context)
        if leaving != summary.surely:
            summary.surely = leaving
            self._changed = True

    def _through(self, context: CallContext, number: int, arriving: Bits) -> tuple[Bits | None, Bits | None]:
        """What is certainly written at the end of a block, and where its last call throws; None: not reachable."""
        summary = self._summary(context)
        written = dict(arriving)
        for one in context.function.blocks[number].instructions:
            before = dict(written)
            accesses, called = self._effect(context, one)
            for access in accesses:
                self._note(summary, access, written)
            if called:
                after = self._after_calls(summary, called, written)
                if after is None:
                    return None, before if isinstance(one, ir.Invoke) else None
                written = after
        return written, before

    def _note(self, summary: Summary, access: MemoryAccess, written: dict[int, int]) -> None:
        if access.writes:
            self._add(summary.written, access.region, access.bits)
            if access.surely:
                written[access.region] = written.get(access.region, 0) | access.bits
        else:
            self._add(summary.read, access.region, access.bits & ~written.get(access.region, 0))

    def _after_calls(
        self, summary: Summary, called: list[CallContext], written: dict[int, int]
    ) -> dict[int, int] | None:
        """Add the effects of a call to one of several functions."""
        sure: Bits | None = None
        for context in called:
            inner = self._summary(context)
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

    def _effect(self, context: CallContext, one: ir.Instruction) -> tuple[list[MemoryAccess], list[CallContext]]:
        """What one instruction reads and writes, and which functions it may call."""
        key = (id(context), id(one))
        known = self._effects.get(key)
        if known is None:
            call = one.call if isinstance(one, ir.Invoke) else one
            called = self._analysis.called(context, call) if isinstance(call, ir.Call) else []
            known = self._effects[key] = (list(self._accesses(context, call)), called)
        return known

    def _accesses(self, context: CallContext, one: ir.Instruction) -> Iterator[MemoryAccess]:
        analysis, layout = self._analysis, self._analysis.layout
        match one:
            case ir.Load(result, pointer):
                bits = self._fields(context).read(one)
                size = layout.store_size(result.type)
                yield from self._at(analysis.value(context, pointer), size, bits, writes=False)
            case ir.Store(value, pointer):
                bits = self._fields(context).written(one)
                size = layout.store_size(value.type)
                yield from self._at(analysis.value(context, pointer), size, bits, writes=True, surely=True)
            case ir.Call(callee=InlineAsm()) | ir.UnsupportedInstruction():
                yield from self._all_of(set(self._objects.regions))
            case ir.Call():
                yield from self._call(context, one)
            case _:
                pass

    def _fields(self, context: CallContext) -> BitFields:
        name = context.function.name
        if name not in self._bit_fields:
            self._bit_fields[name] = BitFields(context.function)
        return self._bit_fields[name]

    def _call(self, context: CallContext, one: ir.Call) -> Iterator[MemoryAccess]:
        analysis = self._analysis
        for argument in one.arguments:
            if argument.attributes.byval is not None:
                size = analysis.layout.size(argument.attributes.byval)
                yield from self._at(analysis.value(context, argument.value), size, None, writes=False)
        targets = analysis.targets(context, one)
        for name in targets:
            if analysis.is_followed(name) or name in self._ignored:
                continue
            used = library.uses(analysis.module, one, name)
            if used is None:
                for argument in one.arguments:
                    yield from self._all_of(self._objects.reachable(analysis.value(context, argument.value)))
                continue
            for use in used:
                pointed = analysis.value(context, one.arguments[use.argument].value)
                surely = use.surely and len(targets) == 1
                yield from self._at(pointed, use.size, None, writes=use.writes, surely=surely)

    def _at(
        self, pointed: PointsTo, size: int | None, bits: int | None, *, writes: bool, surely: bool = False
    ) -> Iterator[MemoryAccess]:
        """An access of `size` bytes through a pointer; `bits` is the mask of those that count, None for all."""
        sure = surely and len(pointed) == 1 and size is not None
        for target, mask in pointed.items():
            thing = self._objects.things[target.object]
            if thing.region is None:
                continue
            stretch, text = target.end - target.start, size == library.TEXT
            length = stretch if text else thing.size if size is None else size
            if length <= stretch and not text:
                mask &= (1 << target.end - length + 1) - 1  # no access starts past the end of the array
            limit = target.end if text else thing.size
            touched = _touched(mask, length, (1 << 8 * length) - 1 if bits is None else bits) & (1 << 8 * limit) - 1
            if touched:
                yield MemoryAccess(thing.region, touched, writes, sure and thing.given and mask.bit_count() == 1)

    def _all_of(self, numbers: set[int]) -> Iterator[MemoryAccess]:
        """Any access to whole objects."""
        for number in sorted(numbers):
            thing = self._objects.things[number]
            if thing.region is not None:
                for writes in (False, True):
                    yield MemoryAccess(thing.region, (1 << 8 * thing.size) - 1, writes, surely=False)


def _touched(mask: int, size: int, bits: int) -> int:
    """The bits that an access may touch, given its mask and the set of its offsets in bytes."""
    if mask.bit_count() == 1:
        return bits << 8 * (mask.bit_length() - 1)
    if bits == (1 << 8 * size) - 1:
        width = 1
        while width < size:  # each offset grows into a range of bytes
            grow = min(width, size - width)
            mask |= mask << grow
            width += grow
        return 255 * _starts(mask)
    starts, result = _starts(mask), 0
    for i in range(bits.bit_length()):
        if bits >> i & 1:
            result |= starts << i
    return result


def _starts(mask: int) -> int:
    """The first bit of each byte of a mask of bytes.

    >>> hex(_starts(0b101))
    '0x10001'
    """
    return int(f"{mask:b}".replace("0", "00").replace("1", "01"), 16)


def _both(one: Bits, other: Bits) -> Bits:
    return {region: bits for region in one if (bits := one[region] & other.get(region, 0))}
