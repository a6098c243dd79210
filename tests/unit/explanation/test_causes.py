"""Actual causes: the textbook cases with the literature's answers, and random programs against the definition."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Mapping
from pathlib import Path

import pytest

from soid.case.project import Project
from soid.errors import QueryError

MANIFEST = '[program]\nengine = "c"\nsources = ["p.c"]\nentry = "decide"\n[trace]\nfile = "log.jsonl"\n'


def project(folder: Path, source: str, *rows: Mapping[str, object], manifest: str = MANIFEST, **files: str) -> Project:
    log = "".join(json.dumps(row) + "\n" for row in rows)
    for name, text in {"p.c": source, "soid.toml": manifest, "log.jsonl": log, **files}.items():
        (folder / name).write_text(text)
    return Project.open(folder, step=0)


def function(names: tuple[str, ...], body: str) -> str:
    given = ", ".join(f"_Bool {name}" for name in names)
    return f"_Bool decide({given}) {{ return {body}; }}\n"


def anything(names: tuple[str, ...]) -> str:
    return " and ".join(f"{name} is anything" for name in names)


FIRE = ("lightning", "match")


@pytest.mark.parametrize(
    ("body", "expected", "degree"),
    [
        ("lightning & match", [("lightning",), ("match",)], 1.0),
        ("lightning | match", [("lightning", "match")], 0.5),
    ],
)
def test_forest_fire(tmp_path: Path, body: str, expected: list[tuple[str, ...]], degree: float) -> None:
    fire = project(tmp_path, function(FIRE, body), {"lightning": True, "match": True, "return": True})
    found = fire.causes("did return", anything(FIRE))
    assert [cause.paths for cause in found.causes] == expected
    assert found.complete and all(cause.minimal for cause in found.causes)
    assert all(cause.but_for is (len(cause.paths) == 1) for cause in found.causes)
    assert set(found.responsibility.values()) == {degree}


@pytest.mark.parametrize(("ayes", "degrees"), [(11, {1 / 6}), (6, {1.0, 0.0})])
def test_voting(tmp_path: Path, ayes: int, degrees: set[float]) -> None:
    names = tuple(f"v{number}" for number in range(11))
    votes = {name: place < ayes for place, name in enumerate(names)}
    found = project(tmp_path, function(names, f"({'+'.join(names)}) >= 6"), {**votes, "return": True}).causes(
        "did return", anything(names)
    )
    assert {len(cause.paths) for cause in found.causes} == {6 if ayes == 11 else 1}
    assert set(found.responsibility.values()) == degrees
    assert found.more is (ayes == 11)


def test_what_did_not_happen_has_no_cause(tmp_path: Path) -> None:
    fire = project(tmp_path, function(FIRE, "lightning & match"), {"lightning": True, "match": False, "return": False})
    assert fire.causes("did return", anything(FIRE)).happened is False
    with pytest.raises(QueryError, match="might differ"):
        fire.causes("did return")


def by_definition(
    names: tuple[str, ...], table: dict[tuple[bool, ...], bool], fact: tuple[bool, ...]
) -> list[set[str]]:
    """The modified definition, read literally: inputs depend on nothing, so nothing needs to be held."""
    found: list[set[str]] = []
    for size in range(1, len(names) + 1):
        for chosen in itertools.combinations(range(len(names)), size):
            flips = any(
                table[tuple(new[chosen.index(i)] if i in chosen else fact[i] for i in range(len(names)))] != table[fact]
                for new in itertools.product((False, True), repeat=size)
            )
            if flips and not any(each <= {names[i] for i in chosen} for each in found):
                found.append({names[i] for i in chosen})
    return found


@pytest.mark.parametrize("count", [40, pytest.param(1000, marks=pytest.mark.soak)])
def test_random_programs_against_the_definition(tmp_path: Path, count: int) -> None:
    """One program with a table of 16 bits is 65,536 programs: the table is logged, and nothing is supposed of it."""
    names, rng = ("a", "b", "c", "d"), random.Random(17)
    source = (
        "_Bool decide(unsigned short table, _Bool a, _Bool b, _Bool c, _Bool d)"
        "{ return table >> (a | b << 1 | c << 2 | d << 3) & 1; }\n"
    )
    rows, expected = [], []
    for _ in range(count):
        bits, fact = rng.getrandbits(16), tuple(rng.random() < 0.5 for _ in names)
        table = {
            state: bool(bits >> sum(bit << place for place, bit in enumerate(state)) & 1)
            for state in itertools.product((False, True), repeat=4)
        }
        rows.append({"table": bits, **dict(zip(names, fact, strict=True)), "return": table[fact]})
        expected.append(by_definition(names, table, fact))
    opened = project(tmp_path, source, *rows)
    for step, sets in enumerate(expected):
        happened = "return" if rows[step]["return"] else "not return"
        found = opened.at(step).causes(f"did {happened}", anything(names))
        assert found.complete and not found.unsettled
        assert sorted(map(sorted, sets)) == sorted(sorted(cause.paths) for cause in found.causes), rows[step]


BOTTLE = "struct s { _Bool suzy, billy, late, hit_s, hit_b; };\n"
ROCKS = BOTTLE + "_Bool decide(const struct s *s) { return s->hit_s | s->hit_b; }\n"
WORLD = (
    BOTTLE
    + """
void step(struct s *s, _Bool broken) {         /* Suzy's rock arrives first, Billy's one step later */
    s->hit_b = s->hit_b | (s->billy & s->late & !s->hit_s & !broken);
    s->hit_s = s->hit_s | s->suzy;
    s->late = 1;
}
"""
)
THROWN = MANIFEST + '[world]\nengine = "c"\nsources = ["w.c"]\nentry = "step"\nacts = { broken = "return" }\n'


def test_rock_throwing_with_late_preemption(tmp_path: Path) -> None:
    """Suzy is a cause, with Billy's rock held as it was, not hitting; Billy is none."""
    rows = [
        {"s": {"suzy": True, "billy": True, "late": hit, "hit_s": hit, "hit_b": False}, "return": hit}
        for hit in (False, True, True)
    ]
    thrown = project(tmp_path, ROCKS, *rows, manifest=THROWN, **{"w.c": WORLD})
    over = "s.suzy is anything and s.billy is anything"
    both = thrown.causes("did return after 3 steps", over)
    assert [cause.paths for cause in both.causes] == [("s.suzy", "s.billy")]
    found = thrown.causes("did return after 3 steps", over, hold=[("s.hit_b", 2)])
    (cause,) = found.causes
    assert cause.paths == ("s.suzy",) and list(map(str, cause.held)) == ["s.hit_b == false at step 2"]
    assert found.complete and not cause.but_for
    assert found.responsibility == {"s.suzy": 1.0, "s.billy": 0.0}
    with pytest.raises(QueryError, match="cannot be held"):
        thrown.causes("did return after 3 steps", over, hold=[("s.hit_b", 0)])
