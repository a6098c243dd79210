"""`soid example copy`: one of the examples as a starting point."""

from __future__ import annotations

import json
from pathlib import Path

from soid.cli.terminal import Terminal
from soid.examples import copy
from soid.program.manifest import FILE_NAME


def copy_example(name: str, to: Path, *, as_json: bool) -> int:
    """Copy its files, and say what to do with them."""
    copy(name, to)
    if as_json:
        projects = sorted(str(file.parent) for file in to.rglob(FILE_NAME))
        print(json.dumps({"example": name, "folder": str(to), "projects": projects}, ensure_ascii=False))
    else:
        Terminal.stdout().prose(f"{to} is ready: `cd {to}`, then `soid inspect` and `soid ask`.", indent=0)
    return 0
