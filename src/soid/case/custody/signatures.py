"""The signatures of a chain: which are wrong, who signed which entries, and whether these are the expected keys.

A signature shows that the holder of a key has signed an entry at its place in this case, after all entries before it.
The name on an entry is what the signer wrote: to know whose key it is, one must have it from elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, final

from msgspec import Struct

from soid.case.custody import ed25519
from soid.case.record.entry import Entry, signed_text
from soid.errors import CaseError, InputError


@final
class WrongSignature(Struct, frozen=True):
    """An entry whose signature is not what it says."""

    number: int
    words: str


def wrong_signature(entries: Sequence[Entry]) -> WrongSignature | None:
    """The first entry whose signature is missing or does not fit; an entry that names no key is unsigned, not wrong."""
    for entry in entries:
        if entry.key is None and entry.signature is None:
            continue
        if entry.key is None:
            what = "has a signature, and does not say with which key it was made"
        elif not ed25519.is_public_key(entry.key):
            what = "names something as the key of its signer that is no key"
        elif entry.signature is None:
            what = f"says that it was signed with the key {ed25519.fingerprint(entry.key)}, and has no signature"
        elif not ed25519.fits(entry.key, entry.signature, signed_text(entries[0].hash, entry.number, entry.hash)):
            what = (
                f"was not signed with the key that it names, {ed25519.fingerprint(entry.key)}: the signature is wrong"
            )
        else:
            continue
        return WrongSignature(entry.number, f"entry {entry.number} {what}")
    return None


@final
class SignedName(Struct, frozen=True):
    """A name under which a key signed entries."""

    name: str
    entries: tuple[int, ...]  # their numbers


@final
class UsedKey(Struct, frozen=True):
    """A key that signed entries of a case."""

    fingerprint: str
    public: str
    signed: tuple[SignedName, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.signed)

    @property
    def words(self) -> str:
        parts = [f"{numbered(each.entries)} as {shown(each.name)}" for each in self.signed]
        return f"signed with the key {self.fingerprint}: {'; '.join(parts)}"


def used_keys(entries: Sequence[Entry]) -> tuple[UsedKey, ...]:
    """The keys of a case, in the order of their first entries; `wrong_signature` has found none."""
    found = []
    for key in dict.fromkeys(entry.key for entry in entries):
        if key is not None:
            signed: dict[str, list[int]] = {}
            for entry in entries:
                if entry.key == key:
                    signed.setdefault(entry.who, []).append(entry.number)
            names = tuple(SignedName(name, tuple(numbers)) for name, numbers in signed.items())
            found.append(UsedKey(ed25519.fingerprint(key), key, names))
    return tuple(found)


def unsigned(entries: Sequence[Entry]) -> tuple[int, ...]:
    return tuple(entry.number for entry in entries if entry.key is None)


def doubts(keys: Sequence[UsedKey]) -> tuple[str, ...]:
    """What a reader should know about the names: one key with several, or one name with several keys."""
    found = [
        f"one key signed under {len(key.names)} names ({', '.join(map(shown, key.names))}): a server signs for all who "
        f"use it; otherwise one person wrote as another"
        for key in keys
        if len(key.names) > 1
    ]
    for name in dict.fromkeys(name for key in keys for name in key.names):
        same = [key for key in keys if name in key.names]
        if len(same) > 1:
            found.append(f"{len(same)} keys signed under the name {shown(name)}: ask {shown(name)} which are theirs")
    return tuple(found)


# --- keys that are expected -----------------------------------------------------------------------------------


@final
class ExpectedKey(Struct, frozen=True):
    """A key that the reader has from elsewhere, and the name of its owner, if the reader gives it."""

    fingerprint: str
    name: str | None = None


_FINGERPRINT: Final = re.compile("[0-9a-f]{64}")
_NAMED: Final = "Name a file with the public key, or its fingerprint; NAME=FILE says whose it is."


def expected_key(text: str, *, error: type[InputError] = CaseError) -> ExpectedKey:
    """What an option says: FILE, FINGERPRINT, NAME=FILE or NAME=FINGERPRINT."""
    name, equals, key = text.partition("=")
    if not equals or Path(text).is_file():
        name, key = "", text
    if _FINGERPRINT.fullmatch(plain := _plain(key)) and not Path(key).is_file():
        return ExpectedKey(plain, name or None)
    if not Path(key).is_file():
        raise error(f"there is no key {key}", _NAMED)
    return ExpectedKey(ed25519.fingerprint(ed25519.public_key(Path(key), error=error)), name or None)


def fingerprint_in(text: str) -> str:
    """The fingerprint of a key in what somebody typed, which is never read as the name of a file."""
    if not _FINGERPRINT.fullmatch(plain := _plain(text)):
        raise InputError(f"{text!r:.80} is no fingerprint of a key", "It has 64 digits and letters from a to f.")
    return plain


def _plain(text: str) -> str:
    return text.strip().lower().replace(":", "")


def unexpected(entries: Sequence[Entry], keys: Sequence[ExpectedKey]) -> tuple[str, ...]:
    """What is not signed as expected, in words: each entry must have one of the keys, under its owner's name."""
    known = {each.fingerprint for each in keys}
    owned = {each.name for each in keys if each.name is not None}
    without: list[int] = []
    strange: dict[str, list[int]] = {}
    misnamed: dict[tuple[str, str], list[int]] = {}
    for entry in entries:
        if entry.key is None:
            without.append(entry.number)
            continue
        found = ed25519.fingerprint(entry.key)
        own = {each.name for each in keys if each.fingerprint == found}
        if found not in known:
            strange.setdefault(found, []).append(entry.number)
        elif entry.who not in own and (None not in own or entry.who in owned):
            misnamed.setdefault((found, entry.who), []).append(entry.number)
    return (
        *([f"{numbered(without)}: not signed"] if without else ()),
        *(f"{numbered(each)}: signed with another key, {key}" for key, each in strange.items()),
        *(
            f"{numbered(each)}: signed as {shown(who)} with the key {key}, which is not {shown(who)}'s"
            for (key, who), each in misnamed.items()
        ),
    )


# --- words ----------------------------------------------------------------------------------------------------


def numbered(numbers: Iterable[int]) -> str:
    """Numbers of entries in words.

    >>> numbered([1, 2, 3, 5]), numbered([7])
    ('entries 1 to 3, 5', 'entry 7')
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    parts = [f"{run[0]} to {run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs]
    return f"{'entry' if parts == [str(runs[0][0])] else 'entries'} {', '.join(parts)}"


def shown(text: str) -> str:
    """A text that a stranger wrote, without characters that hide or reorder others.

    >>> shown("ada\\u202e")
    'ada[U+202E]'
    """
    return "".join(sign if sign.isprintable() else f"[U+{ord(sign):04X}]" for sign in text)
