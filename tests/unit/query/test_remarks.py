import pytest

from soid.query.language.query_parser import parse
from soid.query.remarks import remarks
from tests.unit.query.queries import INTERFACE
from tests.unit.query.words.test_event_words import WORLD

BEFORE = "count is the state before the call; the state after it is written count'"
DOWN = "// rounds down, and % has the sign of the divisor; C's own are written quot(x, y) and rem(x, y)"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("did count == 3", (BEFORE,)),
        ("did count' == 3", ()),
        ("did count' - count > 1", ()),
        ("did move and count > 1", (BEFORE,)),
        ("did fact(count) == 1", ()),
        ("would move if count == 3", ()),
        ("did i // 2 == 1", (DOWN,)),
        ("did n % 2 == 1", ()),
        ("would move if n % i == 1", (DOWN,)),
        ("did n * x > 1", ()),  # a float32 holds every uint8
        ("did n / 3 * x > 1", ("in n / 3 * x, n / 3 is first rounded to float32, to nearest, ties to even",)),
        (
            "did x + count' * 1000 > 1",
            ("in x + count' * 1000, count' * 1000 is first rounded to float32, to nearest, ties to even",),
        ),
        (
            "would move if x is nan",
            ("x ranges over every finite number, without nan; `x is any bits` adds the rest",),
        ),
        ("would move if x is nan and x is any bits", ()),
        (
            "would move if signal in {LEFT, 7}",
            ("signal ranges over OFF, LEFT, RIGHT, two words, without 7; `signal is any bits` adds the rest",),
        ),
        ("would move if x == 1.5 and n == 3", ()),
        ("did min(x, n, 2) > 1", ()),
        ("did max(x, n / 3) > 1", ("in max(x, n / 3), n / 3 is first rounded to float32, to nearest, ties to even",)),
        ("did count' == x", ()),  # compared by value
    ],
)
def test_how_a_question_is_read(text: str, said: tuple[str, ...]) -> None:
    assert remarks(parse(text, INTERFACE), INTERFACE) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("did crash", ("this is asked of one step; of later ones it is `crash within 20 steps`",)),
        ("did not crash", ("this is asked of one step; of later ones it is `not crash throughout 20 steps`",)),
        (
            "would not crash within 4 steps if light",
            (
                (
                    "`not crash within 4 steps` asks whether there is a step in which it does not happen; "
                    "that it never happens is `not crash throughout 4 steps`"
                ),
            ),
        ),
        ("did stop", ()),  # no harm
        ("did not go within 4 steps", ()),
        ("did crash within 4 steps", ()),
        ("did not crash throughout 4 steps", ()),
    ],
)
def test_which_steps_a_question_about_an_event_means(text: str, said: tuple[str, ...]) -> None:
    """`not crash within 4 steps` is nearly always so, and reads as if they never collided."""
    assert remarks(parse(text, WORLD), WORLD) == said
