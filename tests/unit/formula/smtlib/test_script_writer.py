"""Terms written as scripts, and read back as the same terms."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from soid.errors import SmtLibError
from soid.formula import build as b
from soid.formula import operators as ops
from soid.formula.constant_table import ConstantTable
from soid.formula.passes import free_variables
from soid.formula.smtlib import read, script, text
from soid.formula.smtlib.symbols import name, symbol
from soid.formula.softfloat import Rounding
from soid.formula.sorts import BOOL, FLOAT32, FLOAT64, BitVec
from tests.randomness import SEEDED
from tests.unit.formula.terms import TABLES, Pool, applications, deep_script, deep_sum, truth

EVERY_OPERATOR = pytest.mark.parametrize("op", ops.OPERATORS.values(), ids=lambda op: op.name)
X, Y, F = b.var("x", BitVec(8)), b.var("y", BitVec(8)), b.var("f", FLOAT32)


def assert_same(terms, **options):
    assert_reads_as(script(terms, **options), terms)


def assert_reads_as(text, terms):
    back = read(text)
    assert len(back.assertions) == len(terms)
    assert all(a is b for a, b in zip(back.assertions, terms, strict=True))
    assert back.obligations == []
    assert set(back.declarations.values()) == free_variables(terms)


@EVERY_OPERATOR
def test_every_operator_in_every_signature(op):
    assert_same([truth(term) for term in applications(op)])


@EVERY_OPERATOR
@given(random=SEEDED)
@settings(max_examples=6)
def test_every_operator_over_random_graphs(op, random):
    pool = Pool(random).grow(25)
    assert_same([truth(pool.application(op)) for _ in range(3)])


@given(SEEDED)
@settings(max_examples=15)
def test_large_random_graphs(random):
    pool = Pool(random).grow(300)
    assert_same([truth(terms[-1]) for terms in pool.by_sort.values()])


def test_the_text_depends_on_nothing_but_the_assertions():
    terms = [b.bvult(b.bvadd(Y, X), X), b.eq(X, Y)]
    assert script(terms) == script(terms)
    lines = script(terms).splitlines()
    assert lines == [
        "(set-logic QF_BVFP)",
        "(declare-fun y () (_ BitVec 8))",
        "(declare-fun x () (_ BitVec 8))",
        "(assert (bvult (bvadd y x) x))",
        "(assert (= x y))",
        "(check-sat)",
    ]


def test_options():
    lines = script([], comments=["one\ntwo", ""], status="sat", get_model=True).splitlines()
    assert lines == [
        "; one",
        "; two",
        ";",
        "(set-option :produce-models true)",
        "(set-logic QF_BVFP)",
        "(set-info :status sat)",
        "(check-sat)",
        "(get-model)",
    ]


def test_a_comment_cannot_become_a_command():
    for separator in ["\n", "\r", "\r\n", "\u2028", "\x0b"]:
        assert read(script([], comments=[f"harmless{separator}(assert false)"])).assertions == []


@pytest.mark.parametrize(
    ("constant", "written"),
    [
        (b.const(BitVec(3), 5), "#b101"),
        (b.const(BitVec(12), 0xABC), "#xabc"),
        (b.const(FLOAT32, FLOAT32.nan), "(_ NaN 8 24)"),
        (b.const(FLOAT32, 0x80000000), "(fp #b1 #b00000000 #b00000000000000000000000)"),
        (b.const(FLOAT64, 1), "(fp #b0 #b00000000000 #b0000000000000000000000000000000000000000000000000001)"),
    ],
)
def test_constants(constant, written):
    term = b.eq(b.var("a", constant.sort), constant)
    assert f"(= a {written})" in script([term])
    assert_same([term])


def test_what_is_shared_is_written_once():
    term = X
    for _ in range(200):
        term = b.bvmul(b.bvadd(term, term), Y)
    written = script([b.eq(term, X), b.bvult(term, Y)])
    assert len(written) < 20_000
    assert len(text(term)) < 20_000
    assert_same([b.eq(term, X), b.bvult(term, Y)])


def test_nesting_stays_shallow():
    term = X
    for i in range(2_000):
        term = b.bvadd(b.bvnot(term), b.const(BitVec(8), i % 9 + 1))
    deepest = depth = 0
    for character in script([b.eq(term, Y)]):
        depth += (character == "(") - (character == ")")
        deepest = max(deepest, depth)
    assert deepest < 100


def test_deep_terms_are_printed_and_read():
    assert_reads_as(deep_script(), [b.eq(deep_sum(), Y)])


def test_conversions_carry_their_guard():
    converted = b.fp_to_signed(Rounding.RTZ, 8, F)
    written = script([b.eq(converted, X)])
    assert "(ite (and (not (or (fp.isNaN f) (fp.isInfinite f)))" in written
    assert "((_ fp.to_sbv 8) RTZ f) #x00)" in written
    assert_same([b.eq(converted, X)])


def test_a_guard_written_by_hand_stays_beside_the_one_of_the_conversion():
    converted = b.fp_to_unsigned(Rounding.RNE, 8, F)
    fits = b.fits_integer(Rounding.RNE, 8, F, signed=False)
    assert_same([b.eq(b.ite(fits, converted, b.const(BitVec(8), 0)), X), fits])
    assert_same([b.eq(b.ite(fits, converted, b.const(BitVec(8), 9)), X)])


@pytest.mark.parametrize(
    "table",
    [
        *TABLES,
        ConstantTable.of(BitVec(8), [9]),
        ConstantTable.of(BitVec(8), [0, 0, 1]),
        ConstantTable.of(BitVec(1), [1, 0] * 50),
        ConstantTable.of(BitVec(16), range(5_000)),
        ConstantTable.of(FLOAT64, [0x8000000000000000, FLOAT64.nan, 0, 1]),
        ConstantTable.of(BitVec(4), [5] * 1024),
    ],
    ids=repr,
)
@pytest.mark.parametrize("width", [1, 2, 3, 8, 9, 13, 64])
def test_tables_are_restored(table, width):
    index = b.var("i", BitVec(width))
    found = b.lookup(table, index)
    assert_same([b.eq(found, b.var("r", table.sort)), b.eq(b.lookup(table, b.bvadd(index, index)), found)])


def test_equal_halves_of_a_table_are_written_once():
    table = ConstantTable.of(BitVec(32), [i % 16 + 7 for i in range(1 << 14)])
    assert len(script([b.eq(b.lookup(table, b.var("i", BitVec(14))), b.var("r", BitVec(32)))])) < 2_000


def test_one_table_under_two_widths():
    table = TABLES[0]
    i, j = b.var("i", BitVec(3)), b.var("j", BitVec(64))
    terms = [b.eq(b.lookup(table, i), b.lookup(table, j))]
    assert script(terms).count("define-fun soid.table.") == 2
    assert_same(terms)


@pytest.mark.parametrize(
    ("variable", "written"),
    [
        ("speed", "speed"),
        ("started'", "|started'|"),
        ("world.agents[1].pos_x", "|world.agents[1].pos_x|"),
        ("two words", "|two words|"),
        ("1st", "|1st|"),
        ("a|b\\c%", "soid.name.a%7Cb%5Cc%25"),
        ("and", "soid.name.and"),
        ("select", "soid.name.select"),
        ("fp.add", "soid.name.fp.add"),
        ("soid.0", "soid.name.soid.0"),
        ("soid.name.and", "soid.name.soid.name.and"),
        ("", "soid.name."),
        ("straße", "soid.name.stra%C3%9Fe"),
        ("@x", "soid.name.@x"),
        ("soid.[1]", "|soid.name.soid.[1]|"),
    ],
)
def test_names(variable, written):
    assert symbol(variable) == written
    assert name(written.strip("|")) == variable
    assert_same([b.eq(b.var(variable, BitVec(8)), X), b.var(variable + "2", BOOL)])


@given(st.text(alphabet=st.characters(), max_size=12))
def test_every_name_comes_back(variable):
    assert name(symbol(variable).strip("|")) == variable
    if not variable.startswith("\0"):
        assert_same([b.var(variable, BOOL)])


@given(st.text(alphabet="soid.name%7C25and|\\ x", max_size=20))
def test_two_symbols_are_never_one_name(variable):
    """Reading a foreign symbol, then printing its name, gives that symbol or one that only soid writes."""
    read_as = name(variable)
    assert read_as == variable or symbol(read_as).strip("|") == variable


def test_a_name_has_one_sort():
    with pytest.raises(SmtLibError, match="used both as"):
        script([b.eq(X, X), b.bvult(X, Y), b.var("x", BOOL)])


def test_text_is_one_expression():
    deep = X
    for i in range(5_000):
        deep = b.bvadd(deep, b.const(BitVec(8), i % 9 + 1))
    assert text(deep).startswith("(let ((soid.0 (bvadd ")
    assert text(deep).count("(") == text(deep).count(")")
    assert text(b.bvadd(X, b.const(BitVec(8), 1))) == "(bvadd x #x01)"
    assert text(X) == "x"
    assert text(b.TRUE) == "true"
