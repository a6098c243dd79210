"""Parses text to a script: `blocks.py` finds lines and blocks, the grammar in `statement.lark` parses each line.

>>> script = parse_script('let other = world.agents[1]\\ndid move\\n')
>>> [type(line).__name__ for line in script.lines]
['Let', 'Ask']
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final, TypeVar, assert_never

from lark import Lark, TextSlice, UnexpectedInput
from msgspec.structs import replace

from soid.query.language.grammar_cache import language
from soid.query.language.query_errors import drawn
from soid.query.language.script import nodes
from soid.query.language.script.blocks import Laid, Nest, lay_out
from soid.query.language.script.nodes import On, Script, ScriptBlock, Statement
from soid.query.language.script.script_builder import ScriptBuilder
from soid.query.language.script.script_errors import located, unexpected
from soid.scenario.expression import TextSpan, error_at

_HERE: Final = Path(__file__).parent

#: a line by itself: a statement, or the head of one more block of the `when` above
Line = Statement | nodes.VerdictBranch | nodes.VerdictArm

#: a line with a block below it
Headed = TypeVar("Headed", bound=nodes.VerdictBranch | nodes.VerdictArm | nodes.Loop)


def parse_script(text: str, file: str = "script") -> Script:
    """The script of a text; errors show `file` as its name."""
    with located(text, file):
        laid = lay_out(text)
        return Script(_ScriptReader(text).lines(laid, top=True), laid.closing)


def parse_line(text: str) -> Line:
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


def _read(text: str, span: TextSpan) -> Line:
    """One line; a block below it is not read yet."""
    try:
        read: Line = _language().parse(TextSlice(text, span.start, span.end))  # type: ignore[assignment]
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
            span = laid.span
            line = _read(self._text, span)
            if isinstance(line, nodes.Heading):
                self._heading(line, span, top=top)
            else:
                self._asked = True
            match line:
                case nodes.When():
                    read.append(replace(line, branches=(self._filled(line.branches[0], laid),), span=span))
                case nodes.WhenVerdicts():
                    read.append(replace(line, arms=(self._filled(line.arms[0], laid),), span=span))
                case nodes.VerdictBranch() | nodes.VerdictArm():
                    read[-1:] = [self._joined(read[-1] if read else None, line, laid)]
                case nodes.EachPlace() | nodes.EachStep() | nodes.EachKeyframe():
                    read.append(self._filled(line, laid))
                case _:
                    read.append(replace(line, span=span, remarks=laid.remarks))
        return tuple(read)

    def _filled(self, head: Headed, laid: Laid) -> Headed:
        """A head with the block below it."""
        block = ScriptBlock(self.lines(laid.below), laid.below.closing)
        return replace(head, block=block, span=laid.span, remarks=laid.remarks)

    def _joined(
        self, above: Statement | None, line: nodes.VerdictBranch | nodes.VerdictArm, laid: Laid
    ) -> nodes.When | nodes.WhenVerdicts:
        """The `when` above with one more block."""
        if isinstance(above, nodes.WhenVerdicts):
            return self._next_arm(above, line, laid)
        if isinstance(line, nodes.VerdictBranch):
            return self._next_branch(above, line, laid)
        raise error_at(
            laid.span,
            "there is no `when` over verdicts above that `otherwise when` could belong to",
            "It follows the block of one (`when q is yes:`). Below a question write `otherwise:`, and `when` in it.",
        )

    def _next_arm(
        self, above: nodes.WhenVerdicts, line: nodes.VerdictBranch | nodes.VerdictArm, laid: Laid
    ) -> nodes.WhenVerdicts:
        if above.arms[-1].formula is None:
            raise error_at(laid.span, "nothing can follow `otherwise:`", "Move this above it.")
        if isinstance(line, nodes.VerdictBranch):
            if line.on is not On.NO:
                raise error_at(
                    laid.span,
                    f"`when {line.on.value}:` belongs to a question, and above are verdicts of questions by name",
                    f"Name the question: otherwise when q is {line.on.value}:",
                )
            line = nodes.VerdictArm(None, line.block)
        return replace(above, arms=(*above.arms, self._filled(line, laid)))

    def _next_branch(self, above: Statement | None, branch: nodes.VerdictBranch, laid: Laid) -> nodes.When:
        on = branch.on
        head = "otherwise" if on is On.NO else f"when {on.value}"
        if not isinstance(above, nodes.When):
            raise error_at(
                laid.span,
                f"there is no question above that `{head}` could belong to",
                f"`{head}:` stands right below the block of a `when`, indented as that `when` is.",
            )
        if on in {branch.on for branch in above.branches}:
            raise error_at(laid.span, f"this question has an `{head}` already", "Put both together.")
        return replace(above, branches=(*above.branches, self._filled(branch, laid)))

    def _heading(self, line: nodes.Heading, span: TextSpan, *, top: bool) -> None:
        """Refuse a heading that is not at the beginning, or that occurs twice."""
        if not top or self._asked:
            raise error_at(span, "what a script is about is said first", "Move this line to the top, to the margin.")
        remedy = "Leave out one of the lines."
        match line:
            case nodes.Title():
                kind = "the case"
            case nodes.Sources() | nodes.ProjectDeclaration():
                kind = "the program"
            case nodes.LogDeclaration():
                return
            case nodes.KeyframeDefinition(name):
                kind, remedy = f"the keyframe {name}", "Give each moment its own name."
            case _:
                assert_never(line)
        if kind in self._once:
            raise error_at(span, f"{kind} is named already", remedy)
        self._once.add(kind)
