"""What lies where in a bundle, and its manifest.

manifest.json                  what is in the bundle: SHA-256 of every other file, and what it is about
signature.json                 optional: Ed25519 over the manifest's bytes
README.txt                     how to check it by hand
case/chain.jsonl               the record, entry by entry, in its hash chain
project/...                    the files of the project, as the case holds them
program/build.json             compiler, flags and versions; for a compiled program also
program/module.ll              what was analysed
facts/0004/fact.json           the question, the answer, and who answered each formula how
facts/0004/*.smt2              the formulas: see `soid.evidence.obligations`
facts/0004/*.cover.json        where boxes settle a formula: boxes that cover the family
facts/0004/witness.json        the scenario in bits and in words, and what the compiled program did there
facts/0004/witness.c           the same as a C program that checks the decision, where C can say it
facts/0004/test_witness.py     and that as a test for pytest
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from soid.errors import BundleError
from soid.evidence.bundled_record import MISSHAPEN

FORMAT: Final = "soid bundle 1"
MANIFEST: Final = "manifest.json"
SIGNATURE: Final = "signature.json"
README: Final = "README.txt"
CHAIN: Final = "case/chain.jsonl"
PROJECT: Final = "project/"
BUILD: Final = "program/build.json"
MODULE: Final = "program/module.ll"


def folder(number: int) -> str:
    """Where the files of a fact lie."""
    return f"facts/{number:04}/"


def as_json(value: Any) -> bytes:
    """JSON for people and programs: always the same bytes for the same value."""
    return (json.dumps(value, indent=1, sort_keys=True, ensure_ascii=True, allow_nan=False) + "\n").encode("ascii")


def read_json(name: str, data: bytes) -> dict[str, Any]:
    """An object, in the form in which `as_json` writes it."""
    try:
        value = json.loads(data)
        if not isinstance(value, dict) or as_json(value) != data:
            raise ValueError
    except MISSHAPEN:
        raise BundleError(f"{name} does not hold JSON as a bundle has it", "Ask for the bundle again.") from None
    return value


def hashes(files: Mapping[str, bytes]) -> dict[str, str]:
    return {name: hashlib.sha256(data).hexdigest() for name, data in sorted(files.items())}


def check_hashes(files: Mapping[str, bytes], manifest: Mapping[str, Any]) -> None:
    """Raise unless the files are those of the manifest, by name and by hash."""
    listed = manifest.get("files")
    if not isinstance(listed, dict):
        raise BundleError(f"{MANIFEST} lists no files", "Ask for the bundle again.")
    there = {name: data for name, data in files.items() if name not in (MANIFEST, SIGNATURE)}
    for name in sorted(there.keys() | listed.keys()):
        if name not in listed:
            raise _not_as_listed(f"{name} is in the bundle, and {MANIFEST} does not list it")
        if name not in there:
            raise _not_as_listed(f"{name} is listed in {MANIFEST}, and not in the bundle")
        if hashlib.sha256(there[name]).hexdigest() != listed[name]:
            raise _not_as_listed(f"{name} is not what {MANIFEST} says: its SHA-256 does not fit")


def _not_as_listed(cause: str) -> BundleError:
    return BundleError(cause, "The bundle was changed, or damaged: ask for it again.")
