"""A fleet: drives of one program among other cars, each as a log of its own.

>>> import tempfile
>>> with tempfile.TemporaryDirectory() as folder:
...     [file.name for file in drives(Path(folder), 2)]
['drive-1.jsonl', 'drive-2.jsonl']

`python -m soid.examples.crash.fleet FOLDER` makes eight of them. What the others do is chosen at random, from a seed:
where they come from and go, how fast, what they signal (which may be false), and whether they heed who came first.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Final

from soid.examples.crash.car_program import DRIVERS, Signal
from soid.examples.crash.logs import as_jsonl, run
from soid.examples.crash.roads import Way
from soid.examples.crash.world import CRUISE, DrivenCar, TrafficScenario

DRIVES: Final = 8
_LIMIT: Final = 60  # steps
_NORTH, _OTHERS = 1, (0, 2, 3)  # the headings of the investigated car and of the others


def drives(folder: Path, count: int = DRIVES, *, driver: str = DRIVERS[0], seed: int = 0) -> list[Path]:
    """Make so many logs in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    chosen, files = random.Random(seed), []
    for number in range(1, count + 1):
        others = chosen.sample(_OTHERS, chosen.choice((1, 1, 2)))
        cars = (_investigated(), *(_other(quarter, chosen) for quarter in others))
        files.append(folder / f"drive-{number}.jsonl")
        files[-1].write_text(as_jsonl(run(driver, TrafficScenario(cars, _LIMIT))), encoding="utf-8")
    return files


def _investigated() -> DrivenCar:
    return DrivenCar(Way(_NORTH, Signal.STRAIGHT), travelled=0.3, speed=0.4, cruise=CRUISE, signal=Signal.STRAIGHT)


def _other(quarter: int, chosen: random.Random) -> DrivenCar:
    goes = chosen.choice(list(Signal))
    shown = goes if chosen.random() < 0.7 else chosen.choice(list(Signal))
    return DrivenCar(
        Way(quarter, goes),
        travelled=round(chosen.uniform(0.1, 0.45), 2),
        speed=0.4,
        cruise=round(chosen.uniform(0.3, 0.5), 2),
        signal=shown,
        careful=chosen.random() < 0.7,
    )


def main(arguments: list[str]) -> int:
    for file in drives(Path(arguments[0] if arguments else "fleet")):
        print(file)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
