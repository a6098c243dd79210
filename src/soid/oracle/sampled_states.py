"""States of a family that are worth a run: what is special about each variable, and random ones.

Special values are the ends of what the suppositions allow, their middle, zero and one, the fact, the constants that the
program compares the variable with, as far as its paths are known, and the neighbours of all of these. First one
variable at a time takes its special values, then all variables are at their ends. After that values are random: spread
evenly by number, spread evenly by place in the order of values, or near the fact. The same family always gives the same
states in the same order.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Final, final

from msgspec import Struct

from soid.formula import operators as ops
from soid.formula import softfloat as sf
from soid.formula.passes import evaluate_all, flatten_and
from soid.formula.sorts import BitVec, Bool
from soid.formula.term import Term, postorder
from soid.program.interface import Variable
from soid.program.types import BoolType, EnumType, FloatType
from soid.solver.box_conditions import Size, lay_out

_SIZE: Final = Size(variables=64, terms=4_000)
_CORNERS: Final = 256
_MENTIONED: Final = 16  # constants of the program for each variable
_READINGS: Final = (ops.FP_FROM_BITS, ops.ZERO_EXTEND, ops.SIGN_EXTEND)
_TRIES: Final = 8  # proposals for each state that is wanted, at most: suppositions may exclude many

State = dict[str, int]  # bits by path


@final
class _Choice(Struct, frozen=True):
    """What one variable may be: a range of places, and special ones among them."""

    variable: Variable
    low: int
    high: int
    fact: int
    special: tuple[int, ...]  # they may lie outside of the range

    def bits(self, place: int) -> int:
        return int(self.variable.order.value_at(place))

    def random(self, source: Random) -> int:
        """The bits of a random value."""
        kind, way = self.variable.type, source.randrange(3)
        if way == 0:
            distance = source.getrandbits(source.randint(1, max(1, kind.width - 1)))
            near = self.fact + source.choice((1, -1)) * distance
            return self.bits(min(max(near, self.low), self.high))
        first, last = self.bits(self.low), self.bits(self.high)
        if way == 1 and isinstance(kind, FloatType) and all(sf.is_finite(kind.format, end) for end in (first, last)):
            low, high = (sf.to_fraction(kind.format, end) for end in (first, last))
            return sf.from_fraction(kind.format, low + (high - low) * source.getrandbits(53) / 2**53)
        return self.bits(source.randint(self.low, self.high))


def sampled(
    within: Sequence[Term],
    variables: Sequence[Variable],
    fact: Mapping[str, int],
    start: Mapping[str, int],
    most: int,
    paths: Sequence[Term] = (),
) -> Iterator[State]:
    """Different states that satisfy all conditions, `most` at most; `start` is one of them.

    `paths` are formulas of the program's paths, whose constants are of interest.
    """
    seen: set[tuple[int, ...]] = set()
    for state in itertools.islice(proposed(within, variables, fact, start, paths), _TRIES * most):
        key = tuple(state.values())
        if key in seen:
            continue
        seen.add(key)
        if all(evaluate_all(within, {variable.symbol: state[variable.path] for variable in variables})):
            yield state
            most -= 1
        if not most:
            return


def proposed(
    within: Sequence[Term],
    variables: Sequence[Variable],
    fact: Mapping[str, int],
    start: Mapping[str, int],
    paths: Sequence[Term] = (),
) -> Iterator[State]:
    """The same without end, and among them states that do not satisfy the conditions."""
    choices = _choices(within, variables, (fact, start), _constants(paths))
    first = {choice.variable.path: start[choice.variable.path] for choice in choices}
    factual = {path: fact[path] for path in first}
    yield first
    for base in (factual, first):
        for choice in choices:
            yield from ({**base, choice.variable.path: choice.bits(place)} for place in choice.special)
    corners = itertools.product(*((choice.low, choice.high) for choice in choices))
    for places in itertools.islice(corners, _CORNERS):
        yield {choice.variable.path: choice.bits(place) for choice, place in zip(choices, places, strict=True)}
    source = Random(0)
    while True:
        base = source.choice((factual, first))
        yield {choice.variable.path: _value(choice, base, source) for choice in choices}


def _value(choice: _Choice, base: Mapping[str, int], source: Random) -> int:
    kind = source.random()
    if kind < 0.2:
        return base[choice.variable.path]
    return choice.bits(source.choice(choice.special)) if kind < 0.4 else choice.random(source)


def _constants(terms: Sequence[Term]) -> dict[Term, list[int]]:
    """The bits of constants with which terms compare a symbol, or what it is read or extended as; the first few."""
    found: dict[Term, list[int]] = {}
    for term in postorder(terms):
        if not isinstance(term.sort, Bool) or len(term.args) != 2:
            continue
        for value, constant in (term.args, term.args[::-1]):
            while value.op in _READINGS:
                value = value.args[0]
            known = found.setdefault(value, []) if value.is_var and constant.is_const else None
            if known is not None and len(known) < _MENTIONED and isinstance(value.sort, BitVec):
                known.append(int(constant.value) & value.sort.mask)
    return found


def _choices(
    within: Sequence[Term],
    variables: Sequence[Variable],
    known: Sequence[Mapping[str, int]],
    constants: Mapping[Term, list[int]],
) -> list[_Choice]:
    """`known` are the fact and a state of the family."""
    laid_out = lay_out(flatten_and(within), _SIZE, symbols=[variable.symbol for variable in variables])
    box = laid_out.start() if laid_out is not None else None
    sides = {variable.symbol: variable.order.places for variable in variables}
    if laid_out is not None and box is not None:
        orders = {variable.symbol: variable.order for variable in variables}
        found = zip(laid_out.variables, box, strict=True)
        sides |= {each.term: side for each, side in found if each.order == orders.get(each.term)}
    choices = []
    for variable in variables:
        bits = [*(state[variable.path] for state in known), *constants.get(variable.symbol, ())]
        choices.append(_choice(variable, sides[variable.symbol], [variable.order.place_of(each) for each in bits]))
    return choices


def _choice(variable: Variable, side: tuple[int, int], known: Sequence[int]) -> _Choice:
    """`side` has the least and the greatest place that the suppositions allow; `known` places, the fact's first."""
    order, kind = variable.order, variable.type
    low, high = side
    if isinstance(kind, EnumType) and not kind.flags:
        labels = [order.place_of(value & (1 << kind.width) - 1) for _, value in kind.labels]
        return _Choice(variable, low, high, known[0], tuple(dict.fromkeys(labels)) or (known[0],))
    places = [low, high, *known, (low + high) // 2]
    if isinstance(kind, FloatType):
        form = kind.format
        one, sign = sf.from_integer(form, 1), form.sign_bit
        finite = order.place_of(form.max_finite | sign), order.place_of(form.max_finite)
        low, high = max(low, finite[0]), min(high, finite[1])
        places += [low, high, *(order.place_of(bits) for bits in (0, one, one | sign, form.infinity | sign, form.nan))]
    elif not isinstance(kind, BoolType):
        places += [0, 1]
    first, last = order.places
    around = (place + step for step in (0, 1, -1) for place in places)
    special = tuple(dict.fromkeys(place for place in around if first <= place <= last))
    return _Choice(variable, min(low, high), max(low, high), known[0], special)
