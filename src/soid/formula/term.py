"""Terms: immutable, hash-consed, compared by identity.

Two terms with the same structure are the same object. So equality is `is`, and a pass can keep a dictionary by term
and visit shared parts once. `soid.formula.build` makes terms: it checks sorts and folds. Only that module, and passes
that rebuild a term unchanged, call `intern`.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Callable, Iterable
from typing import Any, Final, final

from soid.formula.operators import CONST, VAR, Operator
from soid.formula.sorts import Sort


@final
class Term:
    """One node: an operator, its parameters and its arguments. Constants and variables have no arguments."""

    __slots__ = ("__weakref__", "args", "op", "params", "sort", "uid")

    op: Operator  # a row of the operator table, or CONST or VAR
    args: tuple[Term, ...]
    params: tuple[Any, ...]  # bit positions, formats, rounding modes; the value of a constant; the name of a variable
    sort: Sort
    uid: int  # number in the order of creation, for deterministic printing and sorting

    @property
    def is_const(self) -> bool:
        return self.op is CONST

    @property
    def is_var(self) -> bool:
        return self.op is VAR

    @property
    def value(self) -> Any:
        """The value of a constant."""
        assert self.op is CONST, f"{self!r} is no constant"
        return self.params[0]

    @property
    def name(self) -> str:
        """The name of a variable."""
        assert self.op is VAR, f"{self!r} is no variable"
        return str(self.params[0])

    def __repr__(self) -> str:
        if self.op is CONST or self.op is VAR:
            return str(self.params[0])
        inner = " ".join(str(arg.params[0]) if not arg.args and arg.params else f"#{arg.uid}" for arg in self.args)
        return f"({self.op.smtlib.format(*self.params)} {inner})"

    def __reduce__(self) -> Any:
        # Pickling recurses as deep as the term; `soid.formula.term_rows` carries terms between processes.
        raise TypeError("terms are not pickled; use soid.formula.term_rows")


_interned: Final[weakref.WeakValueDictionary[tuple[Any, ...], Term]] = weakref.WeakValueDictionary()
_lock: Final = threading.Lock()
_uids: Final = itertools.count()


def intern(op: Operator, params: tuple[Any, ...], args: tuple[Term, ...], sort: Sort) -> Term:
    """The one term with this structure."""
    # True == 1 in Python, so the key of a leaf has its sort; the sort of an application follows from its arguments.
    key = (op, params, args) if args else (op, params, sort)
    term = _interned.get(key)
    if term is not None:
        return term
    with _lock:
        term = _interned.get(key)
        if term is None:
            term = Term()
            term.op, term.params, term.args, term.sort = op, params, args, sort
            term.uid = next(_uids)
            _interned[key] = term
    return term


def postorder(roots: Iterable[Term], parts: Callable[[Term], tuple[Term, ...]] | None = None) -> list[Term]:
    """Every term below the roots, once, after its parts. The parts are the arguments, unless `parts` gives others.

    It does not recurse, so terms may be of any depth.
    """
    seen: set[Term] = set()
    order: list[Term] = []
    begun: list[Term] = []  # terms whose parts are being visited
    stack: list[Term | None] = [*roots]  # None: all parts of the last term in `begun` are visited
    stack.reverse()
    while stack:
        term = stack.pop()
        if term is None:
            order.append(begun.pop())
        elif term not in seen:
            seen.add(term)
            below = term.args if parts is None else parts(term)
            if below:
                begun.append(term)
                stack.append(None)
                stack += below[::-1]
            else:
                order.append(term)
    return order
