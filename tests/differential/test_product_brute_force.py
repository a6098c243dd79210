"""Several programs compared by soid, and by running each of them on every state of a small family."""

from __future__ import annotations

import ctypes
import itertools
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from soid.case.project import Project
from soid.engine.llvm.compiler.toolchain import find_toolchain
from tests.several_programs import several

VALUES = range(-4, 5)
Run = Callable[[int, int], int]


def _expression(draw: random.Random, depth: int) -> str:
    if depth == 0:
        return draw.choice(["a", "b", str(draw.randint(-3, 3))])
    one, other = _expression(draw, depth - 1), _expression(draw, depth - 1)
    operator = draw.choice(["+", "-", "*", "<", "==", "&", "?"])
    if operator == "?":
        return f"(({_expression(draw, depth - 1)}) > 0 ? ({one}) : ({other}))"
    return f"(({one}) {operator} ({other}))"


def source(draw: random.Random) -> str:
    branches = "".join(
        f"  if ({_expression(draw, 1)}) r = {_expression(draw, 2)};\n" for _ in range(draw.randint(1, 3))
    )
    return f"int decide(int a, int b) {{\n  int r = {_expression(draw, 1)};\n{branches}  return r;\n}}\n"


def compiled(source: str, folder: Path, name: str) -> Run:
    """The program itself."""
    (folder / f"{name}.c").write_text(source)
    command = [*find_toolchain(None).command, "-shared", "-fPIC", "-O1", f"{name}.c", "-o", f"{name}.so"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    function = ctypes.CDLL(str(folder / f"{name}.so")).decide
    return lambda a, b: int(function(a, b))


def _pair(folder: Path, seed: int) -> tuple[Project, dict[tuple[int, int], tuple[int, int]]]:
    draw = random.Random(seed)
    one = source(draw)
    # half of the pairs differ in one number only, so that they agree on most states
    changed = one.replace("1", "2", 1) if draw.random() < 0.5 else source(draw)
    native = folder / "native"
    native.mkdir()
    first, second = compiled(one, native, "one"), compiled(changed, native, "other")
    states = {(a, b): (first(a, b), second(a, b)) for a, b in itertools.product(VALUES, VALUES)}
    a, b = draw.choice(list(states))
    log = f'{{"a": {a}, "b": {b}, "return": {states[a, b][0]}}}\n'
    domains = "a = { domain = [-4, 4] }\nb = { domain = [-4, 4] }\n"
    return several(folder / "project", {"one": one, "other": changed}, log, variables=domains), states


@pytest.mark.parametrize("seed", [*range(5), *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(5, 12))])
def test_verdicts_are_those_of_all_runs(tmp_path: Path, seed: int) -> None:
    project, states = _pair(tmp_path, seed)
    fact = tuple(number if number < 1 << 31 else number - (1 << 32) for number in project.keyframe.inputs.values())
    family = [pair for state, pair in states.items() if state != fact]
    questions = {
        "would one.return == other.return": all(x == y for x, y in family),
        "might one.return != other.return": any(x != y for x, y in family),
        "would one.return <= other.return": all(x <= y for x, y in family),
        "might one.return + 1 == other.return": any(x + 1 == y for x, y in family),
        "would one.return == 0 or other.return != 0": all(x == 0 or y != 0 for x, y in family),
        "might other.return > 2": any(y > 2 for _, y in family),
        "would other.return == fact(other.return)": all(y == states[fact][1] for _, y in family),  # type: ignore[index]
    }
    for question, expected in questions.items():
        answer = project.ask(f"{question} if a is anything and b is anything")
        assert answer.verdict.value == ("yes" if expected else "no"), question
        assert answer.witness is not None and "running the compiled program" in answer.witness.replayed
