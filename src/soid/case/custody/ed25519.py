"""Ed25519 keys and signatures.

Keys are PEM files as `openssl genpkey -algorithm ed25519` makes them: the private key signs, the public key checks. A
public key is written as its 32 bytes in hexadecimal. Its fingerprint is the SHA-256 of the key in DER, which
`openssl pkey -pubin -in key.pem -outform DER | sha256sum` prints.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final, final

from soid.errors import CaseError, InputError, LockedKey

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

ALGORITHM: Final = "Ed25519"

MAKE: Final = (
    "`openssl genpkey -algorithm ed25519 -out key.pem` makes one; `openssl pkey -pubout` gives its public half."
)

#: a public key in DER is this, and the 32 bytes of the key
_DER: Final = bytes.fromhex("302a300506032b6570032100")

#: points of small order, without the bit of their sign: anybody can make signatures that fit these as keys
_WEAK: Final = frozenset(
    {
        "00" * 32,
        "01" + "00" * 31,
        "ec" + "ff" * 30 + "7f",
        "ed" + "ff" * 30 + "7f",
        "ee" + "ff" * 30 + "7f",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    }
)

_PUBLIC: Final = re.compile("[0-9a-f]{64}")
_SIGNATURE: Final = re.compile("[0-9a-f]{128}")


@final
class SigningKey:
    """A private key that is ready to sign."""

    def __init__(self, private: Ed25519PrivateKey) -> None:
        self._private = private
        self.public = private.public_key().public_bytes_raw().hex()

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.public)

    def sign(self, message: bytes) -> str:
        """The signature in hexadecimal."""
        return self._private.sign(message).hex()

    def pem(self, passphrase: bytes | None) -> bytes:
        """The key as a file (PKCS #8), encrypted if there is a passphrase."""
        from cryptography.hazmat.primitives import serialization as form

        kept = form.NoEncryption() if passphrase is None else form.BestAvailableEncryption(passphrase)
        return self._private.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, kept)


def new_key() -> SigningKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return SigningKey(Ed25519PrivateKey.generate())


def signing_key(file: Path, passphrase: bytes | None = None, *, error: type[InputError] = CaseError) -> SigningKey:
    """The private key in a file; LockedKey if it has another passphrase."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    data = _read(file, error)
    encrypted = b"ENCRYPTED" in data
    if encrypted and passphrase is None:
        raise LockedKey(f"the key {file} is protected by a passphrase", UNLOCK)
    try:
        private = load_pem_private_key(data, passphrase if encrypted else None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as problem:
        if encrypted:
            raise LockedKey(f"the passphrase does not open the key {file}", UNLOCK) from problem
        raise error(f"{file} is no private key that can be read: {problem}", MAKE) from problem
    if not isinstance(private, Ed25519PrivateKey):
        raise error(f"{file} is no {ALGORITHM} key", MAKE)
    return SigningKey(private)


UNLOCK: Final = (
    "Give it in SOID_KEY_PASSPHRASE, or in a file that SOID_KEY_PASSPHRASE_FILE names. Commands at a terminal ask for "
    "it; `soid serve` does not."
)


def public_key(file: Path, *, error: type[InputError] = CaseError) -> str:
    """The public key in a file, in hexadecimal."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        public = load_pem_public_key(_read(file, error))
    except (ValueError, TypeError, UnsupportedAlgorithm) as problem:
        raise error(f"{file} is no public key that can be read: {problem}", MAKE) from problem
    if not isinstance(public, Ed25519PublicKey):
        raise error(f"{file} is no {ALGORITHM} key", MAKE)
    raw = public.public_bytes_raw().hex()
    if not is_public_key(raw):
        raise error(f"{file} is a key that anybody can sign with", MAKE)
    return raw


def public_pem(public: str) -> str:
    """A public key as a file that openssl reads.

    >>> print(public_pem("00" * 32).splitlines()[1])
    MCowBQYDK2VwAyEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
    """
    from base64 import b64encode

    body = b64encode(_DER + bytes.fromhex(public)).decode("ascii")
    return f"-----BEGIN PUBLIC KEY-----\n{body}\n-----END PUBLIC KEY-----\n"


def fingerprint(public: str) -> str:
    """A short name for a public key that no other key has.

    >>> fingerprint("00" * 32)[:16]
    '722abd12e99a5367'
    """
    return hashlib.sha256(_DER + bytes.fromhex(public)).hexdigest()


def is_public_key(text: object) -> bool:
    """Whether a text is a public key in hexadecimal, and none that anybody can sign with.

    >>> is_public_key("ab" * 32), is_public_key("ab"), is_public_key("01" + "00" * 30 + "80")
    (True, False, False)
    """
    if not isinstance(text, str) or not _PUBLIC.fullmatch(text):
        return False
    unsigned = f"{text[:62]}{int(text[62:], 16) & 0x7F:02x}"
    return unsigned not in _WEAK


def fits(public: str, signature: str, message: bytes) -> bool:
    """Whether a signature is one of this key over this message; False too if either has another form."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    if not is_public_key(public) or not _SIGNATURE.fullmatch(signature):
        return False
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(signature), message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _read(file: Path, error: type[InputError]) -> bytes:
    try:
        return file.read_bytes()
    except OSError as problem:
        raise error(f"{file} cannot be read: {problem.strerror or problem}", MAKE) from problem
