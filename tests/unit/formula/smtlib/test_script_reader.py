"""Reading scripts: each operator of the fragment, names and scopes, obligations, and refusals."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soid.allowance import allowed
from soid.errors import SmtLibError, TimeLimitError
from soid.formula import build as b
from soid.formula import softfloat as sf
from soid.formula.operators import signed
from soid.formula.passes import evaluate
from soid.formula.smtlib import elaborator, read
from soid.formula.softfloat import Rounding
from soid.formula.sorts import BOOL, FLOAT16, FLOAT32, FLOAT64, BitVec

X, Y = b.var("x", BitVec(8)), b.var("y", BitVec(8))
P, Q, R = (b.var(n, BOOL) for n in "pqr")
F, G = b.var("f", FLOAT32), b.var("g", FLOAT32)
DECLARED = """
    (declare-const x (_ BitVec 8)) (declare-fun y () (_ BitVec 8)) (declare-const p Bool) (declare-const q Bool)
    (declare-const r Bool) (declare-const f Float32) (declare-const g (_ FloatingPoint 8 24))
"""


def value_of(text):
    """A truth value, or a term out of a definition of the given sort."""
    return read(f"{DECLARED} (assert {text})").assertions[0]


def byte_of(text, sort="(_ BitVec 8)", before=""):
    return read(f"{DECLARED} {before} (define-fun it () {sort} {text})").definitions["it"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("true", b.TRUE),
        ("(and p q r)", b.and_(P, Q, R)),
        ("(and p)", P),
        ("(=> p q r)", b.implies(P, b.implies(Q, R))),
        ("(xor p q r)", b.xor(b.xor(P, Q), R)),
        ("(= p q r)", b.and_(b.eq(P, Q), b.eq(Q, R))),
        ("(distinct p q)", b.not_(b.eq(P, Q))),
        ("(ite p q r)", b.ite(P, Q, R)),
        ("(bvugt x y)", b.bvult(Y, X)),
        ("(bvuge x y)", b.bvule(Y, X)),
        ("(bvsgt x y)", b.bvslt(Y, X)),
        ("(bvsge x y)", b.bvsle(Y, X)),
        ("(fp.gt f g)", b.fp_lt(G, F)),
        ("(fp.geq f g f)", b.and_(b.fp_leq(G, F), b.fp_leq(F, G))),
        ("(fp.isSubnormal f)", b.fp_is_subnormal(F)),
        ("(let ((p q) (q p)) (and p (not q)))", b.and_(Q, b.not_(P))),
        ("(let ((p q)) (let ((q p)) q))", Q),
        ("(! (or p q) :named both :weight 3)", b.or_(P, Q)),
    ],
)
def test_truth_values(text, expected):
    assert value_of(text) is expected


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("(bvnand x y)", lambda x, y: ~(x & y)),
        ("(bvnor x y)", lambda x, y: ~(x | y)),
        ("(bvxnor x y)", lambda x, y: ~(x ^ y)),
        ("(bvadd x y x)", lambda x, y: x + y + x),
        ("((_ zero_extend 7) (bvcomp x y))", lambda x, y: x == y),
        ("((_ zero_extend 7) (bvredor x))", lambda x, y: x != 0),
        ("((_ zero_extend 7) (bvredand x))", lambda x, y: x == 255),
        ("((_ rotate_left 3) x)", lambda x, y: x << 3 | x >> 5),
        ("((_ rotate_right 11) x)", lambda x, y: x >> 3 | x << 5),
        ("((_ rotate_left 8) x)", lambda x, y: x),
        ("((_ extract 7 0) ((_ repeat 3) x))", lambda x, y: x),
        ("((_ extract 11 4) ((_ repeat 3) x))", lambda x, y: x << 4 | x >> 4),
        ("(bvsmod x y)", lambda x, y: signed(x, 8) % signed(y, 8) if y else x),
        ("((_ extract 11 4) (concat x y x))", lambda x, y: y << 4 | x >> 4),
        ("(ite (bvnego x) #x01 #x00)", lambda x, y: x == 128),
        ("(ite (bvuaddo x y) #x01 #x00)", lambda x, y: x + y > 255),
        ("(ite (bvsaddo x y) #x01 #x00)", lambda x, y: not -128 <= signed(x, 8) + signed(y, 8) < 128),
        ("(ite (bvumulo x y) #x01 #x00)", lambda x, y: x * y > 255),
        ("(ite (bvsmulo x y) #x01 #x00)", lambda x, y: not -128 <= signed(x, 8) * signed(y, 8) < 128),
        ("(ite (bvusubo x y) #x01 #x00)", lambda x, y: x < y),
        ("(ite (bvssubo x y) #x01 #x00)", lambda x, y: not -128 <= signed(x, 8) - signed(y, 8) < 128),
        ("(ite (bvsdivo x y) #x01 #x00)", lambda x, y: x == 128 and y == 255),
        ("(_ bv7 8)", lambda x, y: 7),
        ("#b00000111", lambda x, y: 7),
        ("#xA7", lambda x, y: 0xA7),
    ],
)
def test_bit_vectors(text, function):
    built = byte_of(text)
    for x in (0, 1, 2, 3, 7, 127, 128, 129, 200, 254, 255):
        for y in (0, 1, 2, 5, 127, 128, 130, 253, 255):
            assert evaluate(built, {X: x, Y: y}) == int(function(x, y)) & 255, (x, y)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(fp #b0 #b01111111 #b00000000000000000000000)", b.const(FLOAT32, 0x3F800000)),
        ("(fp #b1 #xFF #b00000000000000000000001)", b.const(FLOAT32, FLOAT32.nan)),
        ("(_ +oo 8 24)", b.const(FLOAT32, FLOAT32.infinity)),
        ("(_ -oo 8 24)", b.const(FLOAT32, FLOAT32.infinity | FLOAT32.sign_bit)),
        ("(_ +zero 8 24)", b.const(FLOAT32, 0)),
        ("(_ -zero 8 24)", b.const(FLOAT32, FLOAT32.sign_bit)),
        ("(_ NaN 8 24)", b.const(FLOAT32, FLOAT32.nan)),
        ("((_ to_fp 8 24) #x3f800000)", b.const(FLOAT32, 0x3F800000)),
        ("((_ to_fp 8 24) RNE x)", b.fp_from_signed(FLOAT32, X)),
        ("((_ to_fp 8 24) RTZ x)", b.fp_from_signed(FLOAT32, X)),  # eight bits always fit: nothing is rounded
        ("((_ to_fp_unsigned 8 24) roundTowardZero x)", b.fp_from_unsigned(FLOAT32, X)),
        ("((_ to_fp 8 24) RNE ((_ to_fp 11 53) RTP f))", b.fp_to_fp(FLOAT32, b.fp_to_fp(FLOAT64, F))),
        ("((_ to_fp 8 24) RNE 0.1)", b.const(FLOAT32, 0x3DCCCCCD)),
        ("((_ to_fp 8 24) RTZ 0.1)", b.const(FLOAT32, 0x3DCCCCCC)),
        ("((_ to_fp 8 24) RNE (- 1))", b.const(FLOAT32, 0xBF800000)),
        ("((_ to_fp 8 24) RNE (/ 1 3))", b.const(FLOAT32, 0x3EAAAAAB)),
        ("((_ to_fp 8 24) RTP (- (/ 1.0 3.0)))", b.const(FLOAT32, 0xBEAAAAAA)),
        ("(let ((third (/ 1 3))) ((_ to_fp 8 24) RNE third))", b.const(FLOAT32, 0x3EAAAAAB)),
        ("((_ to_fp 8 24) RNE 999999999999999999999999999999999999999999)", b.const(FLOAT32, FLOAT32.infinity)),
        ("(fp.add RNE f g)", b.fp_add(F, G)),
        ("(fp.sub roundNearestTiesToEven f g)", b.fp_sub(F, G)),
        ("(fp.fma RNE f g f)", b.fp_fma(F, G, F)),
        ("(fp.sqrt RNE f)", b.fp_sqrt(F)),
        ("(fp.rem f g)", b.fp_rem(F, G)),
        ("(fp.roundToIntegral RTP f)", b.fp_round(Rounding.RTP, F)),
        ("(let ((m RTN)) (fp.roundToIntegral m f))", b.fp_round(Rounding.RTN, F)),
        ("(ite p f (fp.neg g))", b.ite(P, F, b.fp_neg(G))),
    ],
)
def test_floats(text, expected):
    assert byte_of(text, "Float32") is expected


@given(st.fractions(), st.sampled_from(list(Rounding)), st.sampled_from([FLOAT16, FLOAT32, FLOAT64]))
def test_real_literals_round_once(number, mode, sort):
    inside = f"(/ {abs(number.numerator)} {number.denominator}.0)"
    text = f"((_ to_fp {sort.exponent} {sort.significand}) {mode.name} {f'(- {inside})' if number < 0 else inside})"
    assert byte_of(text, sort.smtlib).value == sf.from_fraction(sort, number, mode)


def test_long_numbers():
    digits = "1" + "0" * 6_000
    assert byte_of(f"((_ to_fp 8 24) RNE 0.{digits})", "Float32") is b.const(FLOAT32, 0x3DCCCCCD)
    wide = read(f"(define-fun it () (_ BitVec 20000) (_ bv{digits} 20000))").definitions["it"]
    assert wide.value == 10**6_000
    assert Fraction(wide.value, 10**5_999) == 10


def test_declarations_definitions_and_names():
    found = read(
        """
        (set-info :source |any text, with (parentheses|) (set-option :produce-models true) (set-logic QF_BVFP)
        (define-sort Byte () (_ BitVec 8)) (define-sort Speed () Float64)
        (declare-const |a b| Byte) (declare-fun v () Speed)
        (define-const limit Byte #x05)
        (define-fun mode () RoundingMode RTZ)
        (define-fun small ((n Byte) (m Byte)) Bool (bvult (bvadd n m) limit))
        (assert (! (small |a b| #x01) :named first))
        (assert (not first)) ; a comment (
        (assert (and true (! (fp.isNaN (fp.roundToIntegral mode v)) :named inner)))
        (check-sat) (get-model) (get-value (v)) (echo "say ""it"" now") (exit) (assert nonsense)
        """
    )
    a, v = b.var("a b", BitVec(8)), b.var("v", FLOAT64)
    limit = b.const(BitVec(8), 5)
    first = b.bvult(b.bvadd(a, b.const(BitVec(8), 1)), limit)
    inner = b.fp_is_nan(b.fp_round(Rounding.RTZ, v))
    assert found.declarations == {"a b": a, "v": v}
    assert found.definitions == {"limit": limit}
    assert found.assertions == [first, b.not_(first), inner]
    assert found.named == {"first": first, "inner": inner}
    assert [statement.name for statement in found.statements] == ["first", None, None]
    assert [statement.line for statement in found.statements] == [8, 9, 10]
    assert found.obligations == []


def test_macros_capture_nothing():
    found = read(
        DECLARED
        + "(define-fun twice ((y (_ BitVec 8))) (_ BitVec 8) (bvadd y x))"
        + "(define-fun pair ((x (_ BitVec 8)) (z (_ BitVec 8))) (_ BitVec 8) (bvsub (twice z) (twice x)))"
        + "(define-fun it () (_ BitVec 8) (let ((x #x07)) (pair y x)))"
    )
    seven = b.const(BitVec(8), 7)
    assert found.definitions["it"] is b.bvsub(b.bvadd(seven, X), b.bvadd(Y, X))


def test_a_function_with_the_printers_name_need_not_be_a_table():
    text = "(define-fun soid.table.0 ((i (_ BitVec 8))) (_ BitVec 8) {})"
    for body in ("(bvadd i #x01)", "(ite (= ((_ extract 0 0) i) #b1) i #x00)", "(ite (= i #x00) #x01 #x05)"):
        found = byte_of("(soid.table.0 x)", before=text.format(body))
        expected = byte_of(body.replace(" i", " x").replace("i)", "x)"), before="")
        assert found is expected
    # a tree that tests the bits in another order than the writer's is not read as a table
    crossed = "(ite (= ((_ extract 0 0) i) #b1) (ite (= ((_ extract 1 1) i) #b1) #x03 #x02) #x01)"
    assert byte_of("(soid.table.0 x)", before=text.format(crossed)).op.name == "ite"


# --- obligations ------------------------------------------------------------------------------------------------------


def test_an_unguarded_conversion_is_an_obligation():
    found = read(DECLARED + "(assert (= x ((_ fp.to_sbv 8) RTZ f)))")
    assert found.assertions == [b.eq(X, b.fp_to_signed(Rounding.RTZ, 8, F))]
    assert found.obligations == [b.fits_integer(Rounding.RTZ, 8, F, signed=True)]


def test_obligations_go_where_the_conversion_is_used():
    found = read(
        DECLARED
        + "(define-fun cast ((h Float32)) (_ BitVec 8) ((_ fp.to_ubv 8) RNE h))"
        + "(define-fun speed () (_ BitVec 8) (cast f))"
        + "(assert (! (bvult x #x05) :named none))"
        + "(assert (! (bvult x speed) :named one))"
        + "(assert (! (= speed (cast g)) :named two))"
    )
    fits_f, fits_g = (b.fits_integer(Rounding.RNE, 8, v, signed=False) for v in (F, G))
    assert [s.obligations for s in found.statements] == [(), (fits_f,), (fits_f, fits_g)]
    assert found.conditions == {"speed": (fits_f,), "one": (fits_f,), "two": (fits_f, fits_g)}
    assert found.obligations == [fits_f, fits_g]


def test_a_let_bound_conversion_is_guarded_where_it_is_guarded():
    finite, zeros = "(not (or (fp.isNaN f) (fp.isInfinite f)))", "0" * 23
    ends = f"(fp.leq (fp #b1 #x86 #b{zeros}) rounded) (fp.lt rounded (fp #b0 #x86 #b{zeros}))"
    guard = f"(let ((rounded (fp.roundToIntegral RTZ f))) (and {finite} {ends}))"
    fits, converted = b.fits_integer(Rounding.RTZ, 8, F, signed=True), b.fp_to_signed(Rounding.RTZ, 8, F)
    let = f"(assert (let ((c ((_ fp.to_sbv 8) RTZ f)) (guard {guard})) (= x %s)))"
    guarded = read(DECLARED + let % "(ite guard c #x00)")
    assert guarded.assertions == [b.eq(X, converted)]
    assert guarded.obligations == []
    for other in ("(ite guard c #x01)", "(ite p c #x00)", "c", "(bvadd (ite guard c #x00) c)", "(ite guard #x00 c)"):
        assert read(DECLARED + let % other).obligations == [fits]


def test_a_constant_that_does_not_fit_is_an_obligation_that_fails():
    found = read(DECLARED + "(assert (= x ((_ fp.to_sbv 8) RTZ ((_ to_fp 8 24) RNE 1000))))")
    assert found.obligations == [b.FALSE]
    assert read(DECLARED + "(assert (= x ((_ fp.to_sbv 8) RTZ ((_ to_fp 8 24) RNE 100))))").obligations == []


# --- refused ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(push 1)", "the command push is not read here"),
        ("(check-sat-assuming (p))", "check-sat-assuming"),
        ("(define-fun-rec h ((x Bool)) Bool x)", "define-fun-rec"),
        ("(declare-fun h ((_ BitVec 8)) Bool)", "h is an uninterpreted function"),
        ("(declare-const i Int)", "Int is no sort"),
        ("(declare-const i Real)", "Real is no sort"),
        ("(declare-const m RoundingMode)", "rounding mode"),
        ("(declare-const a (Array (_ BitVec 32) (_ BitVec 32)))", "hold bytes"),
        ("(declare-const a (_ BitVec 0))", "BitVec is no sort"),
        ("(declare-const a (_ BitVec 99999999999))", "99999999999 bits"),
        ("(declare-const a (_ FloatingPoint 60 24))", "Float128"),
        ("(declare-const x Bool)", "'x'"),
        ("(define-fun p () Bool true)", "p is declared or defined twice"),
        ("(declare-const and Bool)", "and has a meaning of its own"),
        ("(assert (forall ((z Bool)) z))", "forall is not read here"),
        ("(assert (fp.eq (fp.min f g) f))", "fp.min is not read here"),
        ("(assert (= (fp.to_real f) 1.0))", "fp.to_real is not read here"),
        ("(assert (fp.eq (fp.add RTZ f g) f))", "fp.add with the rounding mode RTZ"),
        ("(assert (fp.eq ((_ to_fp 8 24) RTZ ((_ zero_extend 30) x)) f))", "rounding mode RTZ"),
        ("(assert (fp.eq ((_ to_fp 5 11) RTN f) ((_ to_fp 5 11) RNE f)))", "rounding mode RTN"),
        ("(assert (= x y", "never closed"),
        ("(assert (= x y)))", "never opened"),
        ("(assert unknown)", "unknown is not declared"),
        ("(assert (unknown x))", "unknown is not declared"),
        ("(assert ((_ unknown 1) x))", "unknown is not declared"),
        ("(assert (x))", "x takes no arguments"),
        ("(assert x)", "an assertion is a truth value"),
        ("(assert 5)", "found a number that is neither"),
        ("(assert (= x 5))", "found a number that is neither"),
        ("(assert (+ x y))", "+ is not read here"),
        ("(assert (bvult x f))", "bvult does not take (_ BitVec 8), (_ FloatingPoint 8 24)"),
        ("(assert (bvult x))", "bvult takes 2 arguments, not 1"),
        ("(assert (not p q))", "not takes 1 argument, not 2"),
        ("(assert (and))", "at least"),
        ("(assert (= p))", "at least 2"),
        ("(assert (= ((_ extract 8 0) x) x))", "bits 8 to 0 of a bit-vector of 8 bits"),
        ("(assert (= (_ bv256 8) x))", "256 does not fit in 8 bits"),
        ("(assert (= ((_ repeat 0) x) x))", "at least 1"),
        ("(assert (= ((_ zero_extend 99999999999) x) x))", "bits"),
        ("(assert (let ((x)) p))", "(name value)"),
        ("(assert (let ((z p) (z q)) z))", "bound twice"),
        ("(assert (! p :named))", "a name after :named"),
        ("(assert ())", "found ()"),
        ("(assert |p)", "has no end"),
        ('(echo "p)', "has no end"),
        ("(assert #xzz)", "no word of SMT-LIB"),
        ("(assert :key)", "keyword"),
        ("assert", "expected a command"),
        ('("assert" p)', "name of a command"),
        ("()", "name of a command"),
        ("(assert p q)", "expected (assert term)"),
        ("(define-fun h ((z Bool) (z Bool)) Bool z)", "occurs twice"),
        ("(define-fun h ((z Bool)) (_ BitVec 8) z)", "h is said to be"),
        ("(define-fun h () (_ BitVec 8) p)", "h is said to be"),
        ("(define-fun h ((z Bool)) Bool (! z :named inside))", "inside would name a part"),
        ("(define-fun h ((z Bool)) Bool z) (assert (h x))", "h does not take (_ BitVec 8)"),
        ("(define-fun h ((z Bool)) Bool z) (assert h)", "h takes 1 arguments"),
        ("(assert (= f ((_ to_fp 8 24) RNE (/ 1 0))))", "by zero"),
        ("(assert (= f ((_ to_fp 8 24) f)))", "to_fp does not take"),
        ("(define-sort S (T) T)", "define-sort with parameters"),
        ("(define-sort Bool () Bool)", "defined twice"),
        ("(declare-const let Bool)", "reserved word"),
        ("(assert (as p Bool))", "constant arrays only"),
        ("(assert (fp.isNaN (fp #b0 #b1 #b1)))", "at least 2"),
    ],
)
def test_errors_say_where_and_what(text, message):
    with pytest.raises(SmtLibError) as error:
        read("\n" + DECLARED.strip().replace("\n", " ") + "\n" + text, source="paths/one.smt2")
    assert message in error.value.cause
    assert error.value.cause.startswith("paths/one.smt2:3:")


def test_errors_point_at_the_column():
    with pytest.raises(SmtLibError, match=r"^f\.smt2:2:15: nothing is not declared"):
        read("(check-sat)\n(assert (and  nothing))", source="f.smt2")


@pytest.mark.parametrize(
    "text",
    [
        "(" * 20_000,
        ")" * 20_000,
        "(assert " + "(" * 20_000 + ")" * 20_001,
        "(assert " + "(not " * 20_000 + "5" + ")" * 20_001,
        "(declare-const a " + "(Array " * 10_000 + ")" * 10_001,
        "(assert " + "(let ((x " * 10_000 + "x" + ")) x)" * 10_000 + ")",
    ],
    ids=["open", "close", "empty", "not", "sorts", "let"],
)
def test_nonsense_may_nest_deep(text):
    with pytest.raises(SmtLibError):
        read(text)


def test_lets_and_terms_may_nest_deep():
    """One kind inside the other."""
    half = 20_000
    lets = "".join(f"(let ((y{i + 1} (bvadd y{i} x))) " for i in range(half))
    innermost = "(bvneg " * half + f"y{half}" + ")" * half
    text = f"(declare-const x (_ BitVec 8)) (assert (let ((y0 x)) {lets} (= x {innermost})" + ")" * half + "))"
    (found,) = read(text).assertions
    assert [evaluate(found, {X: value}) for value in (0, 3)] == [True, (3 + half * 3) % 256 == 3]


def test_definitions_that_grow_without_bound_are_refused(monkeypatch):
    monkeypatch.setattr(elaborator, "EXPANSION", 20_000)
    chain = "".join(
        f"(define-fun f{i + 1} ((a (_ BitVec 8))) (_ BitVec 8) (f{i} (bvadd #x03 (f{i} a))))" for i in range(60)
    )
    with pytest.raises(SmtLibError, match="too large"):
        read("(define-fun f0 ((a (_ BitVec 8))) (_ BitVec 8) (bvmul a (bvadd a #x01)))" + chain)


@pytest.mark.parametrize(
    ("first", "step", "message"),
    [("x", "(concat {0} {0})", "more than"), ("3", "(/ {0} (/ 1 {0}))", "too many digits")],
)
def test_values_that_grow_without_bound_are_refused(first, step, message):
    lets = "".join(f"(let ((c{i + 1} {step.format(f'c{i}')})) " for i in range(60))
    with pytest.raises(SmtLibError, match=message):
        read(DECLARED + f"(assert (let ((c0 {first})) {lets} p" + ")" * 62)


def test_reading_ends_when_its_time_is_over():
    with allowed(seconds=0.0), pytest.raises(TimeLimitError, match="reading huge"):
        read("(assert true)", source="huge")
