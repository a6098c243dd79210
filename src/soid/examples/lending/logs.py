"""Writes the logs of the lending example, by asking the models in XGBoost: `python -m soid.examples.lending.logs`.

A row is an application as the lender keeps it: what the model was told, the probability that it gave, and the decision.
"""

from __future__ import annotations

import sys
from typing import Final

from soid.examples.lending.applicants import FEATURES, Applicant
from soid.examples.lending.train import FOLDER, MODELS, THRESHOLD, probabilities

_NOT_LOGGED: Final = (False, False, False)  # the group, and what was learned from: no lender knows it of these

APPLICANTS: Final = (
    Applicant(3180, 0, 9000, 54, 0, "RENTED", "W1", *_NOT_LOGGED),
    Applicant(1790, 4200, 12000, 14, 2, "RENTED", "N2", *_NOT_LOGGED),
    Applicant(2640, 2500, 6000, 84, 0, "FAMILY", "S1", *_NOT_LOGGED),
    Applicant(2750, 3100, 8000, 66, 0, "RENTED", "E1", *_NOT_LOGGED),
    Applicant(2750, 3100, 8000, 66, 0, "RENTED", "N1", *_NOT_LOGGED),
    Applicant(4450, 0, 5000, 136, 0, "OWNED", "E2", *_NOT_LOGGED),
)


def record(model: str) -> str:
    """The log of a model, by its file."""
    import numpy
    import xgboost

    booster = xgboost.Booster(model_file=FOLDER / model)
    lines = [",".join(("step", *FEATURES, "probability", "approve"))]
    for step, (one, given) in enumerate(zip(APPLICANTS, probabilities(booster, APPLICANTS), strict=True)):
        cells = (step, *one.told, numpy.float32(given), str(given >= THRESHOLD).lower())
        lines.append(",".join(map(str, cells)))
    return "".join(f"{line}\n" for line in lines)


def main() -> int:
    for model in MODELS:
        file = (FOLDER / model).with_name("applications.csv")
        file.write_text(record(model))
        print(f"{file}: {len(APPLICANTS)} applications")
    return 0


if __name__ == "__main__":
    sys.exit(main())
