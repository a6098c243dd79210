"""A helper's files: whatever changes one of them is seen, also with its time set back."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from soid.cli.helper.loaded_files import LoadedFiles
from soid.query.language import query_parser


@pytest.fixture
def module(tmp_path, monkeypatch) -> Path:
    """A module that this process has loaded."""
    file = Path(tmp_path / "a_module_of_the_test.py")
    file.write_text("here = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    __import__(file.stem)
    monkeypatch.delitem(sys.modules, file.stem, raising=False)
    __import__(file.stem)
    return file


def rewritten(file: Path) -> None:
    times = file.stat().st_atime_ns, file.stat().st_mtime_ns
    file.write_text("here = 2\n")
    os.utime(file, ns=times)


def replaced(file: Path) -> None:
    other = file.with_suffix(".other")
    other.write_text("here = 2\n")
    other.replace(file)


def shadowed(file: Path) -> None:
    (file.parent / "another_module.py").touch()


@pytest.mark.parametrize("change", [rewritten, replaced, shadowed, Path.unlink])
def test_a_change_is_seen(module, change: Callable[[Path], None]):
    loaded = LoadedFiles.since(time.time_ns() + 3600 * 10**9)
    assert loaded is not None and not loaded.have_changed()
    change(module)
    assert loaded.have_changed()


def test_the_grammar_that_was_read_is_among_them():
    loaded = LoadedFiles.since(time.time_ns() + 3600 * 10**9)
    assert loaded is not None and query_parser.__file__.replace("query_parser.py", "grammar.lark") in loaded.known


def test_what_changed_while_it_was_loaded_is_not_known(module):
    assert LoadedFiles.since(module.stat().st_ctime_ns) is None
