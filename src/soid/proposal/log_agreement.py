"""The compiled program, run over the log from its first step on: in how many steps does it decide as logged?

This is the walk that `soid log check` makes, without exploring anything: it is quick, and says whether a proposal fits.
The program keeps its state from step to step; state that is logged must be the same. No answer rests on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Final, final

from msgspec import Struct

from soid.allowance import paced
from soid.budget import Budget
from soid.oracle.inquiry import Context
from soid.oracle.log_walk import EXPLORING, Explores, Fit, LogWalk
from soid.oracle.step_runs import StepRuns
from soid.scenario.trace import Trace

MOST_STEPS: Final = 20_000


@final
class LogAgreement(Struct, frozen=True):
    """What running the program over the log showed."""

    compared: int  # steps that were run, and have a logged decision
    agreeing: int  # of those, the ones in which all that is logged is what the program gives
    steps: int  # that were run
    first: str = ""  # the first step in which they differ, and how
    obstacle: str = ""  # why the run ended before the log
    is_unread: bool = False  # the log could not be read, and nothing was run
    states: tuple[Mapping[str, int], ...] = ()  # the state before each step that was run
    outputs: tuple[Mapping[str, int], ...] = ()  # what each step gave


def unrun(trace: Trace, most: int = MOST_STEPS) -> LogAgreement:
    """What a log says by itself, where the program cannot be run over it: an input was never logged."""
    steps = list(islice(trace, most))
    return LogAgreement(0, 0, len(steps), states=({},) * len(steps), outputs=tuple(step.decisions for step in steps))


def agreement(
    trace: Trace, context: Context, most: int = MOST_STEPS, explores: Explores = Explores.NONE
) -> LogAgreement:
    """Run the program over the log, or over its beginning."""
    runs, steps = StepRuns(trace.interface, context), list(islice(trace, most))
    walk = LogWalk(steps, runs, explores=explores, until=Budget(EXPLORING).started())
    walked = list(paced(walk, "running the program over the log"))
    ran = [(found, found.given) for found in walked if found.given is not None]
    # what only some value of an input that is not known gives says nothing
    compared = [found for found, _ in ran if steps[found.place].decisions and found.fit is not Fit.POSSIBLE]
    differing = [f"step {found.step.time}: {found.words}" for found in compared if found.fit is not Fit.FITS]
    before = [{**found.step.inputs, **found.held} for found, _ in ran]
    return LogAgreement(
        len(compared),
        len(compared) - len(differing),
        len(ran),
        differing[0] if differing else "",
        walked[-1].words if len(ran) < len(walked) else "",
        states=tuple({v.path: inputs[v.path] for v in runs.state} for inputs in before),
        outputs=tuple(given for _, given in ran),
    )
