import pytest

from soid.errors import QueryError, SortMismatchError, UnknownVariableError
from soid.query.behavior import Behavior
from soid.query.language.query_parser import parse, parse_behavior
from soid.query.query import Query, QueryKind
from soid.scenario.expression import Name
from soid.scenario.supposition import Anything, Keep
from tests.unit.query.queries import INTERFACE


@pytest.mark.parametrize(
    "text",
    [
        "did move and started' and started and not safe_to_enter() and fails",
        "would brake > fact(brake) and count' == fact(count') + 1 if count > fact(count)",
        "might choice in {LEFT, RIGHT} if signal == other and signal is any bits",
        "would move if n < 300 and i > -1000 and n + i < 2.5 and 0.1 <= x <= y",
        "would move if keep x and x > 1.0 and n",
    ],
)
def test_well_formed(text: str) -> None:
    assert parse(text, INTERFACE) == parse(text)  # the former checks, and changes nothing


def test_check_without_text() -> None:
    with pytest.raises(UnknownVariableError, match="Did you mean move"):
        Query(QueryKind.DID, Behavior(Name("mvoe"))).checked(INTERFACE)
    with pytest.raises(SortMismatchError):
        Query(QueryKind.DID, Behavior(Name("brake"))).checked(INTERFACE)
    with pytest.raises(QueryError, match="to vary and to be kept"):
        Query(QueryKind.WOULD, Behavior(Name("move")), (Anything("x"), Keep("x"))).checked(INTERFACE)


def test_what_a_behavior_speaks_of() -> None:
    assert parse_behavior("move or not fails").speaks_of_endings
    assert not parse_behavior("move and x < fact(x)").speaks_of_endings
    assert parse_behavior("brake > fact(brake) and fact(started')").facts == {"brake", "started'"}
