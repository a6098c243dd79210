"""The process of one sweep that is measured. Its argument is the task as JSON, and it writes the point as JSON."""

from __future__ import annotations

import gc
import json
import resource
import sys
import time
from collections import Counter
from collections.abc import Sequence

from soid.bench.sweep_growth import SweptPoint
from soid.case.project import Project
from soid.documents import json_of
from soid.solver.chain import chain


def measure(project: str, logs: Sequence[str], questions: Sequence[str]) -> SweptPoint:
    """Sweep all moments of some logs in this process; the project is opened before."""
    solver = chain()
    opened = Project.open(project, solver=solver)
    before = _cpu()
    made = opened.sweep(questions, logs=logs, workers=1)
    return SweptPoint(
        len({(row.log, row.step) for row in made.rows}),
        len(made.rows),
        round(_cpu() - before, 2),
        solver.statistics.questions.calls,
        sum(tally.calls for tally in solver.statistics.solvers.values()),
        made.shared,
        round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
        dict(Counter(row.verdict.value for row in made.rows)),
    )


def _cpu() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


if __name__ == "__main__":
    gc.set_threshold(100_000, 50, 50)  # as in the command line
    sys.stdout.write(json.dumps(json_of(measure(**json.loads(sys.argv[1])))))
