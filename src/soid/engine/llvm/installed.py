"""Which version of a package is installed, found quickly: asking Python takes longer than reading a whole program."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path


def installed_version(package: str) -> str:
    """The version, by the name of the folder beside the package that pip keeps its notes in."""
    spec = find_spec(package)
    places = (spec.submodule_search_locations or ()) if spec is not None else ()
    found = [path for place in places for path in Path(place).parent.glob(f"{package}-*.dist-info")]
    if len(found) == 1:
        return found[0].name.removeprefix(f"{package}-").removesuffix(".dist-info")
    from importlib.metadata import version  # who installed it did it otherwise

    return version(package)
