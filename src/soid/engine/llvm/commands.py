"""`compile_commands.json`: how each source file is compiled, as CMake, Bazel, Meson or Bear write it down.

    [{"directory": "/home/me/car/build", "file": "../src/car.cpp",
      "command": "clang++ -O2 -DNDEBUG -I../include -std=c++17 -c ../src/car.cpp -o car.o"}]

Each file is compiled with its own flags; folders inside the manifest's folder are named relative to it. Flags that only
choose the kind and place of the output are dropped. The engine refuses the same flags as in `flags`.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path
from typing import Any, Final

from soid.program.toml_table import TomlTable

#: flags that choose the output, and how many words follow them
_OUTPUT: Final = {"-c": 0, "-S": 0, "-o": 1, "-MD": 0, "-MMD": 0, "-MP": 0, "-MF": 1, "-MT": 1, "-MQ": 1, "-pipe": 0}
_SILENT: Final = re.compile(r"-g\w*|-f(?:no-)?(?:color-diagnostics|diagnostics-\S+)|-Wp,-M\S+|-Winvalid-pch")
#: flags whose value is a folder or a file, in the same word or in the next
_PLACES: Final = ("-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-I")


def read_commands(table: TomlTable, key: str, file: Path, folder: Path) -> dict[Path, list[tuple[str, ...]]]:
    """The flags of each source file of a database, by its path; several where it is compiled in several ways."""
    try:
        entries = json.loads(file.read_text(encoding="utf-8"))
    except OSError:
        table.fail(key, f"there is no file {file}", "Files are named relative to the manifest's folder.")
    except ValueError as error:
        table.fail(key, f"{file} is no JSON: {error}", "Let the build system write it again.")
    if not isinstance(entries, list):
        table.fail(key, f"{file} is no list of commands", "Let the build system write it again.")
    found: dict[Path, list[tuple[str, ...]]] = {}
    for number, entry in enumerate(entries):
        if not isinstance(entry, dict) or not isinstance(entry.get("file"), str):
            table.fail(key, f"entry {number + 1} of {file} names no file", "Let the build system write it again.")
        base = file.parent / str(entry.get("directory", "."))
        words = _words(entry)
        if not words:
            table.fail(key, f"entry {number + 1} of {file} has no command", "Let the build system write it again.")
        source = _named(base, entry["file"], folder)
        flags = _flags(words[1:], entry["file"], base, folder)
        if flags not in found.setdefault(source, []):
            found[source].append(flags)
    return found


def _words(entry: dict[str, Any]) -> list[str]:
    if isinstance(entry.get("arguments"), list):
        return [str(word) for word in entry["arguments"]]
    return shlex.split(str(entry.get("command", "")))


def _named(base: Path, name: str, folder: Path) -> Path:
    """A path relative to the manifest's folder if it lies inside; else absolute."""
    whole, root = (Path(os.path.normpath(path.absolute())) for path in (base / name, folder))
    return whole.relative_to(root) if whole.is_relative_to(root) else whole


def _flags(words: list[str], source: str, base: Path, folder: Path) -> tuple[str, ...]:
    found: list[str] = []
    waiting = list(words)
    while waiting:
        word = waiting.pop(0)
        if word in _OUTPUT:
            del waiting[: _OUTPUT[word]]
        elif word == "--":
            break
        elif word == source or _SILENT.fullmatch(word) or (word.startswith("-o") and word != "-o"):
            continue
        else:
            found += _placed(word, waiting, base, folder)
    return tuple(found)


def _placed(word: str, waiting: list[str], base: Path, folder: Path) -> list[str]:
    """A flag, its folder relative to the manifest's."""
    for flag in _PLACES:
        if word == flag and waiting:
            return [flag, str(_named(base, waiting.pop(0), folder))]
        if flag == "-I" and word.startswith(flag):
            return [f"-I{_named(base, word.removeprefix(flag), folder)}"]
    return [word]
