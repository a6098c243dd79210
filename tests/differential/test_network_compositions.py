"""Networks in a world, in pairs, side by side and fed back, against many runs of them in onnxruntime.

A proof is never contradicted by a run, and a scenario that is shown does what it shows. Bounds are chosen at random, so
an answer may be unknown.
"""

from __future__ import annotations

import itertools
import random
import struct
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
import onnxruntime
import pytest
from msgspec.structs import replace
from onnx import helper, numpy_helper

from soid import Project
from soid.oracle.answer import Answer, Verdict
from soid.oracle.inquiry import Settings
from soid.program.types import FloatType
from tests.network_files import FLOAT, network_file

LABELS: Final = ("A", "B", "C")
SECONDS: Final = 5.0  # for a question: what is not settled by then is of no interest here

Runs = Callable[..., Any]
Compared = tuple[str, Any]  # a question, and for each scenario that was run whether the behavior occurred


def drawn(draw: np.random.Generator, sizes: list[int], *, shares: bool) -> bytes:
    """A random network, which may end in a softmax."""
    nodes, constants, last = [], dict[str, Any](), "x"
    for number, (fan, size) in enumerate(itertools.pairwise(sizes)):
        constants[f"w{number}"] = (draw.normal(size=(fan, size)) * np.sqrt(2 / fan)).astype(np.float32)
        constants[f"b{number}"] = (draw.normal(size=size) * 0.3).astype(np.float32)
        is_last = number == len(sizes) - 2
        made = ("z" if shares else "y") if is_last else f"h{number}"
        nodes.append(helper.make_node("Gemm", [last, f"w{number}", f"b{number}"], [made]))
        if not is_last:
            nodes.append(helper.make_node("Relu", [made], [f"r{number}"]))
            last = f"r{number}"
    if shares:
        nodes.append(helper.make_node("Softmax", ["z"], ["y"], axis=1))
    return network_file(nodes, {"x": (FLOAT, ["n", sizes[0]])}, ["y"], constants)


def like(content: bytes, draw: np.random.Generator, by: float) -> bytes:
    """A network with slightly other weights."""
    model = onnx.load_from_string(content)
    for each in model.graph.initializer:
        value = numpy_helper.to_array(each)
        other = (value + draw.normal(size=value.shape) * by).astype(np.float32)
        each.CopyFrom(numpy_helper.from_array(other, each.name))
    found: bytes = model.SerializeToString()
    return found


def running(content: bytes) -> Runs:
    session = onnxruntime.InferenceSession(content)
    return lambda rows: session.run(["y"], {"x": np.asarray(rows, np.float32)})[0]


def project(folder: Path, manifest: str, log: list[str], **files: bytes) -> Project:
    for name, content in files.items():
        (folder / name.replace("_", ".")).write_bytes(content)
    (folder / "soid.toml").write_text(f'{manifest}\n[trace]\nfile = "log.jsonl"\n')
    (folder / "log.jsonl").write_text("".join(f"{line}\n" for line in log))
    settings = Settings(replay="off", seconds=60.0, witness_seconds=0.05)
    return replace(Project.open(folder, step=0, settings=settings), settings=replace(settings, seconds=SECONDS))


def logged(names: list[str], values: list[float], more: str = "") -> str:
    return "{" + ", ".join(f'"{name}": {value!r}' for name, value in zip(names, values, strict=True)) + more + "}"


def points(draw: np.random.Generator, low: list[float], high: list[float], count: int) -> Any:
    """Floats inside of ranges of real numbers."""
    rows = draw.uniform(low, high, (count, len(low))).astype(np.float32)
    return rows[((rows >= np.array(low)) & (rows <= np.array(high))).all(axis=1)]


def close(draw: np.random.Generator, run: Runs, inputs: int, luck: random.Random) -> list[float]:
    """A point at which two classes are not far apart."""
    rows = draw.uniform(-1, 1, (500, inputs)).astype(np.float32)
    leads = np.diff(np.sort(run(rows), axis=1)[:, -2:])[:, 0]
    return [float(each) for each in rows[np.argsort(leads)[luck.randrange(60)]]]


