"""The signature of a bundle's manifest, and so of every file that it lists.

The public key in a bundle proves nothing; the verifier must have the signer's key from elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from soid.case.custody.ed25519 import ALGORITHM, SigningKey, fingerprint, fits, is_public_key, public_key
from soid.errors import BundleError

_FIELDS: Final = {"algorithm", "public", "signature"}


def sign(manifest: bytes, key: SigningKey) -> dict[str, str]:
    """The signature of a manifest, as the bundle stores it."""
    return {"algorithm": ALGORITHM, "public": key.public, "signature": key.sign(manifest)}


def signer_of(manifest: bytes, signature: Mapping[str, Any]) -> str:
    """The fingerprint of the key that signed a manifest; BundleError if the signature is not one of that key."""
    if signature.keys() != _FIELDS or not all(isinstance(each, str) for each in signature.values()):
        raise BundleError("signature.json holds no signature", "Ask for the bundle again.")
    if signature["algorithm"] != ALGORITHM:
        cause = f"signature.json names the algorithm {signature['algorithm']!r:.40}; bundles are signed by {ALGORITHM}"
        raise BundleError(cause, "Ask for the bundle again.")
    public = signature["public"]
    if not is_public_key(public) or not fits(public, signature["signature"], manifest):
        cause = "the bundle's signature is not one of the key that signature.json names, over its manifest"
        raise BundleError(cause, "It was changed since it was signed: ask for it again.")
    return fingerprint(public)


def check(manifest: bytes, signature: Mapping[str, Any], key: Path | str) -> None:
    """Raise unless the manifest was signed with the private half of the verifier's key, a file or a fingerprint."""
    expected = key if isinstance(key, str) else fingerprint(public_key(key, error=BundleError))
    found = signer_of(manifest, signature)
    if found != expected:
        cause = f"the bundle's signature is not one of {key} over its manifest: it is one of the key {found}"
        raise BundleError(cause, "It was signed with another key.")
