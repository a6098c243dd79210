"""docs/json.md, read: its tables of fields, and whether JSON is as a table says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

PAGE: Final = (Path(__file__).parents[1] / "docs" / "json.md").read_text(encoding="utf-8")


class Table(NamedTuple):
    """The table of fields below a heading."""

    fields: dict[str, str]  # their types, in the page's words
    named: set[str]  # everything between backquotes in the section


def _table(section: str) -> Table:
    rows = section.partition("| field | type |")[2].partition("\n\n")[0].splitlines()[2:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    fields = {name: kind for names, kind, *_ in cells for name in re.findall(r"`(\w+)`", names)}
    return Table(fields, set(re.findall(r"`(\w+)`", section)))


#: by their headings
TABLES: Final = {
    heading: _table(section)
    for heading, section in re.findall(r"^##+ (.*)\n((?:(?!#).*\n?)*)", PAGE, re.M)
    if "| field | type |" in section
}

_KINDS: Final[dict[str, tuple[type, ...]]] = {
    "text": (str,),
    "number": (int, float),
    "bool": (bool,),
    "object": (dict,),
    "value": (str, int, float, bool),
    "pair": (list,),
    "boxe": (list,),  # of boxes
}


def fits(value: Any, words: str) -> bool:
    """Whether a JSON value has a type, in the page's words.

    >>> fits(None, "text or null"), fits(True, "number"), fits([{}], "list of objects"), fits([1], "list of texts")
    (True, False, True, False)
    """
    if words.endswith(" or null"):
        return value is None or fits(value, words.removesuffix(" or null"))
    if words.startswith("list of "):
        return isinstance(value, list) and all(fits(each, words.removeprefix("list of ")[:-1]) for each in value)
    return isinstance(value, _KINDS[words]) and (words in ("bool", "value") or not isinstance(value, bool))


def misfits(said: Mapping[str, Any], heading: str) -> dict[str, Any]:
    """The fields of a JSON object that are not as the table says: missing, not listed, or of another type."""
    fields = TABLES[heading].fields
    absent = dict.fromkeys(fields.keys() ^ said.keys())
    return absent | {name: said[name] for name in fields.keys() & said.keys() if not fits(said[name], fields[name])}
