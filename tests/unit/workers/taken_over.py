"""A worker that a stranger has taken over, for the tests of workers: it writes into its pipe what it likes."""

from __future__ import annotations

from soid.workers.wire import HEADER, MESSAGE
from soid.workers.worker_main import WorkerPort


def serve(port: WorkerPort, trick: str) -> None:
    match trick:
        case "long":
            port._write(HEADER.pack(MESSAGE, 1 << 60) + bytes(1000))
        case "garbage":
            port._write(HEADER.pack(MESSAGE, 4) + b"[12]")
        case "reads":
            port.receive(str)
        case "crash":
            import ctypes

            ctypes.string_at(0)
    port.receive(str)
