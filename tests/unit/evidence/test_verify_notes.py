"""Notes in a bundle: they are told as what somebody said, and whatever they say is no markup."""

import json

from soid.case.case import Case
from soid.case.record.entry import GENESIS, Entry, EntryKind
from soid.evidence import bundle_layout as layout
from soid.evidence.archive import pack, unpack
from soid.evidence.bundle import bundle
from soid.evidence.verification_report import page
from soid.evidence.verify import verify
from soid.examples import folder


def test_notes_are_told_and_those_that_were_taken_back_are_not(tmp_path):
    with Case.create(tmp_path / "oven.case", folder("microwave"), who="ada") as case:
        case.note(1, "a <b>heater</b>")
        case.retract(case.note(1, "a mistake").number, "it was one")
    (tmp_path / "oven.zip").write_bytes(bundle(tmp_path / "oven.case").data)
    found = verify(tmp_path / "oven.zip")
    assert [(note.on, note.text) for note in found.notes] == [(1, "a <b>heater</b>")]
    assert "a &lt;b&gt;heater&lt;/b&gt;" in page(found) and "a mistake" not in page(found)


def test_a_forged_time_is_told_as_it_is(tmp_path):
    with Case.create(tmp_path / "oven.case", folder("microwave"), who="ada") as case:
        case.note(1, "hm")
        first = case.entries[0]
    files = unpack(bundle(tmp_path / "oven.case").data)
    opened = Entry.make(1, EntryKind.OPENED, "eve", "<i>never</i>", first.payload, GENESIS)
    noted = Entry.make(2, EntryKind.NOTE, "eve", "<i>never</i>", {"on": 1, "text": "hm"}, opened.hash)
    lines = [json.dumps(each.row, sort_keys=True, separators=(",", ":")) + "\n" for each in (opened, noted)]
    files[layout.CHAIN] = "".join(lines).encode()
    manifest = json.loads(files.pop(layout.MANIFEST)) | {"head": noted.hash}
    manifest["files"] = layout.hashes(files)
    (tmp_path / "forged.zip").write_bytes(pack({**files, layout.MANIFEST: layout.as_json(manifest)}))
    assert "&lt;i&gt;never&lt;/i&gt;" in page(verify(tmp_path / "forged.zip"))
