"""Claims: what happens in the states of a path. The labels of claims distinguish the regions of a map.

Regions differ by the values of some outputs (`move`), or by whether a behavior occurs (`brake > 0.5`). A path that
fails or does not decide has a label for that; the states of an unexplored path are open.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.engine.summary import (
    Decided,
    Failed,
    OutputValue,
    Path,
    PathSummary,
    Undecided,
    Unexplored,
    goes_on,
    kept_open,
)
from soid.errors import QueryError
from soid.formula import build
from soid.formula.term import Term
from soid.oracle.encoding import FAILS, NEITHER, NO_VALUE, OTHERWISE, UNDECIDED, FactualMoment, encode
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, EnumType, show
from soid.query.behavior import Behavior, output_name
from soid.query.language.query_parser import parse_behavior
from soid.query.language.query_printer import behavior_text
from soid.query.program_names import decisions_of
from soid.query.query import Query, QueryKind
from soid.query.steps import Steps
from soid.query.words import Words
from soid.scenario.expression import And, Compare, Comparison, Decides, Name, Not
from soid.scenario.expression_text import path_text
from soid.surface import Advice


@final
class ClaimKind(enum.Enum):
    """The kinds of labels, in the order in which regions are listed."""

    DECIDES = "decides"  # the outputs have certain values
    HOLDS = "occurs"  # the behavior occurs
    OTHERWISE = "does not occur"
    NEITHER = "is never reached"  # an output in the behavior has no value
    FAILS = "fails"
    UNDECIDED = "does not decide"
    DEPENDS = "depends"  # it is not the same for every value of inputs that are not known
    OPEN = "open"  # not known
    OUTSIDE = "outside"  # the suppositions do not hold


@final
class RegionLabel(Struct, frozen=True):
    """What happens in a region."""

    kind: ClaimKind
    text: str  # for people: "move = true", "fails: division by zero at car.c:12"
    values: tuple[int | None, ...] = ()  # bits of the outputs, in their order; None: never reached
    said: str = ""  # the text in words, if they are others: "it decides to drive on"

    @property
    def words(self) -> str:
        return self.said or self.text


OUTSIDE: Final = RegionLabel(ClaimKind.OUTSIDE, "outside: the suppositions do not hold")


@final
class Outputs(Struct, frozen=True):
    """Regions by the values of some outputs."""

    names: tuple[str, ...]  # as paths name them, with a prime for state
    variables: tuple[Variable, ...]
    program: str = ""  # the one of several programs whose decisions they are

    @property
    def text(self) -> str:
        return self.program or ", ".join(
            path_text(name.removesuffix("'")) + "'" * name.endswith("'") for name in self.names
        )

    @property
    def behavior(self) -> Behavior:
        """A behavior with the same outputs, which the exploration needs."""
        read = [Name(v.path, name.endswith("'")) for v, name in zip(self.variables, self.names, strict=True)]
        return Behavior(And((Decides(), *(Compare(each, ((Comparison.EQ, each),)) for each in read))))

    def label(self, values: Sequence[int | None]) -> RegionLabel:
        return self._label(self.names, values)

    def own_label(self, label: RegionLabel, interface: Interface) -> RegionLabel:
        """A label with the decisions called as the program itself calls them, where it is plain which program it is."""
        if label.kind is not ClaimKind.DECIDES or not self.program:
            return label
        own = self._label([name.removeprefix(f"{self.program}.") for name in self.names], label.values)
        return self.worded(own, interface, alone=True)

    def _label(self, names: Sequence[str], values: Sequence[int | None]) -> RegionLabel:
        texts = [
            f"{name} is never reached" if bits is None else f"{name} = {show(variable.type, bits)}"
            for name, variable, bits in zip(names, self.variables, values, strict=True)
        ]
        return RegionLabel(ClaimKind.DECIDES, ", ".join(texts), tuple(values))

    def worded(self, label: RegionLabel, interface: Interface, *, alone: bool = False) -> RegionLabel:
        """A label with its words, where the outputs are decisions that all have values."""
        values = zip(self.variables, label.values, strict=False)
        decided = {each.path: bits for each, bits in values if each.role is Role.DECISION and bits is not None}
        if label.kind is not ClaimKind.DECIDES or len(decided) < len(self.names):
            return label
        return replace(label, said=Words(interface).decided(decided, alone=alone))


@final
class Occurrence(Struct, frozen=True):
    """Regions by whether a behavior occurs."""

    behavior: Behavior

    @property
    def text(self) -> str:
        return behavior_text(self.behavior)

    def worded(self, label: RegionLabel, interface: Interface) -> RegionLabel:
        """A label with its words, where the behavior occurs or does not."""
        occurs = self.behavior.expression
        denied = occurs.operand if isinstance(occurs, Not) else Not(occurs)
        told = {ClaimKind.HOLDS: occurs, ClaimKind.OTHERWISE: denied}.get(label.kind)
        if told is None:
            return label
        return replace(label, said=Words(interface).whether(Query(QueryKind.MIGHT, Behavior(told))))


By = Outputs | Occurrence


def by_text(text: str | None, interface: Interface) -> By:
    """Read what a map is `by`; by default the decisions with names, or all decisions if none has names.

    The name of one of several programs stands for its decisions.
    """
    if text is None:
        return _by_decisions(interface.decisions)
    if text in interface.programs and text not in interface:
        return replace(_by_decisions(tuple(decisions_of(text, interface).values())), program=text)
    parts = [part.strip() for part in text.split(",")]
    if not all(part.removesuffix("'") in interface for part in parts):
        return Occurrence(parse_behavior(text, interface))
    variables = [interface.variable(part.removesuffix("'")) for part in parts]
    names = [output_name(v, part.endswith("'"), interface) for v, part in zip(variables, parts, strict=True)]
    for variable, name in zip(variables, names, strict=True):
        if name == variable.path and variable.is_input:
            after = f"{variable.path}' for what it is after the call, " if variable.role is Role.STATE else ""
            raise QueryError(
                f"{variable.path} is what the program is given, so it tells no regions apart",
                Advice(
                    command=f'Name {after}a decision, or a behavior such as: --by "brake > 0.5".',
                    python=f'Name {after}a decision, or a behavior such as: by="brake > 0.5".',
                    page=f"Name {after}a decision, or a behavior such as: brake > 0.5.",
                ),
            )
    return Outputs(tuple(names), tuple(variables))


def _by_decisions(decisions: Sequence[Variable]) -> Outputs:
    chosen = tuple(v for v in decisions if isinstance(v.type, BoolType | EnumType)) or tuple(decisions)
    return Outputs(tuple(v.path for v in chosen), chosen)


@final
class Claim(Struct, frozen=True):
    """What happens in some states."""

    where: Term
    label: RegionLabel | None  # None: the outputs depend on the state
    outputs: tuple[OutputValue | None, ...] = ()  # if the label is None

    @property
    def terms(self) -> tuple[Term, ...]:
        """The terms that determine its label."""
        values = [term for output in self.outputs if output is not None for term in (output.defined, output.term)]
        return (self.where, *values)

    def says(self, by: By, label: RegionLabel) -> Term:
        """The states in which it has this label."""
        if self.label is not None:
            return self.where if self.label == label else build.FALSE
        if not isinstance(by, Outputs) or label.kind is not ClaimKind.DECIDES:
            return build.FALSE
        return build.and_(self.where, *(_is(o, bits) for o, bits in zip(self.outputs, label.values, strict=True)))


def _is(output: OutputValue | None, bits: int | None) -> Term:
    if output is None:
        return build.const(build.TRUE.sort, bits is None)
    if bits is None:
        return build.not_(output.defined)
    return build.and_(output.defined, build.eq(output.term, build.const(output.term.sort, bits)))


def claims(summary: PathSummary, by: By, facts: FactualMoment, steps: Steps) -> tuple[Claim, ...]:
    """The claims of all paths; together they cover every state that the exploration was for."""
    found: list[Claim] = []
    for path in summary.paths:
        if isinstance(by, Outputs):
            found += _decided(path, by)
        else:
            found += _occurring(path, by, facts, steps)
    return tuple(claim for claim in found if claim.where is not build.FALSE)


def _decided(path: Path, by: Outputs) -> list[Claim]:
    """The claims of one path about what is decided: outputs that it keeps from before are not known."""
    if not isinstance(path.ending, Decided):
        return [Claim(path.condition, _ended(path.ending))]
    kept = [(n, o) for n in by.names if (o := path.outputs.get(n)) is not None and o.kept is not build.FALSE]
    somewhere = build.any_of(output.kept for _, output in kept)
    found = [_valued(replace(path, condition=build.and_(path.condition, build.not_(somewhere))), by)]
    if kept:
        found.append(Claim(build.and_(path.condition, somewhere), RegionLabel(ClaimKind.OPEN, str(kept_open(kept)))))
    return found


def _valued(path: Path, by: Outputs) -> Claim:
    outputs = tuple(path.outputs.get(name) for name in by.names)
    if all(output is None or (output.term.is_const and output.defined.is_const) for output in outputs):
        values = [int(o.term.value) if o is not None and o.defined.value else None for o in outputs]
        return Claim(path.condition, by.label(values))
    return Claim(path.condition, None, outputs)


#: the labels of paths that do not decide
_ENDED: Final = {Failed: ClaimKind.FAILS, Undecided: ClaimKind.UNDECIDED, Unexplored: ClaimKind.OPEN}


def _ended(ending: Failed | Undecided | Unexplored) -> RegionLabel:
    return RegionLabel(_ENDED[type(ending)], str(ending))


def _occurring(path: Path, by: Occurrence, facts: FactualMoment, steps: Steps) -> list[Claim]:
    """The claims of one path about a behavior: where it occurs, and what happens elsewhere."""
    encoding = encode(PathSummary((path,)), by.behavior, facts, steps)
    instead = {
        OTHERWISE: RegionLabel(ClaimKind.OTHERWISE, f"not: {by.text}"),
        NEITHER: RegionLabel(ClaimKind.NEITHER, f"what the behavior speaks of is never reached: {by.text}"),
        NO_VALUE: RegionLabel(ClaimKind.NEITHER, f"what the behavior computes has no value: {by.text}"),
    }
    if isinstance(path.ending, Failed | Undecided):
        instead |= dict.fromkeys((FAILS, UNDECIDED), _ended(path.ending))
    found = [Claim(encoding.shows, RegionLabel(ClaimKind.HOLDS, by.text))]
    found += [Claim(where, instead[what]) for what, where in encoding.refutes.items() if where is not build.FALSE]
    if not goes_on(path.ending):  # where it fails is said
        found += [Claim(encoding.unexplored, RegionLabel(ClaimKind.OPEN, str(why))) for why in encoding.left_open]
    return found
