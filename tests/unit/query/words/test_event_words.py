"""Events in words: the sentence of an event fits each question and each fact about it."""

import pytest

from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType
from soid.query.language.query_parser import parse
from soid.query.words import Words, sentence

WORLD = Interface(
    (
        Variable("go", Role.DECISION, BoolType()),
        Variable("light", Role.ENVIRONMENT, BoolType()),
        Variable("crash", Role.INTERNAL, BoolType(), label="the two cars collide"),
        Variable("stop", Role.INTERNAL, BoolType()),
    ),
    produced=frozenset({"light"}),
    events=frozenset({"crash", "stop"}),
    harms=frozenset({"crash"}),
)
LOOP = "had light been true, with the world going on from what is decided?"


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("did crash", "Did it happen that the two cars collide?"),
        ("did stop", "Did it happen that stop occurs?"),
        ("did not crash throughout 4 steps", "Was it avoided in each of 4 steps that the two cars collide?"),
        (
            "would not crash throughout 4 steps closed loop if light",
            f"Would it never happen in any of 4 steps that the two cars collide, {LOOP}",
        ),
        (
            "would not crash within 4 steps closed loop if light",
            f"Would it always be avoided at least once in 4 steps that the two cars collide, {LOOP}",
        ),
        (
            "would crash after 4 steps closed loop if light",
            f"Would it always happen in the last of 4 steps that the two cars collide, {LOOP}",
        ),
        (
            "might crash within 4 steps closed loop if light",
            f"Might it ever happen at least once in 4 steps that the two cars collide, {LOOP}",
        ),
        ("did crash or stop", "Did it happen that the two cars collide, or stop occurs?"),
        ("did crash and not go", "Did it hold that the two cars collide, and go is false?"),
        ("did go and not crash", "Did it hold that go is true, and it does not happen that the two cars collide?"),
    ],
)
def test_questions_about_events(asked: str, words: str) -> None:
    assert sentence(parse(asked, WORLD), WORLD) == words


@pytest.mark.parametrize(
    ("behavior", "told"),
    [
        (
            "crash within 4 steps",
            (
                "it did happen at least once in 4 steps that the two cars collide",
                "it did not happen in any of 4 steps that the two cars collide",
                "It would happen at least once in 4 steps that the two cars collide",
                "It would never happen in any of 4 steps that the two cars collide",
            ),
        ),
        (
            "not crash throughout 4 steps",
            (
                "it did not happen in any of 4 steps that the two cars collide",
                "it did happen at least once in 4 steps that the two cars collide",
                "It would not happen in any of 4 steps that the two cars collide",
                "It would never be avoided that in at least one of 4 steps the two cars collide",
            ),
        ),
        (
            "not crash within 4 steps",
            (
                "it was avoided at least once in 4 steps that the two cars collide",
                "it did happen in each of 4 steps that the two cars collide",
                "It would be avoided at least once in 4 steps that the two cars collide",
                "It would never be avoided that in each of 4 steps the two cars collide",
            ),
        ),
        (
            "not crash",
            (
                "it did not happen that the two cars collide",
                "it did happen that the two cars collide",
                "It would not happen that the two cars collide",
                "It would never be avoided that the two cars collide",
            ),
        ),
    ],
)
def test_what_was_found_of_events(behavior: str, told: tuple[str, ...]) -> None:
    words, query = Words(WORLD), parse(f"did {behavior}", WORLD)
    found = words.did(query, occurs=True), words.did(query, occurs=False)
    assert (*found, words.would(query, occurs=True), words.always(query, occurs=False)) == told
