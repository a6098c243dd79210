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
from collections.abc import Callable
from functools import singledispatch

from soid.case.case import ComparedLog, RecordedAnswer, RecordedStudy
from soid.case.program_comparison import ProgramComparison, ProgramDifference
from soid.cli.commands.causes_command import show_causes
from soid.cli.commands.compare_command import show_comparison, show_difference
from soid.cli.commands.map_command import show_map
from soid.cli.terminal.answers import show_answer
from soid.cli.terminal.explanations import show_explanation
from soid.cli.terminal.log_comparison_panel import show_comparison as show_log_comparison
from soid.cli.terminal.sweeps import show_sweep
from soid.cli.terminal.terminal import Terminal
from soid.explanation.causes import ActualCauses
from soid.explanation.explainer import Explanation
from soid.mapping.decision_map import DecisionMap
from soid.oracle.answer import Answer
from soid.oracle.whole_log import LogComparison
from soid.sweep.sweep import Sweep


@singledispatch
def text(result: object) -> str:
    """What the terminal would show, without colours; `repr` for what it shows nothing of."""
    return repr(result)


def _shown(show: Callable[[Terminal], None]) -> str:
    with io.StringIO() as stream:
        show(Terminal.into(stream))
        return stream.getvalue().rstrip()


@text.register
def _answer(answer: Answer) -> str:
    keyframe = answer.keyframe
    return repr(answer) if keyframe is None else _shown(lambda terminal: show_answer(terminal, answer, keyframe))


@text.register
def _explanation(found: Explanation) -> str:
    keyframe = found.answer.keyframe
    if keyframe is None:
        return repr(found)
    return _shown(lambda terminal: show_explanation(terminal, found, keyframe, "Explanation"))


@text.register
def _map(made: DecisionMap) -> str:
    return _shown(lambda terminal: show_map(terminal, made, f"step {made.step}"))


@text.register
def _sweep(made: Sweep) -> str:
    return _shown(lambda terminal: show_sweep(terminal, made))


@text.register
def _causes(found: ActualCauses) -> str:
    keyframe = found.keyframe
    if keyframe is None:
        return repr(found)
    return _shown(lambda terminal: show_causes(terminal, found, keyframe.called, keyframe.interface))


@text.register
def _comparison(made: ProgramComparison) -> str:
    keyframe = made.keyframe
    if keyframe is None:
        return repr(made)
    return _shown(lambda terminal: show_comparison(terminal, made, keyframe.interface, keyframe.called))


@text.register
def _difference(made: ProgramDifference) -> str:
    keyframe = made.in_fact.keyframe
    if keyframe is None:
        return repr(made)
    return _shown(lambda terminal: show_difference(terminal, made, keyframe, keyframe.called))


@text.register
def _log(found: LogComparison) -> str:
    return _shown(lambda terminal: show_log_comparison(terminal, "Log", found))


@text.register
def _recorded(recorded: RecordedAnswer) -> str:
    return str(recorded.answer)


@text.register(RecordedStudy | ComparedLog)
def _kept(recorded: RecordedStudy | ComparedLog) -> str:
    return str(recorded.result)
