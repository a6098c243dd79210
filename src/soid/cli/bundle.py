"""`soid bundle`: a case as one file that others can check."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from soid.budget import Cancellation
from soid.cli.terminal import Terminal
from soid.cli.watching import Report, watched
from soid.evidence.bundle import Bundled, bundle, write
from soid.oracle.inquiry import QuestionProgress


def bundle_case(case: Path, to: Path | None, key: Path | None, seconds: float, *, as_json: bool) -> int:
    """Write the bundle; 1 if a fact did not go into it."""
    target = to or case.with_suffix(".zip")

    def make(cancel: Cancellation, report: Report) -> Bundled:
        return bundle(
            case, key=key, seconds=seconds, cancel=cancel, report=lambda words: report(QuestionProgress(words))
        )

    made = watched(make, about="bundling: ", quiet=as_json)
    write(made, target)
    sha256 = hashlib.sha256(made.data).hexdigest()
    if as_json:
        refused = [{"entry": number, "why": why} for number, why in made.refused]
        said = {"bundle": str(target), "sha256": sha256, "head": made.head, "facts": list(made.facts)}
        print(json.dumps(said | {"signed": key is not None, "refused": refused}, ensure_ascii=False), flush=True)
    else:
        _say(made, target, sha256)
    return 1 if made.refused else 0


def _say(made: Bundled, target: Path, sha256: str) -> None:
    terminal = Terminal.stdout()
    terminal.line((f"{target} holds {len(made.facts)} facts ({len(made.data)} bytes).", ""))
    terminal.line(("  its SHA-256:        ", "dim"), (sha256, ""))
    terminal.line(("  the case's last hash: ", "dim"), (made.head, ""))
    for number, why in made.refused:
        terminal.prose(f"entry {number} is not in it: {why}", first=("! ", "bold red"))
    terminal.prose(f"Whoever gets it checks it with `soid verify {target.name}`.", indent=0)
