"""Anchors: the entries up to a stamped head existed at its time, and nobody can stamp another history afterwards."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import Encoding
from hypothesis import given, settings
from hypothesis import strategies as st

from soid.case.custody.anchor import anchor, anchor_text, checked_anchors, stamped
from soid.case.custody.ed25519 import new_key
from soid.case.custody.time_stamp import hash_in, nonce_in
from soid.case.record.entry import Entry, EntryKind, canonical
from soid.case.record.payload_shapes import misfit
from soid.errors import CaseError
from tests.unit.case.custody.authority import STAMPED, Authority
from tests.unit.case.custody.counsel import EVE, chain, written_anew

ADA = new_key()
TIME = Authority()
ROOT = TIME.root.public_bytes(Encoding.DER)
BEFORE = chain(5, ADA)


def added(entries: tuple[Entry, ...], kind: EntryKind, payload: dict[str, Any], when: str) -> tuple[Entry, ...]:
    number, case = len(entries) + 1, entries[0].hash
    return (*entries, Entry.make(number, kind, "ada", when, payload, entries[-1].hash, signer=ADA, case=case))


def written(offset: timedelta) -> str:
    return (STAMPED + offset).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def stamp(entries: tuple[Entry, ...], by: Authority = TIME) -> dict[str, Any]:
    """The payload of an anchor: the head is stamped, and the response comes back."""
    made = anchor(entries)
    nonce = nonce_in(made.request)
    return stamped(entries, by.stamp(made.text, nonce), nonce, [by.root.public_bytes(Encoding.DER)])


ANCHORED = added(BEFORE, EntryKind.ANCHORED, stamp(BEFORE), written(timedelta(seconds=30)))


def test_an_anchor_is_a_small_text_that_follows_from_the_entries():
    made = anchor(BEFORE)
    assert made.text == anchor(BEFORE).text == anchor_text(BEFORE) and len(made.text) < 400
    said = json.loads(made.text)
    assert (said["case"], said["entries"], said["hash"], said["date"]) == (
        BEFORE[0].hash,
        5,
        BEFORE[-1].hash,
        BEFORE[-1].when,
    )


def test_the_stamped_entries_existed_at_that_time_according_to_the_authority():
    (found,) = checked_anchors(ANCHORED)
    assert (found.entry, found.entries, found.trusted, found.doubts) == (6, 5, False, ())
    words = "entries 1 to 5 existed at 2030-01-02T12:00:00.000Z according to CN=Test Time"
    assert found.words.startswith(words) and "that the case itself names" in found.words
    (found,) = checked_anchors(ANCHORED, [ROOT])
    assert found.trusted and found.words.startswith(words) and found.words.endswith("that you named")


def test_a_stamp_may_come_back_after_the_case_has_gone_on():
    made = anchor(BEFORE[:2])
    payload = stamped(BEFORE, TIME.stamp(made.text, None), None, [ROOT])
    assert (payload["entries"], payload["nonce"]) == (2, None)
    (found,) = checked_anchors(added(BEFORE, EntryKind.ANCHORED, payload, written(timedelta())))
    assert found.entries == 2


def test_a_stamp_of_another_case_or_of_a_forged_one_is_refused():
    other = anchor(chain(5, ADA, title="another"))
    with pytest.raises(CaseError, match="of something else"):
        stamped(BEFORE, TIME.stamp(other.text, None), None, [ROOT])
    with pytest.raises(CaseError, match="refused"):
        stamped(BEFORE, TIME.stamp(anchor_text(BEFORE), None), None, [EVE_ROOT])
    with pytest.raises(CaseError, match="random number"):
        stamped(BEFORE, TIME.stamp(anchor_text(BEFORE), 1), 2, [ROOT])


EVE_TIME = Authority("Test Time")  # a forger's authority may have any name
EVE_ROOT = EVE_TIME.root.public_bytes(Encoding.DER)


@pytest.mark.parametrize("signer", [None, EVE])
def test_a_history_that_was_written_anew_has_no_stamp(signer):
    """Whoever holds the file writes all entries anew, the anchor among them: its stamp is of the old ones."""
    forged = written_anew(
        ANCHORED, lambda entry: replace(entry, who="ben") if entry.number == 2 else entry, lambda _: signer
    )
    with pytest.raises(CaseError, match="entry 6 is no anchor"):
        checked_anchors(forged)
    payload = {**ANCHORED[5].payload, "hash": forged[4].hash}
    fitted = written_anew((*forged[:5], replace(forged[5], payload=payload)), signer=lambda _: signer)
    with pytest.raises(CaseError, match="entry 6 is no anchor: the time stamp is refused: it is of another hash"):
        checked_anchors(fitted)


def test_a_forgers_own_authority_is_not_the_one_that_is_trusted():
    forged = written_anew(BEFORE, lambda entry: replace(entry, who="ben"), lambda _: EVE)
    fake = added(forged, EntryKind.ANCHORED, stamp(forged, EVE_TIME), written(timedelta()))
    (found,) = checked_anchors(fake, [ROOT])
    assert not found.trusted and "that the case itself names" in found.words


@pytest.mark.parametrize(
    "change",
    [
        {"time": "2020-01-01T00:00:00.000Z"},
        {"authority": "CN=Royal Time"},
        {"entries": 4},
        {"entries": 6},
        {"entries": 0},
        {"hash": BEFORE[0].hash},
        {"certificates": []},
        {"response": ""},
        {"nonce": "12"},
    ],
)
def test_an_anchor_that_says_something_else_than_its_stamp_is_found(change):
    forged = added(BEFORE, EntryKind.ANCHORED, {**ANCHORED[5].payload, **change}, written(timedelta()))
    with pytest.raises(CaseError, match="entry 6"):
        checked_anchors(forged)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=80)
@given(field=st.sampled_from(sorted(ANCHORED[5].payload)), value=JSON, gone=st.booleans())
def test_a_payload_of_another_shape_is_refused_and_never_crashes(field, value, gone):
    payload = {name: each for name, each in ANCHORED[5].payload.items() if name != field}
    if not gone:
        payload[field] = value
    if canonical(payload) == canonical(dict(ANCHORED[5].payload)):
        return
    if misfit(6, EntryKind.ANCHORED, payload):
        return  # it is refused when it is read
    forged = added(BEFORE, EntryKind.ANCHORED, payload, written(timedelta()))
    if field == "nonce" and value is None and not gone:
        assert checked_anchors(forged)[0].entries == 5  # the number was not compared then either
    else:
        with pytest.raises(CaseError, match="entry 6"):
            checked_anchors(forged)


def test_dates_that_contradict_the_stamp_are_said():
    """An entry after the stamp that is dated back, and a stamped one that is dated later."""
    later = added(ANCHORED, EntryKind.NOTE, {"on": 1, "text": "late"}, written(timedelta(days=1)))
    assert checked_anchors(later)[0].doubts == ()
    back = added(ANCHORED, EntryKind.NOTE, {"on": 1, "text": "hm"}, written(timedelta(days=-30)))
    (doubt,) = checked_anchors(back)[0].doubts
    assert "entry 7: dated before 2030-01-02T12:00:00.000Z, but written after" in doubt
    ahead = added(BEFORE, EntryKind.NOTE, {"on": 1, "text": "hm"}, written(timedelta(days=30)))
    whole = added(ahead, EntryKind.ANCHORED, stamp(ahead), written(timedelta()))
    (doubt,) = checked_anchors(whole)[0].doubts
    assert "entry 6: dated later than 2030-01-02T12:00:00.000Z" in doubt
    strange = added(ANCHORED, EntryKind.NOTE, {"on": 1, "text": "hm"}, "yesterday")
    assert checked_anchors(strange)[0].doubts


def test_the_hash_in_a_response_is_that_of_the_anchor():
    assert hash_in(TIME.stamp(anchor_text(BEFORE), None)) == hashlib.sha256(anchor_text(BEFORE)).digest()
