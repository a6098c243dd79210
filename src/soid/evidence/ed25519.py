"""Ed25519 signatures of a bundle's manifest, and so of every file that it lists.

Keys are PEM files as `openssl genpkey -algorithm ed25519` makes them: the private key signs, the public key checks. The
public key in a bundle proves nothing; the verifier must have the signer's key from elsewhere.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from soid.errors import BundleError

_MAKE = "`openssl genpkey -algorithm ed25519 -out key.pem` makes one; `openssl pkey -pubout` gives its public half."


def sign(manifest: bytes, key: Path) -> dict[str, str]:
    """The signature of a manifest, as the bundle stores it."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        private = load_pem_private_key(_read(key), None)
    except (ValueError, TypeError) as error:
        raise BundleError(f"{key} is no private key that can be read: {error}", _MAKE) from error
    if not isinstance(private, Ed25519PrivateKey):
        raise BundleError(f"{key} is no Ed25519 key", _MAKE)
    public = private.public_key().public_bytes_raw()
    return {"algorithm": "Ed25519", "public": public.hex(), "signature": private.sign(manifest).hex()}


def check(manifest: bytes, signature: dict[str, Any], key: Path) -> None:
    """Raise unless the manifest was signed with the private half of the verifier's key."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        public = load_pem_public_key(_read(key))
    except (ValueError, TypeError) as error:
        raise BundleError(f"{key} is no public key that can be read: {error}", _MAKE) from error
    if not isinstance(public, Ed25519PublicKey):
        raise BundleError(f"{key} is no Ed25519 key", _MAKE)
    try:
        public.verify(bytes.fromhex(signature["signature"]), manifest)
    except (InvalidSignature, ValueError):
        cause = f"the bundle's signature is not one of {key} over its manifest"
        raise BundleError(cause, "It was signed with another key, or changed since.") from None


def _read(key: Path) -> bytes:
    try:
        return key.read_bytes()
    except OSError as error:
        raise BundleError(f"{key} cannot be read: {error.strerror or error}", _MAKE) from error