def classes(count: int) -> str:
    return f"{{ labels = [{', '.join(repr(label) for label in LABELS[:count])}] }}".replace("'", '"')


def ranges(names: list[str], low: list[float], high: list[float]) -> str:
    return " and ".join(f"{a!r} <= {name} <= {b!r}" for name, a, b in zip(names, low, high, strict=True))


def scenario(asked: Project, answer: Answer, names: list[str]) -> list[float]:
    assert answer.witness is not None
    found = []
    for name in names:
        kind, bits = asked.program.interface.variable(name).type, answer.witness.inputs[name]
        assert isinstance(kind, FloatType)
        wide = kind.format.width == 64
        found.append(struct.unpack("<d" if wide else "<f", struct.pack("<Q" if wide else "<I", bits))[0])
    return found


def compare(asked: Project, question: str, truths: Any, shown: Callable[[Answer], bool] | None = None) -> str:
    """The verdict, compared with the runs; `shown`: whether the behavior occurs in the scenario of an answer."""
    answer, is_would = asked.ask(question), question.startswith("would")
    assert answer.verdict in (Verdict.YES, Verdict.NO, Verdict.UNKNOWN), (question, answer.reason)
    if answer.verdict is (Verdict.YES if is_would else Verdict.NO):
        assert truths.all() if is_would else not truths.any(), question
    elif answer.verdict.is_definite and shown is not None:
        assert shown(answer) is not is_would, question
    return str(answer.verdict.value)


# --- a closed loop ----------------------------------------------------------------------------------------------

WORLD = """
[program]
engine = "model"
model = "n.onnx"
[decisions]
act = "{} of y"
[world]
engine = "c"
sources = ["world.c"]
entry = "step"
names = {{ "*x" = "x_0", "*p" = "x_1" }}
acts = {{ act = "act" }}
[events]
gone = {{ when = "*far == 1" }}
[variables]
x_0 = {{ domain = [-100.0, 100.0] }}
x_1 = {{ domain = [-100.0, 100.0] }}
act = {}
"""
STEP = """enum act {{ {} }};
void step(float *x, float *p, int *far, enum act act) {{ {} *far = *x > {}f; }}
"""


def in_a_world(folder: Path, seed: int) -> Iterator[str]:
    draw, luck = np.random.default_rng(seed), random.Random(seed)
    count, least = luck.choice((2, 3)), luck.random() < 0.3
    content = drawn(draw, [2, *[luck.randint(2, 8)] * luck.randint(1, 2), count], shares=luck.random() < 0.3)
    run, moves = running(content), np.array(luck.choices((-0.5, -0.25, 0.0, 0.125, 0.5, 0.75), k=count), np.float32)
    near = close(draw, run, 2, luck)
    far = round(near[0] + float(moves.min() + moves.max()) / 2, 3)  # it hangs on the class whether that is passed

    def gone(rows: Any, steps: int) -> Any:
        x, found = rows[:, 0].astype(np.float32), np.zeros(len(rows), bool)
        for _ in range(steps):
            given = run(np.stack([x, rows[:, 1]], axis=1))
            x = (x + moves[given.argmin(axis=1) if least else given.argmax(axis=1)]).astype(np.float32)
            found |= x > np.float32(far)
        return found

    acts = " ".join(
        f"if (act == {label}) *x = *x + {move}f;" for label, move in zip(LABELS, moves.tolist(), strict=False)
    )
    step = STEP.format(", ".join(LABELS[:count]), acts, far)
    fact, names = [float(each) for each in draw.uniform(-1, 1, 2).astype(np.float32)], ["x_0", "x_1"]
    manifest = WORLD.format("argmin" if least else "argmax", classes(count))
    asked = project(folder, manifest, [logged(names, fact)], n_onnx=content, world_c=step.encode())

    def shown(steps: int, answer: Answer) -> bool:
        return bool(gone(np.array([scenario(asked, answer, names)]), steps)[0])

    for _ in range(2):
        wide = luck.choice((0.02, 0.1, 0.5))
        ends = [near[0] - wide * luck.random(), near[1] - wide], [near[0] + wide * luck.random(), near[1] + wide]
        rows, steps, supposed = points(draw, *ends, 3000), luck.randint(1, 3), ranges(names, *ends)
        if luck.random() < 0.5:  # of single values all are run
            rows = np.stack([rows[:8, 0], np.full(8, np.float32(fact[1]))], axis=1)
            supposed = f"x_0 in {{{', '.join(repr(float(x)) for x in rows[:, 0])}}}"
        for verb in ("would", "might"):
            question = f"{verb} gone within {steps} steps if {supposed}"
            yield compare(asked, question, gone(rows, steps), partial(shown, steps))


