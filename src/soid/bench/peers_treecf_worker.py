"""The part of a measurement that treecf's own interpreter runs; it gets this text, because it may not have soid.

    python -c "$(cat peers_treecf_worker.py)" TASK.json

reads the model and a ModelTask, and writes one JSON object: whether the model stays on its side ("yes", "no",
"unknown"), the row that shows that it does not, the seconds after the model was read, and whether no row is nearer by
the sum of its changes. treecf knows one question, for the nearest row with a score in a range, so a `would` is put to
it as that.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from typing import Any


def asked(task: dict[str, Any]) -> dict[str, Any]:
    from treecf.ir.parsers.json_dump import parse_dump

    model = parse_dump(task["model"])
    runs: list[dict[str, Any]] = []
    while len(runs) < task["runs"] and sum(each["seconds"] for each in runs) < task["repeated"]:
        runs.append(timed(model, task))
    return sorted(runs, key=lambda each: each["cpu"])[(len(runs) - 1) // 2]


def timed(model: Any, task: dict[str, Any]) -> dict[str, Any]:
    import numpy as np
    import treecf

    began, worked = time.perf_counter(), time.process_time()
    constraints: list[Any] = []
    for name, low, high in zip(model.feature_names, task["low"], task["high"], strict=True):
        constraints.append(treecf.Freeze(name) if low == high else treecf.Range(name, low, high))
    explainer = treecf.Explainer(model, constraints=constraints, normalizers=np.ones(model.n_features))
    # a score of 0 is on the side of the first class; its ranges are closed
    target = treecf.Target.raw(op="<=", value=0.0) if task["positive"] else treecf.Target.raw(op=">=", value=5e-324)
    found = explainer.explain(
        np.array(task["fact"]), target, backend="exact", time_budget_s=task["limit"], node_budget=1 << 40, seed=0
    )
    taken = {"seconds": time.perf_counter() - began, "cpu": time.process_time() - worked}
    if isinstance(found, treecf.Infeasible):
        return {"verdict": "yes" if found.proof == "certified" else "unknown", "row": None, **taken}
    assert isinstance(found, treecf.Counterfactual)
    return {"verdict": "no", "row": found.x_cf.tolist(), "is_nearest": found.proof == "optimal", **taken}


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # what it did not prove is in its result
    with open(sys.argv[1], encoding="utf-8") as given:  # noqa: PTH123
        print(json.dumps(asked(json.load(given))), flush=True)  # noqa: T201 the measuring process reads it
