"""Builds a line of a script for each rule of `statement.lark`; `script_parser.py` adds blocks, remarks and spans."""

from __future__ import annotations

import re
from typing import Any, Final, final

from lark import Token
from msgspec.structs import replace

from soid.query.language.query_builder import Builder, as_behavior, as_formula, as_suppositions, span_over, unquoted
from soid.query.language.script import nodes
from soid.query.language.script.nodes import PLAIN_NAME, Indexes, LoopPlace, On, ScriptBlock, WholeNumbers
from soid.query.language.script.script_errors import refuse_word
from soid.query.language.script.verdict_formula import verdicts_of
from soid.scenario.expression import Literal, Located, Name, check_depth, error_at
from soid.scenario.expression_text import RESERVED
from soid.scenario.written_step import WrittenStep, written_step

#: stands for the block below a line until `script_parser.py` has read it
_UNREAD: Final = ScriptBlock(())

#: numbers that a range in a loop has
MOST_NUMBERS: Final = 10_000
_WHOLE: Final = re.compile("-?[0-9]+")


@final
class _Several(Located, frozen=True):
    """The items in braces, or a single item without braces."""

    items: tuple[Any, ...]


@final
class _LoggedStep(Located, frozen=True):
    """A step of a log, as written."""

    step: WrittenStep


@final
class ScriptBuilder(Builder):
    """One method for each alias of the grammar; it turns the children into a node."""

    def title(self, parts: list[Any]) -> nodes.Title:
        return nodes.Title(_text(parts[1]))

    def sources(self, parts: list[Any]) -> nodes.Sources:
        files = tuple(_text(part) for part in parts[1:-2:2])
        return nodes.Sources(files, parts[-1].path)

    def project(self, parts: list[Any]) -> nodes.ProjectDeclaration:
        return nodes.ProjectDeclaration(_text(parts[1]))

    def log(self, parts: list[Any]) -> nodes.LogDeclaration:
        name = next((_given(part) for part in parts if isinstance(part, Name)), None)
        step = next((part.step for part in parts if isinstance(part, _LoggedStep)), None)
        return nodes.LogDeclaration(_text(parts[1]), name, step)

    def keyframe(self, parts: list[Any]) -> nodes.KeyframeDefinition:
        return nodes.KeyframeDefinition(_given(parts[1]), parts[3].step, _log(parts[4:]))

    def let(self, parts: list[Any]) -> nodes.Let:
        value = as_formula(parts[3])
        check_depth(value)
        return nodes.Let(_given(parts[1]), value)

    def let_question(self, parts: list[Any]) -> nodes.NamedQuestion:
        return nodes.NamedQuestion(_given(parts[1]), parts[3])

    def let_witness(self, parts: list[Any]) -> nodes.LetWitness:
        called = parts[5]
        return nodes.LetWitness(_given(parts[1]), called.path if isinstance(called, Name) else called.text)

    def family(self, parts: list[Any]) -> nodes.FamilyDefinition:
        return nodes.FamilyDefinition(_given(parts[1]), as_suppositions(parts[3]))

    def at_step(self, parts: list[Any]) -> nodes.AtStep:
        return nodes.AtStep(parts[1].step, _log(parts[2:]))

    def at_keyframe(self, parts: list[Any]) -> nodes.AtKeyframe:
        return nodes.AtKeyframe(_given(parts[1]))

    def ask(self, parts: list[Any]) -> nodes.Ask:
        return nodes.Ask(parts[0])

    def study_causes(self, parts: list[Any]) -> nodes.StudyCauses:
        _, _, formula, *steps, _, suppositions = parts
        behavior, supposed = as_behavior(formula), as_suppositions(suppositions)
        return nodes.StudyCauses(behavior, supposed, next(iter(steps), None))

    def study_map(self, parts: list[Any]) -> nodes.StudyMap:
        by = as_behavior(parts[3]) if len(parts) > 2 else None
        return nodes.StudyMap(as_suppositions(parts[1]), by)

    def study_explanation(self, parts: list[Any]) -> nodes.StudyExplanation:
        called = parts[1]
        return nodes.StudyExplanation(called.path if isinstance(called, Name) else called.text)

    def conclude(self, parts: list[Any]) -> nodes.Conclude:
        return nodes.Conclude(_text(parts[1]))

    def cause(self, parts: list[Any]) -> nodes.Cause:
        formula, *steps, _, suppositions = parts
        behavior, supposed = as_behavior(formula), as_suppositions(suppositions)
        return nodes.Cause(behavior, supposed, next(iter(steps), None), span=span_over(formula, suppositions))

    # heads of blocks

    def when(self, parts: list[Any]) -> nodes.When:
        return nodes.When(parts[1], (nodes.VerdictBranch(On.YES, _UNREAD),))

    def when_verdicts(self, parts: list[Any]) -> nodes.WhenVerdicts:
        return nodes.WhenVerdicts((_arm(parts[1]),))

    def otherwise_when(self, parts: list[Any]) -> nodes.VerdictArm:
        return _arm(parts[2])

    def handler(self, parts: list[Any]) -> nodes.VerdictBranch:
        return nodes.VerdictBranch(On(str(parts[1])), _UNREAD)

    def otherwise(self, parts: list[Any]) -> nodes.VerdictBranch:
        return nodes.VerdictBranch(On.NO, _UNREAD)

    def each_place(self, parts: list[Any]) -> nodes.EachPlace:
        return nodes.EachPlace(_given(parts[2]), parts[4].items, _UNREAD)

    def each_step(self, parts: list[Any]) -> nodes.EachStep:
        return nodes.EachStep(parts[4].items, _log(parts[5:-1]), _UNREAD)

    def each_keyframe(self, parts: list[Any]) -> nodes.EachKeyframe:
        return nodes.EachKeyframe(tuple(_given(part) for part in parts[5:-2:2]), _UNREAD)

    # parts of lines

    def logged_step(self, parts: list[Any]) -> _LoggedStep:
        return _LoggedStep(_step(parts[-1]), span=span_over(*parts))

    moment_end = logged_step

    def log_name(self, parts: list[Any]) -> _Several:
        return _Several((_given(parts[1]),), span=span_over(*parts))

    def places(self, parts: list[Any]) -> _Several:
        listed = parts if len(parts) == 1 else parts[1::2]
        items = (_placed(part) for part in listed)
        return _Several(tuple(items), span=span_over(*parts))

    def indexes(self, parts: list[Any]) -> _Several:
        path, ends = parts
        first, last = (int(end) for end in str(ends)[1:-1].split(".."))
        span = span_over(*parts)
        if last < first:
            raise error_at(span, "these indexes are empty", "Write the smaller one first.")
        return _Several((Indexes(path.path, first, last),), span=span)

    def whole_numbers(self, parts: list[Any]) -> _Several:
        span = span_over(*parts)
        ends = [each.text for each in parts[::2]]
        if not all(map(_WHOLE.fullmatch, ends)):
            raise error_at(span, "a range has whole numbers at its ends", "List the values: {0.5, 1.0, 1.5}.")
        first, last = map(int, ends)
        if last < first:
            raise error_at(span, "this range is empty", "Write the smaller number first.")
        if last - first >= MOST_NUMBERS:
            raise error_at(span, f"these are more than {MOST_NUMBERS} numbers", "Ask about a range: 1 <= x <= 30000.")
        return _Several((WholeNumbers(first, last),), span=span)

    def moments(self, parts: list[Any]) -> _Several:
        listed = parts if len(parts) == 1 else parts[1::2]
        return _Several(tuple(part.items[0] for part in listed), span=span_over(*parts))

    def moment(self, parts: list[Any]) -> _Several:
        first, last = parts[0].step, parts[-1].step
        span = span_over(*parts)
        if isinstance(first, int) and isinstance(last, int) and last < first:
            raise error_at(span, "these steps are none", "Write the earlier one first.")
        return _Several(((first, last),), span=span)

    def name(self, parts: list[Any]) -> Name:
        return Name(str(parts[0]), span=span_over(*parts))

    def path(self, parts: list[Any]) -> Name:
        """The contextual lexer reads a reserved word as PATH where it expects no such word: refuse it as a variable."""
        if parts[0].type == "PATH" and str(parts[0]) in RESERVED:
            raise error_at(
                span_over(*parts),
                f"`{parts[0]}` is a word of the language",
                f"A variable so called is written in backticks: `{parts[0]}`.",
            )
        return super().path(parts)


