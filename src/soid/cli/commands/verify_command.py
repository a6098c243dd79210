"""`soid verify`: check a bundle that another person made."""

from __future__ import annotations

from functools import partial
from typing import Final

from soid.cli.command_line.case_options import VerifyBundleOptions
from soid.cli.output import print_json, write_file
from soid.cli.terminal.progress import watched, worded
from soid.cli.terminal.terminal import Terminal
from soid.errors import BundleError
from soid.evidence.fact_examination import CheckOutcome
from soid.evidence.verification_page import page
from soid.evidence.verification_report import CheckedFact, Standing
from soid.evidence.verification_report import Report as Verified
from soid.evidence.verify import verify
from soid.solver.back_ends import NAMES

_STYLES: Final = {
    Standing.REPROVED: "bold green",
    Standing.REEXPLORED: "bold yellow",
    Standing.ATTESTED: "bold yellow",
    Standing.UNSUPPORTED: "bold red",
    Standing.REFUTED: "bold red",
}


def verify_bundle(options: VerifyBundleOptions) -> int:
    """Check a bundle and print what was found."""
    check = partial(verify, options.bundle, key=options.key, seconds=options.seconds, solvers=options.solvers or NAMES)
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
        _say(found, verbose=options.verbose)
    return found.status


def _say(found: Verified, *, verbose: bool) -> None:
    terminal = Terminal.stdout()
    terminal.rule(_harmless(found.title or found.program), found.bundle)
    for check in found.checks:
        terminal.prose(_harmless(f"{check.about}: {check.words}"))
    terminal.line(("  the record's last hash: ", "dim"), (found.head, ""))
    for fact in found.facts:
        terminal.blank()
        _fact(terminal, fact, verbose=verbose)
    terminal.blank()
    terminal.line((found.summary, "bold"))


def _fact(terminal: Terminal, fact: CheckedFact, *, verbose: bool) -> None:
    terminal.line((f"entry {fact.number}: ", ""), (fact.standing.value, _STYLES[fact.standing]))
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
