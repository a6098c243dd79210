"""Common phrases and signs: times, moments, variables and their values with units, verdicts."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from soid.assumptions import Assumption, Ledger
from soid.case.record.entry import Entry
from soid.case.report.markup import Html, code, element, listing, separated, together
from soid.oracle.answer import Answer, Verdict
from soid.program.domain import Range
from soid.program.interface import Interface, Variable
from soid.program.product_interface import is_failure
from soid.program.types import missing_value, show
from soid.query.query import Query
from soid.query.words import Words, counted
from soid.query.words.readable_numbers import ABOUT, Text, reader, with_unit
from soid.scenario import input_names
from soid.scenario.expression import FactOf, Name, walk
from soid.scenario.input_names import NO_STEPS
from soid.scenario.origin import Origin
from soid.scenario.supposition import mentioned
from soid.scenario.trace import Keyframe
from soid.witness.witness import outcome_text

_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


#: a time as entries have it
_WHEN: Final = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])-[0-9]{2}T")


def moment_in_time(when: str) -> str:
    """
    >>> moment_in_time("2030-01-02T03:04:05.678Z")
    '2 January 2030, 03:04:05 UTC'

    An entry of a stranger may have any text there.

    >>> moment_in_time("2030-99-99T..."), moment_in_time("soon")
    ('2030-99-99T...', 'soon')
    """
    if not _WHEN.match(when):
        return when
    date, _, time = when.partition("T")
    year, month, day = date.split("-")
    return f"{int(day)} {_MONTHS[int(month) - 1]} {year}, {time.partition('.')[0]} UTC"


def moment_of(entry: Entry) -> str:
    """Which moment an entry is about: "step 3, called the error"."""
    return moment_called(entry.step, entry.payload.get("keyframe"))


def moment_called(step: int | None, name: str | None) -> str:
    return f"step {step}, called “{name}”" if name else f"step {step}"


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
    if not variable.unit or bits == missing_value(variable.type):
        return show(variable.type, bits)
    return f"{show(variable.type, bits)}\N{NO-BREAK SPACE}{variable.measure}"


def in_both_ways(query: Query, variable: Variable, apart: Iterable[int]) -> tuple[Text, Text]:
    """The words for values of a variable in an answer: rounded for reading, and with all digits."""
    near, exact = reader(query, variable, apart), partial(amount, variable)

    def read(bits: int) -> str:
        told = near(bits)
        return told if told.startswith(ABOUT) else exact(bits)

    return read, exact


def fact_value(variable: Variable, keyframe: Keyframe) -> str:
    """An input's value at a moment, with its origin unless it was logged."""
    return keyframe.told(variable.path, amount(variable, keyframe.inputs[variable.path]))


def outcome_amount(name: str, outcome: Range, interface: Interface, done: int | None = None) -> str:
    """What an output is, with its unit on the same line, and what is done in its place."""
    variable = _variable(name, interface)
    return outcome_text(outcome, variable.type, partial(amount, variable), done)


def shown_outcomes(interface: Interface, *steps: Mapping[str, Range]) -> list[tuple[str, str]]:
    """The outputs that are shown, each with its program, those of one program together; last what a world has.

    The program is empty where there is one alone. That another than the first fails is shown only where it does.
    """
    names = dict.fromkeys(name for step in steps for name in step)
    failed = {name for step in steps for name, one in step.items() if one.high}
    shown = [name for name in names if name in failed or not is_failure(_variable(name, interface))]
    found = [(giver(name, interface), name) for name in shown]
    places = {program: place for place, program in enumerate(interface.programs)}
    return sorted(found, key=lambda each: places.get(each[0], len(places)))


def giver(name: str, interface: Interface) -> str:
    """The one of several programs whose output it is, or the world around them."""
    if interface.programs and (name in interface.left or name in interface.events):
        return "the world"
    return interface.program_of(name)


def stepped_outcomes(interface: Interface, steps: Sequence[Mapping[str, Range]]) -> list[str]:
    """The outputs that are shown step by step: of what a world leaves only what changes from one step to another."""
    names = [name for _, name in shown_outcomes(interface, *steps)]
    still = {name for name in names if len({step.get(name) for step in steps}) == 1}
    return [name for name in names if not (name in still and is_left_by_world(name, interface))]


