"""Scripts as text: printed scripts parse back, comments stay, and any text gives a script or an error."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings

import soid.query.language.script
from soid.errors import QueryError
from soid.query.language.script.blocks import MAX_NESTING
from soid.query.language.script.nodes import WORDS, Ask, Cause, EachStep, Script, When
from soid.query.language.script.script_parser import parse_script
from soid.query.language.script.script_printer import WIDTH, script_text
from soid.query.query import Query
from soid.scenario.expression_text import RESERVED
from tests.unit.query.crossing import planned
from tests.unit.query.scripts import EXAMPLE, anything, scripts


def formatted(text: str) -> str:
    return script_text(parse_script(text))


def check_round_trip(script: Script) -> None:
    text = script_text(script)
    again = parse_script(text)
    assert again == script
    assert script_text(again) == text


@settings(max_examples=30)
@given(scripts())
def test_what_is_printed_parses_to_the_same_script(script: Script) -> None:
    check_round_trip(script)


@pytest.mark.parametrize("name", ["witness", "causes", "map", "explain"])
def test_words_of_studies_are_names_of_variables_too(name: str) -> None:
    for line in (f"{name} because x is anything", f"let q = {name} because x is anything", f"let q = {name} and x"):
        check_round_trip(parse_script(f'case "c"\nproject "."\n\n{line}\n'))


@pytest.mark.fuzz
@settings(max_examples=200)
@given(scripts(depth=3))
def test_what_is_printed_parses_to_the_same_script_for_long(script: Script) -> None:
    check_round_trip(script)


# --- anything at all ------------------------------------------------------------------------------------------


def parses_or_complains(text: str) -> bool:
    """The text gives a script that the formatter does not change, and a plan; or an error with place and cause."""
    try:
        script = parse_script(text, "crash.soid")
    except QueryError as error:
        check_place(error, text)
        return False
    check_round_trip(script)
    assert comments(script_text(script)) == comments(text)
    try:
        planned(text)
    except QueryError as error:
        check_place(error, text)
    return True


def check_place(error: QueryError, text: str) -> None:
    first, *_ = str(error).splitlines()
    place = re.match(r"crash\.soid, line (\d+), column (\d+): \S", first)
    assert place is not None, first
    lines = text.split("\n")
    assert int(place[1]) <= len(lines) and int(place[2]) <= len(lines[int(place[1]) - 1]) + 1


def comments(text: str) -> list[str]:
    """All comments. Those inside one logical line may change their order."""
    said = re.compile(r'(?:"(?:[^"\\\n]|\\.)*"|`(?:[^`\n]|``)+`|[^#\n])*(#.*)?')
    found = (match[1].rstrip() for line in text.split("\n") if (match := said.match(line)) and match[1])
    return sorted(found)


def check_anything(random: Random, count: int) -> None:
    parsed = 0
    for number in range(count):
        text = anything(random)
        try:
            parsed += parses_or_complains(text)
        except Exception as error:
            raise AssertionError(f"input {number}: {text!r}") from error
    assert 0.05 * count < parsed < 0.95 * count  # both kinds were there


def test_anything_gives_a_script_or_an_error() -> None:
    check_anything(Random(0), 2_000)


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(1, 41))
def test_anything_at_all_gives_a_script_or_an_error(seed: int) -> None:
    check_anything(Random(seed), 2_500)


@pytest.mark.parametrize(
    "text",
    [
        "did " + "(" * 5_000 + "move" + ")" * 5_000,
        "let x = " + "-" * 5_000 + "y",
        "when did x:\n" * 3,
        "".join(" " * depth + "when did x:\n" for depth in range(2_000)),
        "for each step in 0.." + "9" * 5_000 + ":\n  did x",
        "did x  # " + "é" * 100_000,
        "did x\n" * 500,
        "\n" * 20_000,
        "case " + '"' * 10_001,
    ],
    ids=["parentheses", "minuses", "no block", "deep", "large number", "long comment", "long", "blank", "quotes"],
)
def test_depth_and_length_never_overflow(text: str) -> None:
    parses_or_complains(text)


# --- the one form ---------------------------------------------------------------------------------------------


def test_the_words_of_the_grammar_are_those_that_names_may_not_be() -> None:
    grammar = (Path(soid.query.language.script.__file__).parent / "statement.lark").read_text()
    assert set(re.findall(r'^[A-Z]+(?:[.]2)?: ["/]([a-z]+)(?:"|[(])', grammar, re.MULTILINE)) == WORDS
    assert not WORDS & RESERVED


def test_the_example_is_one() -> None:
    assert planned(EXAMPLE).concludes  # so that its mutations are close to a script


def test_an_example_in_the_one_form() -> None:
    expected = """\
# A crash at a crossing.
case "Broadside"  # the title
program "car.c", "brake.c" entry decide
trace "crash.jsonl" at step 11
trace "night.jsonl" as night
keyframe approach = step 9 of night
let other = world.agents[1]
family any_signal = other.signal is anything and other.x within 0.1 of fact

did move
move within 5 steps because other.signal == RIGHT and keep other.x
when might not move if any_signal and 1.0 <= other.x <= 1.5:
    conclude "reasonable"
