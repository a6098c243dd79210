"""A bundle as a case again."""

import pytest

from soid.case.bundle_origin import author, last_of_bundle
from soid.case.case import Case
from soid.case.report.document import report
from soid.errors import BundleError, CaseError, ChainError
from soid.evidence.archive import pack, unpack
from soid.evidence.bundle import bundle
from soid.evidence.restored_case import restore
from soid.examples import folder


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    place = tmp_path_factory.mktemp("original")
    with Case.create(place / "oven.case", folder("microwave"), title="The oven", who="ada") as case:
        asked = case.ask("might action == CANCEL if heat is anything")
        case.note(asked.entry.number, "so the heater matters")
    (place / "oven.zip").write_bytes(bundle(place / "oven.case").data)
    return place


def test_a_case_comes_back_entry_by_entry_and_can_be_asked(original, tmp_path):
    with Case.open(original / "oven.case", read_only=True) as before:
        entries = before.entries
    with restore(original / "oven.zip", tmp_path / "again.case", who="ben", name="evidence (2).zip") as case:
        assert case.entries[: len(entries)] == entries
        note = case.entries[len(entries)]
        assert (note.who, note.payload["on"]) == ("ben", 1) and "made of a bundle, evidence (2).zip" in note.payload[
            "text"
        ]
        assert author(note, case.entries) == "ben" and author(entries[-1], case.entries) == "ada, as the bundle says"
        assert "no token was shown for them here" in report(case) and "ada, as the bundle says" in report(case)
        with pytest.raises(CaseError, match="reads as what the case was made of"):
            case.note(1, note.payload["text"])
        case.retract(note.number, "it is not true")
        assert last_of_bundle(case.entries) == len(entries)
        assert case.verify_chain(entries[-1].hash)
        assert case.ask("did action == CLOSE").answer.verdict.value == "yes"
    with pytest.raises(CaseError, match="there already"):
        restore(original / "oven.zip", tmp_path / "again.case")


def test_what_is_forged_becomes_no_case(original, tmp_path):
    files = unpack((original / "oven.zip").read_bytes())
    name = next(each for each in files if each.endswith("log.jsonl"))
    forged = tmp_path / "forged.zip"
    forged.write_bytes(pack({**files, name: files[name] + b" "}))
    with pytest.raises((BundleError, ChainError)):
        restore(forged, tmp_path / "forged.case")
    assert not (tmp_path / "forged.case").exists()
