"""Examples that come with soid: each a folder with a `soid.toml`, a program, a log and questions.

>>> sorted(file.name for file in folder("microwave").iterdir() if file.suffix == ".toml")
['soid.toml']
"""

from __future__ import annotations

import shutil
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from soid.errors import InputError

if TYPE_CHECKING:
    from soid.examples.simulation import Simulation

#: the examples that there are
NAMES: Final = (
    *("microwave", "proper_response", "diabetes", "pedestrian", "drone", "overdraft", "lending", "triage"),
    *("advisory", "crash"),
)

#: titles for cases on an example, or on a part of one
TITLES: Final = {
    "advisory": "Down towards the other aircraft",
    "crash": "Broadside at the crossing: the standard driver",
    "crash/standard": "Broadside at the crossing: the standard driver",
    "crash/impatient": "Broadside at the crossing: the impatient driver",
    "crash/pathological": "Broadside at the crossing: the pathological driver",
    "crash/together": "Broadside at the crossing: three drivers",
    "diabetes": "The body-mass index of 0.06",
    "drone": "The drone in the canal",
    "lending": "The postcode",
    "microwave": "The oven",
    "overdraft": "The limit that fell with a raise",
    "proper_response": "The guarded car",
    "pedestrian": "The crossing pedestrian",
    "triage": "The missing lactate",
}

#: the examples that can be simulated, and the module with the SIMULATION of each
_SIMULATED: Final = {"crash": "soid.examples.crash.crash_simulation"}


def simulations() -> tuple[Simulation, ...]:
    return tuple(map(simulation_of, _SIMULATED))


def simulation_of(name: str) -> Simulation:
    """The simulation of an example; its module is loaded only now."""
    if name not in _SIMULATED:
        raise InputError(f"there is no simulation {name}", f"The simulations are: {', '.join(_SIMULATED)}.")
    found: Simulation = import_module(_SIMULATED[name]).SIMULATION
    return found


def folder(name: str) -> Path:
    if name not in NAMES:
        raise InputError(f"there is no example {name}", f"The examples are: {', '.join(NAMES)}.")
    return Path(__file__).parent / name


def copy(name: str, to: Path) -> None:
    """Copies an example's files, not its Python, into a folder that is not there yet or is empty."""
    source = folder(name)
    try:
        if to.exists() and any(to.iterdir()):
            raise InputError(f"{to} is there already, and not empty", "Name a folder that is not there yet.")
        shutil.copytree(source, to, ignore=shutil.ignore_patterns("*.py", "__pycache__"), dirs_exist_ok=True)
    except OSError as error:
        raise InputError(f"{to} cannot be written: {error}", "Name a folder that you may write to.") from error
