"""What stood in the way, in sentences: "The dilution of precision was 3.68; at 2.5 or less it would hold its place."

What "was" so was so in fact. Where the fact is not as was supposed, the sentence says what is otherwise: "With the
battery at 12.0 V, the dilution of precision was 3.68; ..."

They are made from the document alone, so that the terminal and the page say the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, final

from msgspec import Struct

from soid.explanation.counterfactuals import CounterfactualDocument
from soid.explanation.explainer import UNCHANGED
from soid.explanation.flips import FlipDocument
from soid.explanation.hindrances import HindranceDocument
from soid.program.interface import Interface, Variable
from soid.program.types import BoolType, EnumType, from_python
from soid.query.query import Query
from soid.query.words import Words, listed, reader
from soid.query.words.lists import is_plural
from soid.query.words.onward_values import onward
from soid.query.words.readable_numbers import is_amount
from soid.scenario.future import Future
from soid.scenario.input_names import called
from soid.scenario.supposition import mentioned
from soid.witness.witness import ChangeDocument

HEADING: Final = "What stood in the way"
_NO_DIFFERENCE: Final = "What was supposed makes no difference: {}."
_FEWEST: Final = {True: "; within what is supposed fewer changes are not enough, which is proved", False: ""}
_THERE: Final = "in the scenario shown "
_NAMED: Final = 2  # inputs that are otherwise than in fact, in one sentence


def told(found: HindranceDocument, query: Query, interface: Interface, *, exact: bool = False) -> list[str]:
    """The sentences, the way with the fewest changes first; with all digits if they are to be `exact`."""
    says = _Ways(query, interface, exact, found)
    lines = [_NO_DIFFERENCE.format(says.did_not)] if found.no_difference else []
    if found.impossible:
        lines.append(f"Nothing else did: {says.whatever}, {says.would(occurs=False)}, which is proved.")
    if found.alone:
        names = listed(map(says.called, found.alone), "or")
        alone = "at any one value in all the steps, with what is supposed and all else as it was"
        lines.append(f"Not {names} by itself: {alone}, {says.would(occurs=False)}, which is proved.")
    for number, (way, goes_on) in enumerate(zip(found.sets, found.onwards, strict=True)):
        lines.append(says.way(way, goes_on, is_first=number == 0))
    return lines


@final
class _Ways(Struct, frozen=True):
    """Sentences about what would have to be otherwise."""

    query: Query
    interface: Interface
    exact: bool
    found: HindranceDocument

    @property
    def start(self) -> list[ChangeDocument]:
        """What is otherwise there than in fact."""
        return self.found.start

    @property
    def did_not(self) -> str:
        """That it is not done without what is supposed: in fact, or in a model of what comes."""
        if UNCHANGED[self._future] == "in fact":
            return f"in fact {Words(self.interface).did(self.query, occurs=False)}"
        return f"with nothing changed {self.would(occurs=False)}"

    @property
    def whatever(self) -> str:
        """Of which values of the other inputs it is proved."""
        match self._future:
            case None | Future.ANYTHING.value:
                return "whatever the other inputs are"
            case Future.CLOSED_LOOP.value:
                return "whatever the other inputs begin with, and keep where the world does not change them"
            case _:
                return "whatever the other inputs are, each the same in all the steps"

    @property
    def _future(self) -> str | None:
        return self.query.period.future.value if self.query.period.count > 1 and self.query.period.future else None

    def would(self, *, occurs: bool) -> str:
        return Words(self.interface).would(self.query, occurs=occurs, begins=False)

    def way(self, found: CounterfactualDocument, goes_on: bool, *, is_first: bool) -> str:
        """One set of changes: what each input was, and where it would have to be."""
        supposed = self._supposed_too(found)
        own = [each for each in found.changed if each not in supposed]
        names = [self.called(each.variable) for each in own]
        before = zip(names, self._values(found, own, "fact"), strict=True)
        was = listed(f"{name} {'were' if is_plural(name) else 'was'} {each}" for name, each in before)
        wanted = list(self._wanted(found, own, goes_on, alone=len(names) == 1))
        where = (
            wanted[0] if len(names) == 1 else listed(f"{name} {each}" for name, each in zip(names, wanted, strict=True))
        )
        sure = _FEWEST[found.smallest and len(names) > 1 and is_first and not supposed]
        told = f"{self._lead(found, supposed, is_first=is_first)}{was}"
        opening = f"{told[:1].upper()}{told[1:]}" if is_first else f"Or: {told}"
        return f"{opening}; {'' if len(names) == 1 else 'with '}{where} {self.would(occurs=True)}{sure}."

    def _supposed_too(self, found: CounterfactualDocument) -> list[ChangeDocument]:
        """The changes that only do what is supposed, over several steps; none where nothing else is changed."""
        if not self.found.steps:
            return []
        interface = self.interface
        named = {
            source.path for each in self.query.suppositions for v in mentioned(interface, each) for source in v.sources
        }
        supposed = [each for each in found.changed if each.variable.partition("@")[0] in named]
        return supposed if len(supposed) < len(found.changed) else []

    def _lead(self, found: CounterfactualDocument, supposed: list[ChangeDocument], *, is_first: bool) -> str:
        """What comes before what was so, where that is not the fact as a whole."""
        if supposed:
            return f"with {listed(map(self._supposed, supposed))}, "
        if not {each.variable for each in self.start}.isdisjoint(found.variables):
            return _THERE
        if not is_first or not self.start:
            return ""
        if len(self.start) > _NAMED:
            return _THERE
        return f"with {listed(map(self._supposed, self.start))}, "

    def _supposed(self, each: ChangeDocument) -> str:
        """One input that is otherwise than in fact: "the battery at 12.0 V"."""
        variable = self._variable(each.variable)
        bits = from_python(variable.type, each.scenario)
        value = variable.amount(bits) if self.exact else reader(self.query, variable, {bits})(bits)
        is_named = isinstance(variable.type, BoolType | EnumType) or not self._is_amount(each)
        return f"{self.called(each.variable)} {'being' if is_named else 'at'} {value}"

    def _is_amount(self, each: ChangeDocument) -> bool:
        """Whether it is a number or a label in the scenario."""
        variable = self._variable(each.variable)
        return is_amount(variable, from_python(variable.type, each.scenario))

    def _variable(self, path: str) -> Variable:
        return self.interface.variable(path.partition("@")[0])

    def called(self, path: str) -> str:
        """An input in words, with its steps."""
        return called(path, self.found.steps, Words(self.interface).called)

    def _values(self, found: CounterfactualDocument, own: list[ChangeDocument], which: str) -> Iterator[str]:
        """What each input was, or is where it would do it; never told like a value on the other side of a flip."""
        for each in own:
            variable = self._variable(each.variable)
            if which == "fact" and each.variable in self.found.varied:
                yield "as logged"
                continue
            ends = [bits for flip in found.flips if flip.variable == each.variable for bits in _ends(flip, variable)]
            bits = from_python(variable.type, getattr(each, which))
            yield variable.amount(bits) if self.exact else reader(self.query, variable, {*ends, bits})(bits)

    def _wanted(
        self, found: CounterfactualDocument, own: list[ChangeDocument], goes_on: bool, *, alone: bool
    ) -> Iterator[str]:
        """Where each would have to be: "at 6 or more"; a label is told by itself, or "being" so."""
        flips = {flip.variable: flip for flip in found.flips}
        for each, value in zip(own, self._values(found, own, "scenario"), strict=True):
            flip, variable = flips.get(each.variable), self._variable(each.variable)
            if flip is not None and flip.neighbours and goes_on:
                yield onward(variable, *_ends(flip, variable), exact=self.exact)
            elif alone and (isinstance(variable.type, BoolType) or not self._is_amount(each)):
                name = self.called(each.variable)
                yield f"had {'they' if is_plural(name) else 'it'} been {value},"
            elif isinstance(variable.type, BoolType | EnumType) or not self._is_amount(each):
                yield f"{'with' if alone else 'being'} {value}"
            else:
                yield f"at {value}"


def _ends(flip: FlipDocument, variable: Variable) -> tuple[int, int]:
    """Bits of the last value at which it does not do it, and of the first at which it does."""
    return from_python(variable.type, flip.last), from_python(variable.type, flip.first)
