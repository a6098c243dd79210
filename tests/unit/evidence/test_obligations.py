"""A recorded verdict about a decision that the program leaves as it was: no formula bears it out."""

from __future__ import annotations

import pytest

from soid import Project, Verdict
from soid.budget import Cancellation
from soid.evidence.derivation import ExaminedMoment, Means, RecordedClaim, derive
from soid.formula.checker import Impossible
from soid.query.language.query_parser import parse

SOURCE = "int siren; int f(int x) { if (x > 3) siren = 1; else if (x < 0) siren = 0; return x; }"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("kept")
    (folder / "p.c").write_text(SOURCE)
    (folder / "log.jsonl").write_text('{"x": 1}\n')
    (folder / "soid.toml").write_text(
        '[program]\nengine = "c"\nsources = ["p.c"]\nentry = "f"\n[trace]\nfile = "log.jsonl"\n'
    )
    return Project.open(folder)


def borne_out(project: Project, text: str, verdict: Verdict, x: int) -> bool:
    """Whether every formula of a claim has the answer that it needs."""
    query = parse(text, project.program.interface)
    examined = ExaminedMoment(project.program, project.engine, None, project.keyframe)
    means = Means(project.solver, 30.0, Cancellation())
    derivation = derive(examined, RecordedClaim(examined.query(query), verdict, {"x": x}), means)
    return all(isinstance(means.check(o.terms), Impossible) == (o.expected == "unsat") for o in derivation.obligations)


@pytest.mark.parametrize("verdict", [Verdict.YES, Verdict.NO])
@pytest.mark.parametrize(
    ("text", "x"),
    [
        ("did siren == 1", 1),
        ("did siren == 0", 1),
        ("did siren == 1 or siren == 0", 1),
        ("would siren == 1 if x in {0..3}", 2),
        ("might siren == 1 if x in {0..3}", 2),
        ("would siren == 1 if x in {0..4}", 2),
        ("might siren == 7 if x is anything", 4),
    ],
)
def test_what_is_kept_proves_nothing(project: Project, text: str, x: int, verdict: Verdict) -> None:
    assert project.ask(text).verdict is Verdict.UNKNOWN
    assert not borne_out(project, text, verdict, x)


@pytest.mark.parametrize(
    ("text", "x"),
    [
        ("would siren == 1 if x > 3", 4),
        ("would siren == 1 if x is anything", (1 << 32) - 1),
        ("might siren == 1 if x is anything", 4),
        ("might siren == 1 if x < 0", (1 << 32) - 1),
        ("did siren == 1 or return == 1", 1),
        ("did siren == 1 and return == 2", 1),
    ],
)
def test_what_is_set_does(project: Project, text: str, x: int) -> None:
    verdict = project.ask(text).verdict
    other = Verdict.NO if verdict is Verdict.YES else Verdict.YES
    assert verdict.is_definite
    assert borne_out(project, text, verdict, x) and not borne_out(project, text, other, x)
