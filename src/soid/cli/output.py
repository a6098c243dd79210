"""What commands write besides words for people: JSON for scripts, and files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from soid.documents import json_of
from soid.errors import InputError


def print_json(document: Struct | Mapping[str, object], **added: object) -> None:
    """One object on one line of standard output, at once: the reader may wait for it."""
    print(json.dumps(json_of(document) | added, ensure_ascii=False), flush=True)


def write_file(file: Path, text: str, *, error: type[InputError] = InputError) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as cause:
        raise error(f"{file} cannot be written: {cause.strerror or cause}", "Name another file.") from cause
