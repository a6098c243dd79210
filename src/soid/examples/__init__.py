"""Examples that come with soid: each a folder with a `soid.toml`, a program, a log and questions.

>>> sorted(file.name for file in folder("microwave").iterdir() if file.suffix == ".toml")
['soid.toml']
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from soid.errors import InputError

#: the examples that there are
NAMES: Final = ("microwave",)


def folder(name: str) -> Path:
    """Where an example is."""
    if name not in NAMES:
        raise InputError(f"there is no example {name}", f"The examples are: {', '.join(NAMES)}.")
    return Path(__file__).parent / name
