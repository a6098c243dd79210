"""Cases bundled, carried to an empty folder, and verified there by solvers other than those that answered."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from soid.cli import main
from soid.engine.llvm.compiler.c_library import sources_digest
from soid.evidence import obligations
from soid.evidence.verification_report import Report, Standing
from soid.evidence.verify import verify
from soid.examples import folder
from tests.e2e.test_docs import DOCS
from tests.json_page import misfits
from tests.unit.evidence.conftest import bundled

CASES = ("crash/impatient", "crash/pathological", "crash/standard", "diabetes", "pedestrian", "pedestrian/self_reliant")


def project(name: str) -> Path:
    example, _, below = name.partition("/")
    return folder(example) / below


def carried(name: str, place: Path) -> Path:
    """The bundle of an example with all the questions of its manifest, alone in a folder."""
    (place / "made").mkdir()
    (place / "empty").mkdir()
    data = bundled(place / "made", project(name))
    (place / "empty" / "case.zip").write_bytes(data)
    return place / "empty" / "case.zip"


def proved_by_others(report: Report) -> bool:
    proofs = [check for fact in report.facts for check in fact.checks if check.about.endswith(".smt2")]
    return bool(proofs) and all("(z3)" in check.words or "(cvc5)" in check.words for check in proofs)


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", CASES)
def test_every_fact_of_a_case_is_proved_again(name, tmp_path):
    file = carried(name, tmp_path)
    began = time.monotonic()
    report = verify(file)
    seconds = time.monotonic() - began
    assert {fact.standing for fact in report.facts} == {Standing.REPROVED}
    assert proved_by_others(report)
    assert seconds < 300


def test_a_case_is_bundled_and_verified_from_the_command_line(microwave):
    microwave("case", "new", "oven.case")
    microwave("case", "ask", "oven.case", "might action == CANCEL if heat is anything")
    made = microwave("bundle", "oven.case", "--json")
    assert made.status == 0, made.err
    said = made.json
    assert misfits(said, "bundle") == {}
    assert (said["bundle"], said["facts"], said["refused"], said["signed"]) == ("oven.zip", [3], [], False)
    (microwave.project / "oven.case").unlink()
    done = microwave("verify", "oven.zip", "--html", "page.html")
    assert done.status == 0, done.err
    assert "1 fact: 1 re-proved" in done.out
    assert "re-proved" in (microwave.project / "page.html").read_text()
    assert microwave("bundle", "oven.case", "--json").status == 25
    said = microwave("verify", "oven.zip", "--json").json
    assert misfits(said, "verify") == {} and said["facts"][0]["standing"] == "re-proved"


def test_a_proof_through_soids_own_library_is_proved_again(tmp_path):
    """The library is no file of the case: the verifier's soid has a copy, and BUILD the hash of its sources."""
    (tmp_path / "program.c").write_text(
        "#include <stdlib.h>\nint decide(const char *text) { return atoi(text) > 40; }\n"
    )
    (tmp_path / "log.jsonl").write_text('{"text": [49, 50, 0]}\n')
    (tmp_path / "soid.toml").write_text(
        '[program]\nengine = "c"\nsources = ["program.c"]\nentry = "decide"\n[lengths]\ntext = 3\n'
        '[trace]\nfile = "log.jsonl"\n'
    )
    data = bundled(tmp_path, tmp_path, ("would return == 1 if text[0] in {53..57}",))
    assert sources_digest().encode() in data
    (tmp_path / "case.zip").write_bytes(data)
    assert {fact.standing for fact in verify(tmp_path / "case.zip").facts} == {Standing.REPROVED}


def test_a_damaged_bundle_is_refused_in_words(microwave):
    microwave.write("x.zip", "nothing of the kind")
    done = microwave("verify", "x.zip")
    assert done.status == 27
    assert "no bundle" in done.err and "Traceback" not in done.err
    assert microwave("verify", "x.zip", "--json").json["error"]["type"] == "BundleError"


def test_the_page_about_evidence_says_what_is_so(capsys):
    page = (DOCS / "evidence.md").read_text()
    custody = (["case", each] for each in ("new", "verify", "anchor", "attest", "key"))
    assert not any(main([*command, "--help"]) for command in (["bundle"], ["verify"], ["log", "check"], *custody))
    known = set(re.findall(r"--[a-z-]+", capsys.readouterr().out))
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", page)) <= known
    assert all(f"| {standing.value} |" in page for standing in Standing)
    names = {obligations.PRECONDITION, obligations.PATHS, obligations.SCENARIO, obligations.OUTCOME}
    names.add(obligations.EVERYWHERE)
    assert all(f"| `{name}.smt2` |" in page for name in names | obligations.PROOFS)
