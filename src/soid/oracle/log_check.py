"""The log of the steps that a `did` asks about, and the comparison of the log with the program.

The program runs on the logged environment of each step, with its own state fed back. Two parts of the log are checked
at each step: the logged state, against the state that the previous step has left; and the logged decisions. A rounded
logged value agrees with every value that rounds to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, final

from msgspec import Struct

from soid.assumptions import Assumption, Ledger
from soid.engine.summary import ConcreteRun, Decided, OutputValue, Path, Unexplored, is_open
from soid.formula import build
from soid.formula import softfloat as sf
from soid.program.domain import Range, at_most, contains, describe
from soid.program.interface import Interface, Role, Variable
from soid.program.types import FloatType, VariableType, constant, show, value_order
from soid.scenario.operand_values import Truth, both
from soid.scenario.origin import FIRST_CALL, NEVER_WRITTEN, is_constant
from soid.scenario.trace import Keyframe, Step

#: the share of a number that its last digits are
_LAST: Final = Fraction(1, 1 << 40)
_ELEMENT: Final = re.compile(r"(?P<before>.*)\[(?P<index>\d+)\](?P<after>[^\[]*)")


def _in_ranges(values: Iterable[tuple[str, str]]) -> list[str]:
    """Paths with their values; elements of an array that have the same value are one.

    >>> _in_ranges([("a[0]", "1"), ("n", "3"), ("a[1]", "1"), ("a[2]", "1"), ("b[0].x", "0"), ("b[1].x", "4")])
    ['a[0..2] = 1', 'n = 3', 'b[0].x = 0', 'b[1].x = 4']
    """
    groups: dict[tuple[str, str, str], list[int]] = {}
    for path, value in values:
        found = _ELEMENT.fullmatch(path)
        before, after = (found["before"], found["after"]) if found else (path, "")
        groups.setdefault((before, after, value), []).append(int(found["index"]) if found else -1)
    shown = []
    for (before, after, value), indices in groups.items():
        if indices == [-1]:
            shown.append(f"{before} = {value}")
        elif len(indices) > 2 and indices == list(range(indices[0], indices[-1] + 1)):
            shown.append(f"{before}[{indices[0]}..{indices[-1]}]{after} = {value}")
        else:
            shown += [f"{before}[{index}]{after} = {value}" for index in indices]
    return shown


@final
class LoggedSteps(Struct, frozen=True):
    """The keyframe, and the following steps that the question asks about."""

    keyframe: Keyframe
    following: tuple[Step, ...] = ()

    @property
    def environments(self) -> tuple[Mapping[str, int], ...]:
        """Bits of the environment from the second step on."""
        return tuple({path: step.inputs[path] for path in self.perceived} for step in self.following)

    @property
    def perceived(self) -> list[str]:
        return [v.path for v in self.keyframe.interface.inputs if v.role is Role.ENVIRONMENT]

    @property
    def compared(self) -> frozenset[str]:
        """The variables whose logged outputs are compared with the program's."""
        logged = [self.keyframe.decisions, *(step.decisions for step in self.following)]
        return frozenset(name.removesuffix("'") for decisions in logged for name in decisions)

    def unlogged(self) -> tuple[Assumption, ...]:
        """What is not logged of these steps, and what was done about that."""
        keyframe, variable = self.keyframe, self.keyframe.interface.variable
        how: dict[str, list[tuple[str, str]]] = {}
        for path, words in keyframe.derived.items():
            how.setdefault(words, []).append((path, show(variable(path).type, keyframe.inputs[path])))
        # a later step's state comes from the step before it
        later = [(path, step) for step in self.following for path in step.unlogged if path in self.perceived]
        constant_ = [
            *how.pop(NEVER_WRITTEN, ()),
            *(
                (path, f"{show(variable(path).type, step.inputs[path])} at step {step.time}")
                for path, step in later
                if is_constant(variable(path))
            ),
        ]
        found = [Ledger.UNLOGGED.of(", ".join(_in_ranges(constant_)))] if constant_ else []
        found += [Ledger.DERIVED.of(words, ", ".join(_in_ranges(values))) for words, values in how.items()]
        if FIRST_CALL in how:
            found.append(Ledger.FROM_START.of())
        open_ = [(path, path) for path in keyframe.assumed]
        open_ += [(path, f"{path} at step {step.time}") for path, step in later if not is_constant(variable(path))]
        domains = [f"{name} ({describe(variable(path).type, variable(path).domain)})" for path, name in open_]
        if domains:
            found.append(Ledger.ASSUMED.of("; ".join(domains)))
        if (how or self.following) and keyframe.trace is not None:
            found.append(keyframe.trace.calls)
        return tuple(found)

    def mismatch(self, run: ConcreteRun) -> str:
        """How log and program differ, in words; empty where they agree, as far as the run was explored."""
        interface = self.keyframe.interface
        given = (*run.earlier, run.outputs)
        found = list(_differences(self.keyframe, run, 0, interface))
        for number, step in enumerate(self.following, start=1):
            there = f"at step {step.time} "
            if number < len(given):
                found += [there + text for text in state_differences(step, given[number - 1], interface)]
            found += [there + text for text in _differences(step, run, number, interface)]
        return "; ".join(found)

    def agreement(self, path: Path) -> Truth:
        """Where on a path the program gives the logged values, and where it does not; unexplored states are neither."""
        interface, given = self.keyframe.interface, (*path.earlier, path.outputs)
        truths = list(_agreements(self.keyframe, path, 0, interface))
        for number, step in enumerate(self.following, start=1):
            if number < len(given):
                truths += [
                    _agreement(step, variable, variable.path, given[number - 1][f"{variable.path}'"])
                    for variable in _logged_state(step, given[number - 1], interface)
                ]
            truths += _agreements(step, path, number, interface)
        return both(truths)


