"""Teaches the triage pipeline with scikit-learn: `python -m soid.examples.triage.train [FILE]`.

Needs the extra `train` (scikit-learn, skops, pandas). The same patients and settings give the same model, number by
number; the file has times and addresses in it, and differs from one made before. scikit-learn 1.9 made the present one.
"""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from soid.examples.triage.patients import FEATURES, NUMBERS, Patient, patients

FILE: Final = Path(__file__).parent / "triage.skops"
THRESHOLD: Final = 0.4  # as the manifest has it: to overlook an urgent patient is worse than to look at another one
HELD_OUT: Final = 1250  # of the patients: the model is measured on these, and does not learn from them
_TREES: Final = 40
_DEPTH: Final = 3


def table(people: Sequence[Patient]) -> Any:
    """The features as the pipeline is given them."""
    import pandas

    return pandas.DataFrame([one.told for one in people], columns=list(FEATURES))


def learn(people: Sequence[Patient]) -> Any:
    from sklearn.compose import ColumnTransformer
    from sklearn.ensemble import GradientBoostingClassifier
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import OneHotEncoder

    prepare = ColumnTransformer(
        [
            ("filled", SimpleImputer(strategy="median"), list(NUMBERS)),
            ("arrival", OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["arrival"]),
        ]
    )
    trees = GradientBoostingClassifier(n_estimators=_TREES, max_depth=_DEPTH, min_samples_leaf=15, random_state=0)
    pipeline = Pipeline([("prepare", prepare), ("trees", trees)])
    return pipeline.fit(table(people), ["URGENT" if one.urgent else "CAN_WAIT" for one in people])


def probabilities(model: Any, people: Sequence[Patient]) -> list[float]:
    return [float(each) for each in model.predict_proba(table(people))[:, 1]]


def measures(model: Any) -> dict[str, str]:
    """What the model card says, on the patients that it has not learned from."""
    people = patients()[-HELD_OUT:]
    found = [(one, each >= THRESHOLD) for one, each in zip(people, probabilities(model, people), strict=True)]
    seen = [(one.lactate == one.lactate, urgent) for one, urgent in found if one.urgent]
    return {
        "right": _share([urgent == one.urgent for one, urgent in found]),
        "of the urgent, found, with lactate measured": _share([urgent for measured, urgent in seen if measured]),
        "of the urgent, found, without": _share([urgent for measured, urgent in seen if not measured]),
    }


def _share(flags: list[bool]) -> str:
    return f"{sum(flags) / len(flags):.1%}"


def main(arguments: list[str]) -> int:
    people = patients()[:-HELD_OUT]
    try:
        import skops.io

        model = learn(people)
    except ImportError as error:
        print(f"{error.name} is missing: pip install 'soid[train]'", file=sys.stderr)
        return 1
    file = Path(arguments[0]) if arguments else FILE
    skops.io.dump(model, file, compression=zipfile.ZIP_DEFLATED, compresslevel=9)
    print(f"{file}: learned from {len(people)} patients, measured on {HELD_OUT} others")
    for what, share in measures(model).items():
        print(f"    {what}: {share}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
