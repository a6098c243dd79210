"""Models with parts in files beside them: these are read in the project's folder alone, and belong to the program."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from soid.case.snapshot import take
from soid.engine.learned.kept_models import read_model
from soid.engine.learned.learned_engine import LearnedEngine
from soid.engine.learned.readers.onnx import read
from soid.engine.learned.readers.onnx.inlined_constants import inlined
from soid.engine.manifest_reader import load
from soid.engine.registry import open_program
from soid.engine.replay import Returned
from soid.errors import ProgramError
from soid.formula import softfloat as sf
from soid.jail.launcher import layers
from tests.network_files import FLOAT, network_file, run

WEIGHTS: Final = np.arange(6, dtype=np.float32).reshape(2, 3) / 7
WHOLE: Final = network_file(
    [helper.make_node("MatMul", ["x", "w"], ["y"])], {"x": (FLOAT, ["N", 2])}, ["y"], {"w": WEIGHTS}
)


def parted(location: str, **more: str) -> bytes:
    """The same model, whose weights lie in another file."""
    model = onnx.load_from_string(WHOLE)
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in {"location": location, **more}.items():
        tensor.external_data.add(key=key, value=value)
    content: bytes = model.SerializeToString()
    return content


def project(folder: Path, content: bytes) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "net.onnx").write_bytes(content)
    (folder / "soid.toml").write_text('[program]\nengine = "model"\nmodel = "net.onnx"\n[trace]\nfile = "log.csv"\n')
    (folder / "log.csv").write_text("x_0,x_1\n1,2\n")
    return folder


def opened(folder: Path) -> LearnedEngine:
    _, engine = open_program(load(folder).program)
    assert isinstance(engine, LearnedEngine)
    return engine


def test_weights_in_another_file_are_the_same_weights(tmp_path: Path) -> None:
    folder = project(tmp_path / "net", parted("parts/w.bin", offset="8", length="24"))
    (folder / "parts").mkdir()
    (folder / "parts" / "w.bin").write_bytes(bytes(8) + WEIGHTS.tobytes() + b"more")
    engine = opened(folder)
    whole = project(tmp_path / "whole", WHOLE)
    assert engine.model.networks == opened(whole).model.networks
    assert engine.files == (Path("parts/w.bin"),)
    assert "net/parts/w.bin" in [each.path for each in take(folder).snapshot.files]
    before = engine.learned.sha256
    (folder / "parts" / "w.bin").write_bytes(bytes(8) + (WEIGHTS + 1).tobytes())
    assert opened(folder).model.networks != engine.model.networks
    assert opened(folder).learned.sha256 != before


@pytest.mark.skipif(not layers().locks_files, reason="this machine cannot lock files")
def test_the_jailed_library_is_given_the_other_file(tmp_path: Path) -> None:
    folder = project(tmp_path / "net", parted("w.bin"))
    (folder / "w.bin").write_bytes(WEIGHTS.tobytes())
    replayer: Any = opened(folder).replayer(unconfined=False)
    given = np.array([[0.5, -3.0]], np.float32)
    found = replayer.replay({f"x_{place}": sf.float_to_bits32(float(each)) for place, each in enumerate(given[0])})
    assert isinstance(found, Returned), found
    (expected,) = run(WHOLE, {"x": given})
    assert [sf.bits32_to_float(found.outputs[f"y_{place}"]) for place in range(3)] == expected[0].tolist()


def test_a_model_whose_parts_are_put_into_it_is_the_same(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Constant", [], ["k"], value=onnx.numpy_helper.from_array(WEIGHTS[0])),
        helper.make_node("Add", ["x", "k"], ["a"]), helper.make_node("Reshape", ["a", "s"], ["y"]),
    ]  # fmt: skip
    inputs: dict[str, Any] = {"x": (FLOAT, ["N", 3])}
    whole = network_file(nodes, inputs, ["y"], {"s": np.array([3, 1]), "unused": WEIGHTS.astype(np.float64)})
    model = onnx.load_from_string(whole)
    onnx.save(
        model,
        tmp_path / "net.onnx",
        save_as_external_data=True,
        location="w.bin",
        size_threshold=0,
        convert_attribute=True,
    )
    content, files = (tmp_path / "net.onnx").read_bytes(), {"w.bin": (tmp_path / "w.bin").read_bytes()}
    assert onnx.load_from_string(inlined(content, files)) == onnx.load_from_string(whole)
    assert read(content, files) == read(whole)


@pytest.mark.parametrize(
    "name", ["../w.bin", "parts/../../w.bin", "{folder}/w.bin", "", ".", "link.bin", "w.bin\0", "a\\w.bin", "x" * 5000]
)
def test_a_file_outside_of_the_folder_is_not_read(name: str, tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(WEIGHTS.tobytes())
    folder = project(tmp_path / "net", parted(name.format(folder=tmp_path)))
    (folder / "link.bin").symlink_to(tmp_path / "w.bin")
    with pytest.raises(ProgramError, match=r"not in the project's folder|there is no such file"):
        opened(folder)


def test_a_model_in_a_folder_below_may_name_a_file_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "net.onnx").write_bytes(parted("../w.bin"))
    (tmp_path / "w.bin").write_bytes(WEIGHTS.tobytes())
    assert read_model(tmp_path / "models" / "net.onnx", folder=tmp_path).beside[0][0] == "../w.bin"
    with pytest.raises(ProgramError, match="not in the project's folder"):
        read_model(tmp_path / "models" / "net.onnx")


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"offset": "1"}, "lies at the byte 1"),
        ({"offset": "-4"}, "begins at the byte"),
        ({"offset": "9" * 30}, "begins at the byte"),
        ({"length": "10"}, "is said to have 10"),
        ({"length": "many"}, "has 'many' bytes"),
    ],
)
def test_a_file_that_does_not_have_the_weights(more: dict[str, str], why: str, tmp_path: Path) -> None:
    folder = project(tmp_path / "net", parted("w.bin", **more))
    (folder / "w.bin").write_bytes(WEIGHTS.tobytes())
    with pytest.raises(ProgramError, match=why):
        opened(folder)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match="there is no such file"):
        opened(project(tmp_path / "net", parted("w.bin")))
