"""Questions about a logic: did, would or might, a behavior, and what may differ."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from tests.differential.logics.formulas import (
    ENDINGS,
    Formula,
    Moment,
    Three,
    Writer,
    both,
    fact_of,
    input_of,
    opposite,
    output_of,
    same_bits,
)
from tests.differential.logics.kinds import FLOAT16, Kind, decode, is_nan, text_of
from tests.differential.logics.logic import ODD, SPECIALS, Logic, Variable


@dataclass(frozen=True)
class Supposition:
    text: str
    mentions: frozenset[str] = frozenset()
    holds: Callable[[Moment], Three] = lambda _: True
    keeps: str = ""  # the variable that it keeps
    wide: str = ""  # the variable that may have any bits
    only: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # all bits that a variable can have under it


@dataclass(frozen=True)
class Question:
    kind: str  # did, would, might
    behavior: Formula
    suppositions: tuple[Supposition, ...]

    @property
    def text(self) -> str:
        suffix = " if " + " and ".join(each.text for each in self.suppositions) if self.suppositions else ""
        return f"{self.kind} {self.behavior.text}{suffix}"


def ask(rng: random.Random, logic: Logic) -> Question:
    """A random question."""
    kind = rng.choices(["did", "would", "might"], [15, 45, 40])[0]
    outputs = [output_of(name, variable.kind) for name, variable in logic.outputs.items()]
    facts = [fact_of(name, variable.kind) for name, variable in logic.outputs.items()]
    inputs = [input_of(variable.name, variable.kind) for variable in logic.inputs]
    operands = outputs + rng.sample(facts, rng.randint(0, len(facts))) + rng.sample(inputs, rng.randint(0, 1))
    behavior = Writer(rng, operands, ENDINGS).formula(2)
    suppositions = () if kind == "did" else tuple(_suppositions(rng, logic))
    return Question(kind, behavior, suppositions)


def _suppositions(rng: random.Random, logic: Logic) -> list[Supposition]:
    if rng.random() < 0.03:
        return []
    found: list[Supposition] = []
    varied: set[str] = set()  # variables that something says to vary: they are not kept as well
    for variable in rng.sample(logic.inputs, rng.randint(1, len(logic.inputs))):
        found += _about(rng, variable, varied)
    if rng.random() < 0.35:
        found.append(_formula(rng, logic))
    for variable in logic.inputs:
        if variable.name not in varied and rng.random() < 0.08:
            found.append(Supposition(f"keep {variable.name}", keeps=variable.name))
    rng.shuffle(found)
    return found


def _about(rng: random.Random, variable: Variable, varied: set[str]) -> list[Supposition]:
    """What is supposed of one variable."""
    name, kind = variable.name, variable.kind
    way = rng.random()
    if way < 0.5:
        varied.add(name)
        return [Supposition(f"{name} is anything", frozenset({name}))]
    if way < 0.6:
        varied.add(name)
        return [Supposition(f"{name} is any bits", frozenset({name}), wide=name), *_narrowed(rng, name, kind)]
    if way < 0.7 and kind.sort in ("int", "float"):
        varied.add(name)
        return [_within(rng, name, kind)]
    atom = Writer(rng, [input_of(name, kind)]).formula(1)
    return [_of(atom)]


def _of(formula: Formula) -> Supposition:
    return Supposition(f"({formula.text})", formula.mentions, formula.holds)


def _formula(rng: random.Random, logic: Logic) -> Supposition:
    """A formula over several inputs, and over the fact."""
    inputs = [input_of(variable.name, variable.kind) for variable in logic.inputs]
    facts = [fact_of(variable.name, variable.kind) for variable in logic.inputs]
    formula = Writer(rng, [*inputs, rng.choice(facts)]).formula(2)
    return _of(formula)


def _narrowed(rng: random.Random, name: str, kind: Kind) -> list[Supposition]:
    """Something that leaves few enough bits of a float to try them all."""
    if kind.sort != "float":
        return []
    subject = input_of(name, kind)
    if kind == FLOAT16 and rng.random() < 0.2:
        formula = rng.choice([same_bits(subject, ODD[kind][2]), opposite(same_bits(subject, ODD[kind][2]))])
        return [_of(formula)]
    bits = [b for b in rng.sample(SPECIALS[kind], 4) if text_of(kind, b) != "nan"]
    formula = both([same_bits(subject, each) for each in bits], "or")
    return [Supposition(f"({formula.text})", formula.mentions, formula.holds, only={name: tuple(bits)})]


def _within(rng: random.Random, name: str, kind: Kind) -> Supposition:
    distance = rng.choice(["0", "1", "2", "0.5", "1e-7", "2.5", "3.0000000001"])
    most = Fraction(distance)

    def holds(moment: Moment) -> Three:
        here, there = decode(kind, moment.state[name]), decode(kind, moment.fact[name])
        if kind.sort == "float" and (abs(here) == float("inf") or is_nan(kind, moment.state[name])):
            return False
        return abs(Fraction(here) - Fraction(there)) <= most

    return Supposition(f"{name} within {distance} of fact", frozenset({name}), holds)


def nowhere_near(logic: Logic, suppositions: Sequence[Supposition]) -> bool:
    """Nothing is near to a fact that is no finite number: soid refuses the question."""
    kinds = {variable.name: variable.kind for variable in logic.inputs}
    for each in suppositions:
        if " within " in each.text:
            (name,) = each.mentions
            value = decode(kinds[name], logic.fact[name])
            if value != value or abs(value) == float("inf"):
                return True
    return False
