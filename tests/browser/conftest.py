"""One server and one browser for all tests of pages; each test finds a page as new, and has a copy of its case."""

from __future__ import annotations

import fcntl
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from soid.case.case import Case
from soid.examples import folder
from soid.oracle.inquiry import Settings
from tests.browser.working import PATIENCE
from tests.browsing import MISSING, chromium, is_required
from tests.half_settled import half_settled

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
#: where pictures of pages are kept, to be looked at
SHOTS = Path(__file__).parents[2] / "build" / "browser"

#: a question that nobody settles: the two factors of a number of 128 bits
HARD = Path(__file__).parents[1] / "e2e" / "hard"
HARD_QUESTION = "might found if a is anything and b is anything"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A browser is no quick thing: whoever writes code leaves these out: see CONTRIBUTING.md."""
    folder = f"{Path(__file__).parent}{os.sep}"
    for item in items:
        if str(item.path).startswith(folder):
            item.add_marker(pytest.mark.slow)


@dataclass
class Server:
    """`soid serve` on a folder of cases."""

    cases: Path
    port: int = 0
    process: subprocess.Popen[str] | None = None
    url: str = ""

    @property
    def _errors(self) -> Path:
        return self.cases.with_name(f"{self.cases.name}.errors")

    def start(self) -> None:
        command = [sys.executable, "-m", "soid", "serve", str(self.cases), "--port", str(self.port)]
        with self._errors.open("a") as errors:
            self.process = subprocess.Popen(
                [*command, "--no-open", "--json", "--cores", "2"],
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env={**os.environ, "SOID_USER": "ada"},
                start_new_session=True,
            )
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        assert said.startswith("{"), self.complaints()
        self.url = json.loads(said)["url"].rstrip("/")
        self.port = int(self.url.rpartition(":")[2])

    def complaints(self) -> str:
        """What it said besides."""
        return self._errors.read_text()

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        assert self.process is not None and self.process.stdout is not None
        if how is signal.SIGKILL:
            os.killpg(self.process.pid, how)  # its workers too: a machine that loses power spares nobody
        else:
            self.process.send_signal(how)
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    program = chromium()
    if program is None:
        if is_required():
            pytest.fail(f"{MISSING}, and SOID_BROWSER says that it is required")
        pytest.skip(MISSING)
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield opened
        opened.close()


Original = Callable[[str], Path]


@pytest.fixture(scope="session")
def original(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Original:
    """A case of each kind, to be copied: made when it is first asked for, once for all processes of a run."""
    own = tmp_path_factory.getbasetemp()
    place = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own

    def made(name: str) -> Path:
        file = place / f"original-{name}.case"
        with (place / "originals.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not file.exists():
                new = tmp_path_factory.mktemp(name) / file.name
                _make(name, new)
                new.rename(file)
        return file

    return made


def _make(name: str, file: Path) -> None:
    """What a name stands for: a project of its own, or an example and perhaps a part of it."""
    match name:
        case "hard":
            with Case.create(file, HARD, settings=Settings(seconds=0.2)) as hard:
                hard.ask(HARD_QUESTION)
        case "apart":
            half_settled(file, file.parent)
        case "mismatch":
            Case.create(file, _mismatch(file.parent)).close()
        case "unchecked":
            Case.create(file, _unchecked(file.parent)).close()
        case _:
            example, _, part = name.partition("-")
            Case.create(file, folder(example) / part).close()


def _mismatch(place: Path) -> Path:
    """A log that says something else than its program does."""
    project = place / "oven"
    shutil.copytree(folder("microwave"), project, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    log = project / "log.jsonl"
    steps = [json.loads(line) for line in log.read_text().splitlines()]
    steps[3]["action"] = "OPEN"
    log.write_text("".join(json.dumps(step) + "\n" for step in steps))
    return project


def _unchecked(place: Path) -> Path:
    """A log that is too rounded to tell whether its program made it, which has a part that cannot be explored."""
    (place / "guard.c").write_text(
        "int board(void);\nint decide(float speed)\n{\n    return speed > 1.0f ? board() : 0;\n}\n"
    )
    (place / "log.jsonl").write_text(json.dumps({"speed": 1.0, "return": 1}) + "\n")
    (place / "soid.toml").write_text(
        '[program]\nengine = "c"\nsources = ["guard.c"]\nentry = "decide"\n'
        '[trace]\nfile = "log.jsonl"\nkeyframe = 0\n'
        "[variables]\nspeed = { logged = { decimals = 1 } }\n"
    )
    return place


@pytest.fixture(scope="session")
def server(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("cases"))
    running.start()
    yield running
    running.stop()
    complaints = running.complaints()
    assert "Traceback" not in complaints, complaints


_numbers = itertools.count(1)


@pytest.fixture
def copied(server: Server, original: Original) -> Callable[[str], str]:
    """A case of one's own: gives its id."""

    def copy(name: str) -> str:
        case = f"{name}-{next(_numbers)}"
        shutil.copyfile(original(name), server.cases / f"{case}.case")
        return case

    return copy


Opening = Callable[..., Page]
SIZE: ViewportSize = {"width": 1440, "height": 1000}


@dataclass
class Window:
    """A page for one test after another: it keeps the scripts it has loaded and compiled, and forgets the rest.

    To load them anew takes more than most tests do.
    """

    page: Page
    complaints: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(PATIENCE)
        self.page.on("console", lambda message: self._complain(message.text) if message.type == "error" else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _complain(self, text: str) -> None:
        if "the server responded with a status of 404" not in text:  # which the test itself looks at
            self.complaints.append(text)

    def forget(self, rest: str) -> None:
        """Be as new: what a site may keep in a browser is gone, and what a test has set.

        It rests at an address of the same site: from a page of no site, the next one would begin in a new process,
        which has compiled none of its scripts.
        """
        for other in self.page.context.pages:
            if other is not self.page:
                other.close()
        self.page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        self.page.goto(rest)
        self.page.context.clear_cookies()
        self.page.set_viewport_size(SIZE)
        self.page.emulate_media(
            media="screen", color_scheme="light", reduced_motion="no-preference", forced_colors="none"
        )

    def told(self) -> list[str]:
        """The complaints since one last asked."""
        told, self.complaints = self.complaints, []
        return told


@pytest.fixture(scope="session")
def window(browser: Browser) -> Iterator[Window]:
    context = browser.new_context(viewport=SIZE)
    yield Window(context.new_page())
    context.close()


@pytest.fixture
def opening(browser: Browser, server: Server, window: Window) -> Iterator[Opening]:
    """Opens pages, each in a browser session of its own; at the end none may have complained of anything."""
    more: list[Window] = []
    is_first = True

    def open_page(path: str = "/", **options: Any) -> Page:
        nonlocal is_first
        opened = window
        if options or not is_first:
            opened = Window(browser.new_context(**{"viewport": SIZE, **options}).new_page())
            more.append(opened)
        is_first = is_first and bool(options)
        opened.page.goto(f"{server.url}{path}")
        return opened.page

    yield open_page
    if not is_first:
        window.forget(f"{server.url}/page-files/scene.css")
    for each in more:
        each.page.context.close()
    assert [complaint for each in (window, *more) for complaint in each.told()] == []


@pytest.fixture
def shot(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Keeps a picture of a page where SOID_PICTURES is set, to be looked at: a fifth of a second each."""

    def keep(page: Page, name: str = "end", *, whole: bool = True) -> None:
        if "SOID_PICTURES" not in os.environ:
            return
        SHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=SHOTS / f"{request.node.originalname}-{name}.png", full_page=whole)

    return keep
