"""What an answer says where the compiled program could not be run in time: the verdict, and that nothing was run."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from soid import Project, Settings
from soid.allowance import allowance, look
from soid.assumptions import Ledger
from soid.engine.replay import NotAvailable, Replay, Replayer
from soid.examples import folder

QUESTION = "might action == CANCEL if heat is anything"


class Late(Replayer):
    """A replayer whose compiler never ends."""

    how = "late"

    def __init__(self) -> None:
        self.seconds: list[float | None] = []  # that each replay may take

    def replay(self, inputs: Mapping[str, int], environments: Sequence[Mapping[str, int]] = ()) -> Replay:
        self.seconds.append(allowance().deadline.seconds_left)
        while True:
            look("compiling the program")
            time.sleep(0.01)
            if allowance().deadline.at is None:  # it would never end
                return NotAvailable("there is no deadline")

    replay_failure = replay


def test_a_program_that_could_not_be_run_in_time_is_said_not_to_be_run():
    late = Late()
    project = replace(Project.open(folder("microwave")), replayer=late, settings=Settings(seconds=0.0))
    answer = project.ask(QUESTION.replace("might", "did").partition(" if ")[0])
    assert answer.verdict.is_definite
    assert all(seconds is not None and seconds <= 1.0 for seconds in late.seconds) and late.seconds
    told = [each.text for each in answer.relies_on if each.id == Ledger.NOT_RUN.value]
    assert any("compiling the program did not end within 1 s" in text for text in told)
