"""`soid bundle`: write a case as one file that others can check. `soid verify`: check one that another person made."""

from __future__ import annotations

import hashlib
from functools import partial
from pathlib import Path
from typing import Final

from soid.case.custody.author_key import opened
from soid.case.custody.custody import Expectations
from soid.cli.command_line.case_options import BundleOptions, VerifyBundleOptions
from soid.cli.output import print_json, write_file
from soid.cli.terminal.own_key import asker
from soid.cli.terminal.progress import watched, worded
from soid.cli.terminal.terminal import Terminal
from soid.errors import BundleError
from soid.evidence.bundle import Bundled, bundle, write
from soid.evidence.checks import CheckOutcome
from soid.evidence.verification_report import CheckedFact, CheckedStudy, Standing, named, page
from soid.evidence.verification_report import Report as Verified
from soid.evidence.verify import verify
from soid.query.words import counted
from soid.solver.back_ends import NAMES

_STYLES: Final = {
    Standing.REPROVED: "bold green",
    Standing.REEXPLORED: "bold yellow",
    Standing.ATTESTED: "bold yellow",
    Standing.UNSUPPORTED: "bold red",
    Standing.REFUTED: "bold red",
}


def bundle_case(options: BundleOptions) -> int:
    """Write the bundle; the exit status is 1 if a fact did not go into it."""
    case = options.case
    key = None if options.key is None else opened(options.key, asker(), error=BundleError)
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
        said["studies"] = list(made.studies)
        print_json(said | {"signed": key is not None, "refused": refused})
    else:
        _say_bundled(made, target, sha256)
    return 1 if made.refused else 0


def _say_bundled(made: Bundled, target: Path, sha256: str) -> None:
    terminal = Terminal.stdout()
    studies = f" and {counted(len(made.studies), 'study', 'studies')}" if made.studies else ""
    answers = f" (in {len(made.facts)} answers)" if len(made.facts) > made.statements else ""
    held = f"{counted(made.statements, 'fact')}{answers}{studies}"
    terminal.line((f"{target} holds {held} ({len(made.data)} bytes).", ""))
    terminal.line(("  its SHA-256:        ", "dim"), (sha256, ""))
    terminal.line(("  the case's last hash: ", "dim"), (made.head, ""))
    for number, why in made.refused:
        terminal.prose(f"entry {number} is not in it: {why}", first=("! ", "bold red"))
    terminal.prose(f"The recipient checks it with `soid verify {target.name}`.", indent=0)


def verify_bundle(options: VerifyBundleOptions) -> int:
    expected = Expectations.of(options.authors, options.certificates, error=BundleError)
    against = partial(verify, options.bundle, key=options.key, expected=expected, replay=options.replay)
    check = partial(against, seconds=options.seconds, solvers=options.solvers or NAMES)
    found = watched(
        lambda cancel, report: check(cancel=cancel, report=worded(report)),
        about="verifying: ",
        quiet=options.as_json,
    )
    if options.html is not None:
        write_file(options.html, page(found), error=BundleError)
    if options.as_json:
        print_json(found, summary=found.summary)
    else:
        _say_verified(found, verbose=options.verbose)
    return found.status


def _say_verified(found: Verified, *, verbose: bool) -> None:
    terminal = Terminal.stdout()
    terminal.rule(_harmless(found.title or found.program), found.bundle)
    for check in found.checks:
        terminal.prose(_harmless(f"{check.about}: {check.words}"))
    terminal.line(("  the record's last hash: ", "dim"), (found.head, ""))
    examined: list[CheckedFact | CheckedStudy] = [*found.facts, *found.studies]
    for fact in examined:
        terminal.blank()
        _fact(terminal, fact, verbose=verbose)
    for note in found.notes:
        terminal.prose(_harmless(f"{note.who}, on entry {note.on}: {note.text}"), first=("note: ", "dim"))
    terminal.blank()
    terminal.line((found.summary, "bold"))


def _fact(terminal: Terminal, fact: CheckedFact | CheckedStudy, *, verbose: bool) -> None:
    terminal.line((f"{named(fact).lower()}: ", ""), (fact.standing.value, _STYLES[fact.standing]))
    terminal.prose(_harmless(fact.statement))
    for check in fact.checks:
        if verbose or check.outcome is not CheckOutcome.CONFIRMED:
            terminal.prose(_harmless(f"{check.outcome.value}: {check.about}: {check.words}"), indent=4)
    if verbose:
        for text in fact.relies_on:
            terminal.prose(_harmless(f"rests on: {text}"), indent=4)


def _harmless(text: str) -> str:
    """Text from a stranger, without control characters: a terminal obeys them, or shows the text in another order."""
    return "".join(sign if sign.isprintable() else f"[U+{ord(sign):04X}]" for sign in text)
