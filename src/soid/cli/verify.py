"""`soid verify`: someone else's bundle, taken apart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from soid.budget import Cancellation
from soid.cli.terminal import Terminal
from soid.cli.watching import Report, watched
from soid.documents import json_of
from soid.errors import BundleError
from soid.evidence.fact_examination import CheckOutcome
from soid.evidence.verification_page import page
from soid.evidence.verification_report import CheckedFact, Standing
from soid.evidence.verification_report import Report as Verified
from soid.evidence.verify import verify
from soid.oracle.inquiry import QuestionProgress
from soid.solver.back_ends import NAMES

_STYLES: Final = {
    Standing.REPROVED: "bold green",
    Standing.REEXPLORED: "bold yellow",
    Standing.ATTESTED: "bold yellow",
    Standing.UNSUPPORTED: "bold red",
    Standing.REFUTED: "bold red",
}


def verify_bundle(
    bundle: Path,
    key: Path | None,
    html: Path | None,
    seconds: float,
    solvers: tuple[str, ...],
    *,
    as_json: bool,
    verbose: bool,
) -> int:
    """Check a bundle and say what came of it."""

    def check(cancel: Cancellation, report: Report) -> Verified:
        return verify(
            bundle,
            key=key,
            seconds=seconds,
            solvers=solvers or NAMES,
            cancel=cancel,
            report=lambda words: report(QuestionProgress(words)),
        )

    found = watched(check, about="verifying: ", quiet=as_json)
    if html is not None:
        _write(html, page(found))
    if as_json:
        print(json.dumps(json_of(found.document), ensure_ascii=False), flush=True)
    else:
        _say(found, verbose=verbose)
    return found.status


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BundleError(f"{file} cannot be written: {error.strerror or error}", "Name another file.") from error


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
    """Text from a stranger, without what a terminal would obey or what would make it read otherwise."""
    return "".join(sign if sign.isprintable() else f"[U+{ord(sign):04X}]" for sign in text)
