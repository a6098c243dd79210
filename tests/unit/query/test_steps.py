import pytest

from soid.errors import QueryError
from soid.query.language.query_parser import parse
from soid.query.language.query_printer import to_text
from soid.query.python import Variables, after, did, might, throughout, within, would
from soid.query.steps import MOST, ONE, Over, Steps
from soid.query.words import sentence
from tests.unit.query.queries import INTERFACE

v = Variables(INTERFACE)


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("did move", None),
        ("did move after 1 step", Steps(Over.AFTER, 1)),
        ("did move within 5 steps", Steps(Over.WITHIN, 5)),
        ("would not move or started throughout 12 steps if x within 0.1 of fact", Steps(Over.THROUGHOUT, 12)),
        ("might n == 3 within 5 steps if n is anything", Steps(Over.WITHIN, 5)),
    ],
)
def test_steps_follow_the_behavior(text: str, steps: Steps | None) -> None:
    query = parse(text, INTERFACE)
    assert query.steps == steps
    assert query.period == (steps or ONE)
    assert to_text(query) == text


def test_steps_are_words_after_a_number_only() -> None:
    text = "would steps == 3 within 4 steps if step is anything and steps within 2 of fact"
    assert to_text(parse(text)) == text


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("did move within 0 steps", f"Give a number from 1 to {MOST}"),
        (f"did move after {MOST + 1} steps", "is no number of steps"),
        (f"did move within {MOST**6} steps", "is no number of steps"),
        ("did move after five steps", "expected a number of steps"),
        ("did move throughout 2", "expected a number of steps"),
        ("did move within 5 steps and started", "expected `if` or the end"),
        ("did (move within 5 steps)", r"expected `\)`"),
        ("did move throughtout 5 steps", "Did you mean throughout"),
        ("would move if x within 5 steps", "expected the end"),
    ],
)
def test_slips(text: str, complaint: str) -> None:
    with pytest.raises(QueryError, match=complaint):
        parse(text)


def test_steps_in_python() -> None:
    assert did(v.move, steps=within(5)) == parse("did move within 5 steps")
    assert would(v.move, [v.error], steps=throughout(2)) == parse("would move throughout 2 steps if error")
    assert might(v.move, suppose=[v.error], steps=after(3)) == parse("might move after 3 steps if error")
    with pytest.raises(QueryError, match="is no number of steps"):
        within(0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("did move after 1 step", "Did it decide move?"),
        ("did not move within 5 steps", "Did it decide not move at least once in 5 steps?"),
        (
            "might fails within 2 steps if n is anything",
            "Might it ever fail at least once in 2 steps, whatever n had been?",
        ),
        (
            "would move throughout 3 steps if error",
            "Would it always decide move in each of 3 steps, had error been true?",
        ),
        (
            "would move after 3 steps if error",
            "Would it always decide move in the last of 3 steps, had error been true?",
        ),
    ],
)
def test_sentence(text: str, words: str) -> None:
    assert sentence(parse(text, INTERFACE), INTERFACE) == words
