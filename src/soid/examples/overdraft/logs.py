"""Writes the log, by running the first version on some applicants: `python -m soid.examples.overdraft.logs`.

They are drawn by chance, and as many people are: of those who have cared for children or parents most are women. One of
them applies twice: after her income has risen, her limit is lower.
"""

from __future__ import annotations

import ctypes
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from soid.engine.llvm.c_source import c_source
from soid.engine.llvm.compiler.compilation import compile_native
from soid.engine.llvm.variables.discovery import build_of
from soid.engine.manifest_reader import load
from soid.engine.product.product_source import ProductSource

FOLDER: Final = Path(__file__).parent
SEXES: Final = ("FEMALE", "MALE", "NOT_STATED")
AGAIN: Final = 17  # the step at which the one who applied at BEFORE applies again
BEFORE: Final = 5

_SALUTATIONS: Final = ("MS", "MR", "NEUTRAL")
_COUNT: Final = 24
_SEED: Final = 2021
_GAPS: Final = {"FEMALE": 0.7, "MALE": 0.15, "NOT_STATED": 0.4}  # how many have one

_FLOATS: Final = ("income", "savings", "debts")
_INTEGERS: Final = ("age", "months_employed", "months_gap", "dependants", "postcode", "sex")

#: before her income has risen
_CUSTOMER: Final = {
    "income": 3450.0,
    "savings": 700.0,
    "debts": 1200.0,
    "age": 34,
    "months_employed": 12,
    "months_gap": 14,
    "dependants": 1,
    "postcode": 13353,
    "sex": "FEMALE",
}


class _Applicant(ctypes.Structure):
    _fields_ = (*((name, ctypes.c_float) for name in _FLOATS), *((name, ctypes.c_int) for name in _INTEGERS))


class _Letter(ctypes.Structure):
    _fields_ = (("salutation", ctypes.c_int), ("branch", ctypes.c_int), ("limit", ctypes.c_int))


def applicants() -> Iterator[dict[str, Any]]:
    chance = random.Random(_SEED)
    for step in range(_COUNT):
        if step in (BEFORE, AGAIN):
            yield _CUSTOMER | {"income": 3500.0, "months_employed": 15} if step == AGAIN else _CUSTOMER
        else:
            yield _drawn(chance)


def _drawn(chance: random.Random) -> dict[str, Any]:
    (sex,) = chance.choices(SEXES, (10, 10, 1))
    age = chance.randrange(18, 70)
    return {
        "income": float(chance.randrange(800, 6000, 10)),
        "savings": float(chance.randrange(0, 20000, 100)),
        "debts": float(chance.randrange(0, 15000, 100)),
        "age": age,
        "months_employed": chance.randrange(0, min(240, 12 * (age - 17))),
        "months_gap": chance.randrange(6, 37) if chance.random() < _GAPS[sex] else 0,
        "dependants": chance.choice((0, 0, 1, 2, 3)),
        "postcode": chance.randrange(10115, 14199),
        "sex": sex,
    }


def record() -> str:
    source = load(FOLDER).program.source
    assert isinstance(source, ProductSource)
    first = source.members[0].program
    decide = ctypes.CDLL(str(compile_native(build_of(c_source(first), FOLDER)))).decide
    decide.restype = None
    lines = []
    for step, applicant in enumerate(applicants()):
        letter = _Letter()
        given = _Applicant(**{**applicant, "sex": SEXES.index(applicant["sex"])})
        decide(ctypes.byref(given), ctypes.byref(letter))
        written = {"salutation": _SALUTATIONS[letter.salutation], "branch": letter.branch, "limit": letter.limit}
        lines.append(json.dumps({"step": step, "applicant": applicant, "letter": written}))
    return "".join(f"{line}\n" for line in lines)


def main() -> int:
    file = FOLDER / "log.jsonl"
    file.touch()  # a manifest can be read only if its log exists
    file.write_text(record())
    print(f"{file}: {_COUNT} applicants")
    return 0


if __name__ == "__main__":
    sys.exit(main())
