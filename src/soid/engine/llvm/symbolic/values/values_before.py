"""Values from before the call: what the decisions held when the program was called. No log has them.

A global, or memory of the caller, that a path does not write keeps its value. In memory a symbol stands for it, which
is no input: `siren` is `before!siren` until the program sets it. Copies, bit-fields and merged paths carry it along; at
the boundary it is taken out again, and the output says in which states it is kept. No condition ever mentions such a
symbol: a path that depends on one is unexplored.

    siren = (alarm ? 1 : before!siren)      1 where alarm holds, else kept
"""

from __future__ import annotations

from collections.abc import Callable
from typing import final

from soid.engine.llvm.symbolic.paths.path_end import PathEnd
from soid.engine.llvm.symbolic.values.shadow_bits import zeros
from soid.engine.summary import Location, OutputValue, Unexplored, to_be_logged
from soid.formula import build
from soid.formula import operators as ops
from soid.formula.passes import free_variables, substitute
from soid.formula.sorts import BitVec, Sort
from soid.formula.term import Term, postorder
from soid.program.interface import Variable

#: the bits of a term that depend on symbols, each mask with the condition under which they do; other sorts have one bit
Dependence = dict[int, Term]


@final
class ValuesBefore:
    """The symbols of one exploration, and which terms depend on them."""

    def __init__(self) -> None:
        self._known: dict[Term, Dependence | None] = {}  # None: the term mentions no symbol
        self._zeros: dict[Term, Term] = {}  # by symbol
        self._paths: dict[Term, str] = {}  # likewise

    def of(self, variable: Variable) -> Variable:
        """The value of a variable before the call."""
        before = Variable(f"before!{variable.path}", variable.role, variable.type)
        symbol = before.symbol
        self._known[symbol] = {_all(symbol.sort): build.TRUE}
        self._zeros[symbol] = build.const(symbol.sort, 0)
        self._paths[symbol] = variable.path
        return before

    def output(self, term: Term) -> OutputValue:
        """An output that is a term: defined where the program set it, kept elsewhere."""
        depends = self._dependence(term)
        if depends is None:
            return OutputValue(term)
        term, kept = substitute([term, build.any_of(depends.values())], self._zeros)
        return OutputValue(term, build.not_(kept), kept)

    def without(self, term: Term, where: Location | None) -> Term:
        """A term that the program depends on, without symbols; PathEnd if its value depends on one."""
        depends = self._dependence(term)
        if depends is None:
            return term
        if not depends:
            return substitute([term], self._zeros)[0]
        paths = sorted(self._paths[symbol] for symbol in free_variables([term]) if symbol in self._paths)
        what = f"the program uses what {paths[0]} was before the call, which is not known"
        raise PathEnd(Unexplored(f"{what}; {to_be_logged(paths[0])}", where))

    def _dependence(self, root: Term) -> Dependence | None:
        known = self._known
        if not self._zeros or root.is_const:
            return None
        if root in known:
            return known[root]
        for term in postorder([root], lambda term: () if term in known else term.args):
            if term not in known:
                parts = [known[arg] for arg in term.args]
                known[term] = None if all(part is None for part in parts) else _dependence(term, parts)
        return known[root]


def _all(sort: Sort) -> int:
    return (1 << sort.width) - 1 if isinstance(sort, BitVec) else 1


def _dependence(term: Term, parts: list[Dependence | None]) -> Dependence:
    """The dependence of a term, from that of its arguments: bit by bit where the operator allows it."""
    args, given = term.args, [part or {} for part in parts]
    match term.op:
        case ops.ITE:
            sides = _guarded(given[1], args[0]), _guarded(given[2], build.not_(args[0]))
            return _union(_spread(term, given[:1]), *sides)
        case ops.BVAND | ops.BVOR:
            return _union(*(_masked(one, _open(term, other)) for one, other in zip(given, args[::-1], strict=True)))
        case ops.BVXOR | ops.BVNOT:
            return _union(*given)
        case ops.EXTRACT:
            low = int(term.params[1])
            return _moved(given[0], lambda mask: mask >> low & _all(term.sort))
        case ops.CONCAT:
            low = _all(args[1].sort).bit_length()
            return _union(_moved(given[0], lambda mask: mask << low), given[1])
        case ops.ZERO_EXTEND:
            return given[0]
        case ops.BVSHL if args[1].is_const:
            return _moved(given[0], lambda mask: mask << int(args[1].value) & _all(term.sort))
        case ops.BVLSHR if args[1].is_const:
            return _moved(given[0], lambda mask: mask >> int(args[1].value))
        case _:
            return _spread(term, given)


def _open(term: Term, other: Term) -> int:
    """The bits of `and` and `or` that an argument can change, the other one being as it is."""
    if term.op is ops.BVAND:
        return ~zeros(other, _all(term.sort).bit_length())
    return ~int(other.value) if other.is_const else _all(term.sort)


def _spread(term: Term, given: list[Dependence]) -> Dependence:
    """Every bit depends on every argument."""
    where = build.any_of(condition for one in given for condition in one.values())
    return {} if where is build.FALSE else {_all(term.sort): where}


def _guarded(one: Dependence, guard: Term) -> Dependence:
    found = {mask: build.and_(guard, where) for mask, where in one.items()}
    return {mask: where for mask, where in found.items() if where is not build.FALSE}


def _masked(one: Dependence, mask: int) -> Dependence:
    return _moved(one, lambda bits: bits & mask)


def _moved(one: Dependence, move: Callable[[int], int]) -> Dependence:
    return _union(*({move(mask): where} for mask, where in one.items()))


def _union(*all_of_them: Dependence) -> Dependence:
    found: Dependence = {}
    for each in all_of_them:
        for mask, where in each.items():
            if mask:
                found[mask] = build.or_(found.get(mask, build.FALSE), where)
    return found
