"""What is denied is never told by words that say it is done: in questions, in reasons and in facts, over steps too."""

from __future__ import annotations

import pytest

from soid.formula.sorts import FLOAT64
from soid.oracle.reason import ReasonCode
from soid.program.interface import Role, Variable
from soid.program.types import EnumType, FloatType
from soid.query.language.query_parser import parse
from soid.query.words import Words, readable, sentence
from soid.witness.witness import Shows
from tests.unit.oracle.worlds import BROKEN, WAITING, ask, paths
from tests.unit.query.queries import INTERFACE

LEFT = "choose LEFT as choice"
NOT_LEFT = "not (choice == LEFT)"
NEVER = "it is so in no scenario: proved over all of them"
MEMBER = "One of the scenarios this is about"
NOT_SO = "A scenario in which it is not so"


@pytest.mark.parametrize(
    ("behavior", "asked"),
    [
        (f"would {NOT_LEFT}", f"Would it never {LEFT}"),
        (f"would {NOT_LEFT} throughout 5 steps", f"Would it never {LEFT} in any of 5 steps"),
        (f"would {NOT_LEFT} after 5 steps", f"Would it never {LEFT} in the last of 5 steps"),
        (f"would {NOT_LEFT} within 5 steps", f"Would it always at least once in 5 steps not {LEFT}"),
        (f"might {NOT_LEFT} throughout 5 steps", f"Might it ever {LEFT} in none of 5 steps"),
        (f"might {NOT_LEFT} within 5 steps", f"Might it ever at least once in 5 steps not {LEFT}"),
        (f"might {NOT_LEFT} after 5 steps", f"Might it ever not {LEFT} in the last of 5 steps"),
        (f"did {NOT_LEFT} throughout 5 steps", f"Did it {LEFT} in none of 5 steps"),
        ("would not (brake is nan)", "Would it always set brake to a number"),
    ],
)
def test_a_question_that_denies_something_cannot_be_read_otherwise(behavior: str, asked: str) -> None:
    held = " held" if "steps" in behavior and not behavior.startswith("did") else ""
    supposed = "" if behavior.startswith("did") else " if error"
    told = sentence(parse(f"{behavior}{held}{supposed}", INTERFACE), INTERFACE)
    assert told.startswith(asked) and told[len(asked)] in ",?", told


@pytest.mark.parametrize(
    ("behavior", "in_fact", "there", "never"),
    [
        ("choice == LEFT", f"it did not {LEFT}", f"It would not {LEFT}", f"It would never {LEFT}"),
        (
            "choice == LEFT within 5 steps",
            f"it did not {LEFT} in any of 5 steps",
            f"It would not {LEFT} in any of 5 steps",
            f"It would never {LEFT} in any of 5 steps",
        ),
        (
            "choice == LEFT throughout 5 steps",
            f"it did at least once in 5 steps not {LEFT}",
            f"It would at least once in 5 steps not {LEFT}",
            f"In no scenario would it {LEFT} in each of 5 steps",
        ),
        (
            NOT_LEFT,
            f"it did {LEFT}",
            f"It would {LEFT}",
            f"It would {LEFT} wherever it comes to a decision",
        ),
        (
            f"{NOT_LEFT} within 5 steps",
            f"it did {LEFT} in each of 5 steps",
            f"It would {LEFT} in each of 5 steps",
            f"It would {LEFT} in each of 5 steps wherever it comes to a decision in all of them",
        ),
        (
            f"{NOT_LEFT} throughout 5 steps",
            f"it did {LEFT} at least once in 5 steps",
            f"It would {LEFT} at least once in 5 steps",
            f"It would {LEFT} at least once in 5 steps wherever it comes to a decision in all of them",
        ),
        (
            "not (choice == LEFT or brake > 1)",
            f"it did {LEFT} or set brake to more than 1.0",
            f"It would {LEFT} or set brake to more than 1.0",
            f"It would {LEFT} or set brake to more than 1.0 wherever it comes to a decision",
        ),
        (
            "choice == LEFT and brake > 1",
            f"it did not ({LEFT} and set brake to more than 1.0)",
            f"It would not ({LEFT} and set brake to more than 1.0)",
            f"It would never ({LEFT} and set brake to more than 1.0)",
        ),
        ("not fails", "it did fail", "It would fail", "It would always fail"),
        (
            "not decides",
            "it did come to a decision",
            "It would come to a decision",
            "It would always come to a decision",
        ),
        (
            "not (brake > 1 / x)",  # a quotient may have no value, and then neither is so
            "it did set brake to more than 1 divided by x",
            "It would set brake to more than 1 divided by x",
            "In no scenario would it not set brake to more than 1 divided by x",
        ),
    ],
)
def test_what_is_not_so(behavior: str, in_fact: str, there: str, never: str) -> None:
    words, query = Words(INTERFACE), parse(f"did {behavior}", INTERFACE)
    told = words.did(query, occurs=False), words.would(query, occurs=False), words.always(query, occurs=False)
    assert told == (in_fact, there, never)


@pytest.mark.parametrize(
    ("question", "reason", "heading"),
    [
        ("would not move == GO if x == 1 and y is anything", NEVER, MEMBER),
        ("might not move == GO if x == 1 and y is anything", NEVER, MEMBER),
        ("would not move == GO if 1 <= x <= 2", "in the scenario shown it is not so", NOT_SO),
        ("might not move == GO if 1 <= x <= 2", "in the scenario shown it is so", "A scenario in which it is so"),
        ("did not move == STAY", "on the logged inputs it is not so", "What happened"),
        ("did not move == GO", "on the logged inputs it is so", "What happened"),
    ],
)
def test_the_reason_of_a_question_that_denies_something_does_not_say_that_it_is_done(
    question: str, reason: str, heading: str
) -> None:
    answer = ask(question)
    assert answer.witness is not None
    assert (answer.reason, answer.heading(answer.witness)) == (reason, heading)


@pytest.mark.parametrize(("ending", "told"), [(BROKEN, "fails"), (WAITING, "does not decide")])
def test_failing_is_the_opposite_of_not_failing(ending, told) -> None:
    """Of a behavior about decisions it is neither; where the end itself is asked about, it is what was asked about."""
    question = "would not fails if 1 <= x" if ending is BROKEN else "would decides if 1 <= x"
    answer = ask(question, paths(ending))
    assert answer.reason_code in (ReasonCode.FAILS, ReasonCode.DOES_NOT_DECIDE)
    assert answer.reason == f"in the scenario shown the program {told}"
    assert answer.witness is not None and answer.witness.shows is Shows.COUNTEREXAMPLE


WIDE = Variable("x", Role.ENVIRONMENT, FloatType(FLOAT64), unit="m")
WORK = EnumType("work", 8, False, (("EMPLOYED", 0),), spellings=(("employed", 0),))


@pytest.mark.parametrize(
    ("variable", "bits", "words"),
    [
        (WIDE, FLOAT64.nan, "no number"),
        (WIDE, 0x7FF0000000000001, "no number (with the bits 0x7ff0000000000001)"),
        (WIDE, 0x7FF0000000000000, "inf m"),
        (WIDE, 0, "0.0 m"),
        (Variable("work", Role.ENVIRONMENT, WORK), 7, "the bits 0x7"),
        (Variable("work", Role.ENVIRONMENT, WORK), 0, "EMPLOYED"),
        (Variable("x", Role.ENVIRONMENT, FloatType(FLOAT64, missing=True), unit="m"), FLOAT64.nan, "missing"),
    ],
)
def test_what_is_no_number_is_told_in_words(variable: Variable, bits: int, words: str) -> None:
    assert readable(variable, bits) == words