def _differences(step: Keyframe | Step, run: ConcreteRun, number: int, interface: Interface) -> Iterator[str]:
    """The logged outputs that the program does not give in a step."""
    ending = run.path.ending if number >= len(run.earlier) else Decided()
    if is_open(ending):
        return
    outputs = (*run.earlier, run.outputs)[min(number, len(run.earlier))]
    if isinstance(ending, Decided):
        kept = [name for name in step.decisions if run.keeps(number, name)]  # what these are is not known,
        yield from output_differences(step, outputs, interface, kept)
        yield from _outside(step, run.between[number] if number < len(run.between) else {}, interface)  # or in part
        return
    for name, bits in step.decisions.items():
        says = f"the log says {name} = {show(interface.output_type(name), bits)}, the program {ending}"
        yield says + (" before" if number > len(run.earlier) else "")


def _outside(step: Keyframe | Step, between: Mapping[str, tuple[int, int]], interface: Interface) -> Iterator[str]:
    """The logged numbers that lie outside of where the program's lie, which are not known exactly."""
    for name, (low, high) in between.items():
        if name not in step.decisions:
            continue
        kind, bits = interface.output_type(name), step.decisions[name]
        logged = step.rounded.get(name, Range(bits, bits))
        place = value_order(kind).place_of
        if place(logged.high) < place(low) or place(high) < place(logged.low):
            given = f"from {show(kind, low)} to {show(kind, high)}"
            yield f"the log says {name} = {show(kind, bits)}, the program gives a number {given}"


def output_differences(
    step: Keyframe | Step, outputs: Mapping[str, int], interface: Interface, kept: Sequence[str] = ()
) -> Iterator[str]:
    """The logged outputs of a step that are not among those given, except those that were kept."""
    for name, bits in step.decisions.items():
        kind = interface.output_type(name)
        if name in kept or (name in outputs and _agrees(kind, bits, step.rounded.get(name), outputs[name])):
            continue
        gives = show(kind, int(outputs[name])) if name in outputs else "nothing"
        yield f"the log says {name} = {show(kind, bits)}, the program gives {gives}"


