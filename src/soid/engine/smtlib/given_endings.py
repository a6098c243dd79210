"""How a path that came from elsewhere ended.

A path decides, unless the manifest's `[endings]` or the files that KLEE leaves beside a path (`test000003.div.err`,
`test000004.early`) say otherwise.

>>> parse_ending("fails: division by zero at oven.c:12")
Failed(kind='division by zero', where=Location(file='oven.c', line=12), ...)
>>> parse_ending("does not decide")
Undecided(detail='', window=None, ...)
"""

from __future__ import annotations

import glob
import re
from pathlib import Path

from soid.engine.summary import Decided, Ending, Failed, Location, Undecided, Unexplored
from soid.errors import ManifestError

_KLEE_KINDS = {
    "div": "division by zero",
    "overshift": "shift out of range",
    "ptr": "out-of-bounds access",
    "free": "invalid free",
    "assert": "failed assertion",
    "abort": "abort",
    "readonly": "write to read-only memory",
    "report_error": "error reported by the program",
    "overflow": "integer overflow",
    "bad_vector_access": "out-of-bounds access to a vector",
    "uncaught_exception": "uncaught exception",
}

#: reports about the executor, not about the program: what the program does from there on is not known
_KLEE_GAVE_UP = {
    "exec": "an operation that the symbolic executor does not support",
    "external": "a call to code that the symbolic executor does not have",
    "model": "a limit of the symbolic executor's model",
    "solver": "the symbolic executor's solver gave up",
    "replay": "a replay that went astray",
    "user": "a misuse of the symbolic executor's functions",
}


def parse_ending(text: str, path: str = "") -> Ending:
    """An ending as it is written; `path` names the path in messages.

    `decides`, `fails: KIND [at FILE:LINE]`, `does not decide[: DETAIL]`, `unexplored: REASON [at FILE:LINE]`.
    """
    head, _, tail = (part.strip() for part in text.partition(":"))
    if head == "decides" and not tail:
        return Decided()
    if head == "does not decide":
        return Undecided(tail)
    if head == "fails" and tail:
        return Failed(*_placed(tail))
    if head == "unexplored" and tail:
        return Unexplored(*_placed(tail))
    raise ManifestError(
        f"{f'[endings] {path}: ' if path else ''}{text!r} is no way for a path to end",
        'Write "decides", "fails: division by zero at file.c:12", "does not decide" or "unexplored: why".',
    )


def _placed(text: str) -> tuple[str, Location | None]:
    match = re.fullmatch(r"(.+) at (\S+):(\d+)", text)
    return (match[1], Location(match[2], int(match[3]))) if match else (text, None)


def ending_beside(file: Path) -> Ending | None:
    """The ending according to KLEE's files beside a path, if there are any."""
    stem = file.name.removesuffix(".smt2")
    for report in sorted(file.parent.glob(f"{glob.escape(stem)}.*.err")):
        kind = report.name.removeprefix(f"{stem}.").removesuffix(".err")
        if kind in _KLEE_GAVE_UP:
            return Unexplored(_KLEE_GAVE_UP[kind], _reported_place(report))
        return Failed(_KLEE_KINDS.get(kind, kind), _reported_place(report))
    if (file.parent / f"{stem}.early").exists():
        return Unexplored("the symbolic executor ended this path early")
    return None


def _reported_place(report: Path) -> Location | None:
    text = report.read_text(encoding="utf-8", errors="replace")
    name, line = re.search(r"^File: (.+)$", text, re.M), re.search(r"^Line: (\d+)$", text, re.M)
    return Location(name[1].strip(), int(line[1])) if name and line else None
