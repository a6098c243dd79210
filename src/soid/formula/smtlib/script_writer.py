"""Writes terms as SMT-LIB 2.6 scripts for z3, cvc5 and bitwuzla, and keeps their sharing.

>>> from soid.formula.build import bvadd, bvmul, bvult, var
>>> from soid.formula.sorts import BitVec
>>> x = var("x", BitVec(8))
>>> twice = bvadd(x, x)
>>> print(script([bvult(bvmul(twice, twice), x)]), end="")
(set-logic QF_BVFP)
(declare-fun x () (_ BitVec 8))
(define-fun soid.0 () (_ BitVec 8) (bvadd x x))
(assert (bvult (bvmul soid.0 soid.0) x))
(check-sat)

A term that is used more than once becomes a definition. So does a term that nests deeper than a few dozen levels,
because the parsers of solvers recurse. Conversions to integers are total in soid and open in SMT-LIB, so each has a
guard: `(ite <it fits> ((_ fp.to_sbv 32) RTZ x) #x00000000)`. Look-ups call a function, see
`soid.formula.smtlib.lookups`. `soid.formula.smtlib.script_reader` reads both back into the same term.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, Literal

from soid.errors import SmtLibError
from soid.formula import operators as ops
from soid.formula.build import fits_integer
from soid.formula.constant_table import ConstantTable
from soid.formula.operators import CONST, VAR
from soid.formula.smtlib import lookups
from soid.formula.smtlib.symbols import OWN, bits_literal, literal, symbol
from soid.formula.softfloat import Rounding
from soid.formula.sorts import BitVec, Sort
from soid.formula.term import Term, postorder

#: the only logic of bit-vectors and floats that all three solvers know by name
LOGIC: Final = "QF_BVFP"

_DEEPEST: Final = 24  # levels of nesting; a deeper term becomes a definition
_CONVERSIONS: Final = (ops.FP_TO_SBV, ops.FP_TO_UBV)


def script(
    assertions: Sequence[Term],
    *,
    comments: Sequence[str] = (),
    status: Literal["sat", "unsat"] | None = None,
    get_model: bool = False,
) -> str:
    """A whole script that asks whether the assertions are satisfiable. Equal arguments give equal text."""
    lines = [f"; {line}".rstrip() for comment in comments for line in comment.splitlines() or [""]]
    if get_model:
        lines.append("(set-option :produce-models true)")
    lines.append(f"(set-logic {LOGIC})")
    if status is not None:
        lines.append(f"(set-info :status {status})")
    order = postorder(assertions, _parts)
    lines.extend(_declarations(order))
    writer = _ScriptWriter(order, assertions)
    texts = [writer.text(assertion) for assertion in assertions]
    lines.extend(writer.definitions())
    lines.extend(f"(assert {text})" for text in texts)
    lines.append("(check-sat)")
    if get_model:
        lines.append("(get-model)")
    return "\n".join(lines) + "\n"


def text(term: Term) -> str:
    """One term, for a message; its shared parts are bound by let.

    >>> from soid.formula.build import bvadd, bvmul, var
    >>> x = var("x", BitVec(8))
    >>> text(bvmul(bvadd(x, x), bvadd(x, x)))
    '(let ((soid.0 (bvadd x x))) (bvmul soid.0 soid.0))'
    """
    writer = _ScriptWriter(postorder([term], _parts), [term])
    body = writer.text(term)
    lets = [f"(let (({name} {inner})) " for name, _, inner in writer.shared]
    return "".join(lets) + body + ")" * len(lets)


class _ScriptWriter:
    """Writes the text of each term, arguments first; a shared or deep term gets a name and a definition."""

    def __init__(self, order: list[Term], roots: Sequence[Term]) -> None:
        self.shared: list[tuple[str, Sort, str]] = []  # name, sort, text; a text may use the names before it
        self._tables: dict[tuple[ConstantTable, int], tuple[str, str]] = {}  # table and index width: symbol, definition
        self._texts: dict[Term, str] = {}
        depths: dict[Term, int] = {}
        uses = Counter(part for term in order for part in _parts(term))
        uses.update(roots)
        for term in order:
            parts = _parts(term)
            written = self._write(term)
            depth = 1 + max((depths[part] for part in parts), default=-1)
            if parts and (uses[term] > 1 or depth > _DEEPEST):
                name = f"{OWN}{len(self.shared)}"
                self.shared.append((name, term.sort, written))
                written, depth = name, 0
            self._texts[term], depths[term] = written, depth

    def text(self, term: Term) -> str:
        return self._texts[term]

    def definitions(self) -> Iterator[str]:
        for _, definition in self._tables.values():
            yield definition
        for name, sort, written in self.shared:
            yield f"(define-fun {name} () {sort.smtlib} {written})"

    def _write(self, term: Term) -> str:
        if term.op is VAR:
            return symbol(term.name)
        if term.op is CONST:
            return literal(term.sort, term.value)
        texts = [self._texts[part] for part in _parts(term)]
        if term.op is ops.LOOKUP:
            return f"({self._table(term.params[0], term.args[0].sort)} {texts[0]})"
        if term.op in _CONVERSIONS:
            fits, number = texts
            assert isinstance(term.sort, BitVec)
            return f"(ite {fits} ({_head(term)} {number}) {bits_literal(0, term.sort.width)})"
        return f"({_head(term)} {' '.join(texts)})"

    def _table(self, table: ConstantTable, sort: Sort) -> str:
        assert isinstance(sort, BitVec)
        known = self._tables.get((table, sort.width))
        if known is None:
            name = f"{lookups.PREFIX}{len(self._tables)}"
            known = self._tables[table, sort.width] = (name, lookups.definition(name, table, sort.width))
        return known[0]


def _head(term: Term) -> str:
    """The operator with its parameters, which stands before the arguments."""
    params = (param.name if isinstance(param, Rounding) else param for param in term.params)
    return term.op.smtlib.format(*params)


def _parts(term: Term) -> tuple[Term, ...]:
    """The terms that a term's text contains: its arguments, and the guard of a conversion."""
    if term.op in _CONVERSIONS:
        mode, width = term.params
        return (fits_integer(mode, width, term.args[0], signed=term.op is ops.FP_TO_SBV), term.args[0])
    return term.args


def _declarations(order: list[Term]) -> Iterator[str]:
    """The variables, in the order in which the assertions first use them."""
    sorts: dict[str, Sort] = {}
    for term in order:
        if term.op is not VAR:
            continue
        if term.name in sorts:
            raise SmtLibError(
                f"the variable {term.name} is used both as {sorts[term.name].smtlib} and as {term.sort.smtlib}",
                "SMT-LIB gives a name one sort: rename one of the two.",
            )
        sorts[term.name] = term.sort
        yield f"(declare-fun {symbol(term.name)} () {term.sort.smtlib})"
