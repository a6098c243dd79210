"""An Explanation on the terminal: what mattered, where it flips, where the ways part; or what a proof needed.

Its headings and sentences are those of the page (`soid.explanation.explanation_words`).
"""

from __future__ import annotations

from soid.allowance import MAY_SETTLE
from soid.cli.terminal.answers import show_question, show_verdict
from soid.cli.terminal.terminal import Terminal
from soid.documents import json_of
from soid.explanation.explainer import Explanation
from soid.explanation.explanation_words import explanation as told
from soid.scenario.trace import Keyframe


def show_explanation(
    terminal: Terminal, explanation: Explanation, keyframe: Keyframe, heading: str, *, exact: bool = False
) -> None:
    """Show the answer, then what mattered or what its proof needed, and what was not settled."""
    answer = explanation.answer
    terminal.rule(heading, keyframe.called)
    show_question(terminal, answer.query, answer.text, keyframe)
    show_verdict(terminal, answer, keyframe)
    for title, lines in told(json_of(explanation.document), keyframe.interface):
        terminal.blank()
        terminal.line((f"  {title}", "bold"))
        for line in lines:
            text = line.exact if exact else line.read
            if text.endswith(":"):
                terminal.prose(text, indent=4)
            else:
                terminal.prose(text, indent=6, first=(f"    {terminal.either('•', '-')} ", "dim"))
    if explanation.out_of_time:
        terminal.prose(str(MAY_SETTLE), indent=4, style="dim")
