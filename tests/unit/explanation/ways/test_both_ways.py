"""The ways of the fact and of a scenario, of C programs and of paths, in words and as SVG."""

from __future__ import annotations

from functools import cache
from xml.etree import ElementTree

import pytest

from soid.case.project import Project
from soid.cli import main
from soid.engine.summary import Location
from soid.engine.trail import TakenBranch, Trail
from soid.examples import folder
from soid.explanation.ways.both_ways import both_ways
from soid.explanation.ways.branch_ways import branch_ways
from soid.explanation.ways.told_ways import BranchWays
from soid.explanation.ways.way_words import described, summary
from soid.explanation.ways.ways_svg import panel, svg

DIABETES = "might assessment.risk == HIGH if patient.weight is anything"
OVEN = "might action == NOTHING if error is anything and closed is anything and heat is anything"


@cache
def found(example: str, question: str):
    project = Project.open(folder(example))
    answer = project.ask(question)
    return both_ways(project.keyframe.supplied_with(answer.supplied), answer, project.context())


def test_the_branches_of_the_source_at_which_the_two_part():
    ways = found("diabetes", DIABETES)
    assert isinstance(ways, BranchWays)
    first = ways.rows[0]
    assert first.where == "assess.c:16" and "node->threshold" in first.text
    assert first.fact.startswith("true") and first.scenario.startswith("false")
    assert first.alike > 0


def test_of_given_paths_the_conditions_that_hold_for_one_alone():
    ways = found("microwave", OVEN)
    assert isinstance(ways, BranchWays)
    assert {row.where for row in ways.rows} == {"1-close-while-heating", "4-wait-while-running"}
    assert {(row.fact, row.scenario) for row in ways.rows} == {("holds", "does not hold"), ("does not hold", "holds")}


@pytest.mark.parametrize(
    "question",
    ["did action == CLOSE", "might action == OPEN if heat == true and heat == false"],
)
def test_without_a_scenario_there_are_no_two_ways(question):
    assert found("microwave", question) is None


def taken(line: int, side: str, step: int = 0) -> TakenBranch:
    return TakenBranch(Location("a.c", line), "f", side, text=f"if ({line})", step=step)


def test_branches_are_compared_in_step():
    one = Trail((taken(1, "true"), taken(2, "true"), taken(5, "false"), taken(9, "true", 1)))
    other = Trail((taken(1, "true"), taken(2, "false"), taken(3, "true"), taken(4, "true"), taken(9, "true", 1)))
    ways = branch_ways(one, other)
    told = [(row.where, row.fact, row.scenario, row.alike) for row in ways.rows]
    assert told == [
        ("a.c:2", "one way", "the other way", 1),
        ("a.c:5", "the other way", "", 0),
        ("a.c:3", "", "one way", 0),
        ("a.c:4", "", "one way", 0),
    ]
    assert ways.alike == 1
    same = branch_ways(one, one)
    assert same.rows == () and "the same way" in summary(same)


def test_the_truth_of_a_compiled_condition_is_not_told_as_that_of_the_source(tmp_path):
    """An optimised `if (!(a > b && c > d))` branches on what is inside: true where the line's condition is false."""
    lines = ["int kept;", "void put(int x);", "void put(int x) { kept += x; }", "int f(int a, int b, int c, int d) {"]
    lines += ["    if (!(a > b && c > d))", "        put(a);", "    put(d);", "    return kept;", "}"]
    (tmp_path / "p.c").write_text("\n".join(lines))
    head = '[program]\nengine = "c"\nsources = ["p.c"]\nentry = "f"\nflags = ["-O2", "-fno-inline"]\n'
    (tmp_path / "soid.toml").write_text(f'{head}[trace]\nfile = "log.jsonl"\n')
    (tmp_path / "log.jsonl").write_text('{"a": 2, "b": 1, "c": 3, "d": 1, "kept": 0}\n')
    project = Project.open(tmp_path)
    ways = both_ways(project.keyframe, project.ask("might return == 2 if a == 1"), project.context())
    assert isinstance(ways, BranchWays)
    (first, *_) = ways.rows
    assert (first.where, first.fact, first.scenario) == (
        "p.c:5",
        "one way, on at line 7",
        "the other way, on at line 6",
    )


def test_a_long_run_is_cut_and_says_so():
    long = Trail(tuple(taken(number, "true") for number in range(3000)))
    ways = branch_ways(long, Trail(tuple(taken(number, "false") for number in range(3000))))
    assert len(ways.rows) == 12 and ways.more == 1988 and "Only the first branches" in described(ways)


@pytest.mark.parametrize(("example", "question"), [("diabetes", DIABETES), ("microwave", OVEN)])
def test_the_drawing_is_readable_by_programs_and_says_in_words_what_it_shows(example, question):
    ways = found(example, question)
    for drawn in (svg(ways), panel(ways, wide=330)):
        root = ElementTree.fromstring(drawn)
        assert root.get("aria-label") == described(ways)
    assert "prefers-color-scheme: dark" in svg(ways)


def test_the_command_line_writes_both_ways(tmp_path, capsys):
    file = tmp_path / "ways.svg"
    asked = ["scene", "--project", str(folder("microwave")), "--ways", str(file)]
    assert main([*asked, "--question", OVEN]) == 0
    assert ElementTree.parse(file).getroot().tag.endswith("svg")
    assert main(asked) != 0 and "no two ways" in capsys.readouterr().err
