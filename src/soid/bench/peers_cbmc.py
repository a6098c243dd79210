"""cbmc as a peer, asked twice: for the assertion alone, and with its standard checks.

soid's answers also show that nothing in the family fails, so the second is the same question; the first is the smallest
question for cbmc. A failed check is no verdict on the behavior.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

from soid.bench.peer_harness import PROPERTY, verdict
from soid.bench.peers import Ask, Peer, PeerTask, Timed, timed
from soid.budget import Cancellation
from soid.errors import InputError
from soid.query.query import QueryKind

ALONE: Final = "cbmc"  # the assertion alone
CHECKED: Final = "cbmc with checks"

#: the bound for every loop of the program; cbmc also checks that no loop exceeds it
_UNWIND: Final = 12

#: cbmc's standard checks, which are on by default since version 6
_STANDARD: Final = (
    "--bounds-check",
    "--pointer-check",
    "--pointer-primitive-check",
    "--div-by-zero-check",
    "--signed-overflow-check",
    "--undefined-shift-check",
)

#: the names of those checks in the report; any other failure, such as a loop cut short, makes the verdict unknown
_CHECKS: Final = frozenset(
    {
        "array_bounds",
        "bounds_check",
        "division-by-zero",
        "enum_range",
        "overflow",
        "pointer",
        "pointer_arithmetic",
        "pointer_dereference",
        "pointer_primitives",
        "undefined-shift",
    }
)


def cbmc(given: Path | None = None) -> tuple[Peer, Peer]:
    """The given or the installed cbmc: with the assertion alone, and with its checks."""
    if given is not None and not given.is_file():
        raise InputError(f"there is no {given}", "Name the cbmc to be measured against.")
    found = str(given.resolve()) if given is not None else shutil.which("cbmc")
    remedy = "Install it from your distribution, or name it: --cbmc FILE."
    if found is None:
        return Peer(ALONE, None, remedy), Peer(CHECKED, None, remedy)
    return Peer(ALONE, _asking(found, checks=False)), Peer(CHECKED, _asking(found, checks=True))


def _asking(command: str, *, checks: bool) -> Ask:
    options = _options(command, checks=checks)

    def ask(put: PeerTask, limit: float, cancel: Cancellation) -> Timed:
        file = put.folder / "harness.c"
        file.write_text(put.harness, encoding="utf-8")
        defines = [f"-D{each}" for each in put.source.defines]
        judge = partial(judged, put.kind)
        return timed([command, *options, *defines, str(file)], limit, cancel, judge)

    return ask


def _options(command: str, *, checks: bool) -> list[str]:
    """The options: the checks, and the bound of loops with its check."""
    try:
        version = subprocess.run([command, "--version"], capture_output=True, text=True, check=False).stdout
    except OSError as error:
        raise InputError(f"{command} cannot be started: {error.strerror}", "Name a cbmc that can be run.") from error
    major = version.split(".")[0]
    if major.isdigit() and int(major) >= 6:
        what = [] if checks else ["--no-standard-checks"]
    else:
        what = list(_STANDARD) if checks else []
    return [*what, "--unwind", str(_UNWIND), "--unwinding-assertions", "--json-ui"]


def judged(kind: QueryKind, output: str, _errors: str = "") -> tuple[str, str]:
    """The verdict in cbmc's report, and what its checks found.

    The verdict is unknown if a loop was cut short, or if the report has no result for the behavior. A failed check does
    not matter: cbmc follows the program past it.
    """
    try:
        results = list(_results(json.loads(output)))
    except ValueError:
        return "unknown", "its report cannot be read"
    behaviors = [each["status"] for each in results if each.get("description") == PROPERTY]
    others = [each for each in results if each.get("description") != PROPERTY]
    failed = [each for each in others if _is_check(each) and each["status"] == "FAILURE"]
    doubts = [each for each in others if not _is_check(each) and each["status"] != "SUCCESS"]
    note = f"{len(failed)} of its checks fail" if failed else ""
    if behaviors == ["FAILURE"]:
        return verdict(kind, holds=False), note
    if behaviors == ["SUCCESS"] and not doubts:
        return verdict(kind, holds=True), note
    return "unknown", note


def _is_check(result: dict[str, Any]) -> bool:
    """Whether a result is of a check; its name is like `drive.array_bounds.2`."""
    parts = str(result.get("property", "")).split(".")
    return len(parts) > 2 and parts[-2] in _CHECKS


def _results(report: Any) -> Iterator[dict[str, Any]]:
    for message in report if isinstance(report, list) else ():
        if isinstance(message, dict):
            yield from message.get("result", ())
