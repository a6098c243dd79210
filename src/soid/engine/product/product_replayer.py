"""Runs several programs on the same inputs: each by its own replayer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import final

from soid.engine.replay import Crashed, NotAvailable, Replay, Replayer, Returned, Trapped
from soid.program.product_interface import FAILS, NamedInterface, OutputNames


@final
class ProductReplayer(Replayer):
    """Runs the programs of a product one after the other."""

    def __init__(self, members: Sequence[tuple[NamedInterface, Replayer]]) -> None:
        self._members = tuple(members)
        self._names = OutputNames([member for member, _ in members])

    @property
    def _first(self) -> Replayer:
        return self._members[0][1]

    @property
    def how(self) -> str:
        return "; ".join(dict.fromkeys(each.how for _, each in self._members))

    @property
    def called(self) -> str:
        return self._first.called

    @property
    def called_failing(self) -> str:
        return self._first.called_failing

    @property
    def how_failing(self) -> str:
        return self._first.how_failing

    def always_shows(self, failure: str) -> bool:
        return self._first.always_shows(failure)

    @property
    def doubt(self) -> str:
        return "; ".join(dict.fromkeys(filter(None, (each.doubt for _, each in self._members))))

    def replay(self, inputs: Mapping[str, int], environments: Sequence[Mapping[str, int]] = ()) -> Replay:
        """Run them all. One that fails has no outputs, unless it is the first: then the replay ends as that does."""
        steps: list[dict[str, int]] = [{} for _ in range(len(environments) + 1)]
        for number, (member, replayer) in enumerate(self._members):
            given = _own(member, inputs), [_own(member, each) for each in environments]
            found = replayer.replay(*given)
            if number and _fails(found, replayer.replay_failure(*given)):
                # which of the steps it fails in no replayer tells; in a single one there is no doubt
                steps[0] |= {member.output(FAILS): 1} if len(steps) == 1 else {}
            elif isinstance(found, Returned):
                self._add(steps, member, found)
            elif not number or isinstance(found, NotAvailable):
                return found
        return Returned(steps[-1], tuple(steps[:-1]))

    def _add(self, steps: list[dict[str, int]], member: NamedInterface, found: Returned) -> None:
        for step, outputs in zip(steps, (*found.earlier, found.outputs), strict=True):
            step |= {self._names.called(member, name): bits for name, bits in outputs.items()}

    def replay_failure(self, inputs: Mapping[str, int], environments: Sequence[Mapping[str, int]] = ()) -> Replay:
        """Run the first one so that it ends where it fails."""
        member, replayer = self._members[0]
        return replayer.replay_failure(_own(member, inputs), [_own(member, each) for each in environments])


def _own(member: NamedInterface, values: Mapping[str, int]) -> dict[str, int]:
    """The bits that a program gets, by its own names."""
    inputs = member.interface.inputs
    return {each.path: values[called] for each in inputs if (called := member.called(each.path)) in values}


def _fails(found: Replay, with_traps: Replay) -> bool:
    return isinstance(found, Trapped | Crashed) or isinstance(with_traps, Trapped | Crashed)
