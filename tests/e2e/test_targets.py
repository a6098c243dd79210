"""Programs for other processors are explored with their own sizes of int, long, double and pointers."""

from __future__ import annotations

from pathlib import Path

import pytest

from soid import Project

PROGRAM = """
struct in { int *p; char c; int *q; long b; };
int sizes(int x) {
    return x + (int)(sizeof(int) + 10 * sizeof(long) + 100 * sizeof(double) + 1000 * sizeof(void *));
}
int wraps(unsigned x) { return (unsigned)(x + 1) == 0; }
int members(const struct in *in, int x) { return *in->p + in->c * 10 + *in->q * 100 + (int)in->b * 1000 + x; }
int scan(int x) {
    int a[4] = {1, 2, 3, 4}, s = x;
    for (const int *p = a; p != a + 4; p++) s += *p * (int)(p - a + 1);
    return s;
}
"""
#: bytes of int, long, double and a pointer
SIZES = {
    "x86_64-linux-gnu": (4, 8, 8, 8),
    "x86-linux-gnu": (4, 4, 8, 4),
    "aarch64-linux-gnu": (4, 8, 8, 8),
    "arm-linux-gnueabihf": (4, 4, 8, 4),
    "thumb-freestanding-eabi": (4, 4, 8, 4),
    "riscv32-linux-gnu": (4, 4, 8, 4),
    "riscv64-linux-gnu": (4, 8, 8, 8),
    "avr-freestanding-none": (2, 4, 4, 2),
}


def _verdict(folder: Path, target: str, entry: str, log: str, question: str) -> str:
    (folder / "p.c").write_text(PROGRAM)
    (folder / "log.jsonl").write_text(log)
    (folder / "soid.toml").write_text(
        f'[program]\nengine = "llvm"\nsources = ["p.c"]\nentry = "{entry}"\ntarget = "{target}"\n'
        '[trace]\nfile = "log.jsonl"\n'
    )
    return Project.open(folder, step=0).ask(question).verdict.value


@pytest.mark.parametrize("target", SIZES)
def test_numbers_have_the_sizes_of_the_target(target: str, tmp_path: Path) -> None:
    int_, long_, double, pointer = SIZES[target]
    expected = int_ + 10 * long_ + 100 * double + 1000 * pointer
    assert _verdict(tmp_path, target, "sizes", '{"x": 0}', f"did return == {expected}") == "yes"
    greatest = 256**int_ - 1
    wrapped = f"might return == 1 if x in {{{greatest - 3}..{greatest}}}"
    assert _verdict(tmp_path, target, "wraps", '{"x": 0}', wrapped) == "yes"
    assert _verdict(tmp_path, target, "wraps", '{"x": 0}', f"might return == 1 if x < {greatest}") == "no"


@pytest.mark.parametrize("target", SIZES)
def test_pointers_lie_where_the_target_has_them(target: str, tmp_path: Path) -> None:
    log = '{"x": 5, "*in.p": 1, "in.c": 2, "*in.q": 3, "in.b": 4}'
    assert _verdict(tmp_path, target, "members", log, "did return == 4326") == "yes"
    assert _verdict(tmp_path, target, "members", log, "might return == 4327 if in.c is anything and x == 6") == "yes"
    assert _verdict(tmp_path, target, "scan", '{"x": 1}', "did return == 31") == "yes"
