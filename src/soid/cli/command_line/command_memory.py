"""The memory that a command may use: for commands that have the option `--memory`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from soid.budget import memory_limited, usual_memory
from soid.cli.command_line.parameters import CommandOptions

Options = TypeVar("Options", bound=CommandOptions)


def memory_of(options: CommandOptions) -> int:
    """The bytes that `--memory` says, else the usual."""
    said: int | None = getattr(options, "memory", None)
    return usual_memory() if said is None else said << 20  # from MiB


def run_limited(command: Callable[[Options], int], options: Options) -> int:
    """Run a command within the memory that it may use."""
    if not hasattr(options, "memory"):
        return command(options)
    with memory_limited(memory_of(options)):
        return command(options)
