import pytest

from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType
from soid.query.language.query_parser import parse
from soid.query.words import Words, sentence
from tests.unit.query.queries import INTERFACE


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("did move", 'Did it decide for "move"?'),
        ("did fails", "Did it fail?"),
        ("did not decides", "Did it not come to a decision?"),
        ("did started' == true", "Did it act so that started after the call is true?"),
        (
            "would fails or move if n is anything",
            "Would it always act so that the program fails or move is true, whatever n had been?",
        ),
        (
            "would choice == LEFT if error and n is anything and i is anything and x is anything",
            "Would it always choose LEFT as choice, had error been true, whatever n, i and x had been?",
        ),
        (
            "might move if not error and closed == true",
            'Might it ever decide for "move", had error been false and the door being closed been true?',
        ),
        (
            "might move if 1.0 <= x <= 1.51234567891 and y is any bits",
            'Might it ever decide for "move", had x been between 1.0 m and 1.5123457 m, whatever bits y had held?',
        ),
        (
            "might move if signal in {LEFT, RIGHT} and n in {1..3, 7} and keep x",
            'Might it ever decide for "move", had signal been LEFT or RIGHT and n been 1 to 3 or 7, with x as in fact?',
        ),
        (
            "might move if x within 0.1 of fact",
            'Might it ever decide for "move", had x been within 0.1 m of what it was?',
        ),
        (
            "might move if x within 2.5 % of fact",
            'Might it ever decide for "move", had x been at most 2.5 percent more or less than it was?',
        ),
        ("might move if x is nan", 'Might it ever decide for "move", had x been no number?'),
        ("might move if x may only rise", 'Might it ever decide for "move", had x been no lower than it was?'),
        ("might move if x may only fall", 'Might it ever decide for "move", had x been no higher than it was?'),
        ("might move if x <= fact(y)", 'Might it ever decide for "move", had x been at most y in fact?'),
        ('might move if signal == "two words"', 'Might it ever decide for "move", had signal been two words?'),
        ("might move if x > 0.1234567891 ", 'Might it ever decide for "move", had x been more than 0.12345679 m?'),
        ("might move if x > y", 'Might it ever decide for "move", had x been more than y?'),
    ],
)
def test_sentence(text: str, words: str) -> None:
    assert sentence(parse(text, INTERFACE), INTERFACE) == words


def test_without_paths_a_label_stands_alone_unless_two_variables_have_it() -> None:
    doors = Interface(
        (
            Variable("left", Role.ENVIRONMENT, BoolType(), label="the door"),
            Variable("right", Role.ENVIRONMENT, BoolType(), label="the door"),
            Variable("heat", Role.ENVIRONMENT, BoolType(), label="the heater"),
            Variable("light", Role.ENVIRONMENT, BoolType()),
            Variable("move", Role.DECISION, BoolType()),
        )
    )
    query = parse("might move if left and heat and light is anything", doors)
    said = 'Might it ever decide for "move", had the door (left) been true and the heater been true, '
    said += "whatever light had been?"
    assert sentence(query, doors) == said


def test_that_something_is_never_left_undone_is_not_said_as_that_it_is_always_done() -> None:
    """Where the program fails neither is so."""
    words = Words(INTERFACE)
    left = parse("might not (choice == LEFT) if n is anything", INTERFACE)
    assert words.always(left, occurs=False) == ("It would choose LEFT as choice wherever it comes to a decision")
    assert words.always(parse("would not (choice == LEFT) if n is anything", INTERFACE), occurs=True) == (
        "It would never choose LEFT as choice"
    )
    assert words.always(parse("might not move if n is anything", INTERFACE), occurs=False) == (
        'It would never decide against "move"'
    )
    assert words.did(left, occurs=False) == "it did choose LEFT as choice"
    assert words.did(left, occurs=False, decided=False) == ("it is not so that it did not choose LEFT as choice")
    assert words.did(left, occurs=True, decided=False) == "it did not choose LEFT as choice"
