"""A case on the microwave operator, made once; each test has a copy of it that it may spoil."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from soid.case.case import Case
from soid.examples import folder
from tests.unit.case.clocks import ticking


@pytest.fixture(scope="session")
def new_case(tmp_path_factory) -> Path:
    """A case in which nothing was asked yet."""
    file: Path = tmp_path_factory.mktemp("cases") / "oven.case"
    Case.create(file, folder("microwave"), title="The oven", who="ada", clock=ticking()).close()
    return file


@pytest.fixture
def oven(new_case, tmp_path) -> Path:
    return Path(shutil.copy(new_case, tmp_path / "oven.case"))


@pytest.fixture(scope="session")
def asked_case(new_case, tmp_path_factory) -> Path:
    """A case with an entry of nearly every kind."""
    file = Path(shutil.copy(new_case, tmp_path_factory.mktemp("cases") / "asked.case"))
    with Case.open(file, who="ben", clock=ticking()) as case:
        case.keyframe(3, "the error")
        answer = case.ask("might action == CANCEL if heat is anything", step="the error").entry
        case.note(answer.number, "so the heater matters")
        case.ask("would action == CANCEL if error == true and closed == true and heat is anything")
        case.ask("would action == CANCEL")
        case.retract(answer.number, "asked about the wrong moment")
    return file


@pytest.fixture
def asked(asked_case, tmp_path) -> Path:
    return Path(shutil.copy(asked_case, tmp_path / "asked.case"))


@pytest.fixture
def opened(oven) -> Callable[[], Case]:
    return lambda: Case.open(oven, who="ben", clock=ticking())
