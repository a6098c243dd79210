"""Random programs in random worlds, in C and in Python: all numbers are small, so that every scenario can be run.

The program perceives `a` and `b`, which the world remembers, `s`, which the world writes anew, and `o`, which is the
log's; it remembers `m`. The world remembers `h` besides, and is given `g` by the log. Program and world may fail.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, final

from soid import Project

DOMAINS: Final = {"a": 5, "b": 4, "s": 4, "o": 3, "h": 3, "g": 3, "m": 4, "move": 3}  # values of each, from 0 on
PERCEIVED, OF_WORLD, GIVEN = ("a", "b", "s", "o"), ("a", "b", "h"), ("o", "g")
LOGGED, FIRST = 8, 10

_PATHS: Final = {**{name: f"v.{name}" for name in PERCEIVED}, "h": "k.h", "g": "k.g", "m": "m", "move": "return"}
_DRIVER: Final = """
#include <assert.h>
struct v {{ int a, b, s, o; }};
int m;
int decide(const struct v *v) {{
    int a = v->a, b = v->b, s = v->s, o = v->o;
    assert(!({fails}));
    if ({remembers}) m = {memory};
    return ({first}) ? {move} : (a + b + s + o + m) % 3;
}}
"""
_WORLD: Final = """
#include <assert.h>
struct v {{ int a, b, s, o; }};
struct k {{ int h, g; }};
void step(struct v *v, struct k *k, int move) {{
    int a = v->a, b = v->b, h = k->h, g = k->g;
    assert(!({breaks}));
    if ({moves}) a = {a};
    if ({shifts}) b = {b};
    if (a + b + h + g + move > 5) h = {h};
    v->s = {s}; v->a = a; v->b = b; k->h = h;
}}
"""
_MANIFEST: Final = """
[program]
engine = "c"
sources = ["p.c"]
entry = "decide"
[world]
engine = "c"
sources = ["w.c"]
entry = "step"
acts = {{ move = "return" }}
[world.variables]
"k.h" = {{ domain = [0, 2] }}
"k.g" = {{ domain = [0, 2] }}
[events]
happens = {{ when = "{event}", harm = true }}
[trace]
file = "log.jsonl"
keyframe = {first_step}
[variables]
m = {{ role = "state", domain = [0, 3] }}
"v.a" = {{ domain = [0, 4] }}
"v.b" = {{ domain = [0, 3] }}
"v.s" = {{ domain = [0, 3] }}
"v.o" = {{ domain = [0, 2] }}
"""

Values = Mapping[str, int]


@final
@dataclass(frozen=True)
class Generated:
    """A program, its world, an event, and a log of them."""

    parts: Mapping[str, str]  # of the sources, which mean the same in C and in Python
    event: tuple[tuple[int, str], ...]  # what is added up: factors, and names that may have primes
    limit: str  # the comparison of the sum

    @classmethod
    def any(cls, chance: random.Random) -> Generated:
        seen, moved = (*PERCEIVED, "m"), ("a", "b", "h", "g", "move")
        conditions = {"fails": seen, "remembers": seen, "first": seen, "breaks": moved, "moves": moved, "shifts": moved}
        parts = {name: _condition(chance, names) for name, names in conditions.items()}
        for rare in ("fails", "breaks"):
            parts[rare] = parts[rare] if chance.random() < 0.3 else "0 == 1"
        sums = {"memory": ("m", seen), "move": ("move", seen), "s": ("s", moved)}
        sums |= {name: (name, moved) for name in OF_WORLD}
        parts |= {name: _sum(chance, names, DOMAINS[kind]) for name, (kind, names) in sums.items()}
        named = chance.sample([*DOMAINS, *(f"{name}'" for name in (*OF_WORLD, "s", "m"))], chance.randint(1, 2))
        limit = f"{chance.choice(['<', '>', '==', '>='])} {chance.randrange(-1, 6)}"
        return cls(parts, tuple((chance.choice([1, 1, 2, -1]), name) for name in named), limit)

    def decide(self, at: Values) -> Values | None:
        """What the program decides and remembers; None: it fails."""
        now = {name: at[name] for name in (*PERCEIVED, "m")}
        if _of(self.parts["fails"], now):
            return None
        now["m"] = _of(self.parts["memory"], now) if _of(self.parts["remembers"], now) else now["m"]
        move = _of(self.parts["move"], now) if _of(self.parts["first"], now) else sum(now.values()) % 3
        return {"m": now["m"], "move": move}

    def go_on(self, at: Values, move: int) -> Values | None:
        """What the world leaves; None: it fails."""
        now = {name: at[name] for name in (*OF_WORLD, "g")} | {"move": move}
        if _of(self.parts["breaks"], now):
            return None
        now["a"] = _of(self.parts["a"], now) if _of(self.parts["moves"], now) else now["a"]
        now["b"] = _of(self.parts["b"], now) if _of(self.parts["shifts"], now) else now["b"]
        now["h"] = _of(self.parts["h"], now) if sum(now.values()) > 5 else now["h"]
        return {**{name: now[name] for name in OF_WORLD}, "s": _of(self.parts["s"], now)}

    def happens(self, known: Values) -> bool | None:
        """Whether the event happens, given what is known in a step; None: it speaks of something that is not."""
        if any(name not in known for _, name in self.event):
            return None
        return bool(_of(f"{sum(factor * known[name] for factor, name in self.event)} {self.limit}", {}))

    @property
    def event_text(self) -> str:
        named = ((factor, _PATHS[name.removesuffix("'")] + "'" * name.endswith("'")) for factor, name in self.event)
        return " + ".join(f"({factor}) * {path}" for factor, path in named) + f" {self.limit}"

    @cached_property
    def log(self) -> tuple[Values, ...]:
        """What was in fact: the world's own course, except that where something fails all stays."""
        chance = random.Random(str(self))
        now = {name: chance.randrange(count) for name, count in DOMAINS.items() if name != "move"}
        rows = []
        for _ in range(LOGGED):
            decided = self.decide(now)
            rows.append({**now, **({} if decided is None else {"move": decided["move"]})})
            left = None if decided is None else self.go_on(now, decided["move"])
            now |= {} if decided is None else {"m": decided["m"]}
            now |= left or {}
            now |= {name: chance.randrange(DOMAINS[name]) for name in GIVEN}
        return tuple(rows)

    def project(self, folder: Path) -> Project:
        folder.mkdir()
        (folder / "p.c").write_text(_DRIVER.format(**self.parts))
        (folder / "w.c").write_text(_WORLD.format(**self.parts))
        (folder / "soid.toml").write_text(_MANIFEST.format(event=self.event_text, first_step=FIRST))
        rows = [{_PATHS[name]: value for name, value in row.items()} for row in self.log]
        (folder / "log.jsonl").write_text(
            "".join(json.dumps({"step": FIRST + at, **row}) + "\n" for at, row in enumerate(rows))
        )
        return Project.open(folder)


