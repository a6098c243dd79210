"""Turns expressions of SMT-LIB into terms.

`Elaborator` distinguishes lets, literals, names and applications. `applications` and `derived_operators` give the
meaning of each operator. Expressions may nest to any depth, so a generator works on each and yields the
expressions that it contains; `value` keeps the generators on a list instead of on Python's stack.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Iterable, Mapping
from fractions import Fraction
from typing import Final, final

from soid.allowance import paced
from soid.errors import SmtLibError
from soid.formula import build
from soid.formula.operators import IllSorted
from soid.formula.smtlib.applications import EXPANSION, INDEXED, NAMED, Application, constant, expand, plain, rounded
from soid.formula.smtlib.arrays import BYTE, Array, ArrayMemory
from soid.formula.smtlib.derived_operators import PLAIN, REFUSED, ROUNDED
from soid.formula.smtlib.elaborated_values import Definition, Macro, Unguarded, Value, describe
from soid.formula.smtlib.sexpr import Atom, Parenthesis, Sexpr, SmtLibText
from soid.formula.smtlib.sort_reader import ArraySort, SortReader, exact
from soid.formula.smtlib.symbols import name as name_of
from soid.formula.softfloat import Rounding
from soid.formula.sorts import BitVec
from soid.formula.term import Term

_Work = Generator[Sexpr, Value, Value]

_CONSTANTS: Final[Mapping[str, Value]] = (
    {"true": build.TRUE, "false": build.FALSE}
    | {mode.name: mode for mode in Rounding}
    | {mode.value: mode for mode in Rounding}
)
_BASES: Final = {"hexadecimal": (16, 4), "binary": (2, 1)}
_REAL_BITS: Final = 1 << 16  # of a real constant's numerator or denominator


@final
class Elaborator:
    """The names of one script, and the obligations of the command being read."""

    def __init__(self, source: SmtLibText, sorts: SortReader, memory: ArrayMemory) -> None:
        self.source = source
        self.sorts = sorts
        self.memory = memory
        self.globals: dict[str, Definition | Macro] = {}
        self.named: dict[str, Definition] = {}
        self.obligations: dict[Term, None] = {}  # of the current command
        self._locals: dict[str, list[Value]] = {}  # let-bound names and parameters, the innermost last
        self._in_macro = False
        self.budget = EXPANSION  # nodes that uses of definitions with parameters may still add

    # --- entry ----------------------------------------------------------------------------------------------------

    def value(self, expression: Sexpr) -> Value:
        """The value of an expression."""
        stack: list[_Work] = []
        request: Sexpr | None = expression
        result: Value = build.TRUE
        for _ in paced(itertools.count(), f"reading {self.source.name}"):
            if request is None and not stack:
                break
            if isinstance(request, Atom):
                result, request = self._atom(request), None
                continue
            try:
                if request is not None:
                    stack.append(self._group(request))
                    request = next(stack[-1])
                else:
                    request = stack[-1].send(result)
            except StopIteration as done:
                stack.pop()
                result, request = done.value, None
        return result

    def term(self, expression: Sexpr) -> Term:
        """The value of an expression that must be a term."""
        return self.settled(self.value(expression), expression.at)

    def macro_body(self, parameters: Iterable[tuple[str, Term]], body: Sexpr) -> Term:
        """The body of a definition; variables stand for its parameters."""
        self._in_macro = True
        bound = list(parameters)
        for name, variable in bound:
            self._locals.setdefault(name, []).append(variable)
        term = self.term(body)
        self._unbind(name for name, _ in bound)
        self._in_macro = False
        return term

    def settled(self, value: Value, at: int) -> Term:
        """The value as a term. For an unguarded conversion, "it fits" becomes an obligation."""
        if isinstance(value, Unguarded):
            self.oblige([value.fits])
            return value.term
        if not isinstance(value, Term):
            raise self.source.error(at, f"expected a truth value, a bit-vector or a float, found {describe(value)}")
        return value

    def oblige(self, conditions: Iterable[Term]) -> None:
        self.obligations.update((c, None) for c in conditions if c is not build.TRUE)

    def select(self, array: Array, index: Term, group: Parenthesis) -> Term:
        """A byte of an array."""
        if self._in_macro and not index.is_const:
            raise self.source.error(
                group.at,
                f"{array.title} is read in a definition with parameters, at an index that is not constant",
                "Write the definition out where it is used.",
            )
        byte, bound = self.memory.select(array, index, group.at)
        self.oblige([bound])
        return byte

    # --- names and literals -------------------------------------------------------------------------------------

    def _atom(self, atom: Atom) -> Value:
        match atom.kind:
            case "symbol":
                return self._name(atom)
            case "hexadecimal" | "binary":
                base, bits = _BASES[atom.kind]
                self.sorts.bounded(len(atom.text) * bits, atom.at)
                return build.const(BitVec(len(atom.text) * bits), int(atom.text, base))
            case "numeral" | "decimal":
                return self.real(exact(atom.text), atom.at)
            case _:
                raise self.source.error(atom.at, f"expected an expression, found the {atom.kind} {atom.text[:40]}")

    def _name(self, atom: Atom) -> Value:
        name = atom.text
        local = self._locals.get(name)
        if local:
            return local[-1]
        known = self.globals.get(name)
        if isinstance(known, Definition):
            self.oblige(known.obligations)
            return known.value
        if isinstance(known, Macro):
            raise self.source.error(atom.at, f"{name} takes {len(known.parameters)} arguments and is given none")
        constant = _CONSTANTS.get(name)
        if constant is None:
            raise self._unknown(name, atom.at)
        return constant

    def _unknown(self, name: str, at: int) -> SmtLibError:
        if name in REFUSED:
            return self.source.error(at, f"{name} is not read here", REFUSED[name])
        shown = name if len(name) <= 60 else name[:57] + "..."
        return self.source.error(
            at,
            f"{shown} is not declared, and no operator of the fragment read here",
            "Declare it first, with declare-const or declare-fun.",
        )

    def real(self, value: Fraction, at: int) -> Fraction:
        if max(value.numerator.bit_length(), value.denominator.bit_length()) > _REAL_BITS:
            raise self.source.error(at, "a number of too many digits")
        return value

    # --- groups -------------------------------------------------------------------------------------------------

    def _group(self, group: Parenthesis) -> _Work:
        if not group.items:
            raise self.source.error(group.at, "expected an expression, found ()")
        head = group.items[0]
        if isinstance(head, Atom):
            if head.kind != "symbol":
                raise self.source.error(head.at, f"expected an operator, found {head.text[:40]}")
            special = None if head.barred else _SPECIAL.get(head.text)
            return special(self, group) if special else self._call(head, group)
        return self._indexed_call(head, group)

    def _values(self, group: Parenthesis) -> Generator[Sexpr, Value, list[Value]]:
        values: list[Value] = []
        for item in group.items[1:]:
            values.append(self._atom(item) if isinstance(item, Atom) else (yield item))
        return values

    def _let(self, group: Parenthesis) -> _Work:
        if len(group.items) != 3 or not isinstance(group.items[1], Parenthesis):
            raise self.source.error(group.at, "expected (let ((name value) ...) body)")
        bindings: dict[str, Value] = {}
        for binding in group.items[1].items:
            if not (isinstance(binding, Parenthesis) and len(binding.items) == 2 and _is_symbol(binding.items[0])):
                raise self.source.error(binding.at, "expected (name value) in a let")
            name = self.sorts.symbol(binding.items[0])
            if name in bindings:
                raise self.source.error(binding.at, f"{name} is bound twice in one let")
            bindings[name] = yield binding.items[1]
        for name, value in bindings.items():
            self._locals.setdefault(name, []).append(value)
        result = yield group.items[2]
        self._unbind(bindings)
        return result

    def _unbind(self, names: Iterable[str]) -> None:
        for name in names:
            self._locals[name].pop()

    def _annotated(self, group: Parenthesis) -> _Work:
        """(! term :named name): the name stands for the term from here on."""
        if len(group.items) < 3:
            raise self.source.error(group.at, "expected (! term :attribute value)")
        outside, self.obligations = self.obligations, {}
        value = yield group.items[1]
        for at, item in enumerate(group.items[2:], 2):
            if isinstance(item, Atom) and item.kind == "keyword" and item.text == ":named":
                following = group.items[at + 1 : at + 2]
                if not following or not _is_symbol(following[0]):
                    raise self.source.error(item.at, "expected a name after :named")
                value = self._give_name(following[0], value)
        outside.update(self.obligations)
        self.obligations = outside
        return value

    def _give_name(self, symbol: Sexpr, value: Value) -> Term:
        name = self.sorts.symbol(symbol)
        if self._in_macro:
            raise self.source.error(symbol.at, f"{name} would name a part of a definition with parameters")
        term = self.settled(value, symbol.at)
        self.named[name_of(name)] = definition = Definition(term, tuple(self.obligations))
        self.define(name, definition, symbol.at)
        return term

    def define(self, name: str, definition: Definition | Macro, at: int) -> None:
        """Give a symbol its meaning."""
        if name in self.globals:
            raise self.source.error(at, f"{name} is declared or defined twice", "Rename one of the two.")
        if any(name in known for known in (_CONSTANTS, INDEXED, _SPECIAL, REFUSED, PLAIN, ROUNDED, NAMED)):
            raise self.source.error(at, f"{name} has a meaning of its own in SMT-LIB", "Rename it.")
        self.globals[name] = definition

    # --- applications ---------------------------------------------------------------------------------------------

    def _call(self, head: Atom, group: Parenthesis) -> _Work:
        name = head.text
        if name in REFUSED and name not in self.globals:
            raise self.source.error(head.at, f"{name} is not read here", REFUSED[name])
        call = Application(self, name, (yield from self._values(group)), group)
        known = self.globals.get(name)
        if isinstance(known, Definition) or self._locals.get(name):
            raise self.source.error(head.at, f"{name} takes no arguments")
        try:
            if known is not None:
                return expand(call, known)
            if name in NAMED:
                return NAMED[name](call)
            if name in PLAIN:
                return plain(call)
            if name in ROUNDED:
                return rounded(call)
        except IllSorted as error:
            raise _ill_sorted(call) from error
        raise self._unknown(name, head.at)

    def _indexed_call(self, head: Parenthesis, group: Parenthesis) -> _Work:
        """((_ operator number ...) argument ...), or ((as const sort) byte)."""
        values = yield from self._values(group)
        first = head.items[0] if head.items else head
        if isinstance(first, Atom) and first.text == "as" and not first.barred:
            return self._constant_array(head, values, group)
        name, numbers = self.sorts.indexed(head)
        if name not in INDEXED:
            raise self._unknown(name, head.at)
        call = Application(self, name, values, group, numbers)
        try:
            return INDEXED[name](call)
        except IllSorted as error:
            raise _ill_sorted(call) from error

    def _constant_array(self, head: Parenthesis, values: list[Value], group: Parenthesis) -> Array:
        sort = self.sorts.read(head.items[2]) if len(head.items) == 3 else None
        if not isinstance(sort, ArraySort) or not _is_symbol(head.items[1], "const"):
            raise self.source.error(head.at, "expected (as const (Array (_ BitVec n) (_ BitVec 8)))")
        call = Application(self, "a constant array", values, group)
        call.arity(1)
        byte = call.term(0)
        if byte.sort != BYTE:
            raise _ill_sorted(call)
        return Array(sort.index, None, byte)

    def _underscore(self, group: Parenthesis) -> _Work:
        """(_ bv7 8), (_ NaN 8 24): constants with numbers."""
        name, numbers = self.sorts.indexed(group)
        return constant(Application(self, name, [], group, numbers))
        yield group  # never reached: makes this function a generator, as the caller expects

    def _qualified(self, group: Parenthesis) -> _Work:
        raise self.source.error(group.at, "(as ...) is read for constant arrays only")
        yield group


def _ill_sorted(call: Application) -> SmtLibError:
    shown = ", ".join(describe(value) for value in call.values[:4]) + (", ..." if len(call.values) > 4 else "")
    return call.error(f"{call.name} does not take {shown}", "Check the sorts of its arguments.")


def _is_symbol(item: Sexpr, text: str | None = None) -> bool:
    return isinstance(item, Atom) and item.kind == "symbol" and text in (None, item.text)


_SPECIAL: Final[dict[str, Callable[[Elaborator, Parenthesis], _Work]]] = {
    "let": Elaborator._let,
    "!": Elaborator._annotated,
    "_": Elaborator._underscore,
    "as": Elaborator._qualified,
}
