"""A moment as bars: each input along its range, with the fact, a scenario, what is supposed, and where it flips.

What differs in the scenario comes first, then what is supposed, then where a flip is known. The rest is folded.

>>> from soid.case.project import Project
>>> from soid.examples import folder
>>> made = of_moment(Project.open(folder("microwave")).keyframe)
>>> [bar.name for bar in made.shown][:2], made.shown[0].told_fact, made.shown[0].range_told
(['the error light', 'the door switch'], 'true', 'false, true')
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final, final

from msgspec import Struct, field
from msgspec.structs import replace

from soid.formula import softfloat as sf
from soid.mapping.axes import Axis
from soid.mapping.bars.drawn_range import drawn_range
from soid.mapping.bars.supposed_ranges import Ranges, domain_ranges, supposed_ranges
from soid.program.interface import Interface, Variable
from soid.program.types import FloatType, missing_value, show
from soid.query.lives import other_life
from soid.query.query import Query, QueryKind
from soid.query.words import readable
from soid.query.words.variable_names import VariableNames
from soid.scenario.future import Future
from soid.scenario.origin import NOT_KNOWN
from soid.scenario.supposed_course import supposed_course
from soid.scenario.supposition import Supposition
from soid.scenario.trace import Keyframe
from soid.witness.witness import Shows, Witness

#: bars that are drawn while nothing differs, and at most
_FIRST: Final = 6
_FEW: Final = 2  # that are not worth folding
_MOST: Final = 16

_WHOLE: Final = re.compile(r"(?<=\d)\.0(?= |$)")

IN_FACT: Final = "in fact"
IN_THE_SCENARIO: Final = "in the scenario"

IN_ONE_OF_THEM: Final = "in one of the scenarios"
AS_SUPPOSED: Final = "as supposed"

#: by input, the bits of the first value at which the outcome is another, coming from the fact
Flips = Mapping[str, tuple[int, ...]]


@final
class InputBar(Struct, frozen=True):
    """One input along its range."""

    variable: Variable
    name: str
    axis: Axis  # what is drawn of its range
    goes_on: tuple[bool, bool]  # whether its range goes on before and after that
    fact: int | None  # bits; None: not known
    scenario: int | None = None  # bits; None: no scenario is drawn, or it is not known there
    supposed: Ranges = ()  # places that the suppositions leave it; empty: nothing is supposed of it
    flips: tuple[int, ...] = ()  # bits

    @property
    def differs(self) -> bool:
        return self.scenario is not None and self.scenario != self.fact

    @property
    def matters(self) -> bool:
        return self.differs or bool(self.supposed) or bool(self.flips)

    @property
    def told_fact(self) -> str:
        return NOT_KNOWN if self.fact is None else self._told(self.fact)

    @property
    def told_scenario(self) -> str:
        return "" if self.scenario is None else self._told(self.scenario)

    def _told(self, bits: int) -> str:
        """A value with its unit, never rounded onto another one that is drawn."""
        others = {each for each in (self.fact, self.scenario, *self.flips) if each is not None} - {bits}
        return _plain(self.variable, bits, [exact for each in others for exact in _numbers(self.variable, each)])

    def told_flip(self, bits: int) -> str:
        """About where it flips."""
        return _plain(self.variable, bits)

    @property
    def ends(self) -> tuple[str, str]:
        """What the ends of the drawn range are called; empty for labels, which are drawn themselves."""
        if self.axis.has_names:
            return "", ""
        low, high = (_unsigned(_plain(self.variable, self.axis.bits(end))) for end in (self.axis.low, self.axis.high))
        return (low.removesuffix(f" {self.variable.measure}") if self.variable.measure else low), high

    @property
    def range_told(self) -> str:
        """The drawn range in words."""
        if self.axis.has_names:
            return ", ".join(map(self.axis.band_text, self.axis.bands))
        return " to ".join(self.ends)

    @property
    def aside(self) -> tuple[int, ...]:
        """Bits of what is drawn beside the range: what is missing, and no number."""
        known = [each for each in (self.fact, self.scenario) if each is not None]
        missing = missing_value(self.variable.type)
        beside = [each for each in known if not self.axis.low <= self.axis.place(each) <= self.axis.high]
        may_miss = missing is not None and any(low <= self.axis.place(missing) <= high for low, high in self.supposed)
        return tuple(dict.fromkeys((*beside, *((missing,) if may_miss and missing is not None else ()))))


@final
class InputBars(Struct, frozen=True):
    """The bars of a moment."""

    shown: tuple[InputBar, ...]
    folded: tuple[InputBar, ...] = ()
    sides: tuple[str, str] = (IN_FACT, IN_THE_SCENARIO)  # what the two values of a bar are called

    @property
    def has_scenario(self) -> bool:
        return any(each.scenario is not None for each in (*self.shown, *self.folded))


@final
class MarkedInputs(Struct, frozen=True):
    """What is marked on the bars of some inputs."""

    fact: Mapping[str, int]  # bits of every input
    unknown: frozenset[str] = frozenset()  # inputs whose factual value is not known
    scenario: Mapping[str, int] = field(default_factory=dict)  # bits; empty: there is none
    taken: frozenset[str] = frozenset()  # inputs that are not known in the scenario either
    supposed: Mapping[str, Ranges] = field(default_factory=dict)
    flips: Flips = field(default_factory=dict)
    logged: Mapping[str, Sequence[int]] = field(default_factory=dict)  # bits that the log has of it, some of them


def input_bars(
    interface: Interface, marked: MarkedInputs, sides: tuple[str, str] = (IN_FACT, IN_THE_SCENARIO)
) -> InputBars:
    """The bars of all inputs, those that matter first."""
    names = VariableNames(interface)
    order = sorted(interface.inputs, key=lambda variable: _rank(variable, marked))
    kept = [v for v in order if _rank(v, marked) < _OTHER][:_MOST] or order[:_FIRST]
    kept = order if len(order) <= max(len(kept) + _FEW, _FIRST) and len(kept) >= _FIRST else kept
    made = {v.path: _bar(v, names.called(v.path), marked) for v in order[: max(len(kept), _MOST * 4)]}
    shown = tuple(made.pop(v.path) for v in kept)
    return InputBars(shown, tuple(made.values()), sides)


def of_moment(keyframe: Keyframe) -> InputBars:
    """The bars of a logged step alone."""
    return of_suppositions(keyframe)


def of_suppositions(
    keyframe: Keyframe,
    suppositions: tuple[Supposition, ...] = (),
    supposed_values: Mapping[str, int] | None = None,
    flips: Flips | None = None,
    logged: Mapping[str, Sequence[int]] | None = None,
) -> InputBars:
    """The bars of a logged step and of what is supposed of it; `supposed_values` have bits of inputs with only one."""
    unknown = frozenset(keyframe.assumed)
    point = {**keyframe.inputs, **supposed_values} if supposed_values else {}
    ranges = supposed_ranges(supposed_course(keyframe, suppositions, 1, Future.HELD).family()) if suppositions else {}
    taken = unknown.difference(supposed_values or {})
    marked = MarkedInputs(keyframe.inputs, unknown, point, taken, ranges, flips or {}, logged or {})
    return input_bars(keyframe.interface, marked, (IN_FACT, AS_SUPPOSED))


def of_query(
    keyframe: Keyframe,
    query: Query,
    witness: Witness | None = None,
    flips: Flips | None = None,
    logged: Mapping[str, Sequence[int]] | None = None,
) -> InputBars:
    """The bars of a question, and of a scenario that answers it; of a question about pairs those of both lives."""
    course = query.course(keyframe)
    if witness is not None and witness.shows is Shows.FACT:
        witness = None
    supposed = supposed_ranges(course.family()) if query.kind is not QueryKind.DID else {}
    scenario, taken = ({}, ()) if witness is None else (witness.inputs, witness.assumed)
    marked = MarkedInputs(course.fact, course.assumed, scenario, frozenset(taken), supposed, flips or {}, logged or {})
    if query.lives is not None:
        return _pair(course.interface, marked)
    # along its whole range, also where the course has only the values that round to what is logged
    whole = keyframe.interface
    inputs = (whole.variable(each.path) if each.path in whole else each for each in course.interface.variables)
    member = witness is not None and witness.shows is Shows.MEMBER
    return input_bars(Interface(tuple(inputs)), marked, (IN_FACT, IN_ONE_OF_THEM if member else IN_THE_SCENARIO))


def _pair(interface: Interface, marked: MarkedInputs) -> InputBars:
    """Two lives: the inputs of the first one, marked with the values of both."""
    life, lives = other_life(interface), marked.scenario or marked.fact
    first = tuple(each for each in interface.variables if not each.path.startswith(f"{life}."))
    one = {each.path: lives[each.path] for each in first if each.path in lives}
    other = {path: lives.get(f"{life}.{path}", bits) for path, bits in one.items()}
    found = replace(marked, fact=one, scenario=other if marked.scenario else {})
    return input_bars(Interface(first), found, ("one", "the other") if marked.scenario else (IN_FACT, IN_THE_SCENARIO))


_DIFFERS, _SUPPOSED, _FLIPS, _OTHER = range(4)


def _rank(variable: Variable, marked: MarkedInputs) -> int:
    path = variable.path
    if path in marked.scenario and path not in marked.taken and marked.scenario[path] != marked.fact[path]:
        return _DIFFERS
    return _SUPPOSED if path in marked.supposed else _FLIPS if path in marked.flips else _OTHER


def _bar(variable: Variable, name: str, marked: MarkedInputs) -> InputBar:
    path = variable.path
    fact = None if path in marked.unknown else marked.fact[path]
    scenario = None if path in marked.taken else marked.scenario.get(path)
    supposed, flips = marked.supposed.get(path, ()), marked.flips.get(path, ())
    at_hand = [variable.order.place_of(bits) for bits in (fact, scenario, *flips) if bits is not None]
    logged = [variable.order.place_of(bits) for bits in marked.logged.get(path, ())]
    axis, goes_on = drawn_range(variable, domain_ranges(variable), at_hand, logged, supposed)
    return InputBar(variable, name, axis, goes_on, fact, scenario, supposed, flips)


def _plain(variable: Variable, bits: int, borders: Sequence[Fraction] = ()) -> str:
    """A value as short as it can be said: 67 years, and not 67.0 years."""
    return _WHOLE.sub("", readable(variable, bits, borders), count=1)


def _unsigned(end: str) -> str:
    """The end of a range without the sign of a zero."""
    return end.removeprefix("-") if end == "-0" or end.startswith("-0 ") else end


def _numbers(variable: Variable, bits: int) -> list[Fraction]:
    """A value as it is, and as it is written."""
    kind = variable.type
    if not isinstance(kind, FloatType) or not sf.is_finite(kind.format, bits):
        return []
    return [sf.to_fraction(kind.format, bits), Fraction(show(kind, bits))]
