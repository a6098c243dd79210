"""`soid` in a copy of an example, as a user runs it: without a terminal, and without what colours the output."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from soid.examples import folder
from tests.e2e.running import Soid


@pytest.fixture(scope="session")
def command() -> Path:
    found = shutil.which("soid", path=str(Path(sys.executable).parent))
    assert found is not None, "soid is not installed beside this Python"
    return Path(found)


@pytest.fixture
def environment(tmp_path) -> dict[str, str]:
    """The user's, without what would colour the output or change its width."""
    dropped = {"NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "TERM", "XDG_STATE_HOME"}
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    return kept | {"COLUMNS": "80", "TERM": "xterm-256color", "XDG_STATE_HOME": str(tmp_path / "state")}


@pytest.fixture
def microwave(tmp_path, command, environment) -> Soid:
    """A copy of the microwave example that a test may spoil."""
    project = tmp_path / "microwave"
    shutil.copytree(folder("microwave"), project, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    return Soid(command, project, environment)


@pytest.fixture
def hard(tmp_path, command, environment) -> Soid:
    """A program about which one question is beyond every solver: it recognises two factors of a 128-bit number."""
    project = tmp_path / "hard"
    shutil.copytree(Path(__file__).parent / "hard", project)
    return Soid(command, project, environment)
