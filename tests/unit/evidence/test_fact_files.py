"""Each witness is a C program that any compiler builds, and that says so where the program decides otherwise."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from soid.engine.llvm import c_witness
from soid.evidence import bundle_layout, fact_files
from soid.evidence.archive import unpack
from tests.unit.evidence import forging

CC = [found] if (found := shutil.which("cc")) else [sys.executable, "-m", "ziglang", "cc"]


def laid_out(data: bytes, place: Path) -> Path:
    for name, content in unpack(data).items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(content)
    return place


def built_and_run(folder: Path) -> int:
    told = (folder / fact_files.TEST).read_text()
    command = next(line for line in told.splitlines() if line.startswith("COMMAND = ")).removeprefix("COMMAND = ")
    words = command.strip("[]").replace("'", "").split(", ")
    subprocess.run([*CC, *words, "-o", "witness"], cwd=folder, check=True)
    return subprocess.run(["./witness"], cwd=folder, check=False, stdout=subprocess.DEVNULL).returncode


def test_a_witness_is_a_program_of_its_own(patient, tmp_path):
    number = forging.facts_in(patient)[1]
    folder = laid_out(patient, tmp_path) / bundle_layout.folder(number)
    assert built_and_run(folder) == 0
    program = folder / c_witness.PROGRAM
    lines = program.read_text().splitlines()
    place = next(at for at, line in enumerate(lines) if "same(" in line and "risk" in line)
    lines[place] = lines[place].replace("UINT64_C(0x", "UINT64_C(0x7")
    program.write_text("\n".join(lines))
    assert built_and_run(folder) == 1


def test_where_c_cannot_tell_it_soid_is_asked_again(oven, tmp_path):
    number = forging.facts_in(oven)[1]
    folder = laid_out(oven, tmp_path) / bundle_layout.folder(number)
    assert not (folder / c_witness.PROGRAM).exists()
    namespace: dict[str, object] = {"__file__": str(folder / fact_files.TEST)}
    exec(compile((folder / fact_files.TEST).read_text(), "test", "exec"), namespace)
    test = namespace["test_the_answer_is_the_one_on_record"]
    assert callable(test)
    test()


@pytest.mark.parametrize("text", ["a */ int main", "a\n#include <x>", "why??/", "b\\"])
def test_no_text_ends_a_comment(text):
    written = c_witness.comment_text(text)
    assert written.isprintable()
    assert not any(each in written for each in ("*/", "\n", "\\", "?"))
