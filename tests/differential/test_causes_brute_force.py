"""Actual causes of random programs in random worlds, against the modified definition of Halpern and Pearl as it reads.

    m      what the world gives at the second step: any function of a, b and what was decided at the first
    return any function of a, b, c and m, asked about at the second step

The variables of a cause are a, b and c; m may be held as it was. Truth tables are logged, and nothing is supposed of
them, so one program and one world are all of them.
"""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.explanation.test_causes import MANIFEST, project

STRUCT = "struct s { unsigned short table; unsigned char given; _Bool a, b, c, m; };\n"
PROGRAM = (
    STRUCT + "_Bool decide(const struct s *s) { return s->table >> (s->a | s->b << 1 | s->c << 2 | s->m << 3) & 1; }\n"
)
WORLD = STRUCT + "void step(struct s *s, _Bool out) { s->m |= s->given >> (s->a | s->b << 1 | out << 2) & 1; }\n"
IN_WORLD = MANIFEST + '[world]\nengine = "c"\nsources = ["w.c"]\nentry = "step"\nacts = { out = "return" }\n'
NAMES = ("a", "b", "c")
OVER = " and ".join(f"s.{name} is anything" for name in NAMES)

Bits = tuple[int, ...]


def given(table: int, world: int, state: Bits) -> int:
    """What the world gives at the second step; m is 0 at the first."""
    a, b, _ = state
    return world >> (a | b << 1 | decided(table, state, 0) << 2) & 1


def decided(table: int, state: Bits, m: int) -> int:
    a, b, c = state
    return table >> (a | b << 1 | c << 2 | m << 3) & 1


def causes_of(table: int, world: int, fact: Bits) -> dict[frozenset[str], bool]:
    """Each minimal set, and whether m must be held for it."""
    m = given(table, world, fact)
    happened = decided(table, fact, m)
    found: dict[frozenset[str], bool] = {}
    for size in range(1, len(NAMES) + 1):
        for chosen in itertools.combinations(range(len(NAMES)), size):
            names = frozenset(NAMES[at] for at in chosen)
            if any(known < names for known in found):
                continue
            for held in (None, m):
                others = (_other(table, world, fact, new, chosen, held) for new in _values(size))
                if any(other != happened for other in others):
                    found[names] = held is not None
                    break
    return found


def _values(size: int) -> Iterator[Bits]:
    return itertools.product((0, 1), repeat=size)


def _other(table: int, world: int, fact: Bits, new: Bits, chosen: tuple[int, ...], held: int | None) -> int:
    put = dict(zip(chosen, new, strict=True))
    state = tuple(put.get(at, bit) for at, bit in enumerate(fact))
    return decided(table, state, given(table, world, state) if held is None else held)


@pytest.mark.fuzz
@pytest.mark.parametrize("hold", [True, False])
def test_causes_are_those_of_the_definition(tmp_path: Path, hold: bool) -> None:
    rng, count = random.Random(17 + hold), int(os.environ.get("PROGRAMS", "300"))
    drawn = [(rng.getrandbits(16), rng.getrandbits(8), tuple(rng.getrandbits(1) for _ in NAMES)) for _ in range(count)]
    rows: list[dict[str, object]] = []
    for table, world, fact in drawn:
        for m in (0, given(table, world, fact)):
            values = dict(zip(NAMES, map(bool, fact), strict=True))
            rows.append({"s": {"table": table, "given": world, **values, "m": bool(m)}})
            rows[-1]["return"] = bool(decided(table, fact, m))
    opened = project(tmp_path, PROGRAM, *rows, manifest=IN_WORLD, **{"w.c": WORLD})
    for number, (table, world, fact) in enumerate(drawn):
        asked = "return" if rows[2 * number + 1]["return"] else "not return"
        held = [("s.m", 2 * number + 1)] if hold else []
        agents = {"A": ["s.a", "s.b"], "C": ["s.c"]}
        at = opened.at(2 * number)
        found = at.causes(f"did {asked} after 2 steps", OVER, hold=held, agents=agents)
        expected = causes_of(table, world, fact)
        if not hold:
            expected = dict.fromkeys(_without_holding(table, world, fact), False)
        ours = {frozenset(path[2:] for path in cause.paths): bool(cause.held) for cause in found.causes}
        assert found.complete and ours == expected, (table, world, fact)
        for agent, own in (("A", {"a", "b"}), ("C", {"c"})):
            others = [len(names - own) for names in expected if names & own]
            assert found.shares[agent] == (1 / (1 + min(others)) if others else 0.0), (table, world, fact, agent)


