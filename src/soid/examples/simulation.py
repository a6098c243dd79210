"""A Simulation: an example's world that runs from a start of the user's choice and leaves a project to investigate.

    a Setup                 a driver, two cars
    an Intervention         before step 12, car 1: travelled 0.9, signal LEFT: the run is halted, changed, and goes on
    a SimulatedCourse       what there is at each step, so far as the setup and its interventions determine it

Nothing in a simulation is random, so a setup with its interventions is a run, and a run can be halted at any step. The
server shows all simulations that the examples offer, by these descriptions alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeAlias, final

from msgspec import Struct

from soid.errors import InputError
from soid.scene.picture import Picture

Values: TypeAlias = Mapping[str, Any]  # by the names of settings


@final
class ChoiceSetting(Struct, frozen=True):
    """One of several options."""

    name: str
    label: str
    options: Mapping[str, str]  # the words for each
    default: str | None = None  # None: it must be chosen

    def check(self, value: Any) -> None:
        if value not in self.options:
            known = ", ".join(self.options)
            raise InputError(f"{self.name}: there is no {value!r:.80}", f"It is one of: {known}.")


@final
class NumberSetting(Struct, frozen=True):
    """A number in a range."""

    name: str
    label: str
    unit: str
    low: float
    high: float
    default: float

    @property
    def whole(self) -> bool:
        return isinstance(self.default, int)

    def check(self, value: Any) -> None:
        if not self.low <= value <= self.high:  # NaN is outside of every range
            remedy = f"Give a number from {self.low:g} to {self.high:g}."
            raise InputError(f"{self.name}: {value} is out of range", remedy)


@final
class TickSetting(Struct, frozen=True):
    """Yes or no."""

    name: str
    label: str
    default: bool

    def check(self, value: Any) -> None:
        if not isinstance(value, bool):
            raise InputError(f"{self.name}: {value!r:.80} is neither yes nor no", "Give true or false.")


Setting: TypeAlias = ChoiceSetting | NumberSetting | TickSetting


@final
class Intervention(Struct, frozen=True):
    """What is changed by hand while a run is halted before a step."""

    step: int
    actor: int  # its number; the next free one: it is added, with all its settings
    values: Values | None  # the settings that are changed; None: it is taken away


@final
class Setup(Struct, frozen=True):
    """What a run starts with, and what is changed by hand on its way."""

    run: Values  # settings of the run as a whole
    actors: tuple[Values, ...]  # settings of each actor; the first is the investigated one
    interventions: tuple[Intervention, ...] = ()  # by step
    moment: int | None = None  # the step that is asked about first; None: what the simulation chooses


@final
class SimulatedStep(Struct, frozen=True):
    """What there is before a step, or at the end of a run."""

    actors: tuple[Values | None, ...]  # their settings by now; None: it is no longer there
    time: str  # in words
    events: tuple[str, ...] = ()  # what happened in the step before, in words
    decided: str = ""  # in the step, in words; empty at the end of the run


@final
class SimulatedCourse(Struct, frozen=True):
    """A run, step by step; the last has nothing decided."""

    steps: tuple[SimulatedStep, ...]
    by_hand: Mapping[int, tuple[str, ...]]  # by step: what was changed, in words


@final
class SimulationRun(Struct, frozen=True):
    """The result of a run."""

    project: Path
    summary: Mapping[str, Any]  # how it ended, as JSON


class Simulation(Protocol):
    """What an example offers to choose, to place and to run."""

    example: str  # its name
    incident: str  # what happened in fact, in one word
    actor: str  # what one actor is, in one word
    summary: str  # what one does with it, in one sentence
    settings: tuple[ChoiceSetting, ...]  # of the run as a whole
    most: int  # actors of a run
    fact: Setup  # the start of what happened in fact

    def choices(self) -> Mapping[str, Any]:
        """What may be chosen, and the fact, as the API gives them."""

    def actor_settings(self, number: int, actor: Values, step: int = 0) -> tuple[Setting, ...]:
        """What can be chosen of one actor at the start, or before a later step of a halted run.

        The range of one setting may depend on the values of others. The second actor has all.
        """

    def another(self, actors: Sequence[Values | None]) -> Values:
        """A further actor beside others."""

    def placed(self, number: int, actor: Values, x: float, y: float) -> Values:
        """The actor that starts as near to a point of the scene as it can."""

    def nudged(self, number: int, actor: Values, by: int) -> Values:
        """The actor that starts so many small steps further on; below zero, further back."""

    def picture(self, actors: Sequence[Values | None], caption: str) -> Picture:
        """The scene with actors at the start, or before a step."""

    def course(self, setup: Setup) -> SimulatedCourse:
        """Run it to its end, and tell each step."""

    def case_name(self, setup: Setup) -> str:
        """The name of the case of a run."""

    def run(self, setup: Setup, folder: Path) -> SimulationRun:
        """Run it to its end, and put a project with its log into an empty folder."""


def check(simulation: Simulation, setup: Setup) -> None:
    """Raise InputError if no run can start so."""
    if not 1 <= len(setup.actors) <= simulation.most:
        found = f"there are {len(setup.actors)} {simulation.actor}s"
        raise InputError(found, f"A run has 1 to {simulation.most}.")
    for choice in simulation.settings:
        choice.check(setup.run[choice.name])
    for number, actor in enumerate(setup.actors):
        for setting in simulation.actor_settings(number, actor):
            setting.check(actor[setting.name])
    if list(setup.interventions) != sorted(setup.interventions, key=lambda each: each.step):
        raise InputError("the changes by hand are not in the order of their steps", "Sort them.")
