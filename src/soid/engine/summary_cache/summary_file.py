"""A kept summary as a file: three lines, of which the first is the hash of the others.

    sha256 of all that follows
    {"key": ..., "fixed": {"x": "0x3"}}       what it is kept under, and which inputs had one value
    {"rows": ..., "paths": ...}               its terms, and its paths by their numbers

A file that is damaged, has another key, or has terms that soid cannot have made, is ignored.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import convert, to_builtins

from soid.assumptions import Assumption
from soid.cache import sealed, unsealed
from soid.engine.summary import Ending, OutputValue, Path, PathSummary
from soid.engine.summary_cache.subsumption import KeptSummary
from soid.formula.sorts import BOOL
from soid.formula.term import Term
from soid.formula.term_rows import from_rows, to_rows


def to_bytes(key: str, kept: KeptSummary) -> bytes:
    rows, numbers = to_rows(kept.terms)
    number = iter(numbers)
    body: dict[str, Any] = {"rows": rows, "precondition": next(number)}
    body["paths"] = [
        {
            "name": path.name,
            "condition": next(number),
            "ending": to_builtins(path.ending),
            "steps": [
                {name: [next(number) for _ in output.terms] for name, output in step.items()}
                for step in (*path.earlier, path.outputs)
            ],
        }
        for path in kept.summary.paths
    ]
    body["relies_on"] = to_builtins(kept.summary.relies_on)
    head = {"key": key, "fixed": {path: hex(bits) for path, bits in kept.fixed.items()}}
    content = b"\n".join(json.dumps(part, separators=(",", ":")).encode() for part in (head, body))
    return sealed(content)


def fixed_in(start: bytes, key: str) -> dict[str, int] | None:
    """Which inputs had one value, from the first two lines of a file; None where it is of another key, or broken.

    The hash is not checked here: this only tells which files are worth reading.
    """
    try:
        head = json.loads(start.split(b"\n", 2)[1])
        return {path: int(bits, 16) for path, bits in head["fixed"].items()} if head["key"] == key else None
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        return None


def from_bytes(content: bytes, key: str, symbols: Mapping[str, Term]) -> KeptSummary | None:
    """The summary of a file, checked; None if it is not valid. `symbols` are those of all inputs."""
    try:
        whole = unsealed(content)
        fixed = fixed_in(content, key) if whole is not None else None
        if whole is None or fixed is None:
            return None
        body = json.loads(whole.split(b"\n", 1)[1])
        terms = from_rows(body["rows"])
        free = {symbol for path, symbol in symbols.items() if path not in fixed}
        if any(term.is_var and term not in free for term in terms):
            return None
        paths = tuple(_path(each, terms) for each in body["paths"])
        relies_on = convert(body["relies_on"], tuple[Assumption, ...])
        return KeptSummary(fixed, _truth(terms[body["precondition"]]), PathSummary(paths, relies_on))
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        return None


def _path(kept: Mapping[str, Any], terms: Sequence[Term]) -> Path:
    *earlier, outputs = (
        {
            name: OutputValue(terms[term], _truth(terms[defined]), _truth(terms[kept]))
            for name, (term, defined, kept) in step.items()
        }
        for step in kept["steps"]
    )
    ending: Ending = convert(kept["ending"], Ending)
    return Path(kept["name"], _truth(terms[kept["condition"]]), ending, outputs, tuple(earlier))


def _truth(term: Term) -> Term:
    if term.sort != BOOL:
        raise ValueError("a condition is true or false")
    return term
