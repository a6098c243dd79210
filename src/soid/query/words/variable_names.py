"""What variables are called in sentences: their labels, else words made of their names. No two are called the same.

world.agents[1].pos_x    "the pos x", or where other variables have that name "the pos x of agent 1"
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, final

from soid.program.identifier import words_of
from soid.program.interface import Interface, Variable
from soid.query.words.lists import singular
from soid.scenario.expression_text import PLAIN_PATH
from soid.scenario.input_names import mark_told

#: what a program in C returns is an output of this name
RETURN: Final = "return"

_REMEMBERED: Final = 4000  # variables: each is compared with all that have its last name

_PART: Final = re.compile(r"([^\W\d]\w*)(?:\(\))?((?:\[\d+\])*)")
_NUMBERED: Final = re.compile(r" (\d+)")  # v1 stays together
_SPELLING: Final = re.compile(r"[\W_]+")


def called(name: str, interface: Interface) -> str:
    """A variable of an interface in words; a prime: what it is after the call."""
    return VariableNames(interface).called(name)


@final
class VariableNames:
    """The names of one interface's variables."""

    def __init__(self, interface: Interface) -> None:
        self._interface = interface

    def called(self, path: str) -> str:
        """A variable in words. An input of later steps (`pilot@231`) is its variable, and its steps.

        State with a prime is what it is after the call.
        """
        if path.endswith("'"):
            return f"{self.called(path[:-1])} after the call"
        base, _, steps = path.partition("@")
        if steps and base in self._interface:
            return f"{self.called(base)} {mark_told(steps)}"
        known = self._interface.spoken.get(path)
        if known is None:
            known = self._interface.spoken[path] = self._found(path)
        return known

    def _found(self, path: str) -> str:
        if path not in self._interface:  # an array of characters
            return named(path)
        variable = self._interface.variable(path)
        others = [each for each in self._homonyms(variable) if each.path != variable.path]
        if not _owners(path):  # what is part of something is told by that
            others = [each for each in others if not _owners(each.path)]
        taken = {each for other in others for each in _candidates(other.label, other.path)}
        return next(each for each in _candidates(variable.label, variable.path) if each not in taken)

    def _homonyms(self, variable: Variable) -> list[Variable]:
        """The variables that might be called the same, itself among them."""
        by_name = self._interface.homonyms
        if not by_name:
            for each in self._interface.nameable:
                if "@" in each.path:  # an input of later steps, which is told by its variable
                    continue
                by_name.setdefault(_key(each), []).append(each)
        return by_name.get(_key(variable), [])


def _key(variable: Variable) -> str:
    """The same for all variables of which a name might be the same."""
    last = variable.label.removeprefix("the ") or variable.path.rpartition(".")[2].rpartition(":")[2]
    return _SPELLING.sub("", last).casefold()


@lru_cache(_REMEMBERED)
def _candidates(label: str, path: str) -> tuple[str, ...]:
    """What a variable may be called, the shortest first; the last one is like no other's."""
    base = label or named(path)
    owners = _owners(path)
    parts = [f"{base} of {owner}" for owner in owners]
    return (*dict.fromkeys((base, *parts)), " of ".join((base, *owners)), f"{base} ({path})")


def named(path: str) -> str:
    """The last part of a path in words.

    >>> named("world.agents[1].pos_x"), named("wheels[2]"), named("*gap"), named("safe_to_enter()")
    ('pos x', 'wheel 2', 'gap', 'safe to enter')
    """
    parts = _parts(path)
    if parts and parts[-1] == (RETURN, ""):
        return "what it returns"
    return _worded(*parts[-1]) if parts else path


def _owners(path: str) -> list[str]:
    """What a variable is a part of, the nearest first."""
    return [_worded(*part) for part in reversed(_parts(path)[:-1])]


def _parts(path: str) -> list[tuple[str, str]]:
    """The parts of a path with their indices; empty for a name that is no path of a program, such as a column's."""
    return _PART.findall(path) if PLAIN_PATH.fullmatch(path) else []


def _worded(name: str, indices: str) -> str:
    words = _NUMBERED.sub(r"\1", " ".join(words_of(name))) or name
    if not indices:
        return words
    numbers = indices[1:-1].split("][")
    return f"{singular(words)} {numbers[0] if len(numbers) == 1 else '-'.join(numbers)}"
