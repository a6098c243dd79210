"""Every error has a code of its own, which commands, API and jobs show, and which the documents list."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from soid import errors
from soid.cli import failure
from soid.errors import USAGE, ChainError, SoidError, code_of
from soid.web.api.error_responses import handle_errors
from soid.web.security import REFUSED
from soid.web.work.job import Trouble

_PAGE = Path(__file__).parents[2] / "docs" / "json.md"


def tree(kind: type[SoidError]) -> Iterator[type[SoidError]]:
    for each in kind.__subclasses__():
        if each.__module__ == errors.__name__:
            yield each
            yield from tree(each)


KINDS = list(tree(SoidError))


def made(kind: type[SoidError]) -> SoidError:
    return kind("a cause", "a remedy", entry=None) if kind is ChainError else kind("a cause", "a remedy")


def answered(app: FastAPI, address: str) -> Any:
    async def ask() -> Any:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://soid") as client:
            return (await client.get(address)).json()

    return asyncio.run(ask())


def listed() -> set[str]:
    """The codes of the page's table."""
    table = _PAGE.read_text(encoding="utf-8").partition("| code | what is wrong |")[2].partition("\n\n")[0]
    return {code for row in table.splitlines() for code in re.findall(r"`(\w+)`", row.split("|")[1] if row else "")}


def test_each_code_is_of_one_error() -> None:
    codes = [kind.code for kind in KINDS]
    assert len(codes) > 25 and all("code" in vars(kind) for kind in KINDS)
    assert len({*codes, USAGE, REFUSED, SoidError.code}) == len(codes) + 3


def test_the_page_lists_all_codes_and_no_others() -> None:
    others = {USAGE, REFUSED, "output", "worker_ended"}
    assert listed() == {kind.code for kind in KINDS} | others


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_commands_the_api_and_jobs_show_the_code(
    kind: type[SoidError], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))

    def command(_: list[str]) -> int:
        raise made(kind)

    failure.guarded(command, ["ask", "--json"])
    assert json.loads(capsys.readouterr().out)["error"]["code"] == kind.code
    app = FastAPI()
    handle_errors(app)

    @app.get("/")
    def fails() -> None:
        raise made(kind)

    assert answered(app, "/")["code"] == kind.code
    assert Trouble.of(made(kind)).code == code_of(kind.__name__) == kind.code


def test_what_is_no_error_of_soid_has_a_code_too() -> None:
    kinds = ("NoProcess", "TooLong", "WorkerDied", "OSError", "ZeroDivisionError")
    assert {Trouble(kind, "a cause", "").code for kind in kinds} <= listed()
    app = FastAPI()
    handle_errors(app)
    assert answered(app, "/nowhere")["code"] == USAGE
