"""The process of one benchmark point, so that its memory can be measured and it can be killed.

Its argument is the task as JSON, and it writes the result as JSON to standard output.
"""

from __future__ import annotations

import gc
import json
import resource
import statistics
import sys
import time
from typing import Any

from soid.bench.measurement import asked_anew, opened


def measure(project: str, question: str, limit: float, runs: int) -> dict[str, Any]:
    """Open a project and ask a question several times, each time with a new solver and without kept paths."""
    started = time.perf_counter()
    case = opened(project, limit)
    opening = time.perf_counter() - started
    verdicts, taken = [], []
    answer = None
    for _ in range(runs):
        answer = asked_anew(case, question)
        verdicts.append(answer.verdict.value)
        taken.append(answer.seconds["total"])
        if answer.seconds["total"] > limit / 2:
            break  # for a slow question one run is enough
    assert answer is not None
    return {  # further fields of a Grown
        "verdict": verdicts[0] if len(set(verdicts)) == 1 else "unknown",
        "reason": answer.reason,
        "open": opening,
        "seconds": statistics.median(taken),
        "runs": taken,
        "paths": sum(answer.paths.values()),
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


if __name__ == "__main__":
    gc.set_threshold(100_000, 50, 50)  # as in the command line
    sys.stdout.write(json.dumps(measure(**json.loads(sys.argv[1]))))
