import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import soid.query.language
from soid.errors import QueryError, UnknownVariableError
from soid.formula.sorts import FLOAT64
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, FloatType
from soid.query.behavior import Behavior
from soid.query.language.query_parser import parse, parse_behavior, parse_suppositions
from soid.query.language.query_printer import behavior_text, suppositions_text, to_text
from soid.query.query import Query, QueryKind
from soid.scenario import expression as ex
from soid.scenario.expression import ArithmeticOp, Comparison, Literal, Name
from soid.scenario.expression_text import RESERVED
from soid.scenario.supposition import AnyBits, Anything, Keep, Satisfies, Supposition, Within
from tests.unit.query.queries import INTERFACE, expressions, queries, suppositions


def equals(path: str, text: str) -> ex.Compare:
    return ex.Compare(Name(path), ((Comparison.EQ, Literal(text)),))


@given(queries)
def test_what_is_printed_parses_to_the_same_query(query: Query) -> None:
    text = to_text(query)
    again = parse(text)
    assert again == query
    assert to_text(again) == text


@given(expressions)
def test_a_behavior_printed_and_parsed_is_the_same(expression: ex.Expression) -> None:
    assert parse_behavior(behavior_text(Behavior(expression))) == Behavior(expression)


@given(st.lists(suppositions, min_size=1, max_size=4).map(tuple))
def test_suppositions_printed_and_parsed_are_the_same(supposed: tuple[Supposition, ...]) -> None:
    assert parse_suppositions(suppositions_text(supposed)) == supposed


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("did((move))", "did move"),
        ("did  move==1 # a remark", "did move == 1"),
        ("did\n  move\n  and\tstarted'", "did move and started'"),
        ("did a and (b and c) or d", "did a and (b and c) or d"),
        ("did (a and b) or (not (c))", "did a and b or not c"),
        ("did (a or b) and c", "did (a or b) and c"),
        ("did (x + 1) * -2 - (3 - y) < 4", "did (x + 1) * -2 - (3 - y) < 4"),
        ("did - - x < 1", "did --x < 1"),
        ("did not (x in {1..3, 5})", "did x not in {1..3, 5}"),
        ("did not x is nan", "did x is not nan"),
        ("did world->agents[ 1 ].pos_x > 0", "did world.agents[1].pos_x > 0"),
        ("did `if` == `x`", "did `if` == x"),
        ("did started\u2019", "did started'"),
        ("would a if (b) and (keep c)", "would a if b and keep c"),
        ("would a if (b and c)", "would a if (b and c)"),
        ("would a if (b or c)", "would a if b or c"),
        ("would a if b and c or d", "would a if b and c or d"),
        ("did nano and infinite and bits_left and if_ever", "did nano and infinite and bits_left and if_ever"),
        ("did x in {-inf..3, nan.x}", "did x in {-inf..3, nan.x}"),
    ],
)
def test_printed_form(text: str, printed: str) -> None:
    assert to_text(parse(text)) == printed
    assert parse(printed) == parse(text)


def test_the_three_kinds() -> None:
    assert parse("did move") == Query(QueryKind.DID, Behavior(Name("move")))
    assert parse("would move == 1 if signal in {OFF, LEFT}") == Query(
        QueryKind.WOULD,
        Behavior(equals("move", "1")),
        (Satisfies(ex.Member(Name("signal"), (Name("OFF"), Name("LEFT")))),),
    )
    inside = ex.Compare(Literal("1.0"), ((Comparison.LE, Name("x")), (Comparison.LE, Literal("1.5"))))
    assert parse("might move == 0 if signal is anything and 1.0 <= x <= 1.5 and keep speed") == Query(
        QueryKind.MIGHT, Behavior(equals("move", "0")), (Anything("signal"), Satisfies(inside), Keep("speed"))
    )


def test_every_supposition() -> None:
    near = "d within 0.1 of fact and d within 10% of fact"
    text = f"a is anything and b is any bits and keep c and {near} and e is nan and (f or g)"
    assert parse_suppositions(text) == (
        Anything("a"),
        AnyBits("b"),
        Keep("c"),
        Within("d", "0.1"),
        Within("d", "10 %"),
        Satisfies(ex.Identical(Name("e"), Literal("nan"))),
        Satisfies(ex.Or((Name("f"), Name("g")))),
    )


def test_an_or_at_the_top_is_one_formula() -> None:
    (only,) = parse_suppositions("a and b or c")
    assert only == Satisfies(ex.Or((ex.And((Name("a"), Name("b"))), Name("c"))))


def test_precedence() -> None:
    behavior = parse_behavior("not x + 2 * y < 3 and fails")
    total = ex.Arithmetic(ArithmeticOp.ADD, Name("x"), ex.Arithmetic(ArithmeticOp.MUL, Literal("2"), Name("y")))
    smaller = ex.Compare(total, ((Comparison.LT, Literal("3")),))
    assert behavior == Behavior(ex.And((ex.Not(smaller), ex.Fails())))


