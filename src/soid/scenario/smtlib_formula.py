"""Formulas in SMT-LIB, for what the language of questions does not say.

Its symbols are the program's variables by their paths: a bool is a Bool, a whole number or an enumeration a bit-vector
of its width, a float a FloatingPoint. `|count'|` is the state after the call, `|fact(count)|` the value in fact.

>>> smtlib_formula("(bvult |a[1].n| ((_ extract 7 0) count))").names
(Name(path='a[1].n', primed=False), Name(path='count', primed=False))
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeVar

from soid.errors import QueryError, SmtLibError, SortMismatchError
from soid.formula import build
from soid.formula.passes import substitute
from soid.formula.smtlib.script_reader import read
from soid.formula.smtlib.sexpr import Atom, Parenthesis, Sexpr, SmtLibText
from soid.formula.smtlib.symbols import name as name_of
from soid.formula.softfloat import Rounding
from soid.formula.term import Term
from soid.program.interface import normal_path
from soid.scenario.expression import FactOf, Name, SmtLib, TextSpan
from soid.scenario.operand_values import Truth, known

T = TypeVar("T")

_MOST_CHARACTERS: Final = 20_000
_SOURCE: Final = "smtlib"
_PLACE: Final = re.compile(rf"{_SOURCE}:[0-9]+:[0-9]+: ")
_CONSTANTS: Final = frozenset({"true", "false", *(mode.name for mode in Rounding), *(mode.value for mode in Rounding)})
_FACT: Final = re.compile(r"fact\((.*)\)")


def smtlib_formula(text: str, span: TextSpan | None = None) -> SmtLib:
    """The formula of a text. That it is well-sorted is known when its variables are (`lower_smtlib`)."""
    return SmtLib(text, tuple(map(_variable, _symbols(text))), span=span)


def _variable(symbol: str) -> Name | FactOf:
    fact = _FACT.fullmatch(name_of(symbol))
    path = fact[1] if fact else name_of(symbol)
    kind = FactOf if fact else Name
    return kind(normal_path(path.removesuffix("'")), path.endswith("'"))


def lower_smtlib(node: SmtLib, given: Sequence[tuple[Term, Term]]) -> Truth:
    """Where the formula is true and where it is false. `given` has a term for each name, and where it is defined.

    Where SMT-LIB leaves a value open, such as that of a float that does not fit an integer, it is neither.
    """
    symbols = list(_symbols(node.text))
    declared = [
        f"(declare-const |{symbol}| {term.sort.smtlib})" for symbol, (term, _) in zip(symbols, given, strict=True)
    ]
    script = _reading(lambda: read("\n".join([*declared, _command(node.text)]), source=_SOURCE))
    if len(script.statements) != 1 or len(script.declarations) != len(symbols):
        raise _no_formula()
    statement = script.statements[0]
    meant = {script.declarations[name_of(symbol)]: term for symbol, (term, _) in zip(symbols, given, strict=True)}
    holds, *obligations = substitute([statement.term, *statement.obligations], meant)
    return known(holds, build.and_(*(defined for _, defined in given), *obligations))


def _command(text: str) -> str:
    return f"(assert {text}\n)"  # the text may end with a comment


def _symbols(text: str) -> Iterator[str]:
    """The symbols that are not bound by a let and no operators, each once, in their order."""
    if len(text) > _MOST_CHARACTERS:
        raise QueryError(f"this SMT-LIB formula has more than {_MOST_CHARACTERS} characters", "Ask several questions.")
    commands = _reading(lambda: SmtLibText(_SOURCE, _command(text)).expressions())
    if len(commands) != 1 or len(commands[0].items) != 2:
        raise _no_formula()
    found: dict[str, None] = {}
    stack: list[tuple[Sexpr, frozenset[str]]] = [(commands[0].items[1], frozenset())]
    while stack:
        item, bound = stack.pop()
        if isinstance(item, Parenthesis):
            stack += reversed(list(_parts(item, bound)))
        elif item.kind == "symbol" and item.text not in bound and (item.barred or item.text not in _CONSTANTS):
            found[item.text] = None
    return iter(found)


def _parts(group: Parenthesis, bound: frozenset[str]) -> Iterator[tuple[Sexpr, frozenset[str]]]:
    """The parts of a group that have a value, each with the names that are bound in it."""
    head = group.items[0].text if group.items and isinstance(group.items[0], Atom) else ""
    if head == "_":
        return
    if head == "let" and len(group.items) == 3 and isinstance(group.items[1], Parenthesis):
        pairs = [pair.items for pair in group.items[1].items if isinstance(pair, Parenthesis) and len(pair.items) == 2]
        yield from ((value, bound) for _, value in pairs)
        yield group.items[2], bound | {name.text for name, _ in pairs if isinstance(name, Atom)}
    else:
        yield from ((item, bound) for item in group.items[1 : 2 if head == "!" else None])


def _reading(read_it: Callable[[], T]) -> T:
    try:
        return read_it()
    except SmtLibError as error:
        raise SortMismatchError(f"this is no SMT-LIB formula: {_PLACE.sub('', error.cause)}", error.remedy) from error


def _no_formula() -> QueryError:
    return QueryError("this is not one SMT-LIB formula", 'Write one term of sort Bool: smtlib("(bvult x #x0a)").')
