"""For any text, the reader gives a script or an error with its place."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from soid.errors import SmtLibError
from soid.formula.passes import free_variables
from soid.formula.smtlib import SmtLibScript, read, script
from soid.formula.smtlib.applications import INDEXED
from soid.formula.smtlib.derived_operators import PLAIN, REFUSED, ROUNDED
from tests.randomness import SEEDED
from tests.unit.formula.terms import Pool, truth

KLEE = """
(set-logic QF_AUFBV)
(declare-fun x () (Array (_ BitVec 32) (_ BitVec 8)))
(declare-fun const_arr1 () (Array (_ BitVec 32) (_ BitVec 8)))
(assert (= (select const_arr1 (_ bv0 32)) (_ bv7 8)))
(assert (= (select const_arr1 (_ bv1 32)) (_ bv9 8)))
(assert (let ((?B1 (concat (select x (_ bv1 32)) (select x (_ bv0 32)))))
  (and (bvult ?B1 (_ bv2 16)) (= (_ bv9 8) (select const_arr1 ((_ zero_extend 16) ?B1))))))
(assert (= #x00 (select (store x (_ bv5 32) (select x (_ bv0 32))) (_ bv5 32))))
"""
OTHER = """
(set-info :status sat) (define-sort Speed () Float32) (declare-const v Speed) (declare-const |a b| Bool)
(define-fun cast ((h Speed) (m Bool)) (_ BitVec 8) (ite m ((_ fp.to_sbv 8) RTZ h) #x00))
(assert (! (fp.lt (fp.add RNE v ((_ to_fp 8 24) RNE (/ 1 3))) (fp #b0 #x7f #b00000000000000000000000)) :named n1))
(assert (distinct (cast v |a b|) ((_ extract 8 1) ((_ rotate_left 3) #b101010101)) ((_ repeat 2) #xf)))
(assert (=> n1 (xor |a b| (fp.isNaN v)) (= (fp.roundToIntegral RTP v) (fp.fma RNE v v v))))
(check-sat) (get-value (v)) (exit)
"""
TOKEN = re.compile(r'[()]|\|[^|]*\||"[^"]*"|[^\s()]+')
WORDS = [
    *["(", ")", "(", ")", "(", ")", "_", "!", "let", "as", "const", "assert", "declare-const", "declare-fun", "exit"],
    *[
        "define-fun",
        "define-sort",
        "define-const",
        ":named",
        ":x",
        "x",
        "v",
        "const_arr1",
        "|a b|",
        "true",
        "RNE",
        "RTZ",
    ],
    *["0", "1", "2", "7", "8", "24", "32", "99999999", "0.5", "#x0f", "#b1", "bv3", "bv", "BitVec", "FloatingPoint"],
    *["Array", "Bool", "Float32", "Int", "NaN", "+oo", "-", "/", "select", "store", "ite", "fp", "soid.table.0"],
    *['"text"', "|", '"', "\\", ";", "\0", "é", "²", "٣", *PLAIN, *ROUNDED, *INDEXED, *REFUSED],
]


def assert_read_or_refused(text):
    try:
        found = read(text, source="fuzz")
    except SmtLibError as error:
        cause = error.cause
    else:
        assert isinstance(found, SmtLibScript)
        assert not any(v.name.startswith("\0") for v in free_variables([*found.assertions, *found.obligations]))
        return
    assert re.match(r"fuzz:\d+:\d+: .", cause)


def mutated(random, text):
    tokens = TOKEN.findall(text)
    for _ in range(random.randint(1, 4)):
        at, other = random.randrange(len(tokens)), random.randrange(len(tokens))
        match random.randrange(6):
            case 0:
                del tokens[at]
            case 1:
                tokens.insert(at, random.choice(WORDS))
            case 2:
                tokens[at] = random.choice(WORDS)
            case 3:
                tokens[at], tokens[other] = tokens[other], tokens[at]
            case 4:
                tokens[at] = tokens[other]
            case _:
                tokens[at:at] = tokens[min(at, other) : max(at, other)][:30]
        if not tokens:
            break
    return " ".join(tokens)


@pytest.mark.parametrize(("text", "assertions"), [(KLEE, 4), (OTHER, 3)], ids=["arrays", "floats"])
def test_the_scripts_to_mutate_are_right(text, assertions):
    assert len(read(text).assertions) == assertions


@pytest.mark.parametrize("text", [KLEE, OTHER], ids=["arrays", "floats"])
@given(random=SEEDED)
@settings(max_examples=400)
def test_mutations(text, random):
    assert_read_or_refused(mutated(random, text))


@given(SEEDED)
@settings(max_examples=60)
def test_mutations_of_printed_scripts(random):
    pool = Pool(random).grow(30)
    text = script([truth(pool.by_sort[sort][-1]) for sort in random.sample(list(pool.by_sort), 3)])
    for _ in range(8):
        assert_read_or_refused(mutated(random, text))


@given(SEEDED)
@settings(max_examples=300)
def test_random_words(random):
    words = random.choices(WORDS, k=random.randint(1, 40))
    assert_read_or_refused(" ".join(words))
    assert_read_or_refused(f"(declare-const x (_ BitVec 8)) (assert ({' '.join(words)}))")


@given(st.text(max_size=200))
def test_random_characters(text):
    assert_read_or_refused(text)
    assert_read_or_refused(f"(assert {text})")


@given(st.data())
@settings(max_examples=200)
def test_operators_on_wrong_arguments(data):
    values = ["x", "y", "f", "p", "a", "#b1", "RNE", "0.5", "(_ NaN 5 11)", "((_ fp.to_ubv 3) RTZ f)", "unknown"]
    args = data.draw(st.lists(st.sampled_from(values), max_size=4))
    numbers = data.draw(st.lists(st.sampled_from([0, 1, 2, 5, 8, 11, 24, 10**6, 10**14]), max_size=3))
    name = data.draw(st.sampled_from([*PLAIN, *ROUNDED, *INDEXED, *REFUSED, "select", "store", "fp", "ite", "-", "/"]))
    head = f"(_ {name} {' '.join(map(str, numbers))})" if numbers else name
    before = """(declare-const x (_ BitVec 8)) (declare-const y (_ BitVec 32)) (declare-const f Float32)
        (declare-const p Bool) (declare-const a (Array (_ BitVec 32) (_ BitVec 8)))"""
    for sort in ("Bool", "(_ BitVec 8)", "Float32"):
        assert_read_or_refused(f"{before} (define-fun it () {sort} ({head} {' '.join(args)}))")


@pytest.mark.fuzz
@given(random=SEEDED)
def test_mutations_for_as_long_as_one_likes(random):
    assert_read_or_refused(mutated(random, random.choice([KLEE, OTHER])))
