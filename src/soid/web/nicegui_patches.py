"""Two changes to NiceGUI: its scripts carry a nonce, and it remembers the signatures that it looks up.

Without nonces, its pages would need a policy that lets any script run. All pages come from one template with scripts in
it. The nonce of the answer goes into the template's text before any value does, so a value never carries a nonce.

Looking up signatures takes a third of the time that a page takes to make. For three collections of every element,
NiceGUI inspects the signature of the method that is told of changes, to see whether it takes an argument. The result
depends on the function alone, not on the element, and there are few such functions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import MethodType
from typing import Any, Final, final

from jinja2 import BaseLoader, Environment
from nicegui import client, helpers

_SCRIPT: Final = "<script"
_WITH_NONCE: Final = '<script nonce="{{ request.state.nonce }}"'

_inspect = helpers.expects_arguments


def patch_nicegui() -> None:
    """Apply both changes; a second call changes nothing."""
    helpers.expects_arguments = _remembered
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
