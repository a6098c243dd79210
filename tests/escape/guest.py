"""The process that runs strangers' files, as root or as an ordinary user: one child for each run.

    python -m tests.escape.guest UID        (jobs as lines of JSON on standard input, answers on standard output)

soid is loaded once, and each run is a fork: so a run costs little more than its compiler does.
"""

from __future__ import annotations

import ctypes
import itertools
import json
import os
import signal
import subprocess
import sys
import time
import traceback
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Any

from tests.escape.traces import was_signalled

_NEW_MOUNTS, _PRIVATE, _BIND, _RECURSIVE = 0x20000, 1 << 18, 4096, 16384
_PARENT_DEATH, _SUBREAPER = 1, 36
_MOST_MEMORY = 6 << 30  # bytes of all processes of a run
_WAITING = 6  # a run that does not compute may take so many times the seconds: others may be computing
QUESTIONS = ("might return == 1 if x is anything", "might fails if x is anything")
_SECONDS = "5"


def become(uid: int) -> None:
    """Become another user, in a new process image, with a Python that this user can start."""
    libc = ctypes.CDLL(None, use_errno=True)

    def mount(*arguments: Any) -> None:
        if libc.mount(*arguments) != 0:
            raise OSError(ctypes.get_errno(), "mount")

    needed = [Path(place).resolve() for place in (sys.base_prefix, sys.prefix, Path(__file__).parents[2])]
    hidden: dict[Path, list[Path]] = {}  # no other user reaches what is below such a folder
    for place in needed:
        if closed := [each for each in place.parents if not each.stat().st_mode & 1]:
            hidden.setdefault(closed[-1], []).append(place)
    if hidden:
        if libc.unshare(_NEW_MOUNTS) != 0:
            raise OSError(ctypes.get_errno(), "unshare")
        mount(b"none", b"/", None, _RECURSIVE | _PRIVATE, None)
    for folder, shown in hidden.items():  # show what is needed, and nothing else of that folder
        handles = [os.open(place, os.O_PATH) for place in shown]
        mount(b"none", str(folder).encode(), b"tmpfs", 0, b"mode=755")
        for place, handle in zip(shown, handles, strict=True):
            place.mkdir(parents=True, exist_ok=True)
            mount(f"/proc/self/fd/{handle}".encode(), str(place).encode(), None, _BIND | _RECURSIVE, None)
            os.close(handle)
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    os.execv(sys.executable, [sys.executable, "-m", "tests.escape.guest"])


# --- the ways in ------------------------------------------------------------------------------------------------


def verify(place: Path) -> None:
    from soid.cli import main

    main(("verify", str(place / "bundle.zip"), "--seconds", _SECONDS, "--solver", "bitwuzla", "-v"))


def ask(place: Path) -> None:
    from soid.cli import main

    project = str(place / "car")
    main(("ask", "-p", project, "-s", "0", "--seconds", _SECONDS, "-v", *QUESTIONS))
    _show(lambda: _replayed(place / "car"))


def case(place: Path) -> None:
    from soid.cli import main

    main(("case", "verify", str(place / "car.case")))


def _replayed(project: Path) -> list[str]:
    from soid.allowance import allowed
    from soid.budget import usual_memory
    from soid.engine.manifest_reader import load
    from soid.engine.protocol import replayer_for
    from soid.engine.registry import open_program

    with allowed(seconds=float(_SECONDS), memory=usual_memory()):
        _, engine = open_program(load(project).program)
        replayer = replayer_for(engine, "confined")
        assert replayer is not None
        return [repr(replayer.replay({"x": 5})), repr(replayer.replay_failure({"x": 3}))]


def upload(place: Path) -> None:
    from msgspec.structs import replace

    from soid.oracle.inquiry import Settings
    from soid.web.upload_manifest import UploadManifest
    from soid.web.work.tasks import AskTask, Hands, LookTask, MakeTask, ReportTask

    said = json.loads((place / "declared.json").read_text())
    declared = UploadManifest(
        "", tuple(said["sources"]), "log.jsonl", flags=tuple(said["flags"]), defines=tuple(said["defines"])
    )
    hands = Hands(Settings(seconds=float(_SECONDS)), lambda _: None)
    _show(lambda: LookTask(place / "files", "car", declared).do(hands))
    chosen = LookTask(place / "files", "car", replace(declared, entry="decide"))
    _show(lambda: chosen.do(hands))
    made = place / "made.case"
    _show(lambda: MakeTask(made, "ada", "a car", chosen).do(hands))
    if made.exists():
        for question in QUESTIONS:
            _show(lambda question=question: AskTask(made, "ada", question, 0, "car/log.jsonl").do(hands))
        _show(lambda: ReportTask(made, "ada", place / "report.html").do(hands))


