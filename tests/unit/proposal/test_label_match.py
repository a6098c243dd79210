"""Texts of a log and the values that they mean: nothing is left out, nothing means two things."""

from __future__ import annotations

import pytest

from soid.program.types import BoolType, EnumType
from soid.proposal.label_match import LabelMatch, match_labels

GEAR = EnumType("gear", 8, False, (("GEAR_PARK", 0), ("GEAR_DRIVE", 1), ("GEAR_REVERSE", 2)))


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (("GEAR_PARK", "GEAR_DRIVE"), {}),  # the program's own names need no table
        (("park", "drive"), {"park": "GEAR_PARK", "drive": "GEAR_DRIVE", "reverse": "GEAR_REVERSE"}),
        (("Park", "Reverse"), {"Park": "GEAR_PARK", "Reverse": "GEAR_REVERSE", "Drive": "GEAR_DRIVE"}),
        (("GearPark", "gear drive"), {"GearPark": "GEAR_PARK", "gear drive": "GEAR_DRIVE"}),
        (("PARK", "park", "DRIVE"), {"PARK": "GEAR_PARK", "park": "GEAR_PARK", "DRIVE": "GEAR_DRIVE"}),
        (("PARK", "DRIVE", "R"), {"PARK": "GEAR_PARK", "DRIVE": "GEAR_DRIVE", "R": "GEAR_REVERSE"}),
    ],
)
def test_labels_of_an_enumeration(texts: tuple[str, ...], labels: dict[str, str]) -> None:
    found = match_labels(GEAR, texts, ())
    assert found is not None and found.labels == labels
    assert found.guessed == (("R",) if "R" in texts else ())


@pytest.mark.parametrize("texts", [("up", "down"), ("PARK", "up", "down"), ("up",)])
def test_texts_of_something_else(texts: tuple[str, ...]) -> None:
    assert match_labels(GEAR, texts, ()) is None


@pytest.mark.parametrize(
    ("texts", "words", "true", "is_guessed"),
    [
        (("OPEN", "CLOSED"), ("door", "open"), "OPEN", False),
        (("OPEN", "CLOSED"), ("door", "closed"), "CLOSED", False),
        (("ok", "fault"), ("lamp", "works"), "ok", True),
        (("ok", "fault"), ("lamp", "broken"), "fault", True),
        (("on", "off"), ("heater",), "on", True),
        (("A", "B"), ("heater",), "A", True),
    ],
)
def test_which_of_two_texts_is_true(
    texts: tuple[str, ...], words: tuple[str, ...], true: str, is_guessed: bool
) -> None:
    found = match_labels(BoolType(), texts, words)
    assert found is not None and bool(found.guessed) == is_guessed
    assert [text for text, value in found.labels.items() if value == "true"] == [true]


def test_bools_that_every_log_has_need_no_table() -> None:
    for texts in (("0", "1"), ("True", "false"), ("1",)):
        found = match_labels(BoolType(), texts, ())
        assert found is not None and found.labels == {} and not found.guessed
    assert match_labels(BoolType(), ("a", "b", "c"), ()) is None


def test_a_category_that_a_model_has_not_seen_is_a_guess() -> None:
    """Spellings that differ in signs alone are different categories."""
    seen, labels = (("C", 0), ("C++", 1)), (("C", 0), ("C_2", 1), ("MISSING", -1), ("OTHER", -2))
    kind = EnumType("language", 32, True, labels, seen, -1)
    assert match_labels(kind, ("C++", "C"), ()) == LabelMatch({}, 1.0)
    found = match_labels(kind, ("C++", "Rust"), ())
    assert found == LabelMatch({"Rust": "OTHER"}, 0.5, ("Rust",))
    assert match_labels(kind, ("Rust", "Go"), ()) is None


def test_a_category_that_can_only_be_unseen_needs_no_table() -> None:
    seen, labels = (("C", 0), ("C++", 1)), (("C", 0), ("C_2", 1), ("MISSING", -1), ("OTHER", -2))
    kind = EnumType("language", 32, True, labels, seen, -1, -2, "text")
    assert match_labels(kind, ("C++", "Rust"), ()) == LabelMatch({}, 0.5)
    assert match_labels(kind, ("Rust", "Go"), ()) is None
    assert match_labels(kind, ("C", "Rust", "nan"), ()) == LabelMatch({"nan": "OTHER"}, 1 / 3, ("nan",))
