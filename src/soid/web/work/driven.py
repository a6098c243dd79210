"""A run of the crash example's world with a driver and cars of one's own choice, and the case of its log."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from soid import examples
from soid.case.case import Case
from soid.errors import InputError
from soid.examples.crash.logs import Record, as_jsonl, decided, perceived
from soid.examples.crash.program import CarProgram, Feature, Signal
from soid.examples.crash.roads import Way
from soid.examples.crash.world import DrivenCar, TrafficScenario, World
from soid.program.manifest import FILE_NAME


def drive(task: Mapping[str, Any]) -> dict[str, Any]:
    """Run the world to its end and open a case on what the driver's program saw and decided."""
    records, moment = run(task["driver"], TrafficScenario(tuple(map(_plan, task["cars"])), limit=task["steps"]))
    file = Path(task["file"])
    with tempfile.TemporaryDirectory(prefix="soid-run-") as scratch:
        project = Path(scratch) / "crash"
        examples.copy("crash", project)
        own = project / task["driver"]
        for driver in project.iterdir():
            if driver.is_dir() and driver != own:
                shutil.rmtree(driver)
        (own / "log.jsonl").write_text(as_jsonl(records), encoding="utf-8")
        manifest = own / FILE_NAME
        said = re.sub(r"(?m)^keyframe\s*=.*$", f"keyframe = {moment}", manifest.read_text(encoding="utf-8"))
        manifest.write_text(said, encoding="utf-8")
        with Case.create(file, own, title=task["title"], who=task["who"]) as case:
            case.case_at()
    return {"id": file.stem, "steps": len(records), "keyframe": moment, **records[-1]["scene"]["after"]}


def run(driver: str, scenario: TrafficScenario) -> tuple[list[Record], int]:
    """The log of a run, and the moment to look at first: when the driver enters the crossing, else the last."""
    program = CarProgram(driver)
    world = World(program, scenario)
    records: list[Record] = []
    entered: int | None = None
    while not world.over:
        at_line = bool(world.look() & Feature.AT_LINE)
        record = perceived(world)
        decided(world, record, program.drive())
        records.append(record)
        if entered is None and at_line and record["move"]:
            entered = record["step"]
    if not records:
        raise InputError("the run is over before it begins", "Let the investigated car start before the crossing.")
    return records, records[-1]["step"] if entered is None else entered


def _plan(car: Mapping[str, Any]) -> DrivenCar:
    return DrivenCar(
        way=Way(car["quarter"], Signal[car["turn"]]),
        travelled=car["travelled"],
        speed=car["speed"],
        cruise=car["cruise"],
        signal=Signal[car["signal"]],
        patience=car["patience"],
        careful=car["careful"],
    )
