"""The files of a bundle, and its manifest.

manifest.json                  the SHA-256 of every other file, and the subject of the bundle
signature.json                 optional: Ed25519 over the manifest's bytes
README.txt                     how to check it by hand
case/chain.jsonl               the record, entry by entry, in its hash chain
project/...                    the files of the project, as the case holds them
program/build.json             compiler, flags and versions, or a learned model's library; for a compiled program also
program/module.ll              the analysed module
bom.cdx.json                   the software that took part, as a CycloneDX bill of materials
facts/0004/fact.json           the question, the answer, and which solver answered each formula
facts/0004/*.smt2              the formulas: see `soid.evidence.obligations`
facts/0004/*.cover.json        boxes that cover the family, if boxes settle it, with bounds of a model's numbers
facts/0004/witness.json        the scenario in bits and in words, and what the compiled program did there
facts/0004/witness.c           the scenario as a C program that checks the decision, if the engine can write one
facts/0004/test_witness.py     that program as a test for pytest
studies/0005/study.json        causes, a map or an explanation: what was studied, and which solver answered each formula
studies/0005/*.smt2            its formulas: see `soid.evidence.studies`
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from typing import Any, Final

from soid.engine.protocol import Engine
from soid.errors import BundleError
from soid.evidence.bundled_record import MISSHAPEN
from soid.solver.chain import available

SECONDS: Final = 60.0  # for one formula, when a bundle is made and when it is verified

FORMAT: Final = "soid bundle 1"
MANIFEST: Final = "manifest.json"
SIGNATURE: Final = "signature.json"
README: Final = "README.txt"
CHAIN: Final = "case/chain.jsonl"
PROJECT: Final = "project/"
BUILD: Final = "program/build.json"
MODULE: Final = "program/module.ll"
BILL: Final = "bom.cdx.json"


def folder(number: int) -> str:
    """The folder of a fact's files."""
    return f"facts/{number:04}/"


def study_folder(number: int) -> str:
    """The folder of a study's formulas."""
    return f"studies/{number:04}/"


def needed(files: Mapping[str, bytes], name: str) -> bytes:
    if name not in files:
        raise BundleError(f"{name} is missing", "Ask for the bundle again.")
    return files[name]


def build_of(engine: Engine) -> tuple[dict[str, Any], bytes | None]:
    """What BUILD holds, and the analysed module; None if nothing is compiled."""
    made: dict[str, Any] = {"engine": engine.name, "python": platform.python_version(), "solvers": available()}
    learned, built = engine.learned, engine.built
    if learned is not None:
        model = learned.model
        made |= {"library": model.library, "version": model.version, "family": model.family, "model": learned.sha256}
    if built is None:
        return made, None
    made |= {"compiler": built.compiler, "reader": built.reader, **built.settings, "module": built.digest}
    return made, built.module


def as_json(value: Any) -> bytes:
    """Indented JSON; equal values give equal bytes."""
    return (json.dumps(value, indent=1, sort_keys=True, ensure_ascii=True, allow_nan=False) + "\n").encode("ascii")


def read_json(name: str, data: bytes) -> dict[str, Any]:
    """Read an object; a BundleError unless it is in the form that `as_json` writes."""
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
    """Raise unless the files are exactly those of the manifest, by name and by hash."""
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
