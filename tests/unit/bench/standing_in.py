"""Programs in place of other tools, and a question to put to them."""

from __future__ import annotations

import json
import stat
from pathlib import Path

from soid.bench.peers import PeerTask
from soid.engine.llvm.c_source import CSource
from soid.query.query import QueryKind


def stand_in(folder: Path, script: str, name: str = "tool") -> Path:
    """A shell script in place of a tool."""
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(file.stat().st_mode | stat.S_IEXEC)
    return file


def put(folder: Path) -> PeerTask:
    """A question whose harness any compiler accepts."""
    source = CSource((Path("car.c"),), "drive", defines=("DRIVER_STANDARD",))
    return PeerTask(QueryKind.WOULD, "int main(void) { __CPROVER_assume(nondet_bool()); }\n", source, folder)


def report(**statuses: str) -> str:
    """As cbmc writes it, by kind of property."""
    results = [
        {"property": f"drive.{kind}.1", "description": kind.replace("_", " "), "status": status}
        for kind, status in statuses.items()
    ]
    return json.dumps([{"program": "CBMC"}, {"result": results}])
