"""Who may talk to the server, as far as that can be told without looking at what is served.

A page in the investigator's own browser, opened from anywhere, can send requests to this machine. So even on loopback
the names under which the server is called are checked (against names of others' that lead here), and whatever changes
something must come from a page of ours.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
import socket
from typing import Final, final

from msgspec import Struct

from soid.errors import InputError

COOKIE: Final = "soid"
#: names that lead to this machine and nowhere else
_LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_SHORTEST: Final = 16  # characters of a token that somebody chose


@final
class Access(Struct, frozen=True):
    """What lets a request in."""

    host: str  # that the server is bound to
    token: str | None = None  # that a request must show; None: whoever is on this machine may
    https: bool = False  # browsers reach it by https: cookies are for that alone

    def __post_init__(self) -> None:
        if self.token is None and not is_loopback(self.host):
            raise InputError(f"{self.host} can be reached from other machines, and there is no token", "Give one.")
        if self.token is not None and len(self.token) < _SHORTEST:
            raise InputError("the token is too short to keep anyone out", f"Give {_SHORTEST} characters or more.")

    @property
    def cookie(self) -> str:
        """What a browser that has shown the token shows from then on; nobody makes the token of it."""
        return "" if self.token is None else hmac.new(self.token.encode(), b"soid cookie", hashlib.sha256).hexdigest()

    def serves(self, host: str) -> bool:
        """Whether a Host header names this server.

        A name of somebody else's that was made to lead here (DNS rebinding) is no name of ours. A number is not looked
        up in anyone's table, so where the server is not on loopback every number will do.

        >>> access = Access("127.0.0.1")
        >>> access.serves("localhost:8080"), access.serves("[::1]:8080"), access.serves("evil.example:8080")
        (True, True, False)
        """
        name = host_name(host)
        if name in _LOOPBACK_NAMES:
            return True
        if is_loopback(self.host):
            return False
        return is_number(name) or name in {self.host.lower(), socket.gethostname().lower(), socket.getfqdn().lower()}

    def admits(self, shown: str | None) -> bool:
        """Whether this is the token; compared in constant time."""
        return self.token is None or (shown is not None and _same(shown, self.token))

    def remembers(self, cookie: str | None) -> bool:
        """Whether this is the cookie of a browser that has shown the token."""
        return self.token is None or (cookie is not None and _same(cookie, self.cookie))


def new_token() -> str:
    return secrets.token_urlsafe(24)


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8", "surrogateescape"), other.encode("utf-8", "surrogateescape"))


def host_name(host: str) -> str:
    """The name in a Host header, without the port.

    >>> host_name("LocalHost:80"), host_name("[::1]:80"), host_name("a:b:c")
    ('localhost', '::1', '')
    """
    if host.startswith("["):
        name, bracket, port = host[1:].partition("]")
        if not bracket or (port and not (port[0] == ":" and port[1:].isdecimal())):
            return ""
    else:
        name, colon, port = host.partition(":")
        if colon and not port.isdecimal():
            return ""
    return name.lower().rstrip(".")


def is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Whether an address to bind to can be reached from this machine only."""
    if host == "localhost":
        return True
    return is_number(host) and ipaddress.ip_address(host).is_loopback
