"""Veritas and treecf as peers, each in a Python that the user names: they need neither soid nor XGBoost."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final, final

import msgspec
from msgspec import Struct

from soid.bench.measurement import last_line, run
from soid.bench.model_peers import AskModel, ModelPeer, ModelTask, ModelTimed
from soid.budget import Cancellation
from soid.errors import InputError

_STARTING: Final = 60.0  # seconds for the import, and for reading the model


@final
class ModelTool(Struct, frozen=True):
    """A package that can be asked."""

    name: str
    module: str
    option: str
    version: str  # what pip is asked for

    @property
    def worker(self) -> Path:
        return Path(__file__).with_name(f"peers_{self.module}_worker.py")

    @property
    def remedy(self) -> str:
        return (
            f"Give it an environment of its own, and name that: python3 -m venv DIR; DIR/bin/pip install "
            f"'{self.version}'; {self.option} DIR/bin/python."
        )


VERITAS: Final = ModelTool("Veritas", "veritas", "--veritas", "dtai-veritas>=0.3.1,<0.4")
TREECF: Final = ModelTool("treecf", "treecf", "--treecf", "treecf>=0.3.2,<0.4")


def peer(tool: ModelTool, given: Path | None = None) -> ModelPeer:
    """A tool in the given interpreter, else in this one if it is installed."""
    if given is not None:
        if not given.is_file():
            raise InputError(f"there is no {given}", f"Name a Python that has {tool.name}.")
        python = str(given.absolute())  # not resolved: the link is what selects the environment
        broken = _broken(tool, python)
        if broken:
            raise InputError(f"{given} has no {tool.name} that can be used: {broken}", tool.remedy)
        return ModelPeer(tool.name, _asking(tool, python))
    if importlib.util.find_spec(tool.module) is None:
        return ModelPeer(tool.name, None, tool.remedy)
    broken = _broken(tool, sys.executable)
    if broken:
        return ModelPeer(tool.name, None, tool.remedy, broken)
    return ModelPeer(tool.name, _asking(tool, sys.executable))


def _broken(tool: ModelTool, python: str) -> str:
    """Why an interpreter cannot import a tool; empty if it can."""
    command = [python, "-c", f"import {tool.module}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, timeout=_STARTING)
    except OSError as error:
        return f"it cannot be started: {error.strerror}"
    except subprocess.TimeoutExpired:
        return f"importing it took more than {_STARTING:g} s"
    return "" if done.returncode == 0 else last_line(done.stderr)


def _asking(tool: ModelTool, python: str) -> AskModel:
    worker = tool.worker.read_text(encoding="utf-8")

    def ask(task: ModelTask, folder: Path, cancel: Cancellation) -> ModelTimed:
        file = folder / f"{tool.module}.json"
        file.write_bytes(msgspec.json.encode(task))
        environment = {**os.environ, "PYTHONSAFEPATH": "1"}  # import nothing from the current folder
        began = time.perf_counter()
        # it ends by itself at its limit, unless it hangs
        streams = run([python, "-c", worker, str(file)], _STARTING + 2 * task.limit, cancel, environment)
        if streams is None:
            seconds = time.perf_counter() - began
            return ModelTimed("unknown", seconds, seconds, ended=not cancel.cancelled)
        return judged(task, *streams)

    return ask


@final
class _Report(Struct, frozen=True):
    """What a worker writes."""

    verdict: str
    seconds: float
    cpu: float
    row: tuple[float, ...] | None = None
    is_nearest: bool = False
    none_below: float | None = None
    why: str = ""


def judged(task: ModelTask, output: str, errors: str = "") -> ModelTimed:
    """The result that a worker has written."""
    lines = output.strip().splitlines()
    try:
        said = msgspec.convert(json.loads(lines[-1]) if lines else None, _Report)
    except (ValueError, msgspec.ValidationError):
        return ModelTimed("unknown", 0.0, 0.0, note=f"its process ended: {last_line(errors)}")
    ended = said.verdict == "unknown" and said.seconds >= task.limit
    claims: dict[str, Any] = {"is_nearest": said.is_nearest and task.nearest, "none_below": said.none_below}
    return ModelTimed(said.verdict, said.seconds, said.cpu, ended, said.why, said.row, **claims)
