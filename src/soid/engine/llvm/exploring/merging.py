"""Where paths meet again, and how two of them become one.

    if (a > 3) x = 1; else x = 2;        two paths meet behind it, and go on as one: x is (a > 3 ? 1 : 2)

A program that asks twenty such questions one after the other has a million paths, or one. Paths that parted at a branch
meet at the block through which every way from there must go: its immediate postdominator. They become one where they
differ in numbers only; what failed on the way has parted already and stands for itself, so what is left of each path
is in its condition, and the merged path has either of the two. Where they differ in anything else they stay apart,
which is always right.

What was set on one path and never on the other may or may not be set then: who looks at it gets no further, and says
so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import final

from msgspec import Struct, field
from msgspec.structs import replace

from soid.engine.llvm import instructions as ir
from soid.engine.llvm.exploring.loops import successors
from soid.engine.llvm.exploring.memory import Memory, Object
from soid.engine.llvm.exploring.poison import guarded, poisoned, stripped
from soid.engine.llvm.exploring.runtime import Held, Partial, Unsupported, bits_of, lower, sort_of
from soid.engine.llvm.exploring.state import Frame, State
from soid.engine.llvm.ir import Function
from soid.engine.llvm.types import Type
from soid.formula import build
from soid.formula.sorts import BitVec, Bool, Sort
from soid.formula.term import Term


class Differ(Exception):
    """Two paths differ in something that cannot be told by a condition."""


@final
class Join(Struct, eq=False):
    """A place where paths that parted at one branch meet."""

    depth: int  # how many calls are under way there
    block: int
    at: int  # the first instruction behind the block's phis
    kinds: Mapping[int, Type]  # of the function's registers, by their slots
    arrived: list[State] = field(default_factory=list)

    def takes(self, state: State) -> bool:
        """Whether a path is there."""
        frame = state.frames[-1]
        return len(state.frames) == self.depth and frame.block == self.block and frame.at == self.at

    def merged(self, *, windowed: bool) -> list[State]:
        """The paths that came, as few as they can be; those that parted last meet first."""
        states = self.arrived
        shared = [_shared(one, other) for one, other in pairwise(states)]  # with the one behind it
        while shared:
            place = max(range(len(shared)), key=shared.__getitem__)
            if shared[place] < 0:
                break
            try:
                both = _merged(states[place], states[place + 1], shared[place], self, windowed=windowed)
            except Differ:
                shared[place] = -1
                continue
            states[place : place + 2] = [both]
            del shared[place]
            for near in (place - 1, place):
                if 0 <= near < len(shared):
                    shared[near] = _shared(states[near], states[near + 1])
        return states


@final
class Meeting:
    """Where the paths of a function meet."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._blocks = _nearest(function)
        self._kinds = _kinds(function)

    def join(self, depth: int, block: int) -> Join | None:
        """Where the paths that part at the end of a block meet, so many calls deep; None: perhaps nowhere."""
        target = self._blocks[block]
        return None if target is None else Join(depth, target, _behind_phis(self._function, target), self._kinds)


def _nearest(function: Function) -> list[int | None]:
    """For each block the one through which every way from it to the function's end goes, the nearest; None: none does.

    Cooper, Harvey and Kennedy's iteration on the reversed graph, the end being a block of its own behind the others.
    """
    end = len(function.blocks)
    following = [successors(function, block) or (end,) for block in range(end)]
    before: list[list[int]] = [[] for _ in range(end + 1)]
    for block, targets in enumerate(following):
        for target in targets:
            before[target].append(block)
    order = _postorder(end, before)
    rank = {block: place for place, block in enumerate(order)}
    nearest: dict[int, int] = {end: end}

    def common(one: int, other: int) -> int:
        while one != other:
            if rank[one] < rank[other]:
                one = nearest[one]
            else:
                other = nearest[other]
        return one

    changed = True
    while changed:
        changed = False
        for block in reversed(order[:-1]):
            found: int | None = None
            for target in following[block]:
                if target in nearest:
                    found = target if found is None else common(found, target)
            if found is not None and nearest.get(block) != found:
                nearest[block], changed = found, True
    return [None if nearest.get(block, end) == end else nearest[block] for block in range(end)]


def _postorder(start: int, edges: Sequence[Sequence[int]]) -> list[int]:
    order: list[int] = []
    seen, way = {start}, [(start, iter(edges[start]))]
    while way:
        block, rest = way[-1]
        target = next(rest, None)
        if target is None:
            order.append(block)
            way.pop()
        elif target not in seen:
            seen.add(target)
            way.append((target, iter(edges[target])))
    return order


def _kinds(function: Function) -> dict[int, Type]:
    """The types of a function's registers, by their slots."""
    found = {param.register.slot: param.type for param in function.params}
    for block in function.blocks:
        for one in block.instructions:
            result = one.call.result if isinstance(one, ir.Invoke) else getattr(one, "result", None)
            if result is not None:
                found[result.slot] = result.type
    return found


def _behind_phis(function: Function, block: int) -> int:
    """The first instruction of a block that is no phi."""
    instructions = function.blocks[block].instructions
    return next(at for at, one in enumerate(instructions) if not isinstance(one, ir.Phi))


# --- two paths ----------------------------------------------------------------------------------------------------


def _shared(one: State, other: State) -> int:
    """How many conditions two paths share before they part."""
    for place, (here, there) in enumerate(zip(one.condition, other.condition, strict=False)):
        if here is not there:
            return place
    return min(len(one.condition), len(other.condition))


