"""`soid report`: write a case as one page for people who do not read code, and as a PDF if a Chromium is installed."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

from soid.budget import Cancellation
from soid.case.case import Case
from soid.case.numbered_facts import NumberedFact
from soid.case.report.document import report
from soid.case.report.pdf import print_page
from soid.cli.command_line.case_options import ReportOptions
from soid.cli.output import print_json, write_file
from soid.cli.terminal.progress import Report, watched
from soid.cli.terminal.terminal import Terminal, warn
from soid.errors import InputError
from soid.oracle.inquiry import QuestionProgress
from soid.query.words import counted
from soid.release import version

_OURS: Final = b'<meta name="generator" content="soid'  # what every report has near its beginning
_BEGINNING: Final = 4096  # bytes that are searched for it


def report_case(options: ReportOptions) -> int:
    """Write the page, the PDF or both; where neither is named, the page beside the case."""
    file, html, pdf = options.case, options.html, options.pdf
    if html is None and pdf is None:
        html = file.with_suffix(".html")
        _refuse_foreign(html)
    for target in (html, pdf):
        if target is not None and target.resolve() == file.resolve():
            raise InputError(f"{target} is the case itself", "Name another file for its report.")

    def make(_: Cancellation, tell: Report) -> tuple[str, tuple[NumberedFact, ...], str, tuple[str, ...]]:
        tell(QuestionProgress("reading the case"))
        with Case.open(file, read_only=True) as case:
            page = report(case, made_by=f"soid {version()}")
            return page, case.numbered_facts, case.entries[-1].hash, case.warnings

    page, facts, head, warnings = watched(make, about="report: ", quiet=options.as_json)
    if html is not None:
        write_file(html, page)
    if pdf is not None:
        _print(page, pdf, quiet=options.as_json)
    if options.as_json:
        named: dict[str, object] = {"html": html and str(html), "pdf": pdf and str(pdf)}
        named |= {"sha256": hashlib.sha256(page.encode()).hexdigest(), "facts": [fact.document for fact in facts]}
        print_json(named | {"head": head, "warnings": warnings})
    else:
        warn(warnings)
        files = " and ".join(str(target) for target in (html, pdf) if target is not None)
        Terminal.stdout().prose(f"The report is in {files}: {counted(len(facts), 'fact')}.", indent=0)
    return 0


def _print(page: str, pdf: Path, *, quiet: bool) -> None:
    def do(cancel: Cancellation, tell: Report) -> None:
        tell(QuestionProgress("printing"))
        print_page(page, pdf, cancel)

    watched(do, about="report: ", quiet=quiet)


def _refuse_foreign(file: Path) -> None:
    """Raise an error where a file that no option names is there, and is not an earlier report."""
    try:
        with file.open("rb") as there:
            ours = _OURS in there.read(_BEGINNING)
    except FileNotFoundError:
        return
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror or error}", "Name a file: --html FILE.") from error
    if not ours:
        raise InputError(f"{file} is there already, and is no report", "Name a file: --html FILE.")
