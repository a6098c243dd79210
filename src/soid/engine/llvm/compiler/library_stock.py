"""What the wheel's compiler makes of its own C library before it links with it: most of a second, once a machine.

A stranger's compiler has a cache of its own, which is empty. So its linker is given a copy of what came of linking an
empty program.
"""

from __future__ import annotations

import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from soid.cache import cache_folder, digest
from soid.engine.llvm.compiler.toolchain import OWN_CACHE, Toolchain

_EMPTY: Final = "int main(void) { return 0; }\n"


def bring_library(toolchain: Toolchain, target: str, libraries: tuple[str, ...], scratch: Path) -> None:
    """Put the stock for these libraries where a confined compiler that writes to `scratch` has its cache."""
    place = cache_folder() / "library" / digest(toolchain.version, target, *libraries)
    try:
        if place.is_dir() or _make(toolchain, target, libraries, place):
            shutil.copytree(place, scratch / OWN_CACHE, dirs_exist_ok=True)
    except OSError:  # there is no room for it: the compiler makes what it needs, as without a stock
        shutil.rmtree(scratch / OWN_CACHE, ignore_errors=True)


def _make(toolchain: Toolchain, target: str, libraries: tuple[str, ...], place: Path) -> bool:
    """Make the stock; False if an empty program cannot be linked: the linking of the real one says why."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "empty.c").write_text(_EMPTY)
        flags = (*toolchain.target_flags(target), "empty.c", *libraries, "-o", "empty")
        if toolchain.confined([], folder).run(flags, folder).returncode != 0:
            return False
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent) as draft:
            whole = shutil.copytree(folder / OWN_CACHE, Path(draft) / "stock")
            with suppress(OSError):  # another process was quicker, and its stock is the same
                whole.rename(place)
    return True
