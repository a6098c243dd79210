import operator

import pytest

from soid.errors import QueryError, UnknownVariableError
from soid.query.language.query_parser import parse
from soid.query.language.query_printer import to_text
from soid.query.python import (
    Formula,
    bits_and,
    bits_not,
    bits_or,
    bits_xor,
    decides,
    did,
    fact,
    fails,
    maximum,
    might,
    minimum,
    quot,
    rem,
    smtlib,
    would,
)
from soid.query.query import Query
from soid.query.variables import Variables
from tests.unit.query.queries import INTERFACE

v = Variables(INTERFACE)
speed = v["world->agents[1].speed"]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        (did(v.move == 1), "did move == 1"),
        (did(v.move), "did move"),
        (did(~v.move), "did not move"),
        (
            would(v.move == 1).given(v.signal.any_of("LEFT", "RIGHT", "two words")),
            'would move == 1 if signal in {LEFT, RIGHT, "two words"}',
        ),
        (
            might(v.move == 0).given(v.signal.anything(), v.x.between(1.0, 1.5), speed.keep()),
            "might move == 0 if signal is anything and 1.0 <= x <= 1.5 and keep world.agents[1].speed",
        ),
        (
            would(v.brake > fact(v.brake)).given(v.x.within(0.1), v.x.within("5%"), v.y.any_bits()),
            "would brake > fact(brake) if x within 0.1 of fact and x within 5 % of fact and y is any bits",
        ),
        (
            would(v.move).given(v.x.may_only_rise(), v.y.may_only_fall(), v.n.missing()),
            "would move if x >= fact(x) and y <= fact(y) and n is missing",  # x may only rise, and y only fall
        ),
        (did(v.started.after & ~fact(v.started.after)), "did started' and not fact(started')"),
        (did(fails | decides & ~v.move), "did fails or decides and not move"),
        (did(v.move & v.started & v.error), "did move and started and error"),
        (did(v.move & (v.started & v.error)), "did move and (started and error)"),
        (did(v.move | v.started | v.error), "did move or started or error"),
        (would(v.move).given(v.x.is_("nan"), v.y.is_(-0.0)), "would move if x is nan and y is -0.0"),
        (would(v.move).given(v.x.is_("nan(0x7fc00001)")), "would move if x is nan(0x7fc00001)"),
        (would(v.move).given(v.signal.is_("LEFT")), "would move if signal is LEFT"),
        (would(v.move).given((v.x < 1) & (v.y < 2)), "would move if (x < 1 and y < 2)"),
        (would(v.move).given((v.x < 1) | (v.y < 2)), "would move if x < 1 or y < 2"),
        (did(abs(v.brake - 1.5) <= 2 * v.x / 3), "did abs(brake - 1.5) <= 2 * x / 3"),
        (did(1 - v.brake + (1 + v.x) != -v.x * 2), "did 1 - brake + (1 + x) != -x * 2"),
        (did(1.0 / v.x > 0), "did 1.0 / x > 0"),
        (did(3 < v.n), "did n > 3"),  # noqa: SIM300
        (did(v.choice == "other"), 'did choice == "other"'),
        (did(v.choice == v.other), "did choice == other"),
        (did(v.n >= 1e22), "did n >= 1e+22"),
        (did(v.n.any_of(range(1, 4), 7)), "did n in {1..3, 7}"),
        (did(v.error == True), "did error == true"),  # noqa: E712
        (did(v.error != v.closed), "did error != closed"),
        (did(v.choice == "LEFT"), "did choice == LEFT"),
        (did(v.choice == "if"), 'did choice == "if"'),
        (did(v.n // 3 % 2 == 7 % v.i), "did n // 3 % 2 == 7 % i"),
        (did(bits_and(v.n, 4) == bits_or(v.i, v.n)), "did n & 4 == i | n"),
        (did(bits_xor(v.n, 4) << 2 > bits_not(v.i) >> 1), "did (n xor 4) << 2 > ~i >> 1"),
        (did(minimum(v.x, 2.5, v.n) < maximum(v.n, v.i)), "did min(x, 2.5, n) < max(n, i)"),
        (did(quot(v.i, 3) == rem(v.i, v.n)), "did quot(i, 3) == rem(i, n)"),
        (did(v.n.as_type("float64") * 2.34 > v.x.as_type("int8")), "did float64(n) * 2.34 > int8(x)"),
        (did(v.error.implies(v.move).iff(v.n > 3)), "did (error implies move) iff n > 3"),
        (did(smtlib("(bvult n #x0a)") & v.move), 'did smtlib("(bvult n #x0a)") and move'),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_same_query_as_the_text(query: Query, text: str) -> None:
    assert query == parse(text)
    assert to_text(query) == text


@pytest.mark.parametrize(
    "slip",
    [
        lambda: 1.0 <= v.x <= 1.5,
        lambda: bool(v.move == 1),
        lambda: v.move == 1 and v.started,
        lambda: not v.move,
        lambda: v.x in [v.y],
    ],
)
def test_a_formula_is_no_truth_of_pythons(slip: object) -> None:
    assert callable(slip)
    with pytest.raises(QueryError, match=r"&, \| and ~"):
        slip()


def test_a_missing_parenthesis_is_told() -> None:
    with pytest.raises(QueryError, match="in parentheses"):
        operator.and_(v.move, 1)
    with pytest.raises(QueryError, match="is no formula"):
        did(True)  # type: ignore[arg-type]


def test_slips_of_values() -> None:
    with pytest.raises(QueryError, match="rather than fact"):
        fact(v.x + 1)
    with pytest.raises(QueryError, match="at least one value"):
        v.n.any_of()
    with pytest.raises(QueryError, match="neighbouring"):
        v.n.any_of(range(1, 9, 2))
    with pytest.raises(QueryError, match="nothing may differ"):
        did(v.move).given(v.x.anything())
    for slip in ([v.x < 1, v.y < 2], 5, True):
        with pytest.raises(QueryError, match="one after the other"):
            would(v.move).given(slip)  # type: ignore[arg-type]


def test_what_is_supposed_is_added() -> None:
    asked = would(v.move).given(v.x < 1)
    assert asked.given(v.y.anything(), v.signal == "LEFT") == would(v.move).given(
        v.x < 1, v.y.anything(), v.signal == "LEFT"
    )
    assert to_text(asked) == "would move if x < 1"


def test_variables() -> None:
    assert "x" in v and "mvoe" not in v and len(v) == len(INTERFACE.variables)
    assert [handle.variable for handle in v] == list(INTERFACE)
    assert "signal" in dir(v)
    assert repr(v.x + 1) == "x + 1" and repr(fails) == "fails"
    with pytest.raises(UnknownVariableError, match="Did you mean move"):
        v.mvoe  # noqa: B018
    with pytest.raises(TypeError):
        hash(v.x)


def test_a_float_of_another_package_is_its_shortest_decimal() -> None:
    class Float(float):
        def __repr__(self) -> str:
            return "np.float64(0.1)"

    assert to_text(did(v.x < Float(0.1))) == "did x < 0.1"


def test_formula_is_what_comparisons_give() -> None:
    assert isinstance(v.x < 1, Formula)
