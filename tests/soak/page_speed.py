"""How quick pages and cases are: wall times as a user has them, and the processor time that they take.

A machine may have other work: of several wall times the least is nearest to what soid itself takes, and processor time
is the same whatever else runs.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from soid.evidence.bundle import bundle
from soid.oracle.inquiry import Settings
from soid.web.work.tasks import AbstractionTask, Hands, ReportTask
from tests.browser.conftest import SIZE

#: milliseconds from a click on the button that asks a typed question until the verdict of a later entry is painted
_CLICK = """() => new Promise((done, failed) => {
  const button = [...document.querySelectorAll("button")].find((each) => each.textContent === "Ask this");
  const heading = () => document.querySelector("#answer-heading")?.textContent ?? "";
  const last = () => Number(/entry (\\d+)/.exec(heading())?.[1] ?? 0);
  const before = last();
  const started = performance.now();
  const watch = new MutationObserver(() => {
    if (last() <= before || !document.querySelector(".answer .verdict-box .verdict")) return;
    watch.disconnect();
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - started)));
  });
  watch.observe(document.body, { subtree: true, childList: true, characterData: true });
  setTimeout(() => failed(new Error("no verdict")), 60000);
  button.click();
})"""


def processor_seconds(root: int) -> float:
    """What a process and those that it started have taken so far."""
    parents: dict[int, list[tuple[int, float]]] = {}
    for entry in Path("/proc").glob("[1-9]*"):
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        parents.setdefault(int(fields[1]), []).append((int(entry.name), sum(map(int, fields[11:15]))))
        if int(entry.name) == root:
            parents.setdefault(-1, []).append((root, sum(map(int, fields[11:15]))))
    found, left = 0.0, list(parents.get(-1, []))
    while left:
        pid, ticks = left.pop()
        found += ticks
        left += parents.get(pid, [])
    return found / os.sysconf("SC_CLK_TCK")


def told(times: list[float]) -> dict[str, float]:
    """Of several times in milliseconds."""
    return {
        "least": round(min(times)),
        "median": round(statistics.median(times)),
        "worst": round(max(times)),
        "of": len(times),
    }


def click_to_verdict(page: Page, questions: Sequence[str], rounds: int, server: int) -> dict[str, Any]:
    """Each question, asked again and again; the first time warms up and does not count.

    Beside the times, the milliseconds of processor time that a click takes: of the server with its workers, and of all
    else, which is the browser.
    """
    found = {}
    for question in questions:
        page.get_by_label("The whole question as text").fill(question)
        page.evaluate(_CLICK)
        before = processor_seconds(server), processor_seconds(os.getpid())
        times = told([page.evaluate(_CLICK) for _ in range(rounds)])
        served, all_of_it = processor_seconds(server) - before[0], processor_seconds(os.getpid()) - before[1]
        cpu = {"server": served, "browser": all_of_it - served}
        found[question] = times | {"cpu": {who: round(1000 * taken / rounds) for who, taken in cpu.items()}}
    return found


def loading(browser: Browser, url: str, runs: int, root: int) -> dict[str, Any]:
    """A page that is opened for the first time, then again and again with what the browser has kept."""
    context = browser.new_context(viewport=SIZE)
    page = context.new_page()
    client = context.new_cdp_session(page)
    client.send("Network.enable")
    received: list[tuple[float, float]] = []  # when, and how many bytes
    client.on("Network.loadingFinished", lambda got: received.append((got["timestamp"], got["encodedDataLength"])))
    cold = _opened(page, lambda: page.goto(url))
    first = sum(size for _, size in received)
    warm, cpu = [], []
    for _ in range(runs):
        received.clear()
        before = processor_seconds(root)
        warm.append(_opened(page, page.reload))
        cpu.append(processor_seconds(root) - before)
    nodes = page.evaluate("() => document.querySelectorAll('*').length")
    context.close()
    return {
        "cold": cold,
        "bytes": round(first),
        "warm": {name: told([each[name] for each in warm]) for name in warm[0]},
        "warm_bytes": round(sum(size for _, size in received)),
        "server_cpu": round(min(cpu), 2),
        "elements": nodes,
    }


def _opened(page: Page, go: Callable[[], object]) -> dict[str, float]:
    go()
    page.locator("#question").wait_for()
    page.wait_for_function("() => window.did_handshake")
    ready = page.evaluate("() => performance.now()")
    page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length")
    paint = page.evaluate("() => performance.getEntriesByName('first-contentful-paint')[0].startTime")
    return {"first_paint": round(paint), "ready": round(ready)}


@contextmanager
def timed(into: dict[str, Any], name: str) -> Iterator[None]:
    wall, cpu = time.monotonic(), processor_seconds(os.getpid())
    yield
    into[name] = {
        "seconds": round(time.monotonic() - wall, 2),
        "cpu": round(processor_seconds(os.getpid()) - cpu, 2),
    }


def of_a_case(file: Path) -> dict[str, Any]:
    """The report, the evidence and the abstraction of a case that is open, as a worker has it; and opening it."""
    found: dict[str, Any] = {}
    hands = Hands(Settings(), lambda _: None)
    with timed(found, "opening"):
        hands.case(file, "ada").project_at()
    with timed(found, "report"):
        ReportTask(file, "ada", file.with_suffix(".html")).do(hands)
    with timed(found, "evidence"):
        bundle(file)
    with timed(found, "abstraction"):
        AbstractionTask(file, "ada").do(hands)
    return found
