"""Where a log comes from: a hash that was noted at the scene, or a signature that came with the log.

The case records what was given, with the original name of the log's file, and checks it against the log that it holds:
when it is recorded, and whenever the case is verified.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, final

from msgspec import Struct

from soid.case.custody.signatures import shown
from soid.case.record.entry import Entry, EntryKind
from soid.errors import CaseError

_SHA256: Final = re.compile("[0-9a-f]{64}")


@final
class LogStatement(Struct, frozen=True):
    """What somebody outside of the case says about a log: its hash, or a signature with the key to check it."""

    log: str | None = None  # of the case's logs; None: the first
    sha256: str | None = None
    signature: bytes | None = None  # over the bytes of the file
    key: str | None = None  # the public key, as PEM
    name: str | None = None  # the file's name, if it had another one

    def payload(self, log: str, data: bytes) -> dict[str, Any]:
        """What the case records of a log that it holds; CaseError unless the log is what was said."""
        noted = None if self.sha256 is None else self.sha256.strip().lower()
        if noted is None and self.signature is None:
            raise CaseError("nothing is said about the log", "Give its SHA-256, or a signature and its key.")
        if (self.signature is None) != (self.key is None):
            raise CaseError("a signature is checked with a key", "Give both.")
        algorithm = None if self.key is None else algorithm_of(self.key)
        payload = {
            "log": log,
            "name": self.name or log.rpartition("/")[2],
            "sha256": noted,
            "signature": None if self.signature is None else self.signature.hex(),
            "algorithm": algorithm,
            "key": self.key,
        }
        if problem := _problem(payload, data):
            raise CaseError(f"the log {log} is not what was noted: {problem}", "It was changed, or it is another one.")
        return payload


def statement_of(
    log: str | None, sha256: str | None, signature: Path | None, key: Path | None, name: str | None
) -> LogStatement | None:
    """What the options of a command say; None if they say nothing."""
    if sha256 is None and signature is None and key is None:
        return None
    try:
        signed = None if signature is None else signature.read_bytes()
        public = None if key is None else key.read_text(encoding="ascii")
    except UnicodeDecodeError:
        raise CaseError(f"{key} is no public key that can be read", "It must be a PEM file.") from None
    except OSError as error:
        raise CaseError(f"{error.filename} cannot be read: {error.strerror}", "Name another file.") from error
    return LogStatement(log, sha256, signed, public, name)


@final
class CheckedLog(Struct, frozen=True):
    """A statement about a log of a case that was checked again."""

    entry: int  # the entry that has it
    log: str  # its name in the case
    name: str  # the original name of its file
    sha256: str | None  # as it was noted
    algorithm: str | None  # of the signature
    key: str | None  # SHA-256 of the public key in DER

    @property
    def words(self) -> str:
        ways = []
        if self.sha256 is not None:
            ways.append("it has the SHA-256 that was noted")
        if self.key is not None:
            ways.append(f"it was signed ({self.algorithm}) with the key {self.key}")
        name = "" if self.log.rpartition("/")[2] == self.name else f" (its file was called {shown(self.name)})"
        return f"{shown(self.log)}{name}: {', and '.join(ways)}; stated in entry {self.entry}"


def checked_logs(entries: Sequence[Entry], content: Callable[[str], bytes]) -> tuple[CheckedLog, ...]:
    """Check all statements about logs again; `content` gives a file of the case by its path.

    CaseError names the first entry that says something else than the log shows.
    """
    return tuple(_checked(entries[0], entry, content) for entry in entries if entry.kind is EntryKind.ATTESTED)


def _checked(first: Entry, entry: Entry, content: Callable[[str], bytes]) -> CheckedLog:
    payload = entry.payload
    try:
        log = payload["log"]
        if log not in first.payload["logs"]:
            raise ValueError
        key = None if payload["key"] is None else key_fingerprint(payload["key"])
        problem = _problem(payload, content(log))
    except ValueError as error:
        problem = f"it is no statement about a log ({type(error).__name__})"
    except CaseError as error:
        problem = error.cause
    if problem:
        raise CaseError(f"entry {entry.number}: {problem}", "The entry was forged, or damaged: do not rely on it.")
    return CheckedLog(entry.number, log, payload["name"], payload["sha256"], payload["algorithm"], key)


def _problem(payload: Mapping[str, Any], data: bytes) -> str:
    """What contradicts the statement; empty if nothing does."""
    noted, signature, key = payload["sha256"], payload["signature"], payload["key"]
    if noted is None and signature is None:
        return "it says neither a hash nor a signature"
    if noted is not None:
        if not _SHA256.fullmatch(noted):
            return f"{shown(noted)} is no SHA-256: it has 64 hexadecimal digits"
        found = hashlib.sha256(data).hexdigest()
        if found != noted:
            return f"its SHA-256 is {found}, and {noted} was noted"
    if signature is None:
        return "" if key is None else "it names a key, and no signature"
    if key is None or payload["algorithm"] != algorithm_of(key):
        return "its signature is of another kind than its key"
    return "" if _fits(key, bytes.fromhex(signature), data) else "the signature is not one of the key over this log"


# --- keys of other kinds --------------------------------------------------------------------------------------


def algorithm_of(pem: str) -> str:
    """How a key of this kind signs a file, as `openssl dgst -sha256 -sign` and `openssl pkeyutl -rawin` do it."""
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

    match _public(pem):
        case Ed25519PublicKey():
            return "Ed25519"
        case EllipticCurvePublicKey():
            return "ECDSA with SHA-256"
        case RSAPublicKey():
            return "RSA PKCS #1 v1.5 with SHA-256"
        case _:
            raise CaseError("signatures of a key of this kind cannot be checked", "Ed25519, ECDSA and RSA can.")


def key_fingerprint(pem: str) -> str:
    """SHA-256 of the public key in DER."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return hashlib.sha256(_public(pem).public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()


def _public(pem: str) -> Any:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        return load_pem_public_key(pem.encode("ascii", "replace"))
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise CaseError(f"this is no public key that can be read: {error}", "It must be a PEM file.") from error


def _fits(pem: str, signature: bytes, data: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ec import ECDSA
    from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
    from cryptography.hazmat.primitives.hashes import SHA256

    how = {"Ed25519": (), "ECDSA with SHA-256": (ECDSA(SHA256()),)}.get(algorithm_of(pem), (PKCS1v15(), SHA256()))
    try:
        _public(pem).verify(signature, data, *how)
    except InvalidSignature:
        return False
    return True
