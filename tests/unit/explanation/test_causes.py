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


HIT = """
void step(struct s *s, _Bool broken) {         /* a chain: thrown, hit, broken */
    s->hit_b = s->hit_s | broken;
    s->hit_s = s->suzy;
    s->late = 1;
}
"""
CHAIN = {"w.c": BOTTLE + HIT}
BROKEN = BOTTLE + "_Bool decide(const struct s *s) { return s->hit_b; }\n"


def chained(folder: Path) -> Project:
    rows = [
        {"s": {"suzy": True, "billy": True, "late": step > 0, "hit_s": step > 0, "hit_b": step > 1}, "return": step > 1}
        for step in range(3)
    ]
    return project(folder, BROKEN, *rows, manifest=THROWN, **CHAIN)


def test_what_follows_from_a_cause_is_no_reason_against_it(tmp_path: Path) -> None:
    """Where only the throw changes, nothing hits: the hit is not as it was, though it may be a cause too."""
    found = chained(tmp_path).causes("did return after 3 steps", "s.suzy is anything and s.hit_s is anything at step 1")
    assert [(cause.paths, cause.held, cause.but_for) for cause in found.causes] == [
        (("s.suzy",), (), True),
        (("s.hit_s@1",), (), True),
    ]
    assert found.complete and set(found.responsibility.values()) == {1.0}
    assert list(map(str, found.held)) == ["s.hit_s == true at step 1"]


def test_what_follows_is_changed_by_itself(tmp_path: Path) -> None:
    """A comparison says nothing of the hit alone; and what is logged of it must be what follows."""
    with pytest.raises(QueryError, match="follows from others, and is compared with them"):
        chained(tmp_path).causes("did return after 3 steps", "(s.hit_s == s.suzy or s.hit_s) at step 1")
    log = tmp_path / "log.jsonl"
    first, second, last = log.read_text().splitlines()
    log.write_text("\n".join([first, second.replace('"hit_s": true', '"hit_s": false'), last]) + "\n")
    with pytest.raises(QueryError, match="hit_s at step 1 is another one in the log than in the run"):
        Project.open(tmp_path, step=0).causes("did return after 3 steps", "s.hit_s is anything at step 1")


PREEMPTED = (
    BOTTLE
    + """
void step(struct s *s, _Bool broken) {         /* Suzy's rock hits; Billy's would have, had hers not */
    s->hit_s = s->suzy;
    s->hit_b = s->billy & !s->suzy;
    s->late = broken;
}
"""
)


def test_rock_throwing_with_preemption(tmp_path: Path) -> None:
    """Her throw is a cause, with his miss held as it was, and so is her hit; his throw and his miss are none."""
    rows = [
        {"s": {"suzy": True, "billy": True, "late": False, "hit_s": hit, "hit_b": False}, "return": hit}
        for hit in (False, True)
    ]
    thrown = project(tmp_path, ROCKS, *rows, manifest=THROWN, **{"w.c": PREEMPTED})
    over = (
        "s.suzy is anything and s.billy is anything and s.hit_s is anything at step 1 and s.hit_b is anything at step 1"
    )
    found = thrown.causes("did return after 2 steps", over, agents={"Suzy": ["s.suzy"], "Billy": ["s.billy"]})
    told = {cause.paths: list(map(str, cause.held)) for cause in found.causes}
    assert told == {("s.suzy",): ["s.hit_b == false at step 1"], ("s.hit_s@1",): []}
    assert found.complete and found.shares == {"Suzy": 1.0, "Billy": 0.0}


def test_a_decision_is_held_as_it_was(tmp_path: Path) -> None:
    """Had nothing been said broken before, Billy's rock would have been thrown in vain: his throw is no cause then."""
    rows = [
        {"s": {"suzy": True, "billy": True, "late": hit, "hit_s": hit, "hit_b": False}, "return": hit}
        for hit in (False, True, True)
    ]
    thrown = project(tmp_path, ROCKS, *rows, manifest=THROWN, **{"w.c": WORLD})
    over = "s.suzy is anything and s.billy is anything"
    (cause,) = thrown.causes("did return after 3 steps", over, hold=[("return", 1)]).causes
    assert cause.paths == ("s.suzy",) and list(map(str, cause.held)) == ["return == true at step 1"]
    (same,) = thrown.causes("did return after 3 steps", f"{over} and return is anything at step 1").causes
    assert (same.paths, list(map(str, same.held)), same.but_for) == (("s.suzy",), ["return == true at step 1"], False)


@pytest.mark.parametrize(
    "over",
    [
        "lightning == false and match == false",
        "not lightning and match is anything",
        "lightning == match and (lightning is anything)",
        "not (lightning or match)",
    ],
)
def test_what_is_supposed_never_says_that_a_fact_must_change(tmp_path: Path, over: str) -> None:
    """Each alone is a cause, though both are supposed to be others."""
    fire = project(tmp_path, function(FIRE, "lightning & match"), {"lightning": True, "match": True, "return": True})
    found = fire.causes("did return", over)
    together = "lightning == match" in over or "lightning or match" in over  # a formula of both changes both
    expected = [("lightning", "match")] if together else [("lightning",), ("match",)]
    assert [cause.paths for cause in found.causes] == expected and found.complete


def test_a_fact_outside_of_its_domain_is_refused(tmp_path: Path) -> None:
    manifest = MANIFEST + "[variables]\nx = { domain = [0, 10] }\n"
    far = project(
        tmp_path, "int decide(int x, int y) { return x + y; }", {"x": 12, "y": 1, "return": 13}, manifest=manifest
    )
    with pytest.raises(QueryError, match="not possible: x ranges over: 0 to 10"):
        far.causes("did return > 5", "x is anything and y is anything")


def test_a_fact_that_is_no_number_may_be_a_cause(tmp_path: Path) -> None:
    """A sensor gave NaN, which is in no domain of floats: it is said how to write that."""
    source = "_Bool decide(float x, _Bool on) { return on & (x != x); }\n"
    sensed = project(tmp_path, source, {"x": "nan", "on": True, "return": True})
    with pytest.raises(QueryError, match="add `x is any bits`"):
        sensed.causes("did return", "x == 1.0 and not on")
    found = sensed.causes("did return", "x is any bits and x == 1.0 and not on")
    assert [cause.paths for cause in found.causes] == [("x",), ("on",)] and found.complete
