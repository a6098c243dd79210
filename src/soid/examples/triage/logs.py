"""Writes the log of the triage example, by asking the pipeline in scikit-learn: `python -m soid.examples.triage.logs`.

A row is a patient as the ward keeps it: what the pipeline was told, with an empty cell for what was not measured, the
probability that it gave, and the decision.
"""

from __future__ import annotations

import math
import sys
from typing import Final

from soid.examples.triage.patients import FEATURES, Patient
from soid.examples.triage.train import FILE, THRESHOLD, probabilities

LOG: Final = FILE.with_name("ward.csv")

PATIENTS: Final = (
    Patient(34.0, 76.0, 128.0, 36.8, 98.0, math.nan, "WALKED"),
    Patient(81.0, 124.0, 96.0, 38.4, 91.0, 3.9, "AMBULANCE"),
    Patient(52.0, 88.0, 139.0, 37.0, 97.0, 1.2, "REFERRED"),
    Patient(67.0, 102.0, 115.0, 38.1, 95.0, math.nan, "WALKED"),
    Patient(70.0, 101.0, 114.0, 37.9, 95.0, 4.4, "WALKED"),
    Patient(45.0, 92.0, 121.0, 37.4, 97.0, math.nan, "REFERRED"),
)


def record() -> str:
    import skops.io

    model = skops.io.load(FILE, trusted=["numpy.dtype", "sklearn.tree._tree.Tree"])
    lines = [",".join(("step", *FEATURES, "probability", "urgent"))]
    for step, (one, given) in enumerate(zip(PATIENTS, probabilities(model, PATIENTS), strict=True)):
        told = ("" if isinstance(each, float) and math.isnan(each) else each for each in one.told)
        lines.append(",".join(map(str, (step, *told, f"{given:.4f}", str(given >= THRESHOLD).lower()))))
    return "".join(f"{line}\n" for line in lines)


def main() -> int:
    LOG.write_text(record())
    print(f"{LOG}: {len(PATIENTS)} patients")
    return 0


if __name__ == "__main__":
    sys.exit(main())
