"""A script's questions in a sweep: all that it asks whatever the answers are, and nothing else."""

import pytest

from soid.errors import QueryError
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, IntType
from soid.query.language.script.script_parser import parse_script
from soid.query.language.script.swept_questions import swept_questions

CAR = Interface(
    (
        Variable("wet", Role.ENVIRONMENT, BoolType()),
        Variable("gap", Role.ENVIRONMENT, IntType(8, signed=False)),
        Variable("brake", Role.DECISION, BoolType()),
    )
)


def test_names_are_expanded_loops_unrolled_and_each_question_is_there_once():
    script = """
        case "The car"
        trace "log.jsonl" at step 7
        trace "night.jsonl" as night
        keyframe later = step 9 of night
        let near = 3
        family weather = wet is anything
        let q = would brake if gap < near and weather
        for each limit in {3, 5}:
            would brake if gap < limit and wet is anything
        did brake
    """
    lines = "\n".join(line[8:] for line in script.splitlines())
    assert swept_questions(parse_script(lines), CAR) == (
        "would brake if gap < 3 and wet is anything",
        "would brake if gap < 5 and wet is anything",
        "did brake",
    )


def test_a_cause_is_its_four_questions():
    found = swept_questions(parse_script("brake because gap < 3"), CAR)
    assert found == ("did gap < 3", "did brake", "would brake if gap < 3", "would not brake if not gap < 3")


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("at step 3", "at"),
        ("for each limit in {1, 2}:\n    at step 3\n    did wet", "at"),
        ("for each step in 1..2:\n    did wet", "for each step"),
        ("keyframe then = step 3\nfor each keyframe in {then}:\n    did wet", "for each keyframe"),
        ("when did wet:\n    did brake", "when"),
        ("let q = did wet\nwhen q is yes:\n    did brake", "when"),
        ('conclude "it did"', "conclude"),
        ("let w = witness of 1", "witness of"),
        ("causes of brake over gap is anything", "causes of"),
        ("map gap is anything", "map"),
        ("explain 1", "explain"),
    ],
)
def test_what_has_no_meaning_there_is_refused_by_name(line, word):
    with pytest.raises(QueryError, match=f"^`{word}` has no meaning in a sweep") as refused:
        swept_questions(parse_script(line), CAR)
    assert refused.value.remedy


def test_a_script_without_questions_is_told_so():
    with pytest.raises(QueryError, match="the script asks nothing"):
        swept_questions(parse_script("let near = 3"), CAR)
