"""The signals that ask a command to end. All of them do what Ctrl-C does, so that what the command started ends too.

Python raises KeyboardInterrupt wherever the main thread happens to be. While it waits for another thread's import, that
is inside a callback, where exceptions get lost; so the request is noted as well, and `watched` looks for it.
"""

from __future__ import annotations

import signal
from types import FrameType
from typing import Final, NoReturn

_NOTED: Final[list[int]] = []  # a list, because a signal handler must take no lock


def heed_stop_signals() -> None:
    """From now on, end as by Ctrl-C; a signal that the user has chosen to ignore (`nohup`) stays ignored."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _stop)


def asked_to_stop() -> bool:
    """Whether a signal has come since the last call."""
    noted = bool(_NOTED)
    _NOTED.clear()
    return noted


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    _NOTED.append(number)
    raise KeyboardInterrupt
