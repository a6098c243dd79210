"""The notebooks of docs/: each is run, and shows what it says; none has more than its reader needs."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parents[2] / "docs" / "notebooks").glob("*.ipynb"))
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def shown(cell: Any) -> list[str]:
    """What a cell shows, without what is this machine's: its compiler, and of whom a run asked what."""
    found = []
    for output in cell.get("outputs", []):
        data = output["data"] if "data" in output else {"text": output["text"]}
        text = json.dumps({kind: "".join(value) for kind, value in sorted(data.items())})
        text = re.sub(r"running the model in (\w+) [\d.]+", r"running the model in \1 ...", text)
        found.append(re.sub(r"compiled program \(.*?\)", "compiled program (...)", text))
    return found


def test_there_are_three() -> None:
    assert [file.stem for file in NOTEBOOKS] == ["accident", "fleet", "model"]


@pytest.mark.slow
@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_shows_what_it_says(file: Path) -> None:
    written = nbformat.read(file, as_version=4)
    again = copy.deepcopy(written)
    NotebookClient(again, timeout=280, kernel_name="python3", record_timing=False).execute()
    for before, now in zip(written.cells, again.cells, strict=True):
        assert shown(now) == shown(before), before.source


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_is_light_and_names_no_machine(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    written = nbformat.read(file, as_version=4)
    nbformat.validate(written)
    assert len(text) < 150_000 and written.metadata == METADATA
    assert not re.search(r"/(tmp|home|root|usr|opt|Users)/|site-packages|file://", text)
    counts = [cell.execution_count for cell in written.cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1))
    assert not any(cell.metadata for cell in written.cells)
