"""The gate that every request passes first, and the security headers of every response.

host        a foreign name that resolves to this server is refused
token       checked if the server demands one, and says which user it is; a browser that shows it gets a cookie
origin      other sites' pages may lead here by a link, and send nothing else
size        a body is read up to the limit of its address, whatever its header says
headers     they allow a browser as little as possible

A token that is revoked ends what its owner has open: each message of a socket, and each piece of a stream, is checked.
"""

from __future__ import annotations

import secrets
from typing import Final, final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from soid.web.access import AccessPolicy
from soid.web.bundle_shelf import LARGEST
from soid.web.entrance import NO_TOKEN, UNKEPT, Entrance, Refused, form_page
from soid.web.user import User, UserRole

API: Final = "/api/"
#: a program that changes something sends this header; a form on another site's page cannot send it
MARK: Final = "x-soid"
SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})

#: the most bytes of a body, by the beginning of the address; the first match counts
_LARGEST: Final = (
    ("/api/staging/", 8 << 20),
    ("/api/bundles/", LARGEST),
    ("/_nicegui/client/", 8 << 20),
    ("", 1 << 20),
)

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
class Gate:
    """The outermost middleware."""

    def __init__(self, app: ASGIApp, access: AccessPolicy) -> None:
        self.app = app  # NiceGUI expects this name
        self._access = access
        self._entrance = Entrance(access)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        try:
            self._check_host(headers)
            if (answer := await self._entered(scope, headers, receive)) is not None:
                await _send(answer, scope, receive, send)
                return
            proof = self._entrance.proof(scope, headers)
            user = self._access.user_of(proof)
            if user is None:
                raise NO_TOKEN
            self._check_origin(scope, headers)
            scope.setdefault("state", {})["user"] = user
            stands = _Standing(self._access, proof, user)
            if scope["type"] == "websocket":
                await self._talk(scope, stands, receive, send)
            elif (body := await _whole_body(scope, headers, receive, user)) is not None:
                await self._answer(scope, body, stands, receive, send)
        except Refused as refused:
            await _refuse(scope, receive, send, refused)

    async def _entered(self, scope: Scope, headers: Headers, receive: Receive) -> Response | None:
        """The answer to a request that is about a token alone: it shows one for a cookie, or leaves."""
        if scope["type"] != "http":
            return None
        if not self._entrance.has_form(scope):
            return self._entrance.entered_or_left(scope, headers)
        self._check_origin(scope, headers)
        body = await _whole_body(scope, headers, receive, None)
        return None if body is None else self._entrance.filled_in(scope, body)

    async def _talk(self, scope: Scope, stands: _Standing, receive: Receive, send: Send) -> None:
        """A socket; it is closed as soon as its user's token is revoked."""
        closed = False

        async def received() -> Message:
            message = await receive()
            return message if stands() else await ended()

        async def sent(message: Message) -> None:
            if not closed:
                await send(message) if stands() else await ended()

        async def ended() -> Message:
            nonlocal closed
            if not closed:
                closed = True
                await send({"type": "websocket.close", "code": 4403})
            return {"type": "websocket.disconnect", "code": 4403}

        await self.app(scope, received, sent)

    async def _answer(self, scope: Scope, body: bytes, stands: _Standing, receive: Receive, send: Send) -> None:
        """Send the application's response with our headers."""
        nonce = secrets.token_urlsafe(16)
        scope["state"]["nonce"] = nonce  # for the page's scripts
        given = ended = False

        async def received() -> Message:
            nonlocal given
            if given:  # the application waits for the client to leave
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def dressed(message: Message) -> None:
            nonlocal ended
            if ended:
                return
            if message["type"] == "http.response.start":
                if not stands():  # it was revoked while the application was at work
                    ended = True
                    await _refuse(scope, received, send, NO_TOKEN)
                    return
                _dress(scope, message, nonce)
            elif message.get("more_body") and not stands():
                message = {"type": "http.response.body", "body": b"", "more_body": False}
            ended = message["type"] == "http.response.body" and not message.get("more_body")
            await send(message)

        await self.app(scope, received, dressed)

    def _check_host(self, headers: Headers) -> None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._access.serves(hosts[0]):
            raise Refused(400, "the address names another server", "Use the address that `soid serve` printed.")

    def _check_origin(self, scope: Scope, headers: Headers) -> None:
        """Refuse what pages of other sites send, other than links to our pages: to look at some of them takes work."""
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        host = headers["host"].lower()
        ours = origin is not None and origin.lower() in (f"http://{host}", f"https://{host}")
        foreign = Refused(403, "the request comes from another site's page", "Use the pages of this server.")
        if origin is not None and not ours:
            raise foreign
        api = scope["path"].startswith(API)
        leads_here = headers.get("sec-fetch-dest") == "document" and not api  # by a link: it sees nothing of the answer
        if site not in (None, "same-origin", "none") and not leads_here:
            raise foreign
        if scope["type"] == "websocket":
            if not ours:
                raise foreign
        elif scope["method"] not in SAFE:
            if api and MARK not in headers:
                raise Refused(403, f"the header {MARK} is missing", f"Send {MARK}: 1 with whatever changes something.")
            if not api and not ours:
                raise foreign


@final
class _Standing:
    """Whether a token still lets its owner in, as the same user."""

    def __init__(self, access: AccessPolicy, proof: str | None, user: User) -> None:
        self._access, self._proof, self._user = access, proof, user

    def __call__(self) -> bool:
        return self._access.user_of(self._proof) == self._user


async def _whole_body(scope: Scope, headers: Headers, receive: Receive, user: User | None) -> bytes | None:
    """The body of a request; None if the client left before its end, and Refused if it is too long.

    Only users who may upload something may send much.

    It is read before the application is called: applications fail in many ways on half a body.
    """
    largest = next(size for beginning, size in _LARGEST if scope["path"].startswith(beginning))
    if user is None or not user.may(UserRole.ASK):
        largest = min(largest, _LARGEST[-1][1])
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
        if name != "referrer-policy" or name not in headers:  # the form for a token has its own
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
    close = {"connection": "close", **UNKEPT}  # the rest of the body stays unread
    response: Response = PlainTextResponse(f"{refused.cause}.\n{refused.remedy}\n", refused.status, close)
    if scope["path"].startswith(API):
        said = {"cause": refused.cause, "remedy": refused.remedy, "kind": type(refused).__name__, "code": REFUSED}
        response = JSONResponse(said, refused.status, close)
    elif refused.told is not None:
        response = form_page(scope, refused, close)
    await _send(response, scope, receive, send)
