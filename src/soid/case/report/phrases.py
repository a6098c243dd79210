"""Common phrases of the report: times, moments, variables and their values with units."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from soid.case.record.entry import Entry
from soid.case.report.markup import Html, code, element, together
from soid.program.interface import Interface, Variable
from soid.program.types import show
from soid.query.query import Query
from soid.scenario.expression import FactOf, Name, walk
from soid.scenario.supposition import mentioned
from soid.scenario.trace import Keyframe

_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def moment_in_time(when: str) -> str:
    """
    >>> moment_in_time("2030-01-02T03:04:05.678Z")
    '2 January 2030, 03:04:05 UTC'
    """
    date, _, time = when.partition("T")
    year, month, day = date.split("-")
    return f"{int(day)} {_MONTHS[int(month) - 1]} {year}, {time.partition('.')[0]} UTC"


def moment_of(entry: Entry) -> str:
    """Which moment an entry is about: "step 3, called the error"."""
    return moment_called(entry.step, entry.payload.get("keyframe"))


def moment_called(step: int | None, name: str | None) -> str:
    return f"step {step}, called “{name}”" if name else f"step {step}"


def counted(count: int, word: str, several: str = "") -> str:
    """
    >>> counted(1, "fact"), counted(0, "fact"), counted(2, "entry", "entries")
    ('1 fact', 'no facts', '2 entries')
    """
    return f"{count or 'no'} {word if count == 1 else several or word + 's'}"


def sentence_of(text: str) -> str:
    """A remark as a sentence.

    >>> sentence_of("on the logged inputs it does")
    'On the logged inputs it does.'
    """
    text = text.strip()
    return text and text[0].upper() + text[1:] + ("" if text[-1] in ".?!:" else ".")


# --- variables ------------------------------------------------------------------------------------------------


def amount(variable: Variable, bits: int) -> str:
    """A value as the program has it, with its unit on the same line."""
    return f"{show(variable.type, bits)}\N{NO-BREAK SPACE}{variable.unit}".rstrip()


def known_amount(name: str, values: Mapping[str, int], interface: Interface) -> str:
    return amount(_variable(name, interface), values[name]) if name in values else "not logged"


def fact_amount(name: str, fact: Mapping[str, int], keyframe: Keyframe) -> str:
    """The program's output in fact; a remark says if it is computed instead of logged."""
    text = known_amount(name, fact, keyframe.interface)
    if name not in fact or fact[name] == keyframe.decisions.get(name):
        return text
    logged = known_amount(name, keyframe.decisions, keyframe.interface)
    return f"{text} ({f'logged as {logged}' if name in keyframe.decisions else computed_from(keyframe)})"


def computed_from(keyframe: Keyframe) -> str:
    """The remark on an outcome that is not logged. From a rounded log, the real outcome may be another."""
    return f"not logged; as computed from the {'rounded ' if keyframe.rounded else ''}log"


def called(variable: Variable, *, after: bool = False) -> Html:
    """A variable's label and its name in the program; `after`: its value after the decision."""
    words = f"{variable.label}, after the decision" if after and variable.label else variable.label
    name = code(f"{variable.path}'" if after else variable.path)
    return together(element("span", words, class_="label"), " ", name) if words else name


def output_called(name: str, interface: Interface) -> Html:
    return called(_variable(name, interface), after=name.endswith("'"))


def _variable(name: str, interface: Interface) -> Variable:
    return interface.variable(name.removesuffix("'"))


def meanings(queries: Iterable[Query], interface: Interface) -> Html:
    """The meaning of the names in questions that have a label or a unit: "Here speed is the car's speed, in m/s."."""
    named = {path for query in queries for path in _named(query, interface)}
    explained = [each for each in interface if each.path in named and (each.label or each.unit)]
    parts = [
        together("; " if place else "Here ", code(each.path), f" is {_is(each)}")
        for place, each in enumerate(explained)
    ]
    return together(*parts, "." if parts else "")


def _is(variable: Variable) -> str:
    unit = f"in {variable.unit}" if variable.unit else ""
    return ", ".join(part for part in (variable.label, unit) if part)


def _named(query: Query, interface: Interface) -> Iterator[str]:
    for node in walk(query.behavior.expression):
        if isinstance(node, Name | FactOf) and node.path in interface:
            yield interface.variable(node.path).path
    for supposition in query.suppositions:
        yield from (variable.path for variable in mentioned(interface, supposition))


def precision(variable: Variable, keyframe: Keyframe) -> str:
    """A remark on the precision of a logged value."""
    if variable.path in keyframe.rounded and variable.decimals is not None:
        return f"logged to {counted(variable.decimals, 'decimal')}"
    if variable.path in keyframe.assumed:
        return "not logged: the value that it starts with"
    return ""
