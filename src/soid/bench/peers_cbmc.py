"""cbmc as a peer, asked twice: about the assertion alone, and with the checks that are its standard.

soid's answers show as well that nothing in the family fails, so the second is the same question; the first is the least
that cbmc can be asked. What its checks find is no verdict on the behavior.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from soid.bench.peer_harness import PROPERTY, verdict
from soid.bench.peers import Ask, Peer, PeerTask, Timed, timed
from soid.budget import Cancellation
from soid.errors import InputError
from soid.query.query import QueryKind

ALONE: Final = "cbmc"  # the assertion alone
CHECKED: Final = "cbmc with checks"

#: every loop of the program goes round no more often; that it does not is checked along
_UNWIND: Final = 12

#: what is on by default since cbmc 6, which calls it its standard
_STANDARD: Final = (
    "--bounds-check",
    "--pointer-check",
    "--pointer-primitive-check",
    "--div-by-zero-check",
    "--signed-overflow-check",
    "--undefined-shift-check",
)

#: how the report calls what those find; whatever else it may report, a loop cut short among it, is a reason to doubt
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
    """The model checker, as given, else as found: with the assertion alone, and with its checks."""
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
        return timed([command, *options, *defines, str(file)], limit, cancel, lambda said, _: judged(put.kind, said))

    return ask


def _options(command: str, *, checks: bool) -> list[str]:
    """The assertion, that loops were followed to their ends, and what else is checked."""
    try:
        said = subprocess.run([command, "--version"], capture_output=True, text=True, check=False).stdout
    except OSError as error:
        raise InputError(f"{command} cannot be started: {error.strerror}", "Name a cbmc that can be run.") from error
    major = int(said.split(".")[0]) if said.split(".")[0].isdigit() else 0
    if major >= 6:
        what = [] if checks else ["--no-standard-checks"]
    else:
        what = list(_STANDARD) if checks else []
    return [*what, "--unwind", str(_UNWIND), "--unwinding-assertions", "--json-ui"]


def judged(kind: QueryKind, said: str) -> tuple[str, str]:
    """The verdict in cbmc's report, and what its checks found.

    A verdict is unknown where a loop was cut short, or nothing is said of the behavior. A failed check is none: cbmc
    follows the program past it.
    """
    try:
        results = list(_results(json.loads(said)))
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
    """By the middle of its name: `drive.array_bounds.2`."""
    parts = str(result.get("property", "")).split(".")
    return len(parts) > 2 and parts[-2] in _CHECKS


def _results(report: Any) -> Iterator[dict[str, Any]]:
    for message in report if isinstance(report, list) else ():
        if isinstance(message, dict):
            yield from message.get("result", ())
