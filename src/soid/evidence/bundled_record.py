"""The record in a bundle: entries in a hash chain, read as untrusted data.

Each line is an entry. Its hash is SHA-256 over the canonical JSON of its other fields, so a JSON library and SHA-256
are enough to check it:

    {"hash":"...","kind":"note","number":5,"payload":"{...}","previous":"...","when":"...","who":"ada"}

The hash of a signed entry also covers the signer's public key, `key`; `signature` is beside it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, final

from msgspec import Struct

from soid.case.custody.signatures import wrong_signature
from soid.case.record.entry import GENESIS, Entry, EntryKind, canonical
from soid.case.record.payload_shapes import misfit
from soid.case.validity import facts
from soid.errors import BundleError

#: what reading data of an unexpected shape can raise
MISSHAPEN: Final = (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError, OverflowError)

_FIELDS: Final = {"hash", "kind", "number", "payload", "previous", "when", "who"}
_SIGNED: Final = {"key", "signature"}
_REMEDY: Final = "Ask for the bundle again, and for the last hash of the case by another way."


def written(entries: Sequence[Entry]) -> bytes:
    return b"".join(canonical(entry.row).encode("ascii") + b"\n" for entry in entries)


def read_chain(data: bytes) -> tuple[Entry, ...]:
    """The entries, with every hash and signature checked; a BundleError names the first wrong entry."""
    entries: list[Entry] = []
    previous = GENESIS
    for number, line in enumerate(data.splitlines(keepends=True), start=1):
        try:
            fields = json.loads(line)
            if not isinstance(fields, dict) or fields.keys() - _SIGNED != _FIELDS or fields["number"] != number:
                raise ValueError("its fields are not those of an entry")
            texts = [fields[name] for name in fields.keys() - {"number"}]
            if not all(isinstance(each, str) for each in texts) or canonical(fields).encode("ascii") + b"\n" != line:
                raise ValueError("it is not canonical")
            payload = json.loads(fields["payload"])
            if not isinstance(payload, dict) or canonical(payload) != fields["payload"]:
                raise ValueError("its payload is not canonical")
            kind = EntryKind(fields["kind"])
        except MISSHAPEN as error:
            raise BundleError(f"entry {number} of the chain cannot be read: {_words(error)}", _REMEDY) from None
        sealed, signature = fields.pop("hash"), fields.pop("signature", None)
        if hashlib.sha256(canonical(fields).encode("ascii")).hexdigest() != sealed:
            raise BundleError(f"entry {number} of the chain is not what was written: its hash does not fit", _REMEDY)
        if fields["previous"] != previous:
            raise BundleError(f"entry {number} of the chain does not follow the one before it", _REMEDY)
        if problem := misfit(number, kind, payload):
            raise BundleError(f"entry {number} of the chain {problem}", _REMEDY)
        said = (fields["who"], fields["when"], fields["payload"], payload, previous, sealed)
        entries.append(Entry(number, kind, *said, fields.get("key"), signature))
        previous = sealed
    if not entries:
        raise BundleError("the chain has no entry", _REMEDY)
    if wrong := wrong_signature(entries):
        raise BundleError(f"{wrong.words} (in the chain)", _REMEDY)
    return tuple(entries)


def _words(error: Exception) -> str:
    return str(error) if type(error) is ValueError else type(error).__name__


@final
class Recorded(Struct, frozen=True):
    """A fact in the record."""

    number: int
    question: str
    log: str
    step: int
    verdict: str
    answer: Mapping[str, Any]
    fact: Mapping[str, Any]
    window: int | None
    accepted: bool  # the record accepts that log and program differ there

    @property
    def about(self) -> tuple[str, ...]:
        """The comment at the top of each of its files."""
        return (
            f"soid evidence for entry {self.number} of the case: step {self.step} of {self.log}",
            f"question: {self.answer['question']}",
            f"answer: {self.verdict}",
        )

    @property
    def statement(self) -> str:
        return str(self.fact.get("statement", ""))


def read_facts(entries: Sequence[Entry]) -> tuple[Recorded, ...]:
    """The FACTS of the record, in order."""
    return tuple(_recorded(entries, entry) for entry in facts(entries))


def _recorded(entries: Sequence[Entry], entry: Entry) -> Recorded:
    payload = entry.payload
    asked, accepted = entries[payload["asked"] - 1], payload["accepted"]
    if asked.kind is not EntryKind.ASKED or any(
        asked.payload[name] != payload[name] for name in ("question", "log", "step")
    ):
        problem = f"entry {entry.number} of the chain answers no question that was asked before it"
        raise BundleError(problem, _REMEDY)
    return Recorded(
        number=entry.number,
        question=payload["question"],
        log=payload["log"],
        step=payload["step"],
        verdict=payload["answer"]["verdict"],
        answer=payload["answer"],
        fact=payload["fact"],
        window=asked.payload["settings"]["window"],
        accepted=accepted is not None and accepts(entries[accepted - 1], payload),
    )


def accepts(entry: Entry, payload: Mapping[str, Any]) -> bool:
    return entry.kind is EntryKind.ACCEPTED and (entry.log, entry.step) == (payload["log"], payload["step"])
