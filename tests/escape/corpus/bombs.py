"""Small files that take all the time, the memory or the stack of what reads them."""

# ruff: noqa: E501  (a program of one line is easier to read than one that is cut)
from __future__ import annotations

import os

from tests.escape.traces import Surroundings
from tests.escape.trick import ALL, BUNDLE, CPLUSPLUS, DECIDE, PLAIN, READY_MADE, STRANGERS, Trace, Trick, Variant, Way

_HANG = (Trace.HANG, Trace.MEMORY)
_CRASH = (Trace.CRASH,)
_STALLS = "it would stall the test, or take the machine's memory"
_OWN = "it is soid's own process that it would end or stall"
_EARLY = "__attribute__((constructor)) static void early(void) {{ {} }}\n"


def _trick(name: str, body: object = "", **more: object) -> Trick:
    given = {"leaves": _HANG, "variants": PLAIN, "ways": ALL, "control": _STALLS, **more}
    return Trick(name, "bombs", body=body, **given)  # type: ignore[arg-type]


def _macros() -> str:
    lines = ["#define A0 x,x,x,x,x,x,x,x,x,x"]
    lines += [f"#define A{n} {','.join([f'A{n - 1}'] * 10)}" for n in range(1, 12)]
    return "\n".join(lines) + "\nstatic int x;\nint *bomb[] = { A11 };\n".replace("x;", "xx;") + "\n"


def _deep(opening: str, closing: str, inside: str, count: int, before: str, after: str) -> str:
    return f"{before}{opening * count}{inside}{closing * count}{after}\n"


def _pipe(around: Surroundings, bundle: bytes) -> bytes:
    (around.project / "p.c").unlink()
    os.mkfifo(around.project / "p.c")
    return bundle


def _piped_log(around: Surroundings, bundle: bytes) -> bytes:
    (around.project / "log.jsonl").unlink()
    os.mkfifo(around.project / "log.jsonl")
    return bundle


def _many_lines() -> str:
    return "".join(f"int f{n}(int x) {{ return x * {n} + g{n % 7}; }}\n" for n in range(100_000)).replace(
        "int f0(", "int g0, g1, g2, g3, g4, g5, g6;\nint f0(", 1
    )


def _long_log() -> str:
    return "".join(f'{{"step": {n}, "x": {n % 97 + 4}}}\n' for n in range(3_000_000))


def _ir_deep(before: str, opening: str, inside: str, closing: str, after: str, count: int = 200_000) -> str:
    return before + opening * count + inside + closing * count + after + "\n"


