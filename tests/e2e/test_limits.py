"""One budget for reading the program and the log: what is too large is refused in time, with cause and remedy."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from soid import Project, Settings
from soid.allowance import allowed
from soid.errors import ProgramError, SoidError, TimeLimitError
from soid.scenario.trace_reader import read_for
from tests.e2e.running import Soid

DECIDES: Final = "int decide(int x) { return x > 3; }\n"
DOUBLED: Final = "".join(f"#define A{i} A{i - 1} + A{i - 1}\n" for i in range(1, 41))
TOML: Final = """
[program]
engine = "llvm"
sources = ["p.c"]
entry = "decide"

[trace]
file = "{log}"
"""
ENDLESS: Final = {
    "a device that never ends": '#include "/dev/zero"\n' + DECIDES,
    "macros that double": f"#define A0 x + x\n{DOUBLED}int decide(int x) {{ return A40; }}\n",
    "an initialiser that never ends": "int y; __attribute__((constructor)) void run(void) { while (1) y++; }\n"
    + DECIDES,
    "very many functions": "".join(f"int g{i}(int x) {{ return x * {i}; }}\n" for i in range(100_000)) + DECIDES,
}
LARGE: Final = {
    "20 GB": "char a[20LL << 30]; int decide(int x) { return a[x] > 3; }\n",
    "100 MB that are zero": "static char a[100 << 20]; int decide(int x) { return a[x & 1023] > 3; }\n",
    "100 MB that begin with numbers": "static int a[25 << 20] = {1}; int decide(int x) { return a[x & 1023] > 3; }\n",
    "many structs": "struct s { int a, b[7]; } s[1 << 20]; int decide(int x) { return s[x & 7].a > 3; }\n",
}


def project(folder: Path, source: str, log: str = "log.jsonl", content: str = '{"x": 1}\n') -> Path:
    (folder / "p.c").write_text(source)
    (folder / "soid.toml").write_text(TOML.format(log=log))
    (folder / log).write_text(content)
    return folder


@pytest.mark.parametrize("source", ENDLESS.values(), ids=ENDLESS)
def test_a_program_that_cannot_be_read_in_time_is_refused(tmp_path: Path, source: str) -> None:
    more = r"did not end within 0.7 s\nGive it more time: seconds=600"
    with allowed(seconds=0.7), pytest.raises(TimeLimitError, match=more):
        Project.open(project(tmp_path, source))


def test_a_file_that_includes_itself_twice_is_refused_in_few_words(tmp_path: Path) -> None:
    source = '#include "p.c"\n#include "p.c"\n' + DECIDES
    with pytest.raises(SoidError) as refused:  # as the compiler reports it, or because the time is over
        Project.open(project(tmp_path, source), settings=Settings(seconds=20.0))
    assert len(str(refused.value)) < 5000


@pytest.mark.parametrize("source", LARGE.values(), ids=LARGE)
def test_a_program_with_too_many_variables_is_refused(tmp_path: Path, source: str) -> None:
    with pytest.raises(ProgramError, match=r"more than 1,000,000 variables: [as] alone has [\d,]+ elements\nMake it"):
        Project.open(project(tmp_path, source))


def test_a_large_table_that_never_changes_is_no_variable(tmp_path: Path) -> None:
    """Its zeros are not listed: neither while it is read nor while it is explored."""
    table = "static const int t[2][20 << 20] = {{1, 2}, {3}}; int decide(int x) { return t[1][x & 3] == 3; }\n"
    opened = Project.open(project(tmp_path, table), settings=Settings(replay="off"))
    assert opened.ask("might return == 1 if x is anything").verdict.value == "yes"


@pytest.mark.parametrize(("log", "head", "line"), [("log.jsonl", "", '{"x": 1}\n'), ("log.csv", "x\n", "1\n")])
def test_a_log_that_cannot_be_read_in_time_is_refused(tmp_path: Path, log: str, head: str, line: str) -> None:
    folder = project(tmp_path, DECIDES, log, head + 1000 * line)
    opened = Project.open(folder)
    assert opened.manifest is not None and len(opened.trace) == 1000
    (folder / log).write_text(head + 130_000 * line)  # a larger one is not read whole
    more = r"reading the log did not end within 0.5 s\n\d+\.\d % of it was read. Give it more time: seconds=600"
    with allowed(seconds=0.5), pytest.raises(TimeLimitError, match=more):
        read_for(opened.manifest)


def test_a_log_without_an_end_is_refused(tmp_path: Path) -> None:
    folder = project(tmp_path, DECIDES)
    (folder / "endless.jsonl").symlink_to("/dev/zero")
    with pytest.raises(SoidError, match="this is no plain file"):
        Project.open(folder, trace=folder / "endless.jsonl")


def test_the_command_says_it_with_a_status_of_its_own(tmp_path: Path, microwave: Soid) -> None:
    folder = project(tmp_path, ENDLESS["a device that never ends"])
    ran = replace(microwave, project=folder)("ask", "did return == 0", "--seconds", "0", "--json")
    assert ran.status == 28
    assert ran.json["error"]["type"] == "TimeLimitError"
    assert ran.json["error"]["remedy"] == "Give it more time: --seconds."
