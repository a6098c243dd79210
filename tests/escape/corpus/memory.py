"""Machine code and broken memory inside of a replayed program."""

# ruff: noqa: E501  (a program of one line is easier to read than one that is cut)
from __future__ import annotations

from tests.escape.corpus.loader import LEFT
from tests.escape.trick import READY_MADE, Trace, Trick, Variant

_FILE = (Trace.FILE,)
_BOTH = (Variant.PLAIN, Variant.TRAPPING, *READY_MADE)


def _early(code: str) -> str:
    return f"__attribute__((constructor)) static void early(void) {{ {code} }}\n"


def _copied(code: str, how: str) -> str:
    """Machine code that is copied to memory that can be written and run."""
    return f"static const unsigned char code[] = {{ {code} }};\n" + _early(
        f"unsigned char *p = (unsigned char *)syscall(9, 0, 4096L, 7L, {how}L, -1L, 0L);"
        " for (unsigned i = 0; i < sizeof code; i++) p[64 + i] = code[i]; ((void (*)(void))(p + 64))();"
    )


TRICKS = (
    Trick("machine code in mapped memory", "memory", _FILE, _copied("@CODE@", "0x22"), variants=_BOTH),
    Trick(
        "int 0x80",
        "memory",
        _FILE,
        _copied("@CODE32@", "0x62"),
        variants=_BOTH,
        control="some kernels have no 32-bit calls",
    ),
    Trick(
        "x32 call",
        "memory",
        _FILE,
        _copied("@CODEX32@", "0x22"),
        variants=_BOTH,
        control="most kernels have no x32 calls",
    ),
    Trick(
        "machine code in .text",
        "memory",
        _FILE,
        '__attribute__((section(".text.code"))) static const unsigned char code[] = { @CODE@ };\n'
        + _early("((void (*)(void))code)();"),
        variants=_BOTH,
        control="this linker makes the section not executable",
    ),
    Trick(
        "machine code in .preinit_array's place",
        "memory",
        _FILE,
        '__attribute__((section(".text.code"))) extern const unsigned char code[]; const unsigned char code[] = { @CODE@ };\n'
        '#pragma clang section data=".preinit_array"\nvoid *pointer = (void *)code;\n',
        variants=(Variant.PLAIN, Variant.TRAPPING),
        control="this linker makes the section not executable",
    ),
    Trick(
        "machine code on the stack",
        "memory",
        _FILE,
        _early(
            "unsigned char code[] = { @CODE@ }; syscall(10, (long)code & -4096L, 8192L, 7L); ((void (*)(void))code)();"
        ),
        variants=_BOTH,
    ),
    Trick(
        "return address overwritten",
        "memory",
        LEFT,
        "__attribute__((noinline)) static void smash(void) { volatile unsigned long a[1]; "
        "for (volatile int i = 1; i < 6; i++) a[i] = (unsigned long)leave; }\n" + _early("smash();"),
        variants=(Variant.PLAIN, *READY_MADE),
    ),
    Trick(
        "longjmp to code",
        "memory",
        LEFT,
        "static char room[65536] __attribute__((aligned(16)));\n"
        + _early(
            "void *b[5]; b[0] = room + 32768; b[1] = (void *)leave; b[2] = room + 32776; __builtin_longjmp(b, 1);"
        ),
        variants=_BOTH,
    ),
    Trick(
        "forged status",
        "memory",
        (Trace.CONTROL,),
        # the pointer to the shared header lies near the harness's array of regions; the header is recognised by its
        # status, which is its token and a one; sigprocmask tells which addresses can be read
        "extern void *soid_regions[];\n"
        + _early(
            "unsigned long *w = (unsigned long *)soid_regions; for (int i = -512; i < 4600; i++) {"
            " if (syscall(14, 0, w + i, 0, 8L) != 0) continue; unsigned long v = w[i];"
            " if (!v || v & 4095 || syscall(14, 0, v, 0, 8L) != 0) continue; unsigned long *h = (unsigned long *)v;"
            " if ((h[0] ^ h[1]) != 1 || syscall(10, v, 4096L, 3L) != 0) continue;"
            " char *t = (char *)(h + 10); t[0] = 27; t[1] = '['; t[2] = '2'; t[3] = 'J'; t[4] = 0; h[2] = 1;"
            " h[1] = h[0] | 4; syscall(231, 0); }"
        ),
        variants=(Variant.TRAPPING,),
        control="there is no header outside of a replay",
    ),
    Trick(
        "vsyscall",
        "memory",
        LEFT,
        _early("((long (*)(long *))0xffffffffff600400)(0);") + "void unused(void) { leave(); }\n",
        variants=(Variant.PLAIN, Variant.TRAPPING),
        control="it tells the time, and nothing else",
    ),
    Trick(
        "control characters in an assertion",
        "memory",
        (Trace.CONTROL,),
        _early('__assert_fail("x", "\\033[2J\\342\\200\\256car.c", 1, "f");'),
        variants=(Variant.PLAIN, Variant.TRAPPING),
    ),
)
