"""Programs for other processors are explored with their own sizes of int, long, double and pointers."""

from __future__ import annotations

import shutil
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


#: of which qemu runs programs, and how long a new machine needs to prepare for them: the first alone is always tried
EMULATED = [
    pytest.param("arm-linux-gnueabihf", "qemu-arm"),
    pytest.param("riscv32-linux-gnu", "qemu-riscv32", marks=pytest.mark.soak),
    pytest.param("riscv64-linux-gnu", "qemu-riscv64", marks=pytest.mark.soak),
    pytest.param("aarch64-linux-gnu", "qemu-aarch64", marks=pytest.mark.soak),
]
CONTROLLER = """
struct in { const long *p; char c; double level; long long ticks; };
struct out { float duty; _Bool on; short steps[3]; };
long sensor(void);
static long calls;
static long count(long by) { calls += by; return calls; }
int decide(const struct in *in, struct out *out, int x) {
    out->duty = (float)(in->level / 3.0) * (float)sensor();
    out->on = in->ticks / (x + 7) > in->c;
    for (int i = 0; i < 3; i++) out->steps[i] = (short)(in->p[1] * i + x % 3);
    return (int)(count(x) / sizeof(long)) + (int)sensor();
}
"""
LOG = (
    '{"x": 5, "in.p[0]": 1, "in.p[1]": -2, "in.c": 65, "in.level": 2.5, "in.ticks": 98765432109876,'
    ' "s[0]": 3, "s[1]": 40, "calls": 7}'
)


@pytest.mark.parametrize(("target", "emulator"), EMULATED)
def test_a_program_for_another_processor_runs_under_qemu(target: str, emulator: str, tmp_path: Path) -> None:
    if shutil.which(emulator) is None:
        pytest.skip(f"{emulator} is not installed")
    (tmp_path / "p.c").write_text(CONTROLLER)
    (tmp_path / "log.jsonl").write_text(LOG)
    (tmp_path / "soid.toml").write_text(
        f'[program]\nengine = "llvm"\nsources = ["p.c"]\nentry = "decide"\ntarget = "{target}"\n'
        '[trace]\nfile = "log.jsonl"\n[lengths]\n"in.p" = 2\ns = 2\n[inputs_from]\nsensor = "s"\n'
    )
    project = Project.open(tmp_path)
    questions = [
        "did return == 43 or return == 41",
        "might out.on == false if in.ticks is anything",
        "might out.duty < 0.0 if in.level is anything and x in {0..9}",
        "might out.steps[2] == 100 if in.p[1] is anything",
        "might calls' == 27 after 2 steps held if x is anything",
    ]
    for question in questions:
        answer = project.ask(question)
        assert answer.verdict.value == "yes" and answer.witness is not None, answer.reason
        assert f"under {emulator}" in answer.witness.replayed
    failed = project.ask("might fails if x == -7")
    assert failed.verdict.value == "yes"
