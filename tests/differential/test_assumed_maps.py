"""Maps of moments at which inputs are not known: every place against brute force over all that they may have been.

Random programs over two inputs and two counters are run in Python and surveyed by soid. A place has a decision on the
map only if that is the decision for every value of the counters that fits the log; else it depends on them.
"""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path

import pytest

from soid import Project
from soid.mapping.claims import ClaimKind
from soid.mapping.decision_map import DecisionMap

A, B, U, V = range(6), range(5), range(5), range(3)
INPUTS, COUNTERS = {"a": A, "b": B}, {"u": U, "v": V}

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
OVERS = {
    "a is anything": ["a"],
    "b is anything": ["b"],
    "a is anything and b is anything": ["a", "b"],
    "u is anything": ["u"],
    "a is anything and u is anything": ["a", "u"],
    "u is anything and v is anything": ["u", "v"],
    "a <= u and keep u": ["a"],
    "a + b > v and keep v": ["a", "b"],
}

Point = dict[str, int]


def _condition(chance: random.Random) -> str:
    def compared() -> str:
        names = chance.sample(["a", "b", "u", "v"], chance.choice([1, 2, 2, 3]))
        terms = "+".join(f"{chance.choice([1, 1, 2, -1])}*{name}" for name in names)
        return f"{terms} {chance.choice(['<', '>', '==', '>='])} {chance.randrange(-2, 8)}"

    return f"({compared()}) {chance.choice(['&&', '||'])} ({compared()})"


def _decision(conditions: tuple[str, str], state: Point) -> int:
    first, second = (bool(eval(each, {}, state)) for each in conditions)
    return 2 if second else 1 if first else 0


def _supposed(over: str, state: Point) -> bool:
    return {
        "a <= u and keep u": state["a"] <= state["u"],
        "a + b > v and keep v": state["a"] + state["b"] > state["v"],
    }.get(over, True)


def _project(folder: Path, conditions: tuple[str, str], step: Point) -> Project:
    first, second = conditions
    folder.mkdir()
    (folder / "p.c").write_text(PROGRAM.format(first=first, second=second))
    (folder / "soid.toml").write_text(MANIFEST)
    (folder / "log.jsonl").write_text(json.dumps({"step": 0, **step}) + "\n")
    return Project.open(folder)


@pytest.mark.parametrize("seed", range(4))
def test_places_are_those_of_every_value_that_may_have_been(seed: int, tmp_path: Path) -> None:
    chance, seen = random.Random(seed), set[ClaimKind]()
    for number in range(3):
        conditions = _condition(chance), _condition(chance)
        python = tuple(each.replace("&&", "and").replace("||", "or") for each in conditions)
        fact = {name: chance.choice(values) for name, values in (INPUTS | COUNTERS).items()}
        logged = _decision((python[0], python[1]), fact)
        step = {name: fact[name] for name in INPUTS} | ({"return": logged} if chance.random() < 0.7 else {})
        project = _project(tmp_path / str(number), conditions, step)
        assumed = set(project.keyframe.assumed)
        assert {name: bits for name, bits in project.keyframe.inputs.items() if name not in assumed}.items() >= (
            {name: fact[name] for name in INPUTS}.items()
        )
        for over in chance.sample(list(OVERS), 4):
            axes = OVERS[over]
            made = project.map(over)
            assert [axis.variable.path for axis in made.axes] == axes
            wrong = list(_wrong(made, over, (python[0], python[1]), fact, assumed, step))
            assert wrong == [], (conditions, step, over)
            seen |= {region.label.kind for region in made.regions}
    assert seen >= {ClaimKind.DECIDES, ClaimKind.DEPENDS}


def _wrong(made: DecisionMap, over: str, conditions: tuple[str, str], fact: Point, assumed: set[str], step: Point):
    axes = OVERS[over]
    known = {name: [fact[name]] if name not in assumed else list(values) for name, values in COUNTERS.items()}
    kept = [name for name in COUNTERS if name not in axes and name in assumed]
    worlds = [dict(zip(known, each, strict=True)) for each in itertools.product(*known.values())]
    if not any(name in axes for name in assumed):  # what is supposed of an unknown input need not fit the log
        worlds = [w for w in worlds if step.get("return") in (None, _decision(conditions, {**fact, **w}))]
    for values in itertools.product(*((INPUTS | COUNTERS)[name] for name in axes)):
        here = dict(zip(axes, values, strict=True))
        truths: dict[tuple[int, ...], int | None] = {}
        for world in worlds:
            state = {**fact, **world, **here}
            truths[tuple(world[name] for name in kept)] = (
                _decision(conditions, state) if _supposed(over, state) else None
            )
        region = made.at([axis.place(here[axis.variable.path]) for axis in made.axes])
        if len(set(truths.values())) > 1:
            told = region.label.text.removeprefix("depends on ").split(" and ") if region else []
            apart = [
                (one, other)
                for one, other in itertools.combinations(truths, 2)
                if truths[one] != truths[other]
                and {name for name, a, b in zip(kept, one, other, strict=True) if a != b} <= set(told)
            ]
            if region is None or region.label.kind is not ClaimKind.DEPENDS or not apart:
                yield here, truths, region and region.label.text
        else:
            (truth,) = set(truths.values())
            text = None if truth is None else f"return = {truth}"
            if (region.label.text if region is not None else None) != text:
                yield here, truths, region and region.label.text
