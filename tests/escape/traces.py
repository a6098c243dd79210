"""The places where tricks leave traces, made anew for each cell, and the search for what was left there."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from tests.escape.trick import Trace

#: how a line of /etc/passwd begins
PASSWD = b"root:x:0:0"
#: machine code of x86-64 that opens a new file: by the usual call, by that of 32-bit programs, by that of x32
MACHINE_CODE = {
    "CODE": lambda path: _opening(b"\x02\0\0\0", b"\x0f\x05") + path,
    "CODEX32": lambda path: _opening(b"\x02\0\0\x40", b"\x0f\x05") + path,
    "CODE32": lambda path: (
        b"\x53\x48\x8d\x1d\x13\0\0\0\xb9\x41\0\0\0\xba\xb6\x01\0\0\xb8\x05\0\0\0\xcd\x80\x5b\xc3" + path
    ),
}
_LARGEST = 64 << 20  # bytes of a file that is searched


def _opening(number: bytes, call: bytes, end: bytes = b"\xc3") -> bytes:
    """lea rdi, [path]; mov esi, 0101; mov edx, 0666; mov eax, number; syscall; ret"""
    after = bytes([17 + len(end), 0, 0, 0])
    return b"\x48\x8d\x3d" + after + b"\xbe\x41\0\0\0\xba\xb6\x01\0\0\xb8" + number + call + end


class Surroundings:
    """What lies around a stranger's program on a user's machine."""

    def __init__(self, base: Path, uid: int, bystander: int) -> None:
        self.number = secrets.token_hex(6)
        self.place = base / self.number
        self.drop, self.project, self.scratch = self.place / "drop", self.place / "car", self.place / "tmp"
        for folder in (self.place, self.drop, self.project, self.scratch):
            folder.mkdir()
        self.secret = f"word{secrets.token_hex(12)}"
        self._kept = self.drop / "secret.txt"
        self._kept.write_text(f"{self.secret} lies here;\n")
        self._kept.chmod(0o600)
        self.words = {
            "FILE": str(self.drop / f"left-{self.number}"),
            "SECRET": str(self._kept),
            "UNIX": str(self.drop / "socket"),
            "MARK": f"mark-{self.number}",
            "WORD": f"worked-{self.number}",
            "BYSTANDER": str(bystander),
            "PROJECT": str(self.project),
            "DROP": str(self.drop),
        }
        path = self.words["FILE"].encode() + b"\0"
        self.words |= {name: ", ".join(map(str, code(path))) for name, code in MACHINE_CODE.items()}
        over = b"\xeb" + bytes([len(path)])  # it goes on behind the path
        inline = _opening(b"\x02\0\0\0", b"\x0f\x05", over) + path
        self.words |= {"COUNT": str(len(inline)), "CODEIR": "".join(f"\\{byte:02X}" for byte in inline)}
        self._tcp = socket.create_server(("127.0.0.1", 0))
        self._unix = socket.socket(socket.AF_UNIX)
        self._unix.bind(self.words["UNIX"])
        self._unix.listen()
        for listener in (self._tcp, self._unix):
            listener.setblocking(False)
        self.words["PORT"] = str(socket.htons(self._tcp.getsockname()[1]))
        self.given: tuple[str, ...] = ()  # names in the drop folder that the trick finds there
        self._uid = uid
        self.own()

    def own(self) -> None:
        """Everything here belongs to the user."""
        if os.geteuid() == 0:
            for path in (self.place, *self.place.rglob("*")):
                os.chown(path, self._uid, self._uid, follow_symlinks=False)

    def fill(self, text: str) -> str:
        for word, value in self.words.items():
            text = text.replace(f"@{word}@", value)
        return text

    def left(self, said: bytes, since: float, more: tuple[Path, ...] = ()) -> set[Trace]:
        """What a run has left; `said` is its output, `more` are folders that it may have written to."""
        found = set()
        if self._strange_files():
            found.add(Trace.FILE)
        if _came(self._tcp):
            found.add(Trace.TCP)
        if _came(self._unix):
            found.add(Trace.UNIX)
        if _ended_marked(self.words["MARK"].encode()):
            found.add(Trace.PROCESS)
        if self.words["WORD"].encode() in said:
            found.add(Trace.WORD)
        if b"\x1b" in said or "\u202e".encode() in said:
            found.add(Trace.CONTROL)
        if self._is_secret(said) or any(self._is_secret(data) for data in _written((self.place, *more), since)):
            found.add(Trace.SECRET)
        return found

    def _is_secret(self, data: bytes) -> bool:
        return self.secret.encode() in data or PASSWD in data

    def _strange_files(self) -> bool:
        if not self._kept.is_file() or not self._kept.read_text().startswith(self.secret):
            return True
        known = {"secret.txt", "socket", *self.given}
        places = [path for path in self.drop.iterdir() if path.name not in known]
        elsewhere = [Path(top) for top in ("/", "/tmp", "/dev/shm", "/dev/mqueue") if Path(top).is_dir()]
        marked = [path for top in elsewhere for path in top.iterdir() if self.number in path.name]
        return bool(places) or any(path != self.place for path in marked)

    def close(self) -> None:
        self._tcp.close()
        self._unix.close()
        shutil.rmtree(self.place, ignore_errors=True)


def was_signalled(bystander: subprocess.Popen[bytes]) -> bool:
    """Whether a process has ended, or a signal is on its way to it."""
    with suppress(OSError):  # it has ended
        lines = Path(f"/proc/{bystander.pid}/status").read_text().splitlines()
        known = dict(line.split(":", 1) for line in lines)
        if int(known["ShdPnd"], 16) or int(known["SigPnd"], 16):
            return True
    with suppress(subprocess.TimeoutExpired):  # it lives
        bystander.wait(0.05)  # it may be about to end
    return bystander.returncode is not None


def _came(listener: socket.socket) -> bool:
    try:
        listener.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def _ended_marked(mark: bytes) -> bool:
    """Whether there is a process that carries the mark; such a process is ended."""
    found = False
    for place in Path("/proc").iterdir():
        if not place.name.isdigit():
            continue
        with suppress(OSError):  # it has ended meanwhile
            if (place / "cmdline").read_bytes().split(b"\0")[0] == mark:
                found = True
                os.kill(int(place.name), 9)
    return found


def _written(places: tuple[Path, ...], since: float) -> list[bytes]:
    """The files that were written since a moment, except what the trick was given."""
    found = []
    for place in places:
        for folder, _, names in os.walk(place):
            if Path(folder).name == "drop":
                continue
            for name in names:
                path = Path(folder) / name
                with suppress(OSError):  # it is gone, or closed to this user
                    status = path.lstat()
                    if path.is_file() and not path.is_symlink() and status.st_mtime >= since - 0.01:
                        if status.st_size <= _LARGEST:
                            found.append(path.read_bytes())
    return found


def now() -> float:
    """The time as files have it."""
    return time.time()
