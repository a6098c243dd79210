"""What only LLVM text and bitcode can say."""

# ruff: noqa: E501  (a program of one line is easier to read than one that is cut)
from __future__ import annotations

import random
from functools import partial

from tests.escape.corpus.loader import LEFT
from tests.escape.trick import READY_MADE, Trace, Trick, Variant, Way

_GO = "void go(void) { leave(); }\n"
_CTORS = "\n@llvm.global_ctors = appending global [1 x {{ i32, ptr, ptr }}] [{{ i32, ptr, ptr }} {{ i32 {0}, ptr @{1}, ptr null }}]\n"
_WAYS = (Way.VERIFY, Way.ASK)
_CODE_GENERATOR = "only the code generator of some builds puts the call in"


def _trick(name: str, ir: str, **more: object) -> Trick:
    given = {"leaves": LEFT, "body": _GO, "variants": READY_MADE, "ways": _WAYS, **more}
    return Trick(name, "ready-made", ir=ir, **given)  # type: ignore[arg-type]


def mutated(seed: int) -> bytes:
    """Bitcode of a small program, with some bits turned."""
    from llvmlite import binding

    text = "define i32 @decide(i32 %x) {\n  %a = icmp sgt i32 %x, 3\n  %b = zext i1 %a to i32\n  ret i32 %b\n}\n"
    chance, data = random.Random(seed), bytearray(binding.parse_assembly(text).as_bitcode())
    for _ in range(chance.randint(1, 4)):
        data[chance.randrange(8, len(data))] ^= 1 << chance.randrange(8)
    return bytes(data)


def _early(attributes: str, body: str = "ret void") -> str:
    return f"\ndefine void @early() {attributes} {{\n  {body}\n}}\n" + _CTORS.format(65535, "early")


TRICKS = (
    *(_trick(f"global_ctors of priority {n}", _CTORS.format(n, "go")) for n in (0, 1, 100, 65535, 4294967295)),
    _trick("global_dtors", _CTORS.format(65535, "go").replace("ctors", "dtors")),
    *(
        _trick(
            f"llvm.used in {section}",
            f'\n@p = global ptr @go, section "{section}"\n@llvm.used = appending global [1 x ptr] [ptr @p], section "llvm.metadata"\n',
        )
        for section in (".preinit_array", ".init_array", ".fini_array")
    ),
    *(
        _trick(
            f"section spelled {word}",
            f'\n@p = global ptr @go, section "{section}"\n@llvm.used = appending global [1 x ptr] [ptr @p], section "llvm.metadata"\n',
            control=control,
        )
        for word, section, control in (
            ("with an escape", ".\\70reinit_array", "run"),
            ("with a priority", ".preinit_array.1", "the linker takes the plain name only"),
        )
    ),
    _trick(
        "section of a group of attributes",
        '\n@p = global ptr @go #99\n@llvm.used = appending global [1 x ptr] [ptr @p], section "llvm.metadata"\n'
        'attributes #99 = { "data-section"=".preinit_array" "bss-section"=".preinit_array" "relro-section"=".preinit_array" }\n',
    ),
    _trick(
        "implicit section by an attribute of a function",
        '\ndefine void @early() "implicit-section-name"=".init" {\n  call void @go()\n  ret void\n}\n',
        control="no start-up code of this compiler calls it",
    ),
    _trick(
        "ifunc",
        "\ndefine internal ptr @resolve() {\n  call void @go()\n  ret ptr @go\n}\n"
        "@picked = ifunc void (), ptr @resolve\n@kept = global ptr @picked\n",
    ),
    _trick(
        "ifunc behind an alias",
        "\ndefine internal ptr @resolve() {\n  call void @go()\n  ret ptr @go\n}\n"
        "@picked = ifunc void (), ptr @resolve\n@other = alias void (), ptr @picked\n@kept = global ptr @other\n",
        control="LLVM refuses it",
    ),
    _trick("alias of __libc_start_main", "\n@__libc_start_main = alias void (), ptr @go\n"),
    _trick("alias of soid_call", "\n@soid_call = alias void (), ptr @go\n", control="nothing else calls it"),
    _trick(
        "module asm in .preinit_array",
        '\nmodule asm ".pushsection .preinit_array,\\22aw\\22,@preinit_array"\nmodule asm ".quad go"\nmodule asm ".popsection"\n',
    ),
    _trick(
        "callbr to assembly",
        '\ndefine void @early() {\n  callbr void asm sideeffect "call go", ""() to label %a []\na:\n  ret void\n}\n'
        + _CTORS.format(65535, "early"),
    ),
    _trick("prologue data", _early('prologue [@COUNT@ x i8] c"@CODEIR@"'), leaves=(Trace.FILE,), body=""),
    _trick(
        "prefix data",
        _early('prefix [@COUNT@ x i8] c"@CODEIR@"'),
        leaves=(Trace.FILE,),
        body="",
        control="prefix data is not run",
    ),
    _trick(
        "probe-stack attribute",
        _early('"probe-stack"="go"', "%a = alloca [100000 x i8]\n  store volatile i8 1, ptr %a\n  ret void"),
    ),
    _trick("instrument-function-entry attribute", _early('"instrument-function-entry"="go"'), control=_CODE_GENERATOR),
    _trick(
        "instrument-function-entry-inlined attribute",
        _early('"instrument-function-entry-inlined"="mcount"') + "\n@mcount = alias void (), ptr @go\n",
        control=_CODE_GENERATOR,
    ),
    _trick("fentry-call attribute", _early('"fentry-call"="true"') + "\n@__fentry__ = alias void (), ptr @go\n"),
    _trick(
        "indirect thunk",
        _early('"indirect-branch-tracking"', "%p = load ptr, ptr @kept\n  call void %p()\n  ret void")
        + "\n@kept = global ptr @go\n",
    ),
    _trick("personality", _early("personality ptr @go"), control="nothing is thrown"),
    _trick("garbage collector", _early('gc "statepoint-example"'), control="no code of the program's is called"),
    _trick(
        "appending to the linker's own arrays",
        "\n@__preinit_array_start = global ptr @go\n@__init_array_start = global ptr @go\n@__init_array_end = global ptr null\n",
        control="the symbols are soid's harness's and the linker's",
    ),
    *(
        Trick(
            f"bitcode with turned bits, {seed}",
            "ready-made",
            (Trace.CRASH,),
            files={"p.bc": partial(mutated, seed)},
            variants=(Variant.BITCODE,),
            ways=_WAYS,
            control="read",
        )
        for seed in (15, 21, 22, 40, 43, 85)
    ),
    Trick(
        "bitcode cut short",
        "ready-made",
        (Trace.CRASH,),
        files={"p.bc": lambda: mutated(0)[:700]},
        variants=(Variant.BITCODE,),
        ways=_WAYS,
        control="LLVM says so in words",
    ),
)
