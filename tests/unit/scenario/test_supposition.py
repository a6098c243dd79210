import pytest

from soid.errors import QueryError, SortMismatchError, UnknownVariableError
from soid.formula.sorts import FLOAT32
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, EnumType, FloatType, IntType
from soid.scenario.expression import (
    And,
    Compare,
    Comparison,
    Decides,
    Expression,
    FactOf,
    Literal,
    Name,
    Or,
    TextSpan,
    span_of,
)
from soid.scenario.supposition import (
    AnyBits,
    Anything,
    Keep,
    Satisfies,
    Supposition,
    Within,
    check_distance,
    freed,
    mentioned,
    supposition_text,
)

INTERFACE = Interface(
    (
        Variable("error", Role.ENVIRONMENT, BoolType()),
        Variable("x", Role.ENVIRONMENT, FloatType(FLOAT32)),
        Variable("car.speed", Role.ENVIRONMENT, IntType(8, signed=False)),
        Variable("signal", Role.ENVIRONMENT, EnumType("signal", 8, False, (("OFF", 0), ("LEFT", 1)))),
        Variable("started", Role.STATE, BoolType()),
        Variable("move", Role.DECISION, BoolType()),
    )
)


def equal(left: Expression, right: Expression) -> Expression:
    return Compare(left, ((Comparison.EQ, right),))


@pytest.mark.parametrize(
    ("supposed", "vary"),
    [
        ((), ()),
        ((Anything("error"),), ("error",)),
        ((AnyBits("x"), Within("x", "1")), ("x",)),
        ((Satisfies(equal(Name("signal"), Name("LEFT"))),), ("signal",)),
        ((Satisfies(equal(Name("x"), FactOf("car.speed"))),), ("x",)),
        ((Satisfies(Or((Name("started"), equal(Name("car->speed"), Literal("3"))))),), ("car.speed", "started")),
        ((Satisfies(And((Name("started"), Name("error")))), Keep("error")), ("started",)),
        ((Keep("error"),), ()),
        ((Anything("x"), Anything("x"), Satisfies(equal(Name("x"), Literal("1")))), ("x",)),
    ],
)
def test_exactly_what_is_mentioned_is_freed(supposed: tuple[Supposition, ...], vary: tuple[str, ...]) -> None:
    assert freed(INTERFACE, supposed) == vary


@pytest.mark.parametrize("varied", [Anything("x"), AnyBits("x"), Within("x", "1")])
def test_to_vary_and_to_keep_is_a_contradiction(varied: Supposition) -> None:
    for supposed in ((varied, Keep("x")), (Keep("x"), varied)):
        with pytest.raises(QueryError, match="to vary and to be kept"):
            freed(INTERFACE, supposed)


def test_anything_and_any_bits_are_two_domains() -> None:
    with pytest.raises(QueryError, match="any bits"):
        freed(INTERFACE, (AnyBits("x"), Anything("x")))


@pytest.mark.parametrize(
    ("supposition", "message"),
    [
        (Anything("move"), "no input"),
        (Keep("move"), "no input"),
        (Satisfies(Name("move")), "no input"),
        (Satisfies(equal(Name("error"), FactOf("move"))), "no input"),
        (Satisfies(Name("started", primed=True)), "after the call"),
        (Satisfies(FactOf("started", primed=True)), "after the call"),
        (Satisfies(Or((Name("error"), Decides()))), "how it ends"),
    ],
)
def test_suppositions_speak_of_inputs_only(supposition: Supposition, message: str) -> None:
    with pytest.raises(QueryError, match=message):
        mentioned(INTERFACE, supposition)


def test_an_unknown_variable_is_suggested_and_pointed_at() -> None:
    with pytest.raises(UnknownVariableError, match="Did you mean error") as caught:
        mentioned(INTERFACE, Anything("eror", span=TextSpan(3, 7)))
    assert span_of(caught.value) == TextSpan(3, 7)


def test_distances() -> None:
    x = INTERFACE.variable("x")
    assert check_distance(x, Within("x", "0.10")).denominator == 10
    for text in ("-1", "nan", "inf"):
        with pytest.raises(QueryError, match="no distance"):
            check_distance(x, Within("x", text))
    with pytest.raises(SortMismatchError, match="nearness is for numbers"):
        check_distance(INTERFACE.variable("signal"), Within("signal", "1"))


@pytest.mark.parametrize(
    ("supposition", "text"),
    [
        (Anything("x"), "x is anything"),
        (AnyBits("x"), "x is any bits"),
        (Keep("if"), "keep `if`"),
        (Within("car.speed", "0.1"), "car.speed within 0.1 of fact"),
        (Satisfies(Or((Name("a"), Name("b")))), "a or b"),
    ],
)
def test_text(supposition: Supposition, text: str) -> None:
    assert supposition_text(supposition) == text