def _show(act: Any) -> None:
    from soid.errors import SoidError

    try:
        print(json.dumps(act(), default=str))  # noqa: T201
    except SoidError as error:
        told = {"error": type(error).__name__, "cause": error.cause, "remedy": error.remedy}
        print(json.dumps(told))  # noqa: T201


_WAYS = {"verify": verify, "upload": upload, "ask": ask, "case": case}

# --- one run after the other -------------------------------------------------------------------------------------


def _child(job: dict[str, Any]) -> None:
    place = Path(job["place"])
    os.setsid()
    output = os.open(place / "output", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for fd, to in ((0, nothing), (1, output), (2, output)):
        os.dup2(to, fd)
    os.environ.update(TMPDIR=str(place / "tmp"), PWD=str(place))
    os.chdir(place)
    status = 70
    try:
        _WAYS[job["way"]](place)
        status = 0
    except BaseException:  # noqa: BLE001  (whatever it is, it is part of what was said)
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _run(job: dict[str, Any]) -> dict[str, Any]:
    start, usage = time.monotonic(), os.times()
    pid = os.fork()
    if pid == 0:
        _child(job)
    trouble, most, spent, status = "", 0, 0.0, 0
    for round_ in itertools.count():
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            break
        if round_ % 5 == 0:
            memory, spent = _taken(pid)
            most = max(most, memory)
        if most > _MOST_MEMORY:
            trouble = "memory"
        elif spent > job["seconds"] or time.monotonic() - start > _WAITING * job["seconds"]:
            trouble = "hang"
        if trouble:
            os.kill(pid, signal.SIGKILL)
            status = os.waitpid(pid, 0)[1]
            break
        time.sleep(0.02)
    seconds = time.monotonic() - start
    _end_orphans()
    after = os.times()
    crash = os.WIFSIGNALED(status) and not trouble
    used = after.children_user + after.children_system - usage.children_user - usage.children_system
    return {"trouble": "crash" if crash else trouble, "seconds": seconds, "memory": most, "used": used}


def _descendants(pid: int) -> list[int]:
    found, waiting = [], [pid]
    while waiting:
        parent = waiting.pop()
        with suppress(OSError):  # it has ended meanwhile
            for task in Path(f"/proc/{parent}/task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
        found.append(parent)
    return found


def _taken(pid: int) -> tuple[int, float]:
    """The bytes that a process and its descendants hold, and the processor time that they have used."""
    pages, ticks = 0, 0
    for one in _descendants(pid):
        with suppress(OSError, IndexError):  # it has ended meanwhile
            words = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
            pages, ticks = pages + int(words[21]), ticks + sum(map(int, words[11:15]))
    return pages * os.sysconf("SC_PAGESIZE"), ticks / os.sysconf("SC_CLK_TCK")


def _end_orphans() -> None:
    """End what a run left behind: its orphans become children of this process. Marked ones are traces, and stay."""
    for _ in range(100):
        left = [pid for pid in _descendants(os.getpid()) if pid not in (os.getpid(), _bystander.pid) and _unmarked(pid)]
        if not left:
            return
        for pid in left:
            with suppress(OSError):  # it has ended meanwhile
                os.kill(pid, signal.SIGKILL)
            with suppress(ChildProcessError):  # its parent still lives
                os.waitpid(pid, os.WNOHANG)
        time.sleep(0.02)


def _unmarked(pid: int) -> bool:
    try:
        return not Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"mark-")
    except OSError:
        return False


_bystander: subprocess.Popen[bytes]


def _stand_by() -> None:
    global _bystander
    _bystander = subprocess.Popen(
        ["sleep", "100000"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        preexec_fn=lambda: ctypes.CDLL(None).prctl(_PARENT_DEATH, signal.SIGKILL),
    )


def _load() -> None:
    """Load all of soid that a run needs, so that no run does."""
    import bitwuzla  # noqa: F401
    import llvmlite.binding  # noqa: F401

    import soid.case.report.document
    import soid.cli.commands.ask_command
    import soid.cli.commands.bundle_command
    import soid.evidence.verify
    import soid.web.work.tasks
    import soid.web.work.uploaded_files  # noqa: F401
    from soid.cli import main

    for command in ("verify", "ask"):
        with Path(os.devnull).open("w") as nothing, redirect_stdout(nothing), suppress(SystemExit):  # a help ends so
            main((command, "--help"))


def main() -> None:
    if len(sys.argv) > 1:
        become(int(sys.argv[1]))
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    _load()
    _stand_by()
    try:
        print(json.dumps({"bystander": _bystander.pid}), flush=True)  # noqa: T201
        for line in sys.stdin:
            answer = _run(json.loads(line))
            if was_signalled(_bystander):
                answer["signal"] = True
                _bystander.kill()
                _bystander.wait()
                _stand_by()
            print(json.dumps(answer | {"bystander": _bystander.pid}), flush=True)  # noqa: T201
    finally:
        _bystander.kill()


if __name__ == "__main__":
    main()