TRICKS = (
    _trick("doubling macros", _macros),
    _trick("self-include", '#include "p.c"\n', decide='#include "p.c"\n#include "p.c"\n' + DECIDE),
    _trick("include that includes itself twice", '#include "q.h"\n', files={"q.h": '#include "q.h"\n#include "q.h"\n'}),
    _trick("include /dev/zero", '// /*\n#include "/dev/zero"\n// */\n', ways=STRANGERS),
    _trick("include /dev/stdin", '// /*\n#include "/dev/stdin"\n// */\n', ways=STRANGERS),
    _trick("include /dev/random", '// /*\n#include "/dev/urandom"\n// */\n', ways=STRANGERS),
    _trick("embed /dev/zero", '// /*\nconst char z[] = {\n#embed "/dev/zero"\n};\n// */\n', ways=STRANGERS),
    _trick("array of 20 GB", "char big[20000000000] = {1};\n"),
    _trick(
        "array of 20 GB that is read",
        "char big[20000000000];\n",
        decide="int decide(int x) { return big[x & 7] + x / (x - 3) > 0; }\n",
    ),
    _trick(
        "static array of 100 MB",
        "char big[100000000];\n",
        decide="int decide(int x) { return big[x & 7] + x / (x - 3) > 0; }\n",
    ),
    _trick(
        "initialised array of 100 MB",
        "int big[25000000] = {[0 ... 24999999] = 7};\n",
        decide="int decide(int x) { return big[x & 7] + x / (x - 3) > 0; }\n",
    ),
    _trick(
        "array on the stack",
        decide="int decide(int x) { char big[1000000000]; big[5] = x; return big[5] / (x - 3) > 0; }\n",
    ),
    _trick("100,000 functions", _many_lines),
    _trick("deep parentheses", lambda: _deep("(", ")", "1", 100_000, "int deep = ", ";"), flags=()),
    _trick("deep blocks", lambda: _deep("{", "}", ";", 100_000, "void deep(void) ", "")),
    _trick("deep types", lambda: _deep("(*", ")", "deep", 100_000, "int ", ";")),
    _trick("deep initializers", lambda: _deep("{", "}", "1", 100_000, "int deep = ", ";")),
    _trick("long chain of operators", lambda: f"int deep(int x) {{ return {'x + ' * 100_000}1; }}\n"),
    _trick("deep unary operators", lambda: f"int deep(int x) {{ return {'- ' * 200_000}x; }}\n"),
    _trick("deep ifs", lambda: f"int deep(int x) {{ {'if (x) ' * 100_000}return 1; return 0; }}\n"),
    _trick(
        "else-if chain",
        lambda: (
            "int deep(int x) { " + "".join(f"if (x == {n}) return {n}; else " for n in range(50_000)) + "return 0; }\n"
        ),
    ),
    _trick("identifier of 8 MB", lambda: f"int {'a' * (7 << 20)};\n"),
    _trick("string of 8 MB", lambda: f'const char *s = "{"a" * (7 << 20)}";\n'),
    _trick("line of 8 MB that is wrong", lambda: f"int x1 = {'@' * (7 << 20)};\n", ways=STRANGERS),
    _trick(
        "a zip that is called .c", lambda: os.urandom(1 << 20).replace(b"\r", b"\n").decode("latin-1"), ways=STRANGERS
    ),
    _trick(
        "switch of 300,000 cases",
        lambda: (
            "int deep(int x) { switch (x) { "
            + "".join(f"case {n}: return {n % 7};\n" for n in range(300_000))
            + "} return 0; }\n"
        ),
    ),
    _trick(
        "huge alignment",
        "_Alignas(1 << 28) char aligned[5];\n",
        decide="int decide(int x) { return aligned[x & 3] + x / (x - 3) > 0; }\n",
    ),
    _trick("counter in a million macros", lambda: "".join(f"#define M{n} __COUNTER__\n" for n in range(300_000))),
    _trick(
        "template recursion",
        "template <int N> struct Bomb { static constexpr int v = Bomb<N - 1>::v + Bomb<N - 2>::v + N; using t = Bomb<N-1>; };\n"
        "template <> struct Bomb<0> { static constexpr int v = 0; }; template <> struct Bomb<1> { static constexpr int v = 1; };\n"
        "int bomb = Bomb<1000>::v;\n",
        variants=CPLUSPLUS,
    ),
    _trick(
        "templates that double",
        "template <int N, int M> struct Bomb { Bomb<N - 1, 2 * M> a; Bomb<N - 1, 2 * M + 1> b; };\n"
        "template <int M> struct Bomb<0, M> { char c; };\nint bomb = sizeof(Bomb<24, 1>);\n",
        variants=CPLUSPLUS,
    ),
    _trick(
        "constexpr loop",
        "constexpr unsigned long spin(unsigned long n) { unsigned long s = 0; for (unsigned long i = 0; i < n; i++) s += i * s; return s; }\n"
        "template <int N> struct Spin { static constexpr unsigned long v = spin(80000 + N) + Spin<N - 1>::v; };\n"
        "template <> struct Spin<0> { static constexpr unsigned long v = 0; };\nunsigned long bomb = Spin<900>::v;\n",
        variants=CPLUSPLUS,
    ),
    _trick("pragma clang __debug crash", "#pragma clang __debug crash\n", leaves=_CRASH, control=_OWN),
    _trick(
        "pragma clang __debug overflow_stack", "#pragma clang __debug overflow_stack\n", leaves=_CRASH, control=_OWN
    ),
    _trick(
        "pragma clang __debug llvm_fatal_error", "#pragma clang __debug llvm_fatal_error\n", leaves=_CRASH, control=_OWN
    ),
    _trick("pipe as a source", ways=(Way.ASK,), prepare=_pipe),
    _trick("pipe as a log", ways=(Way.ASK,), prepare=_piped_log),
    _trick("log of 3,000,000 steps", files={"log.jsonl": _long_log}, ways=BUNDLE),
    _trick(
        "log of nested lists",
        files={"log.jsonl": lambda: '{"step": 0, "x": ' + "[" * 1_000_000 + "]" * 1_000_000 + "}\n"},
        leaves=(*_HANG, Trace.CRASH),
    ),
    _trick("log with a number of 5 MB", files={"log.jsonl": lambda: '{"step": 0, "x": ' + "9" * (5 << 20) + "}\n"}),
    _trick(
        "manifest of nested lists",
        tables="[variables]\nx = " + "[" * 20_000 + "]" * 20_000 + "\n",
        ways=(Way.VERIFY, Way.ASK),
        leaves=(*_HANG, Trace.CRASH),
    ),
    *(
        _trick(name, _EARLY.format(code), ways=ALL, variants=(Variant.PLAIN, Variant.TRAPPING))
        for name, code in (
            ("endless constructor", "for (volatile int i = 0;;) i++;"),
            (
                "constructor that takes all memory",
                "for (;;) { char *p = (char *)syscall(9, 0, 1L << 28, 3L, 0x22L, -1L, 0L); if ((long)p > 0) for (long i = 0; i < 1L << 28; i += 4096) p[i] = 1; }",
            ),
            ("constructor that writes for ever", 'for (;;) syscall(1, 1, "@MARK@@MARK@@MARK@", 40L);'),
            (
                "constructor that recurses",
                "volatile char room[1 << 16]; room[0] = 1; void (*volatile again)(void) = early; again(); room[1] = 2;",
            ),
            ("fork bomb", "for (;;) syscall(57);"),
            ("constructor that stops itself", "syscall(234, syscall(39), syscall(186), 19);"),
        )
    ),
    _trick("endless decide", decide="int decide(int x) { while (x > 3) { x = x % 5 + 4; } return x / (x - 3) > 0; }\n"),
    *(
        _trick(
            f"LLVM text: {name}",
            ir=text,
            variants=(Variant.TEXT,),
            ways=(Way.VERIFY, Way.ASK),
            leaves=(*_HANG, *_CRASH),
            control=_OWN,
        )
        for name, text in (
            ("deep types", _ir_deep("\n@deep = external global ", "[1 x ", "i8", "]", "")),
            ("deep structs", _ir_deep("\n%deep = type ", "{", "i8", "}", "")),
            ("deep metadata", _ir_deep("\n!99999 = ", "!{", "null", "}", "")),
            (
                "deep constants",
                _ir_deep("\n@deep = global i64 ", "add (i64 1, i64 ", "ptrtoint (ptr @decide to i64)", ")", ""),
            ),
            ("deep pointers", _ir_deep("\n@deep = global ptr ", "getelementptr (i8, ptr ", "@decide", ", i64 1)", "")),
            ("deep function types", _ir_deep("\n@deep = external global ", "void (", "", ")", "")),
            (
                "huge vector",
                "\ndefine void @huge() {\n  %a = alloca <1073741824 x i64>\n  %b = load <1073741824 x i64>, ptr %a\n  ret void\n}\n",
            ),
            (
                "huge integer",
                "\ndefine i8388607 @huge(i8388607 %x) {\n  %y = mul i8388607 %x, %x\n  %z = udiv i8388607 %y, 3\n  ret i8388607 %z\n}\n",
            ),
            ("huge array", "\n@huge = global [9223372036854775807 x i8] zeroinitializer\n"),
            ("number of a metadata node", "\n!4294967295 = !{}\n"),
            ("slot numbers", "\n@4294967290 = global i8 0\n"),
        )
    ),
)
_ = READY_MADE
