"""Arrays of bytes, as KLEE writes them, become bit-vectors and look-ups; all others are refused by name."""

import pytest

from soid.errors import SmtLibError
from soid.formula import build as b
from soid.formula.constant_table import ConstantTable
from soid.formula.passes import evaluate, free_variables
from soid.formula.smtlib import read
from soid.formula.sorts import FLOAT32, BitVec

BYTES = "(Array (_ BitVec 32) (_ BitVec 8))"
X32 = b.var("x", BitVec(32))


def word(array, count=4, first=0):
    """The concatenated bytes of an array, the first byte lowest, nested as by KLEE."""
    text = f"(select {array} (_ bv{first} 32))"
    for i in range(first + 1, first + count):
        text = f"(concat (select {array} (_ bv{i} 32) ) {text} )"
    return text


def test_a_path_as_klee_writes_it():
    text = f"""(set-option :produce-models true)
    (set-logic QF_AUFBV )
    (declare-fun speed () {BYTES} )
    (declare-fun closed () {BYTES} )
    (assert (let ( (?B1 {word("speed")} ) (?B2 (select closed (_ bv0 32) ) ) )
       (and (bvslt ?B1 (_ bv100 32) ) (= false (= (_ bv0 8) ?B2 ) ) ) ) )
    (check-sat)
    (get-value ( (select speed (_ bv0 32) ) ) )
    (exit)
    """
    found = read(text)
    speed, closed = b.var("speed", BitVec(32)), b.var("closed", BitVec(8))
    assert found.declarations == {"speed": speed, "closed": closed}
    assert found.arrays == {"speed": 4, "closed": 1}
    assert found.assertions == [
        b.and_(b.bvslt(speed, b.const(BitVec(32), 100)), b.not_(b.eq(b.const(BitVec(8), 0), closed)))
    ]
    assert found.obligations == []


@pytest.mark.parametrize("count", [1, 2, 4, 8])
def test_bytes_put_together_are_the_variable(count):
    found = read(f"(declare-fun x () {BYTES}) (define-fun it () (_ BitVec {8 * count}) {word('x', count)})")
    assert found.definitions["it"] is b.var("x", BitVec(8 * count))


def test_byte_zero_is_the_lowest():
    found = read(f"(declare-const x {BYTES}) (assert (= (select x #x00000002) #x07))")
    x = b.var("x", BitVec(24))
    assert found.assertions == [b.eq(b.extract(x, 23, 16), b.const(BitVec(8), 7))]


def test_the_size_may_be_given():
    text = f"(declare-const x {BYTES}) (declare-const never {BYTES}) (assert (= (select x (_ bv0 32)) #x07))"
    found = read(text, array_bytes={"x": 4, "elsewhere": 2})
    assert found.assertions == [b.eq(b.extract(X32, 7, 0), b.const(BitVec(8), 7))]
    assert found.declarations == {"x": X32}
    assert read(text, array_bytes={"never": 2}).arrays == {"x": 1, "never": 2}
    with pytest.raises(SmtLibError, match="x is read at byte 0, but has 0 bytes"):
        read(text, array_bytes={"x": 0})


def test_floats_out_of_bytes():
    found = read(f"(declare-fun x () {BYTES}) (assert (fp.isNaN ((_ to_fp 8 24) {word('x')})))")
    assert found.assertions == [b.fp_is_nan(b.fp_from_bits(FLOAT32, X32))]


def test_indices_may_be_computed_from_constants():
    found = read(f"(declare-fun x () {BYTES}) (assert (= (select x (bvadd (_ bv1 32) (_ bv2 32))) #x00))")
    assert found.arrays == {"x": 4}


# --- stores ---------------------------------------------------------------------------------------------------------


def test_stores_are_seen_through():
    text = f"""(declare-fun x () {BYTES}) (declare-const v (_ BitVec 8))
    (define-fun y () {BYTES} (store (store x (_ bv1 32) v) (_ bv2 32) #x09))
    (assert (= (select y (_ bv0 32)) (select y (_ bv1 32))))
    (assert (= (select (store y (_ bv1 32) #x05) (_ bv1 32)) (select y (_ bv2 32))))
    (assert (let ((z (store y (_ bv0 32) #x01))) (= (select z (_ bv0 32)) v)))
    """
    v = b.var("v", BitVec(8))
    assert read(text).assertions == [
        b.eq(b.var("x", BitVec(8)), v),
        b.FALSE,
        b.eq(b.const(BitVec(8), 1), v),
    ]


