"""Symbols that soid's harness, the C library or its start-up code use, defined by the program itself."""

from __future__ import annotations

from tests.escape.corpus.loader import LEFT
from tests.escape.trick import BUILDS, EVERYWHERE, Trick, Variant

_OURS = "the symbol is of soid's own harness: nothing calls it elsewhere"
_NEVER = "no start-up code of this C library calls it, or the linker refuses it"
_TWO = (Variant.PLAIN, Variant.TRAPPING)
_READY = (*BUILDS, Variant.TEXT, Variant.BITCODE)


def _trick(name: str, body: str, variants: tuple[Variant, ...] = _TWO, **more: object) -> Trick:
    return Trick(name, "symbols", LEFT, body, variants=variants, **more)  # type: ignore[arg-type]


TRICKS = (
    *(
        _trick(f"defines {name}", f"void {name}(void) {{ leave(); }}\n", control=_OURS)
        for name in (
            *("soid_start", "begin", "soid_call", "soid_globals", "soid_setup", "soid_pointers", "soid_numbers"),
            *("soid_begin_step", "soid_undefined", "soid_not_logged"),
        )
    ),
    *(
        _trick(f"defines {name}", f"void {name}(void) {{ leave(); }}\n", control=_NEVER)
        for name in ("_start", "_init", "_fini", "__libc_csu_init", "_dl_relocate_static_pie", "__stack_chk_fail")
    ),
    _trick(
        "defines __libc_start_main", "int __libc_start_main(void) { leave(); syscall(231, 0); return 0; }\n", _READY
    ),
    _trick("defines main", "int main(void) { leave(); return 0; }\n", control="the control's caller has one already"),
    *(
        _trick(f"defines {name}", f"{text} {{ leave(); return 0; }}\n", control=_NEVER)
        for name, text in (
            ("prctl", "int prctl(int option, ...)"),
            ("mmap", "void *mmap(void *a, unsigned long n, int p, int f, int d, long o)"),
            ("memcpy", "void *memcpy(void *to, const void *from, unsigned long n)"),
            ("memset", "void *memset(void *to, int byte, unsigned long n)"),
            ("malloc", "void *malloc(unsigned long n)"),
            ("__tls_get_addr", "void *__tls_get_addr(void *which)"),
        )
    ),
    _trick(
        "asm label soid_call", 'void evil(void) __asm__("soid_call");\nvoid evil(void) { leave(); }\n', control=_OURS
    ),
    _trick(
        "asm label soid_start", 'void evil(void) __asm__("soid_start");\nvoid evil(void) { leave(); }\n', control=_OURS
    ),
    _trick(
        "asm label __libc_start_main",
        'int evil(void) __asm__("__libc_start_main");\nint evil(void) { leave(); syscall(231, 0); return 0; }\n',
        EVERYWHERE,
    ),
    _trick(
        "asm label __assert_fail",
        'void evil(void) __asm__("__assert_fail@@GLIBC_2.2.5");\nvoid evil(void) { leave(); }\n',
        control=_NEVER,
    ),
    _trick("alias of soid_call", 'void soid_call(void **) __attribute__((alias("leave")));\n', control=_OURS),
    _trick("weak soid_start", "__attribute__((weak)) void soid_start(void) { leave(); }\n", control=_OURS),
    _trick(
        "weak __libc_start_main",
        "__attribute__((weak)) int __libc_start_main(void) { leave(); return 0; }\n",
        control=_NEVER,
    ),
    _trick(
        "common soid_regions",
        "void *soid_regions[4000];\nvoid unused(void) { leave(); }\n",
        flags=("-fcommon",),
        control=_OURS,
    ),
    _trick(
        "wrapped soid_call",
        "void __wrap_soid_call(void) { leave(); }\nvoid __real_soid_call(void) { leave(); }\n",
        control=_OURS,
    ),
    _trick("versioned open", "int open64(const char *p, int f, ...) { leave(); return -1; }\n", control=_NEVER),
)
