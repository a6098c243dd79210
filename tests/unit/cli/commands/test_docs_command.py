"""`soid docs` finds a page by its name, long or short, and says what to do where there is none."""

from __future__ import annotations

import json
import webbrowser
from pathlib import Path

import pytest

from soid.cli import main
from soid.cli.commands import docs_command
from tests.json_page import misfits


@pytest.fixture
def manual(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("index", "limits", "guide/maps"):
        page = tmp_path / f"{name}.html"
        page.parent.mkdir(exist_ok=True)
        page.write_text(name)
    monkeypatch.setattr(docs_command, "MANUAL", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("typed", "page"),
    [
        ([], "index"),
        (["limits"], "limits"),
        (["docs/limits.md"], "limits"),  # as messages of earlier versions have it
        (["guide/maps"], "guide/maps"),
        (["maps"], "guide/maps"),
    ],
)
def test_a_page_goes_by_its_name(typed, page, manual, capsys):
    assert main(["docs", *typed, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert misfits(said, "docs") == {}
    assert Path(said["file"]).read_text() == page


def test_a_browser_is_opened_where_it_is_wanted(manual, capsys, monkeypatch):
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    assert main(["docs", "--no-open"]) == 0 and opened == []
    assert main(["docs", "limits", "--open"]) == 0
    assert opened == [(manual / "limits.html").as_uri()]
    assert all(address in capsys.readouterr().out.replace("\n", "") for address in opened)


def test_an_unknown_page_is_told_with_the_one_that_was_meant(manual, capsys):
    assert main(["docs", "limit"]) == 10
    assert "Did you mean limits?" in capsys.readouterr().err
    assert main(["docs", "nothing"]) == 10
    assert "guide/maps, index, limits" in capsys.readouterr().err


def test_without_the_pages_it_says_how_to_get_them(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(docs_command, "MANUAL", tmp_path / "none")
    assert main(["docs"]) == 21
    assert "make docs" in capsys.readouterr().err
