"""Of many inputs those that matter, and the groups in which the others are folded: by the struct that they are part of.

An input matters here if something is supposed of it, if the answer that is shown supposes it, changes it or was
explained by it, or if a question of the project is about it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, final

from msgspec import Struct

from soid.case.known_flips import flips_of
from soid.errors import SoidError
from soid.oracle.answer import Answer
from soid.program.interface import Interface, Role, Variable
from soid.query.language.query_parser import parse
from soid.query.words import called
from soid.query.words.variable_names import named
from soid.scenario.supposition import Supposition, mentioned

#: so many inputs are shown as they are
FEW: Final = 24


@final
class VariableGroup(Struct, frozen=True):
    """Inputs that are part of the same struct."""

    title: str
    path: str  # of the struct; empty for those that are part of none
    variables: tuple[Variable, ...]


def groups(variables: Sequence[Variable]) -> tuple[VariableGroup, ...]:
    """Inputs by the struct that they are part of, and by role; two groups of the same name have their paths."""
    found: dict[tuple[str, str], list[Variable]] = {}
    for variable in variables:
        what = "perceived" if variable.role is Role.ENVIRONMENT else "remembered"
        found.setdefault((variable.path.rpartition(".")[0], what), []).append(variable)
    titles = [_title(path, what) for path, what in found]
    return tuple(
        VariableGroup(title if titles.count(title) == 1 else f"{path} · {what}", path, tuple(members))
        for title, ((path, what), members) in zip(titles, found.items(), strict=True)
    )


def _title(path: str, what: str) -> str:
    return f"{named(path) if path else 'by itself'} · {what}"


def matching(interface: Interface, search: str) -> list[Variable]:
    """The inputs in whose path or name each word of a search occurs."""
    wanted = search.lower().split()

    def said(variable: Variable) -> str:
        return f"{variable.path} {variable.label} {called(variable.path, interface)}".lower()

    return [each for each in interface.inputs if all(word in said(each) for word in wanted)]


def mattering(
    interface: Interface,
    supposed: Iterable[Supposition],
    answer: Answer | None = None,
    explanation: Mapping[str, Any] | None = None,
    listed: Iterable[str] = (),
) -> list[Variable]:
    """The inputs that matter, in the interface's order; `listed` has the questions of the project."""
    found = _of(interface, supposed)
    if answer is not None:
        found |= _of(interface, answer.query.suppositions)
        found |= {change.variable.path for change in (answer.witness.changed if answer.witness is not None else ())}
    if explanation is not None:
        found |= flips_of(explanation, interface).keys()
    for text in listed:
        with suppress(SoidError):  # a question of the project that is wrong is told when it is asked
            found |= _of(interface, parse(text, interface).suppositions)
    return [each for each in interface.inputs if each.path in found]


def _of(interface: Interface, suppositions: Iterable[Supposition]) -> set[str]:
    found: set[str] = set()
    for each in suppositions:
        with suppress(SoidError):  # of a pair, or of later steps
            found |= {variable.path for variable in mentioned(interface, each)}
    return found
