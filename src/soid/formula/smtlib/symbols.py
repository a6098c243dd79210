"""Names as SMT-LIB symbols, and back.

A variable is a path of the program (`world.agents[1].pos_x`, `started'`), which SMT-LIB writes between bars. What
no bars can help is percent-encoded behind a prefix of its own: names with a bar or a backslash, names outside
printable ASCII, and names that some solver has already taken for itself.

>>> symbol("speed"), symbol("agents[1].x"), symbol("a|b"), symbol("and")
('speed', '|agents[1].x|', 'soid.name.a%7Cb', 'soid.name.and')
>>> name("soid.name.a%7Cb")
'a|b'
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote, unquote_to_bytes

from soid.formula.smtlib.reserved_words import is_taken

#: what the printer's own definitions begin with; no variable's symbol does, except behind ESCAPED
OWN: Final = "soid."
ESCAPED: Final = "soid.name."

_SIMPLE: Final = re.compile(r"[A-Za-z~!$%^&*_+=<>?/-][A-Za-z0-9~!@$%^&*_+=<>.?/-]*", re.ASCII)
_BARRED: Final = re.compile(r"[ -~]+", re.ASCII)
_SAFE: Final = "".join(chr(c) for c in range(32, 127) if chr(c) not in "|\\%")
_ENCODED: Final = re.compile(r"(?:[ -$&-\[\]-{}~]|%[0-9A-F]{2})*", re.ASCII)


def symbol(variable: str) -> str:
    """The symbol that stands for a variable's name."""
    plain = variable
    if _needs_escape(variable):
        plain = ESCAPED + quote(variable, safe=_SAFE, errors="surrogatepass")
    return plain if _SIMPLE.fullmatch(plain) else f"|{plain}|"


def name(text: str) -> str:
    """The name that a symbol (without its bars) stands for; what `symbol` never wrote is its own name."""
    if not text.startswith(ESCAPED) or not _ENCODED.fullmatch(text, len(ESCAPED)):
        return text
    try:
        decoded = unquote_to_bytes(text[len(ESCAPED) :]).decode("utf-8", errors="surrogatepass")
    except UnicodeDecodeError:
        return text
    # Only the one spelling that `symbol` writes is decoded, so that two symbols never become one name.
    return decoded if symbol(decoded).strip("|") == text else text


def _needs_escape(variable: str) -> bool:
    return (
        not _BARRED.fullmatch(variable)
        or "|" in variable
        or "\\" in variable
        or variable.startswith((OWN, "@", "."))
        or is_taken(variable)
    )
