"""A desk with two cases for all tests of a session: an oven that answers at once, and a nut that never does."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import uvicorn

from soid.case.case import Case
from soid.examples import folder
from soid.oracle.inquiry import Settings
from soid.web.access import AccessPolicy
from soid.web.desk import Desk
from soid.web.desk_service import DeskService
from soid.web.page.session import Session
from soid.web.server import listen, make_app
from soid.web.user import User
from tests.waiting import PATIENCE

HARD = Path(__file__).parents[2] / "e2e" / "hard"
QUICK = "might action == CANCEL if heat is anything"
ENDLESS = "might found if a is anything and b is anything"


@pytest.fixture(scope="session")
def desk(tmp_path_factory) -> Iterator[Desk]:
    cases = tmp_path_factory.mktemp("cases")
    Case.create(cases / "oven.case", folder("microwave"), title="The oven", who="ada").close()
    Case.create(cases / "nut.case", HARD, who="ada").close()
    with Desk(cases, cores=2, settings=Settings(seconds=None)) as made:
        yield made


@pytest.fixture(scope="session")
def address(desk) -> Iterator[str]:
    """Where the desk's API is served, without pages."""
    with served(desk, AccessPolicy("127.0.0.1")) as url:
        yield url


@pytest.fixture(scope="session")
def client(address) -> Iterator[httpx.Client]:
    """A program that knows how to talk to the API."""
    with caller(address, {"x-soid": "1"}) as made:
        yield made


@pytest.fixture(scope="session")
def stranger(address) -> Iterator[httpx.Client]:
    """One that does not."""
    with caller(address) as made:
        yield made


def page_on(desk: Desk, case: str, name: str) -> Session:
    """The session of a page that somebody has opened on a case."""
    own = DeskService(desk, User(name))
    return Session(own, own.open(case))


def caller(url: str, headers: dict[str, str] | None = None) -> httpx.Client:
    """Without certificates, which are not needed here and take longer to load than most tests."""
    return httpx.Client(base_url=url, headers=headers or {}, timeout=PATIENCE, verify=False)


class served:  # noqa: N801 used as a function
    """A server in a thread of its own, for a block; gives its address."""

    def __init__(self, desk: Desk, access: AccessPolicy) -> None:
        self._socket = listen("127.0.0.1", 0)
        app = make_app(desk, access, pages=False)
        config = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]})

    def __enter__(self) -> str:
        self._thread.start()
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()
