"""Who is let in: by which name, with which token, from whose pages, with how much; what answers say of themselves."""

import asyncio
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from soid.errors import InputError
from soid.web.access import AccessPolicy
from soid.web.security import Gate
from soid.web.token_file import new_token
from tests.unit.web.conftest import caller, served
from tests.waiting import PATIENCE

TOKEN = "a token that is long enough"
NOTE = {"entry": 1, "text": "hello"}


@pytest.fixture(scope="module")
def guarded(desk):
    with served(desk, AccessPolicy("127.0.0.1", TOKEN)) as url:
        yield url


# --- the name of the server


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "", "a b", "[::1"]
)
def test_a_name_that_is_not_ours_is_refused_on_loopback_too(client, host):
    answer = client.get("/api/cases", headers={"host": host})
    assert answer.status_code == 400
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:99", "[::1]:80"])
def test_names_of_this_machine_are_let_in(client, host):
    assert client.get("/api/cases", headers={"host": host}).status_code == 200


def test_two_names_are_none(address):
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as raw:
        raw.sendall(b"GET /api/cases HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
        assert b" 400 " in raw.recv(100)


def test_an_address_for_other_machines_needs_a_token():
    with pytest.raises(InputError):
        AccessPolicy("0.0.0.0")
    with pytest.raises(InputError):
        AccessPolicy("127.0.0.1", "short")
    access = AccessPolicy("0.0.0.0", new_token())
    assert access.serves("192.168.1.7:8080") and access.serves(socket.gethostname())
    assert not access.serves("evil.example")


# --- the token


def test_without_the_token_nobody_is_let_in(guarded, stranger):
    for headers in ({}, {"authorization": "Bearer wrong"}, {"authorization": "Basic eA=="}, {"cookie": "soid=wrong"}):
        for place in ("/", "/api/cases", "/api/openapi.json", "/?token=wrong", f"/?token={TOKEN}&token={TOKEN}"):
            answer = stranger.get(guarded + place, headers=headers)
            assert answer.status_code == 401, (headers, place)
            assert "set-cookie" not in answer.headers


def test_a_program_shows_the_token_with_each_request(guarded, stranger):
    answer = stranger.get(f"{guarded}/api/cases", headers={"authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200 and "set-cookie" not in answer.headers


def test_a_browser_shows_the_token_once_and_then_its_cookie(guarded):
    with caller(guarded) as browser:
        first = browser.get("/api/cases", params={"token": TOKEN, "after": "1"})
        assert (first.status_code, first.headers["location"]) == (303, "/api/cases?after=1")
        cookie = first.headers["set-cookie"]
        assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and "Secure" not in cookie
        assert TOKEN not in cookie
        assert browser.get("/api/cases").status_code == 200
    assert "Secure" in _cookie_by_https()


def _cookie_by_https() -> str:
    """By https the cookie is for https alone; asked of the gate itself, which needs no certificate."""
    sent: list[dict[str, Any]] = []

    async def app(scope, receive, send) -> None:
        raise AssertionError("it is not asked")

    async def send(message) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "GET",
        "path": "/",
        "query_string": f"token={TOKEN}".encode().replace(b" ", b"+"),
        "headers": [(b"host", b"localhost")],
    }
    answering = Gate(app, AccessPolicy("127.0.0.1", TOKEN, https=True))(scope, None, send)  # type: ignore[arg-type]
    with ThreadPoolExecutor(1) as apart:  # whoever drives a browser in this process has a loop in this thread
        apart.submit(asyncio.run, answering).result()
    cookie: bytes = dict(sent[0]["headers"])[b"set-cookie"]
    return cookie.decode()


@pytest.mark.parametrize("path", ["//evil.example/", "/\\evil.example/", "///evil.example", "/%2Fevil.example"])
def test_showing_the_token_leads_to_no_other_server(guarded, path):
    with caller(guarded) as browser:
        place = browser.get(f"{guarded}{path}?token={TOKEN.replace(' ', '+')}").headers["location"]
    assert place.startswith("/") and not place.startswith(("//", "/\\"))


# --- whose page


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1"])
def test_another_sites_page_changes_nothing_and_reads_nothing(client, origin):
    before = client.get("/api/cases/oven/version").json()
    for headers in ({"origin": origin}, {"origin": origin, "x-soid": "1"}):
        assert client.post("/api/cases/oven/notes", json=NOTE, headers=headers).status_code == 403
        assert client.get("/api/cases", headers=headers).status_code == 403
    assert client.get("/api/cases/oven/version").json() == before


def test_a_form_on_another_sites_page_lacks_the_mark(stranger):
    for kind in ("text/plain", "application/json", "application/x-www-form-urlencoded", "multipart/form-data"):
        answer = stranger.post("/api/cases/oven/notes", content=b"{}", headers={"content-type": kind})
        assert answer.status_code == 403


def test_what_the_browser_says_of_a_foreign_page_is_believed(client):
    for site in ("cross-site", "same-site"):
        assert client.get("/api/cases", headers={"sec-fetch-site": site}).status_code == 403
        for fetched in ("image", "iframe", "script", "empty"):  # what makes a page takes work, and room for files
            answer = client.get("/new", headers={"sec-fetch-site": site, "sec-fetch-dest": fetched})
            assert answer.status_code == 403, fetched
        followed = {"sec-fetch-site": site, "sec-fetch-dest": "document"}
        assert client.get("/new", headers=followed).status_code == 404  # a link is let through: here are no pages
        assert client.get("/api/cases", headers=followed).status_code == 403
    for site in ("same-origin", "none"):
        assert client.get("/api/cases", headers={"sec-fetch-site": site}).status_code == 200


def test_a_page_of_ours_may(client, address):
    answer = client.post("/api/cases/oven/notes", json=NOTE, headers={"origin": address})
    assert answer.status_code == 201


def test_outside_of_the_api_what_changes_something_comes_from_our_pages(stranger, address):
    assert stranger.post("/upload", headers={"x-soid": "1"}).status_code == 403
    assert stranger.post("/upload", headers={"origin": address}).status_code == 404


def test_a_socket_is_opened_from_our_pages_alone(address):
    place = address.replace("http", "ws") + "/socket"
    for origin in (None, Origin("http://evil.example"), Origin("null")):
        with pytest.raises(InvalidStatus) as refused, connect(place, origin=origin):
            pass
        assert refused.value.response.status_code == 403


# --- how much


@pytest.fixture(scope="module")
def upload(client) -> Iterator[str]:
    """The address of a file that is uploaded; its body is read as bytes."""
    area = client.post("/api/staging").json()["id"]
    yield f"/api/staging/{area}/files/car.c"
    client.delete(f"/api/staging/{area}")


@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_a_body_that_is_too_long_is_refused_by_its_header_and_by_its_bytes(client, upload, method, capfd):
    place, limit = ("/api/cases/oven/notes", 1 << 20) if method == "POST" else (upload, 8 << 20)
    assert client.request(method, place, content=b" " * (limit + 1)).status_code == 413
    sent = 0

    def pieces():
        nonlocal sent
        for _ in range(limit // (1 << 16) + 9):
            yield b" " * (1 << 16)
            sent += 1 << 16

    answer = client.request(method, place, content=pieces(), headers={"content-type": "application/json"})
    assert answer.status_code == 413
    assert set(answer.json()) == {"cause", "remedy", "kind", "code"} and "MiB" in answer.json()["cause"]
    assert answer.headers["x-content-type-options"] == "nosniff" and answer.headers["connection"] == "close"
    assert capfd.readouterr().err == ""


def test_what_follows_the_limit_is_not_read(address, upload):
    with _raw(address) as raw:
        raw.sendall(_head("PUT", upload, "Transfer-Encoding: chunked"))
        with pytest.raises(OSError):  # noqa: PT011, PT012 the connection is closed while much more is to come
            for _ in range(10_000):
                raw.sendall(b"10000\r\n" + b" " * 65536 + b"\r\n")


@pytest.mark.parametrize(
    ("header", "body"),
    [
        ("Content-Length: -5", b"abc"),
        ("Content-Length: many", b"abc"),
        ("Content-Length: 99999999999999999999999999", b"abc"),
        ("Content-Length: 3\r\nContent-Length: 4", b"abcd"),
        ("Content-Length: 3\r\nTransfer-Encoding: chunked", b"3\r\nabc\r\n0\r\n\r\n"),
        ("Transfer-Encoding: chunked", b"zz\r\nabc"),
    ],
)
def test_a_length_that_makes_no_sense_is_refused(address, upload, header, body, capfd):
    with _raw(address) as raw:
        raw.sendall(_head("PUT", upload, header) + body)
        assert b" 400 " in raw.recv(100)
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("header", ["Content-Length: 100", "Transfer-Encoding: chunked"])
@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_a_client_that_leaves_before_the_end_of_its_body_is_no_bug(client, address, upload, method, header, capfd):
    place = upload if method == "PUT" else "/api/cases/oven/notes"
    before = client.get("/api/cases/oven/version").json()
    with _raw(address) as raw:
        raw.sendall(_head(method, place, header, "Content-Type: application/json") + b"2\r\n{}\r\n")
    assert client.get("/api/cases/oven/version").json() == before  # and the server goes on
    assert capfd.readouterr().err == ""


def _raw(address: str) -> socket.socket:
    host, port = address.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=PATIENCE)


def _head(method: str, place: str, *headers: str) -> bytes:
    return "\r\n".join([f"{method} {place} HTTP/1.1", "Host: localhost", "x-soid: 1", *headers, "", ""]).encode()


# --- what answers say of themselves


@pytest.mark.parametrize("place", ["/api/cases", "/api/nothing", "/nothing", "/api/openapi.json"])
def test_every_answer_says_how_little_may_be_done_with_it(client, place):
    for answer in (client.get(place), client.get(place, headers={"host": "evil.example"})):
        headers = answer.headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-frame-options"] == "DENY"
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
        assert "unsafe-inline" not in policy.partition("script-src")[2].partition(";")[0]
        assert "unsafe-eval" not in policy and "*" not in policy and "http:" not in policy
        assert not any(name.startswith("access-control") for name in headers)
        assert "server" not in headers


def test_answers_of_the_api_are_kept_by_nobody(client):
    assert client.get("/api/cases").headers["cache-control"] == "no-store"


def test_pages_have_another_nonce_each_time(client):
    policies = {client.get("/nothing").headers["content-security-policy"] for _ in range(3)}
    assert len(policies) == 3
