"""How the names of a script stand for the variables of an interface.

The symbol of a variable is its bits; a script may use the bits (KLEE does) or the value that they represent.
"""

from __future__ import annotations

from soid.errors import ProgramError
from soid.formula import build
from soid.formula.sorts import BitVec, Bool, Float, Sort
from soid.formula.term import Term
from soid.program.interface import Variable
from soid.program.types import BoolType, FloatType, reading


def input_term(variable: Variable, declared: Term, where: str) -> Term:
    """What an input's name in a script stands for, as a term over the variable's symbol."""
    symbol, kind, sort = variable.symbol, variable.type, declared.sort
    if sort == symbol.sort:
        return symbol
    if isinstance(kind, FloatType) and sort == kind.format:
        return reading(kind, symbol)
    if isinstance(kind, BoolType) and isinstance(sort, BitVec):
        return build.ite(symbol, build.const(sort, 1), build.const(sort, 0))
    raise _unfit(variable, declared, where)


def output_term(variable: Variable, declared: Term, value: Term, where: str) -> Term:
    """An output's value in a script, as the interface reads it."""
    kind, sort = variable.type, declared.sort
    if isinstance(kind, FloatType):
        if sort == kind.format:
            return value
        if sort == BitVec(kind.width):
            return build.fp_from_bits(kind.format, value)
    elif isinstance(kind, BoolType):
        if isinstance(sort, Bool):
            return value
        if isinstance(sort, BitVec):
            return build.not_(build.eq(value, build.const(sort, 0)))
    elif sort == BitVec(kind.width):
        return value
    raise _unfit(variable, declared, where)


def _unfit(variable: Variable, declared: Term, where: str) -> ProgramError:
    return ProgramError(
        f"{where}: {declared.name} is {_words(declared.sort)}, but the variable {variable.path} is {variable.type}",
        "Give the variable the type that the SMT-LIB file declares, or map another name to it in soid.toml.",
    )


def _words(sort: Sort) -> str:
    match sort:
        case Bool():
            return "a Bool"
        case BitVec(width):
            return f"a bit-vector of {width} bits"
        case Float():
            return f"a float of {sort.width} bits"
