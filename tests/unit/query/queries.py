"""Random expressions, suppositions and queries, and an interface with a variable of every kind."""

from __future__ import annotations

from hypothesis import strategies as st

from soid.formula.sorts import FLOAT16, FLOAT32, FLOAT64
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, EnumType, FloatType, IntType
from soid.query.behavior import Behavior
from soid.query.query import Query, QueryKind
from soid.query.steps import Over, Steps
from soid.scenario import expression as ex
from soid.scenario.expression import ArithmeticOp, Comparison, Expression, NumberFunction
from soid.scenario.smtlib_formula import smtlib_formula
from soid.scenario.supposition import AnyBits, Anything, During, Keep, Satisfies, Supposition, Untimed, Within
from soid.scenario.written_step import WrittenTime

SIGNAL = EnumType("signal", 8, False, (("OFF", 0), ("LEFT", 1), ("RIGHT", 2), ("two words", 3)))

INTERFACE = Interface(
    (
        Variable("error", Role.ENVIRONMENT, BoolType()),
        Variable("closed", Role.ENVIRONMENT, BoolType(), label="the door being closed"),
        Variable("x", Role.ENVIRONMENT, FloatType(FLOAT32), unit="m"),
        Variable("y", Role.ENVIRONMENT, FloatType(FLOAT64)),
        Variable("h", Role.ENVIRONMENT, FloatType(FLOAT16)),
        Variable("n", Role.ENVIRONMENT, IntType(8, signed=False)),
        Variable("i", Role.ENVIRONMENT, IntType(8, signed=True)),
        Variable("world.agents[1].speed", Role.ENVIRONMENT, FloatType(FLOAT32), unit="m/s"),
        Variable("signal", Role.ENVIRONMENT, SIGNAL),
        Variable("other", Role.ENVIRONMENT, SIGNAL),
        Variable("started", Role.STATE, BoolType()),
        Variable("count", Role.STATE, IntType(16, signed=True)),
        Variable("move", Role.DECISION, BoolType()),
        Variable("brake", Role.DECISION, FloatType(FLOAT32)),
        Variable("choice", Role.DECISION, SIGNAL),
        Variable("safe_to_enter()", Role.INTERNAL, BoolType()),
    )
)

paths = st.sampled_from(
    [
        "x",
        "signal",
        "world.agents[1].pos_x",
        "safe_to_enter()",
        "decide:closest",
        "LEFT",
        "if",
        "nan",
        "bits",
        "0ddly",
        "`",
        "min",
        "int8()",
        "smtlib",
        "xor",
    ]
) | st.from_regex(r"[a-zA-Z_]\w{0,5}(\.[a-z]{1,3}|\[\d{1,2}\]){0,2}", fullmatch=True)

number_texts = (
    st.integers(-1000, 1000).map(str)
    | st.floats(allow_nan=False).map(repr)
    | st.sampled_from(["inf", "-inf", "nan", "-0.0", "0x1f", "-0x1.8p3", "0x1p-20", "1e+3", "007", "1.50"])
)

names = st.builds(ex.Name, paths, st.booleans())
literals = st.builds(
    ex.Literal,
    number_texts
    | st.sampled_from(["true", "false", "nan(0x7fc00001)", "bits(0x1F)", "'A'", r"'\''", r"'\x1b'", "'\"'"]),
)
smtlib = st.sampled_from(
    ["(bvult |a[1].n| #x0a)", "(= |count'| |fact(count)|)", "(let ((y x)) (fp.lt y z)) ; why", "true"]
)
labels = st.builds(ex.Label, st.text(max_size=5))

leaves: st.SearchStrategy[Expression] = (
    names
    | literals
    | labels
    | st.builds(ex.FactOf, paths, st.booleans())
    | st.builds(ex.Fails)
    | st.builds(ex.Decides)
    | smtlib.map(smtlib_formula)
)


def _nodes(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    links = st.lists(st.tuples(st.sampled_from(Comparison), inner), min_size=1, max_size=2).map(tuple)
    items = st.lists(inner | st.builds(ex.Between, inner, inner), min_size=1, max_size=3).map(tuple)
    constants = literals | labels | st.builds(ex.Name, paths)
    return st.one_of(
        st.builds(ex.Arithmetic, st.sampled_from(ArithmeticOp), inner, inner),
        st.builds(ex.negate, inner),
        st.builds(ex.Complement, inner),
        st.sampled_from(NumberFunction).flatmap(lambda function: _calls(function, inner)),
        st.builds(ex.Compare, inner, links),
        st.builds(ex.Member, inner, items),
        st.builds(ex.Identical, inner, constants),
        st.builds(ex.Not, inner),
        st.builds(ex.And, several),
        st.builds(ex.Or, several),
        st.builds(ex.Implies, inner, inner),
        st.builds(ex.Iff, inner, inner),
    )


def _calls(function: NumberFunction, inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    counts = function.counts
    operands = st.lists(inner, min_size=counts[0], max_size=min(counts[-1], 3))
    return operands.map(lambda given: ex.call(function, tuple(given)))


expressions: st.SearchStrategy[Expression] = st.recursive(leaves, _nodes, max_leaves=12)

untimed: st.SearchStrategy[Untimed] = st.one_of(
    st.builds(Anything, paths),
    st.builds(AnyBits, paths),
    st.builds(Within, paths, number_texts),
    st.builds(Satisfies, expressions),
)

numbers = st.integers(0, 10**17)
times = st.builds(
    WrittenTime,
    st.from_regex(r"[0-9]{1,12}(\.[0-9]{1,9})? ?(ms|us|ns|min|h|d|s|sec|seconds)", fullmatch=True)
    | st.from_regex(r"([0-9]{1,9}:){1,2}[0-9]{1,12}(\.[0-9]{1,9})?", fullmatch=True)
    | st.sampled_from(["@1778338844000", "@-1.5e+3", "@2026-05-09T15:00:44.25+01:00", "@2026-05-09T15:00:44Z"]),
).filter(lambda time: time.text.isascii())

timed: st.SearchStrategy[During] = st.one_of(
    st.builds(lambda supposed, step: During(supposed, step, step), untimed, numbers),
    st.builds(lambda supposed, first, more: During(supposed, first, first + more), untimed, numbers, numbers),
    st.builds(During, untimed, numbers | times, st.none()),
    st.builds(During, untimed, times | st.none(), numbers | times),
    st.builds(During, untimed, numbers, times),
    st.builds(During, untimed, st.none() | numbers | times, st.none(), expressions),
)

suppositions: st.SearchStrategy[Supposition] = untimed | st.builds(Keep, paths) | timed

steps = st.none() | st.builds(Steps, st.sampled_from(Over), st.integers(1, 1000))

queries: st.SearchStrategy[Query] = st.one_of(
    st.builds(Query, st.just(QueryKind.DID), st.builds(Behavior, expressions), steps=steps),
    st.builds(
        Query,
        st.sampled_from([QueryKind.WOULD, QueryKind.MIGHT]),
        st.builds(Behavior, expressions),
        st.lists(suppositions, max_size=3).map(tuple),
        steps,
    ),
)
