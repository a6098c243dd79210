"""The values that expressions of SMT-LIB can have while a script is read.

Most are terms. Reals and rounding modes are constants. Arrays disappear when the script is complete.
A conversion to an integer is `Unguarded` at first: `(ite <it fits> ((_ fp.to_sbv 32) RTZ x) #x00000000)` is soid's
total conversion, and any other use makes "it fits" an obligation.
"""

from __future__ import annotations

from fractions import Fraction
from typing import final

from msgspec import Struct

from soid.formula.constant_table import ConstantTable
from soid.formula.smtlib.arrays import Array
from soid.formula.softfloat import Rounding
from soid.formula.term import Term


@final
class Unguarded(Struct, frozen=True):
    """A conversion to an integer as in SMT-LIB: open if the number does not fit."""

    term: Term  # soid's conversion, which gives 0 if the number does not fit
    fits: Term  # whether the number fits


Value = Term | Fraction | Rounding | Array | Unguarded


@final
class Definition(Struct, frozen=True):
    """A name without parameters: a declared variable, a define-fun, a define-const or a named term."""

    value: Value
    obligations: tuple[Term, ...] = ()  # conditions under which it is the value that SMT-LIB means


@final
class Macro(Struct, frozen=True):
    """A define-fun with parameters; a use puts the arguments in the parameters' place."""

    parameters: tuple[Term, ...]  # variables that stand for the arguments in the body
    body: Term
    obligations: tuple[Term, ...]  # over the parameters
    size: int  # number of nodes of the body and the obligations
    table: ConstantTable | None = None  # for a look-up function that `script_writer` wrote


def describe(value: Value) -> str:
    """A value's sort, for messages."""
    match value:
        case Term():
            return value.sort.smtlib
        case Unguarded():
            return value.term.sort.smtlib
        case Fraction():
            return "a number that is neither bit-vector nor float"
        case Rounding():
            return "a rounding mode"
        case Array():
            return f"an array ({value.title})"
