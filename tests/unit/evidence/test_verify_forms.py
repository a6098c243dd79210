"""Bundles about networks in C: boxes in which affine forms show what no solver does; and forged ones."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from soid.evidence import bundle_layout
from soid.evidence.archive import unpack
from soid.evidence.verification_report import Standing
from soid.solver import affine_search
from tests.unit.evidence import forging
from tests.unit.evidence.conftest import bundled, made_once
from tests.unit.evidence.test_verify import checked
from tests.unit.evidence.test_verify_models import COVER, cover_changed, noted

MANIFEST = """
[program]
engine = "c"
sources = ["net.c"]
entry = "decide"
[trace]
file = "log.jsonl"
[variables]
"in->a" = { domain = [-1.0, 1.0] }
"in->b" = { domain = [-1.0, 1.0] }
"""
#: one about ReLUs, and one about tanh; what they give is never so great
QUESTIONS = (
    "would out.first < 6.5 if in.a is anything and in.b is anything",
    "would out.second < 1.1 if in.a is anything and in.b is anything",
)


def layer(random: Random, name: str, fan: int, size: int, given: str, made: str) -> list[str]:
    rows = ",".join("{" + ",".join(f"{random.gauss(0, 0.8):.6f}f" for _ in range(fan)) + "}" for _ in range(size))
    return [
        f"static const float w{name}[{size}][{fan}] = {{{rows}}};",
        f"static void {name}(const float *{given}, float *to) {{ for (int i = 0; i < {size}; i++) {{ float s = 0.1f;",
        f"  for (int j = 0; j < {fan}; j++) s += w{name}[i][j] * {given}[j]; to[i] = {made}; }} }}",
    ]


def source() -> str:
    random, lines = Random(4), ["#include <math.h>"]
    for kind, made in (("relu", "fmaxf(s, 0.0f)"), ("tanh", "tanhf(s)")):
        lines += layer(random, f"{kind}_first", 2, 6, "x", made)
        lines += layer(random, f"{kind}_second", 6, 6, "x", made)
        lines += layer(random, f"{kind}_last", 6, 1, "x", "s")
    lines += ["struct in { float a, b; };", "struct out { float first, second; };"]
    lines += ["void decide(const struct in *in, struct out *out) { float v[2] = { in->a, in->b }, h[6], g[6];"]
    for kind, to in (("relu", "first"), ("tanh", "second")):
        lines.append(f"  {kind}_first(v, h); {kind}_second(h, g); {kind}_last(g, &out->{to});")
    return "\n".join([*lines, "}\n"])


def network_project(place: Path) -> Path:
    place.mkdir()
    (place / "net.c").write_text(source())
    (place / "soid.toml").write_text(MANIFEST)
    (place / "log.jsonl").write_text('{"in->a": 0.3, "in->b": -0.2}\n')
    return place


@pytest.fixture(scope="session")
def network(tmp_path_factory) -> bytes:
    place = tmp_path_factory.mktemp("network")
    made = lambda: bundled(place, network_project(place / "network"), QUESTIONS)  # noqa: E731
    return made_once("network-in-c", tmp_path_factory, made)


def of(data: bytes, question: int) -> int:
    return forging.facts_in(data)[question]


def standings(data: bytes, place: Path, **options: Any) -> list[Standing]:
    return [fact.standing for fact in checked(data, place, **options).facts]


def test_proofs_about_networks_in_c_are_checked_again_without_a_search(network, tmp_path, monkeypatch):
    monkeypatch.setattr(affine_search, "cover_by_forms", None)
    report = checked(network, tmp_path)
    assert [fact.standing for fact in report.facts] == [Standing.REPROVED] * len(QUESTIONS)
    for fact in report.facts:
        assert noted(fact, "explored.smt2")[1].startswith("unsat (boxes by affine forms): no scenario")


@pytest.mark.parametrize("question", range(len(QUESTIONS)))
def test_a_cover_has_boxes_alone(network, question):
    folder = bundle_layout.folder(of(network, question))
    cover = json.loads(unpack(network)[folder + COVER])
    assert cover.keys() == {"variables", "boxes", "forms"} and cover["forms"] is True
    assert len(cover["boxes"]) > 1


def inside(cover: dict[str, Any]) -> int:
    """The number of a box whose sides are finite numbers."""
    return next(
        number
        for number, box in enumerate(cover["boxes"])
        if all(-1065353217 <= low <= high <= 1065353216 for low, high in box)
    )


def _altered(cover: dict[str, Any]) -> None:
    cover["boxes"][inside(cover)][0][1] -= 1


def _dropped(cover: dict[str, Any]) -> None:
    del cover["boxes"][inside(cover)]


def _widened(cover: dict[str, Any]) -> None:
    cover["boxes"][inside(cover)][0][1] += 1000


def _one_for_all(cover: dict[str, Any]) -> None:
    cover["boxes"] = [[[-(2**31), 2**31 - 1]] * len(cover["variables"])]


@pytest.mark.parametrize(
    ("change", "standing", "words"),
    [
        (_altered, Standing.REFUTED, "leaves states out"),
        (_dropped, Standing.REFUTED, "leaves states out"),
        (_widened, Standing.REFUTED, "leaves states out"),
        (_one_for_all, Standing.REEXPLORED, "no condition excludes the box"),
    ],
)
def test_a_forged_cover_proves_nothing(change, standing, words, network, tmp_path):
    number = of(network, 0)
    forged = cover_changed(network, change, number)
    report = checked(forged, tmp_path)
    assert report.facts[0].standing is standing and report.facts[1].standing is Standing.REPROVED
    assert words in noted(report.facts[0], "explored.smt2")[1]


def test_weights_that_were_changed_after_the_proof_refute_it(network, tmp_path):
    """The program, its module and its hashes fit each other; the proof is of another one."""
    weight = unpack(network)[bundle_layout.PROJECT + "network/net.c"].split(b"{{")[1].split(b"f")[0]
    forged = forging.source_changed(network, "network/net.c", b"{{" + weight, b"{{" + b"9" + weight.lstrip(b"-"))
    forged = forging.compiled_anew(forged, tmp_path)
    assert Standing.REPROVED not in standings(forged, tmp_path, seconds=1.0)[:1]


def test_a_proof_of_what_is_not_so_is_refuted(network, tmp_path):
    assert standings(forging.verdict_turned(network, of(network, 0)), tmp_path)[0] is Standing.REFUTED
