"""`soid report`: a case as one page for people who do not read code, and as a PDF where a Chromium is at hand."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Final, final

from msgspec import Struct

from soid.budget import Cancellation
from soid.case.case import Case
from soid.case.report.document import report
from soid.cli.printing import print_page
from soid.cli.terminal import Terminal
from soid.cli.version import version
from soid.cli.watching import Report, watched
from soid.errors import InputError
from soid.oracle.inquiry import QuestionProgress

_OURS: Final = b'<meta name="generator" content="soid'  # what every report has near its beginning
_BEGINNING: Final = 4096  # bytes


@final
class Made(Struct, frozen=True):
    """A report, and what of the case is in it."""

    page: str
    facts: list[int]  # by entry
    head: str
    warnings: tuple[str, ...]


def report_case(case: Path, html: Path | None, pdf: Path | None, *, as_json: bool) -> int:
    """Write the page, the PDF or both; where neither is named, the page beside the case."""
    if html is None and pdf is None:
        html = case.with_suffix(".html")
        _refuse_foreign(html)
    for target in (html, pdf):
        if target is not None and target.resolve() == case.resolve():
            raise InputError(f"{target} is the case itself", "Name another file for its report.")

    def make(_: Cancellation, tell: Report) -> Made:
        tell(QuestionProgress("reading the case"))
        return _made(case)

    made = watched(make, about="report: ", quiet=as_json)
    if html is not None:
        _write(html, made.page)
    if pdf is not None:
        _print(made.page, pdf, quiet=as_json)
    if as_json:
        print(json.dumps(_to_json(made, html, pdf), ensure_ascii=False), flush=True)
    else:
        _say(made, html, pdf)
    return 0


def _made(file: Path) -> Made:
    with Case.open(file, read_only=True) as case:
        page = report(case, made_by=f"soid {version()}")
        return Made(page, [fact.number for fact in case.facts], case.entries[-1].hash, case.warnings)


def _print(page: str, pdf: Path, *, quiet: bool) -> None:
    def do(cancel: Cancellation, tell: Report) -> None:
        tell(QuestionProgress("printing"))
        print_page(page, pdf, cancel)

    watched(do, about="report: ", quiet=quiet)


def _refuse_foreign(file: Path) -> None:
    """A file that nobody named is replaced only if it is an earlier report."""
    try:
        with file.open("rb") as there:
            ours = _OURS in there.read(_BEGINNING)
    except FileNotFoundError:
        return
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror or error}", "Name a file: --html FILE.") from error
    if not ours:
        raise InputError(f"{file} is there already, and is no report", "Name a file: --html FILE.")


def _write(file: Path, page: str) -> None:
    try:
        file.write_text(page, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror or error}", "Name another file.") from error


def _to_json(made: Made, html: Path | None, pdf: Path | None) -> dict[str, object]:
    return {
        "html": str(html) if html is not None else None,
        "pdf": str(pdf) if pdf is not None else None,
        "sha256": hashlib.sha256(made.page.encode()).hexdigest(),
        "facts": made.facts,
        "head": made.head,
        "warnings": list(made.warnings),
    }


def _say(made: Made, html: Path | None, pdf: Path | None) -> None:
    for warning in made.warnings:
        Terminal.stderr().prose(warning, indent=9, first=("warning: ", "bold yellow"))
    files = " and ".join(str(file) for file in (html, pdf) if file is not None)
    count = len(made.facts)
    Terminal.stdout().prose(f"The report is in {files}: {count} {'fact' if count == 1 else 'facts'}.", indent=0)
