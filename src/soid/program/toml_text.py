"""Values as text in TOML, for manifests that soid writes itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from soid.errors import ManifestError


def key_text(key: str) -> str:
    """A key, in quotes unless it is a plain word.

    >>> key_text("speed"), key_text("s.speed")
    ('speed', '"s.speed"')
    """
    return key if key.isascii() and key.isidentifier() else _text(key)


def value_text(value: Any) -> str:
    r"""A value in TOML, on one line.

    >>> value_text({"a b": [1, -0.0, True, 'say "hi"\n']})
    '{ "a b" = [1, -0.0, true, "say \\"hi\\"\\u000a"] }'
    """
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case str():
            return _text(value)
        case Mapping():
            inner = ", ".join(f"{key_text(key)} = {value_text(item)}" for key, item in value.items())
            return f"{{ {inner} }}" if inner else "{}"
        case Sequence():
            return "[" + ", ".join(map(value_text, value)) + "]"
        case _:
            raise ManifestError(f"{type(value).__name__} is no value that can be written", "Leave it out.")


def _text(text: str) -> str:
    """A text in quotes; escapes keep any character from ending the quotes or the line."""
    if any("\ud800" <= sign <= "\udfff" for sign in text):
        raise ManifestError(f"{ascii(text)[:80]} holds half a character", "Write it anew.")
    plain = (f"\\u{ord(sign):04x}" if sign < " " or "\x7f" <= sign <= "\x9f" else sign for sign in text)
    return '"' + "".join("\\" + sign if sign in ('"', "\\") else sign for sign in plain) + '"'
