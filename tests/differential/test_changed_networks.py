"""Networks with one number of the file changed: what is read all the same means what onnxruntime makes of it."""

from __future__ import annotations

import faulthandler
import os
import pickle
from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
import pytest

from soid.engine.learned.readers.onnx import read
from soid.errors import ProgramError
from tests.network_files import Array, compare, random_inputs, run
from tests.random_networks import RandomGraph
from tests.unit.engine.learned.readers.onnx.test_network_graph_hostile import FILES, field_mutations

#: onnxruntime has threads of its own; the child runs nothing that they hold
pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


def run_apart(content: bytes, given: Mapping[str, Array], optimised: bool) -> list[Array] | None:
    """What onnxruntime gives in a process of its own, which a strange file may end; None if it gives nothing."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        faulthandler.disable()  # a crash is one of the answers
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(pickle.dumps(run(content, given, optimised)))
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        data = pipe.read()
    os.waitpid(child, 0)
    found: list[Array] | None = pickle.loads(data) if data else None
    return found


def agrees(content: bytes, rng: np.random.Generator) -> bool:
    """Whether there was something to compare."""
    try:
        model = read(content)
    except ProgramError:
        return False
    graph = onnx.load_from_string(content).graph
    given = random_inputs(model, {each.name: each.type.tensor_type.elem_type for each in graph.input}, rng)
    for optimised in (True, False):
        found = run_apart(content, given, optimised)
        if found is None or not all(np.isfinite(each).all() for each in found):
            return False
        with np.errstate(all="ignore"):
            compare(model, given, found, [each.name for each in graph.output], largest=np.inf)
    return True


def files(count: int) -> list[bytes]:
    graphs = [RandomGraph(70_000 + seed) for seed in range(count)]
    for number, graph in enumerate(graphs):
        graph.grow(2 + number % 10)
    return [*FILES, *(graph.content for graph in graphs if graph.constants)]


def compared(count: int, changes: int) -> int:
    rng = np.random.default_rng(count)
    pairs: list[Any] = [(content, number) for number, content in enumerate(files(count))]
    return sum(agrees(each, rng) for content, number in pairs for each in field_mutations(content, changes, number))


def test_a_changed_file_means_what_onnxruntime_makes_of_it() -> None:
    assert compared(6, 12) > 20


@pytest.mark.fuzz
@pytest.mark.timeout(3600)
def test_four_thousand_changed_files() -> None:
    assert compared(100, 40) > 1000
