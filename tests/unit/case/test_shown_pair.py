"""A pair as it is shown: what differs, what both share, both outcomes; and the outcomes of several programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from soid.case.case import Case
from soid.case.project import Project
from soid.case.report.phrases import shown_outcomes
from soid.case.shown_pair import shown_pair
from soid.cli import main
from soid.program.domain import Range
from tests.several_programs import several

PROGRAM = "int decide(int x, int y) { return 10 / (x - 5) > y; }\n"
MANIFEST = """
[program]
engine = "c"
sources = ["p.c"]
entry = "decide"
[trace]
file = "log.jsonl"
[variables]
x = { domain = [0, 10] }
y = { domain = [0, 10], label = "the bound", unit = "m" }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("p.c", PROGRAM), ("soid.toml", MANIFEST), ("log.jsonl", '{"x": 1, "y": 2, "return": 0}\n')):
        (tmp_path / name).write_text(text)
    return tmp_path


def test_what_differs_comes_first_then_what_both_share(folder: Path) -> None:
    answer = Project.open(folder).ask("would return be the same if y differs, for every car with x != 5")
    assert answer.witness is not None
    assert (answer.reason, answer.heading(answer.witness)) == (
        "in the pair shown it does not hold",
        "A pair for which it does not hold",
    )
    pair = shown_pair(answer, answer.witness)
    assert pair is not None
    assert [row.name for row in pair.differing] == ["y"] and [row.name for row in pair.shared] == ["x"]
    assert not pair.given and not pair.ends
    (outcome,) = pair.outcomes
    assert outcome.name == "return" and {outcome.one, outcome.other} == {Range(0, 0), Range(1, 1)}


def test_how_the_program_ends_for_one_of_them(folder: Path) -> None:
    project = Project.open(folder)
    fails = "For {} the program fails"
    for asked, end in (("rises", "the other"), ("falls", "one")):
        answer = project.ask(f"would return be the same if x {asked}, for every car with 4 <= x <= 5 and keep y")
        assert answer.verdict.value == "no" and answer.witness is not None
        pair = shown_pair(answer, answer.witness)
        assert pair is not None and len(pair.ends) == 1
        assert pair.ends[0].startswith(fails.format(end) if asked == "rises" else "For ")


def test_a_proof_speaks_of_pairs(folder: Path) -> None:
    project = Project.open(folder)
    assert project.ask("would return not rise if y rises, for every car with x != 5").reason == (
        "it holds for every pair: proved over all of them"
    )
    did = project.ask("did return == 0")
    assert did.witness is not None and shown_pair(did, did.witness) is None


def test_terminal_and_report_show_both_lives(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = "would return be the same if y differs, for every car with x != 5"
    assert main(["ask", "--project", str(folder), asked]) == 1
    shown = capsys.readouterr().out
    assert "variable   one  the other  unit" in shown and "outcome          one  the other" in shown
    assert "other.y" not in shown.partition("freed")[0] and "other.fails" not in shown
    with Case.create(folder / "pairs.case", folder) as case:
        case.ask(asked)
    assert main(["report", str(folder / "pairs.case"), "--html", str(folder / "report.html")]) == 0
    page = (folder / "report.html").read_text()
    assert "The two, side by side" in page and "the other" in page and "the bound" in page


def test_outcomes_are_grouped_by_program_and_failures_told_only_where_there_are_some(tmp_path: Path) -> None:
    careful = "int decide(int gap) { return gap < 40; }\n"
    broken = "int decide(int gap) { return 100 / gap > 4; }\n"
    log = '{"gap": 30, "return": 1}\n'
    project = several(tmp_path, {"careful": careful, "broken": broken}, log, variables="gap = { domain = [0, 100] }\n")
    asked = "did careful.return == broken.return", "would careful.return == broken.return if gap == 0"
    names = []
    for each in asked:
        witness = project.ask(each).witness
        assert witness is not None
        names.append(shown_outcomes(witness.interface, witness.outcomes[-1]))
    assert names[0] == [("careful", "careful.return"), ("broken", "broken.return")]
    assert names[1] == [("careful", "careful.return"), ("broken", "broken.fails")]
