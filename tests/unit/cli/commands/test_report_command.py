"""`soid report`, in this process: where the page goes, what is never written over, and how it is printed."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from soid.case.case import Case
from soid.cli import main
from soid.examples import folder
from tests.unit.cli.chromium import chromium


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    file: Path = tmp_path_factory.mktemp("report") / "oven.case"
    with Case.create(file, folder("microwave"), title="The oven") as case:
        case.ask("did action == CANCEL")
    return file


def said(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_the_page_lies_beside_the_case_and_may_be_made_again(made, capsys):
    before = made.read_bytes()
    assert main(["report", str(made)]) == 0
    page = made.with_suffix(".html")
    assert f"The report is in {page}: 1 fact." in " ".join(capsys.readouterr().out.split()).replace("\n", "")
    first = page.read_bytes()
    assert main(["report", str(made), "--json"]) == 0
    told = said(capsys)
    assert page.read_bytes() == first and made.read_bytes() == before
    assert told["sha256"] == hashlib.sha256(first).hexdigest()
    assert (told["html"], told["pdf"], told["warnings"]) == (str(page), None, [])
    assert [(each["number"], each["entry"]) for each in told["facts"]] == [(1, 3)]
    with Case.open(made, read_only=True) as case:
        assert told["head"] == case.entries[-1].hash


def test_a_file_that_is_no_report_is_written_over_only_if_it_is_named(made, tmp_path, capsys):
    case = tmp_path / "oven.case"
    case.write_bytes(made.read_bytes())
    other = tmp_path / "oven.html"
    other.write_text("<p>mine</p>")
    assert main(["report", str(case)]) == 10
    assert "is there already, and is no report" in capsys.readouterr().err and other.read_text() == "<p>mine</p>"
    assert main(["report", str(case), "--html", str(other)]) == 0 and "The oven" in other.read_text()
    before = case.read_bytes()
    for option in ("--html", "--pdf"):
        assert main(["report", str(case), option, str(tmp_path / "." / "oven.case")]) == 10
        assert "is the case itself" in capsys.readouterr().err
    assert case.read_bytes() == before
    assert main(["report", str(tmp_path / "none.case")]) == 25
    assert main(["report", str(case), "--html", str(tmp_path / "nowhere" / "a.html")]) == 10


def test_a_pdf_is_printed_of_the_page_and_nothing_is_left_lying_about(made, tmp_path, monkeypatch, capsys):
    chromium(tmp_path, monkeypatch, 'printf "%%PDF-1.4\\n" > "$out"; cat "$page" >> "$out"')
    pdf = tmp_path / "out" / "report.pdf"
    pdf.parent.mkdir()
    page = tmp_path / "report.html"
    assert main(["report", str(made), "--pdf", str(pdf), "--html", str(page), "--json"]) == 0
    assert said(capsys)["pdf"] == str(pdf)
    assert pdf.read_bytes() == b"%PDF-1.4\n" + page.read_bytes()
    assert [each.name for each in pdf.parent.iterdir()] == ["report.pdf"]
    assert main(["report", str(made), "--pdf", str(tmp_path / "nowhere" / "a.pdf")]) == 10


def test_without_a_chromium_the_page_is_written_all_the_same(made, tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("SOID_CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    page, pdf = tmp_path / "report.html", tmp_path / "report.pdf"
    assert main(["report", str(made), "--html", str(page), "--pdf", str(pdf)]) == 21
    assert "there is no Chromium on this machine" in capsys.readouterr().err.replace("\n  ", " ")
    assert page.exists() and not pdf.exists()
