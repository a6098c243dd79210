"""State merging: where the paths that fork at a branch meet again, and how two of them become one.

    if (a > 3) x = 1; else x = 2;        two paths meet behind it and go on as one, with x = (a > 3 ? 1 : 2)

A program with twenty such branches in a row has a million paths, or one. Paths that fork at a branch meet at its
immediate postdominator, the block through which every way from there goes. Two of them merge if they differ in numbers
only. States that failed on the way have left both paths already, so the merged path condition is the disjunction of
the two. Paths that differ in anything else stay apart, which is always correct.

A value that only one of the paths has set may be unset on the merged path: a use of it ends the path as unexplored.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import final

from msgspec import Struct, field
from msgspec.structs import replace

from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.ir_module import Function
from soid.engine.llvm.ir.ir_types import Type
from soid.engine.llvm.symbolic.memory.memory_object import AddressSpace, MemoryObject
from soid.engine.llvm.symbolic.path_state import PathState, StackFrame
from soid.engine.llvm.symbolic.paths.path_end import NotModelled
from soid.engine.llvm.symbolic.values.extended_floats import SIZE
from soid.engine.llvm.symbolic.values.held_values import Held, Partial, bits_of, lower, sort_of
from soid.engine.llvm.symbolic.values.poison import guarded, poisoned, stripped
from soid.formula import build
from soid.formula.sorts import BitVec, Bool, Sort
from soid.formula.term import Term


class NotMergeable(Exception):
    """Two paths differ in something that no if-then-else term can express."""


@final
class MergePoint(Struct, eq=False):
    """The place where the paths that forked at one branch meet."""

    depth: int  # of the call stack
    block: int
    at: int  # the first instruction behind the block's phis
    kinds: Mapping[int, Type]  # types of the function's registers, by slot
    arrived: list[PathState] = field(default_factory=list)

    def is_reached_by(self, state: PathState) -> bool:
        frame = state.frames[-1]
        return len(state.frames) == self.depth and frame.block == self.block and frame.at == self.at

    def merged(self, *, windowed: bool) -> list[PathState]:
        """The arrived paths, as few as they can be; those that forked last merge first."""
        states = self.arrived
        shared = [_shared(one, other) for one, other in pairwise(states)]  # conditions that each shares with the next
        while shared:
            place = max(range(len(shared)), key=shared.__getitem__)
            if shared[place] < 0:
                break
            try:
                both = _merged(states[place], states[place + 1], shared[place], self, windowed=windowed)
            except (NotMergeable, NotModelled):  # a type whose values are no terms
                shared[place] = -1
                continue
            states[place : place + 2] = [both]
            del shared[place]
            for near in (place - 1, place):
                if 0 <= near < len(shared):
                    shared[near] = _shared(states[near], states[near + 1])
        return states


def register_kinds(function: Function) -> dict[int, Type]:
    """The types of a function's registers, by slot."""
    found = {param.register.slot: param.type for param in function.params}
    for block in function.blocks:
        for one in block.instructions:
            result = one.call.result if isinstance(one, ir.Invoke) else getattr(one, "result", None)
            if result is not None:
                found[result.slot] = result.type
    return found


def behind_phis(function: Function, block: int) -> int:
    """The first instruction of a block that is no phi."""
    instructions = function.blocks[block].instructions
    return next(at for at, one in enumerate(instructions) if not isinstance(one, ir.Phi))


# --- two paths ----------------------------------------------------------------------------------------------------


def _shared(one: PathState, other: PathState) -> int:
    """How many conditions two paths share before they fork."""
    for place, (here, there) in enumerate(zip(one.condition, other.condition, strict=False)):
        if here is not there:
            return place
    return min(len(one.condition), len(other.condition))


def _merged(one: PathState, other: PathState, shared: int, point: MergePoint, *, windowed: bool) -> PathState:
    """The path of all states of two paths."""
    if shared == len(one.condition) or shared == len(other.condition):
        raise NotMergeable  # no condition separates them
    guard = one.condition[shared]
    if other.condition[shared] is not build.not_(guard):
        raise NotMergeable
    _require_same(one, other, windowed=windowed)
    merge = _Merge(guard)
    frames = [frame.copy() for frame in one.frames]
    frames[-1].registers = merge.registers(one.frames[-1], other.frames[-1], point.kinds)
    either = build.or_(build.all_of(one.condition[shared:]), build.all_of(other.condition[shared:]))
    return replace(
        one,
        memory=merge.memory(one.memory, other.memory),
        frames=frames,
        condition=[*one.condition[:shared], *(() if either is build.TRUE else (either,))],
        model=one.model or other.model,
        effort=max(one.effort, other.effort),
        bounds=one.bounds.either(other.bounds),
        ruled_out=one.ruled_out & other.ruled_out,
    )


