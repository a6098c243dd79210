"""Results as the terminal shows them.

>>> from soid.case.project import Project
>>> from soid.examples import folder
>>> print(Project.open(folder("microwave")).ask("did action == CLOSE"))  # doctest: +ELLIPSIS
Question ──────────────────────────────────────────────────────────────────────────────────── step 3
  Did it close the door?
  did action == CLOSE
<BLANKLINE>
  ✔ YES  on the logged inputs it does
...
"""

from __future__ import annotations

import io
from functools import singledispatch

from soid.cli.commands.map_command import show_map
from soid.cli.terminal.answers import show_answer
from soid.cli.terminal.explanations import show_explanation
from soid.cli.terminal.sweeps import show_sweep
from soid.cli.terminal.terminal import Terminal
from soid.explanation.explainer import Explanation
from soid.mapping.decision_map import DecisionMap
from soid.oracle.answer import Answer
from soid.sweep.sweep import Sweep


@singledispatch
def text(result: object) -> str:
    """What the terminal would show, without colours; `repr` for what it shows nothing of."""
    return repr(result)


@text.register
def _answer(answer: Answer) -> str:
    if answer.keyframe is None:
        return repr(answer)
    with io.StringIO() as stream:
        show_answer(Terminal.into(stream), answer, answer.keyframe)
        return stream.getvalue().rstrip()


@text.register
def _explanation(explanation: Explanation) -> str:
    if explanation.answer.keyframe is None:
        return repr(explanation)
    with io.StringIO() as stream:
        show_explanation(Terminal.into(stream), explanation, explanation.answer.keyframe, "Explanation")
        return stream.getvalue().rstrip()


@text.register
def _map(made: DecisionMap) -> str:
    with io.StringIO() as stream:
        show_map(Terminal.into(stream), made, f"step {made.step}")
        return stream.getvalue().rstrip()


@text.register
def _sweep(made: Sweep) -> str:
    with io.StringIO() as stream:
        show_sweep(Terminal.into(stream), made)
        return stream.getvalue().rstrip()
