"""qemu's user mode: it runs a Linux program for another processor on this machine.

It carries out the program's system calls as its own, so the filter that the launcher puts on it holds for the program.
"""

from __future__ import annotations

import platform
import shutil
from typing import Final

_MACHINES: Final = {"x86_64": ("x86_64", "amd64"), "aarch64": ("aarch64", "arm64")}
#: by the processor of a target; the harness has code for each of them
_COMMANDS: Final = {
    "arm": "qemu-arm",
    "thumb": "qemu-arm",
    "aarch64": "qemu-aarch64",
    "riscv32": "qemu-riscv32",
    "riscv64": "qemu-riscv64",
}


def runs_here(target: str) -> bool:
    """Whether this machine's processor is the target's.

    >>> runs_here("avr-freestanding-none")
    False
    """
    return platform.machine().lower() in _MACHINES.get(target.split("-")[0], ())


def emulator_of(target: str) -> str | None:
    """The command that emulates a target's processor; None if there is none."""
    return _COMMANDS.get(target.split("-")[0])


def installed(command: str | None) -> str | None:
    """Where the command is; None if it is not installed."""
    return shutil.which(command) if command is not None else None
