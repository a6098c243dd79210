"""An Entry of the record: an event of the case, its author and time, and the hash that links it to all before.

>>> first = Entry.make(1, EntryKind.NOTE, "ada", "2030-01-02T03:04:05.000Z", {"on": 1, "text": "hm"}, GENESIS)
>>> first.hash == seal(first.number, "note", "ada", first.when, '{"on":1,"text":"hm"}', GENESIS)
True
>>> first.payload["text"]
'hm'

A hash is SHA-256 over the canonical JSON of the entry's other fields. These include the hash of the entry before, and
the payload as text. Canonical JSON has sorted keys, no blanks, ASCII with escapes and no NaN. So a chain can be checked
with SHA-256 and JSON alone.

A signed entry also has the public key of its signer, which the hash covers, so that a signature cannot be taken away
unnoticed; and a signature over the case, the entry's number and its hash. The case is named by the hash of its first
entry.
"""

from __future__ import annotations

import enum
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self, final

from soid.case.custody.ed25519 import SigningKey
from soid.documents import Document
from soid.oracle.answer import Verdict

#: the previous hash of the first entry
GENESIS: Final = "0" * 64


@final
class EntryKind(enum.Enum):
    """What an entry is about."""

    OPENED = "opened"  # the case: its project, file by file
    ASKED = "asked"  # a question, before its answer is computed
    ANSWERED = "answered"  # the oracle's answer, and the fact that follows
    FAILED = "failed"  # the question could not be answered: an error, with its cause
    KEYFRAME = "keyframe"  # a name for a moment
    NOTE = "note"  # a person's remark on another entry
    RETRACTED = "retracted"  # another entry no longer counts
    ACCEPTED = "accepted"  # the investigator goes on although log and program differ
    NOTICED = "noticed"  # something about the case that its readers should know
    ATTESTED = "attested"  # a log is what somebody outside of the case says: by its hash, or by a signature
    COMPARED = "compared"  # a log was compared with the program, step by step
    STUDIED = "studied"  # the causes of what happened, a map, or the explanation of an answer
    RENAMED = "renamed"  # the case has another title
    ARCHIVED = "archived"  # the case is laid aside: nothing is added until this is retracted
    ANCHORED = "anchored"  # a time-stamping authority has seen the entries up to one of those before


