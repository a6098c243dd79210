"""z3, cvc5 and bitwuzla read the scripts of the writer, and agree with the table's folding."""

from random import Random

import bitwuzla
import cvc5
import pytest
import z3

from soid.formula import build as b
from soid.formula import operators as ops
from soid.formula.smtlib import script
from soid.formula.sorts import BOOL, FLOAT32, FLOAT64, BitVec, Float
from tests.unit.formula.terms import TABLES, deep_script, signatures, value, variable


def ask_z3(text):
    solver = z3.Solver()
    solver.add(z3.parse_smt2_string(text))
    return str(solver.check())


def ask_cvc5(text):
    return run_cvc5(cvc5.Solver(cvc5.TermManager()), text)


def run_cvc5(solver, text):
    solver.setOption("fp-exp", "true")  # cvc5 needs it for floats that are neither single nor double
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "test")
    symbols = parser.getSymbolManager()
    output = ""
    while not (command := parser.nextCommand()).isNull():
        output += str(command.invoke(solver, symbols))
    return output.strip()


def ask_bitwuzla(text):
    parser = bitwuzla.Parser(bitwuzla.TermManager(), bitwuzla.Options())
    parser.parse(text, True, False)
    return str(parser.bitwuzla().check_sat()).lower()


ASK = [ask_z3, ask_cvc5, ask_bitwuzla]
EVERY_SOLVER = pytest.mark.parametrize("ask", ASK)

#: formats that every one of the three solvers has
KNOWN = (BOOL, BitVec(1), BitVec(3), BitVec(7), BitVec(8), BitVec(16), FLOAT32, FLOAT64)


def known(op):
    """The signatures over sorts that every solver has, results included."""
    return [(s, p) for s, p in signatures(op) if all(sort in KNOWN for sort in (*s, op.sort(s, p)))]


def pinned(op, random):
    """The operator over variables that equal constants, and the result by the table."""
    for sorts, params in random.sample(known(op), min(6, len(known(op)))):
        args = [value(random, sort) for sort in sorts]
        names = tuple(variable(sort, i) for i, sort in enumerate(sorts))
        pins = [b.eq(n, b.const(n.sort, v)) for n, v in zip(names, args, strict=True)]
        expected = b.const(op.sort(sorts, params), op.fold(sorts, params, tuple(args)))
        yield pins, b.eq(b.apply(op, names, params), expected)


@pytest.mark.parametrize("op", ops.OPERATORS.values(), ids=lambda op: op.name)
def test_solvers_agree_with_the_table(op):
    random = Random(op.name)
    assert known(op) or op is ops.FP_FROM_BITS
    for pins, holds in pinned(op, random):
        texts = {
            "sat": script([*pins, holds], status="sat", comments=[op.name]),
            "unsat": script([*pins, b.not_(holds)], status="unsat"),
        }
        for expected, text in texts.items():
            assert [ask(text) for ask in ASK] == [expected] * 3, text


@EVERY_SOLVER
def test_bits_of_floats(ask):
    bits, a = b.var("bits", BitVec(32)), b.var("a", FLOAT32)
    terms = [b.eq(bits, b.const(BitVec(32), 0x80000000)), b.eq(a, b.fp_from_bits(FLOAT32, bits))]
    assert ask(script([*terms, b.fp_is_zero(a), b.fp_is_negative(a)])) == "sat"
    assert ask(script([*terms, b.not_(b.eq(a, b.const(FLOAT32, FLOAT32.sign_bit)))])) == "unsat"


@EVERY_SOLVER
def test_names_that_need_care(ask):
    names = ["started'", "agents[1].x", "a|b", "\\", "and", "select", "fp.add", "soid.0", "soid.i", "", "straße", "x y"]
    names += [
        "let",
        "RNE",
        "abs",
        "max",
        "true",
        "bvadd",
        "1",
        "#x",
        "@a",
        ".b",
        "_",
        "!",
        "head",
        "set.union",
        "bvinc",
    ]
    terms = [b.eq(b.var(n, BitVec(8)), b.const(BitVec(8), i)) for i, n in enumerate(names)]
    assert ask(script(terms, get_model=False)) == "sat"


@EVERY_SOLVER
def test_tables(ask):
    i, table = b.var("i", BitVec(8)), TABLES[2]
    row = b.lookup(table, i)
    assert ask(script([b.eq(row, b.const(BitVec(8), 200)), b.eq(i, b.const(BitVec(8), 199))])) == "sat"
    assert ask(script([b.eq(row, b.const(BitVec(8), 200)), b.not_(b.eq(i, b.const(BitVec(8), 199)))])) == "unsat"


def read_by_z3(text):
    return len(z3.parse_smt2_string(text))


def read_by_cvc5(text):
    solver = cvc5.Solver(cvc5.TermManager())
    run_cvc5(solver, text)
    return len(solver.getAssertions())


def read_by_bitwuzla(text):
    parser = bitwuzla.Parser(bitwuzla.TermManager(), bitwuzla.Options())
    parser.parse(text, True, False)
    return len(parser.bitwuzla().get_assertions())


@pytest.mark.parametrize("read", [read_by_z3, read_by_cvc5, read_by_bitwuzla])
def test_deep_terms_do_not_overflow_a_parser(read):
    assert read(deep_script().replace("(check-sat)", "")) >= 1  # cvc5 counts definitions too


def test_a_model_is_there_when_asked_for():
    x = b.var("x", Float(8, 24))
    answer = ask_cvc5(script([b.fp_is_nan(x)], get_model=True))
    assert answer.startswith("sat\n")
    assert "(define-fun x () (_ FloatingPoint 8 24)" in answer
