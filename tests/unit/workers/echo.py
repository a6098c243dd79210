"""A worker that does what it is told, for the tests of workers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import final

from msgspec import Struct

from soid.allowance import MORE_TIME
from soid.workers.worker_main import WorkerPort


@final
class Parcel(Struct, frozen=True):
    """Something to carry."""

    text: str
    number: int = 0
    path: Path = Path()


def serve(port: WorkerPort, greeting: str) -> None:
    print("what is printed is no message")  # noqa: T201
    port.ready()
    while (parcel := port.receive(Parcel)) is not None:
        match parcel.text:
            case "greet":
                port.send(Parcel(greeting))
            case "advise":
                port.send(Parcel(str(MORE_TIME)))
            case "start":
                started = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
                port.send(Parcel("started", started.pid))
            case "fail":
                raise ValueError("as it was told")
            case _:
                port.send(parcel)
