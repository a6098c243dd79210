"""The bill of materials of a bundle: in the form of CycloneDX, the same for the same software, and no proof."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from cyclonedx.schema import _res as schemas

import soid
from soid.errors import BundleError
from soid.evidence import bundle_layout as layout
from soid.evidence.archive import unpack
from soid.evidence.checks import Check, CheckOutcome
from soid.evidence.software_bill import CONTENT, SPECIFICATION, bill_of_materials, differences, release_bill
from soid.evidence.verification_report import Standing
from soid.evidence.verify import verify
from tests.unit.evidence import forging


@pytest.fixture(scope="module")
def official() -> jsonschema_rs.Validator:
    """The specification's own schema."""
    folder = Path(str(schemas.__file__)).parent

    def read(name: str) -> Any:
        return json.loads((folder / f"{name}.SNAPSHOT.schema.json").read_text(encoding="utf-8"))

    others = ("spdx", "jsf-0.82", "cryptography-defs")
    used = [(f"http://cyclonedx.org/schema/{name}.SNAPSHOT.schema.json", read(name)) for name in others]
    schema = read(f"bom-{SPECIFICATION}")
    return jsonschema_rs.validator_for(schema, registry=jsonschema_rs.Registry(used), validate_formats=True)


def bill_in(data: bytes) -> dict[str, Any]:
    return layout.read_json(layout.BILL, unpack(data)[layout.BILL])


def component(bill: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = [one for one in bill["components"] if one["name"] == name]
    return dict(found)


def test_it_has_the_form_of_the_specification(official, oven, patient, tmp_path):
    wheel = tmp_path / "soid.whl"
    wheel.write_bytes(b"a wheel")
    for bill in (bill_in(oven), bill_in(patient), release_bill(wheel), bill_of_materials({"compiler": "cc 1"}, None)):
        assert [str(error) for error in official.iter_errors(bill)] == []
        changed = {**bill, "components": [{**bill["components"][0], "type": "something else"}]}
        assert not official.is_valid(changed)


def test_it_lists_what_took_part(patient):
    bill = bill_in(patient)
    assert bill["metadata"]["component"]["name"] == "soid"
    for name in ("bitwuzla", "z3-solver", "cvc5", "llvmlite", "ziglang", "cryptography", "SQLAlchemy"):
        found = component(bill, name)
        assert found["version"] == metadata.version(name)
        (content,) = found["properties"]
        assert content["name"] == CONTENT and len(content["value"]) == 64
    assert component(bill, "clang")["version"].split(".")[0].isdecimal()
    assert {"CPython", "glibc"} <= {one["name"] for one in bill["components"]}
    assert "pytest" not in {one["name"] for one in bill["components"]}  # no part of what soid needs
    listed = {one["bom-ref"] for one in bill["components"]} | {bill["metadata"]["component"]["bom-ref"]}
    assert {each for one in bill["dependencies"] for each in (one["ref"], *one["dependsOn"])} <= listed
    contents = [one["properties"][0]["value"] for one in bill["components"] if "properties" in one]
    assert len(set(contents)) == len(contents)


@pytest.mark.parametrize(
    ("signed", "number"), [("clang version 22.1.0 (x)", "22.1.0"), ("Debian clang version 19.1.7 (3)", "19.1.7")]
)
def test_the_clang_that_signed_a_module_is_listed_whoever_packed_it(signed, number):
    bill = bill_of_materials({"compiler": "cc 1"}, f'!0 = !{{!"{signed}"}}\n'.encode())
    assert component(bill, "clang")["version"] == number and component(bill, "compiler")["version"] == "cc 1"


HASHED = """
import json, sys
sys.path.insert(0, sys.argv[1])
from soid.evidence.software_bill import CONTENT, bill_of_materials
(told,) = bill_of_materials({}, None)["metadata"]["component"]["properties"]
assert told["name"] == CONTENT
print(told["value"])
"""


def test_the_hash_of_soid_s_code_is_the_same_where_its_manual_is_built(tmp_path):
    """A checkout may have the pages or not, a wheel has them; a changed module is another soid."""
    package = tmp_path / "soid"
    shutil.copytree(
        Path(soid.__file__).parent, package, ignore=shutil.ignore_patterns("manual", "__pycache__", "examples", "web")
    )

    def hashed():
        command = [sys.executable, "-c", HASHED, str(tmp_path)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    plain = hashed()
    (package / "manual" / "guide").mkdir(parents=True)
    (package / "manual" / "guide" / "first.html").write_text("a page")
    assert hashed() == plain
    (package / "more.py").write_text("x = 1")
    assert hashed() != plain


def test_it_depends_on_the_software_alone(oven, patient, tmp_path):
    assert "timestamp" not in json.dumps(bill_in(oven))
    again = bill_of_materials({}, None)
    assert again == bill_in(oven)
    assert again["serialNumber"] != bill_in(patient)["serialNumber"]  # the clang of its module is on it
    wheel = tmp_path / "soid.whl"
    wheel.write_bytes(b"a wheel")
    assert release_bill(wheel)["serialNumber"] != again["serialNumber"]


def the_software(data: bytes, place: Path) -> tuple[Check, set[Standing]]:
    file = place / "bundle.zip"
    file.write_bytes(data)
    report = verify(file, solvers=("bitwuzla", "cvc5"))
    (check,) = [check for check in report.checks if check.about == "the software"]
    return check, {fact.standing for fact in report.facts}


def test_other_versions_are_told_and_change_nothing(oven, tmp_path):
    check, standings = the_software(oven, tmp_path)
    assert "the very versions" in check.words and standings == {Standing.REPROVED}
    files = unpack(oven)
    bill = bill_in(oven)
    bill["components"] = [one for one in bill["components"] if one["name"] != "lark"]
    component_of_z3 = next(one for one in bill["components"] if one["name"] == "z3-solver")
    component_of_z3["version"] = "4.8.5"
    bill["components"].append({"type": "library", "name": "extra", "version": "1"})
    check, standings = the_software(forging.sealed({**files, layout.BILL: layout.as_json(bill)}), tmp_path)
    assert f"z3-solver 4.8.5 (here {metadata.version('z3-solver')})" in check.words
    assert "extra 1 (here none)" in check.words and "no lark (here" in check.words
    assert check.outcome is CheckOutcome.CONFIRMED and standings == {Standing.REPROVED}


def test_a_bundle_of_an_earlier_version_has_none(oven, tmp_path):
    files = {name: data for name, data in unpack(oven).items() if name != layout.BILL}
    check, standings = the_software(forging.sealed(files), tmp_path)
    assert check.outcome is CheckOutcome.OPEN and standings == {Standing.REPROVED}


@pytest.mark.parametrize(
    "bill",
    [
        {},
        {"metadata": 1},
        {"metadata": {}, "components": [1]},
        {"metadata": {}, "components": [{"name": []}]},
        {"metadata": {"component": {"name": "soid", "version": 1}}, "components": []},
    ],
)
def test_what_is_no_bill_is_refused(bill):
    with pytest.raises(BundleError):
        differences(bill, bill_of_materials({}, None))
