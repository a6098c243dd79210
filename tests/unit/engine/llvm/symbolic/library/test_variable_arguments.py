"""Functions with variable arguments on several targets: whatever passes the arguments, the same numbers arrive."""

from __future__ import annotations

from pathlib import Path

import pytest

from soid.budget import UNLIMITED, Cancellation
from soid.engine.llvm.c_source import CSource
from soid.engine.llvm.llvm_engine import LlvmEngine
from soid.engine.llvm.variables.discovery import discover
from soid.engine.protocol import Exploration
from soid.formula.build import TRUE
from soid.formula.checker import Possible

PROGRAM = """
#include <stdarg.h>
struct pair { long one, other; };
struct large { int first; double second; char text[20]; };
static int many(struct pair named, double more, ...)
{
    va_list list, again;
    va_start(list, more);
    int sum = (int)named.other;
    for (int i = 0; i < 12; i++)
        sum = sum * 3 % 10007 + va_arg(list, int) + (int)va_arg(list, double);
    va_copy(again, list);
    sum = sum * 3 % 10007 + (int)(va_arg(list, long long) / 1000000000) + *va_arg(list, const char *);
    struct large copied = va_arg(list, struct large);
    sum = sum * 3 % 10007 + copied.first + (int)copied.second + copied.text[3] + va_arg(list, int);
    va_end(list);
    sum = sum * 3 % 10007 + (int)(va_arg(again, long long) / 1000000000);
    va_end(again);
    return sum;
}
int decide(int x)
{
    struct pair named = { 1, 2 };
    struct large given = { x, 7.5, "abcdef" };
    return many(named, 1.0, x, 1.0, 2, 2.0, 3, 3.0, 4, 4.0, 5, 5.0, 6, 6.0, 7, 7.0, 8, 8.0, 9, 9.0, 10, 10.0, 11, 11.0,
                x, 12.0, 123456789012LL, "text", given, x);
}
"""


def expected(x: int) -> int:
    total = 2
    for number, real in zip((x, *range(2, 12), x), range(1, 13), strict=True):
        total = total * 3 % 10007 + number + real
    total = total * 3 % 10007 + 123 + ord("t")
    total = total * 3 % 10007 + x + 7 + ord("d") + x
    return total * 3 % 10007 + 123


@pytest.mark.parametrize(
    "target",
    [
        "x86_64-linux-gnu",
        "x86_64-windows-gnu",
        "x86-linux-gnu",
        "aarch64-linux-gnu",
        "arm-linux-gnueabihf",
        "riscv32-linux-musl",
    ],
)
def test_the_same_numbers_arrive(target: str, tmp_path: Path) -> None:
    (tmp_path / "program.c").write_text(PROGRAM)
    found = discover(CSource((Path("program.c"),), "decide", target=target), tmp_path)
    given = Exploration({"x": 5}, TRUE, lambda _: Possible({}), UNLIMITED.started(), Cancellation())
    summary = LlvmEngine(found.interface, found.loaded).explore(given)
    assert summary.is_explored, summary.paths
    assert summary.run({}).outputs["return"] == expected(5)
