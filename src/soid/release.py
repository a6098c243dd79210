"""Which soid this is."""

from __future__ import annotations

from functools import cache
from importlib import metadata


@cache
def version() -> str:
    try:
        return metadata.version("soid")
    except metadata.PackageNotFoundError:  # run from a checkout that is not installed
        return "unknown"
