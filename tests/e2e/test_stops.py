"""A stopped question leaves no process behind, in whatever way and at whatever moment it is stopped.

The processes of a command are those of its session: compilers, solvers and the program that is run.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from soid import Project, Settings
from soid.budget import Cancellation
from soid.errors import CalledOff
from tests.waiting import is_running, until

#: beyond every solver: it recognises two factors of a number
SOURCE: Final = """
#include <stdint.h>
typedef unsigned __int128 wide;
static const wide product = (wide)14688814692622910752u << 64 | 17495741240864430331u;
int decide(uint64_t a, uint64_t b) { return a > 1 && b > 1 && (wide)a * b == product; }
"""
TOML: Final = '[program]\nengine = "llvm"\nsources = ["p.c"]\nentry = "decide"\n\n[trace]\nfile = "log.jsonl"\n'
QUESTION: Final = "might return == 1 if a is anything and b is anything"
#: seconds within which a question is stopped: it is started, compiled, run and solved in them
MOMENTS: Final = 4.0


def moments(seed: int, count: int) -> list[float]:
    return [random.Random(f"{seed} {number}").uniform(0.0, MOMENTS) for number in range(count)]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "p.c").write_text(SOURCE)
    (tmp_path / "soid.toml").write_text(TOML)
    (tmp_path / "log.jsonl").write_text('{"a": 1, "b": 2}\n')
    return tmp_path


def processes(session: int) -> list[int]:
    """The running processes of a session."""
    found = []
    for place in Path("/proc").glob("[1-9]*"):
        try:
            if os.getsid(int(place.name)) == session and is_running(int(place.name)):
                found.append(int(place.name))
        except OSError:  # it has ended meanwhile
            continue
    return found


@dataclass(frozen=True)
class Asking:
    """The command, and the project that it is asked about."""

    command: Path
    project: Path
    environment: dict[str, str]

    @contextmanager
    def started(self) -> Iterator[subprocess.Popen[str]]:
        """Ask from nothing, in a session of its own."""
        with tempfile.TemporaryDirectory(dir=self.project) as cache:
            process = subprocess.Popen(
                [self.command, "ask", QUESTION, "--seconds", "9000"],
                cwd=self.project,
                env=self.environment | {"SOID_CACHE": cache},
                start_new_session=True,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            with process:
                try:
                    yield process
                finally:
                    process.kill()

    def stopped_after(self, seconds: float, how: signal.Signals) -> int:
        """Stop it, and give the session that it had."""
        with self.started() as process:
            time.sleep(seconds)
            process.send_signal(how)
            process.communicate()
        return process.pid


@pytest.fixture
def asking(project: Path, command: Path, environment: dict[str, str]) -> Asking:
    return Asking(command, project, environment)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_compiler_that_never_ends_is_ended_with_the_command(how: signal.Signals, asking: Asking) -> None:
    if signal.getsignal(how) is signal.SIG_IGN:
        pytest.skip("under nohup this signal stops nothing")
    (asking.project / "p.c").write_text('#include "/dev/zero"\n')
    with asking.started() as process:
        until(lambda: any(map(_is_compiler, processes(process.pid))))
        process.send_signal(how)
        _, err = process.communicate()
        assert process.returncode == 130
        assert "Stopped: nothing was concluded." in err
    until(lambda: not processes(process.pid))


@pytest.mark.parametrize("seconds", moments(14, 2))
def test_a_command_that_is_stopped_leaves_nothing(seconds: float, asking: Asking) -> None:
    session = asking.stopped_after(seconds, signal.SIGINT)
    until(lambda: not processes(session))


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_100_commands_that_are_stopped_leave_nothing(asking: Asking) -> None:
    for number, seconds in enumerate(moments(41, 100)):
        session = asking.stopped_after(seconds, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[number % 3])
        until(partial(_none_of, session))


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_100_commands_that_are_killed_leave_nothing(asking: Asking) -> None:
    for seconds in moments(9, 100):
        session = asking.stopped_after(seconds, signal.SIGKILL)
        until(partial(_none_of, session))


def _none_of(session: int) -> bool:
    return not processes(session)


def _is_compiler(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].endswith(b"zig")
    except OSError:
        return False


def children() -> set[int]:
    """The running children of this process."""
    found: set[int] = set()
    for task in Path("/proc/self/task").iterdir():
        found |= {int(word) for word in (task / "children").read_text().split()}
    return set(filter(is_running, found))


def cancelled_after(seconds: float, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOID_CACHE", str(project / f"cache-{seconds}"))
    before, cancel = children(), Cancellation()
    timer = threading.Timer(seconds, cancel.cancel)
    timer.start()
    with suppress(CalledOff):  # it was stopped while it opened
        opened = Project.open(project, settings=Settings(seconds=9000.0), cancel=cancel)
        with closing(opened.solver):
            assert opened.ask(QUESTION, cancel=cancel).verdict.value == "unknown"
    timer.join()
    assert cancel.cancelled
    until(lambda: children() <= before)


@pytest.mark.parametrize("seconds", moments(5, 2))
def test_a_question_that_is_cancelled_leaves_nothing(
    seconds: float, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cancelled_after(seconds, project, monkeypatch)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_100_questions_that_are_cancelled_leave_nothing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for seconds in moments(6, 100):
        cancelled_after(seconds, project, monkeypatch)
