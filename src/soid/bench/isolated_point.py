"""One point of a benchmark in a process of its own, so that its memory is its own and it can be killed.

Reads what to do as JSON from standard input, and writes what came of it as JSON to standard output.
"""

from __future__ import annotations

import gc
import json
import resource
import sys
from typing import Any

from msgspec.structs import replace

from soid.bench.measurement import seconds
from soid.case.project import Project
from soid.oracle.inquiry import Settings
from soid.solver.chain import chain


def measure(project: str, question: str, limit: float, runs: int) -> dict[str, Any]:
    """Open a project, compiled and read anew, and put a question to it several times, nothing being left of before."""
    cases: list[Project] = []

    def make() -> None:
        cases.append(Project.open(project, settings=Settings(seconds=limit)))
        replayer = cases[-1].replayer
        assert replayer is not None and replayer.how  # which links it

    opened = seconds(make)
    verdicts, taken = [], []
    answer = None
    for _ in range(runs):
        solver = chain()
        answer = replace(cases[0], solver=solver, summaries=None).ask(question)
        solver.close()
        verdicts.append(answer.verdict.value)
        taken.append(answer.seconds["total"])
        if answer.seconds["total"] > limit / 2:
            break  # once is enough to see that
    assert answer is not None
    return {
        "verdict": verdicts[0] if len(set(verdicts)) == 1 else "unknown",
        "reason": answer.reason,
        "open": opened,
        "runs": taken,
        "paths": sum(answer.paths.values()),
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


if __name__ == "__main__":
    gc.set_threshold(
        100_000, 50, 50
    )  # as the command line does: a process that stays is not searched at every question
    sys.stdout.write(json.dumps(measure(**json.load(sys.stdin))))
