"""Which members of a union are variables, and which are views of them.

    union entry { int missing; float fvalue; };      data.fvalue is an input, data.missing a view of its bits

Inputs must not share bits, so one member stands for the bytes of a union: the one that the manifest names; else one
whose bytes the program uses in full; else the largest; else one with floats; else the first. A member that does not fit
beside it is a view. Bits that no chosen member has are inputs of their own, as bytes of the union. Decisions may share
bits: each member has a value on the paths that set it. Of members with the same bits one is shown, and the others are
views.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import final

from msgspec import Struct
from msgspec.structs import replace

from soid.engine.llvm.variables.variable_layout import VariablePlace
from soid.program.interface import Role, Variable, VariablePart
from soid.program.types import BoolType, FloatType, IntType


@final
class PlacedVariable(Struct, frozen=True):
    """A variable, and where it lies."""

    place: VariablePlace
    variable: Variable
    rank: int | None  # of the first manifest entry about it; None: the manifest has none

    @property
    def is_byte(self) -> bool:
        return self.place.union is not None and self.place.union.member is None

    @property
    def start(self) -> int:
        """Its first bit, counted from the beginning of its union."""
        assert self.place.union is not None
        return 8 * (self.place.offset - self.place.union.offset) + self.place.extent[0]

    @property
    def mask(self) -> int:
        """Its bits among those of its union."""
        return ((1 << self.place.extent[1]) - 1) << self.start


@final
class Settled(Struct, frozen=True):
    """What became of the members of all unions."""

    placed: tuple[PlacedVariable, ...]  # in the order of memory
    views: tuple[Variable, ...]
    partial: tuple[Variable, ...]  # views of bytes of which some are in no input


def settle(
    candidates: Sequence[PlacedVariable],
    fits: Callable[[VariablePlace], bool],
    again: Callable[[VariablePlace], Variable],
) -> Settled:
    """Choose the variables. `fits`: the program uses all of a place; `again` gives the variable of a new place."""
    placed: list[PlacedVariable] = []
    views: list[Variable] = []
    partial: list[Variable] = []
    for union, group in itertools.groupby(candidates, _union):
        members = list(group)
        if union is None:
            placed += members
            continue
        inputs = list(_inputs(members, fits, again))
        kept = sorted([*inputs, *_decisions(members, _mask(inputs), fits)], key=lambda one: one.start)
        placed += kept
        chosen = {one.place.path for one in kept}
        for one in (one for one in members if one.place.path not in chosen):
            view = _view(one, inputs)
            missing = view.parts and sum(part.count for part in view.parts) < one.mask.bit_count()
            if missing and one.variable.is_input:
                partial.append(view)
            elif not missing and (view.parts or view.role is Role.DECISION):
                views.append(view)
    return Settled(tuple(placed), tuple(views), tuple(partial))


def _union(one: PlacedVariable) -> tuple[int, int] | None:
    return None if one.place.union is None else (one.place.region, one.place.union.offset)


def _mask(some: Iterable[PlacedVariable]) -> int:
    mask = 0
    for one in some:
        mask |= one.mask
    return mask


def _decisions(
    members: Sequence[PlacedVariable], taken: int, fits: Callable[[VariablePlace], bool]
) -> Iterator[PlacedVariable]:
    """The decisions that are shown: of members with the same bits one, and bytes that belong to no member."""
    decided = [one for one in members if one.variable.role is Role.DECISION and not one.mask & taken]
    scalars = [one for one in decided if not one.is_byte]
    shown: set[int] = set()
    for _, group in itertools.groupby(sorted(scalars, key=_preference(scalars, fits)), _member):
        some = list(group)
        if _mask(some) not in shown:
            shown.add(_mask(some))
            yield from some
    covered = _mask(scalars)
    yield from (one for one in decided if one.is_byte and (one.rank is not None or one.mask & ~covered))


def _inputs(
    members: Sequence[PlacedVariable],
    fits: Callable[[VariablePlace], bool],
    again: Callable[[VariablePlace], Variable],
) -> Iterator[PlacedVariable]:
    """The inputs among the members of one union, no two of which share a bit."""
    given = [one for one in members if one.variable.is_input]
    scalars = [one for one in given if not one.is_byte]
    taken = 0
    preferred = sorted(scalars, key=_preference(scalars, fits))
    # a bool comes last: its byte has two values, that of a number more
    for one in sorted(preferred, key=lambda each: isinstance(each.variable.type, BoolType) and not each.place.bits):
        if not one.mask & taken:
            taken |= one.mask
            yield one
    for one in (one for one in given if one.is_byte):
        if not one.mask & taken:
            yield one
            continue
        for place in _pieces(one.place, ~taken >> one.start & 0xFF):
            piece = PlacedVariable(place, again(place), one.rank)
            if piece.variable.is_input:
                yield piece


def _preference(
    scalars: Sequence[PlacedVariable], fits: Callable[[VariablePlace], bool]
) -> Callable[[PlacedVariable], tuple[object, ...]]:
    """The order in which scalars are chosen: member by member."""

    def key(some: Sequence[PlacedVariable]) -> tuple[object, ...]:
        ranks = [one.rank for one in some if one.rank is not None]
        fit = all(fits(one.place) for one in some)
        floats = any(isinstance(one.variable.type, FloatType) for one in some)
        return not ranks, min(ranks, default=0), not fit, -_mask(some).bit_count(), not floats

    members: dict[int | None, list[PlacedVariable]] = {}
    for one in scalars:
        members.setdefault(_member(one), []).append(one)
    order = {number: (*key(some), number) for number, some in members.items()}

    def preference(one: PlacedVariable) -> tuple[object, ...]:
        return (*order[_member(one)], *key([one]))

    return preference


def _member(one: PlacedVariable) -> int | None:
    return None if one.place.union is None else one.place.union.member


def _pieces(place: VariablePlace, free: int) -> Iterator[VariablePlace]:
    """The free bits of a byte as places of their own: `u.bytes[3].bit5` begins with bit 5."""
    numbers = [bit for bit in range(8) if free >> bit & 1]
    for _, run in itertools.groupby(enumerate(numbers), lambda each: each[1] - each[0]):
        bits = [bit for _, bit in run]
        kind = IntType(len(bits), signed=False)
        yield replace(place, path=f"{place.path}.bit{bits[0]}", type=kind, bits=(bits[0], len(bits)))


def _view(one: PlacedVariable, inputs: Sequence[PlacedVariable]) -> Variable:
    """A member as a view of inputs; without parts if it shares no bit with one."""
    parts = []
    for other in sorted(inputs, key=lambda each: each.start):
        if common := other.mask & one.mask:
            first = (common & -common).bit_length() - 1
            parts.append(VariablePart(other.variable, first - other.start, common.bit_count(), first - one.start))
    if not parts:
        return one.variable
    state = any(part.variable.role is Role.STATE for part in parts)
    role = Role.STATE if state else Role.ENVIRONMENT
    return replace(one.variable, role=role, parts=tuple(parts), initial=None)