otherwise:
    at approach
    for each car in {world.agents[1..2], world.agents[0]}:
        when would not move if car.signal == STRAIGHT:
            conclude "pathological"
        when unknown:
            did fails
    for each step in {10..12, 3} of night:
        did waited is not 3
    # the end
when vacuous:
    conclude "nothing to ask about"
let heeds = would move if any_signal
when heeds is yes and not (1 is no or 3 is unknown):
    conclude "it heeds"
otherwise when heeds is not yes:
    did move
otherwise:
    did fails
"""
    assert formatted(EXAMPLE) == expected
    assert formatted(expected) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("\n\n\n", ""),
        ("# only this", "# only this\n"),
        ("\n\n# a\n\n\n\n# b\n\ndid x\n\n\n", "# a\n\n# b\n\ndid x\n"),
        ("did x   #why\n\n\n\ndid y", "did x  #why\n\ndid y\n"),
        ("did x and\n  # inside\n  y # end", "# inside\ndid x and y  # end\n"),
        ("did x # a\n and y # b\n and z", "# a\n# b\ndid x and y and z\n"),
        (
            "when did x:\n  # first\n  did y\n  # last\n# outside\notherwise:\n  did z",
            "when did x:\n    # first\n    did y\n    # last\n# outside\notherwise:\n    did z\n",
        ),
        (
            "when did x:\n  when did y:\n    did z\n    # in two\n  # in one\n    # deep\n# in none",
            "when did x:\n    when did y:\n        did z\n        # in two\n    # in one\n    # deep\n# in none\n",
        ),
        ('conclude "a # b" # c', 'conclude "a # b"  # c\n'),
        ("did `a#b` # c", "did `a#b`  # c\n"),
        ("`case` because x", "`case` because x\n"),
        ("`let` == 1 because x", "`let` == 1 because x\n"),
        ("when `error` because x:\n did y", "when `error` because x:\n    did y\n"),
        ("did error and step", "did error and step\n"),
        ("let limit = (1.50)", "let limit = 1.50\n"),
        ("for each step in {3}:\n did x", "for each step in 3:\n    did x\n"),
        ("for each car in {world->cars[ 1 .. 3 ]}:\n did x", "for each car in world.cars[1..3]:\n    did x\n"),
        ("for each keyframe in { a,b }:\n did x", "for each keyframe in {a, b}:\n    did x\n"),
    ],
)
def test_the_one_form(text: str, expected: str) -> None:
    assert formatted(text) == expected
    assert formatted(expected) == expected
    assert parse_script(expected) == parse_script(formatted(expected))


def test_long_lines_go_on_below() -> None:
    names = " and ".join(f"world.agents[{number}].signal is anything" for number in range(7))
    text = formatted(f"when would move if {names}:\n    conclude 'x'\nfamily f = {names}\n".replace("'", '"'))
    assert max(map(len, text.splitlines())) <= WIDTH
    assert text.count("\n") > 5
    assert "\n        and world" in text
    assert formatted(text) == text
    (when, _) = parse_script(text).lines
    assert isinstance(when, When) and isinstance(when.condition, Query) and len(when.condition.suppositions) == 7


def test_a_line_that_cannot_be_broken_stays_whole() -> None:
    text = f'conclude "{"long " * 40}"\n'
    assert formatted(text) == text


# --- what lines are -------------------------------------------------------------------------------------------


def test_words_of_scripts_are_variables_elsewhere() -> None:
    (ask,) = parse_script("did step == 1 and case.error > at and not (because or trace)").lines
    assert isinstance(ask, Ask) and isinstance(ask.condition, Query)
    assert ask.condition.behavior.names == {"step", "case.error", "at", "because", "trace"}


def test_blocks_may_be_as_deep_as_the_limit() -> None:
    text = "".join("  " * depth + "when did x:\n" for depth in range(MAX_NESTING)) + "  " * MAX_NESTING + "did y\n"
    check_round_trip(parse_script(text))
    with pytest.raises(QueryError, match="nested more than"):
        parse_script(text.replace("did y", "when did y:") + "  " * (MAX_NESTING + 1) + "did z\n")


def test_steps_of_a_cause() -> None:
    (ask,) = parse_script("move throughout 3 steps because a within 0.1 of fact and b").lines
    assert isinstance(ask, Ask) and isinstance(ask.condition, Cause)
    assert str(ask.condition.steps) == "throughout 3 steps"
    assert len(ask.condition.suppositions) == 2


def test_spans_point_into_the_whole_text() -> None:
    text = "# first\nfor each step in 1..2:\n    did move\n      and x\n"
    (loop,) = parse_script(text).lines
    assert isinstance(loop, EachStep) and loop.span is not None
    assert text[loop.span.start : loop.span.end] == "for each step in 1..2:"
    (ask,) = loop.block.lines
    assert isinstance(ask, Ask) and isinstance(ask.condition, Query) and ask.span is not None
    assert text[ask.span.start : ask.span.end] == "did move\n      and x"
    place = ask.condition.behavior.span
    assert place is not None and text[place.start : place.end] == "move\n      and x"
