"""Numbers that are known between two ends only: all views show both ends, and a log between them is no mismatch."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from rich.console import Console

from soid.case.case import Case
from soid.case.project import Project
from soid.case.record.entry import canonical
from soid.case.report.document import report
from soid.case.stored_answer import keep, recall
from soid.cli.terminal.answers import show_answer
from soid.cli.terminal.explanations import show_explanation
from soid.cli.terminal.terminal import Terminal
from soid.documents import json_of
from soid.explanation.explanation_words import explanation
from soid.explanation.flips import Flip
from soid.formula import softfloat as sf
from soid.oracle.answer import Answer, Verdict
from soid.oracle.inquiry import Settings
from soid.oracle.reason import ReasonCode
from soid.oracle.whole_log import LogVerdict

#: what 0.1 + 0.2 + 0.01 is as a float32, in every order
ENDS = "0.30999961 to 0.3100004"


def made_project(place: Path, logged: str = "") -> Path:
    """0.1 a + 0.2 b + 0.3 c, added by onnxruntime in an order that is not documented; `logged` is what it gave."""
    coefficients = helper.make_node(
        "LinearRegressor", ["x"], ["y"], domain="ai.onnx.ml", coefficients=[0.1, 0.2, 0.3], intercepts=[0.01]
    )
    given, result = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [None, c]) for n, c in (("x", 3), ("y", 1)))
    graph = helper.make_graph([coefficients], "line", [given], [result])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    place.mkdir()
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=9), str(place / "model.onnx"))
    (place / "soid.toml").write_text(
        '[program]\nname = "line"\nengine = "model"\nmodel = "model.onnx"\n'
        '[trace]\nfile = "log.csv"\n[variables]\nvalue = { unit = "points" }\n'
        "f0 = { domain = [0, 10] }\n"
    )
    (place / "log.csv").write_text(f"step,f0,f1,f2,value\n0,1,1,0,{logged}\n")
    return place


@pytest.fixture(scope="module")
def case(tmp_path_factory):
    place = tmp_path_factory.mktemp("between")
    settings = Settings(replay="off")
    with Case.create(place / "a.case", made_project(place / "line"), title="A", who="ada", settings=settings) as opened:
        yield opened


@pytest.fixture(scope="module")
def answers(case) -> dict[str, Answer]:
    questions = ("did value < 1", "might value < 1 if 0 <= f0 <= 2")
    return {question: case.recall(case.ask(question).entry.number) for question in questions}


def shown(answer: Answer, case: Case) -> str:
    stream = io.StringIO()
    show_answer(Terminal(Console(file=stream, width=100)), answer, case.project_at().keyframe)
    return stream.getvalue()


def test_the_tables_show_both_ends(answers, case):
    did, might = (shown(answer, case) for answer in answers.values())
    assert ENDS in did
    assert f"{ENDS} (derived)" in might


def test_the_report_shows_both_ends_with_the_unit(answers, case):
    told = re.findall(r"([\d.]+ to [\d.]+)\N{NO-BREAK SPACE}points", report(case))
    assert len(told) >= 3 and told.count(ENDS) >= 2  # in fact, twice, and in the scenario


def test_json_has_both_ends_beside_the_outputs(answers):
    witness = json_of(answers["did value < 1"].document)["witness"]
    assert witness["between"] == [{"value": [0.30999961, 0.3100004]}]
    assert witness["outputs"] == {} and witness["steps"] == [{}]


def test_an_answer_that_is_recalled_has_both_ends(answers, case):
    for answer in answers.values():
        again = recall(json.loads(canonical(keep(answer))), case.project_at().keyframe)
        assert answer.witness is not None
        assert (again.witness, again.fact_ends) == (answer.witness, answer.fact_ends)


@pytest.mark.parametrize(("logged", "fits"), [("0.31", True), ("0.3100004", True), ("0.31000045", False)])
def test_a_log_between_the_ends_is_no_mismatch(logged, fits, tmp_path):
    project = Project.open(made_project(tmp_path / "line", logged), settings=Settings(replay="off"))
    answer = project.ask("did value < 1")
    assert answer.verdict is (Verdict.YES if fits else Verdict.ERROR)
    compared = project.compare_log()
    assert compared.verdict is (LogVerdict.FITS if fits else LogVerdict.DIFFERS)
    outside = f"the log says value = {logged}, the program gives a number from {ENDS}"
    assert [parting.words for parting in compared.partings] == ([] if fits else [outside])
    project.solver.close()


@pytest.fixture(scope="module")
def unlogged(tmp_path_factory):
    """f0 was not logged."""
    place = made_project(tmp_path_factory.mktemp("unlogged") / "line")
    (place / "log.csv").write_text("step,f0,f1,f2\n0,,1,0\n")
    project = Project.open(place, settings=Settings(replay="off"))
    yield project
    project.solver.close()


@pytest.mark.parametrize("behavior", ["value < 0.51", "value > 0.51"])
def test_where_a_number_that_is_not_known_matters_is_told_as_far_as_it_is_proved(behavior, unlogged):
    """0.1 f0 + 0.21 is 0.51 at 3; how near to it the sum is settled depends on the order of adding."""
    answer = unlogged.ask(f"did {behavior}")
    assert answer.reason_code is ReasonCode.DEPENDS
    told = re.search(
        r": (yes|no) (?:from (\S+) on|up to (\S+)), (yes|no) (?:from (\S+) on|up to (\S+)); (.*)", answer.reason
    )
    assert told is not None, answer.reason
    one, from_one, to_one, other, from_other, to_other, between = told.groups()
    assert between == "between them it is not settled"
    sides = {one: (from_one, to_one), other: (from_other, to_other)}
    for word, (begin, end) in sides.items():
        supposed = f"{begin} <= f0 <= 10" if begin else f"0 <= f0 <= {end}"
        asked = unlogged.ask(f"would {behavior if word == 'yes' else f'not ({behavior})'} if {supposed}")
        assert asked.verdict is Verdict.YES, asked.reason
    (low,), (high,) = (
        [float(each) for each in ends if each] for ends in sorted(sides.values(), key=lambda e: bool(e[0]))
    )
    assert low < 3.0 < high
    for value in (np.nextafter(np.float32(low), np.float32(9)), np.nextafter(np.float32(high), np.float32(0))):
        assert unlogged.ask(f"would {behavior} if f0 == {value!s}").verdict is Verdict.UNKNOWN


def test_a_flip_is_told_as_far_as_it_is_proved(tmp_path):
    """From f0 = 1 up: the sum is above 0.51 beyond 3; near to 3 that hangs on the order of adding."""
    project = Project.open(made_project(tmp_path / "line"), settings=Settings(replay="off"))
    explained = project.explain("might value > 0.51 if f0 is anything")
    assert explained.mattered is not None and not explained.unsettled
    ((flip,),) = (each.flips for each in explained.mattered.sets)
    assert isinstance(flip, Flip) and flip.open_between and flip.nearest and not flip.neighbours
    last, first = flip.shown
    assert float(last) < 3.0 < float(first)
    for supposed, happens in ((f"1 <= f0 <= {last}", "value <= 0.51"), (f"{first} <= f0 <= 10", "value > 0.51")):
        assert project.ask(f"would {happens} if {supposed}").verdict is Verdict.YES
    for value in (np.nextafter(np.float32(last), np.float32(9)), np.nextafter(np.float32(first), np.float32(0))):
        assert project.ask(f"would value > 0.51 if f0 == {value!s}").verdict is Verdict.UNKNOWN
    stream = io.StringIO()
    show_explanation(Terminal(Console(file=stream, width=100)), explained, project.keyframe, "Explaining")
    assert "between these two it is not settled" in " ".join(stream.getvalue().split())
    told = dict(explanation(json_of(explained.document), project.program.interface))
    assert any("between these two it is not settled" in line.read for lines in told.values() for line in lines)
    project.solver.close()


def test_a_bound_at_the_very_end_of_a_sigmoid_is_settled_without_a_search_of_each_float(tmp_path):
    """The greatest probability of the family, and the floats around it: at each one look at the family is enough."""
    pytest.importorskip("skops")
    place = tmp_path / "logistic"
    place.mkdir()
    (place / "soid.toml").write_text(
        '[program]\nengine = "model"\nmodel = "model.skops"\n[trace]\nfile = "log.csv"\n'
        "[variables]\na = { domain = [0.0, 39.0] }\nb = { domain = [0.0, 2.0] }\n"
    )
    (place / "log.csv").write_text("a,b\n36.0,1.07\n")
    save_logistic(place / "model.skops")
    project = Project.open(place, settings=Settings(replay="off", seconds=60))
    at_the_end = project.ask("might probability > 0 if a == 0.0 and b == 2.0").witness
    assert at_the_end is not None
    ends = [sf.bits64_to_float(int(bits)) for bits in at_the_end.between[0]["probability"]]
    assert ends[0] < ends[1]
    expected = {0: Verdict.NO, 1: Verdict.UNKNOWN, 2: Verdict.UNKNOWN, 3: Verdict.YES}
    bounds = (ends[0], np.nextafter(ends[0], 1), ends[1], np.nextafter(ends[1], 1))
    for number, bound in enumerate(bounds):
        answer = project.ask(f"would probability < {float(bound)!r} if a is anything and b is anything")
        assert (answer.verdict, answer.why.out_of_time) == (expected[number], False)
    project.solver.close()


def save_logistic(file: Path) -> None:
    """The probability rises with b and falls with a."""
    import skops.io
    from sklearn.linear_model import LogisticRegression

    drawn = np.random.default_rng(3)
    rows = drawn.normal(size=(200, 2)) * [12.0, 0.5] + [20.0, 1.0]
    wanted = rows[:, 1] * 8 - rows[:, 0] * 0.2 + drawn.normal(size=200) > 4.0
    model = LogisticRegression().fit(rows, wanted)
    model.feature_names_in_ = np.array(["a", "b"], object)
    skops.io.dump(model, file)
