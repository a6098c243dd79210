"""Choosing: a person is asked until the answer is one, a guess is noted, and without a terminal nothing hangs."""

from __future__ import annotations

import io
import sys

import pytest

from soid.cli.terminal.choices import Chooser
from soid.errors import InputError


class Typed(io.StringIO):
    """A terminal on which this was typed."""

    def isatty(self) -> bool:
        return True


def typed(monkeypatch: pytest.MonkeyPatch, text: str) -> Chooser:
    monkeypatch.setattr(sys, "stdin", Typed(text))
    monkeypatch.setattr(sys, "stdout", Typed())
    return Chooser(takes_best=False)


def test_a_person_chooses(monkeypatch: pytest.MonkeyPatch) -> None:
    chooser = typed(monkeypatch, "seven\n0\n3\n2\n")
    assert chooser.choose("which one", ["a", "b"]) == 1
    assert chooser.guesses == []
    shown = sys.stdout
    assert isinstance(shown, Typed) and shown.getvalue().count("Type a number from 1 to 2") == 3


def test_enter_takes_the_first_and_the_end_of_the_input_none(monkeypatch: pytest.MonkeyPatch) -> None:
    chooser = typed(monkeypatch, "\n")
    assert chooser.choose("which one", ["a", "b"]) == 0
    with pytest.raises(InputError, match="no choice was made"):
        chooser.choose("which one", ["a", "b"])


def test_the_best_guess_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    chooser = Chooser(takes_best=True)
    assert chooser.choose("which one", ["a", "b"]) == 0
    assert chooser.guesses == ["which one; taken: a"]


def test_without_a_terminal_it_says_what_is_not_certain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("1\n"))
    with pytest.raises(InputError, match=r"which one\. It may be: a; b") as raised:
        Chooser(takes_best=False).choose("which one", ["a", "b"])
    assert "--yes" in raised.value.remedy
    typed(monkeypatch, "1\n")
    with pytest.raises(InputError, match="which one"):
        Chooser(takes_best=False, may_ask=False).choose("which one", ["a", "b"])
