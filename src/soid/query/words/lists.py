"""Several things in one phrase, and how many there are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

_PREPOSITION: Final = re.compile(r" (?:of|in|on|at|for|from|to|by|with|before|after|per|above|below) ")


def whatever(names: Sequence[str]) -> str:
    """
    >>> whatever(["x"]), whatever(["x", "y"]), whatever(["the ticks"])
    ('whatever x was', 'whatever x and y were', 'whatever the ticks were')
    """
    return f"whatever {listed(names)} {'were' if are_several(names) else 'was'}"


def are_several(names: Sequence[str]) -> bool:
    """Whether a verb agrees with several things: with two names, or with one of several."""
    return len(names) > 1 or is_plural(names[0])


def listed(texts: Iterable[str], word: str = "and") -> str:
    """
    >>> listed(["a", "b", "c"]), listed(["a", "b"], "or")
    ('a, b and c', 'a or b')
    """
    items = list(texts)
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {word} {items[-1]}"


def counted(count: int, word: str, several: str = "") -> str:
    """
    >>> counted(1, "fact"), counted(0, "fact"), counted(2, "entry", "entries")
    ('1 fact', 'no facts', '2 entries')
    """
    return f"{count or 'no'} {word if count == 1 else several or word + 's'}"


def is_plural(name: str) -> bool:
    """Whether a variable's name in words is of several things, by its first noun.

    >>> [is_plural(each) for each in ("the satellites in use", "the count of low voltages", "the gps", "the age")]
    [True, False, False, False]
    """
    noun = _PREPOSITION.split(name, maxsplit=1)[0].rpartition(" ")[2]
    return singular(noun) != noun


def singular(words: str) -> str:
    """One of several things.

    >>> [singular(each) for each in ("agents", "batteries", "boxes", "gps", "status", "pass", "lane")]
    ['agent', 'battery', 'box', 'gps', 'status', 'pass', 'lane']
    """
    if words.endswith("ies") and len(words) > 4:
        return f"{words[:-3]}y"
    if words.endswith(("ches", "shes", "xes", "sses")):
        return words[:-2]
    plural = words.endswith("s") and not words.endswith(("ss", "us", "is")) and re.search("[aeiouy]", words[:-1])
    return words[:-1] if plural else words
