"""`soid example copy`: copy an example, as a starting point for a project."""

from __future__ import annotations

from soid.cli.command_line.project_options import CopyExampleOptions
from soid.cli.output import print_json
from soid.cli.terminal.terminal import Terminal
from soid.examples import copy
from soid.program.manifest import FILE_NAME


def copy_example(options: CopyExampleOptions) -> int:
    """Copy the example's files, and say what to do with them."""
    to = options.folder
    copy(options.name, to)
    if options.as_json:
        projects = sorted(str(file.parent) for file in to.rglob(FILE_NAME))
        print_json({"example": options.name, "folder": str(to), "projects": projects})
    else:
        Terminal.stdout().prose(f"{to} is ready: `cd {to}`, then `soid inspect` and `soid ask`.", indent=0)
    return 0
