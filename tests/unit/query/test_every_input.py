"""What is said of every input is said of each variable that the program perceives."""

from __future__ import annotations

import pytest

from soid.errors import SoidError
from soid.formula.sorts import FLOAT64
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, FloatType
from soid.query.language.query_parser import parse, parse_suppositions
from soid.query.language.query_printer import to_text

INTERFACE = Interface(
    (
        Variable("x", Role.ENVIRONMENT, FloatType(FLOAT64)),
        Variable("y", Role.ENVIRONMENT, FloatType(FLOAT64)),
        Variable("count", Role.STATE, FloatType(FLOAT64)),
        Variable("go", Role.DECISION, BoolType()),
    )
)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("every input within 1 % of fact", "x within 1 % of fact and y within 1 % of fact"),
        ("every input is anything", "x is anything and y is anything"),
        ("every input within 0.5 of fact and keep y", "x within 0.5 of fact and keep y"),
        ("every input is anything and x < y", "x is anything and y is anything and x < y"),
        ("every  input is anything at step 3", "x is anything at step 3 and y is anything at step 3"),
    ],
)
def test_it_stands_for_each_of_them(written: str, meant: str) -> None:
    steps = " within 5 steps held" if "step 3" in written else ""
    found = parse(f"would go{steps} if {written}", INTERFACE)
    assert to_text(found) == f"would go{steps} if {meant}"
    assert len(parse_suppositions(written, INTERFACE)) == len(parse_suppositions(meant, INTERFACE))


def test_pairs_differ_in_each_of_them() -> None:
    found = parse("would go be the same if every input differs by at most 1 %, for every case with x < 3", INTERFACE)
    assert to_text(found) == (
        "would go be the same if x differs by at most 1 % and y differs by at most 1 %, for every case with x < 3"
    )


def test_pairs_that_hardly_differ_have_the_same_labels_and_what_is_kept() -> None:
    labelled = Interface((*INTERFACE.variables, Variable("icy", Role.ENVIRONMENT, BoolType())))
    found = parse("would go be the same if every input differs by at most 1 %, for every case with keep y", labelled)
    assert to_text(found) == "would go be the same if x differs by at most 1 %, for every case with keep y"
    found = parse("would go be the same if every input differs", labelled)
    assert to_text(found) == "would go be the same if x differs and y differs and icy differs, for every case"


def test_without_a_program_it_stays_as_it_was_written() -> None:
    read = parse("might go if every input within 2 of fact")
    assert parse(to_text(read)) == read or to_text(parse(to_text(read))) == to_text(read)


def test_a_variable_may_be_called_so() -> None:
    called = Interface((*INTERFACE.variables, Variable("every", Role.ENVIRONMENT, FloatType(FLOAT64))))
    assert to_text(parse("might go if every is anything", called)) == "might go if every is anything"


def test_of_what_is_no_number_nothing_is_near() -> None:
    labelled = Interface((*INTERFACE.variables, Variable("icy", Role.ENVIRONMENT, BoolType())))
    with pytest.raises(SoidError, match="icy"):
        parse("might go if every input within 1 % of fact", labelled)
    assert "icy is anything" in to_text(parse("might go if every input is anything", labelled))


def test_all_may_be_kept() -> None:
    with pytest.raises(SoidError, match="no input that may differ"):
        parse("might go if every input is anything and keep x and keep y", INTERFACE)