# --- pairs ------------------------------------------------------------------------------------------------------

PAIR = """
[program]
engine = "model"
model = "n.onnx"
[decisions]
act = "argmax of y"
high = "y_0 - y_1 >= 0.1"
[variables]
act = {}
"""


def in_pairs(folder: Path, seed: int) -> Iterator[str]:
    """Robustness: whether what an input has to do with it is little."""
    draw, luck = np.random.default_rng(seed), random.Random(seed)
    inputs, count = luck.choice((2, 3)), luck.choice((2, 3))
    content = drawn(draw, [inputs, *[luck.randint(2, 8)] * luck.randint(1, 2), count], shares=luck.random() < 0.25)
    run, names = running(content), [f"x_{number}" for number in range(inputs)]
    fact = close(draw, run, inputs, luck)
    asked = project(folder, PAIR.format(classes(count)), [logged(names, fact)], n_onnx=content)
    for _ in range(2):
        width, (told, by, part) = luck.choice((0.02, 0.1)), luck.choice((("1 %", 0.0, 0.01), ("0.01", 0.01, 0.0)))
        ends = [x - width for x in fact], [x + width for x in fact]
        free, rows = luck.randrange(inputs), points(draw, *ends, 6000)
        other, sizes = rows.copy(), by + part * np.abs(rows[:, free].astype(np.float64))
        other[:, free] += (draw.choice((-1, 1, 0.5), len(rows)) * sizes * 0.999).astype(np.float32)
        inside = ((other >= np.array(ends[0])) & (other <= np.array(ends[1]))).all(axis=1)
        one, two = run(rows[inside]), run(other[inside])
        high = [(each[:, 0] - each[:, 1]).astype(np.float64) >= 0.1 for each in (one, two)]
        truths = {"act": one.argmax(axis=1) == two.argmax(axis=1), "high": high[0] == high[1]}
        for name, truth in truths.items():
            question = f"would {name} be the same if {names[free]} differs by at most {told}"
            yield compare(asked, f"{question}, for every case with {ranges(names, *ends)}", truth)


# --- several networks -------------------------------------------------------------------------------------------

TWO = """
[programs.{0}]
engine = "model"
model = "{0}.onnx"
[programs.{0}.decisions]
act = "argmax of y"
"""


