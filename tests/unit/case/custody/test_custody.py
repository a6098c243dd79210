"""Cases that are forged on purpose: what `soid case verify` finds out, and what it only says."""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding

from soid.case.case import Case
from soid.case.custody.author_key import AuthorKey
from soid.case.custody.custody import Custody, Expectations
from soid.case.custody.ed25519 import new_key
from soid.case.custody.signatures import ExpectedKey
from soid.case.custody.time_stamp import nonce_in
from soid.case.record.entry import Entry
from soid.case.record.record import Record
from soid.errors import CaseError, ChainError
from soid.examples import folder
from tests.unit.case.clocks import ticking
from tests.unit.case.custody.authority import STAMPED, Authority
from tests.unit.case.custody.counsel import EVE, as_earlier_versions_made_it, put_into, resealed, written_anew

ADA, BEN = new_key(), new_key()
TIME = Authority()
ROOT = TIME.root.public_bytes(Encoding.DER)
BOTH = Expectations((ExpectedKey(ADA.fingerprint, "ada"), ExpectedKey(BEN.fingerprint, "ben")))
STAMP = Expectations(certificates=(ROOT,))


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """A case that Ada and Ben worked on; entries 1 to 4 are stamped, in entry 5."""
    file: Path = tmp_path_factory.mktemp("custody") / "oven.case"
    with Case.create(file, folder("microwave"), who="ada", clock=ticking(), key=AuthorKey(ADA)) as case:
        case.keyframe(3, "the error")
        case.note(1, "begun")
    with Case.open(file, who="ben", clock=ticking(), key=AuthorKey(BEN)) as case:
        case.note(1, "seen")
        anchor = case.anchor()
        response = TIME.stamp(anchor.text, nonce_in(anchor.request))
        case.add_time_stamp(response, [ROOT], anchor.request)
    with Case.open(file, who="ada", clock=lambda: STAMPED + timedelta(hours=1), key=AuthorKey(ADA)) as case:
        case.note(1, "done")
    return file


@pytest.fixture
def file(made, tmp_path) -> Path:
    return Path(shutil.copy(made, tmp_path / "oven.case"))


def looked_at(file: Path, expected: Expectations | None = None) -> Custody:
    with Case.open(file, read_only=True) as case:
        return case.custody(expected)


def test_a_case_says_who_signed_what_and_until_when_it_existed(file):
    before = file.read_bytes()
    found = looked_at(file, Expectations(BOTH.keys, (ROOT,)))
    assert [(key.fingerprint, key.signed[0].name, key.signed[0].entries) for key in found.keys] == [
        (ADA.fingerprint, "ada", (1, 2, 3, 6)),
        (BEN.fingerprint, "ben", (4, 5)),
    ]
    assert (found.unsigned, found.doubts) == ((), ())
    (anchor,) = found.anchors
    assert (anchor.entries, anchor.entry, anchor.time, anchor.trusted) == (4, 5, "2030-01-02T12:00:00.000Z", True)
    assert found.case == Record(file).entries[0].hash
    assert file.read_bytes() == before


def older(entry: Entry) -> Entry:
    return replace(entry, who="eve", when="2020-01-01T00:00:00.000Z")


def test_authors_and_dates_written_anew_without_a_key_are_unsigned(file):
    """The chain of hashes holds; before there were signatures, that was all that was said."""
    entries = Record(file).entries
    put_into(file, written_anew([*entries[:4], entries[5]], older))
    with Case.open(file, read_only=True) as case:
        assert case.verify_chain().number == 5
    found = looked_at(file)
    assert found.keys == () and found.unsigned == (1, 2, 3, 4, 5)
    assert found.words == ("not signed: entries 1 to 5; whoever had the file can have written this, under any name",)
    with pytest.raises(ChainError, match="entries 1 to 5: not signed"):
        looked_at(file, BOTH)
    with pytest.raises(ChainError, match="no time stamp of the case leads to a certificate"):
        looked_at(file, STAMP)


def test_authors_and_dates_written_anew_with_another_key_are_of_that_key(file):
    entries = Record(file).entries
    put_into(file, written_anew([*entries[:4], entries[5]], lambda entry: entry, lambda _: EVE))
    found = looked_at(file)
    assert [key.fingerprint for key in found.keys] == [EVE.fingerprint] and found.keys[0].names == ("ada", "ben")
    assert "one key signed under 2 names (ada, ben)" in found.doubts[0]
    with pytest.raises(ChainError, match=f"entries 1 to 5: signed with another key, {EVE.fingerprint}"):
        looked_at(file, BOTH)


