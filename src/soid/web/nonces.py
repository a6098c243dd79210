"""Nonces for NiceGUI's own scripts: without them its pages would need a policy that lets any script run.

NiceGUI's pages come of one template with scripts in it. The nonce of the answer goes into the template's text, before
any value is put in, so whatever gets into a page as a value has none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, final

from jinja2 import BaseLoader, Environment
from nicegui import client

_SCRIPT: Final = "<script"
_WITH_NONCE: Final = '<script nonce="{{ request.state.nonce }}"'


def use_nonces() -> None:
    """Have NiceGUI's templates carry the nonce that `soid.web.security` has made for the answer."""
    environment = client.templates.env
    if not isinstance(environment.loader, _Loader):
        assert environment.loader is not None
        environment.loader = _Loader(environment.loader)
        if environment.cache is not None:
            environment.cache.clear()


@final
class _Loader(BaseLoader):
    """Another loader's templates, their scripts with a nonce."""

    def __init__(self, inner: BaseLoader) -> None:
        self._inner = inner

    def get_source(self, environment: Environment, template: str) -> tuple[str, str | None, Callable[[], bool] | None]:
        source, name, fresh = self._inner.get_source(environment, template)
        return source.replace(_SCRIPT, _WITH_NONCE), name, fresh
