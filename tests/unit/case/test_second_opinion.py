"""A second opinion never changes an answer; where both differ, the runtime is asked."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from onnx import helper

from soid.case.network_property import PropertyExaminer
from soid.case.property_answer import PropertyAnswer, PropertyResult, SecondOpinion
from soid.case.second_opinion import with_second_opinion
from soid.cli import main
from soid.engine.learned.library_worker import VerifyReply
from soid.engine.learned.marabou import Marabou
from soid.engine.learned.real_query import RealQuery, RealRow
from soid.engine.replay import NotAvailable, ReplayMode
from soid.errors import InternalError
from soid.jail.launcher import layers
from soid.oracle.inquiry import Settings
from soid.query.vnnlib import read_vnnlib
from soid.solver.chain import chain
from tests.network_files import FLOAT, network_file

DECLARED = "".join(f"(declare-const {name} Real)\n" for name in ("X_0", "X_1", "Y_0", "Y_1"))
UNIT = "(assert (and (>= X_0 0) (<= X_0 1) (>= X_1 0) (<= X_1 1)))\n"
SAT, UNSAT, UNKNOWN = PropertyResult
INSTALLED = pytest.mark.skipif(
    importlib.util.find_spec("maraboupy") is None or not layers().locks_files, reason="Marabou cannot be run here"
)


class Fake:
    """Says what it is told to, and keeps what it is asked."""

    name = "Fake 1"

    def __init__(self, *replies: VerifyReply | NotAvailable, obstacle: str = "") -> None:
        self.replies = list(replies)
        self.asked: list[RealQuery] = []
        self._obstacle = obstacle

    def obstacle(self) -> str:
        return self._obstacle

    def ask(self, query: RealQuery, seconds: float) -> VerifyReply | NotAvailable:
        self.asked.append(query)
        return self.replies.pop(0)


def network(folder: Path, function: str = "Relu") -> Path:
    """y = relu(x_0 + x_1), relu(x_0 - x_1)."""
    file = folder / "net.onnx"
    weights = {"w": np.array([[1.0, 1.0], [1.0, -1.0]], np.float32)}
    nodes = [helper.make_node("MatMul", ["x", "w"], ["s"]), helper.make_node(function, ["s"], ["y"])]
    file.write_bytes(network_file(nodes, {"x": (FLOAT, (1, 2))}, ["y"], weights))
    return file


@contextmanager
def examined(folder: Path, text: str, function: str = "Relu", replay: ReplayMode = "off") -> Iterator[PropertyExaminer]:
    with closing(chain()) as solver:
        settings = Settings(seconds=30.0, replay=replay)
        yield PropertyExaminer(network(folder, function), read_vnnlib(DECLARED + text, "p"), settings, solver)


def opinion(
    folder: Path, text: str, ours: PropertyResult, fake: Fake, function: str = "Relu", replay: ReplayMode = "off"
) -> SecondOpinion:
    answer = PropertyAnswer(ours, "", 1, (), (), "", (), 0.0)
    with examined(folder, text, function, replay) as examiner:
        found = with_second_opinion(answer, examiner, fake, 20.0)
    assert found.second_opinion is not None and replace(found, second_opinion=None) == answer
    return found.second_opinion


def test_it_is_asked_the_same(tmp_path: Path) -> None:
    fake = Fake(VerifyReply("unsat", ()))
    found = opinion(tmp_path, UNIT + "(assert (or (>= Y_0 3) (and (< Y_1 0.5) (<= Y_0 -1.0))))", UNSAT, fake)
    (query,) = fake.asked
    assert found.agrees and found.result == "unsat" and query.box == ((0.0, 1.0), (0.0, 1.0))
    first, second = query.alternatives
    (factor,) = (factor for _, factor in first[0].terms)
    assert (len(first), factor, first[0].bound) == (1, -1.0, -3.0)
    assert [each.bound for each in second] == [0.5, -1.0] and len(query.relus) == 2


@pytest.mark.parametrize(
    ("ours", "reply", "result", "agrees"),
    [
        (SAT, VerifyReply("unsat", ()), "unsat", False),
        (SAT, VerifyReply("sat", (0.5, 0.5)), "sat", True),
        (UNKNOWN, VerifyReply("unsat", ()), "unsat", None),
        (UNSAT, VerifyReply("sat", (0.5, 0.5)), "sat", False),
        (UNSAT, VerifyReply("sat", ()), "unknown", None),  # a sat without its point is none
        (UNSAT, VerifyReply("TIMEOUT", ()), "unknown", None),
        (UNSAT, NotAvailable("it was still running"), "unknown", None),
    ],
)
def test_both_are_told(
    tmp_path: Path, ours: PropertyResult, reply: VerifyReply | NotAvailable, result: str, agrees: bool | None
) -> None:
    found = opinion(tmp_path, UNIT + "(assert (>= Y_0 1.9))", ours, Fake(reply))
    assert (found.result, found.agrees, found.about) == (result, agrees, "real numbers")
    assert found.satisfied is None and found.outputs == ()


def test_its_point_is_rounded_into_the_box_and_run(tmp_path: Path) -> None:
    fake = Fake(VerifyReply("sat", (1.0000001, 0.1)))
    found = opinion(tmp_path, UNIT + "(assert (>= Y_0 1.9))", UNSAT, fake, replay="confined")
    assert found.inputs == ("1.0", "0.1") and found.outputs == ("1.1", "0.9") and found.satisfied is False


def test_a_run_that_refutes_a_proof_is_no_answer(tmp_path: Path) -> None:
    fake = Fake(VerifyReply("sat", (1.0, 1.0)))
    with pytest.raises(InternalError, match=r"satisfies the property for 1\.0, 1\.0"):
        opinion(tmp_path, UNIT + "(assert (>= Y_0 1.9))", UNSAT, fake, replay="confined")


@pytest.mark.parametrize(
    ("text", "function", "told"),
    [
        ("(assert (>= Y_0 0.5))", "Tanh", "knows no tanh"),
        ("(assert (>= Y_0 1e400))", "Relu", "too large"),
        ("(assert (and" + " (or (>= Y_0 0.5) (>= Y_1 0.5))" * 11 + "))", "Relu", "more than 1000 alternatives"),
    ],
)
def test_what_it_cannot_be_asked_is_said(tmp_path: Path, text: str, function: str, told: str) -> None:
    found = opinion(tmp_path, UNIT + text, UNSAT, Fake(), function)
    assert found.result == "not asked" and told in found.reason and found.agrees is None


@pytest.mark.parametrize("text", ["(assert (= X_0 0.1))", "(assert false)", "(assert (and (or) (>= Y_0 0)))"])
def test_what_was_not_asked_is_no_agreement(tmp_path: Path, text: str) -> None:
    """0.1 is no float: soid is done before it asks anything."""
    found = opinion(tmp_path, UNIT + text, UNSAT, Fake())
    assert found.result == "not asked" and found.agrees is None


def test_without_the_package_it_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", _without_marabou(importlib.util.find_spec))
    file = tmp_path / "p.vnnlib"
    file.write_text(DECLARED + UNIT + "(assert (>= Y_0 2.1))")
    command = ["ask", "--vnnlib", str(file), "--model", str(network(tmp_path)), "--cross-check", "--json"]
    assert main(command) == 1
    told = json.loads(capsys.readouterr().out)["second_opinion"]
    assert told["result"] == "not asked" and "pip install 'soid[marabou]'" in told["reason"]


def _without_marabou(find: Callable[..., object]) -> Callable[..., object]:
    return lambda name, package=None: None if name == "maraboupy" else find(name, package)


# --- the real one ---------------------------------------------------------------------------------------------


@INSTALLED
@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("(assert (>= Y_0 1.9))", "sat"),
        ("(assert (>= Y_0 2.1))", "unsat"),
        ("(assert (or (>= Y_0 3) (and (>= Y_1 0.9) (<= Y_0 1.0))))", "sat"),
        ("(assert (or (>= Y_0 3) (and (>= Y_1 0.9) (>= Y_0 1.5))))", "unsat"),
    ],
)
def test_marabou(tmp_path: Path, text: str, result: str) -> None:
    with examined(tmp_path, UNIT + text) as examiner, closing(Marabou()) as marabou:
        answer = with_second_opinion(examiner.answer(), examiner, marabou, 250.0)
    found = answer.second_opinion
    assert found is not None and found.result == result and found.agrees and found.verifier.startswith("Marabou 2")


@INSTALLED
def test_marabou_is_killed_at_its_limit() -> None:
    """A question with so many ReLUs that no such time would do."""
    random, width = np.random.default_rng(3), 200
    given, relus = range(5, 5 + width), tuple((5 + each, 5 + width + each) for each in range(width))
    rows = tuple(
        RealRow((*((place, float(random.normal())) for place in range(5)), (each, -1.0)), 0.0, is_equal=True)
        for each in given
    )
    sought = RealRow(tuple((result, float(random.normal())) for _, result in relus), -60.0)
    query = RealQuery(5 + 2 * width, ((-1.0, 1.0),) * 5, rows, relus, ((sought,),))
    with closing(Marabou()) as marabou:
        assert marabou.obstacle() == ""
        reply = marabou.ask(query, 0.05)
    assert isinstance(reply, NotAvailable) and "0.05 seconds" in reply.reason


@INSTALLED
@pytest.mark.fuzz
@pytest.mark.timeout(1200)
def test_marabou_agrees_on_random_networks(tmp_path: Path) -> None:
    """Two layers of each function of straight pieces. Either of both may be open now and then."""
    settings = Settings(seconds=20.0, replay="off")
    random, agreed = np.random.default_rng(1), list[bool | None]()
    with closing(chain()) as solver, closing(Marabou()) as marabou:
        for number in range(100):
            file = tmp_path / f"{number}.onnx"
            function = ("Relu", "LeakyRelu", "HardSigmoid", "Clip", "Max", "Min")[number % 6]
            file.write_bytes(_random_network(function, random))
            text = (
                UNIT + f"(assert (or (>= Y_0 {random.normal() * 1.5:.2f}) (<= (- Y_1 Y_0) {random.normal() - 2:.2f})))"
            )
            examiner = PropertyExaminer(file, read_vnnlib(DECLARED + text, "p"), settings, solver)
            answer = with_second_opinion(examiner.answer(), examiner, marabou, 20.0)
            assert answer.second_opinion is not None
            agreed.append(answer.second_opinion.agrees)
            assert agreed[-1] is not False, (number, text, answer)
    assert agreed.count(True) >= 90


def _random_network(function: str, random: np.random.Generator) -> bytes:
    width = int(random.integers(2, 9))
    sizes = {"a": (2, width), "b": (width,), "c": (width, width), "d": (width, 2), "other": (width,)}
    constants = {name: random.normal(size=size).astype(np.float32) for name, size in sizes.items()}
    bounds = {"low": np.float32(-0.5), "high": np.float32(0.75)}
    beside = {"Clip": ["low", "high"], "Max": ["other"], "Min": ["other"]}.get(function, [])
    nodes = [
        helper.make_node("Gemm", ["x", "a", "b"], ["s"]),
        helper.make_node(function, ["s", *beside], ["t"]),
        helper.make_node("MatMul", ["t", "c"], ["u"]),
        helper.make_node(function, ["u", *beside], ["v"]),
        helper.make_node("MatMul", ["v", "d"], ["y"]),
    ]
    return network_file(nodes, {"x": (FLOAT, (1, 2))}, ["y"], constants | bounds)