def is_left_by_world(name: str, interface: Interface, asked: Container[str] = ()) -> bool:
    """Whether an output is the state of a world, which a picture shows better than a table, and is not asked about."""
    path = name.removesuffix("'")
    return name.endswith("'") and path in interface.produced and path not in asked


def world_besides(names: Iterable[str], interface: Interface, asked: Container[str]) -> str:
    """How many outputs are left out because the world leaves them, in words; empty if there are none."""
    count = sum(is_left_by_world(name, interface, asked) for name in names)
    return f"the world leaves {counted(count, 'further value')}" if count else ""


def logged_amount(name: str, keyframe: Keyframe, text: Text) -> str:
    """The program's output as the log has it."""
    bits = keyframe.decisions.get(name)
    return "not logged" if bits is None else text(bits)


def fact_amount(name: str, answer: Answer, keyframe: Keyframe, text: Text) -> str:
    """The program's output in fact; a remark says if it is computed instead of logged."""
    outcome = answer.in_fact(name)
    if outcome is None:
        return "not logged"
    told = outcome_text(outcome, keyframe.interface.output_type(name), text)
    if name not in keyframe.decisions:
        return f"{told} ({computed_from(keyframe)})"
    logged = logged_amount(name, keyframe, text)
    return told if outcome.high == keyframe.decisions[name] else f"{told} (logged as {logged})"


def computed_from(keyframe: Keyframe) -> str:
    """The remark on an outcome that is not logged. From a rounded log, the real outcome may be another."""
    return f"not logged; as computed from the {'rounded ' if keyframe.rounded else ''}log"


def told_in_fact(name: str, answer: Answer, keyframe: Keyframe, text: Callable[[int], str]) -> str:
    """The program's output in fact; one that is not logged is derived, or not known."""
    outcome = answer.in_fact(name)
    if outcome is not None and name in keyframe.decisions:
        return text(outcome.high)
    if outcome is not None and keyframe.is_exact:
        kind = keyframe.interface.output_type(name)
        return f"{outcome_text(outcome, kind, text)} ({Origin.DERIVED.value})"
    return keyframe.told_output(name, text)


def called(variable: Variable, *, after: bool = False, steps: Mapping[str, str] = NO_STEPS) -> Html:
    """A variable's label, its name in the program and its steps; `after`: its value after the decision."""
    words = f"{variable.label}, after the decision" if after and variable.label else variable.label
    base = variable.path.partition("@")[0]
    name = code(f"{base}'" if after else base)
    when = input_names.called(variable.path, steps).removeprefix(base)
    return together(element("span", words, class_="label"), " ", name, when) if words else together(name, when)


def output_called(name: str, interface: Interface) -> Html:
    return called(_variable(name, interface), after=name.endswith("'"))


def _variable(name: str, interface: Interface) -> Variable:
    return interface.variable(name.removesuffix("'"))


def meanings(queries: Iterable[Query], interface: Interface) -> Html:
    """The meaning of the names in questions that have a label or a unit: "Here speed is the car's speed, in m/s."."""
    named = {path for query in queries for path in _named(query, interface)}
    explained = [each for each in interface if each.path in named and (each.label or each.unit)]
    if not explained:
        return Html("")
    units = [f"in {each.measure}" if each.unit else "" for each in explained]
    parts = [
        together(code(each.path), " means that " if each.path in interface.events else " is ", told)
        for each, unit in zip(explained, units, strict=True)
        for told in [", ".join(filter(None, (each.label, unit)))]
    ]
    return together("Here ", separated(parts, "; "), ".")


def _named(query: Query, interface: Interface) -> Iterator[str]:
    for node in walk(query.behavior.expression):
        if isinstance(node, Name | FactOf) and node.path in interface:
            yield interface.variable(node.path).path
    lives = query.lives
    yield from () if lives is None else (each.path for each in (*lives.outcome, *lives.changes))
    for supposition in query.suppositions if lives is None else lives.population:
        yield from (variable.path for variable in mentioned(interface, supposition))


def all_digits(fact: Mapping[str, Any], interface: Interface) -> str | None:
    """What a fact's statement rounds, with all digits, as its scenario has it; None if it rounds nothing of that."""
    if ABOUT not in fact["statement"] or not fact.get("scenario"):
        return None
    words, told = Words(interface), []
    for each in fact["scenario"]["changed"]:
        now, then = (with_unit(str(each[when]), each["unit"]) for when in ("scenario", "fact"))
        known = each["fact"] is not None
        told.append(f"{words.called(each['variable'])}: {now}{f' instead of {then}' if known else ''}")
    return "; ".join(told)


