"""The gate that every request passes first, and the security headers of every response.

host        a foreign name that resolves to this server is refused
token       checked if the server demands one; a token in the address becomes a cookie
origin      a request that changes something, and every socket, must come from a page of this server
size        a body is read up to the limit of its address, whatever its header says
headers     they allow a browser as little as possible
"""

from __future__ import annotations

import secrets
from http.cookies import CookieError, SimpleCookie
from typing import Final, final
from urllib.parse import parse_qsl, quote, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from soid.web.access import COOKIE, AccessPolicy

API: Final = "/api/"
#: a program that changes something sends this header; a form on another site's page cannot send it
MARK: Final = "x-soid"
SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})

#: the most bytes of a body, by the beginning of the address; the first match counts
_LARGEST: Final = (("/api/staging/", 8 << 20), ("/_nicegui/client/", 8 << 20), ("", 1 << 20))

_HEADERS: Final = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
#: for responses of the API; reports and pictures contain their own style
_API_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; sandbox"
)


def page_policy(nonce: str) -> str:
    """A page may load what this server serves, and run scripts that carry the nonce.

    It may not evaluate text: the pages use no part of NiceGUI that needs this.
    """
    return (
        f"default-src 'none'; script-src 'self' 'nonce-{nonce}'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'"
    )


#: the code of what the gate refuses, for programs
REFUSED: Final = "refused"


@final
class Refused(Exception):
    """The gate does not let a request in."""

    def __init__(self, status: int, cause: str, remedy: str) -> None:
        super().__init__(cause)
        self.status, self.cause, self.remedy = status, cause, remedy


@final
class Gate:
    """The outermost middleware."""

    def __init__(self, app: ASGIApp, access: AccessPolicy) -> None:
        self.app = app  # NiceGUI expects this name
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        try:
            self._check_host(headers)
            if self._comes_with_token(scope):
                await self._remember(scope, receive, send)
                return
            self._check_token(headers)
            self._check_origin(scope, headers)
            if scope["type"] == "websocket":
                await self.app(scope, receive, send)
            elif (body := await _whole_body(scope, headers, receive)) is not None:
                await self._answer(scope, body, receive, send)
        except Refused as refused:
            await _refuse(scope, receive, send, refused)

    async def _answer(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        """Send the application's response with our headers."""
        nonce = secrets.token_urlsafe(16)
        scope.setdefault("state", {})["nonce"] = nonce  # for the page's scripts
        given = False

        async def received() -> Message:
            nonlocal given
            if given:  # the application waits for the client to leave
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                _dress(scope, message, nonce)
            await send(message)

        await self.app(scope, received, dressed)

    def _check_host(self, headers: Headers) -> None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._access.serves(hosts[0]):
            raise Refused(400, "the address names another server", "Use the address that `soid serve` printed.")

    def _comes_with_token(self, scope: Scope) -> bool:
        """Whether this is the printed address, which contains the token."""
        if scope["type"] != "http" or scope["method"] != "GET" or self._access.token is None:
            return False
        shown = [value for name, value in _query(scope) if name == "token"]
        return len(shown) == 1 and self._access.admits(shown[0])

    async def _remember(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Set the cookie, and redirect to the address without the token."""
        secure = "; Secure" if self._access.https else ""
        cookie = f"{COOKIE}={self._access.cookie}; Path=/; HttpOnly; SameSite=Strict{secure}"
        rest = urlencode([(name, value) for name, value in _query(scope) if name != "token"])
        path = "/" + scope["path"].lstrip("/\\")  # //evil.example/ would be another host
        place = quote(path, safe="/:@!$&'()*+,;=~-._") + (f"?{rest}" if rest else "")
        await _send(RedirectResponse(place, 303, {"set-cookie": cookie}), scope, receive, send)

    def _check_token(self, headers: Headers) -> None:
        scheme, _, shown = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self._access.token is not None and self._access.admits(shown.strip()):
            return
        if not self._access.remembers(_cookie(headers)):
            remedy = "Open the address that `soid serve` printed, with its token; programs send it as a bearer token."
            raise Refused(401, "this server needs its token", remedy)

    def _check_origin(self, scope: Scope, headers: Headers) -> None:
        """Refuse sockets, and requests that change something, from pages of other sites."""
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        host = headers["host"].lower()
        ours = origin is not None and origin.lower() in (f"http://{host}", f"https://{host}")
        foreign = Refused(403, "the request comes from another site's page", "Use the pages of this server.")
        if origin is not None and not ours:
            raise foreign
        api = scope["path"].startswith(API)
        if site not in (None, "same-origin", "none") and (api or scope["type"] == "websocket"):
            raise foreign
        if scope["type"] == "websocket":
            if not ours:
                raise foreign
        elif scope["method"] not in SAFE:
            if api and MARK not in headers:
                raise Refused(403, f"the header {MARK} is missing", f"Send {MARK}: 1 with whatever changes something.")
            if not api and not ours:
                raise foreign


def _query(scope: Scope) -> list[tuple[str, str]]:
    return parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)


def _cookie(headers: Headers) -> str | None:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return None
    return None if found is None else found.value


async def _whole_body(scope: Scope, headers: Headers, receive: Receive) -> bytes | None:
    """The body of a request; None if the client left before its end, and Refused if it is too long.

    It is read before the application is called: applications fail in many ways on half a body.
    """
    largest = next(size for beginning, size in _LARGEST if scope["path"].startswith(beginning))
    too_long = Refused(413, f"more than {largest >> 20} MiB were sent at once", "Send less.")
    said = headers.get("content-length", "0")
    if not said.isdecimal() or int(said[:20]) > largest:
        raise too_long
    body, more = bytearray(), True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += message.get("body", b"")
        if len(body) > largest:
            raise too_long
        more = message.get("more_body", False)
    return bytes(body)


def _dress(scope: Scope, start: Message, nonce: str) -> None:
    """Add the security headers."""
    start.setdefault("headers", [])
    headers = MutableHeaders(raw=list(start["headers"]))
    for name, value in _HEADERS.items():
        headers[name] = value
    if scope["path"].startswith(API):
        headers["content-security-policy"] = _API_POLICY
        headers.setdefault("cache-control", "no-store")
    else:
        headers["content-security-policy"] = page_policy(nonce)
    if "server" in headers:
        del headers["server"]
    start["headers"] = headers.raw


async def _send(response: Response, scope: Scope, receive: Receive, send: Send) -> None:
    """Send a response of the gate itself."""

    async def dressed(message: Message) -> None:
        if message["type"] == "http.response.start":
            _dress(scope, message, "")
        await send(message)

    await response(scope, receive, dressed)


async def _refuse(scope: Scope, receive: Receive, send: Send, refused: Refused) -> None:
    """Refuse a request: with JSON for the API, with plain text for a page."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 4403})
        return
    close = {"connection": "close"}  # the rest of the body stays unread
    response: Response = PlainTextResponse(f"{refused.cause}.\n{refused.remedy}\n", refused.status, close)
    if scope["path"].startswith(API):
        said = {"cause": refused.cause, "remedy": refused.remedy, "kind": type(refused).__name__, "code": REFUSED}
        response = JSONResponse(said, refused.status, close)
    await _send(response, scope, receive, send)