def only_last_digits(step: Keyframe | Step, outputs: Mapping[str, int], interface: Interface) -> bool:
    """Whether all logged outputs are as given but for the last digits of numbers."""
    for name, bits in step.decisions.items():
        kind, rounded = interface.output_type(name), step.rounded.get(name)
        if name not in outputs or _agrees(kind, bits, rounded, outputs[name]):
            continue
        both = bits, outputs[name]
        if not isinstance(kind, FloatType) or not all(sf.is_finite(kind.format, each) for each in both):
            return False
        logged, given = (sf.to_fraction(kind.format, each) for each in both)
        if abs(logged - given) > abs(given) * _LAST:
            return False
    return True


def state_differences(step: Step, left: Mapping[str, int], interface: Interface) -> Iterator[str]:
    """The differences between the logged state and the state that the previous step has left."""
    for variable in _logged_state(step, left, interface):
        bits, value = step.inputs[variable.path], left[f"{variable.path}'"]
        if not _agrees(variable.type, bits, step.rounded.get(variable.path), value):
            says = f"the log says {variable.path} = {show(variable.type, bits)} before the call"
            yield f"{says}, the program has left {show(variable.type, int(value))}"


def _logged_state(step: Step, left: Mapping[str, Any], interface: Interface) -> Iterator[Variable]:
    """The state variables that are logged before a call, and that the previous step has left."""
    for variable in interface.inputs:
        logged = variable.role is Role.STATE and variable.path not in step.unlogged
        if logged and f"{variable.path}'" in left:
            yield variable


def _agrees(kind: VariableType, bits: int, rounded: Range | None, value: int) -> bool:
    """Whether the program's value is the logged one, or rounds to it."""
    return constant(kind, bits).value == value if rounded is None else contains(kind, rounded, int(value))


def _agreements(step: Keyframe | Step, path: Path, number: int, interface: Interface) -> Iterator[Truth]:
    """Where the program gives each of the logged outputs of a step."""
    ending = path.ending if number >= len(path.earlier) else Decided()
    outputs = (*path.earlier, path.outputs)[min(number, len(path.earlier))]
    for name in step.decisions:
        if isinstance(ending, Unexplored):
            yield Truth(build.FALSE, build.FALSE)
        elif not isinstance(ending, Decided) or name not in outputs:
            yield Truth(build.FALSE, build.TRUE)
        else:
            yield _agreement(step, interface.variable(name.removesuffix("'")), name, outputs[name])


def _agreement(step: Keyframe | Step, variable: Variable, name: str, output: OutputValue) -> Truth:
    """Where an output is the value that is logged under a name."""
    kind, rounded = variable.type, step.rounded.get(name)
    upper = output.term if output.upper is None else output.upper
    if rounded is None:
        bits = step.inputs[name] if name in step.inputs else step.decisions[name]
        low = high = constant(kind, bits)
        same = build.eq(output.term, low)
    else:
        low, high = constant(kind, rounded.low), constant(kind, rounded.high)
        same = build.and_(at_most(kind, low, output.term), at_most(kind, output.term, high))
    may_be = output.kept  # what is not known may well be what is logged, unless it is known to lie elsewhere
    if output.upper is not None:
        may_be = build.and_(output.kept, at_most(kind, low, upper), at_most(kind, output.term, high))
    agrees = build.or_(build.and_(output.defined, same), may_be)
    return Truth(agrees, build.not_(agrees))


def fact_ends(keyframe: Keyframe, run: ConcreteRun) -> Mapping[str, tuple[int, int]]:
    """The ends of the decisions that are known between two only, where all inputs of the moment are known."""
    return run.between[0] if run.between and not keyframe.assumed else {}


def decided(keyframe: Keyframe, computed: Mapping[str, int]) -> dict[str, int]:
    """Bits of the decisions: as logged; as computed if nothing is logged, or if that rounds to the logged value.

    Where something is not known of the moment, what was computed is of one of the states that it may have been.
    """
    found = {} if keyframe.assumed else dict(computed)
    for name, bits in keyframe.decisions.items():
        rounded = keyframe.rounded.get(name)
        kind = keyframe.interface.output_type(name)
        if rounded is None or name not in computed or not contains(kind, rounded, computed[name]):
            found[name] = bits
    return found
