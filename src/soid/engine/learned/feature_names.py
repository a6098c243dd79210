"""Names that questions can use, made from those of a model's features and labels.

Letters of every script are letters, as in the language of questions. What else is in a name becomes an underscore, and
so do characters that are not seen, or that look like others: two names that cannot be told apart would make an answer
about one of them read as one about the other.

>>> identifiers(["capital-gain (EUR)", "b b", "b_b", "2nd", "größe", "收入"], {"_2nd"})
['capital_gain_EUR', 'b_b_2', 'b_b', '_2nd_2', 'größe', '收入']
>>> identifiers(["income", "in\u0441ome", "\u0440\u0430\u0443", "pay"])  # some of these letters are Cyrillic
['income', 'in_ome', 'x', 'pay']
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from typing import Final

from soid.program.types import EnumType
from soid.visible_text import visible

#: a category that is missing, and one that training has not seen, unless a label of the model is called so
MISSING_LABEL: Final = "MISSING"
UNSEEN_LABEL: Final = "OTHER"

_NO_WORD: Final = re.compile(r"\W+")
_NO_ASCII_WORD: Final = re.compile(r"\W+", re.ASCII)
#: scripts with letters that look like Latin ones
_SIMILAR: Final = frozenset(("GREEK", "CYRILLIC", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU"))
_LOOKALIKES: Final = str.maketrans(
    "абеорсухіјѕһԁԛԝѵӏАВЕКМНОРСТУХІЈЅοναιρυΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",  # noqa: RUF001 that is what they are for
    "a6eopcyxijshdqwvlABEKMHOPCTYXIJSovaipuABEZHIKMNOPTYX",
)


def identifiers(names: Sequence[str], taken: Collection[str] = ()) -> list[str]:
    """Names as near to the given ones as possible: what is one already is kept."""
    plain = _told_apart(names, taken)
    kept = {name for name, path in zip(names, plain, strict=True) if path == name and name not in taken}
    used, found = {*taken, *kept}, list[str]()
    for name, path in zip(names, plain, strict=True):
        made, number = path, 1
        while made in used and name not in kept:
            number += 1
            made = f"{path}_{number}"
        kept.discard(name)
        used.add(made)
        found.append(made)
    return found


def _told_apart(names: Sequence[str], taken: Collection[str]) -> list[str]:
    """What each name is by itself; of two that look alike, one has only its letters of ASCII."""
    found = [_identifier(name) for name in names]
    alike: dict[str, set[str]] = {}
    for path in (*found, *taken):
        alike.setdefault(path.translate(_LOOKALIKES), set()).add(path)
    return [
        path if path.isascii() or len(alike[path.translate(_LOOKALIKES)]) == 1 else _in_ascii(name)
        for name, path in zip(names, found, strict=True)
    ]


def _identifier(name: str) -> str:
    if name.isascii():
        return _in_ascii(name)
    text = unicodedata.normalize("NFC", name)
    if _mixes_scripts(text):
        return _in_ascii(text)
    return _joined(_NO_WORD, "".join(letter if _is_plain(letter) else " " for letter in text))


def _in_ascii(name: str) -> str:
    return _joined(_NO_ASCII_WORD, name)


def _joined(between: re.Pattern[str], name: str) -> str:
    path = between.sub("_", name).strip("_") or "x"
    return f"_{path}" if path[0].isdigit() else path


def _is_plain(letter: str) -> bool:
    """Whether a letter is seen, and is no other form of a Latin one, as in mathematics."""
    return letter.isascii() or (visible(letter) == letter and not unicodedata.normalize("NFKC", letter).isascii())


def _mixes_scripts(text: str) -> bool:
    scripts = {unicodedata.name(letter, "").partition(" ")[0] for letter in text if letter.isalpha()}
    return "LATIN" in scripts and bool(scripts & _SIMILAR)


def respelled(kind: EnumType) -> list[str]:
    """Labels that are other texts in the model's file, each with that text."""
    labels = {number: label for label, number in reversed(kind.labels)}
    spelt = [(labels[number], text) for text, number in kind.spellings if number in labels]
    found = [
        f"{label} is {text!r}"
        for label, text in spelt
        if label not in (text, f"_{text}") and label.startswith((_identifier(text), _in_ascii(text)))
    ]
    unseen = UNSEEN_LABEL if kind.other is None else labels[kind.other]
    return [*found, *([f"{unseen} is one that training has not seen"] if unseen != UNSEEN_LABEL else [])]
