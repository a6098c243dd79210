"""`soid docs`: open the documentation, which lies in the package as a site; nothing of it is loaded from elsewhere."""

from __future__ import annotations

import os
import sys
import webbrowser
from pathlib import Path
from typing import Final

import soid
from soid.cli.command_line.project_options import DocsOptions
from soid.cli.output import print_json
from soid.cli.terminal.terminal import Terminal
from soid.errors import EnvironmentalError, InputError, did_you_mean

#: where `make docs` puts the site, and a wheel has it
MANUAL: Final = Path(soid.__file__).parent / "manual"
FIRST: Final = "index"


def docs(options: DocsOptions) -> int:
    page = page_of(options.page, MANUAL)
    if options.as_json:
        print_json({"file": str(page), "url": page.as_uri()})
        return 0
    terminal = Terminal.stdout()
    terminal.line(("The documentation is at ", ""), (page.as_uri(), "bold"))
    sys.stdout.flush()
    screen = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if options.opens or (options.opens is None and sys.stdout.isatty() and screen):
        webbrowser.open(page.as_uri())
    return 0


def page_of(name: str, manual: Path) -> Path:
    """The file of a page: "limits", "guide/maps", or "maps" for short."""
    if not (manual / f"{FIRST}.html").is_file():
        raise EnvironmentalError(
            "the documentation is not built here",
            "In a checkout, `make docs` builds it; its pages can also be read as they are, in the folder docs.",
        )
    pages = {page.relative_to(manual).with_suffix("").as_posix(): page for page in sorted(manual.rglob("*.html"))}
    short = {name.rpartition("/")[2]: page for name, page in pages.items() if not name.startswith("assets/")}
    known = {**short, **pages}
    wanted = name.removesuffix(".md").removesuffix(".html").removeprefix("docs/")
    if wanted not in known:
        remedy = did_you_mean(wanted, known, f"The pages are: {', '.join(sorted(pages))}.")
        raise InputError(f"the documentation has no page {name}", remedy)
    return known[wanted]
