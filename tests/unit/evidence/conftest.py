"""Bundles that the tests take apart, made once."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from soid.case.case import Case
from soid.case.custody.ed25519 import signing_key
from soid.evidence.bundle import bundle
from soid.examples import folder

OVEN = (
    "did action == CANCEL",
    "would action == CANCEL if error == true and closed is anything and heat is anything",
    "would action in {CANCEL, CLOSE} if error == true and closed is anything and heat is anything",
    "might action == OPEN if error == true and closed is anything",
)


def bundled(place: Path, project: Path, questions: tuple[str, ...] | None = None, key: Path | None = None) -> bytes:
    """The bundle of a case in which these questions were asked; by default those of the manifest."""
    file = place / "test.case"
    with Case.create(file, project, title="A case", who="ada") as case:
        manifest = case.project_at().manifest
        assert manifest is not None
        for question in manifest.questions if questions is None else questions:
            case.ask(question)
    made = bundle(file, key=None if key is None else signing_key(key))
    assert made.refused == ()
    return made.data


def made_once(name: str, places: pytest.TempPathFactory, make: Callable[[], bytes]) -> bytes:
    """Make a file once; the other test processes reuse it."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    if run is None:
        return make()
    shared = places.getbasetemp().parent / f"{name}-{run}.zip"
    if not shared.exists():
        draft = places.mktemp(name) / "draft"
        draft.write_bytes(make())
        draft.replace(shared)
    return shared.read_bytes()


@pytest.fixture(scope="session")
def oven(tmp_path_factory) -> bytes:
    """A program of SMT-LIB paths, with a fact of every kind."""
    place = tmp_path_factory.mktemp("oven")
    return made_once("oven", tmp_path_factory, lambda: bundled(place, folder("microwave"), OVEN))


@pytest.fixture(scope="session")
def patient(tmp_path_factory) -> bytes:
    """A program in C of several files."""
    place = tmp_path_factory.mktemp("patient")
    return made_once("patient", tmp_path_factory, lambda: bundled(place, folder("diabetes")))
