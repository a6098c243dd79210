"""Poison as LLVM's language reference defines it: operations pass it on, and the program fails where it uses it."""

from __future__ import annotations

from pathlib import Path

import pytest

from soid.budget import UNLIMITED, Cancellation
from soid.engine.llvm.c_source import CSource
from soid.engine.llvm.llvm_engine import open_c
from soid.engine.protocol import Exploration
from soid.engine.summary import Decided, Failed, Unexplored
from soid.formula.build import TRUE
from soid.formula.checker import Possible

OVERFLOW = "signed overflow"

#: body of `i32 @decide(i32 %x, i32 %y)`; what becomes of x = 2147483647, y = 0, where %p = x + 1 is poison
CASES = {
    "unused": ("ret i32 %y", 0),
    "returned": ("ret i32 %p", OVERFLOW),
    "not chosen": ("%c = icmp eq i32 %y, 1\n %r = select i1 %c, i32 %p, i32 5\n ret i32 %r", 5),
    "chosen": ("%c = icmp eq i32 %y, 0\n %r = select i1 %c, i32 %p, i32 5\n ret i32 %r", OVERFLOW),
    "chooses": ("%c = icmp eq i32 %p, 0\n %r = select i1 %c, i32 1, i32 1\n ret i32 %r", OVERFLOW),
    "branches": ("%c = icmp eq i32 %p, 0\n br i1 %c, label %a, label %b\na:\n ret i32 1\nb:\n ret i32 1", OVERFLOW),
    "switches": ("switch i32 %p, label %a [ i32 3, label %b ]\na:\n ret i32 1\nb:\n ret i32 1", OVERFLOW),
    "divided by": ("%q = udiv i32 7, %p\n ret i32 0", OVERFLOW),
    "divided": ("%q = udiv i32 %p, 7\n ret i32 0", 0),
    "multiplied by 0": ("%r = mul i32 %p, 0\n ret i32 %r", OVERFLOW),
    "stored and left": ("store i32 %p, ptr @cell\n ret i32 0", 0),
    "stored and read": ("store i32 %p, ptr @cell\n %r = load i32, ptr @cell\n ret i32 %r", OVERFLOW),
    "one byte of it": (
        "store i32 %p, ptr @cell\n %b = load i8, ptr @cell\n %r = zext i8 %b to i32\n ret i32 %r",
        OVERFLOW,
    ),
    "overwritten": ("store i32 %p, ptr @cell\n store i32 4, ptr @cell\n %r = load i32, ptr @cell\n ret i32 %r", 4),
    "an address": ("%i = sext i32 %p to i64\n %a = getelementptr i8, ptr @cell, i64 %i\n ret i32 0", 0),
    "an address used": (
        "%i = sext i32 %p to i64\n %a = getelementptr i8, ptr @cell, i64 %i\n store i8 0, ptr %a\n ret i32 0",
        OVERFLOW,
    ),
    "handed on": ("%r = call i32 @first(i32 3, i32 %p)\n ret i32 %r", 3),
    "handed on and wanted": ("%r = call i32 @first(i32 3, i32 noundef %p)\n ret i32 %r", OVERFLOW),
    "handed on to what wants it": ("%r = call i32 @wanting(i32 %p, ptr @cell)\n ret i32 3", OVERFLOW),
    "a null pointer to what wants none": (
        "%r = call i32 @wanting(i32 3, ptr null)\n ret i32 %r",
        "null pointer where the compiler was promised none",
    ),
    "a number that the callee was promised smaller": (
        "%r = call i32 @small(i32 7)\n ret i32 %r",
        "number outside of the range that the compiler was promised",
    ),
    "a number that the callee was promised": ("%r = call i32 @small(i32 4)\n ret i32 %r", 4),
    "a result that the caller was promised smaller": (
        "%r = call range(i32 0, 3) i32 @first(i32 4, i32 0)\n ret i32 %r",
        "number outside of the range that the compiler was promised",
    ),
    "a result that the caller was promised set": ("%r = call noundef i32 @first(i32 %p, i32 0)\n ret i32 3", OVERFLOW),
    "frozen and masked out": ("%f = freeze i32 %p\n %r = and i32 %f, 0\n ret i32 %r", 0),
    "frozen and looked at": (
        "%f = freeze i32 %p\n %c = icmp eq i32 %f, 3\n br i1 %c, label %a, label %a\na:\n ret i32 1",
        None,
    ),
    "in a vector": (
        (
            "%v = insertelement <2 x i32> splat (i32 8), i32 %p, i8 0\n"
            " %r = extractelement <2 x i32> %v, i8 1\n ret i32 %r"
        ),
        8,
    ),
    "through a phi": ("br label %a\na:\n %r = phi i32 [ %p, %0 ]\n ret i32 %r", OVERFLOW),
    "assumed": ("%c = icmp eq i32 %p, 0\n call void @llvm.assume(i1 %c)\n ret i32 0", OVERFLOW),
    "a false assumption": (
        "%c = icmp eq i32 %y, 9\n call void @llvm.assume(i1 %c)\n ret i32 0",
        "what the compiler was told to take for granted does not hold",
    ),
    "outside and compared": (
        (
            "%a = getelementptr inbounds i8, ptr @cell, i64 9\n %c = icmp eq ptr %a, @cell\n"
            " br i1 %c, label %k, label %k\nk:\n ret i32 0"
        ),
        "out-of-bounds access",
    ),
    "outside and back": (
        (
            "%a = getelementptr i8, ptr @cell, i64 9\n %b = getelementptr i8, ptr %a, i64 -9\n"
            " store i32 6, ptr %b\n %r = load i32, ptr @cell\n ret i32 %r"
        ),
        6,
    ),
    "before its base": (
        "%a = getelementptr nuw i8, ptr @end, i64 -1\n %c = icmp eq ptr %a, @end\n %r = zext i1 %c to i32\n ret i32 %r",
        "address before its base where the compiler was promised none",
    ),
    "out of its range": (
        "store i32 %y, ptr @cell\n %r = load i32, ptr @cell, !range !0\n ret i32 %r",
        "number outside of the range that the compiler was promised",
    ),
    "undef chooses": ("%r = select i1 undef, i32 2, i32 2\n ret i32 %r", 2),
    "undef branches": ("br i1 undef, label %a, label %a\na:\n ret i32 1", "an uninitialised value decides a branch"),
    "fast": ("%f = sitofp i32 %y to float\n %g = fadd reassoc float %f, 1.0\n ret i32 0", None),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_becomes_of_poison(name: str, tmp_path: Path) -> None:
    body, expected = CASES[name]
    (tmp_path / "p.ll").write_text(
        'target triple = "x86_64-unknown-linux-gnu"\n@cell = internal global i32 0\n@end = internal global i32 0\n'
        "declare void @llvm.assume(i1)\ndefine i32 @first(i32 %a, i32 %b) {\n ret i32 %a\n}\n"
        "define i32 @wanting(i32 noundef %a, ptr noundef nonnull %b) {\n ret i32 4\n}\n"
        "define i32 @small(i32 range(i32 0, 5) %a) {\n ret i32 %a\n}\n"
        f"define i32 @decide(i32 %x, i32 %y) {{\n %p = add nsw i32 %x, 1\n {body}\n}}\n!0 = !{{i32 1, i32 9}}\n"
    )
    interface, engine = open_c(CSource((Path("p.ll"),), "decide"), tmp_path)
    given = {"parameter1": 2**31 - 1, "parameter2": 0}
    bits = {v.path: given[v.path] for v in interface.inputs}
    exploration = Exploration(bits, TRUE, lambda _: Possible({}), UNLIMITED.started(), Cancellation())
    run = engine.explore(exploration).run({})
    ending = run.path.ending
    if expected is None:
        assert isinstance(ending, Unexplored), str(ending)
    elif isinstance(expected, str):
        assert isinstance(ending, Failed) and ending.kind == expected, str(ending)
    else:
        assert isinstance(ending, Decided), str(ending)
        assert run.outputs["return"] == expected
