"""`soid fmt`: write scripts in one form; comments stay."""

from __future__ import annotations

from pathlib import Path

from soid.cache import write_atomically
from soid.case.script_run import ScriptFile
from soid.cli.command_line.project_options import FmtOptions
from soid.cli.output import print_json
from soid.cli.terminal.terminal import Terminal
from soid.errors import InputError
from soid.query.language.script.script_printer import script_text
from soid.query.words import counted

CHANGED = 1  # the exit status if --check finds a script that is not in form


def fmt(options: FmtOptions) -> int:
    """Write anew what is not in form; every file is read before any is written."""
    sources = [ScriptFile.read(file) for file in options.files]
    changed = [source for source in sources if script_text(source.script) != source.text]
    if not options.check:
        for source in changed:
            _replace(source.file, script_text(source.script))
    if options.as_json:
        named = [str(source.file) for source in changed]
        print_json({"files": [str(file) for file in options.files], "changed": named})
    else:
        _say(changed, len(sources), check=options.check)
    return CHANGED if options.check and changed else 0


def _replace(file: Path, text: str) -> None:
    """Replace the file at once: after an error it has the old text or the new one."""
    place = file.resolve()  # a symbolic link stays a link
    try:
        write_atomically(place, text.encode(), place.stat().st_mode)
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror or error}", "It is as it was.") from error


def _say(changed: list[ScriptFile], total: int, *, check: bool) -> None:
    terminal = Terminal.stdout()
    for source in changed:
        terminal.line((f"{source.file} {'is not in form' if check else 'written anew'}", ""))
    rest = total - len(changed)
    if rest:
        terminal.line((f"{counted(rest, 'script is', 'scripts are')} in form already", "dim"))
