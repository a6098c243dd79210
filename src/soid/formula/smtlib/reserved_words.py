"""Words that SMT-LIB, or one of the solvers, has taken for itself, so that no variable can bear them as they are.

Bars do not help: `|and|` and `and` are one symbol.
"""

from __future__ import annotations

from typing import Final

_RESERVED: Final = """
    ! _ as let exists forall match par BINARY DECIMAL HEXADECIMAL NUMERAL STRING
    assert check-sat check-sat-assuming declare-const declare-datatype declare-datatypes declare-fun declare-sort
    define-fun define-fun-rec define-funs-rec define-const define-sort echo exit get-assertions get-assignment get-info
    get-model get-option get-proof get-unsat-assumptions get-unsat-core get-value pop push reset reset-assertions
    set-info set-logic set-option
"""

_THEORIES: Final = """
    true false not and or xor ite = => distinct Bool
    BitVec concat extract repeat zero_extend sign_extend rotate_left rotate_right
    bvnot bvneg bvand bvor bvnand bvnor bvxor bvxnor bvcomp bvadd bvsub bvmul bvudiv bvurem bvsdiv bvsrem bvsmod
    bvshl bvlshr bvashr bvult bvule bvugt bvuge bvslt bvsle bvsgt bvsge bvredor bvredand
    bvnego bvuaddo bvsaddo bvumulo bvsmulo bvusubo bvssubo bvsdivo
    FloatingPoint Float16 Float32 Float64 Float128 RoundingMode fp to_fp to_fp_unsigned +oo -oo +zero -zero NaN
    RNE RNA RTP RTN RTZ roundNearestTiesToEven roundNearestTiesToAway roundTowardPositive roundTowardNegative
    roundTowardZero
    Array select store const Int Real String RegLan Seq + - * / div mod rem abs < <= > >= to_real to_int is_int
    divisible exp sin cos tan csc sec cot arcsin arccos arctan arccsc arcsec arccot sqrt pi iand int2bv bv2nat
    ubv_to_int sbv_to_int int_to_bv emptyset member union intersection subset complement insert nil cons head tail
    List if iff implies map default is update tuple && || bvdec bvinc bvredxor bvrol bvror bvite
"""

TAKEN: Final[frozenset[str]] = frozenset((_RESERVED + _THEORIES).split())
_PREFIXES: Final = ("fp.", "set.", "bag.", "rel.", "seq.", "str.", "re.", "ff.", "int.", "tuple.")


def is_taken(name: str) -> bool:
    """Whether a symbol may have a meaning of its own somewhere; theories with a prefix are told by it.

    >>> is_taken("select"), is_taken("fp.add"), is_taken("speed")
    (True, True, False)
    """
    return name in TAKEN or name.startswith(_PREFIXES)