def test_long_chains_of_stores():
    stores = "(store " * 20_000 + "x" + "".join(f" (_ bv{i % 50} 32) (_ bv{i % 251} 8))" for i in range(20_000))
    text = f"(declare-fun x () {BYTES}) (define-fun it () (_ BitVec 400) (let ((y {stores})) {word('y', 50)}))"
    last = {i % 50: i % 251 for i in range(20_000)}
    assert read(text).definitions["it"].value == int.from_bytes(bytes(last[i] for i in range(50)), "little")


# --- reads at an index that is not constant ------------------------------------------------------------------------

ROWS = [7, 11, 13, 0]
FACTS = "".join(f"(assert (= (select {{0}} (_ bv{i} 32)) (_ bv{row} 8)))" for i, row in enumerate(ROWS))


def test_a_constant_array_is_a_table():
    text = f"""(declare-fun const_arr1 () {BYTES}) (declare-fun i () {BYTES})
    (assert (bvult {word("i")} (_ bv3 32)))
    (assert (= (select const_arr1 {word("i")}) (_ bv11 8)))
    """ + FACTS.format("const_arr1")
    found = read(text)
    i = b.var("i", BitVec(32))
    assert found.declarations == {"i": i}
    assert found.constants == {"const_arr1": bytes(ROWS)}
    assert found.assertions[:2] == [
        b.bvult(i, b.const(BitVec(32), 3)),
        b.eq(b.lookup(ConstantTable.of(BitVec(8), ROWS), i), b.const(BitVec(8), 11)),
    ]
    assert all(fact is b.TRUE for fact in found.assertions[2:])
    # SMT-LIB leaves the bytes past the fixed ones open
    assert found.obligations == [b.bvult(i, b.const(BitVec(32), 4))]
    assert found.statements[1].obligations == tuple(found.obligations)
    assert found.statements[0].obligations == ()


def test_a_path_condition_is_not_taken_for_a_constant():
    """Without KLEE's name for constants, `x[0] == 7` is a condition on an input and must remain."""
    found = read(f"(declare-fun x () {BYTES}) (assert (= (select x (_ bv0 32)) #x07))")
    assert found.assertions == [b.eq(b.var("x", BitVec(8)), b.const(BitVec(8), 7))]


def test_an_array_fixed_by_assertions_keeps_them():
    text = f"(declare-fun t () {BYTES}) (declare-const i (_ BitVec 32)) (assert (= (select t i) #x0b))" + FACTS.format(
        "t"
    )
    found = read(text)
    assert b.var("t", BitVec(32)) in free_variables(found.assertions)
    table = b.lookup(ConstantTable.of(BitVec(8), ROWS), b.var("i", BitVec(32)))
    assert found.assertions[0] is b.eq(table, b.const(BitVec(8), 11))
    without = read(text, constant_arrays={"t"})
    assert free_variables(without.assertions) == {b.var("i", BitVec(32))}
    assert without.assertions[0] is found.assertions[0]


def test_contradicting_facts_stay_contradicting():
    text = f"(declare-fun const_arr1 () {BYTES})" + FACTS.format("const_arr1")
    assert b.FALSE in read(text + "(assert (= (_ bv9 8) (select const_arr1 (_ bv0 32))))").assertions


def test_facts_under_a_name_hold_only_there():
    fact = "(assert (! (= (select const_arr1 (_ bv0 32)) #x07) :named path1))"
    text = f"(declare-fun const_arr1 () {BYTES}) (declare-const i (_ BitVec 32)) {fact}"
    assert read(text).assertions == [b.eq(b.var("const_arr1", BitVec(8)), b.const(BitVec(8), 7))]
    with pytest.raises(SmtLibError, match="const_arr1 is read at an index that is not constant"):
        read(text + "(assert (! (= (select const_arr1 i) #x07) :named path2))")


def test_facts_may_stand_in_a_conjunction():
    text = f"""(declare-fun const_arr1 () {BYTES}) (declare-const i (_ BitVec 32))
    (assert (and (= (select const_arr1 (_ bv0 32)) #x05) (= (select const_arr1 (_ bv1 32)) #x06)))
    (assert (= (select const_arr1 i) #x05))"""
    assert read(text).constants == {"const_arr1": b"\x05\x06"}


