"""What commands write besides words for people: JSON for scripts, and files."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from soid.cache import write_atomically
from soid.documents import json_of
from soid.errors import InputError


def print_json(document: Struct | Mapping[str, object], **added: object) -> None:
    """One object on one line of standard output, at once: the reader may wait for it."""
    print(json.dumps(json_of(document) | added, ensure_ascii=False), flush=True)


def write_file(file: Path, text: str, *, error: type[InputError] = InputError) -> None:
    """Write a file, as a whole if it is an ordinary one that may be replaced, and not a link or /dev/stdout."""
    try:
        new, replaceable = not file.exists(), file.is_file() and not file.is_symlink() and os.access(file, os.W_OK)
        if (new or replaceable) and os.access(file.parent, os.W_OK):
            write_atomically(file, text.encode(), None if new else file.stat().st_mode)
        else:
            file.write_text(text, encoding="utf-8")
    except OSError as cause:
        raise error(f"{file} cannot be written: {cause.strerror or cause}", "Name another file.") from cause
