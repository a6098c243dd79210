"""Teaches the lending models with XGBoost: `python -m soid.examples.lending.train [FOLDER]`.

Needs the extra `train` (xgboost, pandas). The same applicants and settings give the same files, byte for byte;
xgboost 3.2 made the present ones. Two models learn from the same applicants, with the same features:

    lending.json             from what clerks decided: the model that is on the stand
    repaired/lending.json    from what was repaid
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from soid.examples.lending.applicants import FEATURES, HOUSING, SHARE, Applicant, applicants

FOLDER: Final = Path(__file__).parent

#: a file: what its model learns of an applicant
MODELS: Final[dict[str, Callable[[Applicant], bool]]] = {
    "lending.json": lambda applicant: applicant.approved,
    "repaired/lending.json": lambda applicant: applicant.repaid,
}
THRESHOLD: Final = 0.5  # as the manifests have it
HELD_OUT: Final = 1500  # of the applicants: a model is measured on these, and does not learn from them
ROUNDS: Final = 60

_SETTINGS: Final = {
    "objective": "binary:logistic",
    "tree_method": "hist",
    "max_depth": 4,
    "eta": 0.2,
    "min_child_weight": 12.0,
    "lambda": 2.0,
    "max_cat_to_onehot": 1,  # sets of categories, and not one category against the others
    # More income never hurts; more debt, a larger loan and late payments never help.
    "monotone_constraints": {"income": 1, "debt": -1, "amount": -1, "employed": 1, "late_payments": -1},
    "nthread": 1,
    "seed": 0,
}


def table(people: Sequence[Applicant]) -> Any:
    """The features as XGBoost is given them."""
    import pandas

    found = pandas.DataFrame([one.told for one in people], columns=list(FEATURES))
    for name, labels in (("housing", HOUSING), ("postcode", tuple(SHARE))):
        found[name] = pandas.Categorical(found[name], categories=labels)
    return found


def learn(people: Sequence[Applicant], of: Callable[[Applicant], bool]) -> Any:
    import xgboost

    data = xgboost.DMatrix(table(people), label=[float(of(one)) for one in people], enable_categorical=True)
    return xgboost.train(_SETTINGS, data, num_boost_round=ROUNDS)


def probabilities(model: Any, people: Sequence[Applicant]) -> list[float]:
    import xgboost

    return [float(each) for each in model.predict(xgboost.DMatrix(table(people), enable_categorical=True))]


def saved(model: Any) -> bytes:
    return bytes(model.save_raw("json"))


def measures(model: Any, of: Callable[[Applicant], bool]) -> dict[str, str]:
    """What the model cards say of a model, on the applicants that it has not learned from."""
    people = applicants()[-HELD_OUT:]
    approved = [each >= THRESHOLD for each in probabilities(model, people)]
    told = list(zip(people, approved, strict=True))
    able = [(one, yes) for one, yes in told if one.repaid]
    return {
        "right about what it learned": _share([yes == of(one) for one, yes in told]),
        "right about who repays": _share([yes == one.repaid for one, yes in told]),
        "approved, of those who repay, in the group": _share([yes for one, yes in able if one.member]),
        "approved, of those who repay, not in the group": _share([yes for one, yes in able if not one.member]),
    }


def _share(flags: list[bool]) -> str:
    return f"{sum(flags) / len(flags):.1%}"


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]) if arguments else FOLDER
    people = applicants()[:-HELD_OUT]
    for name, of in MODELS.items():
        try:
            model = learn(people, of)
        except ImportError as error:
            print(f"{error.name} is missing: pip install 'soid[train]'", file=sys.stderr)
            return 1
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(saved(model))
        print(f"{file}: learned from {len(people)} applicants, measured on {HELD_OUT} others")
        for what, share in measures(model, of).items():
            print(f"    {what}: {share}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
