"""Categories and classes of a model as logs write them."""

from __future__ import annotations

from typing import Literal

import pytest

from soid.formula import softfloat as sf
from soid.formula.sorts import FLOAT64
from soid.program.interface import Role, Variable
from soid.program.trace_table import MappedColumn
from soid.program.types import EnumType, show
from soid.scenario.log_formats import StoredFloat
from soid.scenario.logs.logged_value import LoggedValueReader


def category(*texts: str, written: Literal["text", "number", ""] = "text", takes_unseen: bool = True) -> EnumType:
    labels = tuple((f"_{text}" if text[0].isdigit() else text, number) for number, text in enumerate(texts))
    spellings = tuple((text, number) for number, text in enumerate(texts))
    others = (("MISSING", -1), ("OTHER", -2)) if takes_unseen else (("MISSING", -1),)
    return EnumType("k", 32, True, (*labels, *others), spellings, -1, -2 if takes_unseen else None, written)


def read(kind: EnumType, literal: bool | str | StoredFloat, labels: dict[str, str] | None = None) -> str:
    mapped = MappedColumn("k", "k", labels=labels) if labels is not None else None
    return show(kind, LoggedValueReader("k", Variable("k", Role.ENVIRONMENT, kind), mapped).read(literal).bits)


WORDS = category("u", "v", "w")
CODES = category("1", "2", "5", written="number")


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        (WORDS, "v", "v"),
        (WORDS, "zzz", "OTHER"),
        (WORDS, "V", "OTHER"),  # another text is another category
        (WORDS, "7", "OTHER"),
        (WORDS, "OTHER", "OTHER"),
        (WORDS, "MISSING", "MISSING"),
        (CODES, "2", "_2"),
        (CODES, "2.0", "_2"),
        (CODES, "7", "OTHER"),
        (CODES, "7.0", "OTHER"),
        (category("1", "2", written=""), "2.0", "_2"),
        (category("True", "False", written=""), "true", "True"),
        (category("1", "2", written="number", takes_unseen=False), "1.0", "_1"),
    ],
)
def test_what_is_none_of_the_labels_is_one_that_training_has_not_seen(kind: EnumType, text: str, expected: str) -> None:
    assert read(kind, text) == expected


@pytest.mark.parametrize(
    ("kind", "literal"),
    [
        (WORDS, "nan"),  # it may be missing
        (WORDS, "None"),
        (WORDS, True),
        (category("1", "2"), "2.0"),  # the text 2 as a number, or the text 2.0, which is another one
        (category("True", "False"), "true"),
        (category("x ", "y"), "x"),  # the blank may have been dropped
        (CODES, "2.5"),  # libraries cut fractions off
        (CODES, "-1"),  # and take what is negative for missing
        (CODES, "16777216"),
        (CODES, "clerk"),
        (CODES, "nan"),
        (category("1", "2", written=""), "7"),  # the file does not say what its codes stand for
        (category("u", written=""), "zzz"),
        (category("u", takes_unseen=False), "zzz"),
    ],
)
def test_what_may_be_something_else_is_refused(kind: EnumType, literal: bool | str) -> None:
    with pytest.raises(ValueError, match=r"is none of|expected"):
        read(kind, literal)


def test_labels_of_a_manifest_are_beside_those_of_the_model() -> None:
    assert [read(WORDS, text, {"nan": "OTHER"}) for text in ("nan", "w", "zzz")] == ["OTHER", "w", "OTHER"]
    assert [read(WORDS, text, {"?": "MISSING"}) for text in ("?", "w", "zzz")] == ["MISSING", "w", "OTHER"]
    assert [read(WORDS, text, {"u": "u", "zzz": "OTHER"}) for text in ("u", "w", "x")] == ["u", "w", "OTHER"]


def test_where_the_log_has_words_of_its_own_none_of_them_is_guessed() -> None:
    translated = {"first": "u", "second": "v"}
    assert [read(WORDS, text, translated) for text in ("first", "w")] == ["u", "w"]
    with pytest.raises(ValueError, match="third is none of the labels that the manifest has for it: first, second"):
        read(WORDS, "third", translated)
    shifted = {"1": "_2", "2": "_5"}  # the log's 1 is not the model's: its 5 is not known either
    assert read(CODES, "1", shifted) == "_2"
    with pytest.raises(ValueError, match="5 is none of the labels"):
        read(CODES, "5", shifted)


@pytest.mark.parametrize("literal", ["2.0", "2", StoredFloat(FLOAT64, sf.float_to_bits64(2.0))])
def test_a_class_may_be_written_as_a_float(literal: str | StoredFloat) -> None:
    """XGBoost predicts 2.0 with multi:softmax."""
    labels = tuple((f"class_{number}", number) for number in range(3))
    kind = EnumType("class", 32, True, labels, tuple((str(number), number) for number in range(3)))
    assert read(kind, literal) == "class_2"
    assert read(kind, True) == "class_1"
    with pytest.raises(ValueError, match=r"expected one of class_0, class_1, class_2, found '3\.0'"):
        read(kind, "3.0")