def test_a_co_author_cannot_write_the_others_entries(file):
    """Ben has a key that is expected, and writes the whole case anew with it."""
    entries = Record(file).entries
    put_into(file, written_anew([*entries[:4], entries[5]], lambda entry: entry, lambda _: BEN))
    with pytest.raises(ChainError, match=r"entries 1 to 3, 5: signed as ada with the key \w+, which is not ada's"):
        looked_at(file, BOTH)


def test_with_the_stamp_kept_the_stamped_entries_cannot_be_written_anew(file):
    entries = Record(file).entries
    put_into(file, written_anew(entries, lambda entry: older(entry) if entry.number < 3 else entry, lambda _: EVE))
    with pytest.raises(ChainError, match="entry 5 is no anchor"):
        looked_at(file)


def test_signatures_taken_away_are_missed(file):
    entries = Record(file).entries
    put_into(file, [replace(entry, signature=None) for entry in entries])
    with pytest.raises(ChainError, match="entry 1 says that it was signed with the key") as caught:
        looked_at(file)
    assert caught.value.entry == 1
    put_into(file, [*entries[:5], replace(entries[5], signature=None, key=None)])
    with pytest.raises(ChainError, match="entry 6 is not what was written"):
        looked_at(file)
    last = written_anew(entries)[5]
    put_into(file, [*entries[:5], *resealed([*entries[:5], replace(last, payload=entries[5].payload)])[5:]])
    assert looked_at(file).unsigned == (6,)
    with pytest.raises(ChainError, match="entry 6: not signed"):
        looked_at(file, BOTH)


def test_a_tail_that_was_cut_off_is_found_by_a_hash_that_was_noted(file):
    """Signatures cannot tell: each of the entries that are left is as it was signed."""
    entries = Record(file).entries
    head = entries[-1].hash
    put_into(file, entries[:3])
    assert looked_at(file, Expectations(BOTH.keys[:1])).unsigned == ()
    with Case.open(file, read_only=True) as case, pytest.raises(ChainError, match="no entry has the hash"):
        case.verify_chain(head)
    with pytest.raises(ChainError, match="no time stamp"):  # who knows that there was a stamp misses it
        looked_at(file, STAMP)


@pytest.mark.parametrize("order", [(0, 2, 1, 3, 4, 5), (0, 1, 3, 2, 4, 5), (0, 1, 2, 3, 5, 4)])
def test_entries_in_another_order_are_not_as_they_were_signed(file, order):
    entries = Record(file).entries
    put_into(file, resealed([entries[at] for at in order]))
    with pytest.raises(ChainError, match="was not signed with the key that it names"):
        looked_at(file)


def test_an_entry_of_another_case_of_the_same_author_is_found(file, tmp_path):
    with Case.create(
        tmp_path / "other.case", folder("microwave"), who="ada", title="x", clock=ticking(), key=AuthorKey(ADA)
    ) as other:
        other.keyframe(3, "the error")
        foreign = other.note(1, "it was the door")
    entries = Record(file).entries
    put_into(file, resealed([*entries[:2], foreign, *entries[3:]]))
    with pytest.raises(ChainError, match="entry 3 was not signed with the key that it names"):
        looked_at(file)


def test_a_stamp_of_another_case_is_not_taken(file, tmp_path):
    with Case.create(tmp_path / "other.case", folder("microwave"), who="ada", key=AuthorKey(ADA)) as other:
        anchor = other.anchor()
    with Case.open(file, key=AuthorKey(ADA)) as case:
        count = len(case.entries)
        with pytest.raises(CaseError, match="of something else"):
            case.add_time_stamp(TIME.stamp(anchor.text, nonce_in(anchor.request)), [ROOT], anchor.request)
        assert len(case.entries) == count


def test_a_case_of_an_earlier_version_opens_verifies_and_goes_on(tmp_path, monkeypatch):
    monkeypatch.setenv("SOID_KEY", "none")
    file = tmp_path / "old.case"
    with Case.create(file, folder("microwave"), who="ada") as case:
        case.note(1, "hm")
    as_earlier_versions_made_it(file)
    before = hashlib.sha256(file.read_bytes()).hexdigest()
    assert looked_at(file).unsigned == (1, 2)
    with pytest.raises(ChainError, match="entries 1 to 2: not signed"):
        looked_at(file, BOTH)
    assert hashlib.sha256(file.read_bytes()).hexdigest() == before  # evidence is not changed by looking at it
    reader = Record(file, read_only=True)  # opened before another process goes on with the case
    with Case.open(file, who="ben", key=AuthorKey(BEN)) as case:
        case.note(1, "now signed")
        assert case.custody().unsigned == (1, 2)
    assert [entry.key for entry in reader.entries] == [None, None, BEN.public]
    (key,) = looked_at(file).keys
    assert key.signed[0].entries == (3,)
