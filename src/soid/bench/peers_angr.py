"""angr as a peer: it follows the paths of the compiled harness, in a Python that has it installed.

angr pins a version of z3 that is too old for soid, and one environment cannot have two; so angr has an environment of
its own, which the user names: `soid bench peers --angr PYTHON`. It does not need soid.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from soid.bench.measurement import last_line
from soid.bench.peer_harness import NATIVE, verdict
from soid.bench.peers import Ask, Peer, PeerTask, Timed, timed
from soid.budget import Cancellation
from soid.engine.llvm.compiler.compilation import compile_native
from soid.engine.llvm.variables.discovery import build_of
from soid.errors import InputError
from soid.query.query import QueryKind

NAME: Final = "angr"

#: versions that pip can install and that work together: newer ones of the last two break angr's import
VERSIONS: Final = ("angr>=9.2.213,<9.3", "bitstring<5", "pycparser>=3,<3.12")

WORKER: Final = Path(__file__).with_name("peers_angr_worker.py")

_PROBE: Final = "import importlib.metadata as found; print(found.version('angr')); import angr"
_STARTING: Final = 120.0  # seconds for the import


def angr(given: Path | None = None) -> Peer:
    """angr in the given interpreter, else in this one if it is installed."""
    if given is not None:
        if not given.is_file():
            raise InputError(f"there is no {given}", "Name a Python that has angr.")
        python = str(given.absolute())  # not resolved: the link is what selects the environment
        broken = _broken(python)
        if broken:
            raise InputError(f"{given} has no angr that can be used: {broken}", _remedy())
        return Peer(NAME, _asking(python))
    if importlib.util.find_spec("angr") is None:
        return Peer(NAME, None, _remedy())
    broken = _broken(sys.executable)
    return Peer(NAME, None, _remedy(), broken) if broken else Peer(NAME, _asking(sys.executable))


def _remedy() -> str:
    wanted = " ".join(f"'{each}'" for each in VERSIONS)
    return (
        f"Give it an environment of its own, and name that: python3 -m venv DIR; DIR/bin/pip install {wanted}; "
        "--angr DIR/bin/python."
    )


def _broken(python: str) -> str:
    """Why an interpreter cannot import angr; empty if it can."""
    try:
        done = subprocess.run(
            [python, "-c", _PROBE], capture_output=True, text=True, errors="replace", check=False, timeout=_STARTING
        )
    except OSError as error:
        return f"it cannot be started: {error.strerror}"
    except subprocess.TimeoutExpired:
        return f"importing it took more than {_STARTING:g} s"
    if done.returncode == 0:
        return ""
    version = done.stdout.split()[0] if done.stdout.split() else ""
    said = last_line(done.stderr)
    return f"angr {version} cannot be imported: {said}" if version else f"it is not installed there ({said})"


def _asking(python: str) -> Ask:
    worker = WORKER.read_text(encoding="utf-8")

    def ask(put: PeerTask, limit: float, cancel: Cancellation) -> Timed:
        began = time.perf_counter()
        program = _compiled(put)
        compiling = time.perf_counter() - began
        done = timed(
            [python, "-c", worker, str(program)],
            max(limit - compiling, 0.1),
            cancel,
            partial(judged, put.kind),
            {**os.environ, "PYTHONSAFEPATH": "1"},  # import nothing from the current folder
        )
        return replace(done, seconds=done.seconds + compiling)

    return ask


def _compiled(put: PeerTask) -> Path:
    """The harness as a shared object, compiled as soid compiles the program for replay."""
    folder = put.folder / "native"
    folder.mkdir()
    (folder / "harness.c").write_text(NATIVE + put.harness, encoding="utf-8")
    build = build_of(put.source, folder)
    return compile_native(replace(build, sources=(Path("harness.c"),), commands=()))


def judged(kind: QueryKind, output: str, errors: str = "") -> tuple[str, str]:
    lines = output.strip().splitlines()
    try:
        report = json.loads(lines[-1]) if lines else None
    except ValueError:
        report = None
    match report:
        case {"holds": bool() as holds}:
            return verdict(kind, holds=holds), ""
        case {"holds": None, "why": str() as why}:
            return "unknown", why
    return "unknown", f"its process ended: {last_line(errors)}"
