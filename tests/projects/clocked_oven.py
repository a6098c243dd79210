"""The microwave with a clock in its log: a row each 250 ms, from 7000 ms on. It answers at once."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from soid.examples import folder


def clocked_oven(place: Path) -> Path:
    """Lay the project out."""
    project = place / "oven"
    shutil.copytree(folder("microwave"), project, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    manifest, log = project / "soid.toml", project / "log.jsonl"
    manifest.write_text(manifest.read_text().replace("keyframe =", 'time = { column = "t", unit = "ms" }\nkeyframe ='))
    steps = [json.loads(line) for line in log.read_text().splitlines()]
    log.write_text("".join(json.dumps({**step, "t": 7000 + 250 * step["step"]}) + "\n" for step in steps))
    return project
