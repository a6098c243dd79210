"""Names as SMT-LIB symbols, and back; constants as SMT-LIB writes them.

A variable is a path of the program (`world.agents[1].pos_x`, `started'`), which SMT-LIB writes between bars. Some names
are not possible even between bars: names with a bar or a backslash, names outside of printable ASCII, and names that
SMT-LIB or a solver uses. These are percent-encoded after a prefix.

>>> symbol("speed"), symbol("agents[1].x"), symbol("a|b"), symbol("and")
('speed', '|agents[1].x|', 'soid.name.a%7Cb', 'soid.name.and')
>>> name("soid.name.a%7Cb")
'a|b'
>>> from soid.formula.sorts import BitVec, FLOAT16
>>> literal(BitVec(8), 255), literal(BitVec(3), 5)
('#xff', '#b101')
>>> literal(FLOAT16, 0x3C00), literal(FLOAT16, FLOAT16.nan)
('(fp #b0 #b01111 #b0000000000)', '(_ NaN 5 11)')
"""

from __future__ import annotations

import re
from typing import Any, Final
from urllib.parse import quote, unquote_to_bytes

from soid.formula.softfloat import is_nan
from soid.formula.sorts import Bool, Float, Sort

#: prefix of the definitions that `script_writer` makes; a variable's symbol has it only as a part of ESCAPED
OWN: Final = "soid."
ESCAPED: Final = "soid.name."

#: words that have a meaning in SMT-LIB or in a solver; bars do not help, since `|and|` and `and` are one symbol
_RESERVED: Final = """
    ! _ as let exists forall match par BINARY DECIMAL HEXADECIMAL NUMERAL STRING
    assert check-sat check-sat-assuming declare-const declare-datatype declare-datatypes declare-fun declare-sort
    define-fun define-fun-rec define-funs-rec define-const define-sort echo exit get-assertions get-assignment get-info
    get-model get-option get-proof get-unsat-assumptions get-unsat-core get-value pop push reset reset-assertions
    set-info set-logic set-option
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
_WORDS: Final = frozenset(_RESERVED.split())
_PREFIXES: Final = (OWN, "@", ".", "fp.", "set.", "bag.", "rel.", "seq.", "str.", "re.", "ff.", "int.", "tuple.")

_SIMPLE: Final = re.compile(r"[A-Za-z~!$%^&*_+=<>?/-][A-Za-z0-9~!@$%^&*_+=<>.?/-]*", re.ASCII)
_BARRED: Final = re.compile(r"[ -~]+", re.ASCII)
_SAFE: Final = "".join(chr(c) for c in range(32, 127) if chr(c) not in "|\\%")
_ENCODED: Final = re.compile(r"(?:[ -$&-\[\]-{}~]|%[0-9A-F]{2})*", re.ASCII)


def symbol(variable: str) -> str:
    """The symbol that stands for a variable's name."""
    plain = variable
    if _needs_escape(variable):
        plain = ESCAPED + quote(variable, safe=_SAFE, errors="surrogatepass")
    return plain if _SIMPLE.fullmatch(plain) else f"|{plain}|"


def name(text: str) -> str:
    """The name that a symbol (without its bars) stands for: the symbol itself, unless `symbol` escaped a name."""
    if not text.startswith(ESCAPED) or not _ENCODED.fullmatch(text, len(ESCAPED)):
        return text
    try:
        decoded = unquote_to_bytes(text[len(ESCAPED) :]).decode("utf-8", errors="surrogatepass")
    except UnicodeDecodeError:
        return text
    # Only the spelling that `symbol` writes is decoded, so that two symbols never become one name.
    return decoded if symbol(decoded).strip("|") == text else text


def _needs_escape(variable: str) -> bool:
    return (
        not _BARRED.fullmatch(variable)
        or "|" in variable
        or "\\" in variable
        or variable in _WORDS
        or variable.startswith(_PREFIXES)
    )


def bits_literal(value: int, width: int) -> str:
    """A bit-vector, in hexadecimal if its width is a multiple of four."""
    return f"#x{value:0{width // 4}x}" if width % 4 == 0 else f"#b{value:0{width}b}"


def literal(sort: Sort, value: Any) -> str:
    """A constant of a sort; all NaN bit patterns become `(_ NaN e s)`."""
    if isinstance(sort, Bool):
        return "true" if value else "false"
    if not isinstance(sort, Float):
        return bits_literal(value, sort.width)
    if is_nan(sort, value):
        return f"(_ NaN {sort.exponent} {sort.significand})"
    bits = f"{value:0{sort.width}b}"
    return f"(fp #b{bits[0]} #b{bits[1 : 1 + sort.exponent]} #b{bits[1 + sort.exponent :]})"
