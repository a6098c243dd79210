"""Random programs with two states that are called again and again, in C and in Python, and what may be perceived then.

A scenario gives each slot a value: an input that a question varies, in the steps in which it has one value. What no
slot has is as logged, or held as at the first step.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import final

from soid import Project

PERCEIVED = {"level": range(5), "armed": range(2), "pilot": range(3)}  # a number, a Boolean and labels
STATES = {"count": range(5), "last": range(4)}
LABELS = ("OFF", "HOLD", "HOME")
FIRST, LOGGED = 40, 7

PROGRAM = """
enum Pilot {{ OFF, HOLD, HOME }};
static int count, last;
int decide(int level, _Bool armed, enum Pilot pilot)
{{
    if ({first})
        count = (count + {by}) % 5;
    else if ({second})
        count = 0;
    last = ({third}) ? (last + level) % 4 : {other};
    return ({fourth}) ? 2 : (count + last) % 2;
}}
"""
MANIFEST = """
[program]
engine = "llvm"
sources = ["p.c"]
entry = "decide"
[trace]
file = "log.jsonl"
[variables]
level = { role = "environment", domain = [0, 4] }
armed = { role = "environment" }
pilot = { role = "environment" }
count = { role = "state", domain = [0, 4] }
last = { role = "state", domain = [0, 3] }
"""

Point = Mapping[str, int]


@final
@dataclass(frozen=True)
class Changing:
    """A program, and a log of it."""

    first: str
    second: str
    third: str
    fourth: str
    by: int
    other: str
    log: tuple[Point, ...]  # of each step: what is perceived, the state before and the decision
    hidden: frozenset[str]  # states that the log does not have

    @classmethod
    def any(cls, chance: random.Random, *, hides: bool) -> Changing:
        first, second, third, fourth = (_condition(chance) for _ in range(4))
        by, other = chance.randint(1, 3), chance.choice(["last", "pilot", "count % 4", "1"])
        made = cls(first, second, third, fourth, by, other, (), frozenset())
        state: Point = {name: chance.choice(values) for name, values in STATES.items()}
        steady = {name: chance.random() < 0.25 for name in PERCEIVED}
        lines: list[Point] = []
        for _ in range(LOGGED):
            given = {name: chance.choice(values) for name, values in PERCEIVED.items()}
            given |= {name: lines[0][name] for name in PERCEIVED if lines and steady[name]}
            after = made.step({**given, **state})
            lines.append({**given, **state, "return": after["return"]})
            state = {name: after[name] for name in STATES}
        hidden = frozenset(chance.sample(list(STATES), 1)) if hides else frozenset[str]()
        return replace(made, log=tuple(lines), hidden=hidden)

    def step(self, at: Point) -> Point:
        """The decision and the state after one call."""
        now = dict(at)
        if self._holds(self.first, now):
            now["count"] = (now["count"] + self.by) % 5
        elif self._holds(self.second, now):
            now["count"] = 0
        now["last"] = (now["last"] + now["level"]) % 4 if self._holds(self.third, now) else eval(self.other, {}, now)
        now["return"] = 2 if self._holds(self.fourth, now) else (now["count"] + now["last"]) % 2
        return now

    def _holds(self, condition: str, at: Point) -> bool:
        return bool(eval(condition.replace("&&", "and").replace("||", "or"), {}, dict(at)))

    def worlds(self, number: int) -> list[dict[str, int]]:
        """The states that there may have been before a step: those with which it decides as logged."""
        there = self.log[number]
        known = [list(values) if name in self.hidden else [there[name]] for name, values in STATES.items()]
        every = (dict(zip(STATES, each, strict=True)) for each in itertools.product(*known))
        return [world for world in every if self.step({**there, **world})["return"] == there["return"]]

    def project(self, folder: Path) -> Project:
        folder.mkdir()
        parts = {name: getattr(self, name) for name in ("first", "second", "third", "fourth", "by", "other")}
        # labels are unsigned in C, and would make what they are compared with unsigned too
        signed = {name: str(part).replace("pilot", "(int)pilot") for name, part in parts.items()}
        (folder / "p.c").write_text(PROGRAM.format(**signed))
        (folder / "soid.toml").write_text(MANIFEST)
        lines = []
        for number, line in enumerate(self.log):
            kept = {name: bits for name, bits in line.items() if name not in self.hidden}
            kept |= {"pilot": LABELS[line["pilot"]], "armed": bool(line["armed"])}  # type: ignore[dict-item]
            lines.append(json.dumps({"step": FIRST + number, **kept}) + "\n")
        (folder / "log.jsonl").write_text("".join(lines))
        return Project.open(folder, step=FIRST)


def _condition(chance: random.Random) -> str:
    def compared() -> str:
        names = chance.sample([*PERCEIVED, *STATES], chance.choice([1, 1, 2, 2, 3]))
        terms = "+".join(f"{chance.choice([1, 1, 2, -1])}*{name}" for name in names)
        return f"{terms} {chance.choice(['<', '>', '==', '>='])} {chance.randrange(-2, 7)}"

    return f"({compared()}) {chance.choice(['&&', '||'])} ({compared()})"


# --- questions ------------------------------------------------------------------------------------------------


Values = tuple[int, ...]  # of a slot, or of all slots


@final
@dataclass(frozen=True)
class Slot:
    """An input that a question varies: one value of one variable, in some steps."""

    variable: str
    steps: tuple[int, ...]  # of the question, the first being 0
    values: tuple[int, ...]
    when: str  # its steps as written; empty: without steps
    path: str  # as soid calls it
    until: int | None = None  # the decision with which it ends; None: it lasts for all its steps
    is_free: bool = False  # because the future is anything: nothing is supposed of it

    @property
    def domain(self) -> range:
        return (PERCEIVED | STATES)[self.variable]

    @property
    def text(self) -> str:
        """The supposition; empty if there is none."""
        if self.is_free:
            return ""
        if self.values == tuple(self.domain):
            return f"{self.variable} is anything {self.when}".rstrip()
        if self.variable == "armed":
            return f"{'armed' if self.values == (1,) else 'not armed'} {self.when}".rstrip()
        words = [LABELS[value] if self.variable == "pilot" else str(value) for value in self.values]
        return f"{self.variable} in {{{', '.join(words)}}} {self.when}".rstrip()

    def is_at(self, step: int, decided: Sequence[int]) -> bool:
        """Whether it has its value in a step, after these decisions."""
        return step in self.steps and (self.until is None or self.until not in decided[self.steps[0] :])

    def limited(self, values: Values) -> Slot:
        return replace(self, values=values)


@final
@dataclass(frozen=True)
class AskedOfSteps:
    """A question about several steps, and its scenarios."""

    program: Changing
    number: int  # of the logged step that it begins with
    count: int
    future: str
    kind: str
    over: str
    wanted: int
    slots: tuple[Slot, ...]  # as soid has them: inputs of the first step before those of later ones

    @property
    def text(self) -> str:
        texts = [slot.text for slot in self.slots if slot.text]
        asked = f"{self.kind} return == {self.wanted} {self.over} {self.count} steps {self.future}"
        return f"{asked} if {' and '.join(texts)}" if texts else asked

    @property
    def is_refused(self) -> bool:
        """Whether something ends in another step in each scenario, and what was in fact is not the same in these."""
        ending = [slot for slot in self.slots if slot.until is not None and len(slot.steps) > 1]
        return any(self.future == "anything" or not self.is_steady(slot) for slot in ending)

    @cached_property
    def known(self) -> tuple[Point, ...]:
        """What is perceived in each step if nothing is changed."""
        log = self.program.log
        return tuple(log[self.number + (step if self.future != "held" else 0)] for step in range(self.count))

    @cached_property
    def worlds(self) -> list[dict[str, int]]:
        return self.program.worlds(self.number)

    def fact_of(self, slot: Slot) -> list[int]:
        """What was logged of a slot, in each of its steps."""
        if slot.variable in STATES:
            return [self.program.log[self.number][slot.variable]]
        return [self.known[step][slot.variable] for step in slot.steps]

    def is_steady(self, slot: Slot) -> bool:
        return len(set(self.fact_of(slot))) == 1

    def changed(self, values: Values) -> frozenset[str]:
        """The paths of the slots that differ from the fact in some of their steps."""
        pairs = zip(self.slots, values, strict=True)
        return frozenset(slot.path for slot, value in pairs if set(self.fact_of(slot)) != {value})

    def scenarios(self, *, punctured: bool = True) -> Iterator[Values]:
        for values in itertools.product(*(slot.values for slot in self.slots)):
            if self.changed(values) or not punctured:
                yield values

    def occurs(self, values: Values, returned: frozenset[str] = frozenset()) -> list[bool]:
        """Whether it occurs, for each state that there may have been; `returned` slots are as in fact."""
        return [self._holds(self.decisions(values, world, returned)) for world in self.worlds]

    def decisions(self, values: Values, world: Point, returned: frozenset[str] = frozenset()) -> list[int]:
        """What is decided in each step, from one of these states on."""
        pairs = [each for each in zip(self.slots, values, strict=True) if each[0].path not in returned]
        state = {**world, **{slot.variable: value for slot, value in pairs if slot.variable in STATES}}
        found: list[int] = []
        for step, known in enumerate(self.known):
            there = [(slot, value) for slot, value in pairs if slot.variable in PERCEIVED and slot.is_at(step, found)]
            given = {name: known[name] for name in PERCEIVED} | {slot.variable: value for slot, value in there}
            after = self.program.step({**state, **given})
            found.append(after["return"])
            state = {name: after[name] for name in STATES}
        return found

    def _holds(self, decisions: list[int]) -> bool:
        truths = [each == self.wanted for each in decisions]
        return truths[-1] if self.over == "after" else any(truths) if self.over == "within" else all(truths)


def asked(chance: random.Random, program: Changing) -> AskedOfSteps:
    number = 0 if program.hidden else chance.randrange(3)
    future = chance.choice(("as logged", "as logged", "as logged", "held", "anything"))
    count = 2 if future == "anything" else chance.randint(2, 4)
    start, slots = FIRST + number, list[Slot]()
    for variable in chance.sample(list(PERCEIVED), chance.choice((1, 2, 2))):
        slots.append(_supposed(chance, variable, start, count, future))
    states = [name for name in STATES if name not in program.hidden]
    if chance.random() < 0.25:
        name = chance.choice(states)
        slots.append(Slot(name, (0,), _values(chance, name), "", name))
    if future == "anything":
        taken = {(slot.variable, step) for slot in slots for step in slot.steps}
        for step, variable in itertools.product(range(1, count), PERCEIVED):
            if (variable, step) not in taken:
                free = Slot(
                    variable, (step,), tuple(PERCEIVED[variable]), "", f"{variable}@{start + step}", is_free=True
                )
                slots.append(free)
    order = [*PERCEIVED, *STATES]
    here = [slot for slot in slots if "@" not in slot.path]
    slots = [*sorted(here, key=lambda slot: order.index(slot.path)), *(slot for slot in slots if slot not in here)]
    kind, over = chance.choice(("would", "might")), chance.choice(("after", "within", "throughout"))
    return AskedOfSteps(program, number, count, future, kind, over, chance.randrange(3), tuple(slots))


def _values(chance: random.Random, variable: str) -> Values:
    domain = (PERCEIVED | STATES)[variable]
    return tuple(sorted(chance.sample(domain, chance.randint(1, len(domain)))))


def _supposed(chance: random.Random, variable: str, start: int, count: int, future: str) -> Slot:
    values, first = _values(chance, variable), chance.randrange(count)
    last, steps = chance.randrange(first, count), tuple[int, ...]()
    until = None
    match chance.randrange(7):
        case 0 | 4:
            return Slot(variable, (0,) if future == "anything" else tuple(range(count)), values, "", variable)
        case 1:
            steps, when, mark = (first,), f"at step {start + first}", f"@{start + first}"
        case 2 | 5:
            steps, when, mark = tuple(range(first, count)), f"from step {start + first}", f"@{start + first}.."
        case 6:
            steps, until, mark = tuple(range(first, count)), chance.randrange(3), f"@{start + first}.."
            when = f"from step {start + first} until return == {until}"
        case _:
            steps, when = tuple(range(first, last + 1)), f"from step {start + first} to step {start + last}"
            mark = f"@{start + first}..{start + last}" if last > first else f"@{start + first}"
    return Slot(variable, steps, values, when, f"{variable}{mark if first else ''}", until)
