"""Custody: what signatures, time stamps and statements about logs show of a case, checked again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import final

from msgspec import Struct

from soid.case.custody.anchor import CheckedAnchor, checked_anchors
from soid.case.custody.log_attestation import CheckedLog, checked_logs
from soid.case.custody.signatures import (
    ExpectedKey,
    UsedKey,
    doubts,
    expected_key,
    numbered,
    unexpected,
    unsigned,
    used_keys,
)
from soid.case.custody.time_stamp import certificates_in
from soid.case.record.entry import Entry
from soid.errors import CaseError, InputError


@final
class Expectations(Struct, frozen=True):
    """What the reader has from elsewhere; nothing is expected where it is empty."""

    keys: tuple[ExpectedKey, ...] = ()  # every entry must be signed with one of them
    certificates: tuple[bytes, ...] = ()  # in DER: a time stamp must lead to one of them

    @classmethod
    def of(cls, keys: Sequence[str], files: Sequence[Path], *, error: type[InputError] = CaseError) -> Expectations:
        """What the options of a command say: keys as `expected_key` reads them, and files with certificates."""
        certificates = tuple(each for file in files for each in certificates_in(file, error=error))
        return cls(tuple(expected_key(each, error=error) for each in keys), certificates)


@final
class Custody(Struct, frozen=True):
    """Who signed what, what is unsigned, until when entries existed, where logs come from."""

    case: str  # the hash of the first entry, which signatures and anchors name
    keys: tuple[UsedKey, ...]
    unsigned: tuple[int, ...]  # numbers of entries
    anchors: tuple[CheckedAnchor, ...]
    logs: tuple[CheckedLog, ...]
    doubts: tuple[str, ...]  # what does not agree with each other

    @property
    def signatures(self) -> tuple[str, ...]:
        """Who signed what, and what is unsigned, in words."""
        return (*(key.words for key in self.keys), *self._unsigned)

    @property
    def words(self) -> tuple[str, ...]:
        stamps = [anchor.words for anchor in self.anchors]
        return (*self.signatures, *stamps, *(log.words for log in self.logs), *self.doubts)

    @property
    def _unsigned(self) -> tuple[str, ...]:
        if not self.unsigned:
            return ()
        return (f"not signed: {numbered(self.unsigned)}; whoever had the file can have written this, under any name",)


def custody(entries: Sequence[Entry], content: Callable[[str], bytes], expected: Expectations | None = None) -> Custody:
    """The custody of a chain whose hashes and signatures fit; `content` gives a file of the case by its path.

    CaseError says what is not as expected, or which time stamp or statement about a log is false.
    """
    reader = expected or Expectations()
    if reader.keys and (found := unexpected(entries, reader.keys)):
        problem = f"not every entry is signed with a key that you named: {'; '.join(found)}"
        raise CaseError(problem, "Ask the author of the case, and for the last hash by another way.")
    anchors = checked_anchors(entries, reader.certificates)
    if reader.certificates and not any(anchor.trusted for anchor in anchors):
        problem = "no time stamp of the case leads to a certificate that you named"
        raise CaseError(problem, "Ask the author of the case for a stamp, or name the authority's root certificate.")
    keys = used_keys(entries)
    said = (*doubts(keys), *(doubt for anchor in anchors for doubt in anchor.doubts))
    return Custody(entries[0].hash, keys, unsigned(entries), anchors, checked_logs(entries, content), said)
