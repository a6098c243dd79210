"""What a command in a cell can and cannot do, as root and as an ordinary user."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from soid.jail.cell import NO_COMMAND, NO_JAIL, Cell, SystemCalls, left_behind
from soid.jail.launcher import launcher, layers
from tests.waiting import until

SYSTEM = ("/bin", "/lib", "/lib64", "/usr")
TOOL = Cell(calls=SystemCalls.TOOL, run=SYSTEM, write=("/dev/null",), strict=True, alone=True)
USERS = ["own", "nobody"] if os.geteuid() == 0 else ["own"]
NOBODY = 65534


@pytest.fixture(params=USERS)
def folder(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A folder of the user as whom the command is run."""
    place = Path("/tmp") / f"soid-cell-{os.getpid()}-{time.monotonic_ns()}"
    place.mkdir(mode=0o755)
    shutil.copy(launcher(), place / "launcher")
    (place / "launcher").chmod(0o755)
    (place / "own").mkdir()
    (place / "secret").write_text("a secret")
    if request.param == "nobody":
        for each in (place, place / "own"):
            os.chown(each, NOBODY, NOBODY)
    yield place
    shutil.rmtree(place)


def run(folder: Path, cell: Cell, script: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    """Run a script of the shell in a cell that sees the folder `own`."""
    cell = replace(cell, write=(*cell.write, folder / "own"))
    _, _, *words = cell.command(["/bin/sh", "-c", script])
    starter = (
        "import os, subprocess, sys\n"
        "done = subprocess.run([sys.argv[1], f'parent={os.getpid()}', *sys.argv[2:]], stdin=subprocess.DEVNULL)\n"
        "sys.exit(done.returncode % 256)"
    )
    owner = folder.stat().st_uid
    return subprocess.run(
        ["/usr/bin/python3", "-I", "-c", starter, str(folder / "launcher"), *words],
        cwd=folder / "own",
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout,
        user=None if owner == os.geteuid() else owner,
        group=None if owner == os.geteuid() else owner,
        extra_groups=None if owner == os.geteuid() else [],
    )


pytestmark = pytest.mark.skipif(not Path("/usr/bin/python3").exists(), reason="needs the system's Python")


def test_a_command_runs_in_its_folder(folder: Path) -> None:
    done = run(folder, TOOL, "echo word > file && cat file && echo other >&2; exit 7")
    assert (done.returncode, done.stdout, done.stderr) == (7, "word\n", "other\n")
    assert (folder / "own" / "file").read_text() == "word\n"


ATTEMPTS = [
    "cat ../secret",
    "cat /etc/passwd",
    "ls /",
    "ls /etc",
    "ls /proc",
    "cat /proc/self/environ",
    "test -e /etc/passwd",
    "test -e ../secret",
    "ln -s /etc/passwd link && cat link",
    "echo x > /tmp/soid-cell-escape",
    "echo x > ../escape",
    "mknod device c 1 3",
    "mkfifo pipe",
    "ln -s file link",
    "mkdir /new",
    "cp /bin/true own-true && ./own-true",
    "kill -0 $PPID",
    "kill -9 -1",
    "mount -t tmpfs none .",
    "unshare -Ur true",
    "chroot . true",
    "python3 -c 'import socket; socket.socket()'",
    "python3 -c 'import socket; socket.socket(socket.AF_UNIX)'",
    "python3 -c 'import os; os.setuid(0); os.seteuid(0); open(\"/etc/shadow\")'",
    "python3 -c 'import ctypes; exit(ctypes.CDLL(None).ptrace(16, 1, 0, 0) == 0)'",
]


def test_it_reaches_nothing_outside(folder: Path) -> None:
    done = run(folder, TOOL, "\n".join(f"({each}) && echo reached: '{number}'" for number, each in enumerate(ATTEMPTS)))
    assert [ATTEMPTS[int(number)] for number in re.findall(r"reached: (\d+)", done.stdout)] == []
    assert "secret" not in done.stdout and "root:" not in done.stdout
    assert not Path("/tmp/soid-cell-escape").exists() and not (folder / "escape").exists()


def test_it_connects_to_nothing(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        script = f"python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}))'"
        assert run(folder, TOOL, script).returncode != 0


def test_limits_hold(folder: Path) -> None:
    assert run(folder, replace(TOOL, written=1000), "head -c 5000 /bin/sh > file").returncode != 0
    assert (folder / "own" / "file").stat().st_size <= 1000
    assert run(folder, replace(TOOL, memory=200 << 20), "python3 -c 'bytearray(500 << 20)'").returncode != 0
    opening = "python3 -c 'kept = [open(\"/bin/sh\") for _ in range(20)]'"
    assert run(folder, TOOL, opening).returncode == 0
    assert run(folder, replace(TOOL, files=8), opening).returncode != 0
    assert run(folder, replace(TOOL, cpu=0), "while :; do :; done").returncode == 128 + signal.SIGKILL


def test_what_it_starts_ends_with_it(folder: Path) -> None:
    mark = f"{30_000_000 + os.getpid()}"
    assert run(folder, TOOL, f"setsid sleep {mark} & sleep {mark} & exit 0").returncode == 0
    assert not _sleeping(mark)


def _sleeping(mark: str) -> list[str]:
    commands = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            commands.append(file.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:  # it has ended meanwhile
            continue
    return [command for command in commands if f"sleep {mark}" in command]


@pytest.mark.parametrize("calls", [SystemCalls.TOOL, SystemCalls.ALL])
def test_it_ends_when_soid_is_killed(calls: SystemCalls, tmp_path: Path) -> None:
    mark = f"{40_000_000 + os.getpid()}"
    script = f"""
import subprocess, sys, time
from soid.jail.cell import Cell, SystemCalls
cell = Cell(calls=SystemCalls({calls.value!r}), run={SYSTEM!r}, write=("/dev/null",), alone=True)
cell.start(["/bin/sh", "-c", "setsid sleep {mark} & sleep {mark}; true"], stdout=subprocess.PIPE)
time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", script]) as soid:
        until(lambda: len(_sleeping(mark)) >= 2)
        soid.kill()
    until(lambda: not _sleeping(mark))


def test_statuses_of_the_launcher(tmp_path: Path) -> None:
    process = Cell(calls=SystemCalls.TOOL, run=SYSTEM).start(["/no/such/command"])
    assert process.wait(60) == NO_COMMAND
    command = Cell(calls=SystemCalls.TOOL, run=SYSTEM).command(["/bin/true"])
    command[1] = "parent=1"  # not the process that starts it: soid has ended meanwhile
    assert subprocess.run(command, check=False).returncode == (0 if os.getpid() == 1 else NO_JAIL)


def test_what_leads_elsewhere_is_not_read(tmp_path: Path) -> None:
    """A command that was taken over could leave a link or a pipe where soid expects its output."""
    (tmp_path / "plain").write_bytes(b"output")
    assert left_behind(tmp_path / "plain") == b"output"
    (tmp_path / "link").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe", "missing"):
        with pytest.raises(OSError):  # noqa: PT011 whichever it is, nothing was read
            left_behind(tmp_path / name)


def test_the_layers_are_found_out() -> None:
    found = layers()
    assert found.filter and found.locks_files
