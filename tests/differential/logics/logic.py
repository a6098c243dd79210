"""A decision logic: variables, a tree of guards whose leaves decide, fail, do not decide or are left out; and its fact.

`Logic.outcome` is the interpreter: it walks over the leaves that were written out, which is what anyone can know of
the logic.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tests.differential.logics.kinds import BOOL, FLOAT16, FLOAT32, Kind, encode, is_nan, plain, text_of
from tests.differential.logics.terms import Expr, Input, Maker, State, negation

DECIDES, FAILS, UNDECIDED, UNEXPLORED = "decided", "failed", "undecided", "unexplored"

#: zeros, the least numbers, ones and their neighbours
FINITE = {
    FLOAT16: (0x0000, 0x8000, 0x0001, 0x8001, 0x0002, 0x03FF, 0x0400, 0x3C00, 0xBC00, 0x4000, 0x4200, 0xC200, 0x7BFF),
    FLOAT32: (0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007FFFFF, 0x3F800000, 0xBF800000, 0x40400000),
}
ODD = {
    FLOAT16: (0x7C00, 0xFC00, 0x7E00, 0x7E01, 0xFE00, 0x7C01),
    FLOAT32: (0x7F800000, 0xFF800000, 0x7FC00000, 0x7FC00001, 0xFFC00000),
}
SPECIALS = {kind: FINITE[kind] + ODD[kind] for kind in FINITE}


@dataclass(frozen=True)
class Variable:
    name: str
    role: str  # environment, state, decision
    kind: Kind
    smt_name: str  # without bars
    smt_after: str  # of state: its name after the call
    as_bits: bool
    domain: str  # as soid.toml has it; empty: the default
    values: tuple[int, ...]  # the bits that `anything` means
    logged: tuple[int, ...]  # bits that a log may hold

    @property
    def is_input(self) -> bool:
        return self.role != "decision"

    @property
    def reader(self) -> Input:
        return Input(self.name, self.kind, bars(self.smt_name), self.as_bits)


def bars(name: str) -> str:
    return name if name.isidentifier() else f"|{name}|"


@dataclass(frozen=True)
class Leaf:
    name: str
    guards: tuple[Expr, ...]
    ending: str  # one of the four
    words: str  # the ending as [endings] has it; empty: nothing is said
    outputs: Mapping[str, Expr] = field(default_factory=dict)
    written: bool = True  # False: no path speaks of it
    fits: tuple[Callable[[State], bool], ...] = ()  # outside these its text means nothing, so it covers nothing

    def covers(self, state: State) -> bool:
        return all(guard.run(state) for guard in self.guards) and all(fits(state) for fits in self.fits)


@dataclass(frozen=True)
class Outcome:
    ending: str
    leaf: Leaf | None  # None: no path covers the state
    outputs: Mapping[str, int] = field(default_factory=dict)  # bits, where it decides


@dataclass(frozen=True)
class Logic:
    seed: str
    variables: tuple[Variable, ...]
    leaves: tuple[Leaf, ...]
    fact: Mapping[str, int]  # bits of every input
    logged: Mapping[str, int]  # bits of the outputs that the log has
    one_file: bool

    @property
    def inputs(self) -> tuple[Variable, ...]:
        return tuple(variable for variable in self.variables if variable.is_input)

    @property
    def outputs(self) -> dict[str, Variable]:
        """By name: decisions, and state with a prime."""
        decided = {v.name: v for v in self.variables if v.role == "decision"}
        return decided | {f"{v.name}'": v for v in self.variables if v.role == "state"}

    def outcome(self, state: State) -> Outcome:
        for leaf in self.leaves:
            if leaf.written and leaf.covers(state):
                kinds = self.outputs
                outputs = {name: encode(kinds[name].kind, expr.run(state)) for name, expr in leaf.outputs.items()}
                return Outcome(leaf.ending, leaf, outputs if leaf.ending == DECIDES else {})
        return Outcome(UNEXPLORED, None)

    @property
    def mismatch(self) -> bool:
        """Whether the log says something else than the logic."""
        outcome = self.outcome(self.fact)
        if outcome.ending == UNEXPLORED:
            return False
        if outcome.ending != DECIDES:
            return bool(self.logged)
        return any(plain(self.outputs[name].kind, bits) != outcome.outputs[name] for name, bits in self.logged.items())

    def known(self) -> dict[str, int]:
        """The outputs in fact: as logged, and where not logged as computed."""
        return {**self.outcome(self.fact).outputs, **self.logged}


# --- making one -----------------------------------------------------------------------------------------------

_NAMES = ["x", "speed", "world.agents[1].pos", "mode", "door_open", "gap", "s", "lane.left"]
_LABELS = [("OFF", "LOW", "HIGH"), ("LEFT", "STRAIGHT", "RIGHT")]
_ENDINGS = {
    FAILS: ("fails: division by zero at oven.c:12", "fails: abort", "fails: failed assertion at src/a b.c:7"),
    UNDECIDED: ("does not decide", "does not decide: the window of 10 steps was over"),
    UNEXPLORED: ("unexplored: a loop without bound at oven.c:31", "unexplored: out of time"),
}


def make(seed: str) -> Logic:
    """The logic of a seed, always the same."""
    rng = random.Random(seed)
    variables = _variables(rng)
    inputs = [variable for variable in variables if variable.is_input]
    maker = Maker(rng, [variable.reader for variable in inputs], SPECIALS)
    outputs = {v.name: v.kind for v in variables if v.role == "decision"}
    outputs |= {f"{v.name}'": v.kind for v in variables if v.role == "state"}
    leaves = _leaves(rng, maker, outputs)
    fact = {variable.name: rng.choice(variable.logged) for variable in inputs}
    logic = Logic(seed, tuple(variables), tuple(leaves), fact, {}, one_file=rng.random() < 0.3)
    return Logic(seed, logic.variables, logic.leaves, fact, _log(rng, logic), logic.one_file)


def _variables(rng: random.Random) -> list[Variable]:
    names = rng.sample(_NAMES, 4)[: rng.randint(2, 4)]
    state = rng.randrange(len(names))
    enum = _enum(rng)
    found = [_variable(rng, name, "state" if i == state else "environment", enum) for i, name in enumerate(names)]
    for name in ["action", "brake"][: rng.randint(1, 2)]:
        found.append(_variable(rng, name, "decision", enum))
    rng.shuffle(found)
    return found


def _enum(rng: random.Random) -> Kind:
    width, signed = rng.choice([(2, False), (3, False), (3, True)])
    numbers = rng.sample(range(-2, 4) if signed else range(1 << width), 3)
    return Kind("enum", width, signed, tuple(zip(rng.choice(_LABELS), numbers, strict=True)))


def _variable(rng: random.Random, name: str, role: str, enum: Kind) -> Variable:
    kind = rng.choice([BOOL, BOOL, Kind("int", 2), Kind("int", 3, True), enum, enum, FLOAT16, FLOAT16, FLOAT32])
    domain, values, logged = _domain(rng, kind) if role != "decision" else ("", (), ())
    renamed = rng.random() < 0.2
    as_bits = kind.sort in ("bool", "float") and rng.random() < 0.25
    smt_name, smt_after = (f"in_{name}", f"out_{name}") if renamed else (name, f"{name}'")
    return Variable(name, role, kind, smt_name, smt_after, as_bits, domain, values, logged)


def _domain(rng: random.Random, kind: Kind) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    """A domain as written, the bits that it holds, and bits that a log may hold."""
    if kind.sort == "float":
        return _float_domain(rng, kind)
    default = tuple(number & kind.mask for _, number in kind.labels) or tuple(range(1 << kind.width))
    everything = tuple(range(1 << kind.width))
    way = rng.random()
    if way < 0.1:
        return '"any bits"', everything, everything
    if way < 0.25:
        some = tuple(rng.sample(default, rng.randint(1, len(default))))
        return _values(kind, some), some, some
    return "", default, default


def _float_domain(rng: random.Random, kind: Kind) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    way = rng.random()
    sign = 1 << (kind.width - 1)
    if way < 0.15:
        # a range compares as programs do: both zeros lie in it
        low, high = rng.randint(0, 2), rng.randint(0, 3)
        values = (*range(high + 1), *(sign | bits for bits in range(low + 1)))
        ends = f"[{text_of(kind, sign | low)}, {text_of(kind, high)}]"
        return ends, values, values
    if way < 0.2 and kind == FLOAT16:
        finite = tuple(bits for bits in range(1 << 16) if bits & 0x7C00 != 0x7C00)
        return "", finite, FINITE[kind] + ODD[kind]
    if way < 0.25 and kind == FLOAT16:
        return '"any bits"', tuple(range(1 << 16)), FINITE[kind] + ODD[kind]
    pool = FINITE[kind] if rng.random() < 0.6 else SPECIALS[kind]
    some = tuple(rng.sample(pool, rng.randint(2, 6)))
    return _values(kind, some), some, some


def _values(kind: Kind, values: tuple[int, ...]) -> str:
    def written(bits: int) -> str:
        text = text_of(kind, bits)
        return f'"{text}"' if kind.sort == "enum" or is_nan(kind, bits) or "inf" in text else text

    return f"{{ values = [{', '.join(map(written, values))}] }}"


def _leaves(rng: random.Random, maker: Maker, outputs: Mapping[str, Kind]) -> list[Leaf]:
    found: list[Leaf] = []

    def grow(guards: tuple[Expr, ...], depth: int) -> None:
        if depth and rng.random() < 0.85:
            guard = maker.boolean(2)
            grow((*guards, guard), depth - 1)
            grow((*guards, negation(guard)), depth - 1)
        else:
            found.append(_leaf(rng, maker, outputs, f"p{len(found)}", guards))

    grow((), rng.randint(1, 3))
    if not any(leaf.written for leaf in found):
        found[0] = Leaf(found[0].name, found[0].guards, FAILS, _ENDINGS[FAILS][0])
    if rng.random() < 0.15:
        twin = rng.choice([leaf for leaf in found if leaf.written])
        guards = (*twin.guards, maker.boolean(1))
        found.append(Leaf("twin", guards, twin.ending, twin.words, twin.outputs, fits=twin.fits))
    return found


def _leaf(rng: random.Random, maker: Maker, outputs: Mapping[str, Kind], name: str, guards: tuple[Expr, ...]) -> Leaf:
    ending = rng.choices([DECIDES, FAILS, UNDECIDED, UNEXPLORED, ""], [66, 12, 9, 4, 9])[0]
    if not ending:
        return Leaf(name, guards, UNEXPLORED, "", written=False)
    if ending != DECIDES:
        return Leaf(name, guards, ending, rng.choice(_ENDINGS[ending]))
    given: dict[str, Expr] = {}
    fits: list[Callable[[State], bool]] = []
    for output, kind in outputs.items():
        converted = maker.converted(kind) if rng.random() < 0.15 else None
        if converted:
            given[output] = converted[0]
            fits.append(converted[1])
        else:
            given[output] = maker.of_kind(kind, rng.randint(0, 2))
    return Leaf(name, guards, DECIDES, "decides" if rng.random() < 0.1 else "", given, fits=tuple(fits))


def _log(rng: random.Random, logic: Logic) -> dict[str, int]:
    """What the log says of the outputs: mostly the truth, where there is one, and not always all of it."""
    outcome = logic.outcome(logic.fact)
    lies = rng.random() < 0.08
    logged: dict[str, int] = {}
    for name, variable in logic.outputs.items():
        allowed = variable.logged or _loggable(variable.kind)
        if outcome.ending == DECIDES and not lies:
            bits = outcome.outputs[name]
        elif lies or outcome.ending == UNEXPLORED:
            bits = rng.choice(allowed)
        else:
            continue
        if rng.random() < 0.75 and (bits in allowed or (variable.kind.sort == "float" and not variable.domain)):
            logged[name] = bits
    return logged


def _loggable(kind: Kind) -> tuple[int, ...]:
    if kind.sort == "enum":
        return tuple(number & kind.mask for _, number in kind.labels)
    return SPECIALS[kind] if kind.sort == "float" else tuple(range(1 << kind.width))
