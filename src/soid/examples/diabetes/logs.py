"""Writes the logs, by running the compiled programs on five people: `python -m soid.examples.diabetes.logs`.

One is the program's log, one the repaired program's. Numbers are the shortest that read back to the same double.
"""

from __future__ import annotations

import ctypes
import json
import sys
from pathlib import Path
from typing import Final

from soid.engine.llvm.c_source import c_source
from soid.engine.llvm.compiler.compilation import compile_native
from soid.engine.llvm.variables.discovery import build_of
from soid.engine.manifest_reader import load

#: the program's folder, and the repaired one's
FOLDERS: Final = (Path(__file__).parent, Path(__file__).parent / "repaired")

_ANSWERS: Final = (
    "pregnancies",
    "glucose",
    "blood_pressure",
    "skin_thickness",
    "insulin",
    "height",
    "weight",
    "pedigree",
    "age",
)
#: inches and pounds; the fourth is the person who asks
_PEOPLE: Final = (
    (0.0, 94.0, 70.0, 27.0, 115.0, 67.5, 145.8, 0.349, 26.0),
    (4.0, 118.0, 72.0, 31.0, 0.0, 60.0, 171.0, 0.291, 38.0),
    (7.0, 161.0, 86.0, 0.0, 0.0, 62.5, 137.5, 0.487, 51.0),
    (1.0, 199.0, 76.0, 43.0, 0.0, 64.0, 249.973, 1.394, 22.0),
    (2.0, 105.0, 64.0, 22.0, 88.0, 72.0, 162.0, 0.205, 24.0),
)
_RISKS: Final = ("LOW", "HIGH")


class _Patient(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_double) for name in _ANSWERS)


class _Assessment(ctypes.Structure):
    _fields_ = (("bmi", ctypes.c_double), ("risk", ctypes.c_int))


def record(folder: Path) -> str:
    program = load(folder).program
    assess = ctypes.CDLL(str(compile_native(build_of(c_source(program), folder)))).assess
    assess.restype = None
    lines = []
    for step, person in enumerate(_PEOPLE):
        result = _Assessment()
        assess(ctypes.byref(_Patient(*person)), ctypes.byref(result))
        patient = dict(zip(_ANSWERS, person, strict=True))
        assessment = {"bmi": result.bmi, "risk": _RISKS[result.risk]}
        lines.append(json.dumps({"step": step, "patient": patient, "assessment": assessment}))
    return "".join(f"{line}\n" for line in lines)


def main() -> int:
    for folder in FOLDERS:
        file = folder / "log.jsonl"
        file.touch()  # a manifest can be read only if its log exists
        file.write_text(record(folder))
        print(f"{file}: {len(_PEOPLE)} people")
    return 0


if __name__ == "__main__":
    sys.exit(main())
