"""One way to run `soid` in the tests."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any


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
        ran = subprocess.run(
            [self.command, *arguments],
            cwd=self.project,
            env=self.environment | variables,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=100,
            check=False,
        )
        assert "Traceback" not in ran.stderr, ran.stderr
        return Ran(ran.returncode, ran.stdout, ran.stderr)

    def edit(self, file: str, old: str, new: str) -> None:
        """Change one place of a file."""
        path = self.project / file
        text = path.read_text()
        assert text.count(old) == 1, f"{old!r} is {text.count(old)} times in {file}"
        path.write_text(text.replace(old, new))

    def write(self, file: str, text: str) -> None:
        (self.project / file).write_text(text)
