"""`soid bundle`: write a case as one file that others can check."""

from __future__ import annotations

import hashlib
from pathlib import Path

from soid.cli.command_line.case_options import BundleOptions
from soid.cli.output import print_json
from soid.cli.terminal.progress import watched, worded
from soid.cli.terminal.terminal import Terminal
from soid.evidence.bundle import Bundled, bundle, write


def bundle_case(options: BundleOptions) -> int:
    """Write the bundle; the exit status is 1 if a fact did not go into it."""
    case, key = options.case, options.key
    target = options.to or case.with_suffix(".zip")
    made = watched(
        lambda cancel, report: bundle(case, key=key, seconds=options.seconds, cancel=cancel, report=worded(report)),
        about="bundling: ",
        quiet=options.as_json,
    )
    write(made, target)
    sha256 = hashlib.sha256(made.data).hexdigest()
    if options.as_json:
        refused = [{"entry": number, "why": why} for number, why in made.refused]
        said = {"bundle": str(target), "sha256": sha256, "head": made.head, "facts": list(made.facts)}
        print_json(said | {"signed": key is not None, "refused": refused})
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
    terminal.prose(f"The recipient checks it with `soid verify {target.name}`.", indent=0)
