"""A pickle is a program: what hostile ones do in the jail has no effect, and an honest one becomes a skops file."""

from __future__ import annotations

import io
import pickle
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from soid.engine.learned import library_process
from soid.engine.learned.library_process import LibraryLimits, converted_pickle
from soid.errors import EnvironmentalError, ProgramError
from soid.jail.launcher import Layers, layers
from tests.unit.engine.learned.small_models import data

pytestmark = pytest.mark.skipif(not layers().locks_files, reason="this machine cannot lock files")
PATIENT = LibraryLimits(start=250.0)  # on a busy machine too
SMALL = LibraryLimits(start=250.0, memory=1 << 30)


class Program:
    """What runs Python code when it is unpickled."""

    def __init__(self, code: str) -> None:
        self.code = code

    def __reduce__(self) -> Any:
        return exec, (self.code, {})


def hostile(code: str) -> bytes:
    return pickle.dumps(Program(code))


def refusal(content: bytes, limits: LibraryLimits = PATIENT) -> str:
    with pytest.raises(ProgramError) as caught:
        converted_pickle(content, limits)
    return caught.value.cause


#: each is tried, and those that work are told in the error
ATTEMPTS = """
import ctypes, os, signal, socket, subprocess, sys
from pathlib import Path
place = {place!r}
def write(): Path(place, 'left').write_text('left')
def read(): return Path(place, 'secret').read_text()
def passwords(): return Path('/etc/passwd').read_text()
def shell():
    if os.system('echo left > ' + place + '/shell') != 0: raise OSError
def spawn(): subprocess.run([sys.executable, '-c', 'print(1)'], check=True)
def fork(): os.fork()
def connect(): socket.create_connection(('127.0.0.1', {port}))
def shoot(): os.kill({bystander}, signal.SIGKILL)
def shoot_all(): os.kill(-1, signal.SIGKILL)
def remove(): os.unlink(place + '/secret')
def spoil(): Path({package!r}, 'left.py').write_text('')
def memory(): Path('/proc/{bystander}/mem').read_bytes()
def trace():
    if ctypes.CDLL(None).ptrace(16, {bystander}, 0, 0) != 0: raise OSError
done = []
for each in (write, read, passwords, shell, spawn, fork, connect, shoot, shoot_all, remove, spoil, memory, trace):
    try: each()
    except (OSError, subprocess.SubprocessError): continue
    done.append(each.__name__)
raise ValueError('all were tried; done: ' + repr(done))
"""


def attempts(place: Path, port: int, bystander: int) -> str:
    package = Path(library_process.__file__).parent
    return ATTEMPTS.format(place=str(place), port=port, bystander=bystander, package=str(package))


def test_it_reaches_nothing(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("a secret")
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        subprocess.Popen(["sleep", "1000"]) as bystander,
    ):
        said = refusal(hostile(attempts(tmp_path, server.getsockname()[1], bystander.pid)))
        assert bystander.poll() is None
        bystander.kill()
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert said == "the pickle cannot be opened: ValueError: all were tried; done: []"
    assert [each.name for each in tmp_path.iterdir()] == ["secret"]
    assert not (Path(library_process.__file__).parent / "left.py").exists()


def test_outside_of_the_jail_it_would_reach_all_that(tmp_path: Path) -> None:
    """Without soid, in a process whose other targets do not exist: what is not stopped works."""
    (tmp_path / "secret").write_text("a secret")
    tried = "for each in (write, read, passwords, shell, spawn, remove):"
    code = attempts(tmp_path, 1, 1).replace(ATTEMPTS.split("done = []\n")[1].splitlines()[0], tried)
    script = "import pickle, sys; pickle.load(sys.stdin.buffer)"
    done = subprocess.run([sys.executable, "-c", script], input=hostile(code), capture_output=True, check=False)
    assert b"done: ['write', 'read', 'passwords', 'shell', 'spawn', 'remove']" in done.stderr
    assert sorted(each.name for each in tmp_path.iterdir()) == ["left", "shell"]


def test_a_loop_a_flood_of_threads_and_one_of_memory_end() -> None:
    short = LibraryLimits(start=2.0)
    assert refusal(hostile("while True: pass"), short) == (
        "the pickle cannot be opened: sklearn was still running after 2 seconds"
    )
    flood = "import threading, time\nwhile True: threading.Thread(target=time.sleep, args=[1000], daemon=True).start()"
    assert "can't start new thread" in refusal(hostile(flood), SMALL)
    kept = "kept = []\nwhile True: kept.append(bytearray(1 << 26))"
    assert "MemoryError" in refusal(hostile(kept), SMALL)


#: a message to soid, in whichever descriptor leads there
FORGED = """
import os
for each in range(3, 20):
    try: os.write(each, b'm' + b'\\xff' * 8)
    except OSError: pass
"""


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import os; os._exit(0)", "the process of sklearn ended: exit status 0"),
        ("import ctypes; ctypes.string_at(0)", "the process of sklearn ended: SIGSEGV"),
        ("import sys; print('x' * 10_000_000, file=sys.stderr, flush=True)", "OSError: [Errno 27] File too large"),
        (FORGED, "the process of sklearn ended: it sent a message of 18446744073709551615 bytes"),
    ],
    ids=["end", "crash", "print", "forge"],
)
def test_whatever_it_does_is_told(code: str, said: str) -> None:
    assert said in refusal(hostile(code))


@pytest.mark.slow
def test_an_honest_one_becomes_a_skops_file() -> None:
    import joblib
    import skops.io
    from sklearn.tree import DecisionTreeClassifier

    rows, classes = data()
    model = DecisionTreeClassifier(max_depth=3).fit(rows, classes)
    packed = io.BytesIO()
    joblib.dump(model, packed, compress=3)
    made = converted_pickle(packed.getvalue(), PATIENT)
    again = skops.io.loads(made, trusted=["sklearn.tree._tree.Tree"])
    assert (again.predict_proba(rows) == model.predict_proba(rows)).all()


def test_without_a_jail_it_is_not_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library_process, "layers", lambda: Layers(filter=True, landlock=0, world=False))
    with pytest.raises(EnvironmentalError, match="a pickle is opened only in the jail"):
        converted_pickle(b"")
