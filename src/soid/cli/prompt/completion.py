"""Completion at the prompt: commands and words, the program's variables and labels, names that the session gave.

After `signal ==`, `signal in {LEFT,` or `signal is` the labels of that variable come first; after `at`, the moments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, final

from msgspec import Struct
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from soid.program.interface import Interface
from soid.program.types import BoolType, EnumType, IntType
from soid.query.language.script.definitions import Definitions
from soid.scenario.expression import Name, NumberFunction
from soid.scenario.expression_text import RESERVED, path_text
from soid.scenario.future import Future

#: what a line may begin with, besides a command
BEGINNINGS: Final = ("did", "would", "might", "let", "family", "keyframe", "at step", "at")

#: the piece of a path, or of a word, that stands before the cursor
_PIECE: Final = re.compile(r"[\w.\[\]*():>`-]*$")
_COUNTED: Final = re.compile(r"\b(after|within|throughout)\s+[0-9]+\s+steps?\s+$")
_COMPARED: Final = re.compile(r"([\w.\[\]*()`]+)'?\s*(?:==|!=|\bis(?:\s+not)?\s|(?:not\s+)?\bin\s*\{(?:[^}]*,)?)\s*$")


@final
class Knowledge(Struct, frozen=True):
    """What completion can offer."""

    interface: Interface
    commands: tuple[str, ...]
    names: Callable[[], Definitions]
    moments: Callable[[], Iterable[str]]  # names of keyframes


@final
class PromptCompleter(Completer):
    """Completes the word before the cursor."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        before = document.text_before_cursor
        piece = _PIECE.search(before)
        assert piece is not None
        for text in dict.fromkeys(self._candidates(before[: piece.start()])):
            if text.startswith(piece[0]) and text != piece[0]:
                yield Completion(text, start_position=-len(piece[0]))

    def _candidates(self, before: str) -> Iterator[str]:
        known = self._knowledge
        if not before.strip():
            yield from (*BEGINNINGS, *known.commands)
            return
        if before.strip() == "at":
            yield from ("step", *known.moments())
            return
        if _COUNTED.search(before):
            yield from (*(future.value for future in Future), "if")
            return
        yield from self._labels(before)
        yield from self._paths()
        yield from (*sorted(RESERVED), "from step", "at step", "to step")
        yield from (*(f"{function.value}(" for function in NumberFunction), "smtlib(")

    def _labels(self, before: str) -> Iterator[str]:
        """The labels of the variable that is compared just before the cursor."""
        compared = _COMPARED.search(before)
        if compared is None:
            return
        names = self._knowledge.names()
        found = names.given_path(compared[1].strip("`"))
        if found is None or found not in self._knowledge.interface:
            return
        kind = self._knowledge.interface.variable(found).type
        if isinstance(kind, EnumType):
            yield from (label for label, _ in kind.labels)
        elif isinstance(kind, BoolType):
            yield from ("true", "false")
        elif isinstance(kind, IntType):
            yield from self._knowledge.interface.enumerators

    def _paths(self) -> Iterator[str]:
        """The variables by their paths, and by the names that the session gave."""
        paths = [variable.path for variable in self._knowledge.interface.nameable]
        for name, value in self._knowledge.names().values():
            yield name
            if isinstance(value, Name) and not value.primed:
                yield from (name + path[len(value.path) :] for path in paths if path.startswith(f"{value.path}."))
        arrays = (path.removesuffix("[0]") for path in paths if path.endswith("[0]"))
        yield from (path_text(array) for array in arrays if self._knowledge.interface.is_text(array))
        yield from map(path_text, paths)
