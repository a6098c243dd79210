"""`soid serve`: show cases in a browser, and serve them to programs under /api, until Ctrl-C."""

from __future__ import annotations

import os
import signal
import sys
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from msgspec.structs import replace

from soid.case.custody.author_key import AuthorKey
from soid.cli.command_line.case_options import ServeOptions
from soid.cli.commands.case_command import created
from soid.cli.output import print_json
from soid.cli.terminal.own_key import own_key
from soid.cli.terminal.terminal import Terminal, warn
from soid.errors import EnvironmentalError, InputError
from soid.examples import NAMES, TITLES, folder
from soid.jail.launcher import layers
from soid.oracle.inquiry import Settings
from soid.program.manifest import FILE_NAME
from soid.surface import Surface, using

if TYPE_CHECKING:
    from soid.web.access import AccessPolicy
    from soid.web.desk import CaseCard
    from soid.web.server import ServerAddress

SUFFIX: Final = ".case"


def serve(options: ServeOptions) -> int:
    try:
        from soid.web.access import AccessPolicy, is_loopback
        from soid.web.desk import Desk
        from soid.web.server import ServerAddress, Tls, listen
        from soid.web.server import serve as serve_desk
        from soid.web.token_file import TokenFile, new_token
    except ModuleNotFoundError as error:
        problem = f"the page needs {error.name}, which is not installed"
        raise EnvironmentalError(problem, "Install it with: pip install 'soid[web]'") from error
    key = own_key(asks=False)  # a running server cannot ask: a locked key ends it now
    if key.warning and not options.as_json:
        warn([key.warning])
    tls = Tls.of(options.certificate, options.key)
    with listen(options.host, options.port) as listening:
        place = cases_at(options.what, key=key, quiet=options.as_json)
        tokens = TokenFile.at(place if place.is_dir() else place.parent)
        needs_one = not (tokens.known or tokens.is_in_use or is_loopback(options.host))  # a bad file is told now
        access = AccessPolicy(
            options.host, options.token or (new_token() if needs_one else None), tls is not None, tokens
        )
        address = ServerAddress(options.host, listening.getsockname()[1])
        settings = Settings(replay=options.replay)
        if options.seconds is not None:
            settings = replace(settings, seconds=options.seconds)
        if options.replay == "confined" and not layers().locks_files:
            Terminal.stderr().prose(
                "This machine cannot confine programs of strangers: what is uploaded is compiled and explored, and "
                "never run. `soid doctor` says what is missing; --replay unconfined runs it all the same.",
                indent=0,
            )
        signal.signal(signal.SIGTERM, _stop)
        with (
            using(Surface.PAGE),
            Desk(place, cores=options.cores, settings=settings, may_work=access.may_work) as desk,
        ):
            desk.warm_up()
            page = first_page(place, desk.cases())
            try:
                serve_desk(
                    desk, access, listening, tls=tls, ready=lambda: _announce(options, address, access, place, page)
                )
            except KeyboardInterrupt:
                if not options.as_json:
                    Terminal.stderr().prose("Stopped. What was answered is on the record.", indent=0)
    return 0


def cases_at(what: str, *, key: AuthorKey | None = None, quiet: bool) -> Path:
    """Find the folder or the case file to serve; for a project or an example, make a case in this folder once."""
    place = Path(what)
    if place.is_dir() and not (place / FILE_NAME).is_file():
        return place
    if place.is_file() and place.name != FILE_NAME:
        if place.suffix != SUFFIX:
            raise InputError(f"{what} is not called a case", f"If it is one, rename it: its name ends with {SUFFIX}.")
        return place
    if place.exists():
        project = place if place.is_dir() else place.parent
        return _case_of(project, project.resolve().name, key=key, quiet=quiet)
    name, _, part = what.partition("/")
    if name in NAMES and (folder(name) / part / FILE_NAME).is_file():
        title = TITLES.get(what, "")
        return _case_of(folder(name) / part, what.replace("/", "-"), title=title, key=key, quiet=quiet)
    known = ", ".join(NAMES)
    raise InputError(f"there is no {what}", f"Name a folder of cases, a case, a project, or an example: {known}.")


def first_page(place: Path, cases: Sequence[CaseCard]) -> str:
    """The page that a browser opens first: the one case that is served, else the list of all."""
    return f"case/{quote(cases[0].id)}" if place.is_file() and cases else ""


def _case_of(project: Path, name: str, *, title: str = "", key: AuthorKey | None, quiet: bool) -> Path:
    file = Path(f"{name}{SUFFIX}")
    if file.exists():
        return file
    with created(file, project, title=title, key=key, quiet=quiet):
        return file


def _stop(_: int, __: object) -> None:
    raise KeyboardInterrupt


def _announce(options: ServeOptions, address: ServerAddress, access: AccessPolicy, place: Path, page: str) -> None:
    url = address.url(access.token, https=access.https, page=page)
    if options.as_json:
        print_json({"url": address.url(https=access.https), "token": access.token, "cases": str(place)})
    else:
        terminal = Terminal.stdout()
        terminal.line((f"The page for {place} is at ", ""), (url, "bold"))
        if access.token is not None:
            terminal.prose("Anyone with this address and its token may ask and add to the record.", indent=0)
        elif access.demands_token:
            terminal.prose("People come in with their tokens; `soid token list` has those that there are.", indent=0)
        terminal.prose("Ctrl-C stops it.", indent=0)
        sys.stdout.flush()
    screen = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if options.opens or (options.opens is None and sys.stdout.isatty() and screen):
        webbrowser.open(url)