def test_spans_point_into_the_text() -> None:
    text = "would (move) == 1 if x in {1..3}"
    query = parse(text)
    member = query.suppositions[0]
    assert isinstance(member, Satisfies) and isinstance(member.formula, ex.Member)
    spans = [query.behavior.expression.span, member.span, member.formula.items[0].span]
    assert [text[span.start : span.end] for span in spans if span] == ["(move) == 1", "x in {1..3}", "1..3"]


def test_the_grammar_reserves_what_the_printer_quotes() -> None:
    grammar = (Path(soid.query.language.__file__).parent / "grammar.lark").read_text()
    assert set(re.findall(r'^[A-Z]+: "([a-z]+)"$', grammar, re.MULTILINE)) == RESERVED


@given(st.text(max_size=40))
def test_random_text_gives_a_query_or_a_query_error(text: str) -> None:
    _parses_or_complains(text)


_PIECES = [*sorted(RESERVED), "x", "signal", "LEFT", "n", "brake", "started", "'", "(", ")", "{", "}", ",", "..", "+"]
_PIECES += [
    "-",
    "*",
    "/",
    "==",
    "<=",
    "<",
    "!=",
    "1",
    "0.5",
    "300",
    "1e999",
    '"a"',
    "`b`",
    "#",
    "\n",
    "=",
    "&",
    "é",
    "\0",
]


@given(st.lists(st.sampled_from(_PIECES), max_size=14).map(" ".join), st.sampled_from(["", "did ", "would x if "]))
def test_random_words_give_a_query_or_a_query_error(text: str, start: str) -> None:
    _parses_or_complains(start + text)


@given(queries)
def test_random_queries_are_checked_without_surprise(query: Query) -> None:
    _parses_or_complains(to_text(query))


def _parses_or_complains(text: str) -> None:
    try:
        query = parse(text, INTERFACE)
    except QueryError:
        return
    assert parse(to_text(query), INTERFACE) == query


@pytest.mark.parametrize(
    "text",
    [
        "did " + "(" * 10_000 + "move" + ")" * 10_000,
        "did " + "not " * 10_000 + "move",
        "did " + "-" * 10_000 + "x < 1",
        "did " + "abs(" * 10_000 + "x" + ")" * 10_000 + " < 1",
        "did " + "(move and " * 10_000 + "move" + ")" * 10_000,
        "did " + " + ".join(["x"] * 3_000) + " < 1",
        "did " + " and ".join(["move"] * 3_000),
        "did " + "((" * 10_000,
    ],
    ids=["parentheses", "nots", "minuses", "functions", "nested ands", "a sum", "a long and", "unbalanced"],
)
def test_depth_and_length_never_overflow(text: str) -> None:
    _parses_or_complains(text)


def test_parentheses_alone_do_not_count_as_depth() -> None:
    assert parse("did " + "(" * 10_000 + "move" + ")" * 10_000) == parse("did move")


def test_the_deepest_question_allowed_is_asked() -> None:
    behavior = ex.Name("move")
    expression: ex.Expression = behavior
    while True:
        deeper = ex.Member(expression, (Literal("true"),))
        try:
            ex.check_depth(deeper)
        except QueryError:
            break
        expression = deeper
    _parses_or_complains(to_text(Query(QueryKind.DID, Behavior(expression))))


@pytest.mark.parametrize(("direction", "sign"), [("rise", ">="), ("fall", "<=")])
def test_a_variable_may_only_rise_or_fall(direction: str, sign: str) -> None:
    assert to_text(parse(f"might a if x may only {direction}")) == f"might a if x {sign} fact(x)"


def test_a_direction_is_a_variable_s() -> None:
    with pytest.raises(QueryError, match="expected"):
        parse("might a if x + 1 may only rise")


def test_a_name_in_backticks_may_be_the_one_that_the_file_of_a_model_has() -> None:
    """A feature called `a b` is a_b in questions; one that is called ab is another."""
    kind = FloatType(FLOAT64)
    paths = ("ab", "a_b", "capital_gain", "decision_2")
    inputs = tuple(Variable(path, Role.ENVIRONMENT, kind) for path in paths)
    decision = Variable("decision", Role.DECISION, BoolType())
    spellings = {"a b": "a_b", "capital-gain": "capital_gain", "decision": "decision_2", "not used": "not_used"}
    interface = Interface((*inputs, decision), spellings=spellings)
    asked = "would decision if `a b` > 1 and `capital-gain` is anything and 0 < ab < fact(`a b`)"
    query = parse(asked, interface)
    assert query == parse("would decision if a_b > 1 and capital_gain is anything and 0 < ab < fact(a_b)")
    assert parse_behavior("decision", interface) == parse_behavior("`decision`", interface)
    assert parse_suppositions("`a b` is anything", interface) == parse_suppositions("a_b is anything")
    with pytest.raises(UnknownVariableError, match="there is no variable not used"):
        parse("would decision if `not used` > 1", interface)
