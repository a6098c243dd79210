"""Names of features and labels as questions have them."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soid.engine.learned.feature_names import identifiers, respelled
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, EnumType
from soid.query.language.query_parser import parse_behavior
from soid.scenario.expression_text import path_text
from soid.visible_text import visible


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Größe", "Größe"),
        (unicodedata.normalize("NFD", "Größe"), "Größe"),
        ("Ärztin", "Ärztin"),
        ("北京", "北京"),
        ("доход", "доход"),
        ("sex (m/w)", "sex_m_w"),
        ("m²", "m"),
        ("\uff41ge", "ge"),  # a wide Latin letter
        ("a\u200bb", "a_b"),  # what is not seen
        ("\u3164", "x"),  # a letter that is not seen
        ("2年", "_2年"),
        ("", "x"),
    ],
)
def test_letters_of_every_script_are_kept(name: str, expected: str) -> None:
    assert identifiers([name]) == [expected]


def test_names_that_look_alike_are_told_apart() -> None:
    assert identifiers(["income", "\u0456ncome"]) == ["income", "ncome"]  # scripts are mixed
    assert identifiers(["\u0441\u043e\u0440"]) == ["\u0441\u043e\u0440"]  # Cyrillic, and nothing looks like it
    assert identifiers(["cop", "\u0441\u043e\u0440"]) == ["cop", "x"]
    assert identifiers(["\u0441\u043e\u0440"], {"cop"}) == ["x"]


@given(st.lists(st.text(max_size=6), unique=True, max_size=6))
def test_every_name_is_seen_is_its_own_and_can_be_asked_about(names: list[str]) -> None:
    made = identifiers(names)
    assert len({unicodedata.normalize("NFC", path) for path in made}) == len(made)
    interface = Interface(tuple(Variable(path, Role.DECISION, BoolType()) for path in made))
    for path in made:
        assert visible(path) == path
        parse_behavior(path_text(path), interface)


def test_labels_that_are_no_names_are_shown_with_their_texts() -> None:
    labels = (("self_employed", 0), ("Ärztin", 1), ("_3", 2), ("OTHER", 3), ("OTHER_2", -2))
    texts = (("self-employed", 0), ("Ärztin", 1), ("3", 2), ("OTHER", 3))
    kind = EnumType("job", 32, True, labels, texts, other=-2)
    assert respelled(kind) == ["self_employed is 'self-employed'", "OTHER_2 is one that training has not seen"]


def test_the_name_of_the_file_says_how_a_feature_is_called() -> None:
    variable = Variable("a_b", Role.DECISION, BoolType())
    interface = Interface((variable,), spellings={"a b": "a_b"})
    assert interface.suggestion("a b").startswith("It is called a_b here")
