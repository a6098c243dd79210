"""Inputs in words: those of later steps are told by their variable and its steps, never as `pilot@225..`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Final

NO_STEPS: Final[Mapping[str, str]] = MappingProxyType({})  # the marks alone say them


def called(path: str, steps: Mapping[str, str] = NO_STEPS, name: Callable[[str], str] = str) -> str:
    """An input in words; `steps` has the steps of each in words, `name` the words for a variable.

    >>> called("pilot@225.."), called("pilot"), called("pilot", {"pilot": "at step 220"})
    ('pilot from step 225 on', 'pilot', 'pilot at step 220')
    """
    variable, _, mark = path.partition("@")
    return f"{name(variable)} {steps.get(path) or (mark_told(mark) if mark else '')}".rstrip()


def all_called(
    paths: Iterable[str], steps: Mapping[str, str] = NO_STEPS, name: Callable[[str], str] = str
) -> list[str]:
    """Several inputs in words; those of one variable in more than two steps in a row are one.

    >>> each = ["gps", "pilot", "gps@4", "pilot@4", "gps@5", "gps@6"]
    >>> all_called(each)
    ['gps', 'gps at steps 4 to 6', 'pilot', 'pilot at step 4']
    """
    by_variable: dict[str, list[str]] = {}
    for path in paths:
        by_variable.setdefault(path.partition("@")[0], []).append(path)
    found = []
    for variable, its in by_variable.items():
        for run in _runs(its):
            first, last = (each.partition("@")[2] for each in (run[0], run[-1]))
            together = [f"{name(variable)} at steps {first} to {last}"]
            found += together if len(run) > 2 else [called(path, steps, name) for path in run]
    return found


def mark_told(mark: str) -> str:
    """The steps of an input's mark in words, without its sign.

    >>> mark_told("231"), mark_told("230.."), mark_told("230..239")
    ('at step 231', 'from step 230 on', 'from step 230 to step 239')
    """
    first, dots, last = mark.partition("..")
    return f"from step {first} to step {last}" if last else f"from step {first} on" if dots else f"at step {first}"


def is_marked(mark: str, step: int) -> bool:
    """Whether a step is one of those of an input's mark.

    >>> is_marked("231", 231), is_marked("230..", 240), is_marked("230..239", 240)
    (True, True, False)
    """
    first, dots, last = mark.partition("..")
    return int(first) <= step and (step <= int(last) if last else bool(dots) or step == int(first))


def _runs(paths: Iterable[str]) -> list[list[str]]:
    """Paths, those of one variable in steps in a row together."""
    groups: list[list[str]] = []
    for path in paths:
        base, _, step = path.partition("@")
        if groups and step.isdecimal() and groups[-1][-1] == f"{base}@{int(step) - 1}":
            groups[-1].append(path)
        else:
            groups.append([path])
    return groups
