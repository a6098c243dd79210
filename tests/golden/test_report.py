"""The microwave's report as it is read, without what is this machine's. `UPDATE_GOLDEN=1` writes it anew."""

from __future__ import annotations

import os
import re
from pathlib import Path

from soid.case.report.document import report
from soid.case.script_run import ScriptFile, ScriptRun
from soid.examples import folder
from tests.unit.case.pages import Element, read

GOLDEN = Path(__file__).with_name("microwave.report.txt")

#: begins a line of its own, after so many blanks
LINES = {"h1": 0, "h2": 0, "h3": 2, "h4": 4, "p": 4, "div": 4, "tr": 6, "caption": 4, "li": 4, "footer": 4, "pre": 4}

#: hashes, keys, times, sizes, versions and seconds
CHANGING = re.compile(
    r"\b[0-9a-f]{64}\b|\b[0-9a-f]{16}…|\d+ \w+ \d{4}, \d\d:\d\d:\d\d UTC|\d+ bytes|soid \d[\w.+]*|calls \d+"
    r"|\w+ \d+\.\d{3}\b(, \w+ \d+\.\d{3}\b)*"
)


def test_the_report_of_the_microwave_s_case(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("SOID_USER", "ada")
    with ScriptRun(ScriptFile.read(folder("microwave") / "oven.soid"), case_file=tmp_path / "oven.case") as script:
        for _ in script.events():
            pass
        assert script.case is not None
        page = report(script.case, made_by="soid 1.0")
    text = told(read(page))
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")


def told(page: Element) -> str:
    """What is read, a line for each thing that is said; in tables, cells one beside the other."""
    (body,) = page.all("body")
    text = CHANGING.sub("…", "".join(_told(body)).replace("\N{NO-BREAK SPACE}", " "))
    lines = (line.rstrip(" |") for line in text.splitlines())
    return "\n".join(line for line in lines if line.strip()) + "\n"


def _told(element: Element) -> list[str]:
    if element.name == "pre":
        return ["\n    (formula)\n"]
    if element.name == "svg" and "aria-label" in element.attributes:
        return [f"\n    (a picture: {element.attributes['aria-label']})\n"]
    said = [part for each in element.content for part in ([each] if isinstance(each, str) else _told(each))]
    if element.name in ("td", "th", "dt", "dd"):
        return [*said, " | "]
    if element.name in LINES:
        return ["\n", " " * LINES[element.name], *said, "\n"]
    return [*said, " "] if element.name == "span" else said
