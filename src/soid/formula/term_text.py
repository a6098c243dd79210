"""Terms as a person reads them, by the operator table's `reading`.

>>> from soid.formula.build import and_, bvadd, bvslt, const, fp_lt, not_, var
>>> from soid.formula.sorts import FLOAT32, BitVec
>>> gap, speed = var("gap", BitVec(8)), var("speed", FLOAT32)
>>> close = bvslt(bvadd(gap, const(BitVec(8), 0xFF)), const(BitVec(8), 4))
>>> reading(and_(close, not_(fp_lt(speed, const(FLOAT32, 0x3FB020C5)))))
'((gap + -1) < 4) and (not (speed < 1.376))'
>>> reading(and_(close, not_(fp_lt(speed, const(FLOAT32, 0)))), depth=2)
'((…) < 4) and (not (…))'

This is for messages only: it cuts text that is too deep or too long. `soid.formula.smtlib.text` writes whole terms.
"""

from __future__ import annotations

import re
from typing import Final, final

from soid.formula import operators as ops
from soid.formula.decimals import shortest
from soid.formula.operators import CONST, VAR, Operator, signed
from soid.formula.sorts import Bool, Float
from soid.formula.term import Term

_CUT: Final = "…"
_DEEPEST: Final = 100  # limit of `depth`, because `_Reading.of` recurses
_LONGEST: Final = 400  # operators in one reading
_UNSIGNED: Final = (ops.BVULT, ops.BVULE, ops.BVUDIV, ops.BVUREM, ops.BVLSHR)
_ENCLOSED: Final = re.compile(r"(?<=[(\[|])\{(\d)\}(?=[)\]|,])|(?<=, )\{(\d)\}(?=[),])")


def reading(term: Term, *, depth: int = 8) -> str:
    """The term in words and signs."""
    return _Reading().of(term, min(depth, _DEEPEST), None)


@final
class _Reading:
    """Builds one text and counts how many more operators it may contain."""

    def __init__(self) -> None:
        self._left = _LONGEST

    def of(self, term: Term, depth: int, within: Operator | None) -> str:
        if not term.args:
            return _leaf_text(term, within)
        if depth <= 0 or self._left <= 0:
            return _CUT
        self._left -= 1
        if term.op is ops.AND or term.op is ops.OR:
            return f" {term.op.name} ".join(self._parts(term, depth, enclosed=()))
        enclosed = tuple(int(a or b) for a, b in _ENCLOSED.findall(term.op.reading))
        return term.op.reading.format(*self._parts(term, depth, enclosed))

    def _parts(self, term: Term, depth: int, enclosed: tuple[int, ...]) -> list[str]:
        parts: list[str] = []
        for number, arg in enumerate(term.args):
            if self._left <= 0 and len(parts) >= (term.op.arity or 2):
                return [*parts, _CUT]
            text = self.of(arg, depth - 1, term.op)
            parts.append(f"({text})" if arg.args and number not in enclosed else text)
        return parts


def _leaf_text(term: Term, within: Operator | None) -> str:
    if term.op is VAR:
        return term.name
    assert term.op is CONST
    if isinstance(term.sort, Bool):
        return "true" if term.value else "false"
    if isinstance(term.sort, Float):
        return shortest(term.sort, term.value)
    if within in _UNSIGNED or term.sort.width == 1:
        return str(term.value)
    return str(signed(term.value, term.sort.width))
