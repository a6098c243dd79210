"""Several things in one phrase, and how many there are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def whatever(names: Sequence[str]) -> str:
    """
    >>> whatever(["x"]), whatever(["x", "y"])
    ('whatever x was', 'whatever x and y were')
    """
    return f"whatever {listed(names)} {'was' if len(names) == 1 else 'were'}"


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
