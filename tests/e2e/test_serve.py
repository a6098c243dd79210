"""`soid serve` as a user runs it: asked by programs, killed in the middle, started again; who is let in."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from soid.case.case import Case, default_user
from soid.cli.commands.serve_command import cases_at
from soid.examples import folder
from tests.e2e.running import Soid
from tests.json_page import misfits
from tests.waiting import PATIENCE, is_running, server_workers, until

QUICK = "might action == CANCEL if heat is anything"
ENDLESS = "might found if a is anything and b is anything"


@dataclass(frozen=True)
class Server:
    """A server under way."""

    process: subprocess.Popen[str]
    said: dict[str, Any]

    @contextlib.contextmanager
    def client(self) -> Iterator[httpx.Client]:
        with httpx.Client(base_url=self.said["url"], headers={"x-soid": "1"}, timeout=PATIENCE, verify=False) as made:
            yield made

    def workers(self) -> list[int]:
        """The processes that it has started."""
        return server_workers(self.process.pid)


@contextlib.contextmanager
def serving(soid: Soid, *arguments: str) -> Iterator[Server]:
    """The installed command, until the block ends."""
    process = subprocess.Popen(
        [soid.command, "serve", *arguments, "--port", "0", "--json", "--no-open"],
        cwd=soid.project,
        env=soid.environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield Server(process, json.loads(process.stdout.readline()))
    finally:
        process.kill()
        process.communicate()


def answered(client: httpx.Client, case: str, question: str) -> dict[str, Any]:
    job = client.post(f"/api/cases/{case}/questions", json={"question": question}).json()
    found: dict[str, Any] = {}

    def over() -> bool:
        found.update(client.get(f"/api/jobs/{job['id']}").json())
        return found["state"] not in ("queued", "running")

    until(over)
    return found


def test_killed_in_the_middle_of_a_question_and_started_again_nothing_is_lost(hard: Soid) -> None:
    cases = hard.project.parent / "cases"
    cases.mkdir()
    Case.create(cases / "nut.case", hard.project).close()
    Case.create(cases / "oven.case", folder("microwave")).close()
    here = Soid(hard.command, cases, hard.environment)
    with serving(here) as first, first.client() as ada, first.client() as ben:
        assert misfits(first.said, "serve") == {}
        fact = answered(ada, "oven", QUICK)["result"]["entry"]
        assert [each["entry"] for each in ben.get("/api/cases/oven/facts").json()] == [fact]
        assert ben.post("/api/cases/oven/notes", json={"entry": fact, "text": "seen"}).status_code == 201
        assert [note["who"] for note in ada.get(f"/api/cases/oven/answers/{fact}").json()["notes"]] == [default_user()]
        job = ada.post("/api/cases/nut/questions", json={"question": ENDLESS}).json()["id"]
        until(lambda: ada.get("/api/cases/nut/version").json()["version"] == 2)  # it is on the record as asked
        workers = first.workers()
        assert workers
        first.process.kill()
        first.process.wait()
        until(lambda: not any(map(is_running, workers)))
    with serving(here, "--host", "0.0.0.0") as second:  # which other machines can reach: only with its token
        assert "0.0.0.0" not in second.said["url"]  # where nobody could go
        url = f"http://127.0.0.1:{httpx.URL(second.said['url']).port}/"
        assert len(second.said["token"]) >= 32
        with httpx.Client(
            base_url=url, headers={"x-soid": "1"}, follow_redirects=True, timeout=PATIENCE, verify=False
        ) as ada:
            assert ada.get("/").status_code == ada.get("/api/cases").status_code == 401
            page = ada.get("/", params={"token": second.said["token"]})
            assert page.status_code == 200 and "token" not in str(page.url)
            nonce = page.headers["content-security-policy"].partition("'nonce-")[2].partition("'")[0]
            assert page.text.count("<script") == page.text.count(f'<script nonce="{nonce}"') > 3
            assert [each["entry"] for each in ada.get("/api/cases/oven/facts").json()] == [fact]
            (entry,) = ada.get("/api/cases/nut").json()["unanswered"]
            assert ada.get(f"/api/cases/nut/entries/{entry}").json()["payload"]["question"] == ENDLESS
            assert ada.get(f"/api/jobs/{job}").status_code == 404
            assert answered(ada, "oven", QUICK)["state"] == "done"
        second.process.send_signal(signal.SIGINT)
        assert second.process.wait(PATIENCE) == 0
    for file in cases.iterdir():
        with Case.open(file, read_only=True) as case:
            case.verify_chain()


def test_a_project_and_an_example_become_a_case_here_which_is_gone_on_with(microwave: Soid) -> None:
    elsewhere = microwave.project.parent / "elsewhere"
    elsewhere.mkdir()
    with contextlib.chdir(elsewhere):
        for what, name in (("crash/impatient", "crash-impatient.case"), ("../microwave", "microwave.case")):
            assert cases_at(what, quiet=True) == Path(name)
            before = Path(name).read_bytes()
            assert cases_at(what, quiet=True) == Path(name) and Path(name).read_bytes() == before
            assert cases_at(name, quiet=True) == Path(name)
        assert cases_at(".", quiet=True) == Path()
        with Case.open(Path("crash-impatient.case"), read_only=True) as case:
            assert case.title == "Broadside at the crossing: the impatient driver"


def test_what_cannot_be_served_is_said(microwave: Soid) -> None:
    ran = microwave("serve", "nothing", "--port", "0", "--json")
    assert ran.status == 10 and "nothing" in ran.json["error"]["cause"] and "crash" in ran.json["error"]["remedy"]
    ran = microwave("serve", "log.jsonl", "--port", "0", "--json")
    assert ran.status == 10 and "ends with .case" in ran.json["error"]["remedy"]
    assert microwave("serve", ".", "--token", "short", "--json").json["error"]["remedy"]
    assert microwave("serve", ".", "--certificate", "soid.toml", "--json").json["error"]["remedy"]
    ran = microwave("serve", ".", "--certificate", "soid.toml", "--key", "soid.toml", "--json")
    assert "cannot be used" in ran.json["error"]["cause"]


def test_who_asks_in_the_terminal_loads_no_web_framework(microwave: Soid) -> None:
    loaded = "import soid.cli.command_line.typer_app, soid.cli.commands.case_command, sys; print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True).stdout.split()
    assert "soid.cli.commands.ask_command" in modules
    assert not {"fastapi", "nicegui", "pydantic", "starlette", "uvicorn"} & set(modules)