def rests_on(assumptions: Iterable[Assumption], interface: Interface) -> Html:
    """What an answer relies on, without what all rely on, which the annex has; columns of a log keep their names."""
    texts = assumptions_told((each for each in assumptions if not each.is_standing), interface)
    return element("div", element("p", "It relies on:"), listing(texts), class_="small") if texts else Html("")


#: the assumptions that quote a manifest or a file
_QUOTING: Final = {each.value for each in (Ledger.PREPARED, Ledger.THRESHOLD, Ledger.MODEL_READ)}
_DOMAIN: Final = re.compile(r"(?<=[:;] )(\S+): ")  # in what is said of domains: a variable
_COLUMN: Final = re.compile(r"(?<=[:,] )(\S+) is (?=\S)")  # in what is said of columns: a variable, and its column


def assumptions_told(assumptions: Iterable[Assumption], interface: Interface) -> list[str]:
    """What is taken for granted, in words; what is quoted, and columns of a log, keep their names."""
    words = Words(interface)

    def column(found: re.Match[str]) -> str:
        return f"{words.called(found[1]) if found[1] in interface else found[1]} is column "

    def domain(found: re.Match[str]) -> str:
        return f"{words.called(found[1]) if found[1] in interface else found[1]}: "

    def told(each: Assumption) -> str:
        if each.id == Ledger.DOMAIN.value:
            return words.spoken(_DOMAIN.sub(domain, each.text))
        if each.id == Ledger.MAPPED.value:
            return _COLUMN.sub(column, each.text)
        return each.text if each.id in _QUOTING else words.spoken(each.text)

    return [told(each) for each in assumptions]


def precision(variable: Variable, keyframe: Keyframe) -> str:
    """A remark on the precision of a logged value, or on the origin of one that is not logged."""
    if variable.path in keyframe.rounded:
        digits = variable.decimals
        return f"logged to {counted(digits, 'decimal')}" if digits is not None else "known up to the log's rounding"
    if variable.path in keyframe.assumed:
        return "not logged, and does not follow from the log"
    return next((each.how for each in keyframe.supplied.derived if each.variable == variable), "")


#: shape and sign, in a box of 20 by 20; verdicts other than yes and no are hollow
_SIGNS: Final = {
    Verdict.YES: ("M10 1a9 9 0 1 0 0 18a9 9 0 1 0 0-18z", "M5.6 10.4l3 3l5.8-6.4"),
    Verdict.NO: ("M2 2h16v16h-16z", "M6 6l8 8M14 6l-8 8"),
    Verdict.VACUOUS: ("M10 .8l9.2 9.2l-9.2 9.2l-9.2-9.2z", "M6.5 10h7"),
    Verdict.UNKNOWN: (
        "M5.5 2.2h9l4.5 7.8l-4.5 7.8h-9l-4.5-7.8z",
        "M7.4 7.6c0-3.4 5.2-3.4 5.2-.2c0 2-2.6 2.1-2.6 4.2M10 14v.6",
    ),
    Verdict.ERROR: ("M10 1.4l9 16.4h-18z", "M10 7.4v5M10 14.8v.6"),
}

#: the meaning of each, for a reader without previous knowledge
MEANINGS: Final = {
    Verdict.YES: "It is so: the fact or a scenario shows it, or it is proved for every scenario that was asked about.",
    Verdict.NO: "It is not so: the fact or a scenario shows it, or it is proved for every scenario asked about.",
    Verdict.VACUOUS: "No other scenario is as was supposed: the question is about nothing, and nothing follows.",
    Verdict.UNKNOWN: "It could not be settled: for want of time, of support or of knowledge. Neither yes nor no.",
    Verdict.ERROR: "The question could not be put: it does not fit the program, or the log and the program disagree.",
}


def badge(verdict: Verdict) -> Html:
    """A verdict, distinguished by shape, by colour and by word."""
    shape, sign = _SIGNS[verdict]
    drawing = element(
        "svg",
        element("path", d=shape, class_="shape"),
        element("path", d=sign, class_="sign"),
        viewBox="0 0 20 20",
        width="20",
        height="20",
        aria_hidden="true",
        focusable="false",
    )
    return element("span", drawing, element("span", verdict.value), class_=f"verdict {verdict.value}")