def _require_same(one: PathState, other: PathState, *, windowed: bool) -> None:
    """Everything but numbers must be the same."""
    same = (
        len(one.frames) == len(other.frames)
        and all(_same_frame(here, there) for here, there in zip(one.frames[:-1], other.frames[:-1], strict=True))
        and one.frames[-1].function is other.frames[-1].function
        and one.frames[-1].stack == other.frames[-1].stack
        and one.frames[-1].result is other.frames[-1].result
        and one.frames[-1].varargs == other.frames[-1].varargs
        and (not windowed or one.effort == other.effort)
        and one.seen == other.seen
        and one.inputs_read == other.inputs_read
        and len(one.earlier) == len(other.earlier)
        and all(here is there for here, there in zip(one.earlier, other.earlier, strict=True))
        and not (one.exceptions or other.exceptions or one.caught or other.caught)
        and one.return_points == other.return_points
        and one.landing is None
        and other.landing is None
        and one.merge_points == other.merge_points
    )
    if not same:
        raise NotMergeable


def _same_frame(one: StackFrame, other: StackFrame) -> bool:
    """Whether a call below the current one is the same on both paths."""
    return (
        one.function is other.function
        and (one.block, one.at, one.came_from) == (other.block, other.at, other.came_from)
        and one.stack == other.stack
        and one.result is other.result
        and one.varargs == other.varargs
        and all(here is there or here == there for here, there in zip(one.registers, other.registers, strict=True))
    )


@final
class _Merge(Struct, frozen=True):
    """Merges values of two paths: the first path's where the guard holds, else the second's."""

    guard: Term

    def registers(self, one: StackFrame, other: StackFrame, kinds: Mapping[int, Type]) -> list[Held | None]:
        """A register that only one path has set is never read behind the merge point: SSA form guarantees it."""
        found: list[Held | None] = []
        for slot, (here, there) in enumerate(zip(one.registers, other.registers, strict=True)):
            if here is there or here == there:
                found.append(here)
            elif here is None or there is None:
                found.append(None)
            else:
                found.append(self.value(here, there, sort_of(kinds[slot])))
        return found

    def memory(self, one: AddressSpace, other: AddressSpace) -> AddressSpace:
        """The objects of both; one that only one path has allocated is taken over unchanged."""
        made = one.fork()
        made.reserve(other)
        for number, there in other.objects.items():
            here = made.objects.get(number)
            if here is there:
                continue
            if here is None:
                made.objects[number] = there
                there.owner = None
            elif here.alive or there.alive:
                _require_same_object(here, there)
                self.cells(made.to_write(number), there)
        return made

    def cells(self, here: MemoryObject, there: MemoryObject) -> None:
        """Merge what the paths wrote; where they wrote pieces of different sizes, they stay apart."""
        mine, theirs = here.cells or {}, there.cells or {}
        for start, (size, value) in list(mine.items()):
            cell = theirs.get(start)
            if cell is not None and cell[0] == size:
                here.write(start, size, self.value(value, cell[1], BitVec(8 * size)))
            elif there.is_untouched(start, size):
                here.write(start, size, self.value(value, there.read(start, size), BitVec(8 * size)))
            else:
                raise NotMergeable
        for start, (size, value) in theirs.items():
            if start not in mine:
                if not here.is_untouched(start, size):
                    raise NotMergeable
                here.write(start, size, self.value(here.read(start, size), value, BitVec(8 * size)))

    def value(self, here: Held, there: Held, sort: Sort) -> Held:
        """The one value where the guard holds, the other elsewhere; `sort` is for two plain numbers."""
        if here is there or here == there:
            return here
        (one, flaws), (other, more) = stripped(here), stripped(there)
        if flaws or more:
            every = (*guarded(flaws, self.guard), *guarded(more, build.not_(self.guard)))
            return poisoned(self.value(one, other, sort), every)
        if isinstance(one, Partial) or isinstance(other, Partial):
            value, unset = (one.value, one.unset) if isinstance(one, Partial) else (one, 0)
            instead, also = (other.value, other.unset) if isinstance(other, Partial) else (other, 0)
            number = self.value(value, instead, sort)
            if not isinstance(number, int | Term):
                raise NotMergeable
            return Partial(number, unset | also, exact=False)
        if not isinstance(one, int | Term) or not isinstance(other, int | Term):
            raise NotMergeable
        return self.number(one, other, sort)

    def number(self, one: int | Term, other: int | Term, sort: Sort) -> int | Term:
        if sort == BitVec(8 * SIZE):
            raise NotMergeable  # perhaps a long double, whose number in memory is not the one in a register
        if isinstance(one, Term) and isinstance(other, Term) and one.sort != other.sort:
            bits, more = bits_of(one), bits_of(other)
            if bits is None or more is None or bits.sort != more.sort:
                raise NotMergeable
            one, other = bits, more
        known = one.sort if isinstance(one, Term) else other.sort if isinstance(other, Term) else sort
        return lower(build.ite(self.guard, _term(one, known), _term(other, known)))


def _term(value: int | Term, sort: Sort) -> Term:
    if isinstance(value, Term):
        return value
    if isinstance(sort, Bool) and value not in (0, 1):
        raise NotMergeable
    return build.const(sort, value)


def _require_same_object(here: MemoryObject, there: MemoryObject) -> None:
    same = (
        (here.name, here.size, here.kind) == (there.name, there.size, there.kind)
        and (here.writable, here.alive, here.zeroed) == (there.writable, there.alive, there.zeroed)
        and (here.data is there.data or here.data == there.data)
    )
    if not same:
        raise NotMergeable
