"""The documentation opened from its folder: it loads nothing from elsewhere, its search finds, axe finds nothing."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, expect

from soid.cli.commands.docs_command import MANUAL
from tests.browser.test_axe import found

CHECKOUT: Final = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def manual() -> Path:
    """The site as `make docs` builds it; it is built here if a page has changed since."""
    pages = [CHECKOUT / "zensical.toml", *(CHECKOUT / "docs").rglob("*")]
    (CHECKOUT / "build").mkdir(exist_ok=True)
    with (CHECKOUT / "build" / "manual.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        built = MANUAL / "index.html"
        if not built.is_file() or built.stat().st_mtime < max(page.stat().st_mtime for page in pages):
            subprocess.run([CHECKOUT / ".ci" / "docs", sys.executable], check=True)
    return MANUAL


@pytest.fixture
def offline(browser: Browser) -> Iterator[Page]:
    """A browser that fails the test if a page asks for anything but files of this machine."""
    page = browser.new_page(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: asked.append(str(error)))
    asked: list[str] = []
    yield page
    page.close()
    assert asked and [each for each in asked if not each.startswith("file:")] == []


@pytest.mark.parametrize(
    "name",
    [
        *("index", "guide/first", "start/counsel", "gallery", "assumptions"),
        *(pytest.param(long, marks=pytest.mark.soak) for long in ("json", "python")),  # axe needs half a minute
    ],
)
def test_everybody_can_use_a_page(name, manual, offline):
    offline.goto((manual / f"{name}.html").as_uri())
    expect(offline.get_by_role("heading", level=1)).to_be_visible()
    wide = offline.locator(".md-typeset table")
    if wide.count():  # the site's script has come by
        expect(offline.locator(".md-typeset__scrollwrap[tabindex='0']").first).to_be_attached()
    assert found(offline) == []
    assert offline.evaluate("document.documentElement.scrollWidth <= innerWidth")  # as narrow as a phone, by now


def test_the_search_works_without_a_server(manual, offline):
    offline.goto((manual / "guide" / "first.html").as_uri())
    offline.get_by_role("button", name="Search").first.click()
    offline.keyboard.type("measured beside the paper")
    for _ in range(60):  # what it found lies in a closed part of the page: it is there when Enter leads to it
        offline.keyboard.press("Enter")
        offline.wait_for_timeout(500)
        if "bench.html" in offline.url:
            break
    expect(offline.get_by_role("heading", name="How it was measured")).to_be_visible()


def test_every_picture_is_there(manual, offline):
    offline.goto((manual / "gallery.html").as_uri())
    sizes = offline.evaluate("Array.from(document.querySelectorAll('article img'), (each) => each.naturalWidth)")
    assert len(sizes) >= 3 and all(sizes)
    unnamed = offline.evaluate("document.querySelectorAll('article img:not([alt]), article img[alt=\"\"]').length")
    assert unnamed == 0
