"""Every error that soid raises on purpose has a status of the API."""

from __future__ import annotations

from collections.abc import Iterator

from soid.errors import SoidError
from soid.web.api.error_responses import _STATUS


def kinds(of: type[SoidError]) -> Iterator[type[SoidError]]:
    for kind in of.__subclasses__():
        yield kind
        yield from kinds(kind)


def test_every_error_has_a_status():
    assert [kind for kind in kinds(SoidError) if not issubclass(kind, tuple(known for known, _ in _STATUS))] == []
