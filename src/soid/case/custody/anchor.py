"""Anchors: the head of a chain, given to somebody outside who says when they saw it.

An anchor is a small text that follows from the entries alone. A notary can keep it; a time-stamping authority can stamp
it. The response of the authority goes into the case as an entry. It shows that the entries up to the anchor existed at
its time, and that the entries after the response were written later.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, final

from msgspec import Struct

from soid.case.custody import time_stamp
from soid.case.custody.signatures import numbered, shown
from soid.case.record.entry import Entry, EntryKind
from soid.errors import CaseError

#: clocks differ by less than this
_CLOCKS: Final = timedelta(minutes=5)


@final
class CaseAnchor(Struct, frozen=True):
    """The head of a chain as a file, and the request to stamp it."""

    entries: int
    head: str
    text: bytes
    request: bytes


@final
class CheckedAnchor(Struct, frozen=True):
    """A time stamp in a case that was checked again."""

    entry: int  # the entry that has it
    entries: int  # the stamp is on the first so many entries
    time: str
    authority: str
    certificate: str  # SHA-256 of the authority's certificate
    root: str  # SHA-256 of the root certificate that it leads to
    trusted: bool  # the reader named that root; otherwise the case itself did
    doubts: tuple[str, ...]  # dates in the case that do not agree with it

    @property
    def words(self) -> str:
        existed = f"{numbered(range(1, self.entries + 1))} existed at {self.time} according to {shown(self.authority)}"
        root = "you named" if self.trusted else "the case itself names: compare it with the authority's"
        return f"{existed}, by the root certificate {self.root} that {root}"


def anchor(entries: Sequence[Entry]) -> CaseAnchor:
    text = anchor_text(entries)
    return CaseAnchor(entries[-1].number, entries[-1].hash, text, time_stamp.request_for(text))


def anchor_text(entries: Sequence[Entry]) -> bytes:
    """The anchor of these entries; the same entries give the same bytes."""
    first, last = entries[0], entries[-1]
    said = {
        "what": "the record of a case of soid, up to its last entry",
        "case": first.hash,
        "entries": last.number,
        "hash": last.hash,
        "date": last.when,
    }
    return (json.dumps(said, indent=1, ensure_ascii=True) + "\n").encode("ascii")


def stamped(
    entries: Sequence[Entry], response: bytes, nonce: int | None, certificates: Sequence[bytes]
) -> dict[str, Any]:
    """The payload of the entry that keeps a response; CaseError unless it stamps an anchor of these entries."""
    wanted = time_stamp.hash_in(response)
    for count in range(len(entries), 0, -1):
        text = anchor_text(entries[:count])
        if hashlib.sha256(text).digest() == wanted:
            said = time_stamp.check(text, response, nonce, certificates)
            return {
                "entries": count,
                "hash": entries[count - 1].hash,
                "time": said.time,
                "authority": said.authority,
                "nonce": None if nonce is None else str(nonce),
                "response": base64.b64encode(response).decode("ascii"),
                "certificates": [base64.b64encode(each).decode("ascii") for each in certificates],
            }
    raise CaseError(
        "the time stamp is of something else: no entry of this case has the anchor that it stamps",
        "Stamp what `soid case anchor` wrote for this case.",
    )


def checked_anchors(entries: Sequence[Entry], trusted: Sequence[bytes] = ()) -> tuple[CheckedAnchor, ...]:
    """Check all time stamps of a case again; CaseError names the first entry whose stamp does not show what it says.

    A stamp that does not lead to one of the `trusted` certificates is checked against those that the case names.
    """
    return tuple(_checked(entries, entry, trusted) for entry in entries if entry.kind is EntryKind.ANCHORED)


def _checked(entries: Sequence[Entry], entry: Entry, trusted: Sequence[bytes]) -> CheckedAnchor:
    try:
        count, response, nonce, named = _kept(entry.payload)
        if entry.payload["hash"] != entries[count - 1].hash:
            raise CaseError("it is not about an entry before it", "")
        text, mine = anchor_text(entries[:count]), True
        try:
            if not trusted:
                raise CaseError("no certificate was named", "")
            said = time_stamp.check(text, response, nonce, trusted)
        except CaseError:
            mine = False
            said = time_stamp.check(text, response, nonce, named)
        if (said.time, said.authority) != (entry.payload["time"], entry.payload["authority"]):
            raise CaseError("it does not say what its time stamp says", "")
    except ValueError as error:
        raise CaseError(f"entry {entry.number} holds no time stamp: {type(error).__name__}", _REMEDY) from error
    except CaseError as error:
        raise CaseError(f"entry {entry.number} is no anchor: {error.cause}", _REMEDY) from error
    doubts = _doubts(entries, entry, count, said.time)
    return CheckedAnchor(entry.number, count, said.time, said.authority, said.certificate, said.root, mine, doubts)


_REMEDY: Final = "The entry was forged, or damaged: do not rely on it."


def _kept(payload: Mapping[str, Any]) -> tuple[int, bytes, int | None, list[bytes]]:
    count, nonce = payload["entries"], payload["nonce"]
    response = base64.b64decode(payload["response"], validate=True)
    named = [base64.b64decode(each, validate=True) for each in payload["certificates"]]
    return count, response, None if nonce is None else int(nonce), named


def _doubts(entries: Sequence[Entry], entry: Entry, count: int, time: str) -> tuple[str, ...]:
    """Dates that contradict the stamp: what it covers was not written later, what follows it was not written before."""
    at = datetime.fromisoformat(time)
    late = [each.number for each in entries[:count] if (date := _date(each)) is None or date > at + _CLOCKS]
    early = [each.number for each in entries[entry.number :] if (date := _date(each)) is None or date < at - _CLOCKS]
    return (
        *([f"{numbered(late)}: dated later than {time}, when they existed already"] if late else ()),
        *([f"{numbered(early)}: dated before {time}, but written after the stamp of that time"] if early else ()),
    )


def _date(entry: Entry) -> datetime | None:
    try:
        found = datetime.fromisoformat(entry.when)
    except ValueError:
        return None
    return found if found.tzinfo is not None else None