def canonical(value: Any) -> str:
    """JSON in the form that is hashed.

    >>> canonical({"b": 0.1, "a": [True, None, "ä"]})
    '{"a":[true,null,"\\\\u00e4"],"b":0.1}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def seal(number: int, kind: str, who: str, when: str, payload: str, previous: str, key: str | None = None) -> str:
    """The hash of an entry; `payload` is canonical JSON already, `key` the public key of a signed entry."""
    fields = {"kind": kind, "number": number, "payload": payload, "previous": previous, "when": when, "who": who}
    signed_by = {} if key is None else {"key": key}
    return hashlib.sha256(canonical(fields | signed_by).encode("ascii")).hexdigest()


def signed_text(case: str, number: int, sealed: str) -> bytes:
    """What the signature of an entry is over; `case` is the hash of the first entry.

    >>> signed_text("ab", 2, "cd")
    b'soid entry 2 of case ab: cd\\n'
    """
    return f"soid entry {number} of case {case}: {sealed}\n".encode("ascii")


@final
class EntryDocument(Document, frozen=True):
    """An entry as JSON."""

    number: int
    kind: EntryKind
    who: str
    when: str
    payload: Mapping[str, Any]
    previous: str
    hash: str
    key: str | None
    signature: str | None


@final
@dataclass(frozen=True, slots=True)
class Entry:
    """One entry; its kind determines its payload, and properties that it lacks are None."""

    number: int  # from 1
    kind: EntryKind
    who: str
    when: str  # UTC, as ISO 8601 writes it
    text: str  # the payload as canonical JSON
    payload: Mapping[str, Any] = field(compare=False, repr=False)  # the same, parsed
    previous: str  # hash of the entry before
    hash: str
    key: str | None = None  # the signer's public key; None: the entry is not signed
    signature: str | None = None

    def __repr__(self) -> str:
        return f"Entry({self.number}: {self.kind.value} by {self.who}, {self.when})"

    @classmethod
    def make(
        cls,
        number: int,
        kind: EntryKind,
        who: str,
        when: str,
        payload: Mapping[str, Any],
        previous: str,
        *,
        signer: SigningKey | None = None,
        case: str | None = None,
    ) -> Self:
        """An entry, signed if there is a `signer`; `case` is the hash of the first entry, None for that one."""
        text = canonical(payload)
        key = None if signer is None else signer.public
        sealed = seal(number, kind.value, who, when, text, previous, key)
        signature = None if signer is None else signer.sign(signed_text(case or sealed, number, sealed))
        return cls(number, kind, who, when, text, json.loads(text), previous, sealed, key, signature)

    @property
    def row(self) -> dict[str, int | str]:
        """Its fields as a table and a chain of entries keep them."""
        fields = {"number": self.number, "kind": self.kind.value, "who": self.who, "when": self.when}
        signed = {name: text for name, text in (("key", self.key), ("signature", self.signature)) if text is not None}
        return {**fields, "payload": self.text, "previous": self.previous, "hash": self.hash, **signed}

    @property
    def question(self) -> str | None:
        """The query text in its normal form, if the entry is about a question."""
        return self.payload.get("question")

    @property
    def step(self) -> int | None:
        return self.payload.get("step")

    @property
    def log(self) -> str | None:
        """The name in the case of the log that it is about."""
        return self.payload.get("log")

    @property
    def asked(self) -> int | None:
        """Of an answer: the number of the entry with the question."""
        return self.payload.get("asked")

    @property
    def resumes(self) -> int | None:
        """The number of the entry with the open answer from which it goes on."""
        return self.payload.get("resumes")

    @property
    def verdict(self) -> Verdict | None:
        """Of an answer; a question that could not be answered has the verdict `error`."""
        if self.kind is EntryKind.FAILED:
            return Verdict.ERROR
        return Verdict(self.payload["answer"]["verdict"]) if self.kind is EntryKind.ANSWERED else None

    @property
    def answer(self) -> dict[str, Any] | None:
        """The answer as docs/json.md describes it, with the bits that `Case.recall` needs."""
        return self.payload.get("answer")

    @property
    def fact(self) -> dict[str, Any] | None:
        """What a definite answer adds to FACTS, see `soid.case.facts`."""
        return self.payload.get("fact")

    @property
    def document(self) -> EntryDocument:
        return EntryDocument.of(self)

    def told(self, words: Mapping[EntryKind, str]) -> str:
        """The entry in one line: the words for its kind, with its payload filled in."""
        payload = self.payload
        again = f", again (entry {payload['continues']})" if payload.get("continues") else ""
        again += f", going on from entry {payload['resumes']}" if payload.get("resumes") else ""
        found = "; ".join(payload.get("found", ())) or "all is as it was"
        more = {"again": again, "found": found, "count": len(payload.get("files", ())), "stated": _stated(payload)}
        more["told"] = _told(payload["result"]) if self.kind is EntryKind.COMPARED else ""
        return words[self.kind].format_map({**payload, **more})


def _stated(payload: Mapping[str, Any]) -> str:
    """What an entry says about the origin of a log, in words."""
    noted = "has the SHA-256 that was noted" if payload.get("sha256") else ""
    signed = f"came with a signature ({payload.get('algorithm')})" if payload.get("signature") else ""
    return f"{payload.get('log')} {' and '.join(filter(None, (noted, signed)))}"


def _told(result: Mapping[str, Any]) -> str:
    """The result of comparing a log, in words."""
    agree = result["fits"] + result["possible"]
    told = f"{agree} of {result['steps']} steps fit"
    if result["partings"]:
        told += f"; {result['differs']} differ, the first at step {result['partings'][0]['step']}"
    left = result["steps"] - agree - result["differs"]
    return told + (f"; {left} are not settled" if left else "")
