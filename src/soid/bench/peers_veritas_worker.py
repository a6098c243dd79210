"""The part of a measurement that Veritas' own interpreter runs; it gets this text, because it may not have soid.

    python -c "$(cat peers_veritas_worker.py)" TASK.json

reads the model and one question of a ModelTask, and writes one JSON object: whether the model stays on its side ("yes",
"no", "unknown"), the row that shows that it does not, the seconds after the model was read, and for the nearest row the
distance below which there is none. Veritas' own reading of XGBoost's files needs XGBoost, and takes the base score for
a margin; so its function that reads a tree is called here, and the base score is set to its logit.
"""

from __future__ import annotations

import json
import math
import sys
import time
from typing import Any, Final

_STEPS: Final = 100  # of the search between two looks at the clock
_HALVINGS: Final = 20  # of the distance: its own default of 10 leaves a thousandth of the domain open


def read(path: str) -> Any:
    """The trees with the base score, over the score of the second class."""
    import numpy as np
    import veritas
    from veritas.xgb_converter import convert_xgb_json_tree

    with open(path, encoding="utf-8") as file:  # noqa: PTH123 as its own reader does, float32 by float32
        learner = json.load(file, parse_float=np.float32)["learner"]
    trees = veritas.AddTree(1, veritas.AddTreeType.REGR)
    for each in learner["gradient_booster"]["model"]["trees"]:
        convert_xgb_json_tree(trees, each, 0, 3)
    share = float(np.float32(learner["learner_model_param"]["base_score"].strip("[]")))
    trees.set_base_score(0, math.log(share / (1.0 - share)))
    return trees


def box(task: dict[str, Any], within: float = math.inf) -> list[Any]:
    """The intervals of a question, no farther than `within` from the fact; Veritas' have no upper end."""
    import veritas

    found = []
    for fact, low, high in zip(task["fact"], task["low"], task["high"], strict=True):
        first, last = max(low, fact - within), min(high, fact + within)
        found.append(veritas.Interval(min(first, fact), math.nextafter(max(last, fact), math.inf)))
    return found


def crossing(trees: Any, task: dict[str, Any], within: float, limit: float) -> tuple[str, list[float] | None]:
    """Whether the model stays on its side in a box, and a row where it does not."""
    import numpy as np
    import veritas

    config = veritas.Config(veritas.HeuristicType.MAX_OUTPUT)
    config.ignore_state_when_worse_than = 0.0
    config.stop_when_num_solutions_exceeds = 1
    config.max_memory = 4 << 30
    search = config.get_search(trees, box(task, within))
    deadline = time.perf_counter() + limit
    reason = veritas.StopReason.NONE
    while reason == veritas.StopReason.NONE and not search.num_solutions() and time.perf_counter() < deadline:
        reason = search.steps(_STEPS)
    if search.num_solutions():
        row = np.array(task["fact"])
        for feature, interval in search.get_solution(0).box().items():
            below = float(np.nextafter(np.float32(interval.hi), np.float32(-np.inf)))  # the library rounds to float32
            row[feature] = max(min(row[feature], below), interval.lo)
        return "no", row.tolist()
    return ("yes" if reason == veritas.StopReason.NO_MORE_OPEN else "unknown"), None


def nearest(trees: Any, task: dict[str, Any], limit: float) -> dict[str, Any]:
    """The nearest row by its greatest change, between two distances: halved as its search for robustness does it."""
    deadline = time.perf_counter() + limit
    low, high = 0.0, math.inf
    verdict, row = crossing(trees, task, math.inf, limit)
    if verdict != "no" or row is None:
        return {"verdict": verdict, "row": None}
    for _ in range(_HALVINGS):
        high = min(high, max(abs(value - fact) for value, fact in zip(row, task["fact"], strict=True)))
        middle = (low + high) / 2
        found, better = crossing(trees, task, middle, deadline - time.perf_counter())
        if found == "unknown":
            return {"verdict": verdict, "row": row, "none_below": low, "why": "a nearer row may exist"}
        if better is None:
            low = middle
        else:
            row = better
    return {"verdict": verdict, "row": row, "none_below": low}


def asked(task: dict[str, Any]) -> dict[str, Any]:
    trees = read(task["model"])
    runs: list[dict[str, Any]] = []
    while len(runs) < task["runs"] and sum(each["seconds"] for each in runs) < task["repeated"]:
        runs.append(timed(trees, task))
    return sorted(runs, key=lambda each: each["cpu"])[(len(runs) - 1) // 2]


def timed(trees: Any, task: dict[str, Any]) -> dict[str, Any]:
    began, worked = time.perf_counter(), time.process_time()
    if task["positive"]:
        trees = trees.negate_leaf_values()
    if task["nearest"]:
        found = nearest(trees, task, task["limit"])
    else:
        verdict, row = crossing(trees, task, math.inf, task["limit"])
        found = {"verdict": verdict, "row": row}
    return {**found, "seconds": time.perf_counter() - began, "cpu": time.process_time() - worked}


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as given:  # noqa: PTH123
        print(json.dumps(asked(json.load(given))), flush=True)  # noqa: T201 the measuring process reads it
