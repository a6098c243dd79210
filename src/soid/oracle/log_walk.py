"""Goes through a whole log, step by step, and compares each with what the program gives.

The compiled program runs on the logged values, thousands of steps at once, and its own state is fed back. Where it
gives all that is logged, that is a possible run: no more is claimed of a step that is logged rounded, or whose state is
not known. Where it does not, the step is explored for all values that it may have had, before it is said to differ.

    step 4 fits         step 5 differs natively, and level rounds to 20.4: some value fits, go on with that one
    step 6 fits         step 7 differs, whatever its inputs were: log and program part here

Beside that, what is not logged is followed: decisions and state that are the same for all values are derived.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.budget import Deadline
from soid.engine.replay import TimedOut, Unreturned
from soid.oracle.step_runs import ExploredStep, StepRuns, Values
from soid.scenario.trace import Step

#: steps that the compiled program runs at once: few after a restart, then more and more
_FEW, _MOST = 16, 4096

#: steps that are explored together for a run that gives all of them
_TOGETHER: Final = 24

#: seconds for exploring steps, all together, unless the caller gives more
EXPLORING: Final = 10.0


@final
class Fit(Enum):
    """How a step of the log and the program agree."""

    FITS = "fits"  # a run of the compiled program gives what is logged
    POSSIBLE = "possible"  # so does one on some value of what is rounded or not known
    UNLINKED = "unlinked"  # some value gives it, but no run was found that gives the steps before it as well
    DIFFERS = "differs"  # no value does
    OPEN = "open"  # that is not settled


@final
class Explores(Enum):
    """Which steps a walk explores."""

    NONE = "none"  # the compiled program is run, no more: what it does not give is open; if it fails, the walk ends
    DIFFERING = "differing"  # those in which its run does not give what is logged
    ALL = "all"  # and those in which something is not logged, to find out what that was


@final
class ComparedStep(Struct, frozen=True):
    """A step of the log beside the program."""

    place: int  # among the steps of the log
    step: Step
    fit: Fit
    words: str  # how they differ, or why that is open
    held: Values  # what the state before it was taken for, where that is not logged exactly
    known: Values  # of those that are not logged, or rounded: what they certainly were
    decided: Values  # decisions that are not logged and that follow
    given: Values | None  # what the native run gave; None: the program did not come back
    explored: bool = False
    cut: bool = False  # there was no time left to follow what is not logged


@final
class _Position(Struct):
    """Where the walk is: what the state is taken for, and what of that is certain."""

    at: int
    held: Values
    known: Values
    size: int = _MOST
    given: Values | None = None  # by the native run, in this step
    origin: tuple[int, Values] = (0, {})  # the last place at which all was known that can be, and what was known there


@final
class _After(Struct, frozen=True):
    """The state after a step."""

    held: Values
    known: Values
    restarts: bool = False  # it is not what the native run left


@final
class LogWalk(Struct, frozen=True):
    """A walk over some steps in a row, of one log."""

    steps: Sequence[Step]
    runs: StepRuns
    from_start: bool = False  # the first of the steps is the program's first call
    until: Deadline = Deadline(None)
    explores: Explores = Explores.ALL
    state: Values | None = None  # before the first step, if that is known

    def __iter__(self) -> Iterator[ComparedStep]:
        other = self.runs.other_start(self.steps[0]) if self.from_start else ""
        begin = self.runs.initial if self.from_start and not other else self.state or {}
        for found in self._walk(begin):
            if other and found.place == 0:
                words = "; ".join(filter(None, (other, found.words)))
                yield replace(found, fit=Fit.DIFFERS, words=f"{words}; it does not begin there (`from_start`)")
            else:
                yield found

    def _walk(self, begin: Values) -> Iterator[ComparedStep]:
        size = _FEW if self.explores is Explores.DIFFERING else _MOST  # a log read otherwise may differ at once
        now = _Position(0, begin, begin, size, origin=(0, begin))
        while now.at < len(self.steps) and not self.runs.context.cancel.cancelled:
            batch = self._batch(now)
            given = self._run(batch, now.held)
            if isinstance(given, list):
                yield from self._compared(now, batch, given)
            elif len(batch) > 1 and not isinstance(given, TimedOut):
                now.size = max(1, len(batch) // 8)
            elif given is None:
                yield self._alone(now, batch[0])
            else:
                yield self._ended(now, batch, given)
                return

    def _run(self, batch: Sequence[Step], held: Values) -> list[Values] | Unreturned | None:
        """What the steps give; None: explore them. A walk that explores nothing keeps the program's own state."""
        if self.explores is not Explores.NONE:
            return self.runs.outputs(batch, held)
        first = dataclasses.replace(batch[0], inputs={**batch[0].inputs, **held})
        return self.runs.compiled([first, *batch[1:]], held)

    def _batch(self, now: _Position) -> list[Step]:
        """The next steps without a gap; what is before the first of them may be looked for anew."""
        first = self.steps[now.at]
        if now.at and not self.steps[now.at - 1].precedes(first):
            now.known, now.origin = {}, (now.at, {})
        found = [first]
        for place in range(now.at + 1, min(len(self.steps), now.at + now.size)):
            step = self.steps[place]
            if not found[-1].precedes(step):
                break
            found.append(step)
        now.size = min(_MOST, now.size * 4)
        return found

    def _compared(self, now: _Position, batch: Sequence[Step], given: Sequence[Values]) -> Iterator[ComparedStep]:
        """The steps of a batch, until the state has to be taken for another one than the program left."""
        for number, outputs in enumerate(given):
            following = batch[number + 1] if number + 1 < len(batch) else self._at(now.at + 1)
            step = self.runs.joined(batch[number], following)
            differing = self.runs.differing(step, outputs)
            now.given = outputs
            found, after = self._judged(step, now, outputs, differing)
            yield found
            now.at, now.held = now.at + 1, after.held
            now.known = after.known
            if found.fit is Fit.UNLINKED or len(now.known) == len(self.runs.state):
                now.origin = now.at, now.known
            if after.restarts:
                now.size = _FEW
                return

    def _at(self, place: int) -> Step | None:
        return self.steps[place] if place < len(self.steps) else None

    def _judged(
        self, step: Step, now: _Position, outputs: Values, differing: Sequence[str]
    ) -> tuple[ComparedStep, _After]:
        """A step, and the state after it."""
        runs, known = self.runs, now.known
        left = runs.left(outputs)
        if self.explores is Explores.NONE:
            words = runs.words(step, outputs) if differing else ""
            return self._step(step, now, Fit.OPEN if differing else Fit.FITS, words), _After(left, {})
        if step.refused is not None and self.explores is Explores.ALL:
            return self._step(step, now, Fit.OPEN, step.refused.cause), _After(left, {})
        held = {path: bits for path, bits in left.items() if f"{path}'" not in differing} if differing else left
        is_open = runs.is_open(step, known)
        unlogged = [path for path in runs.decisions if path not in step.decisions]
        surely = [*differing, *unlogged]  # a native run says only what the program sets
        native = not is_open and (not surely or all(name in outputs and name in runs.written for name in surely))
        if native and not differing:
            return self._step(step, now, Fit.FITS, decided={name: outputs[name] for name in unlogged}), _After(
                left, left
            )
        if native:
            words = runs.words(step, outputs)
            return self._step(step, now, Fit.DIFFERS, words), _After(held, {}, len(held) < len(left))
        follows = self.explores is Explores.ALL
        if not differing and (not follows or self.until.is_over):
            return self._step(step, now, Fit.FITS, cut=follows), _After(left, {} if is_open else left)
        in_time = not self.until.is_over
        found = runs.explored(step, known, self.until)
        fit = _fit(found, differs=bool(differing), is_open=is_open)
        words = found.words if fit is Fit.DIFFERS else ""  # of the one state, if all is known
        if fit is Fit.OPEN or (fit is Fit.DIFFERS and is_open):
            words = _words(found, runs.words(step, outputs))
        certain = found.known if is_open or differing else left
        if fit is Fit.POSSIBLE:
            linked = self._linked(step, now)
            fit, held = (Fit.UNLINKED, runs.left(found.left)) if linked is None else (fit, runs.left(linked.left))
        held = {**held, **certain}
        compared = self._step(step, now, fit, words, found.decided, explored=in_time)
        return compared, _After(held, certain, held != left)

    def _linked(self, step: Step, now: _Position) -> ExploredStep | None:
        """A run that gives what is logged at a step, and at those before it back to where all was known."""
        found = self.runs.explored(step, {**now.held, **now.known}, self.until)
        if found.agrees:
            return found
        begin, known = now.origin
        if now.at - begin >= _TOGETHER:
            return None
        steps = [self.runs.joined(self.steps[place], self.steps[place + 1]) for place in range(begin, now.at)]
        found = self.runs.together([*steps, step], self.runs.moment((*steps, step)[0], known), self.until)
        return found if found.agrees else None

    def _step(
        self,
        step: Step,
        now: _Position,
        fit: Fit,
        words: str = "",
        decided: Values = {},  # noqa: B006 it is not changed
        *,
        explored: bool = False,
        cut: bool = False,
    ) -> ComparedStep:
        known, place = now.known, now.at
        certain = {path: known[path] for path in self.runs.unsure(step) if path in known}
        return ComparedStep(place, step, fit, words, now.held, certain, decided, now.given, explored, cut)

    def _ended(self, now: _Position, batch: Sequence[Step], how: Unreturned) -> ComparedStep:
        """The last step of a walk that explores nothing: the program does not come back from it, or one after it."""
        first, last = batch[0].time, batch[-1].time
        where = f"at step {first}" if len(batch) == 1 else f"in steps {first} to {last}"
        now.given = None
        return self._step(batch[0], now, Fit.OPEN, f"the program {how}, {where}")

    def _alone(self, now: _Position, step: Step) -> ComparedStep:
        """A step that the compiled program does not end: the engine says what it does."""
        step, now.given = self.runs.joined(step, self._at(now.at + 1)), None
        found = self.runs.explored(step, now.known, self.until)
        fit = _fit(found, differs=bool(step.decisions), is_open=True)
        words = _words(found, "the program does not end this step, when it is run") if fit is not Fit.POSSIBLE else ""
        compared = self._step(step, now, fit, words, found.decided, explored=True)
        now.at, now.known, now.size = now.at + 1, found.known, _FEW
        now.held = {**self.runs.left(found.left), **found.known}
        return compared


def _fit(found: ExploredStep, *, differs: bool, is_open: bool) -> Fit:
    """How a step that was explored agrees; `differs` says whether the native run does."""
    if not differs:
        return Fit.FITS  # a run shows it, even if what was explored does not contain that run
    if found.agrees is None:
        return Fit.OPEN
    if not found.agrees:
        return Fit.DIFFERS
    return Fit.POSSIBLE if is_open else Fit.FITS


def _words(found: ExploredStep, native: str) -> str:
    return f"{native}; {found.words}" if found.words and found.words != native else native
