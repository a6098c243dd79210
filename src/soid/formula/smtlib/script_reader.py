"""Reads scripts of SMT-LIB into terms: the fragment of booleans, bit-vectors, floats and arrays of bytes.

>>> script = read("(declare-const x (_ BitVec 8)) (assert (! (bvult x #x05) :named small))", source="demo.smt2")
>>> script.assertions, script.named["small"] is script.assertions[0]
([(bvult x 5)], True)

SMT-LIB leaves some results of operators open; soid does not. `SmtLibScript.obligations` are the conditions under which
the terms mean the same as the script (a converted float fits its integer, an index lies inside a constant array). A
program that is made of the script fails where they do not hold. The reader refuses everything outside the fragment.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final, final

from msgspec import Struct

from soid.formula import build
from soid.formula.constant_table import ConstantTable
from soid.formula.passes import size
from soid.formula.smtlib import lookups
from soid.formula.smtlib.arrays import Array, ArrayMemory
from soid.formula.smtlib.elaborated_values import Definition, Macro, Unguarded
from soid.formula.smtlib.elaborator import Elaborator
from soid.formula.smtlib.sexpr import Atom, Parenthesis, Sexpr, SmtLibText
from soid.formula.smtlib.sort_reader import ArraySort, ModeSort, SortReader
from soid.formula.smtlib.symbols import name as name_of
from soid.formula.softfloat import Rounding
from soid.formula.sorts import BitVec, Bool
from soid.formula.term import Term


@final
class Assertion(Struct, frozen=True):
    """One assert of a script."""

    term: Term
    name: str | None  # of (assert (! term :named name))
    obligations: tuple[Term, ...]  # conditions under which `term` means the same as the script
    line: int


@final
class SmtLibScript(Struct, frozen=True):
    """The contents of a script. Arrays of bytes have become bit-vectors, with byte 0 the lowest."""

    declarations: dict[str, Term]  # the variable of each declared name
    definitions: dict[str, Term]  # define-fun without parameters, define-const
    named: dict[str, Term]  # (! term :named name), wherever it stands
    statements: list[Assertion]
    conditions: dict[str, tuple[Term, ...]]  # obligations of definitions and named terms, if any
    arrays: dict[str, int]  # number of bytes of each variable that was an array
    constants: dict[str, bytes]  # arrays that hold a program's constants; they have no variable

    @property
    def assertions(self) -> list[Term]:
        return [statement.term for statement in self.statements]

    @property
    def obligations(self) -> list[Term]:
        """Every obligation of the script, each once."""
        from_statements = [o for statement in self.statements for o in statement.obligations]
        from_names = [o for conditions in self.conditions.values() for o in conditions]
        return list(dict.fromkeys(from_statements + from_names))


def read(
    text: str,
    *,
    source: str = "<text>",
    array_bytes: Mapping[str, int] | None = None,
    constant_arrays: Collection[str] = (),
) -> SmtLibScript:
    """Read a script; `source` is its name in messages.

    `array_bytes` gives the sizes of arrays; otherwise the largest constant index does. Arrays that KLEE calls
    const_arr..., and those in `constant_arrays`, hold constants: if assertions fix their bytes, they get no variable.
    """
    reader = _SmtLibReader(SmtLibText(source, text), array_bytes or {}, constant_arrays)
    for command in reader.source.expressions():
        if not reader.run(command):
            break
    return reader.finish()


@final
class _SmtLibReader:
    """Reads one script, command by command."""

    def __init__(self, source: SmtLibText, array_bytes: Mapping[str, int], constant_arrays: Collection[str]) -> None:
        self.source = source
        self._sorts = SortReader(source)
        self._memory = ArrayMemory(source, array_bytes, constant_arrays)
        self._elaborator = Elaborator(source, self._sorts, self._memory)
        self._variables: dict[str, Term | None] = {}  # None for an array
        self._definitions: dict[str, Definition] = {}
        self._statements: list[Assertion] = []
        self._line, self._line_at = 1, 0  # the line of the last assertion, and its offset

    def run(self, command: Parenthesis) -> bool:
        """Read one command. False: it ends the script."""
        head = command.items[0] if command.items else command
        if not isinstance(head, Atom) or head.kind != "symbol":
            raise self.source.error(head.at, "expected the name of a command")
        if head.text in _IGNORED:
            return head.text != "exit"
        if head.text not in _COMMANDS:
            reason = _REFUSED.get(head.text, "Commands read here: " + ", ".join(sorted(_COMMANDS)) + ".")
            raise self.source.error(head.at, f"the command {head.text[:60]} is not read here", reason)
        self._elaborator.obligations = {}
        _COMMANDS[head.text](self, command)
        return True

    # --- commands -----------------------------------------------------------------------------------------------

    def assert_(self, command: Parenthesis) -> None:
        (expression,) = self._items(command, "(assert term)", 1)
        term = self._elaborator.term(expression)
        if not isinstance(term.sort, Bool):
            raise self.source.error(expression.at, f"an assertion is a truth value, not {term.sort.smtlib}")
        obligations = tuple(self._elaborator.obligations)
        self._line += self.source.text.count("\n", self._line_at, command.at)
        self._line_at = command.at
        self._statements.append(Assertion(term, _given_name(expression), obligations, self._line))

    def declare_fun(self, command: Parenthesis) -> None:
        name, parameters, sort = self._items(command, "(declare-fun name () sort)", 3)
        if not isinstance(parameters, Parenthesis):
            raise self.source.error(parameters.at, "expected (), the parameters")
        if parameters.items:
            raise self.source.error(
                parameters.at,
                f"{self._sorts.symbol(name)} is an uninterpreted function, which is not read here",
                "Give the function by define-fun, or its results as variables.",
            )
        self._declare(name, sort)

    def declare_const(self, command: Parenthesis) -> None:
        self._declare(*self._items(command, "(declare-const name sort)", 2))

    def _declare(self, item: Sexpr, sort_item: Sexpr) -> None:
        symbol, sort = self._sorts.symbol(item), self._sorts.read(sort_item)
        name = name_of(symbol)
        if name.startswith("\0") or name in self._variables:
            raise self.source.error(item.at, f"two variables would be called {name!r}", "Rename one of the two.")
        if isinstance(sort, ModeSort):
            raise self.source.error(sort_item.at, f"{name} would be a varying rounding mode, which is not read here")
        if isinstance(sort, ArraySort):
            self._elaborator.define(symbol, Definition(self._memory.declare(name, sort.index)), item.at)
            self._variables[name] = None
            return
        variable = build.var(name, sort)
        self._elaborator.define(symbol, Definition(variable), item.at)
        self._variables[name] = variable

    def define_fun(self, command: Parenthesis) -> None:
        name, parameters, sort, body = self._items(command, "(define-fun name (parameters) sort body)", 4)
        if not isinstance(parameters, Parenthesis):
            raise self.source.error(parameters.at, "expected the parameters in parentheses")
        if parameters.items:
            self._define_macro(name, parameters, sort, body)
        else:
            self._define(name, sort, body)

    def define_const(self, command: Parenthesis) -> None:
        self._define(*self._items(command, "(define-const name sort body)", 3))

    def _define(self, item: Sexpr, sort_item: Sexpr, body: Sexpr) -> None:
        name, sort = self._sorts.symbol(item), self._sorts.read(sort_item)
        value = self._elaborator.value(body)
        if isinstance(sort, ModeSort) and isinstance(value, Rounding):
            self._elaborator.define(name, Definition(value), item.at)
            return
        if isinstance(value, Unguarded) or not isinstance(sort, ArraySort):
            value = self._elaborator.settled(value, body.at)
        actual = value.sort if isinstance(value, Term) else ArraySort(value.index) if isinstance(value, Array) else None
        if actual != sort:
            raise self.source.error(body.at, f"{name} is said to be {sort.smtlib}, but is not")
        definition = Definition(value, tuple(self._elaborator.obligations))
        self._elaborator.define(name, definition, item.at)
        if isinstance(value, Term):
            self._definitions[name_of(name)] = definition

    def _define_macro(self, item: Sexpr, parameters: Parenthesis, sort_item: Sexpr, body: Sexpr) -> None:
        name, sort = self._sorts.symbol(item), self._sorts.value_sort(sort_item)
        bound: dict[str, Term] = {}
        for number, parameter in enumerate(parameters.items):
            if not isinstance(parameter, Parenthesis) or len(parameter.items) != 2:
                raise self.source.error(parameter.at, "expected (name sort), a parameter")
            key = self._sorts.symbol(parameter.items[0])
            if key in bound:
                raise self.source.error(parameter.at, f"the parameter {key} occurs twice")
            # No declared name begins with NUL, so no other variable has this name.
            bound[key] = build.var(f"\0parameter.{number}", self._sorts.value_sort(parameter.items[1]))
        term = self._elaborator.macro_body(bound.items(), body)
        if term.sort != sort:
            raise self.source.error(body.at, f"{name} is said to be {sort.smtlib}, but is {term.sort.smtlib}")
        obligations = tuple(self._elaborator.obligations)
        table = _table(name, list(bound.values()), term)
        macro = Macro(tuple(bound.values()), term, obligations, size([term, *obligations]), table)
        self._elaborator.define(name, macro, item.at)

    def define_sort(self, command: Parenthesis) -> None:
        item, parameters, sort = self._items(command, "(define-sort name () sort)", 3)
        if not isinstance(parameters, Parenthesis) or parameters.items:
            raise self.source.error(parameters.at, "a define-sort with parameters is not read here")
        self._sorts.define(self._sorts.symbol(item), self._sorts.read(sort), item.at)

    def _items(self, command: Parenthesis, shape: str, count: int) -> tuple[Sexpr, ...]:
        items = command.items[1:]
        if len(items) != count:
            raise self.source.error(command.at, f"expected {shape}")
        return items

    # --- the result -----------------------------------------------------------------------------------------------

    def finish(self) -> SmtLibScript:
        """The result. All arrays become bit-vectors in one pass, so that shared terms stay shared."""
        named = self._elaborator.named
        parts = [(s.term, s.obligations) for s in self._statements]
        parts += [(_term(d), d.obligations) for d in (*self._definitions.values(), *named.values())]
        unnamed = [s.term for s in self._statements if s.name is None]
        terms = iter(self._memory.settle(unnamed, [t for term, conditions in parts for t in (term, *conditions)]))
        settled = [(next(terms), _open(next(terms) for _ in conditions)) for _, conditions in parts]
        count = len(self._statements)
        names = [*self._definitions, *named]
        by_name = dict(zip(names, settled[count:], strict=True))
        return SmtLibScript(
            declarations=self._declarations(),
            definitions={name: by_name[name][0] for name in self._definitions},
            named={name: by_name[name][0] for name in named},
            statements=[
                Assertion(term, old.name, conditions, old.line)
                for old, (term, conditions) in zip(self._statements, settled[:count], strict=True)
            ],
            conditions={name: conditions for name, (_, conditions) in by_name.items() if conditions},
            arrays=dict(self._memory.sizes),
            constants=dict(self._memory.fixed),
        )

    def _declarations(self) -> dict[str, Term]:
        """Variables in the order of their declarations, without the arrays that are never read: they have no size."""
        found: dict[str, Term] = {}
        for name, variable in self._variables.items():
            if variable is not None:
                found[name] = variable
            elif name in self._memory.sizes:
                found[name] = self._memory.variable(name)
        return found


def _term(definition: Definition) -> Term:
    assert isinstance(definition.value, Term)
    return definition.value


def _open(conditions: Iterable[Term]) -> tuple[Term, ...]:
    return tuple(dict.fromkeys(c for c in conditions if c is not build.TRUE))


def _given_name(expression: Sexpr) -> str | None:
    """The name in (! term :named name)."""
    if not isinstance(expression, Parenthesis) or not expression.items:
        return None
    words = [item.text if isinstance(item, Atom) else "" for item in expression.items]
    return name_of(words[words.index(":named") + 1]) if words[0] == "!" and ":named" in words else None


def _table(name: str, parameters: list[Term], body: Term) -> ConstantTable | None:
    """The table of a look-up function that `script_writer` wrote."""
    if not name.startswith(lookups.PREFIX) or len(parameters) != 1 or not isinstance(parameters[0].sort, BitVec):
        return None
    return lookups.restore(body, parameters[0])


_COMMANDS: Final[dict[str, Callable[[_SmtLibReader, Parenthesis], None]]] = {
    "assert": _SmtLibReader.assert_,
    "declare-fun": _SmtLibReader.declare_fun,
    "declare-const": _SmtLibReader.declare_const,
    "define-fun": _SmtLibReader.define_fun,
    "define-const": _SmtLibReader.define_const,
    "define-sort": _SmtLibReader.define_sort,
}
_IGNORED: Final = frozenset(
    f"get-{what}" for what in ("assertions", "assignment", "info", "model", "option", "proof", "unsat-core", "value")
) | {"set-logic", "set-info", "set-option", "check-sat", "echo", "exit", "get-unsat-assumptions"}
_STACK: Final = "A script is read as one set of assertions: write one file for each."
_REFUSED: Final[dict[str, str]] = {
    "push": _STACK,
    "pop": _STACK,
    "reset": _STACK,
    "reset-assertions": _STACK,
    "check-sat-assuming": "Assert the assumptions instead.",
    "declare-sort": "Uninterpreted sorts are outside the fragment.",
    "declare-datatype": "Datatypes are outside the fragment.",
    "declare-datatypes": "Datatypes are outside the fragment.",
    "define-fun-rec": "Recursive functions are outside the fragment.",
    "define-funs-rec": "Recursive functions are outside the fragment.",
}
