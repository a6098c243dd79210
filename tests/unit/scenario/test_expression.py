import pytest

from soid.errors import QueryError
from soid.scenario.expression import (
    MAX_DEPTH,
    And,
    Between,
    Compare,
    Comparison,
    Expression,
    Identical,
    Literal,
    Member,
    Name,
    Negate,
    Not,
    Or,
    TextSpan,
    check_depth,
    negate,
    placed,
    pointing_at,
    span_of,
    walk,
)
from soid.scenario.expression_text import expression_text, path_text
from soid.scenario.number_terms import exact

X, Y = Name("x"), Name("y")


def test_where_a_node_stood_does_not_count() -> None:
    assert Name("x", span=TextSpan(0, 1)) == Name("x", span=TextSpan(5, 6)) == X
    assert hash(Name("x", span=TextSpan(0, 1))) == hash(X)
    assert Name("x", primed=True) != X


@pytest.mark.parametrize(
    "text", ["", "x", "1.", ".5", "+1", "1e", "--1", "True", "nan(1)", "bits(0x)", "infinity", "\u0661"]
)
def test_what_is_no_literal(text: str) -> None:
    with pytest.raises(ValueError, match="no literal"):
        Literal(text)


def test_minus_a_literal_is_a_literal() -> None:
    assert negate(Literal("0.0")) == Literal("-0.0")
    assert negate(negate(Literal("1e5"))) == Literal("1e5")
    with pytest.raises(ValueError, match="literal of its own"):
        Negate(Literal("1"))


def test_walk_is_in_the_order_written() -> None:
    one, two, three = Literal("1"), Literal("2"), Literal("3")
    chain = Compare(one, ((Comparison.LT, X), (Comparison.LT, two)))
    among = Member(Y, (Between(one, three), X))
    formula = And((Not(chain), Or((among, Identical(X, one)))))
    leaves = [node for node in walk(formula) if isinstance(node, Name | Literal)]
    assert leaves == [one, X, two, Y, one, three, X, X, one]


def test_depth_is_bounded() -> None:
    expression: Expression = X
    for _ in range(MAX_DEPTH - 1):
        expression = Not(expression)
    check_depth(expression)
    check_depth(And((X,) * 100_000))
    with pytest.raises(QueryError, match="nested more than"):
        check_depth(Not(expression))


def test_an_error_keeps_the_innermost_place() -> None:
    error = QueryError("cause")
    assert span_of(error) is None and span_of(placed(error, None)) is None
    with pytest.raises(QueryError), pointing_at(TextSpan(0, 9)), pointing_at(TextSpan(3, 5)):
        raise error
    assert span_of(error) == TextSpan(3, 5)


def test_parentheses_where_they_are_needed() -> None:
    assert expression_text(Not(And((X, Y)))) == "not (x and y)"
    assert expression_text(And((X, Not(Or((X, Y)))))) == "x and not (x or y)"
    assert expression_text(Or((And((X, Y)), X))) == "x and y or x"
    assert expression_text(Compare(Not(X), ((Comparison.EQ, Y),))) == "(not x) == y"


def test_paths_in_backticks() -> None:
    assert path_text("world.agents[1].pos_x") == "world.agents[1].pos_x"
    assert path_text("if") == "`if`" and path_text("a b") == "`a b`" and path_text("a`b") == "`a``b`"


@pytest.mark.parametrize(
    ("text", "numerator", "denominator"), [("-0.10", -1, 10), ("12e-1", 6, 5), ("0x1.8p-1", 3, 4), ("-0xff", -255, 1)]
)
def test_exact(text: str, numerator: int, denominator: int) -> None:
    value = exact(text)
    assert value is not None and (value.numerator, value.denominator) == (numerator, denominator)


@pytest.mark.parametrize("text", ["1e99999999999999", "1e-9999", "0x1p999999", "9" * 5000])
def test_a_number_that_would_take_all_memory(text: str) -> None:
    with pytest.raises(QueryError, match="beyond every type"):
        exact(text)
