"""Print a page to a PDF with the Chromium of this machine: soid brings none, and any browser can print the page."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Final

from soid.budget import Cancellation, memory_unlimited
from soid.errors import EnvironmentalError, InputError

#: the names of Chromium browsers; SOID_CHROMIUM may name another
_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")

_SECONDS: Final = 180.0  # the time that printing may take
_GLANCE: Final = 0.05  # seconds between two checks of the process

#: Chromium prints one local file: it needs neither the network nor the user's profile
_OPTIONS: Final = (
    "--headless",
    "--disable-gpu",
    "--no-pdf-header-footer",
    "--generate-pdf-document-outline",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-extensions",
    "--disable-sync",
    "--disable-component-update",
    "--disable-background-networking",
)


def browser() -> str:
    """Find the Chromium of this machine; EnvironmentalError if there is none."""
    named = os.environ.get("SOID_CHROMIUM", "").strip()
    for name in (named,) if named else _NAMES:
        if found := shutil.which(name):
            return found
    missing = f"SOID_CHROMIUM names {named}, which cannot be run" if named else "there is no Chromium on this machine"
    raise EnvironmentalError(
        f"{missing}, and that is what makes the PDF",
        "Install one, or name it in SOID_CHROMIUM; or make the report as a page, and print that from any browser.",
    )


def print_page(page: str, pdf: Path, cancel: Cancellation) -> None:
    """Print a page into a file; after an error the file is not there, or is as it was."""
    chromium = browser()
    try:
        # In the folder of the target: a Chromium that is packed as a snap sees neither /tmp nor hidden folders.
        with tempfile.TemporaryDirectory(dir=pdf.parent, prefix="soid-report-") as scratch:
            place = Path(scratch).resolve()
            (place / "page.html").write_text(page, encoding="utf-8")
            _run(chromium, place, cancel)
            (place / "page.pdf").replace(pdf)
    except OSError as error:
        raise InputError(f"{pdf} cannot be written: {error.strerror or error}", "Name another file.") from error


def _run(chromium: str, place: Path, cancel: Cancellation) -> None:
    options = [*_OPTIONS, f"--user-data-dir={place / 'profile'}", f"--print-to-pdf={place / 'page.pdf'}"]
    if os.geteuid() == 0:  # Chromium refuses to run for root otherwise; the page contains no code
        options.append("--no-sandbox")
    with (place / "said").open("wb") as said:
        with memory_unlimited():
            process = subprocess.Popen(
                [chromium, *options, (place / "page.html").as_uri()],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                start_new_session=True,  # so that its child processes can be killed with it
            )
        until = time.monotonic() + _SECONDS
        try:
            while process.poll() is None and not cancel.cancelled and time.monotonic() < until:
                time.sleep(_GLANCE)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    made = place / "page.pdf"
    if not made.is_file() or not made.read_bytes().startswith(b"%PDF"):
        last = (place / "said").read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
        raise EnvironmentalError(
            f"{chromium} made no PDF{': ' if last else ''}{''.join(last)}",
            "Make the report as a page, and print that from a browser.",
        )
