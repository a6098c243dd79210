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
from soid.oracle.log_walk import EXPLORING, ComparedStep, Explores, Fit, LogWalk
from soid.oracle.step_runs import StepRuns
from soid.scenario.trace import Trace

MOST_STEPS: Final = 20_000


@final
class LogAgreement(Struct, frozen=True):
    """What running the program over the log showed."""

    compared: int  # steps that were run, have a logged decision, and of which all is known that was perceived
    agreeing: int  # of those, the ones in which all that is logged is what the program gives
    steps: int  # that were run
    first: str = ""  # the first step in which they differ, and how
    obstacle: str = ""  # why the run ended before the log
    is_unread: bool = False  # the log could not be read, and nothing was run
    states: tuple[Mapping[str, int], ...] = ()  # the state before each step that was run
    outputs: tuple[Mapping[str, int], ...] = ()  # what each step gave
    refuted: int = 0  # of those compared, the ones whose inputs are not known: no value of them gives what is logged
    fitting: int = 0  # the steps that agree, and those in which it is not known what was perceived, and that may agree

    @property
    def contradicted(self) -> int:
        """The steps that do not agree, of those whose inputs are all known: others may only be read otherwise."""
        return self.compared - self.agreeing - self.refuted


def unrun(trace: Trace, most: int = MOST_STEPS) -> LogAgreement:
    """What a log says by itself, where the program cannot be run over it: an input was never logged."""
    steps = list(islice(trace, most))
    return LogAgreement(0, 0, len(steps), states=({},) * len(steps), outputs=tuple(step.decisions for step in steps))


def _says_something(found: ComparedStep, runs: StepRuns) -> bool:
    """Whether a step shows that program and log agree, or that they do not.

    Of what was perceived and is not known, that some value gives what is logged says nothing; that none does says much.
    """
    return found.fit is Fit.DIFFERS or (_is_known(found, runs) and found.fit is not Fit.POSSIBLE)


def _is_known(found: ComparedStep, runs: StepRuns) -> bool:
    """Whether all is logged that the program perceived at a step."""
    return all(path in runs.constant or path not in runs.environment for path in found.step.unlogged)


def agreement(
    trace: Trace, context: Context, most: int = MOST_STEPS, explores: Explores = Explores.NONE
) -> LogAgreement:
    """Run the program over the log, or over its beginning."""
    runs, steps = StepRuns(trace.interface, context), list(islice(trace, most))
    walk = LogWalk(steps, runs, explores=explores, until=Budget(EXPLORING).started())
    walked = list(paced(walk, "running the program over the log"))
    ran = [(found, found.given) for found in walked if found.given is not None]
    logged = [found for found, _ in ran if steps[found.place].decisions]
    compared = [found for found in logged if _says_something(found, runs)]
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
        refuted=sum(not _is_known(found, runs) for found in compared),
        fitting=sum(found.fit is Fit.FITS for found in logged),
    )
