"""Projects of several small C programs, for tests."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from soid.case.project import Project
from soid.oracle.inquiry import Settings


def several(
    folder: Path,
    programs: Mapping[str, str],
    log: str,
    *,
    extra: Mapping[str, str] | None = None,
    variables: str = "",
    settings: Settings | None = None,
) -> Project:
    """A project of C programs by name, each with a function `decide`; `extra` are further lines of one's table."""
    folder.mkdir(parents=True, exist_ok=True)
    tables = []
    for name, source in programs.items():
        (folder / f"{name}.c").write_text(source)
        tables.append(f'[programs.{name}]\nengine = "c"\nsources = ["{name}.c"]\nentry = "decide"\n')
        tables.append((extra or {}).get(name, ""))
    (folder / "log.jsonl").write_text(log)
    text = "\n".join([*tables, '[trace]\nfile = "log.jsonl"\n', "[variables]", variables])
    (folder / "soid.toml").write_text(text)
    return Project.open(folder, settings=settings)
