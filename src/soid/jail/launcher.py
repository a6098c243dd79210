"""The launcher: a small program of ours in C that enters the jail and then becomes the command.

It is compiled once per machine, in about a tenth of a second, by the compiler in the wheel or else the machine's clang.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import shutil
import subprocess
import tempfile
import threading
from functools import cache
from pathlib import Path
from typing import Final, final

from msgspec import Struct

from soid.cache import cache_folder, digest, write_atomically
from soid.errors import EnvironmentalError

FOLDER: Final = Path(__file__).parent
SYSTEM: Final = FOLDER / "system.h"  # the harness of a replay has it too
_SOURCES: Final = (FOLDER / "launcher.c", SYSTEM)
#: by processor: the name of its part of the wheel's Linux headers
_PROCESSORS: Final = {"x86_64": "x86", "aarch64": "aarch64"}
_FLAGS: Final = (
    *("-O1", "-fno-sanitize=all", "-ffreestanding", "-fno-builtin", "-fno-stack-protector"),
    *("-nostdlib", "-static"),
)
#: the first clang that reads what soid's LLVM prints: it has the debug records that came then
OLDEST_CLANG: Final = 19
_NEWEST_CLANG: Final = 30  # that is looked for
_lock: Final = threading.Lock()
_known: Final[dict[tuple[str | None, ...], Path]] = {}  # by what decides where the cache is


@final
class Layers(Struct, frozen=True):
    """Which layers of the jail this machine gives."""

    filter: bool  # of system calls
    landlock: int  # the version of the kernel's interface; 0: none
    world: bool  # processes, files and users that see no others

    @property
    def locks_files(self) -> bool:
        """The least that a stranger's program needs: a filter, and files that it cannot open."""
        return self.filter and (self.landlock >= OLDEST_LANDLOCK or self.world)


#: before it, files cannot be moved between folders, which the compiler does
OLDEST_LANDLOCK: Final = 2


def packaged_zig() -> Path | None:
    """The compiler in the wheel: called directly, as `python -m ziglang` would start Python for it each time."""
    spec = importlib.util.find_spec("ziglang")
    binary = Path(spec.origin).parent / "zig" if spec is not None and spec.origin is not None else None
    return binary if binary is not None and binary.is_file() else None


@cache
def system_clangs() -> dict[int, Path]:
    """The machine's clangs by their main versions, the newest first; those that are too old are not listed."""
    found: dict[int, Path] = {}
    for name in ("clang", *(f"clang-{number}" for number in range(OLDEST_CLANG, _NEWEST_CLANG))):
        path = shutil.which(name)
        if path is None:
            continue
        try:
            told = subprocess.run([path, "--version"], capture_output=True, text=True, check=False, timeout=60).stdout
        except (OSError, subprocess.TimeoutExpired):
            continue
        if (written := re.search(r"clang version (\d+)", told)) is not None and int(written[1]) >= OLDEST_CLANG:
            found.setdefault(int(written[1]), Path(path))
    return dict(sorted(found.items(), reverse=True))


def launcher() -> Path:
    """The launcher; raises EnvironmentalError where there is none for this machine."""
    folders = tuple(os.environ.get(name) for name in ("SOID_CACHE", "XDG_CACHE_HOME", "HOME"))
    known = _known.get(folders)  # every replay asks for it
    if known is not None and os.path.exists(known):  # noqa: PTH110 a tenth of pathlib's time
        return known
    with _lock:
        path = _known[folders] = _place()
        if not path.is_file():
            write_atomically(path, _compiled(), 0o700)
        return path


@cache
def layers() -> Layers:
    """The layers that this machine gives, found out by trying them; none where there is no launcher for it."""
    try:
        told = subprocess.run([launcher(), "probe"], capture_output=True, text=True, check=False, timeout=60).stdout
    except (EnvironmentalError, OSError, subprocess.TimeoutExpired):
        return Layers(filter=False, landlock=0, world=False)  # which is what this says
    found = {name: int(value) for name, _, value in (line.partition("=") for line in told.splitlines())}
    return Layers(filter=bool(found.get("filter")), landlock=found.get("landlock", 0), world=bool(found.get("world")))


@cache
def _sources() -> str:
    return digest(platform.machine(), *_FLAGS, *(source.read_bytes() for source in _SOURCES))


def _place() -> Path:
    return cache_folder() / "jail" / _sources()


def _compiled() -> bytes:
    machine = platform.machine()
    if machine not in _PROCESSORS:
        problem = f"nothing can be confined here: there is no launcher for {machine}"
        raise EnvironmentalError(problem, "Use a machine with an x86-64 or AArch64 processor.")
    command = _compiler(machine)
    with tempfile.TemporaryDirectory() as scratch:
        for source in _SOURCES:
            (Path(scratch) / source.name).write_bytes(source.read_bytes())
        done = subprocess.run(
            [*command, *_FLAGS, "launcher.c", "-o", "launcher"],
            cwd=scratch,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            remedy = "Report this; or, with a clang of the machine, install the headers of its C library (libc6-dev)."
            raise EnvironmentalError(f"the launcher cannot be compiled:\n{done.stderr}", remedy)
        return (Path(scratch) / "launcher").read_bytes()


def _compiler(machine: str) -> list[str]:
    """What compiles the launcher: the wheel with its headers of Linux, or a clang with those of the machine."""
    if (zig := packaged_zig()) is not None:
        headers = [zig.parent / "lib/libc/include" / f"{part}-linux-any" for part in ("any", _PROCESSORS[machine])]
        places = [part for place in headers for part in ("-isystem", str(place))]
        return [str(zig), "cc", "-target", f"{machine}-linux-gnu", "-mcpu=baseline", *places]
    for clang in system_clangs().values():
        return [str(clang), f"--target={machine}-linux-gnu"]
    problem = "there is no C compiler: the jail, in which programs run and models are read, is compiled on the machine"
    raise EnvironmentalError(problem, NO_COMPILER)


#: what helps where neither the wheel nor a clang is there
NO_COMPILER: Final = (
    "Install soid's own, pip install 'soid[compiler]', or a clang of the machine with the headers of its C library "
    f"(Debian: apt-get install clang-{OLDEST_CLANG} libc6-dev)."
)
