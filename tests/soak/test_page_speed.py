"""From click to verdict, the first paint, reloads of large cases, and what is made of 50 FACTS, with their limits."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from soid.engine.manifest_reader import load
from soid.examples import folder
from tests.browser.conftest import ARGUMENTS, SIZE, Server
from tests.browsing import chromium
from tests.soak.large_cases import crash_case, long_case, wide_case
from tests.soak.page_speed import click_to_verdict, loading, of_a_case
from tests.soak.serving import keep

ROUNDS = 20
LONGEST = {"opening": 2.5, "report": 1.5, "evidence": 10.0, "abstraction": 3.0}  # seconds


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_pages_are_quick(tmp_path: Path) -> None:
    cases = tmp_path / "cases"
    cases.mkdir()
    crash_case(cases / "crash.case", facts=0)
    crash_case(cases / "facts.case", facts=50)
    wide_case(cases / "wide.case")
    long_case(cases / "long.case")
    server = Server(cases)
    server.start()
    assert server.process is not None
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
            names = ("crash", "facts", "wide", "long")
            loads = {name: loading(browser, f"{server.url}/case/{name}", 5, server.process.pid) for name in names}
            page = browser.new_page(viewport=SIZE)
            page.goto(f"{server.url}/case/crash")
            page.wait_for_function("() => window.did_handshake")
            questions = load(folder("crash") / "standard").questions
            clicks = click_to_verdict(page, questions, ROUNDS, server.process.pid)
            browser.close()
    finally:
        server.stop()
    made = {name: of_a_case(cases / f"{name}.case") for name in ("facts", "wide", "long")}
    keep("page.json", {"load": os.getloadavg(), "loads": loads, "clicks": clicks, "of_50_facts": made})
    assert {name: each["least"] for name, each in clicks.items() if each["least"] > 250} == {}
    assert {name: each["cold"] for name, each in loads.items() if each["bytes"] > 600_000} == {}
    assert {name: each["warm"] for name, each in loads.items() if each["warm"]["ready"]["least"] > 1000} == {}
    assert {name: each["cold"] for name, each in loads.items() if each["cold"]["first_paint"] > 1000} == {}
    late = {
        (case, what): each["cpu"]
        for case, times in made.items()
        for what, each in times.items()
        if each["cpu"] > LONGEST[what]
    }
    assert late == {}
