"""From text to a script: lines and blocks by `blocks.py`, each line by the grammar in `statement.lark`.

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
    """The script that a text is; `file` is what errors call it."""
    with located(text, file):
        laid = lay_out(text)
        return Script(_ScriptReader(text).lines(laid, top=True), laid.closing)


def parse_line(text: str) -> Statement | Head:
    """One line by itself, as it is typed at a prompt."""
    with drawn(text):
        return _read(text, TextSpan(0, len(text.rstrip())))


@cache
def _language() -> Lark:
    """Both grammars, read once. Words of scripts mean something only where they may stand (a contextual lexer)."""
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
    """Lines to statements; what is about the whole script is looked after as they come."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._once: dict[str, TextSpan] = {}  # what may be said once
        self._asked = False  # whether a line stood already that is no heading

    def lines(self, nest: Nest, *, top: bool = False) -> tuple[Statement, ...]:
        read: list[Statement] = []
        for laid in nest.lines:
            span = TextSpan(laid.start, laid.end)
            line = _read(self._text, span)
            match line:
                case WhenHead(condition):
                    read.append(When(condition, (self._branch(On.YES, laid),), span=span))
                    self._asked = True
                case BranchHead(on):
                    read[-1:] = [self._joined(read[-1] if read else None, on, laid)]
                case LoopHead():
                    read.append(self._loop(line, laid))
                    self._asked = True
                case Title() | Sources() | ProjectDeclaration() | LogDeclaration() | KeyframeDefinition():
                    self._heading(line, span, top=top)
                    read.append(replace(line, span=span, remarks=laid.remarks))
                case When() | EachPlace() | EachStep() | EachKeyframe():
                    raise AssertionError("a block is put together here, of its head and its lines")
                case _:
                    read.append(replace(line, span=span, remarks=laid.remarks))
                    self._asked = True
        return tuple(read)

    def _block(self, laid: Laid) -> ScriptBlock:
        return ScriptBlock(self.lines(laid.below), laid.below.closing)

    def _branch(self, on: On, laid: Laid) -> VerdictBranch:
        return VerdictBranch(on, self._block(laid), span=TextSpan(laid.start, laid.end), remarks=laid.remarks)

    def _joined(self, above: Statement | None, on: On, laid: Laid) -> When:
        """The `when` above with one more branch."""
        span = TextSpan(laid.start, laid.end)
        said = "otherwise" if on is On.NO else f"when {on.value}"
        if not isinstance(above, When):
            error = QueryError(
                f"there is no question above that `{said}` could belong to",
                f"`{said}:` stands right below the block of a `when`, indented as that `when` is.",
            )
            raise placed(error, span)
        if on in {branch.on for branch in above.branches}:
            raise placed(QueryError(f"this question has an `{said}` already", "Put both together."), span)
        return replace(above, branches=(*above.branches, self._branch(on, laid)))

    def _loop(self, head: LoopHead, laid: Laid) -> Loop:
        span, remarks = TextSpan(laid.start, laid.end), laid.remarks
        if head.name is not None:
            return EachPlace(head.name, head.places, self._block(laid), span=span, remarks=remarks)
        if head.keyframes:
            return EachKeyframe(head.keyframes, self._block(laid), span=span, remarks=remarks)
        return EachStep(head.steps, head.log, self._block(laid), span=span, remarks=remarks)

    def _heading(
        self,
        line: Title | Sources | ProjectDeclaration | LogDeclaration | KeyframeDefinition,
        span: TextSpan,
        *,
        top: bool,
    ) -> None:
        """What a script is about stands at its beginning, and what there is one of is said once."""
        if not top or self._asked:
            error = QueryError("what a script is about is said first", "Move this line to the top, to the margin.")
            raise placed(error, span)
        for kind, remedy in _said_once(line):
            if kind in self._once:
                raise placed(QueryError(f"{kind} is named already", remedy), span)
            self._once[kind] = span


def _said_once(
    line: Title | Sources | ProjectDeclaration | LogDeclaration | KeyframeDefinition,
) -> list[tuple[str, str]]:
    match line:
        case Title():
            return [("the case", "Leave out one of the lines.")]
        case Sources() | ProjectDeclaration():
            return [("the program", "Leave out one of the lines.")]
        case LogDeclaration():
            return []
        case KeyframeDefinition():
            return [(f"the keyframe {line.name}", "Give each moment its own name.")]
        case _:
            assert_never(line)