@final
@dataclass(frozen=True)
class Supposed:
    """Values of one variable, in some steps of a question: in the first alone, in all, or in those that are said."""

    name: str
    values: tuple[int, ...]
    steps: range
    is_said: bool

    @property
    def text(self) -> str:
        said = f" from step {FIRST + self.steps[0]} to step {FIRST + self.steps[-1]}" if self.is_said else ""
        return f"{_PATHS[self.name]} in {{{', '.join(map(str, self.values))}}}{said}"


FAILED: Final = "the program has failed"
Truth = bool | str | None  # None: not known, because the world has failed


def truths(made: Generated, supposed: Sequence[Supposed], values: Sequence[int], count: int) -> list[Truth]:
    """Whether the event happens in each of some steps of a closed loop, in one scenario."""
    found: list[Truth] = []
    now = dict(made.log[0])
    for at in range(count):
        there = {each.name: value for each, value in zip(supposed, values, strict=True) if at in each.steps}
        now |= {name: made.log[at][name] for name in GIVEN} | {k: v for k, v in there.items() if k != "move"}
        now.pop("move", None)
        decided = made.decide(now)
        if decided is None:
            happened = made.happens(now)
            return [*found, FAILED if happened is None else happened, *[FAILED] * (count - at - 1)]
        move = there.get("move", decided["move"])
        known = {**now, "move": move, "m'": decided["m"]}
        left = made.go_on(now, move)
        found.append(made.happens(known | {f"{name}'": value for name, value in (left or {}).items()}))
        if left is None:
            return [*found, *[None] * (count - at - 1)]
        now |= {**left, "m": decided["m"]}
    return found


def _of(text: str, values: Values) -> int:
    return int(eval(text, {}, dict(values)))


def _condition(chance: random.Random, names: Sequence[str]) -> str:
    told = " + ".join(f"{chance.choice([1, 1, 2, -1])}*{name}" for name in chance.sample(names, chance.randint(1, 3)))
    return f"{told} {chance.choice(['<', '>', '==', '>='])} {chance.randrange(-1, 7)}"


def _sum(chance: random.Random, names: Sequence[str], count: int) -> str:
    told = " + ".join(f"{chance.randint(1, 3)}*{name}" for name in chance.sample(names, chance.randint(1, 3)))
    return f"({told} + {chance.randrange(4)}) % {count}"
