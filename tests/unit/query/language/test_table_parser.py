"""The loop over lark's tables builds what lark builds, place by place, and leaves errors to lark."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lark import UnexpectedInput
from msgspec import Struct

from soid.errors import QueryError
from soid.query.language.query_parser import grammar
from soid.query.language.query_printer import to_text
from soid.query.query import Query
from tests.unit.query.queries import queries

# fmt: off
_WORDS = [
    "did", "would", "might", "if", "and", "or", "not", "in", "is", "within", "%", "of", "fact", "keep", "anything",
    "any", "bits", "fails", "decides", "true", "false", "inf", "nan", "after", "until", "implies", "iff", "xor", "held",
    "steps", "step", "3", "0.5", "-1e3", "0x1f", "'A'", "nan(0x7fc00001)", "x", "y.z[1]", "`odd name`", '"text"', "==",
    "<", ">=", "+", "-", "*", "/", "//", "&", "|", "~", "<<", ">>", "(", ")", "{", "}", ",", "..", "'",
    "may only rise", "45s", "1:30", "# no", "?", "differs", "rises", "by at most",
]
# fmt: on


def _told(node: Any) -> object:
    """A node with all its places, which equality ignores."""
    if isinstance(node, tuple):
        return tuple(_told(each) for each in node)
    if not isinstance(node, Struct):
        return node
    return type(node), [(name, _told(getattr(node, name))) for name in node.__struct_fields__]


def _outcome(read: Any, text: str, start: str) -> object:
    try:
        return _told(read(text, start))
    except UnexpectedInput as error:
        return type(error), error.pos_in_stream, sorted(getattr(error, "accepts", None) or ())
    except QueryError as error:
        return type(error), error.cause, error.remedy, vars(error).get("span")


def _compare(text: str, start: str = "question") -> None:
    table = grammar()
    assert _outcome(table.parse, text, start) == _outcome(lambda one, at: table.lark.parse(one, start=at), text, start)


@given(query=queries)
def test_questions(query: Query) -> None:
    _compare(to_text(query))


@given(
    words=st.lists(st.sampled_from(_WORDS), max_size=12),
    start=st.sampled_from(("question", "behavior", "suppositions")),
)
def test_random_words(words: list[str], start: str) -> None:
    _compare(" ".join(words), start)
    _compare("".join(words), start)


@pytest.mark.parametrize(
    "text",
    [
        "would a.b[1] in {A, 3..4} if signal is anything and x may only rise and y within 10 % of fact  # why",
        "might move == 0 within 5 steps held if (signal == LEFT) from 45s until move == 1",
        "would limit not fall if income rises, for every applicant with 18 <= age <= 90",
        "did x == 1 \n and y' == 2  ",
        "would keep x == 1 if not keep y",  # refused by the builder
        "did x == $",  # no word of the language
        "did x ==",
        "",
    ],
)
def test_some_texts(text: str) -> None:
    _compare(text)


def test_what_is_right_is_not_read_by_lark(monkeypatch: pytest.MonkeyPatch) -> None:
    table = grammar()
    monkeypatch.setattr(table.lark, "parse", lambda *_, **__: pytest.fail("it was read again"))
    assert table.parse("did move == 1 and 1 <= x <= 2", "question") is not None
