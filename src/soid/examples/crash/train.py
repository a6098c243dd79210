"""Teaches the three drivers, and writes what they learned as C: `python -m soid.examples.crash.train`.

It made the tables beside this file, with its defaults. Nothing in soid itself imports it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from soid.examples.crash.car_program import DRIVERS, HERE, SITUATIONS, UNTAUGHT, CarProgram
from soid.examples.crash.q_learner import Learned, Table, learn
from soid.scene.vector.elements import chart, number, tag, written

SEED: Final = 1
EPISODES: Final = 12_000

_BAR: Final = 30  # characters of the progress bar

#: the picture of a learning curve
_WIDTH: Final = 640
_HEIGHT: Final = 200
_MARGIN: Final = 48
_POINTS: Final = 100  # of the curve: so many means of equally many episodes


def main(arguments: Sequence[str] | None = None) -> int:
    """Retrain all three, or those that are named."""
    parser = argparse.ArgumentParser(prog="python -m soid.examples.crash.train", description=__doc__)
    parser.add_argument("drivers", nargs="*", metavar="DRIVER", help=f"of {', '.join(DRIVERS)}; all of them if none")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--episodes", type=int, default=EPISODES)
    parser.add_argument("--to", type=Path, default=HERE, help="the folder that the tables are written to")
    given = parser.parse_args(arguments)
    drivers = given.drivers or list(DRIVERS)
    if unknown := [name for name in drivers if name not in DRIVERS]:
        parser.error(f"there is no driver {unknown[0]}; the drivers are {', '.join(DRIVERS)}")
    for driver in drivers:
        learned = train(driver, given.seed, given.episodes, _bar(driver, given.episodes))
        (given.to / f"table_{driver}.h").write_text(as_c(driver, learned.table))
        (given.to / driver).mkdir(exist_ok=True)
        (given.to / driver / "curve.svg").write_text(draw(driver, learned.returns))
    return 0


def train(driver: str, seed: int, episodes: int, tell: Callable[[int], None] = lambda _: None) -> Learned:
    """Teach one driver, with an empty table, so that the result never depends on an earlier table."""
    return learn(driver, CarProgram(UNTAUGHT), seed, episodes, tell)


def as_c(driver: str, table: Table) -> str:
    rows = [f"    {{{_number(stay)}, {_number(go)}}},\n" for stay, go in table]
    return (
        f"/* The {driver} driver: what standing still and moving are worth in each situation. Made by train.py. */\n\n"
        f"static const float q[{SITUATIONS}][2] = {{\n{''.join(rows)}}};\n"
    )


def _number(value: float) -> str:
    """A float constant of C.

    >>> _number(0.0), _number(-12.3456789), _number(1e-5)
    ('0.0f', '-12.3457f', '1e-05f')
    """
    text = f"{value:.6g}"
    return f"{text}f" if set(text) & set(".e") else f"{text}.0f"


def draw(name: str, returns: Sequence[float]) -> str:
    """The mean reward of an episode, as learning went on."""
    return chart(_WIDTH, _HEIGHT, f"{name}: mean reward of an episode", *_panel(name, returns))


def means(values: Sequence[float], points: int = _POINTS) -> list[float]:
    """The means of runs of equally many values; a rest is left out.

    >>> means([1, 3, 5, 7], 2)
    [2.0, 6.0]
    """
    size = max(1, len(values) // points)
    return [sum(values[at : at + size]) / size for at in range(0, len(values) - size + 1, size)]


def _panel(name: str, values: Sequence[float]) -> list[str]:
    curve = means(values)
    low, high = min(curve), max(curve)
    span = (high - low) or 1.0
    across = (_WIDTH - 2 * _MARGIN) / max(1, len(curve) - 1)
    down = _HEIGHT - 2 * _MARGIN
    points = " ".join(
        f"{number(_MARGIN + i * across)},{number(_MARGIN + down * (high - value) / span)}"
        for i, value in enumerate(curve)
    )
    bottom, right = _HEIGHT - _MARGIN, _WIDTH - _MARGIN
    return [
        written(f"{name}: mean reward of an episode", _MARGIN, _MARGIN - 16, font_weight="bold"),
        tag("path", d=f"M{_MARGIN},{_MARGIN}V{bottom}H{right}", fill="none", stroke="#888"),
        written(f"{high:.0f}", _MARGIN - 4, _MARGIN + 4, text_anchor="end"),
        written(f"{low:.0f}", _MARGIN - 4, bottom, text_anchor="end"),
        written(f"{len(values)} episodes", right, bottom + 16, text_anchor="end"),
        tag("polyline", points=points, fill="none", stroke="#1f6feb", stroke_width=1.5),
    ]


def _bar(driver: str, episodes: int) -> Callable[[int], None]:
    """A progress bar on standard error."""

    def tell(done: int) -> None:
        if done % max(1, episodes // 100) and done != episodes:
            return
        filled = _BAR * done // episodes
        end = "\n" if done == episodes else ""
        bar = "█" * filled + "░" * (_BAR - filled)
        sys.stderr.write(f"\r{driver:>12} {bar} {done:>5} of {episodes} episodes{end}")
        sys.stderr.flush()

    return tell


if __name__ == "__main__":
    sys.exit(main())
