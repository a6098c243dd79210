"""Compilers are ended with everything that they started: at the deadline, when they are called off, on every error."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from soid.allowance import allowed
from soid.budget import Cancellation
from soid.engine.llvm.compiler import tool_process
from soid.engine.llvm.compiler.tool_process import ToolRun, run_tool
from soid.errors import CalledOff, CompileError, TimeLimitError
from soid.jail.cell import Cell, SystemCalls

#: two processes that never end; their numbers are written into a file
ENDLESS = "sleep 600 & echo $$ $! > pids.new; mv pids.new pids; wait"


def shell(folder: Path, script: str, memory: int | None = None) -> ToolRun:
    return run_tool(
        ["/bin/sh", "-c", script], folder, dict(os.environ), Cell(calls=SystemCalls.ALL, alone=True, memory=memory)
    )


def pids(folder: Path) -> list[int]:
    waited = time.monotonic() + 20
    while not (folder / "pids").exists() and time.monotonic() < waited:
        time.sleep(0.01)
    return [int(word) for word in (folder / "pids").read_text().split()]


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def assert_ended(folder: Path) -> None:
    started = pids(folder)
    assert len(started) == 2
    waited = time.monotonic() + 20
    while any(map(is_running, started)) and time.monotonic() < waited:
        time.sleep(0.01)
    assert not any(map(is_running, started))


def test_what_it_prints_and_how_it_ends(tmp_path: Path) -> None:
    assert shell(tmp_path, "echo out; echo err >&2; exit 3") == ToolRun(3, "out\n", "err\n")
    assert shell(tmp_path, "kill -9 $$").returncode == -9


def test_more_than_a_pipe_holds(tmp_path: Path) -> None:
    assert len(shell(tmp_path, "head -c 3000000 /dev/zero; head -c 200000 /dev/zero >&2").stdout) == 3_000_000


def test_at_the_deadline_all_its_processes_are_killed(tmp_path: Path) -> None:
    with allowed(seconds=1.0), pytest.raises(TimeLimitError, match=r"compiling the program did not end within 1 s"):
        shell(tmp_path, ENDLESS)
    assert_ended(tmp_path)


def test_nothing_is_started_after_the_deadline(tmp_path: Path) -> None:
    with allowed(seconds=0.0), pytest.raises(TimeLimitError):
        shell(tmp_path, "touch started")
    assert not (tmp_path / "started").exists()


def test_cancelling_kills_all_its_processes(tmp_path: Path) -> None:
    stop = Cancellation()

    def cancel() -> None:
        pids(tmp_path)
        stop.cancel()

    threading.Thread(target=cancel).start()
    with allowed(cancel=stop), pytest.raises(CalledOff):
        shell(tmp_path, ENDLESS)
    assert_ended(tmp_path)


def test_an_error_kills_all_its_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        pids(tmp_path)
        raise KeyboardInterrupt

    monkeypatch.setattr(tool_process, "_printed", interrupted)
    with pytest.raises(KeyboardInterrupt):
        shell(tmp_path, ENDLESS)
    assert_ended(tmp_path)


def test_what_it_leaves_behind_is_killed_when_it_ends(tmp_path: Path) -> None:
    begun = time.monotonic()
    assert shell(tmp_path, "sleep 600 & echo $$ $! > pids").returncode == 0  # its child keeps the streams open
    assert time.monotonic() - begun < 60
    assert_ended(tmp_path)


def test_a_tool_that_prints_without_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_process, "MOST_PRINTED", 1 << 20)
    with pytest.raises(CompileError, match="prints more than 1 MiB: y"):
        shell(tmp_path, "yes & echo $$ $! > pids; wait")
    assert_ended(tmp_path)


@pytest.mark.parametrize("memory", [None, 64 << 20])
def test_memory_is_limited(tmp_path: Path, memory: int | None) -> None:
    """The limit holds from just after the start on, and for what is started later."""
    done = shell(tmp_path, "sleep 0.5; dd if=/dev/zero of=/dev/null bs=200M count=1; exit $?", memory)
    assert (done.returncode == 0) is (memory is None)
