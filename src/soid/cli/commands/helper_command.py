"""`soid helper`: the processes that keep soid loaded between two commands."""

from __future__ import annotations

import os
import select
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Final, final

from msgspec import Struct

from soid.cli.command_line.helper_options import (
    HelperStatusOptions,
    StopHelperOptions,
    SwitchHelperOffOptions,
    SwitchHelperOnOptions,
)
from soid.cli.helper.meeting_place import folder, idle_minutes, is_private, peer, switch_file
from soid.cli.output import print_json
from soid.cli.terminal.terminal import Terminal
from soid.errors import EnvironmentalError
from soid.query.words import counted

_PATIENCE: Final = 10.0  # seconds that a helper has to end


@final
class RunningHelper(Struct, frozen=True):
    """A helper that runs."""

    process: int  # its number
    megabytes: int  # of memory that it has
    minutes: float  # since it began


@final
class HelpersDocument(Struct, frozen=True):
    """All helpers of a user, as JSON."""

    used: bool  # whether commands use helpers, and start them
    idle_minutes: float  # after which one ends; 0 where none is used
    running: list[RunningHelper]


def helpers() -> HelpersDocument:
    """The helpers of this user."""
    running = [_described(process) for process in _processes()]
    minutes = idle_minutes()
    return HelpersDocument(minutes > 0, minutes, running)


def in_words(found: HelpersDocument) -> str:
    """One line about them."""
    running = f"{counted(len(found.running), 'helper')} running" if found.running else "no helper running"
    used = f"one ends after {found.idle_minutes:g} idle minutes" if found.used else "switched off"
    return f"{running}; {used}"


def status(options: HelperStatusOptions) -> int:
    found = helpers()
    if options.as_json:
        print_json(found)
        return 0
    terminal = Terminal.stdout()
    terminal.line((f"{in_words(found)}.", ""))
    if found.running:
        rows = [(str(each.process), f"{each.megabytes} MB", f"{each.minutes:.0f} min") for each in found.running]
        terminal.table(("process", "memory", "since"), rows)
    return 0


def stop(options: StopHelperOptions) -> int:
    ended = _ended()
    if options.as_json:
        print_json({"ended": ended})
    else:
        Terminal.stdout().line((f"{counted(ended, 'helper')} ended." if ended else "No helper was running.", ""))
    return 0


def switch_off(options: SwitchHelperOffOptions) -> int:
    switch = Path(switch_file())
    switch.parent.mkdir(parents=True, exist_ok=True)
    switch.touch()
    _ended()
    return _switched(options.as_json, "From now on no helper is used. `soid helper on` takes that back.")


def switch_on(options: SwitchHelperOnOptions) -> int:
    Path(switch_file()).unlink(missing_ok=True)
    return _switched(options.as_json, "From now on helpers are used.")


def _switched(as_json: bool, words: str) -> int:
    if as_json:
        print_json(helpers())
    else:
        Terminal.stdout().line((words, ""))
    return 0


def _ended() -> int:
    """End the helpers, and wait until they are gone; how many there were."""
    found = [(process, os.pidfd_open(process)) for process in _processes()]
    for _, ending in found:
        signal.pidfd_send_signal(ending, signal.SIGTERM)
    for process, ending in found:
        if not select.select([ending], [], [], _PATIENCE)[0]:
            raise EnvironmentalError(f"the helper, process {process}, does not end", f"End it: kill -9 {process}")
        os.close(ending)
    return len(found)


def _processes() -> Iterator[int]:
    """The processes that listen at the sockets, as the kernel knows them."""
    place = Path(folder())
    if not is_private(str(place)):
        return
    for path in sorted(place.glob("*.socket")):
        # a socket that a killed helper left behind is answered by no process
        with suppress(OSError), closing(socket.socket(socket.AF_UNIX)) as connection:
            connection.connect(str(path))
            process, user = peer(connection)
            if user == os.geteuid():
                yield process


def _described(process: int) -> RunningHelper:
    proc = Path("/proc") / str(process)
    try:
        pages = int((proc / "statm").read_text().split()[1])
        began = int((proc / "stat").read_text().rpartition(")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
    except OSError:  # it has just ended
        return RunningHelper(process, 0, 0.0)
    minutes = (time.clock_gettime(time.CLOCK_BOOTTIME) - began) / 60
    return RunningHelper(process, pages * os.sysconf("SC_PAGE_SIZE") >> 20, round(minutes, 1))
