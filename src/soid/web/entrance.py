"""The entrance: the form for a token, and how often a wrong one may be shown.

The form is the same for every address, so it does not tell which cases there are.
"""

from __future__ import annotations

import html
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from typing import Final, final
from urllib.parse import parse_qsl, quote, urlencode

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import Scope

from soid.web.access import AccessPolicy
from soid.web.token_file import proof_of

COOKIE: Final = "soid"
ENTER: Final = "/enter"  # where the form is sent
LEAVE: Final = "/leave"  # where a browser forgets its token
UNKEPT: Final = {"cache-control": "no-store"}
_WRONG: Final = "This token is not known here. It may have been revoked."
_BUSY: Final = "Too many wrong tokens were shown from your address. Wait a minute, then try again."

_LED: Final = "Another site's page led here and brought this token. Come in with it only if it is yours."

_MOST: Final = 10  # wrong tokens that an address may show
_SPAN: Final = 60.0  # seconds in which they count
_ADDRESSES: Final = 10_000  # that are remembered

_FORM: Final = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Your token · soid</title>
<style>
:root {{ color-scheme: light dark }}
body {{ font: 17px/1.5 system-ui, sans-serif; max-width: 30rem; margin: 12vh auto 2rem; padding: 0 1.25rem }}
h1 {{ font-size: 1.5rem; margin: 0 0 .5rem }}
label {{ display: block; font-weight: 600; margin: 1.5rem 0 .4rem }}
input, button {{ font: inherit; padding: .6rem .75rem; border-radius: .4rem; border: 1px solid #6b7280 }}
input {{ width: 100%; box-sizing: border-box }}
button {{ margin-top: 1rem; background: #1d4f8c; color: #fff; border-color: #1d4f8c; cursor: pointer }}
:focus-visible {{ outline: 3px solid #6aa3e8; outline-offset: 2px }}
[role=alert] {{ border-left: .3rem solid #b22222; padding-left: .75rem }}
</style>
</head>
<body>
<main>
<h1>Your token, please</h1>
<p>These cases are open to people who were given a token. It says who you are, and whether you may ask, comment or
read.</p>
{told}
<form method="post" action="{place}">
<input type="hidden" name="to" value="{to}">
<label for="token">Token</label>
<input id="token" name="token" type="password"{shown} autocomplete="current-password" required autofocus{described}>
<button type="submit">Come in</button>
</form>
<p>You have none? Ask the person who runs this server: <code>soid token new</code> makes one.</p>
</main>
</body>
</html>
"""


@final
class Refused(Exception):
    """The gate does not let a request in."""

    def __init__(self, status: int, cause: str, remedy: str, told: str | None = None, shown: str = "") -> None:
        super().__init__(cause)
        self.status, self.cause, self.remedy = status, cause, remedy
        self.told = told  # what the form for a token says; None: a page shows no form
        self.shown = shown  # the token that the form is filled in with


NO_TOKEN: Final = Refused(
    401, "this server needs a token", "Open its address in a browser; programs send it as a bearer token.", ""
)


@final
class Entrance:
    """Where tokens are shown."""

    def __init__(self, access: AccessPolicy, wrong: WrongTokens | None = None) -> None:
        self._access = access
        self._wrong = wrong or WrongTokens()

    def proof(self, scope: Scope, headers: Headers) -> str | None:
        """The proof of the token that a program or a browser shows."""
        scheme, _, shown = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self._access.demands_token:
            return self._known(scope, shown.strip())
        return _cookie(headers)

    def has_form(self, scope: Scope) -> bool:
        """Whether a request brings the form, filled in."""
        return self._access.demands_token and scope["path"] == ENTER and scope["method"] == "POST"

    def filled_in(self, scope: Scope, body: bytes) -> Response:
        given = dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
        path, _, query = given.get("to", "/").partition("?")
        return self._let_in(scope, given.get("token", ""), _place(path, query))

    def entered_or_left(self, scope: Scope, headers: Headers) -> Response | None:
        """The answer to an address that has a token, or that leaves; None if it is another one.

        A link on another site's page lets nobody in at once: they could become another user without seeing it, and
        what they then write would have the wrong author. Nor does it lead anybody out.
        """
        if not self._access.demands_token or scope["method"] != "GET":
            return None
        is_led = headers.get("sec-fetch-site") not in (None, "none", "same-origin")
        if scope["path"] == LEAVE:
            if is_led:
                raise Refused(403, "another site's page led here", "Leave by the button on the page.")
            return RedirectResponse("/", 303, {"set-cookie": self._set_cookie("", "; Max-Age=0"), **UNKEPT})
        query = scope["query_string"].decode("latin-1")
        shown = [value for name, value in parse_qsl(query, keep_blank_values=True) if name == "token"]
        if len(shown) != 1:
            return None
        if is_led:
            raise Refused(401, "another site's page led here with a token", "Open the address itself.", _LED, shown[0])
        return self._let_in(scope, shown[0], _place(scope["path"], query))

    def _let_in(self, scope: Scope, token: str, place: str) -> Response:
        """Set the cookie, and redirect to the address without the token."""
        proof = self._known(scope, token.strip())
        return RedirectResponse(place, 303, {"set-cookie": self._set_cookie(proof), **UNKEPT})

    def _known(self, scope: Scope, token: str) -> str:
        """The proof of a token; raises unless it is known, and the client has shown few wrong ones."""
        address = (scope.get("client") or ("",))[0]
        if self._wrong.is_over(address):
            raise Refused(429, "too many wrong tokens were shown", "Wait a minute.", _BUSY)
        proof = proof_of(token)
        if self._access.user_of(proof) is None:
            self._wrong.count(address, proof)
            raise Refused(401, NO_TOKEN.cause, NO_TOKEN.remedy, _WRONG)
        return proof

    def _set_cookie(self, proof: str, more: str = "") -> str:
        secure = "; Secure" if self._access.https else ""
        return f"{COOKIE}={proof}; Path=/; HttpOnly; SameSite=Strict{secure}{more}"


def form_page(scope: Scope, refused: Refused, headers: dict[str, str]) -> Response:
    """The page with the form, which leads back to the address that was asked for."""
    looked = scope["method"] == "GET" and scope["path"] not in (ENTER, LEAVE)
    to = _place(scope["path"], scope["query_string"].decode("latin-1")) if looked else "/"
    told = html.escape(refused.told or "")
    alert = f'<p role="alert" id="told">{told}</p>' if told else ""
    described = ' aria-describedby="told" aria-invalid="true"' if told else ""
    shown = f' value="{html.escape(refused.shown)}"' if refused.shown else ""
    page = _FORM.format(told=alert, to=html.escape(to), place=ENTER, described=described, shown=shown)
    # sent by a page with the policy "no-referrer", the form's origin would be "null"
    return HTMLResponse(page, refused.status, headers | {"referrer-policy": "same-origin"})


def _place(path: str, query: str) -> str:
    """An address of this server, without the token."""
    rest = urlencode([(name, value) for name, value in parse_qsl(query, keep_blank_values=True) if name != "token"])
    path = "/" + path.lstrip("/\\")  # //evil.example/ would be another host
    return quote(path, safe="/:@!$&'()*+,;=~-._") + (f"?{rest}" if rest else "")


def _cookie(headers: Headers) -> str | None:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return None
    return None if found is None else found.value


@final
class WrongTokens:
    """Counts the wrong tokens that each address shows.

    One that is shown again and again counts once: so a program goes on whose token was revoked, and others may have the
    same address.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._shown: OrderedDict[str, deque[tuple[float, str]]] = OrderedDict()

    def is_over(self, address: str) -> bool:
        """Whether the address has shown too many: no token counts then, be it right or wrong."""
        with self._lock:
            return len(self._recent(address)) >= _MOST

    def count(self, address: str, proof: str) -> None:
        with self._lock:
            recent = self._recent(address)
            if any(proof == known for _, known in recent):
                return
            recent.append((self._clock(), proof))
            self._shown[address] = recent
            self._shown.move_to_end(address)
            while len(self._shown) > _ADDRESSES:
                self._shown.popitem(last=False)

    def _recent(self, address: str) -> deque[tuple[float, str]]:
        recent = self._shown.get(address, deque(maxlen=_MOST))
        while recent and self._clock() - recent[0][0] > _SPAN:
            recent.popleft()
        return recent