def side_by_side(folder: Path, seed: int) -> Iterator[str]:
    draw, luck = np.random.default_rng(seed), random.Random(seed)
    count = luck.choice((2, 3))
    sizes = [2, *[luck.randint(2, 8)] * luck.randint(1, 2), count]
    first = drawn(draw, sizes, shares=False)
    second = like(first, draw, luck.choice((1e-6, 1e-3, 0.05, 0.3))) if seed % 2 else drawn(draw, sizes, shares=False)
    runs, names = (running(first), running(second)), ["x_0", "x_1"]
    fact = [float(each) for each in draw.uniform(-1, 1, 2).astype(np.float32)]
    labels = "".join(f'"{each}.act" = {classes(count)}\n' for each in "ab")
    manifest = f"{TWO.format('a')}{TWO.format('b')}[variables]\n{labels}"
    asked = project(folder, manifest, [logged(names, fact)], a_onnx=first, b_onnx=second)
    behaviors: dict[str, Callable[[Any, Any], Any]] = {
        "a.act == b.act": lambda a, b: a.argmax(axis=1) == b.argmax(axis=1),
        "a.y_0 >= b.y_0": lambda a, b: a[:, 0] >= b[:, 0],
        "a.act is A and b.act is B": lambda a, b: (a.argmax(axis=1) == 0) & (b.argmax(axis=1) == 1),
    }

    def shown(truth: Callable[[Any, Any], Any], answer: Answer) -> bool:
        return bool(truth(*(run([scenario(asked, answer, names)]) for run in runs))[0])

    for width, (behavior, truth) in itertools.product((0.05, 0.7), behaviors.items()):
        ends = [x - width for x in fact], [x + width for x in fact]
        rows = points(draw, *ends, 6000)
        question = f"{luck.choice(('would', 'might'))} {behavior} if {ranges(names, *ends)}"
        yield compare(asked, question, truth(*(run(rows) for run in runs)), partial(shown, truth))


# --- fed back ---------------------------------------------------------------------------------------------------

FED_BACK = """
[program]
engine = "model"
model = "n.onnx"
[decisions]
act = "argmax of y"
[state]
h_in = "h_out"
[variables]
act = { labels = ["A", "B"] }
"""


def fed_back(folder: Path, seed: int) -> Iterator[str]:
    draw, luck = np.random.default_rng(seed), random.Random(seed)
    shapes = {"W": (4, 2), "b": (2,), "V": (2, 2)}
    constants = {name: draw.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    nodes = [
        helper.make_node("Concat", ["x", "h_in"], ["c"], axis=1),
        helper.make_node("Gemm", ["c", "W", "b"], ["g"]),
        helper.make_node(luck.choice(("Relu", "Tanh")), ["g"], ["h_out"]),
        helper.make_node("MatMul", ["h_out", "V"], ["y"]),
    ]
    content = network_file(nodes, {"x": (FLOAT, ["n", 2]), "h_in": (FLOAT, ["n", 2])}, ["y", "h_out"], constants)
    session = onnxruntime.InferenceSession(content)
    given = [[float(each) for each in row] for row in draw.uniform(-1, 1, (3, 2)).astype(np.float32)]

    def chosen(first: Any) -> list[Any]:
        """What is chosen in each step, where something else is given in the first one."""
        state, found = np.zeros((len(first), 2), np.float32), []
        for step in range(3):
            rows = first if step == 0 else np.tile(np.array(given[step], np.float32), (len(first), 1))
            y, state = session.run(["y", "h_out"], {"x": rows.astype(np.float32), "h_in": state})
            found.append(y.argmax(axis=1))
        return found

    log = [
        logged(["x_0", "x_1"], row, ', "h_in_0": 0.0, "h_in_1": 0.0' if not number else "")
        for number, row in enumerate(given)
    ]
    asked = project(folder, FED_BACK, log, n_onnx=content)
    for steps, width in ((1, 0.3), (2, 0.05), (3, 1.0)):
        ends = [given[0][0] - width], [given[0][0] + width]
        x = points(draw, *ends, 2000)
        rows = np.concatenate([x, np.full_like(x, given[0][1])], axis=1)
        truths = np.any([each == 0 for each in chosen(rows)[:steps]], axis=0)
        within = f" within {steps} steps" if steps > 1 else ""
        for verb in ("would", "might"):
            yield compare(asked, f"{verb} act is A{within} if {ranges(['x_0'], *ends)}", truths)


@pytest.mark.parametrize("composed", [in_a_world, in_pairs, side_by_side, fed_back])
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(1, 150))])
def test_no_run_contradicts_an_answer(
    seed: int, composed: Callable[[Path, int], Iterator[str]], tmp_path: Path
) -> None:
    met = list(composed(tmp_path, seed))
    assert seed or {"yes", "no"} & set(met)
