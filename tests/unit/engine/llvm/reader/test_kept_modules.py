"""What is kept of a text is what reading it gives, for this text alone."""

from __future__ import annotations

import pytest

from soid.engine.llvm.reader import kept_modules
from soid.engine.llvm.reader.kept_modules import keep, module_of, read_anew

TEXT = 'target triple = "x86_64"\n\ndefine i32 @f() {\n  ret i32 1\n}\n'


@pytest.fixture(autouse=True)
def _empty(monkeypatch) -> None:
    monkeypatch.setattr(kept_modules, "_KEPT", {})
    monkeypatch.setattr(kept_modules, "_READ", [])


def test_a_text_that_was_kept_is_not_read_again():
    keep(TEXT)
    assert module_of(TEXT) is module_of(TEXT) and read_anew() == []
    other = TEXT.replace("ret i32 1", "ret i32 2")
    assert str(module_of(other).functions["f"]) != str(module_of(TEXT).functions["f"])
    assert read_anew() == [other]


def test_a_text_that_cannot_be_read_is_not_kept():
    keep("define i32 @f() {")
    assert kept_modules._KEPT == {}


def test_what_was_kept_first_makes_room(monkeypatch):
    monkeypatch.setattr(kept_modules, "_MOST_TEXT", 3 * len(TEXT))
    texts = [TEXT.replace("@f", f"@{name}") for name in "abcd"]
    for text in texts:
        keep(text)
    assert list(kept_modules._KEPT) == texts[1:]
