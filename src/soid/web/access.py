"""Which requests the server lets in, decided before it looks at what they ask for.

Any web page in the investigator's own browser can send requests to this machine. So the server checks the host name of
each request even on loopback: a foreign name can be made to resolve to this machine. A request that changes something
must come from a page of this server.
"""

from __future__ import annotations

import hmac
import ipaddress
import socket
from typing import Final, final

from msgspec import Struct

from soid.case.case import default_user
from soid.errors import InputError
from soid.web.token_file import TokenFile, key_of, proof_of
from soid.web.user import User

#: names that always mean this machine
_LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_SHORTEST: Final = 16  # the fewest characters of a token


@final
class AccessPolicy(Struct, frozen=True):
    """The rules that let a request in."""

    host: str  # the address that the server is bound to
    token: str | None = None  # one that lets its owner do everything
    https: bool = False  # browsers reach the server by https, and cookies are restricted to it
    tokens: TokenFile | None = None  # the tokens of the folder that is served

    def __post_init__(self) -> None:
        if not self.demands_token and not is_loopback(self.host):
            problem = f"{self.host} can be reached from other machines, and there is no token"
            raise InputError(problem, "Give one, or make some with `soid token new`.")
        if self.token is not None and len(self.token) < _SHORTEST:
            raise InputError("the token is too short to keep anyone out", f"Give {_SHORTEST} characters or more.")

    @property
    def demands_token(self) -> bool:
        """Whether a request must show a token; otherwise, every request from this machine is let in."""
        return self.token is not None or (self.tokens is not None and self.tokens.is_in_use)

    def user_of_token(self, shown: str) -> User | None:
        return self.user_of(proof_of(shown))

    def user_of(self, proof: str | None) -> User | None:
        """The user of a request with this proof of a token; None if it is not let in."""
        if not self.demands_token:
            return User(default_user())
        if self.token is not None and proof is not None:
            known = proof_of(self.token)
            if hmac.compare_digest(proof.encode("utf-8", "surrogateescape"), known.encode()):
                return User(default_user(), key=key_of(known))
        return self.tokens.user(proof) if self.tokens is not None else None

    def may_work(self, author: str) -> bool:
        """Whether what an author asked for may go on: their token, if they had one, is still known."""
        key = User.key_in(author)
        if not key or (self.token is not None and key == key_of(proof_of(self.token))):
            return True
        return self.tokens is not None and self.tokens.has(key)

    def serves(self, host: str) -> bool:
        """Whether a Host header names this server.

        A foreign name that resolves to this machine (DNS rebinding) does not count. A numeric address needs no
        resolution, so a server that is not on loopback accepts every number.

        >>> access = AccessPolicy("127.0.0.1")
        >>> access.serves("localhost:8080"), access.serves("[::1]:8080"), access.serves("evil.example:8080")
        (True, True, False)
        """
        name = host_name(host)
        if name in _LOOPBACK_NAMES:
            return True
        if is_loopback(self.host):
            return False
        return is_number(name) or name in {self.host.lower(), socket.gethostname().lower(), socket.getfqdn().lower()}


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
    """Whether only this machine can reach an address."""
    if host == "localhost":
        return True
    return is_number(host) and ipaddress.ip_address(host).is_loopback
