"""Changes of single characters, told as the change of the text that a question speaks of.

c.degree[0]  80 -> 77,  c.degree[1]  104 -> 83,  c.degree[2]  68 -> 99        becomes        c.degree  "PhD" -> "MSc"
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from soid.program.interface import Interface, Variable
from soid.program.types import EnumType
from soid.query.query import Query
from soid.scenario.character_arrays import text_length
from soid.scenario.expression import Characters, walk
from soid.scenario.expression_text import label_text
from soid.witness.witness import Change


def with_texts(
    changes: Sequence[Change], query: Query, interface: Interface, scenario: Mapping[str, int]
) -> tuple[Change, ...]:
    """The changes, where those of an array that the query compares with texts are one; `scenario` has all inputs."""
    told = tuple(changes)
    for array in dict.fromkeys(_arrays(query)):
        told = _told(told, array, interface, scenario)
    return told


def _arrays(query: Query) -> Iterator[str]:
    for part in (query.behavior, *query.suppositions):
        yield from (node.array.path for node in walk(part) if isinstance(node, Characters))


def _told(
    changes: tuple[Change, ...], array: str, interface: Interface, scenario: Mapping[str, int]
) -> tuple[Change, ...]:
    elements = [f"{array}[{index}]" for index in range(text_length(array, interface))]
    changed = {each.variable.path: each for each in changes}
    after = _text(scenario.get(path) for path in elements)
    before = _text(changed[path].before if path in changed else scenario.get(path) for path in elements)
    if after is None or before is None or after == before:
        return changes
    inside = set(elements[: max(len(after), len(before)) + 1])
    single = [each for each in changes if each.variable.path in inside]
    if any(not each.is_known or each.is_later for each in single):
        return changes
    labels = tuple((_shown(text), number) for number, text in enumerate((before, after)))
    role = single[0].variable.role
    whole = Change(Variable(array, role, EnumType("", 8, False, labels)), 0, 1, single[0].origin)
    at = changes.index(single[0])
    return tuple(
        whole if number == at else each
        for number, each in enumerate(changes)
        if number == at or each.variable.path not in inside
    )


def _shown(text: bytes) -> str:
    try:
        return label_text(text.decode())
    except UnicodeDecodeError:
        return f'"{text.decode(errors="backslashreplace")}"'


def _text(characters: Iterator[int | None]) -> bytes | None:
    """The characters up to the first zero; None if one of them is not known."""
    found = bytearray()
    for each in characters:
        if not each:
            return None if each is None else bytes(found)
        found.append(each & 0xFF)
    return bytes(found)
