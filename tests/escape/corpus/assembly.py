"""Assembly, which reads files and has every system call; also in what only one of the builds has."""

# ruff: noqa: E501  (a program of one line is easier to read than one that is cut)
from __future__ import annotations

from tests.escape.corpus.loader import LEFT
from tests.escape.trick import BUILDS, READY_MADE, SOURCES, Trace, Trick

_SECRET = (Trace.SECRET,)
_OPEN = (
    'static const char path[] = "@FILE@"; long done;\n'
    '    __asm__ volatile("syscall" : "=a"(done) : "a"(2L), "D"(path), "S"(0101L), "d"(0666L) : "rcx", "r11", "memory");\n'
)

TRICKS = (
    Trick(
        "incbin",
        "assembly",
        _SECRET,
        '__asm__(".section .rodata\\n.globl stolen\\nstolen: .incbin \\"@SECRET@\\"\\n.text\\n");\n',
    ),
    Trick("include", "assembly", _SECRET, '__asm__(".include \\"@SECRET@\\"\\n");\n'),
    Trick(
        "include of /etc/passwd", "assembly", _SECRET, '__asm__(".include \\"/etc/passwd\\"\\n");\n', variants=BUILDS
    ),
    Trick(
        "incbin inside of a function",
        "assembly",
        _SECRET,
        'void never(void) { __asm__ volatile(".pushsection .rodata\\n.incbin \\"@SECRET@\\"\\n.popsection"); }\n',
    ),
    Trick(
        "include inside of a function",
        "assembly",
        _SECRET,
        'void never(void) { __asm__ volatile(".include \\"@SECRET@\\""); }\n',
    ),
    Trick(
        "preinit_array by pushsection",
        "assembly",
        LEFT,
        '__asm__(".pushsection .preinit_array,\\"aw\\",@preinit_array\\n.quad go\\n.popsection\\n");\n'
        '#ifdef __cplusplus\nextern "C"\n#endif\nvoid go(void);\nvoid go(void) { leave(); }\n',
    ),
    Trick(
        "system call in a constructor",
        "assembly",
        (Trace.FILE,),
        f"__attribute__((constructor)) static void early(void) {{\n    {_OPEN}}}\n",
    ),
    Trick(
        "asm goto",
        "assembly",
        (Trace.FILE,),
        '__attribute__((constructor)) static void early(void) {\n    __asm__ goto("jmp %l0" :::: out);\n    return;\n'
        f"out: {{ {_OPEN}}} }}\n",
        variants=(*BUILDS, *READY_MADE),
    ),
    Trick(
        "naked function",
        "assembly",
        LEFT,
        "__attribute__((used)) void go(void) { leave(); }\n"
        '__attribute__((constructor, naked)) static void early(void) { __asm__("push %rax\\ncall go\\npop %rax\\nret"); }\n',
        variants=(*BUILDS, *READY_MADE),
    ),
    Trick(
        "symbol defined in assembly",
        "assembly",
        LEFT,
        '__asm__(".globl soid_call\\nsoid_call = go\\n");\nvoid go(void) { leave(); }\n',
        variants=BUILDS,
        control="the symbol is of soid's own harness: nothing calls it elsewhere",
    ),
    Trick(
        "quoted asm in a section attribute",
        "assembly",
        _SECRET,
        '__attribute__((used, section(".data,\\"aw\\"\\n.incbin \\"@SECRET@\\"\\n#"))) int x1 = 1;\n',
        variants=SOURCES,
        control="the integrated assembler takes it as a name",
    ),
    Trick(
        "asm label with a directive in it",
        "assembly",
        _SECRET,
        'int stolen __asm__("x\\n.incbin \\"@SECRET@\\"\\n");\nint stolen = 1;\n',
        variants=(*SOURCES, *READY_MADE),
        control="the integrated assembler takes it as a name",
    ),
    Trick(
        "module asm",
        "assembly",
        _SECRET,
        ir='\nmodule asm ".section .rodata"\nmodule asm ".globl stolen"\nmodule asm "stolen: .incbin \\22@SECRET@\\22"\n',
        variants=READY_MADE,
    ),
)
