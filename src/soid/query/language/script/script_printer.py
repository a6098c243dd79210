"""Prints a script as text that parses to the same script; `soid fmt` writes this text.

A line that is too long continues on the next line, indented deeper than a block. It is broken only before `if`,
`because`, and the `and`s that join suppositions.

>>> from soid.query.language.script.script_parser import parse_script
>>> print(script_text(parse_script("when did  (x):   # why\\n  conclude  'no'".replace("'", '"'))), end="")
when did x:  # why
    conclude "no"
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, assert_never

from soid.query.language.query_printer import behavior_text, pairs_texts, suppositions_texts
from soid.query.language.script import nodes
from soid.query.language.script.nodes import WORDS, Condition, On, Remarks, Script, ScriptBlock, Statement
from soid.query.query import Query
from soid.scenario.expression import Literal
from soid.scenario.expression_text import expression_text, label_text, path_text
from soid.scenario.written_step import WrittenStep, step_text

WIDTH: Final = 100  # columns of a line, unless it cannot be broken
_INDENT: Final = " " * 4
_GOING_ON: Final = " " * 8

_FIRST_WORD: Final = re.compile(r"[^\W\d]\w*(?![\w.(\[:]|->)")


def script_text(script: Script) -> str:
    lines = [*_block(ScriptBlock(script.lines, script.closing), ""), ""]
    return "\n".join(lines) if len(lines) > 1 else ""


def condition_text(condition: Condition) -> str:
    """A question or a cause on one line."""
    return " ".join(_condition(condition))


def _block(block: ScriptBlock, indent: str) -> Iterator[str]:
    for line in block.lines:
        yield from _statement(line, indent)
    yield from _remarks(block.closing, indent)


def _remarks(remarks: tuple[str, ...], indent: str) -> Iterator[str]:
    return (f"{indent}{remark}" if remark else "" for remark in remarks)


def _statement(line: Statement, indent: str) -> Iterator[str]:
    if isinstance(line, nodes.When):
        for branch in line.branches:
            yield from _line(_head(line, branch.on), branch.remarks, indent)
            yield from _block(branch.block, indent + _INDENT)
        return
    if isinstance(line, nodes.WhenVerdicts):
        for number, arm in enumerate(line.arms):
            yield from _line([_arm_head(arm, first=number == 0)], arm.remarks, indent)
            yield from _block(arm.block, indent + _INDENT)
        return
    yield from _line(_pieces(line), line.remarks, indent)
    if isinstance(line, nodes.Loop):
        yield from _block(line.block, indent + _INDENT)


def _head(when: nodes.When, on: On) -> list[str]:
    """The line above the block for a verdict, in pieces."""
    if on is not On.YES:
        return ["otherwise:" if on is On.NO else f"when {on.value}:"]
    first, *others = _condition(when.condition)
    *pieces, last = [f"when {_quoted(first, {'unknown', 'vacuous', 'error'})}", *others]
    return [*pieces, f"{last}:"]


def _arm_head(arm: nodes.VerdictArm, *, first: bool) -> str:
    """The line above the block for a formula over verdicts."""
    if arm.formula is None:
        return "otherwise:"
    return f"{'when' if first else 'otherwise when'} {expression_text(arm.formula)}:"


def _line(pieces: list[str], remarks: Remarks, indent: str) -> Iterator[str]:
    """The remarks above, the line with its pieces, and the remark beside it."""
    yield from _remarks(remarks.before, indent)
    text = indent + pieces[0]
    for piece in pieces[1:]:
        if len(text) + 1 + len(piece) > WIDTH:
            yield text
            text = indent + _GOING_ON + piece
        else:
            text += f" {piece}"
    yield f"{text}  {remarks.beside}" if remarks.beside else text


def _pieces(line: nodes.Sentence) -> list[str]:
    """The pieces of a line; it may be broken between them."""
    match line:
        case nodes.Title(text):
            return [f"case {label_text(text)}"]
        case nodes.Sources(files, entry):
            return [f"program {', '.join(map(label_text, files))} entry {entry}"]
        case nodes.ProjectDeclaration(folder):
            return [f"project {label_text(folder)}"]
        case nodes.LogDeclaration(file, name, step):
            called = f" as {name}" if name is not None else ""
            return [f"trace {label_text(file)}{called}" + (f" at {step_text(step)}" if step is not None else "")]
        case nodes.KeyframeDefinition(name, step, log):
            return [f"keyframe {name} = {step_text(step)}{_of(log)}"]
        case nodes.Let(name, value):
            return [f"let {name} = {_quoted(expression_text(value), {'witness'})}"]
        case nodes.LetWitness(name, question):
            return [f"let {name} = witness of {question}"]
        case nodes.FamilyDefinition(name, suppositions):
            first, *others = suppositions_texts(suppositions)
            return [f"family {name} = {first}", *(f"and {each}" for each in others)]
        case nodes.AtStep(step, log):
            return [f"at {step_text(step)}{_of(log)}"]
        case nodes.AtKeyframe(name):
            return [f"at {name}"]
        case nodes.Ask(condition):
            first, *others = _condition(condition)
            return [_quoted(first, WORDS), *others]
        case nodes.StudyCauses(behavior, suppositions, steps):
            first, *others = suppositions_texts(suppositions)
            asked = f"causes of {behavior_text(behavior)}" + (f" {steps}" if steps is not None else "")
            return [asked, f"over {first}", *(f"and {each}" for each in others)]
        case nodes.StudyMap(suppositions, by):
            first, *others = suppositions_texts(suppositions)
            told = [f"by {behavior_text(by)}"] if by is not None else []
            return [f"map {first}", *(f"and {each}" for each in others), *told]
        case nodes.StudyExplanation(question):
            return [f"explain {question}"]
        case nodes.NamedQuestion(name, condition):
            first, *others = _condition(condition)
            return [f"let {name} = {first}", *others]
        case nodes.Conclude(text):
            return [f"conclude {label_text(text)}"]
        case nodes.EachPlace(name, places):
            return [f"for each {name} in {_several([_place(place) for place in places])}:"]
        case nodes.EachStep(steps, log):
            ends = [(_moment_end(first), _moment_end(last)) for first, last in steps]
            ranges = [first if first == last else f"{first}..{last}" for first, last in ends]
            return [f"for each step in {_several(ranges)}{_of(log)}:"]
        case nodes.EachKeyframe(names):
            return [f"for each keyframe in {{{', '.join(names)}}}:"]
        case _:
            assert_never(line)


def _condition(condition: Condition) -> list[str]:
    if isinstance(condition, Query) and condition.lives is not None:
        return [*pairs_texts(condition.kind, condition.lives)]
    verb = f"{condition.kind.value} " if isinstance(condition, Query) else ""
    steps = f" {condition.steps}" if condition.steps is not None else ""
    joints = ["if" if isinstance(condition, Query) else "because", *("and" for _ in condition.suppositions)]
    supposed = zip(joints, suppositions_texts(condition.suppositions), strict=False)
    return [f"{verb}{behavior_text(condition.behavior)}{steps}", *(f"{joint} {text}" for joint, text in supposed)]


def _quoted(text: str, words: frozenset[str] | set[str]) -> str:
    """The text with its first word in backticks if it is one of `words`: there it would not be read as a variable."""
    first = _FIRST_WORD.match(text)
    return f"`{first[0]}`{text[first.end() :]}" if first is not None and first[0] in words else text


def _several(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{{{', '.join(texts)}}}"


def _place(place: nodes.LoopPlace) -> str:
    if isinstance(place, Literal):
        return place.text
    if isinstance(place, nodes.WholeNumbers):
        return f"{place.first}..{place.last}"
    if isinstance(place, nodes.Indexes):
        return f"{path_text(place.path)}[{place.first}..{place.last}]"
    return path_text(place)


def _moment_end(step: WrittenStep) -> str:
    return step_text(step).removeprefix("step ")


def _of(log: str | None) -> str:
    return f" of {log}" if log is not None else ""
