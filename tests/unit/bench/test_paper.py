"""`soid bench paper`: the paper's figures, what is made of measured ones, and a row or two really measured."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

from soid.bench.measurement import figure
from soid.bench.paper import Measured, PaperMeasurement, PaperPlan, Parts, measure
from soid.bench.paper_figures import TABLE_1, TABLE_2, TABLES, PaperTable
from soid.bench.paper_picture import bars, draw, place
from soid.bench.paper_research import Spread, research
from soid.budget import Cancellation
from soid.cli import exits, main
from soid.cli.bench import bench_paper
from soid.documents import json_of
from soid.engine.protocol import Exploration
from soid.engine.summary import PathSummary
from soid.engine.summary_cache.summaries import Summaries
from soid.examples import folder
from tests.json_page import misfits

FOLDERS = {table.example: folder(table.example) for table in TABLES}
SVG = "{http://www.w3.org/2000/svg}"


def parts(total: float) -> Parts:
    return Parts(total / 2, total / 4, total / 4, total)


def measured(total: float, verdict: str = "yes", paths: int = 2, *, ended: bool = False) -> Measured:
    return Measured(verdict, paths, ended, parts(total), (parts(total),))


def rows(totals: Mapping[int, float], baseline: float | None = None) -> list[PaperMeasurement]:
    """All rows of Table 1, each question taking so long; the baseline so many times as long."""
    found = []
    for question, paper in TABLE_1:
        if question.number in totals:
            total = totals[question.number]
            limited = None if baseline is None else measured(total * baseline, paper.verdict)
            soid = measured(total, paper.verdict, paths=3 if question.number in (3, 4) else 2)
            found.append(PaperMeasurement(TABLE_1, question, paper, "did move", soid, baseline=limited))
    return found


# --- the paper's figures ----------------------------------------------------------------------------------------


def test_the_paper_s_tables_have_all_their_rows() -> None:
    assert [len(list(table)) for table in TABLES] == [21, 2]
    assert [question.number for question in TABLE_1.questions] == list(range(7))
    by_model = {
        model: [row.verdict for _, row in TABLE_1 if row.model == model]
        for model in ("standard", "impatient", "pathological")
    }
    assert by_model == {
        "standard": ["yes", "no", "yes", "no", "yes", "no", "yes"],
        "impatient": ["yes", "yes", "no", "yes", "no", "yes", "no"],
        "pathological": ["yes", "yes", "no", "no", "yes", "yes", "no"],
    }
    assert [row.paths for _, row in TABLE_1] == [1] * 3 + [3] * 6 + [19] * 6 + [3] * 6


def test_the_paper_s_figures_are_copied_without_slips() -> None:
    """What its totals have beyond their parts is nearly the same throughout a question: a wrong digit would show."""
    for table in TABLES:
        for question in table.questions:
            beyond = [row.total - row.symbolic - row.solving for row in question.rows]
            assert 0 < max(beyond) < 1.07 * min(beyond), question.heading
    assert sum(row.total for _, row in TABLE_1) == pytest.approx(1337.525)
    assert sum(row.symbolic for _, row in TABLE_1) == pytest.approx(1104.934)
    assert sum(row.solving for _, row in TABLE_1) == pytest.approx(153.543856)
    assert [(row.symbolic, row.solving, row.total) for _, row in TABLE_2] == [
        (0.746, 4.896e-03, 0.812),
        (2.277, 1.655, 4.009),
    ]


# --- what is made of measured figures ---------------------------------------------------------------------------


def test_a_median_is_that_of_each_part() -> None:
    runs = (Parts(1, 9, 2, 12), Parts(2, 1, 3, 6), Parts(9, 2, 1, 12))
    assert Parts.median(runs) == Parts(2, 2, 2, 12)
    document = json_of(Measured("yes", 1, False, Parts.median(runs), runs))
    assert document["runs"][1] == {"explore": 2, "solve": 1, "replay": 3, "total": 6}
    assert document["seconds"] == {"explore": 2, "solve": 2, "replay": 2, "total": 12}


def test_a_row_s_ratio_and_whether_it_is_as_published() -> None:
    (row, *_) = rows({1: 0.1})
    assert row.ratio is None and row.as_published
    slower = replace(row, baseline=measured(5.0, "no"))
    assert slower.ratio == pytest.approx(50) and slower.as_published
    assert not replace(row, baseline=measured(5.0, "yes")).as_published
    assert not replace(row, soid=measured(0.1, "unknown")).as_published
    assert replace(row, baseline=measured(120.0, "unknown", ended=True)).as_published


def test_the_research_questions_are_answered_from_ratios() -> None:
    one, two, three = research(rows({1: 0.1, 2: 0.1, 3: 0.6, 4: 0.5, 5: 0.1, 6: 0.1}, baseline=10))
    assert str(one.soid.total) == "1.0 (1.0 to 1.2)"
    assert one.answer == "no: it takes 1.0 (1.0 to 1.2) times as long"
    assert two.answer.startswith("5.5 (5.0 to 6.0) times the seconds: 1.5 times the paths")
    assert three.answer == "it adds no path, and takes 1.0 times the seconds"
    assert two.baseline is not None and str(two.baseline.total) == str(two.soid.total)
    assert two.paper.paths == Spread(19 / 3, 19 / 3, 19 / 3) and str(two.paper.paths) == "6.3"
    assert two.paper.total is not None and 18 < two.paper.total.low < two.paper.total.high < 37  # its "20 to 30 times"
    assert three.paper.total is not None and three.paper.total.median == pytest.approx(2.15, abs=0.05)  # its "2 times"


def test_would_that_is_dearer_is_said_to_be() -> None:
    (one, *_) = research(rows({1: 0.9, 2: 0.1}))
    assert one.answer == "it takes 9.0 times as long"


def test_what_was_not_measured_is_not_answered() -> None:
    assert [each.answer for each in research(rows({0: 0.1, 1: 0.1}))] == ["not measured"] * 3
    assert [each.answer for each in research([])] == ["not measured"] * 3


def test_the_picture_has_a_bar_for_each_figure() -> None:
    (one, two, *_) = rows({0: 0.01}, baseline=1000)
    drawn = [one, replace(two, baseline=None)]
    picture = ElementTree.fromstring(draw(drawn))
    lengths = [float(rect.attrib["width"]) for rect in picture.iter(f"{SVG}rect") if rect.attrib["height"] == "8"]
    expected = [place(bar.seconds) - place(0.001) for row in drawn for bar in bars(row)]
    assert lengths == pytest.approx(expected, abs=0.06)
    assert place(10) - place(1) == pytest.approx(place(0.1) - place(0.01))  # a logarithmic scale
    words = " ".join(text.text or "" for text in picture.iter(f"{SVG}text"))
    assert "standard" in words and "moved?" in words and "4.16 s" in words


def test_what_was_stopped_is_drawn_as_at_least() -> None:
    (row, *_) = rows({3: 0.1})
    assert "at least 120 s" in draw([replace(row, baseline=measured(120.0, "unknown", ended=True))])
    assert "at least" not in draw([row])


# --- measuring --------------------------------------------------------------------------------------------------


def only(*numbers: int) -> tuple[PaperTable]:
    """Table 1 with these questions and the first driver."""
    questions = (TABLE_1.questions[number] for number in numbers)
    return (replace(TABLE_1, questions=tuple(replace(each, rows=each.rows[:1]) for each in questions)),)


def test_rows_are_measured_with_both_recipes() -> None:
    found, said = list[PaperMeasurement](), list[str]()
    measure(PaperPlan(2, 60.0, only(0, 1)), FOLDERS, found, Cancellation(), said.append)
    fact, counterfactual = found
    assert (fact.soid.verdict, fact.soid.paths, fact.text) == ("yes", 1, "did move")
    assert (counterfactual.soid.verdict, counterfactual.soid.paths) == ("no", 2)
    assert fact.compile is not None and fact.compile.value > 0 and len(fact.compile.runs) == 2
    assert counterfactual.compile is None  # the same program: compiled for its first question
    for row in found:
        assert row.baseline is not None and not row.baseline.ended and row.as_published
        assert (row.baseline.verdict, row.baseline.paths) == (row.soid.verdict, row.soid.paths)
        for run in (*row.soid.runs, *row.baseline.runs):
            assert run.explore > 0 and run.replay > 0
            assert run.explore + run.solve + run.replay == pytest.approx(run.total)
    assert said[0] == "row 1 of 2 (moved? standard): compiling"
    assert "row 2 of 2 (signal: always? standard): recipe soid, run 2 of 2" in said
    assert said[-1].startswith("row 2 of 2 (signal: always? standard): recipe paper, run")


def test_nothing_is_left_of_an_earlier_question(monkeypatch: pytest.MonkeyPatch) -> None:
    reused: list[bool] = []
    find = Summaries.find

    def noting(kept: Summaries, wanted: Exploration) -> PathSummary | None:
        found = find(kept, wanted)
        reused.append(found is not None)
        return found

    monkeypatch.setattr(Summaries, "find", noting)
    found: list[PaperMeasurement] = []
    measure(PaperPlan(2, None, (TABLE_2,)), FOLDERS, found, Cancellation())
    assert len(found) == 2 and len(reused) == 6 and not any(reused)  # fact, and fact and family, twice


def test_questions_are_put_from_other_beginnings() -> None:
    found: list[PaperMeasurement] = []
    measure(PaperPlan(1, None, (TABLE_2,), starts=True), FOLDERS, found, Cancellation())
    one, other = (row.starts for row in found)
    assert one is not None and one.first is not None and one.compiler is not None
    assert all(each.value > 0 and len(each.runs) == 1 for each in (one.again, one.fresh, one.first, one.compiler))
    assert other is not None and other.first is None and other.compiler is None  # once a program
    assert json_of(found[1].document)["starts"]["first"] is None


def test_a_baseline_that_is_stopped_says_so() -> None:
    found: list[PaperMeasurement] = []
    measure(PaperPlan(1, 0.3, only(3)), FOLDERS, found, Cancellation())
    (row,) = found
    assert row.soid.verdict == "no" and row.baseline is not None
    assert (row.baseline.verdict, row.baseline.ended) == ("unknown", True)
    assert row.baseline.median.total >= 0.28
    assert row.as_published
    assert json.loads(json.dumps(json_of(row.document)))["baseline"]["ended"] is True


def test_what_is_called_off_leaves_the_rows_that_were_done() -> None:
    cancel, found = Cancellation(), list[PaperMeasurement]()

    def tell(words: str) -> None:
        if words.startswith("row 2"):
            cancel.cancel()

    questions = (TABLE_2.questions[0], TABLE_2.questions[1])
    measure(PaperPlan(1, None, (replace(TABLE_2, questions=questions),)), FOLDERS, found, cancel, tell)
    assert [row.question.label for row in found] == ["low risk?"]


# --- the command ------------------------------------------------------------------------------------------------


def pretend(
    monkeypatch: pytest.MonkeyPatch, measured: list[PaperMeasurement], error: BaseException | None = None
) -> None:
    def measuring(plan: PaperPlan, folders: object, found: list[PaperMeasurement], *_: object) -> None:
        found.extend(measured)
        if error is not None:
            raise error

    monkeypatch.setattr(bench_paper, "measure", measuring)


ALL = dict.fromkeys(range(7), 0.1)


def test_the_command_shows_tables_beside_the_paper_s(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    compiled = figure("compile", "s", [0.7])
    shown = [replace(row, compile=compiled) for row in rows(ALL, baseline=50)]
    pretend(monkeypatch, shown)
    assert main(["bench", "paper", "--picture", str(tmp_path / "picture.svg")]) == 0
    out = capsys.readouterr().out
    assert "Table 1: three cars on the stand" in out and "Table 2" not in out
    assert "3 (19)" in out and "279.5" in out and "0.700" in out
    assert "Not complete: 21 of 23 rows were measured." in out
    assert (tmp_path / "picture.svg").read_text().startswith("<svg")


def test_a_verdict_that_is_not_the_paper_s_is_seen_in_the_status(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (row, *_) = rows({0: 0.1})
    pretend(monkeypatch, [replace(row, soid=measured(0.1, "no"))])
    assert main(["bench", "paper", "--no-baseline"]) == 1
    assert "no, not yes" in capsys.readouterr().out


@pytest.mark.parametrize("as_json", [False, True])
def test_what_was_measured_is_shown_after_ctrl_c(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], as_json: bool
) -> None:
    pretend(monkeypatch, rows({0: 0.1}), KeyboardInterrupt())
    assert main(["bench", "paper", *(["--json"] if as_json else [])]) == exits.INTERRUPTED
    out = capsys.readouterr().out
    if as_json:
        said = json.loads(out)
        assert (said["bench"], said["complete"], len(said["rows"])) == ("paper", False, 3)
        assert [each["number"] for each in said["research"]] == [1, 2, 3]
        assert misfits(said, "bench paper") == {}
    else:
        assert "Not complete: 3 of 23 rows were measured." in out


def test_a_picture_that_cannot_be_written_is_said_before_anything_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pretend(monkeypatch, [], AssertionError("measured"))
    assert main(["bench", "paper", "--picture", str(tmp_path / "nowhere" / "picture.svg")]) == 10
    assert "there is no folder" in capsys.readouterr().err
