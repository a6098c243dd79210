"""Random programs over two inputs and two counters that the log does not have, in C and in Python."""

from __future__ import annotations

import itertools
import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import final

from soid import Project

INPUTS = {"a": range(6), "b": range(5)}
COUNTERS = {"u": range(5), "v": range(3)}

PROGRAM = """
static int u, v;
int decide(int a, int b) {{
    int mode = 0;
    if ({first}) mode = 1;
    if ({second}) mode = 2;
    u = mode ? 1 : u; v = mode ? v : 0;
    return mode;
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
a = { domain = [0, 5] }
b = { domain = [0, 4] }
u = { domain = [0, 4] }
v = { domain = [0, 2] }
"""

Point = dict[str, int]


@final
@dataclass(frozen=True)
class Counting:
    """A program, and a moment of it of which the log has the inputs, and perhaps the decision."""

    first: str  # a condition, as in C
    second: str
    fact: Point
    tells: bool  # the decision is logged

    @classmethod
    def any(cls, chance: random.Random) -> Counting:
        fact = {name: chance.choice(values) for name, values in (INPUTS | COUNTERS).items()}
        return cls(_condition(chance), _condition(chance), fact, chance.random() < 0.7)

    def decision(self, state: Point) -> int:
        first, second = (
            eval(each.replace("&&", "and").replace("||", "or"), {}, dict(state)) for each in (self.first, self.second)
        )
        return 2 if second else 1 if first else 0

    def worlds(self, assumed: set[str], *, fitting: bool = True) -> list[Point]:
        """The values that the counters may have had."""
        known = [list(values) if name in assumed else [self.fact[name]] for name, values in COUNTERS.items()]
        worlds = [dict(zip(COUNTERS, each, strict=True)) for each in itertools.product(*known)]
        logged = self.decision(self.fact)
        return [w for w in worlds if not (fitting and self.tells) or self.decision({**self.fact, **w}) == logged]

    def project(self, folder: Path) -> Project:
        folder.mkdir()
        (folder / "p.c").write_text(PROGRAM.format(first=self.first, second=self.second))
        (folder / "soid.toml").write_text(MANIFEST)
        told = {"return": self.decision(self.fact)} if self.tells else {}
        step = {"step": 0, **{name: self.fact[name] for name in INPUTS}, **told}
        (folder / "log.jsonl").write_text(json.dumps(step) + "\n")
        return Project.open(folder)


def _condition(chance: random.Random) -> str:
    def compared() -> str:
        names = chance.sample(["a", "b", "u", "v"], chance.choice([1, 2, 2, 3]))
        terms = "+".join(f"{chance.choice([1, 1, 2, -1])}*{name}" for name in names)
        return f"{terms} {chance.choice(['<', '>', '==', '>='])} {chance.randrange(-2, 8)}"

    return f"({compared()}) {chance.choice(['&&', '||'])} ({compared()})"
