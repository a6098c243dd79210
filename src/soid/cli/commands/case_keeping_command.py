"""`soid case rename`, `archive`, `unarchive`, `delete` and `restore`: what is done with a case as a whole."""

from __future__ import annotations

import sys

from soid.case.case import default_user
from soid.case.deletion import delete, name_of
from soid.cli.command_line.case_options import (
    ArchiveOptions,
    DeleteOptions,
    RenameOptions,
    RestoreOptions,
    UnarchiveOptions,
)
from soid.cli.commands.case_command import add_entry
from soid.cli.output import print_json
from soid.cli.terminal.terminal import Terminal
from soid.errors import CaseError
from soid.evidence.restored_case import restore
from soid.query.words import counted


def rename(options: RenameOptions) -> int:
    return add_entry(options, lambda case: case.rename(options.title))


def archive(options: ArchiveOptions) -> int:
    return add_entry(options, lambda case: case.archive(options.why))


def unarchive(options: UnarchiveOptions) -> int:
    return add_entry(options, lambda case: case.unarchive(options.why))


def delete_case(options: DeleteOptions) -> int:
    gone = delete(options.file, _confirmed(options), who=options.who or default_user())
    if options.as_json:
        print_json(gone)
    else:
        said = f"{gone.title} is deleted: {counted(gone.entries, 'entry', 'entries')}, the last hash {gone.head}."
        Terminal.stdout().prose(said, indent=0)
    return 0


def _confirmed(options: DeleteOptions) -> str:
    if options.name is not None:
        return options.name
    if not options.file.is_file():
        raise CaseError(f"{options.file}: there is no such case file", "Name a case.")
    if not sys.stdin.isatty():
        raise CaseError("to delete a case its name is needed", "Give it with --name.")
    return input(f"To delete the case, type its name ({name_of(options.file)}): ")


def restore_case(options: RestoreOptions) -> int:
    with restore(options.bundle, options.file, who=options.who) as case:
        if options.as_json:
            print_json(case.entries[-1].document)
        else:
            said = f"{options.file} has the {counted(len(case.entries) - 1, 'entry', 'entries')} of {options.bundle}."
            Terminal.stdout().prose(f"{said} Whether its facts are true, `soid verify` says.", indent=0)
    return 0
