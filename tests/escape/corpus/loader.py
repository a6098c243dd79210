"""Code that runs before the entry is called, or would direct the loader to it."""

# ruff: noqa: E501  (a program of one line is easier to read than one that is cut)
from __future__ import annotations

from tests.escape.trick import BUILDS, CPLUSPLUS, EVERYWHERE, Trace, Trick, Variant

LEFT = (Trace.FILE, Trace.TCP, Trace.UNIX, Trace.SIGNAL, Trace.PROCESS)
_POINTER = "void (*soid_pointer)(void) = leave;\n"
_CONSTANT = "extern void (*const soid_pointer)(void); void (*const soid_pointer)(void) = leave;\n"
_SOURCES = (*BUILDS, Variant.CPLUSPLUS)
_RELOCATED = "a constant pointer is relocated, so it lies in relro and not in rodata"
_NO_CALLER = "no start-up code of this compiler calls it"
_MISLEADS = "the section only misleads the linker or the loader: what comes of it differs from machine to machine"


def _trick(name: str, body: str, variants: tuple[Variant, ...] = EVERYWHERE, **more: object) -> Trick:
    return Trick(name, "loader", LEFT, body, variants=variants, **more)  # type: ignore[arg-type]


def _constructor(attribute: str) -> str:
    return f"__attribute__(({attribute})) static void early(void) {{ leave(); }}\n"


TRICKS = (
    _trick("constructor", _constructor("constructor")),
    _trick("constructor 0", _constructor("constructor(0)")),
    _trick("constructor 65535", _constructor("constructor(65535)")),
    _trick("destructor", _constructor("destructor")),
    *(
        _trick(
            f"pragma section {kind} {section}",
            f'#pragma clang section {kind}="{section}"\n{pointer}',
            _SOURCES,
            control=_RELOCATED if kind == "rodata" else "run",
        )
        for section in (".preinit_array", ".init_array")
        for kind, pointer in (("data", _POINTER), ("relro", _CONSTANT), ("rodata", _CONSTANT))
    ),
    _trick(
        "pragma section bss .preinit_array",
        '#pragma clang section bss=".preinit_array"\nvoid (*soid_pointer)(void);\nstatic void unused(void) { leave(); }\n',
        _SOURCES,
        control="what lies there is zero: nothing is called, and nothing is left",
    ),
    _trick(
        "pragma section text .init",
        '#pragma clang section text=".init"\nvoid early(void) { leave(); }\n#pragma clang section text=""\n',
        _SOURCES,
        control=_NO_CALLER,
    ),
    *(
        _trick(f"section {section}", f'__attribute__((used, section("{section}"))) {_POINTER}')
        for section in (".preinit_array", ".init_array", ".init_array.00001", ".fini_array")
    ),
    *(
        _trick(
            f"section {section}",
            f'__attribute__((used, section("{section}"))) {_POINTER}',
            BUILDS,
            control="no start-up code of this C library runs it",
        )
        for section in (".ctors", ".dtors")
    ),
    *(
        _trick(
            f"section {section}",
            f'__attribute__((used, section("{section}"))) void early(void) {{ leave(); }}\n',
            control=_NO_CALLER,
        )
        for section in (".init", ".fini")
    ),
    *(
        _trick(
            f"section {section}", f'__attribute__((used, section("{section}"))) {_POINTER}', BUILDS, control=_MISLEADS
        )
        for section in (
            *(".dynamic", ".got", ".got.plt", ".plt", ".data.rel.ro", ".rela.dyn", ".rela.plt", ".dynsym"),
            *(".note.GNU-stack", ".note.gnu.property", ".tm_clone_table", ".eh_frame", ".gnu.version", ".tdata"),
        )
    ),
    _trick(
        "section .interp",
        '__attribute__((used, section(".interp"))) const char other[] = "@DROP@/loader";\nvoid unused(void) { leave(); }\n',
        BUILDS,
        control="the loader that it names would have to lie on the verifier's machine",
    ),
    _trick(
        "ifunc resolver",
        "static int other(int x) { return x; }\n"
        "__attribute__((used)) static int (*pick(void))(int) { leave(); return other; }\n"
        'int picked(int) __attribute__((ifunc("pick")));\n__attribute__((used, retain)) int (*kept)(int) = picked;\n',
        (*BUILDS, Variant.TEXT, Variant.BITCODE),
    ),
    _trick(
        "target_clones with its own __cpu_indicator_init",
        "int __cpu_indicator_init(void) { leave(); return 0; }\n"
        "struct { unsigned words[4]; } __cpu_model;\nunsigned __cpu_features2[8];\n"
        '__attribute__((target_clones("avx2", "default"))) int work(int x) { return x + 1; }\n'
        "__attribute__((used, retain)) int (*kept)(int) = work;\n",
        (*BUILDS, Variant.TEXT, Variant.BITCODE),
    ),
    _trick(
        "cpu_dispatch with its own __cpu_indicator_init",
        "int __cpu_indicator_init(void) { leave(); return 0; }\n"
        "struct { unsigned words[4]; } __cpu_model;\nunsigned __cpu_features2[8];\n"
        "__attribute__((cpu_specific(generic))) int work(int x) { return x + 1; }\n"
        "__attribute__((cpu_specific(ivybridge))) int work(int x) { return x + 2; }\n"
        "__attribute__((cpu_dispatch(generic, ivybridge))) int work(int x);\n__attribute__((used, retain)) int kept(int x) { return work(x); }\n",
        (*BUILDS, Variant.TEXT, Variant.BITCODE),
    ),
    _trick("static object", "struct Early { Early() { leave(); } };\nstatic Early early;\n", CPLUSPLUS),
    _trick(
        "static object of the first priority",
        "struct Early { Early() { leave(); } };\n__attribute__((init_priority(101))) Early early;\n",
        CPLUSPLUS,
    ),
    _trick(
        "static destructor",
        "struct Late { ~Late() { leave(); } };\nLate late;\n",
        CPLUSPLUS,
        flags=("-fno-exceptions",),  # no C++ runtime is linked
    ),
    Trick(
        "thread_local object",
        "loader",
        LEFT,
        "struct Early { int n; Early() { leave(); n = 0; } ~Early() { leave(); } };\nthread_local Early early;\n"
        'extern "C" int __cxa_thread_atexit(void (*f)(void *), void *o, void *) { f(o); return 0; }\n',
        decide="int decide(int x) { return early.n + x / (x - 3) > 0; }\n",
        variants=CPLUSPLUS,
        flags=("-fno-exceptions",),
    ),
)
