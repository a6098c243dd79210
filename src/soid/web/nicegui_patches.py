"""Changes to NiceGUI: scripts carry a nonce, signatures are remembered, and a page hears only its own user.

Without nonces, its pages would need a policy that lets any script run. All pages come from one template with scripts in
it. The nonce of the answer goes into the template's text before any value does, so a value never carries a nonce.

Looking up signatures takes a third of the time that a page takes to make. For three collections of every element,
NiceGUI inspects the signature of the method that is told of changes, to see whether it takes an argument. The result
depends on the function alone, not on the element, and there are few such functions.

A message names the page that it is for, by a secret id. NiceGUI takes it from any socket. The page does
what its user may do, so a message of another user's socket is dropped, whatever it names. So is one without the form
that NiceGUI expects, which would fill the server's log with its errors; and no browser writes into that log.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import cache
from types import MethodType
from typing import Any, Final, final

from jinja2 import BaseLoader, Environment
from nicegui import client, core, helpers

_SCRIPT: Final = "<script"
_WITH_NONCE: Final = '<script nonce="{{ request.state.nonce }}"'

#: what a page is told by its browser
_MESSAGES: Final = ("event", "javascript_response", "ack")
#: what NiceGUI raises on a message without the form that it expects; errors of what an event does are told elsewhere
_ILL_FORMED: Final = (AttributeError, KeyError, TypeError, ValueError)

_inspect = helpers.expects_arguments
_accept = client.Client.accept_handshake


def patch_nicegui() -> None:
    """Apply the changes; a second call changes nothing."""
    helpers.expects_arguments = _remembered
    if client.Client.accept_handshake is not _accept_of_user:
        client.Client.accept_handshake = _accept_of_user  # type: ignore[method-assign, assignment]
        for name in _MESSAGES:
            core.sio.on(name, _of_user(core.sio.handlers["/"][name]))
        core.sio.on("handshake", _well_formed(core.sio.handlers["/"]["handshake"]))
        core.sio.on("log", lambda _, __: None)
    environment = client.templates.env
    if not isinstance(environment.loader, _NonceLoader):
        assert environment.loader is not None
        environment.loader = _NonceLoader(environment.loader)
        if environment.cache is not None:
            environment.cache.clear()


@final
class _NonceLoader(BaseLoader):
    """The templates of another loader; their scripts carry the nonce that `soid.web.security` makes for the answer."""

    def __init__(self, inner: BaseLoader) -> None:
        self._inner = inner

    def get_source(self, environment: Environment, template: str) -> tuple[str, str | None, Callable[[], bool] | None]:
        source, name, fresh = self._inner.get_source(environment, template)
        return source.replace(_SCRIPT, _WITH_NONCE), name, fresh


def _remembered(func: Callable[..., Any]) -> bool:
    return _of_method(func.__func__) if isinstance(func, MethodType) else _inspect(func)


@cache
def _of_method(function: Callable[..., Any]) -> bool:
    """Whether a method of this function expects an argument; the object that it is bound to does not matter."""
    return _inspect(MethodType(function, object()))


def _accept_of_user(page: client.Client, socket: str, tab: str, environ: dict[str, Any] | None) -> bool:
    return _has_user(page, environ) and _accept(page, socket, tab, environ)


def _of_user(handler: Callable[[str, dict[str, Any]], None]) -> Callable[[str, dict[str, Any]], None]:
    """A handler of messages that drops those of other users' sockets."""

    def heard(socket: str, message: dict[str, Any]) -> None:
        with suppress(*_ILL_FORMED):  # such a message is dropped
            page = client.Client.instances.get(message["client_id"])
            if page is not None and _has_user(page, core.sio.get_environ(socket)):
                handler(socket, message)

    return heard


def _well_formed(handler: Callable[[str, dict[str, Any]], Awaitable[bool]]) -> Callable[..., Awaitable[bool]]:
    async def heard(socket: str, message: dict[str, Any]) -> bool:
        with suppress(*_ILL_FORMED):  # such a message is refused
            return await handler(socket, message)
        return False

    return heard


def _has_user(page: client.Client, environ: dict[str, Any] | None) -> bool:
    """Whether the socket is of the page's user; `soid.web.security` has put the user into both requests."""
    return environ is not None and environ["asgi.scope"]["state"]["user"] == page.request.state.user
