"""What is so in all scenarios, as a sentence: of the window in which the program was looked at, where that matters."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from soid.case.case import Case
from soid.case.project import Project

MANIFEST = """\
[program]
name = "waiter"
engine = "c"
sources = ["p.c"]
entry = "decide"
[trace]
file = "log.jsonl"
[variables]
n = { domain = [0, 30], label = "the length of the queue" }
return = { label = "the answer", says = { 1 = "call the waiter", 0 = "wait" } }
"""


def test_what_no_window_has_shown_is_not_said_of_all_windows(tmp_path: Path) -> None:
    """Within ten rounds it never calls the waiter, within sixty always: neither denies the other."""
    (tmp_path / "p.c").write_text("int decide(int n) { int i = 0; while (i < n) i++; return i > 3; }\n")
    (tmp_path / "soid.toml").write_text(MANIFEST)
    (tmp_path / "log.jsonl").write_text('{"n": 2, "return": 0}\n')
    asked = "would return == 1 if n >= 20"
    settings = Project.open(tmp_path).settings
    said = {}
    for window in (10, 60):
        chosen = replace(settings, window=window)
        with Case.create(tmp_path / f"{window}.case", tmp_path, settings=chosen) as case:
            said[window] = case.ask(asked).entry.fact or {}
    supposed = "had the length of the queue been at least 20"
    assert said[10]["statement"].startswith(f"It would never call the waiter, {supposed}, within its window; ")
    assert said[60]["statement"].startswith(f"It would always call the waiter, {supposed}; ")
