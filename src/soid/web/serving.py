"""Serving: a desk, its application, and the server that runs it until it is told to stop."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Final, Self, final

import uvicorn
from msgspec import Struct

from soid.errors import EnvironmentalError, InputError
from soid.web.access import Access
from soid.web.app import make_app
from soid.web.desk import Desk

#: seconds that requests have to end when the server does; streams of events would never
_GRACE: Final = 2


@final
class Address(Struct, frozen=True):
    """Where a server listens."""

    host: str
    port: int

    def url(self, token: str | None = None, *, https: bool = False, page: str = "") -> str:
        """What to open in a browser; where it listens on all addresses, by the machine's name.

        >>> Address("127.0.0.1", 8080).url(page="case/oven"), Address("::1", 80).url("secret")
        ('http://127.0.0.1:8080/case/oven', 'http://[::1]:80/?token=secret')
        """
        host = socket.gethostname() if self.host in ("", "0.0.0.0", "::") else self.host
        name = f"[{host}]" if ":" in host else host
        shown = f"?token={token}" if token is not None else ""
        return f"{'https' if https else 'http'}://{name}:{self.port}/{page}{shown}"


@final
class Tls(Struct, frozen=True):
    """What a server proves with who it is."""

    certificate: Path
    key: Path

    @classmethod
    def of(cls, certificate: Path | None, key: Path | None) -> Self | None:
        """From what was given: both, or neither."""
        if certificate is None and key is None:
            return None
        if certificate is None or key is None:
            raise InputError("for https a certificate and its key are needed", "Give both: --certificate and --key.")
        try:
            ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(certificate, key)
        except OSError as error:  # ssl's own errors are of this kind
            problem = f"{certificate} and {key} cannot be used: {error.strerror or error}"
            raise InputError(problem, "Give a certificate and its key, both as PEM files.") from error
        return cls(certificate, key)


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 is any that is free."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, place = found[0]
        listening = socket.socket(family, kind, protocol)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(place)
            listening.listen(128)
        except OSError:
            listening.close()
            raise
    except OSError as error:
        problem = f"{host}:{port} cannot be listened on: {error.strerror or error}"
        raise EnvironmentalError(problem, "Choose another port: --port 0 takes any that is free.") from error
    return listening


def serve(
    desk: Desk, access: Access, listening: socket.socket, *, ready: Callable[[], None], tls: Tls | None = None
) -> None:
    """Serve until Ctrl-C or SIGTERM; `ready` is called when requests are answered."""
    config = uvicorn.Config(
        make_app(desk, access),
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,  # whoever sends a header is not believed about who they are
        ws_max_size=1 << 20,
        timeout_graceful_shutdown=_GRACE,
        lifespan="on",
        ssl_certfile=tls.certificate if tls is not None else None,
        ssl_keyfile=tls.key if tls is not None else None,
    )
    server = _Server(config, ready)
    asyncio.run(server.serve(sockets=[listening]))


@final
class _Server(uvicorn.Server):
    """A server that says when it is ready."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()