def _arm(part: Any) -> nodes.VerdictArm:
    formula = as_formula(part)
    check_depth(formula)
    verdicts_of(formula, lambda called, span: 0)  # raises if it is about anything else; the questions are found later
    return nodes.VerdictArm(formula, _UNREAD)


def _placed(part: Any) -> LoopPlace:
    """A place that a loop goes over, or a value."""
    if isinstance(part, Literal):
        return replace(part, span=None)
    found: str | Indexes | WholeNumbers = part.path if isinstance(part, Name) else part.items[0]
    return found


def _text(token: Token) -> str:
    return unquoted(str(token))


def _given(part: Name) -> str:
    """A name that the script defines: one plain word."""
    refuse_word(part.path, part.span)
    if not PLAIN_NAME.fullmatch(part.path):
        raise error_at(part.span, f"{part.path} is no plain name", "Give it a name of one word.")
    return part.path


def _whole(part: Any) -> int:
    """The number of a step."""
    text: str = part.text
    if not text.removeprefix("-").isdecimal() or len(text) > 40:
        raise error_at(part.span, f"{text} is no number of a step", "Write a whole number.")
    return int(text)


def _step(part: Any) -> WrittenStep:
    """A step by its number, or by a time."""
    return written_step(str(part)) if isinstance(part, Token) else _whole(part)


def _log(said: list[Any]) -> str | None:
    return said[0].items[0] if said else None
