"""Bundles from strangers: a clean refusal or a clean report, never a traceback, never a file outside the scratch."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from soid.documents import json_of
from soid.errors import BundleError
from soid.evidence import bundle_layout
from soid.evidence import verify as verifying
from soid.evidence.archive import pack, unpack
from soid.evidence.verification_report import Report, Standing
from soid.evidence.verify import verify
from soid.solver.script_solver import ScriptAnswer
from tests.unit.evidence import forging
from tests.unit.evidence.test_archive import archives


class Silent:
    """Solvers that never answer: whether a formula holds is not what is tested here."""

    def __init__(self, names: object) -> None:
        pass

    def __enter__(self) -> Silent:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def check(self, *_: object, **__: object) -> ScriptAnswer:
        return ScriptAnswer("unknown", detail="no solver was asked")


@pytest.fixture
def alone(tmp_path, monkeypatch) -> Iterator[Path]:
    """A folder that holds all that a verification writes; anything else in it was written by mistake."""
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    monkeypatch.setattr(verifying, "ScriptSolver", Silent)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bundle.zip", "scratch"]
    assert list((tmp_path / "scratch").iterdir()) == []


def opened(data: bytes, place: Path) -> Report | None:
    """What comes of a bundle; None: it is refused."""
    (place / "bundle.zip").write_bytes(data)
    try:
        report = verify(place / "bundle.zip", solvers=("bitwuzla",), seconds=5.0)
    except BundleError:
        return None
    json.dumps(json_of(report))
    return report


class Shown(list[bytes]):
    """Bundles, in a message that is not made of their bytes."""

    def __repr__(self) -> str:
        return "bundles"


VALUES: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.text(max_size=8),
    st.sampled_from(
        ["../../x", "/etc/passwd", "0x1", "yes", [], {}, [[]], {"a": 1}, "9" * 5000, "microwave/soid.toml"]
    ),
)


@st.composite
def well_sealed(draw: st.DrawFn, bundles: list[bytes]) -> bytes:
    """A bundle with some values of the record or of its files changed, and with every hash recomputed."""
    data = bundles[0]

    def change(payloads: forging.Payloads) -> None:
        for _ in range(draw(st.integers(0, 3))):
            _somewhere(draw, payloads[draw(st.integers(0, len(payloads) - 1))])

    files = forging.rewritten(data, change)
    for name in draw(st.lists(st.sampled_from(sorted(files)), max_size=2)):
        if name.endswith(".json") and name != bundle_layout.MANIFEST:
            value = json.loads(files[name])
            _somewhere(draw, value)
            files[name] = bundle_layout.as_json(value)
        elif name not in (bundle_layout.MANIFEST, bundle_layout.CHAIN):
            files[name] = _edited(draw, files[name])
    manifest = json.loads(files[bundle_layout.MANIFEST])
    if draw(st.integers(0, 4)) == 0:
        _somewhere(draw, manifest)
    listed = {
        name: content
        for name, content in files.items()
        if name not in (bundle_layout.MANIFEST, bundle_layout.SIGNATURE)
    }
    head = forging.head_of(files)
    files[bundle_layout.MANIFEST] = bundle_layout.as_json(
        manifest | {"files": bundle_layout.hashes(listed), "head": head}
    )
    return pack(files)


def _edited(draw: st.DrawFn, content: bytes) -> bytes:
    first = draw(st.integers(0, len(content)))
    last = draw(st.integers(first, min(len(content), first + 40)))
    return content[:first] + draw(st.binary(max_size=12)) + content[last:]


def _somewhere(draw: st.DrawFn, value: Any) -> None:
    """Change one thing, some levels down."""
    while True:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        if not keys:
            return
        key = draw(st.sampled_from(keys))
        if isinstance(value[key], dict | list) and value[key] and draw(st.integers(0, 3)):
            value = value[key]
            continue
        if isinstance(value, dict) and draw(st.booleans()):
            del value[key]
        else:
            value[key] = draw(VALUES)
        return


def tried(given_data: bytes, original: bytes, place: Path) -> None:
    report = opened(given_data, place)
    if report is not None and given_data != original:
        # the solvers here never answer, so nothing may ever count as proved
        assert Standing.REPROVED not in {fact.standing for fact in report.facts}


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_stranger_is_refused_or_reported_on(alone, oven):
    @given(data=st.one_of(archives(), well_sealed(Shown([oven]))))
    @settings(max_examples=60)
    def each(data: bytes) -> None:
        tried(data, oven, alone)

    each()


@pytest.mark.fuzz
@pytest.mark.parametrize("part", range(40))  # 10,000 in all, in parts that a test may take
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_ten_thousand_strangers_are_refused_or_reported_on(part, alone, oven):
    @seed(part)
    @given(data=st.one_of(archives(), archives(), archives(), well_sealed(Shown([oven]))))
    @settings(max_examples=250)
    def each(data: bytes) -> None:
        tried(data, oven, alone)

    each()


def test_the_original_is_reported_on(alone, oven):
    report = opened(oven, alone)
    assert report is not None
    assert {fact.standing for fact in report.facts} == {Standing.REEXPLORED}
    assert unpack(oven)