def test_reads_inside_reads():
    text = f"""(declare-fun const_arr1 () {BYTES}) (declare-fun const_arr2 () {BYTES}) (declare-fun x () {BYTES})
    (define-fun wide ((c (_ BitVec 8))) (_ BitVec 32) ((_ zero_extend 24) c))
    (define-fun it () (_ BitVec 8) (select const_arr2 (wide (select const_arr1 (wide (select x (_ bv0 32)))))))
    (define-fun fixed () (_ BitVec 8) (select x (wide (select const_arr2 (_ bv1 32)))))
    (assert (= (select const_arr1 (_ bv0 32)) #x01)) (assert (= (select const_arr1 (_ bv1 32)) #x00))
    (assert (= (select const_arr2 (_ bv0 32)) #x05)) (assert (= (select const_arr2 (_ bv1 32)) #x03))
    """
    found = read(text)
    x = found.declarations["x"]
    assert x.sort == BitVec(32)  # the byte 3 is read through const_arr2[1]
    assert found.definitions["fixed"] is b.extract(x, 31, 24)
    assert [evaluate(found.definitions["it"], {x: i}) for i in (0, 1)] == [3, 5]
    assert len(found.conditions["it"]) == 2
    assert all(evaluate(o, {x: 1}) and not evaluate(o, {x: 2}) for o in found.conditions["it"][:1])


@pytest.mark.parametrize("default", [0, 9])
def test_reads_over_stores_and_constant_arrays(default):
    text = f"""(declare-const i (_ BitVec 32)) (declare-const v (_ BitVec 8))
    (define-fun it () (_ BitVec 8) (select
      (store (store (store ((as const {BYTES}) (_ bv{default} 8)) (_ bv0 32) #x07) (_ bv3 32) v) (_ bv1 32) #x08) i))
    """
    found = read(text)
    i, v = b.var("i", BitVec(32)), b.var("v", BitVec(8))
    values = [evaluate(found.definitions["it"], {i: n, v: 77}) for n in (0, 1, 2, 3, 4, 2**32 - 1)]
    assert values == [7, 8, default, 77, default, default]
    assert found.obligations == []


def test_a_read_over_stores_that_cover_the_array():
    text = f"""(declare-const i (_ BitVec 32)) (declare-fun x () {BYTES})
    (assert (= #x07 (select (store (store x (_ bv0 32) #x07) (_ bv1 32) #x08) i)))"""
    found = read(text)
    i = b.var("i", BitVec(32))
    assert found.assertions == [b.eq(b.const(BitVec(8), 7), b.lookup(ConstantTable.of(BitVec(8), [7, 8]), i))]
    assert found.obligations == [b.bvult(i, b.const(BitVec(32), 2))]


# --- refused ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(assert (= (select x i) #x00))", "x is read at an index that is not constant"),
        ("(assert (= #x07 (select (store x (_ bv1 32) #x08) i)))", "x is read at an index that is not constant"),
        ("(assert (= #x07 (select (store x i #x08) (_ bv0 32))))", "a store to x at an index that is not constant"),
        ("(assert (= x y))", "found an array (x)"),
        ("(assert (= #x00 (select (ite true x y) (_ bv0 32))))", "found an array (x)"),
        ("(assert x)", "found an array (x)"),
        ("(assert (= #x00 (select i (_ bv0 32))))", "select takes an array first, not (_ BitVec 32)"),
        ("(assert (= #x00 (select x #x00)))", "x is indexed by (_ BitVec 32), not by (_ BitVec 8)"),
        ("(assert (= #x00 (select (store x i i) i)))", "x holds bytes, not (_ BitVec 32)"),
        ("(assert (= #x00 (select x (_ bv4000000000 32))))", "x is read at byte 4000000000"),
        ("(define-fun h ((j (_ BitVec 32))) (_ BitVec 8) (select x j))", "x is read in a definition with parameters"),
        ("(assert (= #x00 (select ((as const (Array (_ BitVec 8) Bool)) true) #x00)))", "arrays are read only if"),
        ("(assert (= #x00 (select ((as const Bool) true) #x00)))", "expected (as const"),
    ],
)
def test_refused_by_name(text, message):
    before = f"(declare-fun x () {BYTES}) (declare-fun y () {BYTES}) (declare-const i (_ BitVec 32))\n"
    with pytest.raises(SmtLibError) as error:
        read(before + text, source="p.smt2")
    assert message in error.value.cause
    assert error.value.cause.startswith("p.smt2:2:")


def test_a_constant_array_of_something_else_than_bytes():
    for element in ("#x0000", "true"):
        with pytest.raises(SmtLibError, match="a constant array does not take"):
            read(f"(assert (= (select ((as const {BYTES}) {element}) (_ bv0 32)) #x00))")
