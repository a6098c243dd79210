"""An open question on the terminal: what is settled, as a bar or a grid, what stands in the way, and what helps.

settled  ████████████████░░░░░░░░░░  81.3 % of the range of the speed
"""

from __future__ import annotations

import shlex
from typing import Final

from soid.cli.terminal.terminal import Terminal
from soid.oracle.answer import Answer
from soid.oracle.next_step import NextStep, NextStepKind
from soid.oracle.settled_share import OPEN, SETTLED, SettledPicture, SettledShare
from soid.query.words.readable_numbers import with_unit
from soid.surface import Surface, served

_BAR: Final = 48  # cells
_NAMED: Final = 6  # labels beside rows


def show_unknown(terminal: Terminal, answer: Answer) -> None:
    """Show what was settled, and what helps."""
    if answer.settled is not None:
        terminal.blank()
        _show_settled(terminal, answer.settled)
    if not answer.next_steps:
        return
    terminal.blank()
    terminal.line(("  What helps", "bold"))
    for step in answer.next_steps:
        terminal.prose(step.words, indent=6, first=(f"    {terminal.either('·', '-')} ", "dim"))
        terminal.prose(typed(step), indent=10, style="dim")


def typed(step: NextStep) -> str:
    """The command that takes a step, or in Python the call; in a case, `resume` and `ask` do it on the record."""
    if served() is Surface.PYTHON:
        return _call(step)
    more = "--resume" if step.kind is NextStepKind.MORE_TIME else ""
    window = f"--window {step.window}" if step.window is not None else ""
    seconds = f"--seconds {step.seconds:.0f}" if step.seconds is not None else ""
    return " ".join(filter(None, ("soid ask", shlex.quote(step.question), more, seconds, window)))


def _call(step: NextStep) -> str:
    resume = "resume=True" if step.kind is NextStepKind.MORE_TIME else ""
    seconds = f"seconds={step.seconds:.0f}" if step.seconds is not None else ""
    asked = f"project.ask({', '.join(filter(None, (repr(step.question), resume, seconds)))})"
    return f"{asked}, opened with settings=soid.Settings(window={step.window})" if step.window is not None else asked


def _show_settled(terminal: Terminal, settled: SettledShare) -> None:
    whole, rest = terminal.either("█", "#"), terminal.either("░", "-")
    picture = settled.picture
    terminal.line(("  Settled", "bold"))
    terminal.prose(settled.told, indent=4)
    if picture is None:
        filled = int(settled.share * _BAR)
        terminal.line((f"    {whole * filled}{rest * (_BAR - filled)}", ""))
        return
    signs = {SETTLED: whole, OPEN: rest}
    side = _side(picture)
    for name, row in zip(side, picture.rows, strict=True):
        terminal.line((f"    {name}{''.join(signs.get(each, each) for each in row)}", ""))
    room = " " * (4 + len(side[0]))
    across = picture.axes[0]
    low, high = across.low, with_unit(across.high, across.unit)
    terminal.line((f"{room}{low}{high:>{max(len(picture.rows[0]) - len(low), len(high) + 1)}}", "dim"))
    legend = f"{whole} settled  {rest} open"
    where = f"{across.name}, from left to right; " if len(picture.axes) > 1 else ""
    terminal.line((f"{room}{where}{legend}", "dim"))


def _side(picture: SettledPicture) -> list[str]:
    """What stands before each row: of a grid the value of the second input at its ends, or at each label."""
    if len(picture.axes) == 1:
        return [""]
    down, count = picture.axes[1], len(picture.rows)
    names = [""] * count
    if down.values and count <= _NAMED:
        names = list(down.values)
    else:
        names[0], names[-1] = down.low, with_unit(down.high, down.unit)
        names[count // 2] = down.name if count > 2 else names[count // 2]
    width = max(map(len, names)) + 1
    return [f"{name:>{width - 1}} " for name in names]
