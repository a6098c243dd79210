"""Runs programs and world themselves, step by step: what the programs decide is given to the world."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import final

from msgspec.structs import replace

from soid.engine.replay import NotAvailable, Replay, Replayer, Returned, TimedOut, Trapped
from soid.engine.world.world_interface import WorldNames
from soid.program.interface import Interface, Role

Bits = Mapping[str, int]


@final
class WorldReplayer(Replayer):
    """Runs programs in a world."""

    def __init__(self, programs: Interface, deciding: Replayer, world: WorldNames, moving: Replayer) -> None:
        self._programs = programs
        self._deciding = deciding
        self._world = world
        self._moving = moving

    @property
    def how(self) -> str:
        return f"{self._deciding.how}, in the compiled world"

    @property
    def called(self) -> str:
        return self._deciding.called

    @property
    def called_failing(self) -> str:
        return self._deciding.called_failing

    @property
    def how_failing(self) -> str:
        return self._deciding.how_failing

    def always_shows(self, failure: str) -> bool:
        return self._deciding.always_shows(failure)

    @property
    def doubt(self) -> str:
        return self._deciding.doubt or self._moving.doubt

    def replay(self, inputs: Bits, environments: Sequence[Bits] = ()) -> Replay:
        """Run all steps. What is perceived in each is given; whether the world has made it so is compared.

        A step that has a value for a decision gives the world that, whatever was decided.
        """
        perceived = [inputs, *({**inputs, **later} for later in environments)]
        known = [v.path for v in self._programs.inputs]
        seen = [v.path for v in self._programs.inputs if v.role is Role.ENVIRONMENT]
        decided = self._deciding.replay(_of(known, inputs), [_of(seen, each) for each in perceived[1:]])
        if not isinstance(decided, Returned):
            return decided
        steps = [dict(each) for each in (*decided.earlier, decided.outputs)]
        acts = self._world.acts.values()
        if environments and not steps[-1].keys() >= {*acts}:
            return self._without_last(inputs, environments, decided)
        done = [made | _of(acts, supposed) for made, supposed in zip(steps, (inputs, *environments), strict=True)]
        moved = self._moved(perceived, done)
        if not isinstance(moved, list):
            return moved if environments else decided  # what is decided in the first step, no world has a part in
        for step, left in zip(steps, moved, strict=True):
            step |= left
        return Returned(steps[-1], tuple(steps[:-1]))

    def _without_last(self, inputs: Bits, environments: Sequence[Bits], decided: Returned) -> Replay:
        """Run all steps but the last, in which one of several programs fails: its replays have no outputs at all."""
        found = self.replay(inputs, environments[:-1])
        if not isinstance(found, Returned):
            return found
        return Returned(decided.outputs, (*found.earlier, found.outputs))

    def replay_failure(self, inputs: Bits, environments: Sequence[Bits] = ()) -> Replay:
        """Run the programs with traps, and if they come back, the world in each of the steps."""
        known = [v.path for v in self._programs.inputs]
        perceived = [inputs, *({**inputs, **later} for later in environments)]
        decided = self._deciding.replay_failure(_of(known, inputs), [_of(known, each) for each in perceived[1:]])
        if not isinstance(decided, Returned):
            return decided
        every = self._deciding.replay(_of(known, inputs), [_of(known, each) for each in perceived[1:]])
        if not isinstance(every, Returned):
            return every
        acts, steps = self._world.acts.values(), (*every.earlier, every.outputs)
        for bits, made, supposed in zip(perceived, steps, (inputs, *environments), strict=True):
            given = self._given(bits, {**made, **_of(acts, supposed)})
            if given is None:
                return decided
            found = self._moving.replay_failure(given)
            if isinstance(found, Trapped):
                return replace(found, kind=f"the world {found.kind}")
            if not isinstance(found, Returned):
                return found
        return decided

    def _given(self, perceived: Bits, decided: Bits) -> dict[str, int] | None:
        """What the world is given in one step, by its own names; None if a program has failed and decides nothing."""
        named, world = self._world.named, self._world
        if not decided.keys() >= {*world.acts.values()}:
            return None
        taken = {v.path: perceived[named.called(v.path)] for v in (*world.state, *world.given)}
        return {**taken, **{path: decided[decision] for path, decision in world.acts.items()}}

    def _moved(self, perceived: Sequence[Bits], decided: Sequence[Bits]) -> list[dict[str, int]] | Replay:
        """What the world leaves in each step: in one run if it goes on by itself, else step by step.

        Where it fails it leaves nothing. Whether a run needs it there is for those to say that compare.
        """
        world = self._world
        every = list(map(self._given, perceived, decided))
        given = [each for each in every if each is not None]
        if len(given) < len(every):
            return [{} for _ in every]  # see `_without_last`
        state = {v.path for v in world.state}
        later = [{path: bits for path, bits in each.items() if path not in state} for each in given[1:]]
        found = self._moving.replay(given[0], later)
        left = [*found.earlier, found.outputs] if isinstance(found, Returned) else []
        if not left or any(
            each[f"{path}'"] != following[path]
            for each, following in zip(left, given[1:], strict=False)
            for path in state
        ):
            left = []
            for each in given:
                one = self._moving.replay(each)
                if isinstance(one, NotAvailable | TimedOut):
                    return one
                left.append(one.outputs if isinstance(one, Returned) else {})
        return [{world.left(name): bits for name, bits in each.items()} for each in left]


def _of(paths: Iterable[str], values: Bits) -> dict[str, int]:
    return {path: values[path] for path in paths if path in values}
