"""What a Python that runs a library may do in its cell: compute, with threads; and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from soid.jail.launcher import layers
from soid.jail.python_cell import library_cell, module_path

pytestmark = pytest.mark.skipif(not layers().locks_files, reason="this machine cannot lock files")

TRIES = """
import ctypes, os, resource, signal, socket, sys, threading, time
def reached(name, do):
    try:
        do()
    except (OSError, RuntimeError) as error:
        print(name, type(error).__name__, flush=True)
    else:
        print(name, 'reached', flush=True)
libc = ctypes.CDLL(None, use_errno=True)
def call(*words):
    if libc.syscall(*words) < 0:
        raise OSError(ctypes.get_errno(), 'refused')
"""


def attempts(tries: dict[str, str]) -> dict[str, str]:
    path = module_path()
    script = TRIES + "\n".join(f"reached({name!r}, lambda: {do})" for name, do in tries.items())
    words = [sys.executable, "-S", "-c", f"import sys; sys.path[:] = {path!r}\n{script}"]
    command = library_cell(path).command(words)
    done = subprocess.run(command, env={}, cwd="/", capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    lines = (line.rpartition(" ") for line in done.stdout.splitlines())
    return {name: outcome for name, _, outcome in lines}


def test_it_computes_with_threads() -> None:
    found = attempts({
        "thread": "threading.Thread(target=int).start()",
        "processor": "open('/proc/cpuinfo').read()",
        "clock": "time.sleep(0.001)",
        "own limits": "resource.setrlimit(resource.RLIMIT_AS, (1 << 40, 1 << 40))",
        "own signals": "signal.raise_signal(signal.SIGURG)",
        "pipe": "os.close(os.pipe()[0])",
    })  # fmt: skip
    assert set(found.values()) == {"reached"}, found


def test_it_reaches_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("a secret")
    place = str(tmp_path)
    found = attempts({
        "fork": "os.fork()",
        "vfork": "call(58)" if os.uname().machine == "x86_64" else "os.fork()",
        "clone": "call(56, 17, 0, 0, 0, 0)" if os.uname().machine == "x86_64" else "os.fork()",
        "spawn": "os.posix_spawn(sys.executable, ['python'], {})",
        "other program": "os.execv('/bin/sh', ['sh'])",
        "file in memory": "os.memfd_create('x')",
        "socket": "socket.socket()",
        "pair of sockets": "socket.socketpair()",
        "signal to all": "os.kill(-1, signal.SIGTERM)",
        "signal to the parent": "os.kill(os.getppid(), signal.SIGTERM)",
        "limits of the parent": "resource.prlimit(os.getppid(), resource.RLIMIT_CPU)",
        "secret": f"open({place + '/secret'!r})",
        "listing": f"os.listdir({place!r})",
        "root": "os.listdir('/')",
        "users": "open('/etc/passwd')",
        "own memory": "open('/proc/self/mem')",
        "environment": "open('/proc/self/environ')",
        "writing": f"open({place + '/new'!r}, 'w')",
        "removing": f"os.unlink({place + '/secret'!r})",
        "linking": f"os.link({place + '/secret'!r}, {place + '/other'!r})",
        "folder": f"os.mkdir({place + '/folder'!r})",
        "own package": f"open({str(Path(__file__).parents[3] / 'src/soid/new')!r}, 'w')",
        "shared memory": "open('/dev/shm/x', 'w')",
    })  # fmt: skip
    assert len(found) == 23
    assert [name for name, outcome in found.items() if outcome == "reached"] == []
    assert [each.name for each in tmp_path.iterdir()] == ["secret"]
