"""Signatures of entries: whoever lacks the key changes nothing that was signed, and what is not signed is said."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from soid.case.custody.ed25519 import new_key, public_pem
from soid.case.custody.signatures import (
    ExpectedKey,
    UsedKey,
    doubts,
    expected_key,
    numbered,
    shown,
    unexpected,
    unsigned,
    used_keys,
    wrong_signature,
)
from soid.case.record.entry import Entry, EntryKind, seal, signed_text
from soid.errors import CaseError
from tests.unit.case.custody.counsel import EVE, MOMENT, chain, resealed, written_anew

ADA, BEN = new_key(), new_key()
SIGNED = chain(6, ADA)


def expected(*keys: object) -> tuple[ExpectedKey, ...]:
    return tuple(ExpectedKey(key.fingerprint) for key in keys)  # type: ignore[attr-defined]


def test_what_is_signed_is_what_the_documentation_says():
    entry = SIGNED[3]
    line = f"soid entry 4 of case {SIGNED[0].hash}: {entry.hash}\n"
    assert signed_text(SIGNED[0].hash, 4, entry.hash) == line.encode()
    assert entry.signature == ADA.sign(line.encode())
    assert SIGNED[0].signature == ADA.sign(f"soid entry 1 of case {SIGNED[0].hash}: {SIGNED[0].hash}\n".encode())


def test_the_hash_of_an_unsigned_entry_is_that_of_earlier_versions():
    entry = Entry.make(1, EntryKind.NOTE, "ada", MOMENT, {}, "0" * 64)
    assert entry.key is entry.signature is None
    assert entry.hash == seal(1, "note", "ada", MOMENT, "{}", "0" * 64) != SIGNED[0].hash
    assert entry.row.keys() == {"number", "kind", "who", "when", "payload", "previous", "hash"}


def test_who_signed_what_is_said():
    entries = (*SIGNED[:3], *written_anew(SIGNED)[3:])
    (key,) = used_keys(SIGNED)
    assert wrong_signature(SIGNED) is None
    assert (key.fingerprint, key.names) == (ADA.fingerprint, ("ada",))
    assert key.words == f"signed with the key {ADA.fingerprint}: entries 1 to 6 as ada"
    assert unsigned(SIGNED) == () and unsigned(entries) == (4, 5, 6)


@settings(max_examples=60)
@given(data=st.data())
def test_without_the_key_no_signed_entry_can_be_changed(data):
    """Author, date, kind, payload of any entry, all hashes made to fit: the first changed entry is named."""
    at = data.draw(st.integers(0, len(SIGNED) - 1))
    field = data.draw(st.sampled_from(["who", "when", "text", "kind"]))
    old = SIGNED[at]
    if field == "kind":
        new = data.draw(st.sampled_from([kind for kind in EntryKind if kind is not old.kind]))
    else:
        texts = st.text(st.characters(codec="ascii"), max_size=5)
        new = data.draw(texts.filter(lambda text: text != getattr(old, field)))
    forged = resealed([*SIGNED[:at], replace(old, **{field: new}), *SIGNED[at + 1 :]])
    wrong = wrong_signature(forged)
    # if the first entry is another one, the case is another one
    assert wrong is not None and wrong.number == at + 1


@settings(max_examples=60)
@given(order=st.permutations(range(6)), cut=st.integers(1, 6))
def test_signed_entries_cannot_be_reordered_or_taken_out(order, cut):
    kept = [SIGNED[at] for at in order[:cut]]
    forged = resealed(kept)
    untouched = [entry.number for entry in kept] == list(range(1, cut + 1))
    assert (wrong_signature(forged) is None) == untouched  # a prefix holds: only its head tells that it is one


def test_a_signed_entry_of_another_case_does_not_fit():
    """The same author, the same number, the same words: it belongs to its own case."""
    other = chain(6, ADA, title="another")
    forged = resealed([*SIGNED[:3], other[3], *SIGNED[4:]])
    wrong = wrong_signature(forged)
    assert wrong is not None and wrong.number == 4
    entries = (*SIGNED[:3], replace(SIGNED[3], signature=other[3].signature), *SIGNED[4:])
    wrong = wrong_signature(entries)
    assert wrong is not None and (wrong.number, ADA.fingerprint in wrong.words) == (4, True)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"signature": None}, "has no signature"),
        ({"key": None}, "does not say with which key"),
        ({"key": EVE.public}, "not signed with the key"),
        ({"key": "ab"}, "is no key"),
        ({"key": ADA.public.upper()}, "is no key"),
        ({"signature": "ab"}, "not signed with the key"),
        ({"signature": "0" * 128}, "not signed with the key"),
        ({"signature": SIGNED[1].signature}, "not signed with the key"),
    ],
)
def test_a_signature_that_is_missing_or_of_another_is_named(change, words):
    wrong = wrong_signature((*SIGNED[:4], replace(SIGNED[4], **change), SIGNED[5]))
    assert wrong is not None and wrong.number == 5 and words in wrong.words


def test_a_chain_that_was_written_anew_is_not_signed_or_signed_by_another():
    """Somebody else's names and dates: without a signature, or with the forger's."""

    def older(entry: Entry) -> Entry:
        return replace(entry, who="ben", when="2020-01-01T00:00:00.000Z")

    anyone = written_anew(SIGNED, older)
    assert wrong_signature(anyone) is None and unsigned(anyone) == (1, 2, 3, 4, 5, 6)
    assert unexpected(anyone, expected(ADA)) == ("entries 1 to 6: not signed",)
    eves = written_anew(SIGNED, older, lambda _: EVE)
    assert wrong_signature(eves) is None and [key.fingerprint for key in used_keys(eves)] == [EVE.fingerprint]
    assert unexpected(eves, expected(ADA)) == (f"entries 1 to 6: signed with another key, {EVE.fingerprint}",)


def test_one_unsigned_entry_is_enough_to_be_unexpected():
    mixed = written_anew(SIGNED, signer=lambda entry: None if entry.number == 4 else ADA)
    assert unexpected(SIGNED, expected(ADA)) == ()
    assert unexpected(SIGNED, expected(ADA, BEN)) == ()
    assert unexpected(mixed, expected(ADA)) == ("entry 4: not signed",)


def test_a_key_signs_under_its_own_name():
    """Ben has a key of his own, and signs one entry as Ada."""
    both = written_anew(
        SIGNED,
        lambda entry: replace(entry, who="ben") if entry.number == 3 else entry,
        lambda entry: BEN if entry.number >= 3 else ADA,
    )
    assert unexpected(both, expected(ADA, BEN)) == ()  # the names were not asked for
    named = (ExpectedKey(ADA.fingerprint, "ada"), ExpectedKey(BEN.fingerprint, "ben"))
    words = f"entries 4 to 6: signed as ada with the key {BEN.fingerprint}, which is not ada's"
    assert unexpected(both, named) == (words,)
    assert unexpected(both, (named[0], ExpectedKey(BEN.fingerprint))) == (words,)  # ada's key is known, so not ben's
    several, same = doubts(used_keys(both))
    assert "2 names (ben, ada)" in several and "2 keys signed under the name ada" in same
    assert doubts(used_keys(SIGNED)) == ()


def test_expected_keys_are_files_or_fingerprints(tmp_path):
    file = tmp_path / "a=b.pem"
    file.write_text(public_pem(ADA.public))
    fingerprint = ADA.fingerprint
    for text in (str(file), fingerprint, fingerprint.upper(), f"ada={file}", f"ada={fingerprint}"):
        assert expected_key(text) == ExpectedKey(fingerprint, "ada" if text.startswith("ada=") else None)
    for text in ("nowhere.pem", "ada=nowhere.pem", fingerprint[:-1], ""):
        with pytest.raises(CaseError):
            expected_key(text)
    file.write_text("no key")
    with pytest.raises(CaseError, match="no public key"):
        expected_key(str(file))


def test_names_that_hide_what_they_are_are_shown_as_they_are():
    key = UsedKey(ADA.fingerprint, ADA.public, used_keys(chain(1, ADA, who="ada\u202egro"))[0].signed)
    assert "ada[U+202E]gro" in key.words and "\u202e" not in key.words
    assert shown("a\ud800\x1b") == "a[U+D800][U+001B]"


@given(numbers=st.sets(st.integers(1, 40), min_size=1))
def test_numbers_in_words_are_these_numbers(numbers):
    words = numbered(sorted(numbers)).split(" ", 1)[1]
    spans = [part.split(" to ") for part in words.split(", ")]
    assert {n for span in spans for n in range(int(span[0]), int(span[-1]) + 1)} == numbers