def _merged(one: State, other: State, shared: int, join: Join, *, windowed: bool) -> State:
    """The path that is either of two."""
    if shared == len(one.condition) or shared == len(other.condition):
        raise Differ  # nothing tells them apart
    guard = one.condition[shared]
    if other.condition[shared] is not build.not_(guard):
        raise Differ
    _require_same(one, other, windowed=windowed)
    merge = _Merge(guard)
    frames = [frame.copy() for frame in one.frames]
    frames[-1].registers = merge.registers(one.frames[-1], other.frames[-1], join.kinds)
    seen = {name: merge.whole(held, other.seen[name]) for name, held in one.seen.items()}
    either = build.or_(build.all_of(one.condition[shared:]), build.all_of(other.condition[shared:]))
    return replace(
        one,
        memory=merge.memory(one.memory, other.memory),
        frames=frames,
        condition=[*one.condition[:shared], *(() if either is build.TRUE else (either,))],
        model=one.model or other.model,
        effort=max(one.effort, other.effort),
        seen=seen,
        bounds=one.bounds.either(other.bounds),
        ruled_out=one.ruled_out & other.ruled_out,
    )


def _require_same(one: State, other: State, *, windowed: bool) -> None:
    """What no condition can tell must be the same."""
    same = (
        len(one.frames) == len(other.frames)
        and all(_same_frame(here, there) for here, there in zip(one.frames[:-1], other.frames[:-1], strict=True))
        and one.frames[-1].function is other.frames[-1].function
        and one.frames[-1].stack == other.frames[-1].stack
        and one.frames[-1].result is other.frames[-1].result
        and one.frames[-1].varargs == other.frames[-1].varargs
        and (not windowed or one.effort == other.effort)
        and one.seen.keys() == other.seen.keys()
        and one.inputs_read == other.inputs_read
        and len(one.earlier) == len(other.earlier)
        and all(here is there for here, there in zip(one.earlier, other.earlier, strict=True))
        and not (one.exceptions or other.exceptions or one.caught or other.caught)
        and one.landing is None
        and other.landing is None
        and one.joins == other.joins
    )
    if not same:
        raise Differ


def _same_frame(one: Frame, other: Frame) -> bool:
    """Whether a call that waits for another to return is the same on both paths."""
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
    """Values of two paths, the first where the guard holds."""

    guard: Term

    def registers(self, one: Frame, other: Frame, kinds: Mapping[int, Type]) -> list[Held | None]:
        """What was set on one path only can be read by nobody from here on; what differs was set on ways of a loop."""
        found: list[Held | None] = []
        for slot, (here, there) in enumerate(zip(one.registers, other.registers, strict=True)):
            if here is there or here == there:
                found.append(here)
            elif here is None or there is None:
                found.append(None)
            else:
                found.append(self.value(here, there, _sort(kinds[slot])))
        return found

    def whole(self, here: Held, there: Held) -> Held:
        """A value that is the same on both."""
        if here != there:
            raise Differ
        return here

    def memory(self, one: Memory, other: Memory) -> Memory:
        """What is in each object; one that a single path has made is its own."""
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

    def cells(self, here: Object, there: Object) -> None:
        """What was written on either path; where it was written in other pieces, the paths stay apart."""
        mine, theirs = here.cells or {}, there.cells or {}
        for start, (size, value) in list(mine.items()):
            cell = theirs.get(start)
            if cell is not None and cell[0] == size:
                here.write(start, size, self.value(value, cell[1], BitVec(8 * size)))
            elif there.is_untouched(start, size):
                here.write(start, size, self.value(value, there.read(start, size), BitVec(8 * size)))
            else:
                raise Differ
        for start, (size, value) in theirs.items():
            if start not in mine:
                if not here.is_untouched(start, size):
                    raise Differ
                here.write(start, size, self.value(here.read(start, size), value, BitVec(8 * size)))

    def value(self, here: Held, there: Held, sort: Sort) -> Held:
        """A number that is one or the other; its sort where neither is a term."""
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
                raise Differ
            return Partial(number, unset | also, exact=False)
        if not isinstance(one, int | Term) or not isinstance(other, int | Term):
            raise Differ
        return self.number(one, other, sort)

    def number(self, one: int | Term, other: int | Term, sort: Sort) -> int | Term:
        if isinstance(one, Term) and isinstance(other, Term) and one.sort != other.sort:
            bits, more = bits_of(one), bits_of(other)
            if bits is None or more is None or bits.sort != more.sort:
                raise Differ
            one, other = bits, more
        known = one.sort if isinstance(one, Term) else other.sort if isinstance(other, Term) else sort
        return lower(build.ite(self.guard, _term(one, known), _term(other, known)))


def _sort(kind: Type) -> Sort:
    try:
        return sort_of(kind)
    except Unsupported:
        raise Differ from None


def _term(value: int | Term, sort: Sort) -> Term:
    if isinstance(value, Term):
        return value
    if isinstance(sort, Bool) and value not in (0, 1):
        raise Differ
    return build.const(sort, value)


def _require_same_object(here: Object, there: Object) -> None:
    same = (
        (here.name, here.size, here.kind) == (there.name, there.size, there.kind)
        and (here.writable, here.alive, here.zeroed) == (there.writable, there.alive, there.zeroed)
        and (here.data is there.data or here.data == there.data)
    )
    if not same:
        raise Differ
