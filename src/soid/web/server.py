"""The server: it runs the application of a desk until it is told to stop."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Final, Self, final

import uvicorn
from fastapi import FastAPI
from msgspec import Struct
from starlette.types import ASGIApp

from soid.errors import EnvironmentalError, InputError
from soid.web.access import AccessPolicy
from soid.web.api.error_responses import handle_errors
from soid.web.api.rest_api import api
from soid.web.desk import Desk
from soid.web.security import Gate

#: seconds for requests to end when the server stops; event streams would never end
_GRACE: Final = 2


@final
class ServerAddress(Struct, frozen=True):
    """Where a server listens."""

    host: str
    port: int

    def url(self, token: str | None = None, *, https: bool = False, page: str = "") -> str:
        """The address for a browser; if the server listens on all addresses, with the machine's name.

        >>> ServerAddress("127.0.0.1", 8080).url(page="case/oven"), ServerAddress("::1", 80).url("secret")
        ('http://127.0.0.1:8080/case/oven', 'http://[::1]:80/?token=secret')
        """
        host = socket.gethostname() if self.host in ("", "0.0.0.0", "::") else self.host
        name = f"[{host}]" if ":" in host else host
        shown = f"?token={token}" if token is not None else ""
        return f"{'https' if https else 'http'}://{name}:{self.port}/{page}{shown}"


@final
class Tls(Struct, frozen=True):
    """A certificate and its key."""

    certificate: Path
    key: Path

    @classmethod
    def of(cls, certificate: Path | None, key: Path | None) -> Self | None:
        """From both files; None if neither is given."""
        if certificate is None and key is None:
            return None
        if certificate is None or key is None:
            raise InputError("for https a certificate and its key are needed", "Give both: --certificate and --key.")
        try:
            ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(certificate, key)
        except OSError as error:  # SSLError is an OSError
            problem = f"{certificate} and {key} cannot be used: {error.strerror or error}"
            raise InputError(problem, "Give a certificate and its key, both as PEM files.") from error
        return cls(certificate, key)


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes any free port."""
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


def make_app(desk: Desk, access: AccessPolicy, *, pages: bool = True) -> ASGIApp:
    """API and pages behind the gate; a process can make the pages once."""
    app = FastAPI(openapi_url=None)
    handle_errors(app)
    app.mount("/api", api(desk))  # an application of its own, so that its 404 is JSON
    if pages:
        from soid.web.page.pages import add_pages

        add_pages(app, desk)
    return Gate(app, access)


def serve(
    desk: Desk, access: AccessPolicy, listening: socket.socket, *, ready: Callable[[], None], tls: Tls | None = None
) -> None:
    """Serve until Ctrl-C or SIGTERM; call `ready` as soon as requests are answered."""
    config = uvicorn.Config(
        make_app(desk, access),
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,  # a client can write any address into such a header
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
    """A server that calls `ready` once it has started."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()
