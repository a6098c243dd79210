"""`soid fmt`: scripts in one form, comments kept."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

from soid.case.script_run import ScriptFile
from soid.cli.terminal import Terminal
from soid.errors import InputError
from soid.query.language.script.script_printer import script_text

CHANGED = 1  # status where --check finds something to do


def fmt(files: Sequence[Path], *, check: bool, as_json: bool) -> int:
    """Write what is not in form anew; every file is read before any is written."""
    sources = [ScriptFile.read(file) for file in files]
    changed = [source for source in sources if script_text(source.script) != source.text]
    if not check:
        for source in changed:
            _replace(source.file, script_text(source.script))
    if as_json:
        named = [str(source.file) for source in changed]
        print(json.dumps({"files": [str(file) for file in files], "changed": named}, ensure_ascii=False))
    else:
        _say(changed, len(files), check=check)
    return CHANGED if check and changed else 0


def _replace(file: Path, text: str) -> None:
    """Whatever happens, the file has the old text or the new one."""
    place = file.resolve()  # a link stays one
    try:
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=place.parent, delete=False) as draft:
            draft.write(text)
        Path(draft.name).chmod(place.stat().st_mode)
        Path(draft.name).replace(place)
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror or error}", "It is as it was.") from error


def _say(changed: list[ScriptFile], total: int, *, check: bool) -> None:
    terminal = Terminal.stdout()
    for source in changed:
        terminal.line((f"{source.file} {'is not in form' if check else 'written anew'}", ""))
    rest = total - len(changed)
    if rest:
        terminal.line((f"{rest} {'script is' if rest == 1 else 'scripts are'} in form already", "dim"))
