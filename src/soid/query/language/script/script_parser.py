"""Parses text to a script: `blocks.py` finds lines and blocks, the grammar in `statement.lark` parses each line.

>>> script = parse_script('let other = world.agents[1]\\ndid move\\n')
>>> [type(line).__name__ for line in script.lines]
['Let', 'Ask']
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final, assert_never

from lark import Lark, TextSlice, UnexpectedInput
from msgspec.structs import replace

from soid.errors import QueryError
from soid.query.language.grammar_cache import language
from soid.query.language.query_errors import drawn
from soid.query.language.script.blocks import Laid, Nest, lay_out
from soid.query.language.script.nodes import (
    EachKeyframe,
    EachPlace,
    EachStep,
    Heading,
    KeyframeDefinition,
    LogDeclaration,
    Loop,
    On,
    ProjectDeclaration,
    Script,
    ScriptBlock,
    Sources,
    Statement,
    Title,
    VerdictBranch,
    When,
)
from soid.query.language.script.script_builder import BranchHead, Head, LoopHead, ScriptBuilder, WhenHead
from soid.query.language.script.script_errors import located, unexpected
from soid.scenario.expression import TextSpan, placed

_HERE: Final = Path(__file__).parent


def parse_script(text: str, file: str = "script") -> Script:
    """The script of a text; errors show `file` as its name."""
    with located(text, file):
        laid = lay_out(text)
        return Script(_ScriptReader(text).lines(laid, top=True), laid.closing)


def parse_line(text: str) -> Statement | Head:
    """One line by itself, as typed at a prompt."""
    with drawn(text):
        return _read(text, TextSpan(0, len(text.rstrip())))


@cache
def _language() -> Lark:
    """The parser of both grammars, made once. The lexer is contextual: words of scripts are not reserved everywhere."""
    grammars = (_HERE.parent / "grammar.lark", _HERE / "statement.lark")
    return language(
        "\n".join(grammar.read_text(encoding="utf-8") for grammar in grammars),
        ScriptBuilder(),
        parser="lalr",
        lexer="contextual",
        start="statement",
        keep_all_tokens=True,
        maybe_placeholders=False,
    )


def _read(text: str, span: TextSpan) -> Statement | Head:
    try:
        read: Statement | Head = _language().parse(TextSlice(text, span.start, span.end))  # type: ignore[assignment]
    except UnexpectedInput as error:
        raise unexpected(error, text, span) from None
    return read


class _ScriptReader:
    """Turns lines into statements, and checks the headings of the script."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._once: set[str] = set()  # headings that may occur once, and have occurred
        self._asked = False  # whether there was a line that is no heading

    def lines(self, nest: Nest, *, top: bool = False) -> tuple[Statement, ...]:
        read: list[Statement] = []
        for laid in nest.lines:
            span = TextSpan(laid.start, laid.end)
            line = _read(self._text, span)
            if isinstance(line, Heading):
                self._heading(line, span, top=top)
            else:
                self._asked = True
            match line:
                case WhenHead(condition):
                    read.append(When(condition, (self._branch(On.YES, laid),), span=span))
                case BranchHead(on):
                    read[-1:] = [self._joined(read[-1] if read else None, on, laid)]
                case LoopHead():
                    read.append(self._loop(line, laid))
                case When() | EachPlace() | EachStep() | EachKeyframe():
                    raise AssertionError("the grammar builds heads of blocks, not blocks")
                case _:
                    read.append(replace(line, span=span, remarks=laid.remarks))
        return tuple(read)

    def _block(self, laid: Laid) -> ScriptBlock:
        return ScriptBlock(self.lines(laid.below), laid.below.closing)

    def _branch(self, on: On, laid: Laid) -> VerdictBranch:
        return VerdictBranch(on, self._block(laid), span=TextSpan(laid.start, laid.end), remarks=laid.remarks)

    def _joined(self, above: Statement | None, on: On, laid: Laid) -> When:
        """The `when` above with one more branch."""
        span = TextSpan(laid.start, laid.end)
        head = "otherwise" if on is On.NO else f"when {on.value}"
        if not isinstance(above, When):
            error = QueryError(
                f"there is no question above that `{head}` could belong to",
                f"`{head}:` stands right below the block of a `when`, indented as that `when` is.",
            )
            raise placed(error, span)
        if on in {branch.on for branch in above.branches}:
            raise placed(QueryError(f"this question has an `{head}` already", "Put both together."), span)
        return replace(above, branches=(*above.branches, self._branch(on, laid)))

    def _loop(self, head: LoopHead, laid: Laid) -> Loop:
        span, remarks = TextSpan(laid.start, laid.end), laid.remarks
        if head.name is not None:
            return EachPlace(head.name, head.places, self._block(laid), span=span, remarks=remarks)
        if head.keyframes:
            return EachKeyframe(head.keyframes, self._block(laid), span=span, remarks=remarks)
        return EachStep(head.steps, head.log, self._block(laid), span=span, remarks=remarks)

    def _heading(self, line: Heading, span: TextSpan, *, top: bool) -> None:
        """Refuse a heading that is not at the beginning, or that occurs twice."""
        if not top or self._asked:
            error = QueryError("what a script is about is said first", "Move this line to the top, to the margin.")
            raise placed(error, span)
        remedy = "Leave out one of the lines."
        match line:
            case Title():
                kind = "the case"
            case Sources() | ProjectDeclaration():
                kind = "the program"
            case LogDeclaration():
                return
            case KeyframeDefinition(name):
                kind, remedy = f"the keyframe {name}", "Give each moment its own name."
            case _:
                assert_never(line)
        if kind in self._once:
            raise placed(QueryError(f"{kind} is named already", remedy), span)
        self._once.add(kind)
