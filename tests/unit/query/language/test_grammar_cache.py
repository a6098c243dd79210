"""Cached parser tables give the same parser as new ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from lark import Lark

from soid.cache import kept
from soid.errors import QueryError
from soid.query.language import grammar_cache, query_parser
from soid.query.language.query_parser import parse

QUESTIONS = (
    "did x == 1",
    "would not (x in {A, B}) and y' > fact(y) if 1.0 <= z <= 1.5 and s is anything and w within 0.5 of fact",
    "might fails within 3 steps if *p is any bits or abs(q) < 3",
)
MISTAKES = ("would", "would x if", "did x = 1", "might x == if y is anything", "did (x == 1", "could x == 1")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("SOID_CACHE", str(tmp_path))
    query_parser.grammar.cache_clear()
    yield tmp_path / "grammar"
    query_parser.grammar.cache_clear()


def told() -> list[str]:
    """The results of parsing the questions and the mistakes."""
    query_parser.grammar.cache_clear()
    found = []
    for text in (*QUESTIONS, *MISTAKES):
        try:
            found.append(repr(parse(text)))
        except QueryError as error:
            found.append(f"{error.cause}\n{error.remedy}")
    return found


def test_kept_tables_read_as_new_ones_do(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = told()
    (file,) = folder.iterdir()
    monkeypatch.setattr(grammar_cache, "Lark", _Loading)
    assert told() == made
    assert list(folder.iterdir()) == [file]


class _Loading:
    """A lark that can load tables, but not build them."""

    _load_from_dict = Lark._load_from_dict


def test_broken_tables_are_made_anew(folder: Path) -> None:
    made = told()
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    for content in (b"", whole[:-5], whole.replace(b"WOULD", b"COULD"), b"\0" * 99):
        file.write_bytes(content)
        assert told() == made
        assert kept(file) is not None  # valid again; lark does not always write the same bytes


def test_tables_of_another_lark_are_made_anew(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = told()

    def changed(*_: object, **__: object) -> object:
        raise KeyError("parser")

    with monkeypatch.context() as patch:
        patch.setattr(Lark, "_load_from_dict", changed)
        assert told() == made


def test_a_folder_that_cannot_be_written_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = told()
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SOID_CACHE", str(tmp_path / "file"))
    assert told() == made
