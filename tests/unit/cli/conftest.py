"""What these tests show, they show as commands do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from soid.surface import Surface, using


@pytest.fixture(autouse=True)
def _as_commands() -> Iterator[None]:
    with using(Surface.COMMAND):
        yield
