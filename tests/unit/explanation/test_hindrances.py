"""What stood in the way of a yes: the fewest changes, and what is said of all values, compared with trying all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from random import Random

import pytest

from soid.case.project import Project
from soid.documents import json_of
from soid.examples import folder
from soid.explanation.explainer import Explanation
from soid.explanation.explanation_words import explanation
from soid.explanation.flips import Flip
from soid.explanation.hindrance_words import told
from soid.explanation.hindrances import Hindrance
from soid.solver.chain import chain
from soid.solver.protocol import Solver

SIDES = {"a": 4, "b": 4, "c": 3}
TABLES = 12

MANIFEST = """\
[program]
name = "table"
engine = "c"
sources = ["table.c"]
entry = "decide"
[trace]
file = "log.jsonl"
[variables]
n = {{ domain = [0, {last}] }}
a = {{ domain = [0, 3] }}
b = {{ domain = [0, 3] }}
c = {{ domain = [0, 2] }}
"""

Scenario = tuple[int, int, int]


@pytest.fixture(scope="module")
def solver() -> Iterator[Solver]:
    made = chain()
    yield made
    made.close()


@pytest.fixture(scope="module")
def tables() -> list[dict[Scenario, int]]:
    """For each n what it decides; the first decides 0 everywhere, the last is 1 nowhere."""
    random, places = Random(18), list(product(range(SIDES["a"]), range(SIDES["b"]), range(SIDES["c"])))
    made = [{place: int(random.random() < 0.25) for place in places} for _ in range(TABLES - 2)]
    return [dict.fromkeys(places, 0), *made, dict.fromkeys(places, 0)]


@pytest.fixture(scope="module")
def project(tables: list[dict[Scenario, int]], solver: Solver, tmp_path_factory: pytest.TempPathFactory) -> Project:
    place: Path = tmp_path_factory.mktemp("table")
    cells = ", ".join(str(decided) for table in tables for decided in table.values())
    (place / "table.c").write_text(
        f"static const int t[] = {{{cells}}};\n"
        "int decide(int n, int a, int b, int c) { return t[((n * 4 + a) * 4 + b) * 3 + c]; }\n"
    )
    (place / "soid.toml").write_text(MANIFEST.format(last=TABLES - 1))
    (place / "log.jsonl").write_text('{"n": 0, "a": 1, "b": 2, "c": 1}\n')
    return Project.open(place, solver=solver)


def beyond(flip: Flip) -> list[int]:
    """The values of a domain from the first at which it does it."""
    last, first = flip.values
    return list(range(first, SIDES[flip.variable.path]) if first > last else range(first + 1))


def fewest(table: Mapping[Scenario, int], start: Scenario, free: str) -> int | None:
    """With how many changes from a scenario one comes to a yes; None: with none."""
    counts = [
        sum(one != other for one, other in zip(start, place, strict=True))
        for place, decided in table.items()
        if decided and all(place[k] == start[k] for k, name in enumerate(SIDES) if name not in free)
    ]
    return min(counts, default=None)


def check(found: Hindrance, table: Mapping[Scenario, int], start: Scenario, free: str) -> None:
    least = fewest(table, start, free)
    assert found.is_impossible is (least is None)
    if least is None:
        return
    assert len(found.sets[0].variables) == least and found.sets[0].smallest
    for each, goes_on in zip(found.sets, found.onwards, strict=True):
        there = tuple(each.scenario.state[name] for name in SIDES)
        assert table[there] == 1  # type: ignore[index]
        assert {name for name, one, other in zip(SIDES, start, there, strict=True) if one != other} == {*each.variables}
        flips = {flip.variable.path: flip for flip in each.flips if isinstance(flip, Flip)}
        for name, flip in flips.items():
            ends = [tuple({**each.scenario.state, name: bits}[side] for side in SIDES) for bits in flip.values]
            assert [table[end] for end in ends] == [0, 1]  # type: ignore[index]
        sides = [beyond(flips[name]) if name in flips else [value] for name, value in zip(SIDES, there, strict=True)]
        assert goes_on is all(table[place] for place in product(*sides))  # type: ignore[index]


def test_with_every_other_input_free(project, tables):
    for n, table in enumerate(tables):
        start = (1, 2, 1)
        found = project.explain(f"would return == 1 if n == {n}").hindrance if n else None
        if n and not table[start]:
            assert found is not None and found.is_like_fact and found.makes_no_difference
            check(found, table, start, "abc")


def test_a_yes_among_what_was_asked_about_comes_first(project, tables):
    seen = set()
    for n, table in enumerate(tables[1:], start=1):
        explained = project.explain(f"would return == 1 if n == {n} and a is anything")
        witness, found = explained.answer.witness, explained.hindrance
        start = tuple(witness.inputs[name] for name in SIDES)
        if explained.answer.verdict.value == "no" and not table[start]:
            within = any(table[a, 2, 1] for a in range(4))
            assert found.makes_no_difference is not within
            check(found, table, start, "a" if within else "abc")
            seen.add(within)
    assert seen == {True, False}


def test_what_is_a_yes_in_fact_has_nothing_in_its_way(solver):
    crash = Project.open(folder("crash") / "standard", solver=solver)
    assert crash.explain("would move if world.agents[1].signal is anything").hindrance is None


@pytest.fixture(scope="module")
def loan(solver: Solver) -> Explanation:
    return Project.open(folder("lending"), solver=solver).explain("would approve if amount <= 20000")


def test_it_is_told_in_words_on_the_terminal_and_the_page_alike(loan):
    assert loan.answer.witness is not None and loan.hindrance is not None
    interface = loan.answer.witness.interface
    lines = told(loan.hindrance.document, loan.answer.query, interface)
    assert lines[:3] == [
        "What was supposed makes no difference: in fact it did not approve the loan.",
        "The income was 2750 EUR/month; at 3270 EUR/month or more it would approve the loan.",
        "Or: the postcode area was E1; with N1 it would approve the loan.",
    ]
    assert (
        "; with the debt at 799 EUR or less and the amount asked for at 2499 EUR or less it would approve" in lines[3]
    )
    shown = explanation({**json_of(loan.document), "entry": 3}, interface)
    assert [(heading, [each.read for each in told_]) for heading, told_ in shown] == [("What stood in the way", lines)]


def test_numbers_are_moved_to_where_it_is_so_all_the_more(solver):
    ward = Project.open(folder("triage"), solver=solver).explain("would urgent if lactate == 1.6")
    assert ward.answer.witness is not None and ward.hindrance is not None
    interface, document = ward.answer.witness.interface, ward.hindrance.document
    read, exact = (told(document, ward.answer.query, interface, exact=each) for each in (False, True))
    lead = "With the lactate at 1.6 mmol/l, the age was 67.0 years; at"
    assert f"{lead} 74.51 years or more it would call the patient urgent." in read
    assert f"{lead} 74.50000381469728 years or more it would call the patient urgent." in exact


def test_what_was_so_was_so_in_fact(solver, tmp_path):
    """A scenario whose inputs differ by what was supposed, or by the least that makes it another one, is no fact."""
    (tmp_path / "p.c").write_text("int f(int x, int y) { return x >= 9 && y > 2; }\n")
    manifest = MANIFEST.replace("table", "p").replace('"decide"', '"f"').partition("[variables]")[0]
    (tmp_path / "soid.toml").write_text(
        f"{manifest}[variables]\nx = {{ domain = [0, 20] }}\ny = {{ domain = [0, 20] }}\n"
    )
    (tmp_path / "log.jsonl").write_text('{"x": 5, "y": 3}\n')
    small = Project.open(tmp_path, solver=solver)
    said = {
        "x is anything": "X was 5; at 9 or more it would return 1.",
        "y is anything": "X was 5; at 9 or more it would return 1.",  # one change, though y may be any other
        "6 <= x <= 12": "In the scenario shown x was 6; at 9 or more it would return 1.",
        "y == 12": "With y at 12, x was 5; at 9 or more it would return 1.",
        "x + y == 18": "In the scenario shown x was {x} and y was {y}; with x at 9 and y at 9 it would return 1",
    }
    for supposed, sentence in said.items():
        explained = small.explain(f"would return == 1 if {supposed}")
        assert explained.answer.witness is not None and explained.hindrance is not None
        lines = told(explained.hindrance.document, explained.answer.query, explained.answer.witness.interface)
        assert lines[-1].startswith(sentence.format(**explained.answer.witness.inputs)), lines


def test_one_zero_is_not_below_the_other(solver, tmp_path):
    """At 0.0 it does it, at -0.0 not: "at 0.0 or more" would say of -0.0, which equals it, that it does."""
    (tmp_path / "p.c").write_text("int f(float x, int y) { return 1.0f / x > y; }\n")
    (tmp_path / "soid.toml").write_text(
        MANIFEST.replace("table", "p").replace('"decide"', '"f"').partition("[variables]")[0]
    )
    (tmp_path / "log.jsonl").write_text('{"x": -0.0, "y": 0}\n')
    explained = Project.open(tmp_path, solver=solver).explain("would return == 1 if y is anything")
    assert explained.answer.witness is not None and explained.hindrance is not None
    lines = told(explained.hindrance.document, explained.answer.query, explained.answer.witness.interface)
    assert lines[-1] == "X was -0.0; at 0.0 it would return 1."


def test_a_comparison_with_the_fact_has_something_in_its_way_too(solver):
    car = Project.open(folder("pedestrian") / "self_reliant", solver=solver)
    found = car.explain("would control.brake > fact(control.brake) if warning.kind == PEDESTRIAN")
    assert found.answer.witness is not None and found.hindrance is not None
    lines = told(found.hindrance.document, found.answer.query, found.answer.witness.interface)
    assert lines[0].startswith("What was supposed makes no difference") and len(lines) > 1


def test_of_many_inputs_each_is_looked_at_alone(solver, tmp_path):
    """Two of twenty would have done it, each by itself: both are told, the nearest yes first."""
    names = [f"x{number}" for number in range(20)]
    (tmp_path / "many.c").write_text(
        f"int decide({', '.join(f'int {name}' for name in names)}, int z) {{ return x3 > 5 || x7 > 2 || z > 1000000; }}"
    )
    (tmp_path / "log.csv").write_text(f"{','.join([*names, 'z'])}\n{','.join('0' for _ in names)},0\n")
    bounds = "".join(f"{name} = {{ domain = [0, 9] }}\n" for name in [*names, "z"])
    (tmp_path / "soid.toml").write_text(
        '[program]\nname = "many"\nengine = "c"\nsources = ["many.c"]\nentry = "decide"\n[trace]\nfile = "log.csv"\n'
        f"[variables]\n{bounds}"
    )
    found = Project.open(tmp_path, solver=solver).explain("would return == 1 if z is anything").hindrance
    assert found is not None and found.asked.verdict.value == "yes"
    assert [[change.variable.path for change in each.scenario.witness.changed] for each in found.sets] == [
        ["x3"],
        ["x7"],
    ]


OVER_STEPS = """\
static int worn;
int decide(int heat, int load, int limit) {
    if (heat + load > limit) worn++;
    return worn > 2;
}
"""


@pytest.fixture(scope="module")
def worn(solver: Solver, tmp_path_factory: pytest.TempPathFactory) -> Project:
    place: Path = tmp_path_factory.mktemp("worn")
    (place / "worn.c").write_text(OVER_STEPS)
    bounds = "".join(f"{name} = {{ domain = [0, 9] }}\n" for name in ("heat", "load", "limit"))
    (place / "soid.toml").write_text(
        '[program]\nname = "worn"\nengine = "c"\nsources = ["worn.c"]\nentry = "decide"\n'
        f'[trace]\nfile = "log.csv"\n[variables]\n{bounds}'
    )
    rows = [(1, 2, 8), (2, 2, 8), (1, 3, 8), (1, 2, 8)]
    lines = "".join(f"{heat},{load},{limit},0,0\n" for heat, load, limit in rows)
    (place / "log.csv").write_text(f"heat,load,limit,worn,return\n{lines}")
    return Project.open(place, solver=solver)


def wears(rows: list[tuple[int, int, int]], count: int = 0) -> bool:
    for heat, load, limit in rows:
        count += heat + load > limit
    return count > 2


def lines_of(explained: Explanation) -> list[str]:
    assert explained.answer.witness is not None and explained.hindrance is not None
    return told(explained.hindrance.document, explained.answer.query, explained.answer.witness.interface)


def test_over_steps_one_other_input_is_looked_for_with_one_value_in_all_of_them(worn):
    """As logged: what the log changes stays as it was, unless it is the one that is otherwise."""
    explained = worn.at(0).explain("would return == 1 after 4 steps as logged if heat == 3")
    heats, log = 3, [(1, 2, 8), (2, 2, 8), (1, 3, 8), (1, 2, 8)]
    by_load = [load for load in range(10) if wears([(heats, load, limit) for _, _, limit in log])]
    by_limit = [limit for limit in range(10) if wears([(heats, load, limit) for _, load, _ in log])]
    by_worn = [count for count in range(9) if wears([(heats, load, limit) for _, load, limit in log], count)]
    lead = "ith heat from step 0 on at 3, "
    first, *others = lines_of(explained)
    assert first == "What was supposed makes no difference: in fact it did not return 1 in the last of 4 steps."
    found = "\n".join(others)
    done = "it would return 1 in the last of 4 steps."
    assert f"{lead}load from step 0 on was as logged; at {min(by_load)} or more {done}" in found
    assert f"{lead}limit from step 0 on was 8; at {max(by_limit)} or less {done}" in found
    assert f"{lead}worn at step 0 was 0; at {min(by_worn)} " in found


def test_over_steps_held_several_inputs_are_looked_for_together(worn):
    kept = "keep load and keep limit"
    explained = worn.at(0).explain(f"would return == 1 after 2 steps held if heat is anything and {kept}")
    assert explained.hindrance is not None and explained.hindrance.document.steps
    first, *others = lines_of(explained)
    assert first.startswith("What was supposed makes no difference: with nothing changed it would not return 1")
    assert others == ["Worn was 0; at 3 or more it would return 1 in the last of 2 steps."]


def test_where_nothing_in_the_way_is_looked_for_the_answer_says_why(solver, tmp_path):
    (tmp_path / "p.c").write_text("static int ticks; int f(int x) { ticks++; return x > 3 && ticks > 5; }\n")
    manifest = MANIFEST.replace("table", "p").replace('"decide"', '"f"').partition("[variables]")[0]
    (tmp_path / "soid.toml").write_text(f"{manifest}[variables]\nx = {{ domain = [0, 9] }}\n")
    (tmp_path / "log.jsonl").write_text('{"x": 1}\n{"x": 2}\n')
    explained = Project.open(tmp_path, solver=solver).at(1).explain("would return == 1 if x <= 2")
    assert explained.answer.verdict.value == "no" and explained.hindrance is None
    (said,) = [each for each in explained.unsettled if each.startswith("what stood in the way of it: ")]
    assert "ticks" in said and "log it, or suppose it" in said
