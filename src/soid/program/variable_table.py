"""Reads entries of the manifest's [variables] table into Variables.

    speed  = { role = "environment", type = "float32", unit = "m/s", domain = [0.0, 3.0], logged = { decimals = 3 } }
    gear   = { role = "environment", type = "int8", domain = { values = [1, 2, 3] } }
    signal = { role = "environment", type = "enum", labels = { OFF = 0, LEFT = 1 }, width = 8 }
    move   = { role = "decision", type = "bool", says = { true = "drive on", false = "stay" } }

`logged` says that the log rounds the value: a logged value stands for all that round to it (soid.scenario.precision).

Without `width`, an enumeration is 32 bits wide, as in C. Without `signed`, it is signed if a label is negative. Labels
in a list count from 0. The engine checks that the program has the same width.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from soid.formula.softfloat import is_nan
from soid.program.domain import DEFAULT, AnyBitsDomain, Domain, Range, Values, contains
from soid.program.interface import Interface, Role, Variable, normal_path
from soid.program.toml_table import TomlTable, found, is_whole
from soid.program.types import EnumType, FloatType, IntType, VariableType, from_python, named, show
from soid.visible_text import visible

ENUM_WIDTH: Final = 32  # bits, if the manifest gives none
MAX_DECIMALS: Final = 100  # far more than logs have
MAX_WIDTH: Final = 4096  # bits; far more than programs use, and few enough to compute with

_PATH: Final = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*|\[[0-9]+\])*")
_ENDS: Final = re.compile(r"[.?!:;](?:\s|$)")  # of a sentence, or of a part of one
_LABEL: Final = re.compile(r"[^\W\d]\w*")
_TYPES: Final = "bool, int8 to int64, uint8 to uint64 (or any other width), float16, float32, float64, enum"


def read_variables(table: TomlTable, read_more: Callable[[TomlTable, Variable], None] = lambda *_: None) -> Interface:
    """All variables of [variables]; `read_more` reads the keys that only this engine has."""
    variables: list[Variable] = []
    for path in table:
        entry = table.table(path)
        assert entry is not None
        variable = read_variable(entry, path)
        read_more(entry, variable)
        entry.close()
        if any(variable.path == known.path for known in variables):
            table.fail(path, f"the variable {variable.path} is declared twice", "Give each variable one entry.")
        variables.append(variable)
    if not any(variable.role in (Role.DECISION, Role.STATE) for variable in variables):
        table.fail("", "no variable is a decision", 'Mark what the program decides with role = "decision".')
    return Interface(tuple(variables))


def read_variable(entry: TomlTable, path: str) -> Variable:
    kept = read_path(entry, path, _PATH)
    role = read_role(entry)
    kind = read_type(entry)
    return Variable(
        kept,
        role,
        kind,
        read_domain(entry, role, kind),
        unit=entry.words("unit") or "",
        label=entry.words("label") or "",
        decimals=read_decimals(entry, kind),
        says=read_says(entry, role, kind),
    )


def read_path(entry: TomlTable, path: str, form: re.Pattern[str]) -> str:
    """The normal form of an entry's path.

    `world.x = { ... }` is an entry `world` with a key `x` in TOML, so a path with dots needs quotes.
    """
    kept = normal_path(path)
    if not form.fullmatch(kept) or visible(kept) != kept:
        entry.fail("", f"{path!r} is no path", 'Write it as the program does: speed, "world.agents[1].pos_x".')
    if "role" not in entry:
        for key in entry:
            if key not in ("labels", "domain", "logged", "says") and entry.has_table(key):
                entry.fail(key, "a path with dots needs quotes", f'Write "{path}.{key}" = {{ ... }}.')
    return kept


def read_role(entry: TomlTable) -> Role:
    text = entry.required("role", '"environment"')
    try:
        return Role(text)
    except ValueError:
        known = ", ".join(role.value for role in Role)
        entry.fail("role", f'there is no role "{text}"', f"The roles are: {known}.")


def read_type(entry: TomlTable) -> VariableType:
    text = entry.required("type", '"float32"')
    labels, width, signed = entry.get("labels"), entry.integer("width"), entry.flag("signed")
    if text == "enum":
        return _enum(entry, labels, width, signed)
    for key, value in (("labels", labels), ("width", width), ("signed", signed)):
        if value is not None:
            entry.fail(
                key, f"{key} belongs to an enum, and the type is {text}", 'Write type = "enum", or leave it out.'
            )
    kind = named(text)
    if kind is None or kind.width > MAX_WIDTH:
        entry.fail("type", f'there is no type "{text}"', f"The types are: {_TYPES}.")
    return kind


def _enum(entry: TomlTable, labels: Any, width: int | None, signed: bool | None) -> EnumType:
    pairs = read_labels(entry, labels)
    if width is None:
        width = ENUM_WIDTH
    if not 1 <= width <= MAX_WIDTH:
        entry.fail("width", f"no enumeration is {width} bits wide")
    if signed is None:
        signed = any(number < 0 for _, number in pairs)
    holder = IntType(width, signed)
    for label, number in pairs:
        if not holder.least <= number <= holder.greatest:
            problem = f"{label} = {number} does not fit {holder}, which holds {holder.least} to {holder.greatest}"
            entry.fail("labels", problem, "Give the enumeration its true width, and signed = true where it is.")
    return EnumType("", width, signed, pairs)


def read_labels(entry: TomlTable, labels: Any) -> tuple[tuple[str, int], ...]:
    if labels is None:
        entry.fail("", "an enum needs labels", 'Add them: labels = ["OFF", "LEFT"], or labels = { OFF = 0, LEFT = 4 }.')
    if not isinstance(labels, list | dict) or not labels:
        entry.fail("labels", f"expected a list of labels or a table of label = number, found {found(labels)}")
    pairs = list(labels.items()) if isinstance(labels, dict) else [(label, i) for i, label in enumerate(labels)]
    seen: set[str] = set()
    for label, number in pairs:
        if not isinstance(label, str) or not _LABEL.fullmatch(label) or visible(label) != label:
            entry.fail("labels", f"{found(label)} is no label", "A label has letters, digits and _, no digit first.")
        if not is_whole(number):
            entry.fail("labels", f"{label} stands for {found(number)}, and must stand for a whole number")
        if label in seen:
            entry.fail("labels", f"the label {label} is given twice", "Give each value a label of its own.")
        seen.add(label)
    return tuple(pairs)


def read_says(entry: TomlTable, role: Role, kind: VariableType) -> tuple[tuple[int, str], ...]:
    """What is done by each value of a decision, as a verb that follows "would"."""
    table = entry.table("says")
    if table is None:
        return ()
    if role is not Role.DECISION or isinstance(kind, FloatType):
        entry.fail("says", "it is for decisions with few values", "Give other variables a label.")
    said: dict[int, str] = {}
    for value in table:
        phrase = (table.words(value) or "").strip()
        if not phrase or visible(phrase) != phrase or phrase.startswith(("to ", "not ")) or _ENDS.search(phrase):
            table.fail(value, "this does not follow `would`", 'Write a verb as in: it would "drive on".')
        if phrase.casefold() in (other.casefold() for other in said.values()):
            table.fail(value, "another value says the same", "Write for each value what is done by it alone.")
        said[read_bits(table, value, kind, value)] = phrase
    return tuple(said.items())


def read_domain(entry: TomlTable, role: Role, kind: VariableType) -> Domain:
    given = entry.get("domain")
    if given is None:
        return DEFAULT
    if role not in (Role.ENVIRONMENT, Role.STATE):
        entry.fail("domain", f"a variable of role {role.value} has no domain", "Only what can be supposed has one.")
    if given == "any bits":
        return AnyBitsDomain()
    if isinstance(given, list) and len(given) == 2 and isinstance(kind, IntType | FloatType):
        return _range(entry, kind, given)
    values = given["values"] if isinstance(given, dict) and list(given) == ["values"] else None
    if not isinstance(values, list) or not values:
        bounds = "[low, high], " if isinstance(kind, IntType | FloatType) else ""
        remedy = f'Write one of: {bounds}{{ values = [ ... ] }}, "any bits".'
        entry.fail("domain", f"{found(given)} is no domain of {kind}", remedy)
    return Values(tuple(dict.fromkeys(read_bits(entry, "domain", kind, value) for value in values)))


def _range(entry: TomlTable, kind: IntType | FloatType, given: list[Any]) -> Range:
    low, high = (read_bits(entry, "domain", kind, bound) for bound in given)
    if isinstance(kind, FloatType) and (is_nan(kind.format, low) or is_nan(kind.format, high)):
        entry.fail("domain", "NaN bounds nothing", "Write numbers, such as domain = [0.0, 3.0].")
    domain = Range(low, high)
    if not contains(kind, domain, low):
        entry.fail(
            "domain", f"no value lies from {show(kind, low)} to {show(kind, high)}", "Put the lower bound first."
        )
    return domain


def read_decimals(entry: TomlTable, kind: VariableType) -> int | None:
    """The number of decimals in the log; None if the log does not round."""
    logged = entry.table("logged")
    if logged is None:
        return None
    decimals = logged.integer("decimals")
    logged.close()
    if decimals is None:
        entry.fail("logged", "it does not say how the value is logged", "Write logged = { decimals = 3 }.")
    if not isinstance(kind, FloatType):
        entry.fail("logged", f"only floats are rounded, and the type is {kind}", "Leave it out.")
    if not 0 <= decimals <= MAX_DECIMALS:
        entry.fail("logged", f"{decimals} is no number of decimals", f"Give one from 0 to {MAX_DECIMALS}.")
    return decimals


def read_bits(entry: TomlTable, key: str, kind: VariableType, value: Any) -> int:
    if not isinstance(value, str | int):
        entry.fail(key, f"expected {kind}, found {found(value)}")
    try:
        return from_python(kind, value)
    except ValueError as error:
        entry.fail(key, str(error), f"Every value of {key} must be one of {kind}.")
