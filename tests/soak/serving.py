"""A server for the long runs, as a user starts it; how long they take, and where their figures are kept.

SOID_SOAK_SECONDS says how long each of them takes, if not as long as usual.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from soid.case.case import Case
from soid.examples import folder

#: cases that the long runs ask about, by their ids: projects below the examples
CASES = {
    "oven": folder("microwave"),
    "diabetes": folder("diabetes"),
    "standard": folder("crash") / "standard",
    "impatient": folder("crash") / "impatient",
    "pathological": folder("crash") / "pathological",
}
#: and what may well be asked about them
QUESTIONS = {
    "oven": [
        "did action == CANCEL",
        "might action == CANCEL if heat is anything",
        "would action in {CANCEL, CLOSE} if error == true and closed is anything and heat is anything",
    ],
    "crash": [
        "did move",
        "might not move if world.agents[1].signal is anything",
        "would move if world.agents[1].signal is anything and world.agents[1].x in {1.0..1.5}",
        "would move if world.agents[1].x in {0.5..1.5} and world.agents[1].z in {2.0..2.3}",
        "might not move if world.agents[1].x is anything and world.agents[1].angle is anything",
    ],
}


def keep(name: str, figures: object) -> None:
    """Figures of a run, to look at afterwards: build/soak."""
    place = Path(__file__).parents[2] / "build" / "soak"
    place.mkdir(parents=True, exist_ok=True)
    text = figures if isinstance(figures, str) else json.dumps(figures, indent=2)
    (place / name).write_text(text + "\n")


def seconds(usual: float) -> float:
    return float(os.environ.get("SOID_SOAK_SECONDS", usual))


@contextlib.contextmanager
def serving(cases: Path, *arguments: str) -> Iterator[str]:
    """`soid serve` on a folder with the cases; gives its address."""
    for case_id, project in CASES.items():
        Case.create(cases / f"{case_id}.case", project).close()
    soid = Path(sys.executable).with_name("soid")
    with (cases / "server.log").open("w") as log:
        process = subprocess.Popen(
            [soid, "serve", str(cases), "--port", "0", "--json", "--no-open", *arguments],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())["url"]
            assert process.poll() is None, "the server has ended"
        finally:
            process.terminate()
            process.communicate()