def _without_holding(table: int, world: int, fact: Bits) -> list[frozenset[str]]:
    happened = decided(table, fact, given(table, world, fact))
    found: list[frozenset[str]] = []
    for size in range(1, len(NAMES) + 1):
        for chosen in itertools.combinations(range(len(NAMES)), size):
            names = frozenset(NAMES[at] for at in chosen)
            flips = any(_other(table, world, fact, new, chosen, None) != happened for new in _values(size))
            if flips and not any(known <= names for known in found):
                found.append(names)
    return found


# --- with what follows from others among the possible causes: the decision of the first step, and m -----------------


def _run(table: int, world: int, set_to: dict[str, int], fact: Bits) -> int:
    """What is decided at the second step, where some variables are set, and all others follow."""
    a, b, c = (set_to.get(name, bit) for name, bit in zip(NAMES, fact, strict=True))
    first = set_to.get("out", decided(table, (a, b, c), 0))
    m = set_to.get("m", world >> (a | b << 1 | first << 2) & 1)
    return decided(table, (a, b, c), m)


def causes_among_all(table: int, world: int, fact: Bits) -> dict[frozenset[str], int]:
    """Each minimal set among a, b, c, the first decision and m; and how many of the last two must be held for it."""
    first = decided(table, fact, 0)
    actual = dict(zip(NAMES, fact, strict=True)) | {"out": first, "m": given(table, world, fact)}
    happened = _run(table, world, {}, fact)
    found: dict[frozenset[str], int] = {}
    for size in range(1, len(actual) + 1):
        for chosen in map(frozenset, itertools.combinations(actual, size)):
            if any(known < chosen for known in found):
                continue
            rest = [name for name in ("out", "m") if name not in chosen]
            for held in itertools.chain.from_iterable(itertools.combinations(rest, n) for n in range(len(rest) + 1)):
                kept = {name: actual[name] for name in held}
                changed = (dict(zip(sorted(chosen), new, strict=True)) for new in _values(size))
                if any(_run(table, world, {**kept, **each}, fact) != happened for each in changed):
                    found[chosen] = len(held)
                    break
    return found


@pytest.mark.parametrize("count", [12, pytest.param(200, marks=pytest.mark.fuzz)])
def test_what_follows_from_others_may_be_a_cause_too(tmp_path: Path, count: int) -> None:
    rng = random.Random(29)
    drawn = [(rng.getrandbits(16), rng.getrandbits(8), tuple(rng.getrandbits(1) for _ in NAMES)) for _ in range(count)]
    rows: list[dict[str, object]] = []
    for table, world, fact in drawn:
        for m in (0, given(table, world, fact)):
            values = dict(zip(NAMES, map(bool, fact), strict=True))
            rows.append({"s": {"table": table, "given": world, **values, "m": bool(m)}})
            rows[-1]["return"] = bool(decided(table, fact, m))
    opened = project(tmp_path, PROGRAM, *rows, manifest=IN_WORLD, **{"w.c": WORLD})
    for number, (table, world, fact) in enumerate(drawn):
        step = 2 * number
        asked = "return" if rows[step + 1]["return"] else "not return"
        over = f"{OVER} and return is anything at step {step} and s.m is anything at step {step + 1}"
        found = opened.at(step).causes(f"did {asked} after 2 steps", over)
        plain = {f"return@{step}": "out", f"s.m@{step + 1}": "m"}
        ours = {frozenset(plain.get(path, path[2:]) for path in each.paths): len(each.held) for each in found.causes}
        assert found.complete and ours == causes_among_all(table, world, fact), (table, world, fact)
        assert all(each.but_for is (len(each.paths) == 1 and not each.held) for each in found.causes)
