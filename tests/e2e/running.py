"""Two ways to run `soid` in the tests: its `main`, in this process, and the installed command."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from soid.cli import main


@dataclass(frozen=True)
class Ran:
    """What came of a command."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one object on standard output."""
        return json.loads(self.out)

    @property
    def all_json(self) -> list[Any]:
        """The objects on standard output, one a line."""
        return [json.loads(line) for line in self.out.splitlines()]


@dataclass(frozen=True)
class Soid:
    """The command, and the project that it is run in."""

    command: Path
    project: Path
    environment: dict[str, str]

    def __call__(self, *arguments: str, **variables: str) -> Ran:
        """Run `main` here, where Python has started and all is loaded: most of what a command takes."""
        out, err = io.StringIO(), io.StringIO()
        with (
            mock.patch.dict(os.environ, self.environment | variables, clear=True),
            contextlib.chdir(self.project),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            status = main(arguments)
        return _ran(status, out.getvalue(), err.getvalue())

    def installed(self, *arguments: str, **variables: str) -> Ran:
        """Run the command as a user does: in its own process, with pipes."""
        ran = subprocess.run(
            [self.command, *arguments],
            cwd=self.project,
            env=self.environment | variables,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        return _ran(ran.returncode, ran.stdout, ran.stderr)

    def edit(self, file: str, old: str, new: str) -> None:
        """Change one place of a file."""
        path = self.project / file
        text = path.read_text()
        assert text.count(old) == 1, f"{old!r} is {text.count(old)} times in {file}"
        path.write_text(text.replace(old, new))

    def write(self, file: str, text: str) -> None:
        (self.project / file).write_text(text)


def _ran(status: int, out: str, err: str) -> Ran:
    assert "Traceback" not in err, err
    return Ran(status, out, err)
