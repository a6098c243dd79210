"""A case of the oven, for the tests of the prompt."""

from __future__ import annotations

from pathlib import Path

import pytest

from soid.case.case import Case
from soid.examples import folder


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    file = tmp_path_factory.mktemp("made") / "oven.case"
    Case.create(file, folder("microwave"), title="The oven", who="ada").close()
    return file.read_bytes()


@pytest.fixture
def file(tmp_path: Path, made: bytes) -> Path:
    file = tmp_path / "oven.case"
    file.write_bytes(made)
    return file
