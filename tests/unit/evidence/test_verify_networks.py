"""Bundles about neural networks: boxes with slopes, checked in whole numbers; and forged ones."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from soid.engine.learned.network import Affine
from soid.engine.learned.networks.network_bounds import NetworkBounds
from soid.engine.learned.networks.relu_splits import ReluSearch
from soid.evidence import bundle_layout
from soid.evidence.archive import unpack
from soid.evidence.checks import CheckOutcome
from soid.evidence.verification_report import Standing
from soid.solver import cell_search
from tests.network_files import FLOAT, network_file
from tests.small_networks import native, random_network
from tests.unit.evidence import forging
from tests.unit.evidence.conftest import bundled, made_once
from tests.unit.evidence.test_verify import checked
from tests.unit.evidence.test_verify_models import COVER, bounded_box, cover_changed, noted

MANIFEST = """
[program]
name = "adviser"
engine = "model"
model = "net.onnx"
[inputs]
"x[0]" = "(distance - 100.0) / 200.0"
"x[3:5]" = "one hot of gear: DOWN, UP"
[decisions]
advisory = "argmax of y"
strong = "y_0 - y_1 >= 0.25"
[trace]
file = "log.csv"
[variables]
advisory = { labels = ["CLEAR", "LEFT", "RIGHT"] }
distance = { domain = [0, 300] }
x_1 = { domain = [-2, 2] }
"""
#: proofs of a label and of a threshold, a scenario of each, and what happened
QUESTIONS = (
    "did advisory is LEFT",
    "would advisory is LEFT if 95 <= distance <= 120 and -0.2 <= x_1 <= 0.2",
    "might strong if 80 <= distance <= 160 and x_1 is anything",
    "might advisory is RIGHT if x_1 is anything and distance is anything",
)


def adviser_project(place: Path) -> Path:
    draw = np.random.default_rng(11)
    sizes, nodes, constants, last = [5, 12, 12, 3], [], {}, "x"
    for number, (fan, size) in enumerate(itertools.pairwise(sizes)):
        constants[f"w{number}"] = (draw.normal(size=(fan, size)) * np.sqrt(2 / fan)).astype(np.float32)
        constants[f"b{number}"] = (draw.normal(size=size) * 0.2).astype(np.float32)
        is_last = number == len(sizes) - 2
        made = "y" if is_last else f"h{number}"
        nodes.append(helper.make_node("Gemm", [last, f"w{number}", f"b{number}"], [made]))
        last = made
        if not is_last:
            nodes.append(helper.make_node("Relu", [made], [f"r{number}"]))
            last = f"r{number}"
    place.mkdir(parents=True)
    (place / "net.onnx").write_bytes(network_file(nodes, {"x": (FLOAT, [1, 5])}, ["y"], constants))
    (place / "soid.toml").write_text(MANIFEST)
    (place / "log.csv").write_text("step,distance,x_1,x_2,gear\n0,110.5,-0.125,0.75,UP\n")
    return place


@pytest.fixture(scope="session")
def adviser(tmp_path_factory) -> bytes:
    place = tmp_path_factory.mktemp("adviser")
    made = lambda: bundled(place, adviser_project(place / "adviser"), QUESTIONS)  # noqa: E731
    return made_once("adviser", tmp_path_factory, made)


def of(data: bytes, question: str) -> int:
    """The number of the fact that answers a question."""
    numbers = forging.facts_in(data)
    return numbers[QUESTIONS.index(question)]


def standings(data: bytes, place: Path, **options: object) -> dict[str, Standing]:
    return {fact.question: fact.standing for fact in checked(data, place, **options).facts}


def test_every_fact_about_a_network_is_proved_again_without_a_search(adviser, tmp_path, monkeypatch):
    monkeypatch.setattr(cell_search, "cover_cells", None)
    monkeypatch.setattr(NetworkBounds, "below_relus", None)
    report = checked(adviser, tmp_path)
    assert [fact.standing for fact in report.facts] == [Standing.REPROVED] * len(QUESTIONS)
    assert [fact.verdict for fact in report.facts] == ["yes", "yes", "yes", "no"]
    for fact in report.facts:
        assert noted(fact, "the run")[1].startswith("by running the model in onnxruntime")
        assert noted(fact, "the evaluation")[0] is CheckOutcome.CONFIRMED
    for proof in (report.facts[1], report.facts[3]):
        assert noted(proof, "the bounds in explored.smt2")[0] is CheckOutcome.CONFIRMED


def test_a_cover_has_a_slope_for_each_element(adviser):
    folder = bundle_layout.folder(of(adviser, QUESTIONS[1]))
    cover = json.loads(unpack(adviser)[folder + COVER])
    place = bounded_box(cover)
    assert [len(text) for text in cover["slopes"][place]] == [12, 12]
    assert cover["numbers"] and all("lead of" in name for name in cover["numbers"])


@pytest.mark.fuzz
def test_without_time_for_all_boxes_a_proof_is_not_confirmed(adviser, tmp_path, monkeypatch):
    from soid.evidence.learned import network_covers

    over = type("Over", (), {"is_over": True})()
    evaluate = network_covers.numbers_in_boxes
    monkeypatch.setattr(network_covers, "numbers_in_boxes", lambda a, b, c, d, _: evaluate(a, b, c, d, over))
    proof = checked(adviser, tmp_path).facts[1]
    assert proof.standing is Standing.REEXPLORED
    assert "no time for all of its boxes" in noted(proof, "the bounds in explored.smt2")[1]


# --- forgeries ------------------------------------------------------------------------------------------------


def shifted(cover: dict[str, Any]) -> None:
    cover["boxes"][bounded_box(cover)][0][0] -= 1


def removed(cover: dict[str, Any]) -> None:
    place = bounded_box(cover)
    del cover["boxes"][place], cover["bounds"][place], cover["slopes"][place]


def tightened(cover: dict[str, Any]) -> None:
    ends = cover["bounds"][bounded_box(cover)][0]
    ends[0] = ends[1] = ends[1] - 1 if ends[1] < 0 else ends[1] // 2


def turned(cover: dict[str, Any]) -> None:
    """All slopes of one box are the other ones."""
    place = bounded_box(cover)
    swap = str.maketrans("0g", "g0")
    cover["slopes"][place] = [text.translate(swap) for text in cover["slopes"][place]]


def cut_short(cover: dict[str, Any]) -> None:
    place = bounded_box(cover)
    cover["slopes"][place] = [text[1:] for text in cover["slopes"][place]]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (turned, "wrong bound"),
        pytest.param(shifted, "leaves states out", marks=pytest.mark.fuzz),
        pytest.param(removed, "leaves states out", marks=pytest.mark.fuzz),
        pytest.param(tightened, "wrong bound", marks=pytest.mark.fuzz),
        pytest.param(cut_short, "none of this network", marks=pytest.mark.fuzz),
    ],
)
def test_a_cover_that_was_changed_refutes_its_fact(change: Callable[[dict[str, Any]], None], why, adviser, tmp_path):
    report = checked(cover_changed(adviser, change, of(adviser, QUESTIONS[1])), tmp_path)
    assert [fact.standing is Standing.REFUTED for fact in report.facts] == [False, True, False, False]
    against = [check.words for check in report.facts[1].checks if check.outcome is CheckOutcome.CONTRADICTED]
    assert any(why in words for words in against)


@pytest.mark.fuzz
def test_a_cover_that_was_left_out_refutes_its_fact(adviser, tmp_path):
    name = bundle_layout.folder(of(adviser, QUESTIONS[1])) + COVER
    forged = forging.sealed({file: data for file, data in unpack(adviser).items() if file != name})
    proof = checked(forged, tmp_path).facts[1]
    assert proof.standing is Standing.REFUTED and noted(proof, COVER)[1] == "it is missing"


def reweighted(content: bytes, by: float) -> bytes:
    """The network with another bias of its second class."""
    model = onnx.load_from_string(content)
    for each in model.graph.initializer:
        if each.name == "b2":
            bias = numpy_helper.to_array(each).copy()
            bias[1] -= np.float32(by)
            each.CopyFrom(numpy_helper.from_array(bias, "b2"))
    found: bytes = model.SerializeToString()
    return found


@pytest.mark.fuzz
@pytest.mark.parametrize("by", [1e-3, 10.0])
def test_a_network_with_another_weight_does_not_bear_the_facts_out(by, adviser, tmp_path):
    """A slightly other one still decides so in all these states; but what it gave is not what is on record."""
    path = "adviser/net.onnx"
    content = unpack(adviser)[bundle_layout.PROJECT + path]
    files = unpack(forging.source_changed(adviser, path, content, reweighted(content, by)))
    build = json.loads(files[bundle_layout.BUILD])
    build["model"] = hashlib.sha256(files[bundle_layout.PROJECT + path]).hexdigest()
    forged = forging.sealed(files | {bundle_layout.BUILD: bundle_layout.as_json(build)})
    assert set(standings(forged, tmp_path).values()) == {Standing.REFUTED}


@pytest.mark.fuzz
def test_swapped_labels_do_not_bear_the_facts_out(adviser, tmp_path):
    forged = forging.source_changed(adviser, "adviser/soid.toml", b'"CLEAR", "LEFT"', b'"LEFT", "CLEAR"')
    found = standings(forged, tmp_path)
    assert found[QUESTIONS[0]] is found[QUESTIONS[1]] is Standing.REFUTED


@pytest.mark.fuzz
def test_a_wider_family_is_not_proved_by_the_boxes_of_a_narrower_one(adviser, tmp_path):
    """The question on record is another one, in every place where it stands."""
    number, narrow, wide = of(adviser, QUESTIONS[1]), "x_1 <= 0.2", "x_1 <= 1.9"

    def change(payloads: forging.Payloads) -> None:
        for place in (number - 2, number - 1):
            told = json.dumps(payloads[place]).replace(narrow, wide)
            payloads[place] = json.loads(told)

    files = forging.rewritten(adviser, change)
    folder = bundle_layout.folder(number)
    for name in [name for name in files if name.startswith(folder)]:
        files[name] = files[name].replace(narrow.encode(), wide.encode())
    found = checked(forging.sealed(files), tmp_path).facts[1]
    assert found.standing is Standing.REFUTED
    assert noted(found, "explored.smt2")[0] is not CheckOutcome.CONFIRMED
    assert noted(found, "the bounds in explored.smt2")[0] is not CheckOutcome.CONFIRMED


# --- proofs by signs of ReLUs -----------------------------------------------------------------------------------

WIDE = 12  # inputs
LIFTED = 0.54  # the score of the class that wins, so that it wins everywhere near
WIDE_MANIFEST = """
[program]
name = "adviser"
engine = "model"
model = "net.onnx"
[decisions]
advisory = "argmax of y"
[trace]
file = "log.csv"
[variables]
advisory = { labels = ["CLEAR", "LEFT", "RIGHT"] }
"""


def wide_project(place: Path) -> tuple[Path, tuple[str, ...]]:
    """A network of many inputs, and questions that are proved by splitting signs: of a class, and of a number."""
    draw = np.random.default_rng(0)
    one = random_network(draw, (WIDE, 24, 24, 3))
    center = draw.uniform(-1, 1, WIDE).astype(np.float32)
    winner = int(native(one, center[None])[0].argmax())
    nodes, constants, last = [], dict[str, Any](), "x"
    for number, layer in enumerate(each for each in one.layers if isinstance(each, Affine)):
        bias = np.frombuffer(layer.bias).astype(np.float32)
        weights = np.frombuffer(layer.weights).astype(np.float32).reshape(len(bias), -1)
        if number == 2:
            bias[winner] += np.float32(LIFTED)
        constants |= {f"w{number}": weights.T.copy(), f"b{number}": bias}
        made = "y" if number == 2 else f"h{number}"
        nodes.append(helper.make_node("Gemm", [last, f"w{number}", f"b{number}"], [made]))
        if number < 2:
            nodes.append(helper.make_node("Relu", [made], [f"r{number}"]))
        last = f"r{number}"
    place.mkdir(parents=True)
    (place / "net.onnx").write_bytes(network_file(nodes, {"x": (FLOAT, [1, WIDE])}, ["y"], constants))
    (place / "soid.toml").write_text(WIDE_MANIFEST)
    names = [f"x_{number}" for number in range(WIDE)]
    row = [repr(float(each)) for each in center]
    (place / "log.csv").write_text(f"step,{','.join(names)}\n0,{','.join(row)}\n")
    near = [f"{x - 0.18!r} <= {name} <= {x + 0.18!r}" for name, x in zip(names, center.tolist(), strict=True)]
    decided = f"advisory is {('CLEAR', 'LEFT', 'RIGHT')[winner]}", f"y_{winner} > -0.41"
    return place, tuple(f"would {what} if {' and '.join(near)}" for what in decided)


@pytest.fixture(scope="session")
def wide(tmp_path_factory) -> bytes:
    place = tmp_path_factory.mktemp("wide")

    def made() -> bytes:
        return bundled(place, *wide_project(place / "wide"))

    return made_once("wide", tmp_path_factory, made)


def trees_of(cover: dict[str, Any]) -> list[dict[str, Any]]:
    return [tree for trees in cover["splits"] for tree in trees]


def test_a_proof_by_signs_is_proved_again_without_a_search(wide, tmp_path, monkeypatch):
    trees = [trees_of(json.loads(data)) for name, data in unpack(wide).items() if name.endswith(COVER)]
    assert len(trees[1]) == 1 and all(max(len(tree["leaves"]) for tree in each) > 8 for each in trees)
    monkeypatch.setattr(cell_search, "cover_cells", None)
    monkeypatch.setattr(NetworkBounds, "below_relus", None)
    monkeypatch.setattr(ReluSearch, "run", None)
    facts = checked(wide, tmp_path).facts
    assert [(fact.verdict, fact.standing) for fact in facts] == [("yes", Standing.REPROVED)] * 2
    assert all(noted(fact, "the bounds in explored.smt2")[0] is CheckOutcome.CONFIRMED for fact in facts)


def leaf_removed(cover: dict[str, Any]) -> None:
    trees_of(cover)[0]["leaves"].pop()


def sign_turned(cover: dict[str, Any]) -> None:
    for leaf in trees_of(cover)[0]["leaves"]:
        leaf["signs"][0][2] *= -1


def multiplier_turned(cover: dict[str, Any]) -> None:
    trees_of(cover)[0]["leaves"][0]["signs"][0][3] = -0.5


def splits_removed(cover: dict[str, Any]) -> None:
    del cover["splits"]


def bound_raised(cover: dict[str, Any]) -> None:
    """The greatest of what the number is not below is more than its trees show."""
    ends = cover["bounds"][bounded_box(cover)]
    low = max(low for low, _ in ends)
    for each in ends:
        each[0] = each[0] if each[0] < low else low + 1000


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize(
    ("change", "why"),
    [
        (sign_turned, "wrong bound"),
        pytest.param(bound_raised, "wrong bound", marks=pytest.mark.fuzz),
        pytest.param(leaf_removed, "one is missing", marks=pytest.mark.fuzz),
        pytest.param(multiplier_turned, "below zero", marks=pytest.mark.fuzz),
        pytest.param(splits_removed, "wrong bound", marks=pytest.mark.fuzz),
    ],
)
def test_a_tree_that_was_changed_refutes_its_fact(change: Callable[[dict[str, Any]], None], why, which, wide, tmp_path):
    facts = checked(cover_changed(wide, change, forging.facts_in(wide)[which]), tmp_path).facts
    assert [fact.standing is Standing.REFUTED for fact in facts] == [which == 0, which == 1]
    fact = facts[which]
    against = [check.words for check in fact.checks if check.outcome is CheckOutcome.CONTRADICTED]
    assert any(why in words for words in against), against


@pytest.mark.parametrize("hashed", [False, True])
def test_a_network_with_a_weight_that_is_the_next_float_does_not_bear_the_fact_out(hashed, wide, tmp_path):
    """Its proof may hold for that one too: but it is not the one that was noted, nor gives what is on record."""
    path = "wide/net.onnx"
    content = unpack(wide)[bundle_layout.PROJECT + path]
    model = onnx.load_from_string(content)
    for each in model.graph.initializer:
        if each.name == "b2":
            bias = numpy_helper.to_array(each).copy()
            bias[0] = np.nextafter(bias[0], np.float32(np.inf))
            each.CopyFrom(numpy_helper.from_array(bias, "b2"))
    files = unpack(forging.source_changed(wide, path, content, model.SerializeToString()))
    build = json.loads(files[bundle_layout.BUILD])
    if hashed:
        build["model"] = hashlib.sha256(files[bundle_layout.PROJECT + path]).hexdigest()
    facts = checked(forging.sealed(files | {bundle_layout.BUILD: bundle_layout.as_json(build)}), tmp_path).facts
    assert {fact.standing for fact in facts} == {Standing.REFUTED}
