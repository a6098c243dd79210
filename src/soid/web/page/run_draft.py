"""A RunDraft: a simulation's run, halted before a step, while it is chosen and changed by hand.

It knows nothing of pages. At the start a change is another start. Before a later step it is an intervention: it is made
there, the run goes on from it, and what was changed later in the run is forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Final, final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from soid.errors import InputError
from soid.examples.simulation import (
    Intervention,
    NumberSetting,
    Setting,
    Setup,
    SimulatedStep,
    Simulation,
    Values,
    check,
)
from soid.scene.picture import Picture
from soid.web.page.told_error import told_error

_LONGEST: Final = 100_000  # characters of a kept run


@final
class _KeptRun(Struct, frozen=True):
    """What a browser keeps of a draft."""

    setup: Setup
    at: int


@final
class RunDraft:
    """A setup with its interventions, the run that comes of it, where that is halted, and what is wrong there."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.setup = simulation.fact
        self.course = simulation.course(self.setup)  # of the last setup without a problem
        self.at = 0  # the step before which it is halted
        self._actors: tuple[Values | None, ...] = self.setup.actors  # as they are there, or are to be
        self._unread: dict[tuple[int, str], str] = {}  # by actor and setting: why the typed text is no value

    @property
    def actors(self) -> tuple[Values | None, ...]:
        """What there is before the step: None is no longer there."""
        return self._actors

    @property
    def step(self) -> SimulatedStep:
        return self.course.steps[self.at]

    @property
    def is_over(self) -> bool:
        """Whether it is halted at its end, where nothing can be changed."""
        return 0 < self.at == len(self.course.steps) - 1

    @property
    def picture(self) -> Picture:
        """What there is before the step; the last that can be, if what is typed cannot."""
        actors = self.setup.actors if not self.at else self.step.actors
        return self.simulation.picture(actors, f"before step {self.at}" if self.at else "at the start")

    @property
    def has_room(self) -> bool:
        """Whether there can be one more actor: the scene shows only so many."""
        return len(self._actors) < self.simulation.most and not self.is_over

    @property
    def problems(self) -> dict[tuple[int, str], str]:
        """By actor and setting: why no run can go on so."""
        found = dict(self._unread)
        for number, actor in enumerate(self._actors):
            run = self._there(number) or {}  # what came of itself is no mistake
            for setting in self.settings(number):
                value = (actor or {})[setting.name]
                try:
                    if run.get(setting.name) != value:
                        replace(setting, name=setting.label).check(value)  # the field has its label
                except InputError as error:
                    said = str(told_error(error))
                    found.setdefault((number, setting.name), said)
        return found

    def _there(self, number: int) -> Values | None:
        """An actor as the run has it before the step: None is no longer there, a new one has nothing yet."""
        before = self.step.actors if self.at else ()
        return before[number] if number < len(before) else {}

    @property
    def unseen(self) -> list[str]:
        """The actors that are still to come."""
        figures = zip(self.picture.fact, self._actors, strict=False)
        return [self.name(at) for at, (figure, actor) in enumerate(figures) if actor and figure.place is None]

    @property
    def by_hand(self) -> list[str]:
        """What was changed on the way, in sentences."""
        told = self.course.by_hand.items()
        return [f"Before step {step}, {'; '.join(changes)}." for step, changes in told]

    def name(self, number: int) -> str:
        actor = self.picture.scene.actors[number]
        return f"{actor.mark}, {actor.name}"

    def settings(self, number: int) -> tuple[Setting, ...]:
        actor = self._actors[number]
        return () if actor is None else self.simulation.actor_settings(number, actor, self.at)

    # --- kept by a browser

    @property
    def kept(self) -> str:
        """The run and where it is halted, as text."""
        return msgspec.json.encode(_KeptRun(self.setup, self.at)).decode()

    def restore(self, text: object) -> None:
        """Go on from a kept text, which is not trusted: nothing changes if no run can be so."""
        try:
            kept = msgspec.json.decode(text if isinstance(text, str) and len(text) <= _LONGEST else "", type=_KeptRun)
            check(self.simulation, kept.setup)
            self.course = self.simulation.course(kept.setup)
        except (msgspec.MsgspecError, InputError, KeyError, TypeError):
            return
        self.setup = kept.setup
        self.halt(kept.at)

    # --- changes

    def halt(self, at: int) -> None:
        """Halt the run before another step."""
        self.at = min(max(at, 0), len(self.course.steps) - 1)
        self._look()

    def choose(self, name: str, value: str) -> None:
        """Another value for a setting of the run as a whole: it begins anew, with the same changes on the way."""
        self.setup = replace(self.setup, run={**self.setup.run, name: value})
        try:
            self.course = self.simulation.course(self.setup)
        except InputError:  # it is another run, in which they cannot be made
            self._begin(self.setup.actors)
        self.halt(self.at)

    def add(self) -> None:
        self._unread = {}
        actors = (*self._actors, self.simulation.another(self._actors))
        self._put(actors)

    def remove(self, number: int) -> None:
        self._unread = {}
        if self.at:
            self._put(actor if at != number else None for at, actor in enumerate(self._actors))
        else:
            self._put(actor for at, actor in enumerate(self._actors) if at != number)

    def reset(self) -> None:
        """As it was in fact, from the start."""
        self.at, self._unread = 0, {}
        self._put(self.simulation.fact.actors)

    def undo(self) -> None:
        """Without the last change on the way."""
        *kept, last = self.setup.interventions
        self.setup = replace(self.setup, interventions=tuple(kept))
        self.course = self.simulation.course(self.setup)
        self.halt(last.step)

    def say(self, number: int, name: str, value: str | float | bool) -> None:
        """Another value for a setting of one actor."""
        self._unread.pop((number, name), None)
        self._change(number, lambda actor: {**actor, name: value})

    def type(self, number: int, setting: NumberSetting, text: str) -> None:
        """A number as text; where it is none, the actor keeps its value and the draft has a problem."""
        try:
            self.say(number, setting.name, int(text) if setting.whole else float(text))
        except ValueError:
            missing = f"{text!r} is no number." if text.strip() else "There is no value."
            self._unread[number, setting.name] = missing

    def place(self, mark: str, x: float, y: float) -> int:
        """Put an actor near a point of the scene; gives its number."""
        return self._move(mark, lambda number, actor: self.simulation.placed(number, actor, x, y))

    def nudge(self, mark: str, by: int) -> int:
        """Put an actor a little further on, or back; gives its number."""
        return self._move(mark, lambda number, actor: self.simulation.nudged(number, actor, by))

    def _move(self, mark: str, moved: Callable[[int, Values], Values]) -> int:
        number = next(n for n, actor in enumerate(self.picture.scene.actors) if actor.mark == mark)
        self._unread = {at: problem for at, problem in self._unread.items() if at[0] != number}
        self._change(number, partial(moved, number))
        return number

    def _change(self, number: int, change: Callable[[Values], Values]) -> None:
        actors = enumerate(self._actors)
        self._put(change(each) if at == number and each is not None else each for at, each in actors)

    def _put(self, actors: Iterable[Values | None]) -> None:
        """Go on from these, if that can be."""
        self._actors = tuple(actors)
        if self.is_over or self.problems:
            return
        if not self.at:
            self._begin(tuple(actor for actor in self._actors if actor is not None))
            return
        made = [each for each in self.setup.interventions if each.step <= self.at]
        for number, actor in enumerate(self._actors):
            was = self._there(number)
            if actor != was:
                made = _with(made, Intervention(self.at, number, _changes(was, actor)))
        self.setup = replace(self.setup, interventions=tuple(made))
        self.course = self.simulation.course(self.setup)
        self._look()

    def _begin(self, actors: tuple[Values, ...]) -> None:
        self.setup = replace(self.setup, actors=actors, interventions=())
        self.course = self.simulation.course(self.setup)

    def _look(self) -> None:
        self._unread = {}
        self._actors = self.step.actors if self.at else self.setup.actors


def _changes(was: Values | None, actor: Values | None) -> Values | None:
    """The settings that are changed."""
    if actor is None or was is None:
        return actor
    return {name: value for name, value in actor.items() if name not in was or was[name] != value}


def _with(made: list[Intervention], change: Intervention) -> list[Intervention]:
    """One more; what goes on with the last one, such as a further drag of the same car, is one with it."""
    last = made[-1] if made else None
    if last is not None and last.values and change.values and (last.step, last.actor) == (change.step, change.actor):
        goes_on = set(last.values) >= set(change.values)
        if goes_on:
            return [*made[:-1], replace(last, values={**last.values, **change.values})]
    return [*made, change]
