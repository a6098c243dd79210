"""Questions about learned models put to others: in one run, each with its limit, every row run on the library."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from soid.bench.model_peers import ModelPeer, ModelQuestion, ModelRow, ModelTask, ModelTimed, asked_text, measure
from soid.budget import Cancellation
from soid.cli.bench import bench_model_peers as command
from soid.cli.bench.bench_peers import bench_peers
from soid.cli.command_line.bench_options import BenchPeersOptions

FACT = tuple(float(number) for number in range(15))


def test_others_are_asked_the_same_in_the_same_run() -> None:
    asked: list[ModelTask] = []

    def ask(task: ModelTask, _folder: Path, _cancel: Cancellation) -> ModelTimed:
        asked.append(task)
        return ModelTimed("no", 0.2, 0.1, row=task.fact)  # the fact itself, which shows nothing

    found: list[ModelRow] = []
    peers = [ModelPeer("other", ask), ModelPeer("missing", None, "Install it.")]
    questions = (ModelQuestion.TEN, ModelQuestion.AROUND, ModelQuestion.NEAREST_THREE)
    measure(peers, 100.0, found, Cancellation(), sizes=[6], questions=questions)
    assert [(row.trees, row.question) for row in found] == [(6, each) for each in questions] * 2
    assert {row.soid.verdict for row in found} == {"yes", "no"}
    for row, task in zip(found, asked, strict=True):
        assert list(row.peers) == ["other"] and row.text == asked_text(task) and not row.contradicts
        (words,) = row.explained
        assert words.startswith("the row of other has the score ")
        if row.soid.row is not None:
            assert row.soid.margin is not None and (row.soid.margin > 0) is not (row.margin > 0)
            assert row.soid.search is not None and 0 < row.soid.search <= row.soid.cpu
            assert row.soid.is_nearest is (row.question is ModelQuestion.NEAREST_THREE)


def test_a_question_frees_what_varies() -> None:
    low, high = (-4.0, 1.0, *FACT[2:]), (4.0, 1.5, *FACT[2:])
    task = ModelTask("model.json", FACT, low, high, positive=True, nearest=False, limit=1.0)
    assert asked_text(task) == "would decision == class_1 if x0 is anything and 1.0 <= x1 <= 1.5"


def rows(**others: ModelTimed) -> list[ModelRow]:
    soid = ModelTimed("no", 0.3, 0.1, search=0.02)
    return [
        ModelRow(100, 1.25, ModelQuestion.THREE, "would ...", soid, others),
        ModelRow(100, 1.25, ModelQuestion.NEAREST_FIVE, "would ...", soid, others, explained=("so it is",)),
    ]


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> list[ModelRow]:
    """Rows that are taken for measured."""
    measured: list[ModelRow] = []
    here = {"Veritas": lambda *_: ModelTimed("no", 1.0, 1.0), "treecf": None}
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(command, "peer", lambda tool, _: ModelPeer(tool.name, here[tool.name], "Make room for it."))
    monkeypatch.setattr(command, "measure", lambda *args: args[2].extend(measured))
    return measured


def test_what_came_of_it_is_said(given: list[ModelRow], capsys: pytest.CaptureFixture[str]) -> None:
    given += rows(Veritas=ModelTimed("unknown", 0.3, 0.05, note="a nearer row may exist"))
    assert bench_peers(BenchPeersOptions(models=True, limit=5.0)) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "3 free no 0.100 0.020 0.050 (unknown, a nearer row may exist)" in said
    assert "0.100 (not proved nearest)" in said
    assert "Veritas, 3 free (1 row, 0 answered): soid answered 1, and was at least as fast in 1." in said
    assert "Veritas, all 2 rows: soid was at least as fast in 2, its search alone in 2." in said
    assert "100 trees, +1.25, nearest, 5 free: so it is." in said
    assert "treecf is not here, so nothing is said of it. Make room for it." in said


def test_who_contradicts_is_seen(given: list[ModelRow], capsys: pytest.CaptureFixture[str]) -> None:
    contradicting = ModelTimed("yes", 0.3, 0.05)
    given.append(ModelRow(100, 1.25, ModelQuestion.ONE, "would", contradicting, {}, contradicts=("they differ",)))
    assert bench_peers(BenchPeersOptions(models=True, as_json=True)) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["bench"] == "peers of models" and document["rows"][0]["contradicts"] == ["they differ"]
    assert document["missing"] == [{"peer": "treecf", "why": "", "remedy": "Make room for it."}]


def test_the_search_alone_may_be_faster(given: list[ModelRow], capsys: pytest.CaptureFixture[str]) -> None:
    given += rows(Veritas=ModelTimed("no", 0.05, 0.05))
    assert bench_peers(BenchPeersOptions(models=True)) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "soid answered 1, and was at least as fast in 0 (its search alone in 1); where" in said


def test_being_first_needs_an_answer() -> None:
    soid, silent = ModelTimed("no", 0.3, 0.1), ModelTimed("unknown", 0.3, 0.1)
    assert command.is_first(soid, ModelTimed("no", 0.1, 0.1))
    assert command.is_first(soid, ModelTimed("unknown", 0.01, 0.01))
    assert not command.is_first(soid, ModelTimed("no", 0.1, 0.05))
    assert not command.is_first(silent, ModelTimed("no", 9.0, 9.0))
