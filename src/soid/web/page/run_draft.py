"""A RunDraft: the start of a simulation's run, while it is being chosen. It knows nothing of pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import final

from msgspec.structs import replace

from soid.errors import InputError
from soid.examples.simulation import NumberSetting, Setting, Simulation, Values
from soid.web.page.amounts import capital


@final
class RunDraft:
    """A setup, and what is wrong with it."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.setup = simulation.fact
        self.picture = simulation.picture(self.setup)  # of the last setup without a problem
        self._unread: dict[tuple[int, str], str] = {}  # by actor and setting: why the typed text is no value

    @property
    def has_room(self) -> bool:
        """Whether there can be one more actor: the scene shows only so many."""
        return len(self.setup.actors) < len(self.picture.scene.actors)

    @property
    def problems(self) -> dict[tuple[int, str], str]:
        """By actor and setting: why no run can start so."""
        found = dict(self._unread)
        for number in range(len(self.setup.actors)):
            for setting in self.settings(number):
                try:
                    setting.check(self.setup.actors[number][setting.name])
                except InputError as error:
                    said = f"{capital(error.cause)}. {error.remedy}"
                    found.setdefault((number, setting.name), said)
        return found

    @property
    def unseen(self) -> list[str]:
        figures = self.picture.fact[: len(self.setup.actors)]
        return [self.name(number) for number, figure in enumerate(figures) if figure.place is None]

    def name(self, number: int) -> str:
        actor = self.picture.scene.actors[number]
        return f"{actor.mark}, {actor.name}"

    def settings(self, number: int) -> tuple[Setting, ...]:
        return self.simulation.actor_settings(number, self.setup.actors[number])

    # --- changes

    def choose(self, name: str, value: str) -> None:
        """Another value for a setting of the run as a whole."""
        self.setup = replace(self.setup, run={**self.setup.run, name: value})

    def add(self) -> None:
        self._list((*self.setup.actors, self.simulation.another(self.setup)))

    def remove(self, number: int) -> None:
        self._list(actor for at, actor in enumerate(self.setup.actors) if at != number)

    def reset(self) -> None:
        self._list(self.simulation.fact.actors)

    def say(self, number: int, name: str, value: str | float | bool) -> None:
        """Another value for a setting of one actor."""
        self._unread.pop((number, name), None)
        self._change(number, {**self.setup.actors[number], name: value})

    def type(self, number: int, setting: NumberSetting, text: str) -> None:
        """A number as text; where it is none, the actor keeps its value and the draft has a problem."""
        try:
            self.say(number, setting.name, int(text) if setting.whole else float(text))
        except ValueError:
            missing = f"{text!r} is no number." if text.strip() else "There is no value."
            self._unread[number, setting.name] = missing

    def place(self, mark: str, x: float, y: float) -> int:
        """Let an actor start near a point of the scene; gives its number."""
        return self._move(mark, lambda actor: self.simulation.placed(actor, x, y))

    def nudge(self, mark: str, by: int) -> int:
        """Let an actor start a little further on, or back; gives its number."""
        return self._move(mark, lambda actor: self.simulation.nudged(actor, by))

    def _move(self, mark: str, moved: Callable[[Values], Values]) -> int:
        number = next(n for n, actor in enumerate(self.picture.scene.actors) if actor.mark == mark)
        self._unread = {at: problem for at, problem in self._unread.items() if at[0] != number}
        self._change(number, moved(self.setup.actors[number]))
        return number

    def _change(self, number: int, actor: Values) -> None:
        self._put(actor if at == number else other for at, other in enumerate(self.setup.actors))

    def _list(self, actors: Iterable[Values]) -> None:
        """Other actors: nothing is typed of them yet."""
        self._unread = {}
        self._put(actors)

    def _put(self, actors: Iterable[Values]) -> None:
        self.setup = replace(self.setup, actors=tuple(actors))
        if not self.problems:
            self.picture = self.simulation.picture(self.setup)
