"""The files that a manifest names."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

from soid.program.toml_table import TomlTable


def matching(table: TomlTable, key: str, folder: Path, pattern: str, kinds: tuple[str, ...]) -> list[Path]:
    """The files that a name, a folder or a pattern stands for, sorted by name.

    `kinds` are the patterns of the files to take from a folder: `*.smt2`.
    """
    named = folder / pattern
    if named.is_file():
        return [named]
    if named.is_dir():
        files = sorted(file for kind in kinds for file in named.glob(kind))
        if not files:
            wanted = " or ".join(kind.removeprefix("*") for kind in kinds)
            table.fail(key, f"the folder {named} has no {wanted} file", "Put them there, or name where they are.")
        return files
    if not any(sign in pattern for sign in "*?["):
        table.fail(key, f"there is no file {named}", "Files are named relative to the manifest's folder.")
    anchor = Path(pattern).anchor  # empty if the pattern is relative to the folder
    try:
        found = (Path(anchor) if anchor else folder).glob(pattern.removeprefix(anchor))
        files = sorted(file for file in found if file.is_file())
    except (ValueError, NotImplementedError, OSError) as error:
        table.fail(key, f"{pattern!r} is no pattern: {error}", f'Write one such as "{key}/{kinds[0]}".')
    if not files:
        table.fail(key, f"no file matches {named}", "Files are named relative to the manifest's folder.")
    return files


def stays(folder: PurePosixPath, name: str) -> bool:
    """Whether a name leads to a place inside the project, which has no links."""
    if name.startswith(("/", "~")) or "\\" in name or "\0" in name:
        return False
    after = name.partition("**")[2]  # `**` may match no folder, so a `..` after it may leave the project
    if ".." in after.split("/"):
        return False
    return not os.path.normpath(folder / name).startswith("..")
