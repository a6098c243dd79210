"""Compilers are ended with everything that they started: at the deadline, when they are called off, on every error."""

from __future__ import annotations

import os
import resource
import threading
from pathlib import Path

import pytest

from soid.allowance import allowed
from soid.budget import Cancellation, limited
from soid.engine.llvm.compiler import tool_process
from soid.engine.llvm.compiler.tool_process import ToolRun, run_tool
from soid.engine.llvm.compiler.toolchain import Toolchain
from soid.errors import CalledOff, CompileError, MemoryLimitError, TimeLimitError
from soid.jail.cell import Cell, SystemCalls
from tests.waiting import is_running, until

#: two processes that never end; their numbers are written into a file
ENDLESS = "sleep 600 & echo $$ $! > pids; wait"


def shell(folder: Path, script: str, memory: int | None = None) -> ToolRun:
    return run_tool(["/bin/sh", "-c", script], folder, dict(os.environ), Cell(calls=SystemCalls.ALL, memory=memory))


def pids(folder: Path) -> list[int]:
    until((folder / "pids").exists)
    until(lambda: len((folder / "pids").read_text().split()) == 2)
    return [int(word) for word in (folder / "pids").read_text().split()]


def assert_ended(folder: Path) -> None:
    started = pids(folder)
    until(lambda: not any(map(is_running, started)))


@pytest.mark.parametrize("new_kernel", [True, False])
def test_what_it_prints_and_how_it_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, new_kernel: bool) -> None:
    if not new_kernel:
        monkeypatch.delattr(os, "pidfd_open")
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
    assert shell(tmp_path, "sleep 600 & echo $$ $! > pids").returncode == 0  # its child keeps the streams open
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


def test_a_limit_that_is_around_it_stays(tmp_path: Path) -> None:
    with limited({resource.RLIMIT_AS: 8 << 30}):
        assert shell(tmp_path, "sleep 0.5; ulimit -v", memory=9 << 30).stdout == f"{8 << 20}\n"  # in KiB


def test_a_compiler_without_memory_is_reported_as_such(tmp_path: Path) -> None:
    complains = Toolchain(("/bin/sh", "-c", "echo LLVM ERROR: out of memory >&2; exit 1"), False, "")
    with (
        allowed(memory=1 << 30),
        pytest.raises(MemoryLimitError, match="more than 1024 MiB\nGive it more memory"),
    ):
        complains.run([], tmp_path)
    assert complains.run([], tmp_path).returncode == 1  # without a limit it is an error like others
