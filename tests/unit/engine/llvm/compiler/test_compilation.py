"""Compiling: the user's flags honoured or refused, the compiler's words passed on, results kept by content."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from soid.cache import cache_folder
from soid.engine.llvm.compiler import compilation as compiling
from soid.engine.llvm.compiler.build_cache import CachedOutput, CompilerOutput, ContentCache
from soid.engine.llvm.compiler.compilation import Build, Variant, compile_ir, compile_native
from soid.engine.llvm.compiler.compiler_flags import check_flags
from soid.engine.llvm.compiler.module_linker import canonical_text
from soid.engine.llvm.compiler.toolchain import Toolchain, find_toolchain
from soid.engine.llvm.ir.instructions import FAST_MATH
from soid.engine.llvm.ir.operands import ConstInt, GlobalRef
from soid.engine.llvm.reader.module_reader import read_module
from soid.errors import CompileError, EnvironmentalError, ProgramError

REFUSED = [
    "-ffast-math", "-ffp-contract=fast", "-ffp-contract=on", "-Ofast", "-funsafe-math-optimizations",
    "-ffinite-math-only", "-fno-signed-zeros", "-freciprocal-math", "-fassociative-math", "-fapprox-func",
    "-ffp-model=fast", "-frounding-math", "-mdaz-ftz", "-O4", "-Onone", "-fsanitize=address",
    "-fno-sanitize=all", "-march=native", "-target", "--target=arm", "-m32", "-o", "-c", "-S", "-MD", "-Xclang",
    "-mllvm", "-flto", "-fopenmp", "@file", "-x", "-lfoo", "-ffp-model=precise", "-Llib", "-save-temps", "-mno-sse2",
]  # fmt: skip
ACCEPTED = [
    "-O0", "-O", "-O1", "-O2", "-O3", "-Os", "-Oz", "-Og",
    "-ffp-contract=off", "-std=c99", "-Wall", "-Wextra", "-fwrapv", "-funsigned-char", "-fshort-enums",
    "-Iinc", "-DX=1", "-UX", "-g", "-w", "-pedantic", "-isystem", "sys", "-include", "config.h",
    "-fno-strict-aliasing", "-march=x86-64-v2", "-fno-builtin", "-nostdinc", "-lm",
]  # fmt: skip


@pytest.mark.parametrize("flag", REFUSED)
def test_flags_that_would_change_the_meaning_are_refused_by_name(flag: str) -> None:
    with pytest.raises(CompileError) as caught:
        check_flags(("-Wall", flag))
    assert flag in caught.value.cause and caught.value.remedy


def _build(root: Path, text: str, *flags: str, **more: tuple[str, ...]) -> Build:
    (root / "p.c").write_text(text)
    return Build((Path("p.c"),), flags=flags, root=root, **more)  # type: ignore[arg-type]  # only strings are given


@pytest.mark.parametrize("flag", ACCEPTED)
def test_ordinary_flags_are_passed_on(flag: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    passed: list[list[str]] = []

    def compile_(self: Toolchain, flags: list[str], folder: Path) -> str:
        passed.append(flags)
        raise CompileError("seen enough", "")

    monkeypatch.setattr(Toolchain, "compile", compile_)
    with pytest.raises(CompileError, match="seen enough"):
        compile_ir(_build(tmp_path, "int f(int a) { return a; }", flag, defines=(f"OF={tmp_path.name}",)))
    assert flag in passed[0]


def test_accepted_flags_are_honoured(tmp_path: Path) -> None:
    text = "int f(int a) { return a + 1; } char c = -1; int wide = X;"
    module = read_module(compile_ir(_build(tmp_path, text, "-fwrapv", defines=("X=7",))).text)
    assert all(not getattr(i, "flags", None) for i in module.function("f").blocks[0].instructions)
    initializer = module.globals["wide"].initializer
    assert isinstance(initializer, ConstInt) and initializer.value == 7


def test_floats_are_neither_contracted_nor_reordered(tmp_path: Path) -> None:
    module = read_module(compile_ir(_build(tmp_path, "double f(double a, double b) { return a * b + a; }")).text)
    instructions = module.function("f").blocks[0].instructions
    assert {"fmul", "fadd"} <= {getattr(i, "op", None) for i in instructions}
    assert not any(FAST_MATH & getattr(i, "flags", frozenset()) for i in instructions)


def test_no_pass_has_run(tmp_path: Path) -> None:
    text = "static inline __attribute__((always_inline)) int g(int a) { return a / 0; } int f(int a) { return g(a); }"
    module = read_module(compile_ir(_build(tmp_path, text)).text)
    assert any(getattr(i, "callee", None) == GlobalRef("g") for i in module.function("f").blocks[0].instructions)
    assert "optnone" not in module.function("f").attributes


def test_the_compilers_words_reach_the_user(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match=r"p\.c:1:20: error: use of undeclared identifier 'oops'") as caught:
        compile_ir(_build(tmp_path, "int f(void){return oops;}"))
    assert caught.value.exit_code == 24
    warned = compile_ir(_build(tmp_path, "int f(int a){ if (a = 1) return 2; return 3; }"))
    assert "p.c:1:21: warning: using the result of an assignment" in warned.words
    assert compile_ir(_build(tmp_path, "int f(int a){ if (a = 1) return 2; return 3; }")).words == warned.words


def test_what_cannot_be_compiled_is_said(tmp_path: Path) -> None:
    for sources, words in (
        ((), "nothing to compile"),
        ((Path("no.c"),), "no file no.c"),
        ((Path("a.cpp"),), "no file a.cpp"),
    ):
        with pytest.raises(CompileError, match=words):
            compile_ir(Build(sources, root=tmp_path))
    with pytest.raises(EnvironmentalError, match="no-such-clang"):
        compile_ir(Build(_build(tmp_path, "int x;").sources, root=tmp_path, clang="no-such-clang"))


@pytest.fixture
def count(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """One entry for every time that something is really compiled."""
    made: list[str] = []
    fetch = ContentCache.fetch

    def watched(
        self: ContentCache, key: str, suffix: str, search: Sequence[Path], make: Callable[[], CompilerOutput]
    ) -> CachedOutput:
        def making() -> CompilerOutput:
            made.append(suffix)
            return make()

        return fetch(self, key, suffix, search, making)

    monkeypatch.setattr(ContentCache, "fetch", watched)
    return made


def test_unchanged_programs_come_from_the_cache(tmp_path: Path, count: list[str]) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "h.h").write_text("#define K 1\n")
    build = Build(
        _build(tmp_path, '#include "h.h"\nint k = K; int again;').sources, include=(Path("inc"),), root=tmp_path
    )
    first = compile_ir(build)
    assert compile_ir(build) == first and count == ["ll"]
    assert first.files == ("p.c", "inc/h.h")

    (tmp_path / "inc" / "h.h").write_text("#define K 2\n")  # a header changes
    assert "@k = global i32 2" in compile_ir(build).text and len(count) == 2
    (tmp_path / "h.h").write_text("#define K 3\n")  # another one is now found first
    assert "@k = global i32 3" in compile_ir(build).text and len(count) == 3
    (tmp_path / "p.c").write_text('#include "h.h"\nint k = K + 1; int again;')  # the source changes
    assert "@k = global i32 4" in compile_ir(build).text and len(count) == 4
    (tmp_path / "h.h").unlink()  # back to the first header
    assert "@k = global i32 3" in compile_ir(build).text and len(count) == 5


def test_what_a_compiler_elsewhere_has_made_is_not_taken_for_ones_own(
    tmp_path: Path, count: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # two environments, one version: the other's result names headers that are none of this compiler's own
    build = _build(tmp_path, "#include <stddef.h>\nsize_t elsewhere;")
    compile_ir(build)
    mine = find_toolchain()
    (tmp_path / "zig").symlink_to(mine.command[0])
    monkeypatch.setattr(compiling, "find_toolchain", lambda _: replace(mine, command=(str(tmp_path / "zig"), "cc")))
    compile_ir(build)
    assert count == ["ll"] * 2


def test_a_damaged_cache_is_no_obstacle(tmp_path: Path, count: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOID_CACHE", str(tmp_path / "cache"))
    build = _build(tmp_path, "int damaged = 5;")
    compile_ir(build)
    (record,) = (cache_folder() / "compile").glob("*.json")
    record.write_text("{")
    assert "@damaged" in compile_ir(build).text
    for result in (cache_folder() / "compile").glob("*.ll"):
        result.unlink()
    assert "@damaged" in compile_ir(build).text and len(count) == 3
    assert not list((cache_folder() / "compile").glob(".*"))


def test_programs_that_differ_in_a_header_alone_do_not_take_each_others_place(tmp_path: Path) -> None:
    builds = []
    for number in (1, 2):
        root = tmp_path / str(number)
        root.mkdir()
        (root / "table.h").write_text(f"#define ANSWER {number}\n")
        (root / "program.c").write_text('#include "table.h"\nint answer(void) { return ANSWER; }\n')
        builds.append(Build((Path("program.c"),), root=root))
    paths = [compile_native(build) for build in builds]
    assert [ctypes.CDLL(str(path)).answer() for path in paths] == [1, 2]
    assert [compile_native(build) for build in builds] == paths
    assert ["ret i32 1" in compile_ir(build).text for build in builds] == [True, False]


def test_what_embed_brings_is_listed_by_its_place_in_the_project(tmp_path: Path) -> None:
    """Otherwise a case would not hold it."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data/table.bin").write_bytes(b"abc")
    build = _build(tmp_path, 'const unsigned char table[] = {\n#embed "data/table.bin"\n};')
    assert "data/table.bin" in compile_ir(build).files


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOID_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    assert cache_folder() == Path("/x/soid")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/me")
    assert cache_folder() == Path("/home/me/.cache/soid")


def test_hidden_settings_do_not_reach_the_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "s.h").write_text("int s;")
    monkeypatch.setenv("CPATH", str(tmp_path / "secret"))
    with pytest.raises(CompileError, match=r"p\.c:1 includes s\.h, which is in none of the folders"):
        compile_ir(_build(tmp_path, "#include <s.h>"))


def test_several_files_are_one_module(tmp_path: Path) -> None:
    (tmp_path / "t.h").write_text("struct s { int a; double b; }; int g(struct s *);")
    (tmp_path / "a.c").write_text('#include "t.h"\nstatic int n = 1; int f(struct s *p) { return g(p) + n++; }')
    (tmp_path / "b.c").write_text('#include "t.h"\nstatic int n = 2; int g(struct s *p) { return p->a + n++; }')
    module = read_module(compile_ir(Build((Path("a.c"), Path("b.c")), root=tmp_path)).text)
    assert list(module.structs) == ["struct.s"]
    assert module.function("f").defined and module.function("g").defined
    assert {name.split(".")[0] for name in module.globals} == {"n"} and len(module.globals) == 2
    assert [str(module.function(name).loc) for name in "fg"] == ["a.c:2", "b.c:2"]


def test_two_definitions_are_refused(tmp_path: Path) -> None:
    for name in ("a.c", "b.c"):
        (tmp_path / name).write_text("int f(void) { return 1; }")
    with pytest.raises(ProgramError, match="symbol multiply defined"):
        compile_ir(Build((Path("a.c"), Path("b.c")), root=tmp_path))


def test_ready_made_ir_is_read(tmp_path: Path) -> None:
    (tmp_path / "m.ll").write_text("define i32 @f() { ret i32 1 }")
    (tmp_path / "n.c").write_text("int f(void); int g(void) { return f(); }")
    module = read_module(compile_ir(Build((Path("m.ll"), Path("n.c")), root=tmp_path)).text)
    assert module.function("f").defined and module.function("g").defined


def test_no_paths_of_this_machine_in_the_module(tmp_path: Path) -> None:
    text = compile_ir(_build(tmp_path, "#include <assert.h>\nvoid f(int a) { assert(a); }")).text
    assert str(tmp_path) not in text and str(Path.cwd()) not in text


NATIVE = """
#include <math.h>
double root(double x) { return sqrt(x) + pow(x, 2); }
int plus(int a) { return a + 2147483647; }
int divide(int a) { return 5 / a; }
int shift(int a) { return 1 << (a + 32); }
int convert(int a) { return (int)(a + 1e20); }
int index(int a) { int x[4] = {1, 2, 3, 4}; return x[a + 4]; }
extern int sensor(void);
int ask(int a) { return sensor() + a; }
"""
TRAPS = {"plus": 1, "divide": 0, "shift": 0, "convert": 0, "index": 0}


def _ends(path: Path, name: str, argument: int) -> int:
    """The signal that ends a call in a child process, 0 if none does."""
    child = os.fork()
    if child == 0:
        faulthandler.disable()  # the signal is what the test is about
        getattr(ctypes.CDLL(str(path)), name)(argument)
        os._exit(0)
    return os.WTERMSIG(os.waitpid(child, 0)[1])


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_native_code_runs_and_traps(tmp_path: Path, count: list[str]) -> None:
    alone = _build(tmp_path, NATIVE)
    (tmp_path / "sensor.c").write_text("int sensor(void) { return 40; }")
    build = replace(alone, sources=(*alone.sources, Path("sensor.c")))
    plain = compile_native(build)
    library = ctypes.CDLL(str(plain))
    library.root.restype, library.root.argtypes = ctypes.c_double, [ctypes.c_double]
    assert library.root(9.0) == 84.0 and library.ask(2) == 42
    trapping = compile_native(build, Variant.TRAPPING)
    assert {name: _ends(trapping, name, argument) for name, argument in TRAPS.items()} == dict.fromkeys(
        TRAPS, signal.SIGILL
    )
    assert _ends(trapping, "plus", 0) == _ends(trapping, "divide", 1) == _ends(plain, "plus", 1) == 0
    assert compile_native(build) == plain != trapping and len(count) == 2


def test_undefined_functions_stay_undefined(tmp_path: Path) -> None:
    assert compile_native(_build(tmp_path, "extern int sensor(void); int f(void) { return sensor(); }")).is_file()


MALFORMED = [
    "nonsense",
    "define i32 @f() {\n  ret i32 1\n",
    "define i32 @f() {\n  frobnicate i32 1\n}\n",
    "define i32 @f() {\n  %x = add i32 1\n}\n",
    "define i32 @f() {\n  %x = add i32 1, oops\n  ret i32 %x\n}\n",
    "define i32 @f() {\n  %x = load i32, ptr %p\n  ret i32 %x\n}\n",
    "define i32 @f() {\n  br label %nowhere\n}\n",
    "define i32 @f() {\n  %x = add i32 1, 2\n}\n",
    "define i32 @f() {\n  ret i32 1, !dbg !7\n}\n",
    "define i32 @f() {\n  ret %undefined undef\n}\n",
    "define i32 @f() {\n  %x = extractvalue { i32 } undef, 3\n  ret i32 %x\n}\n",
    "define i32 @f(i32 %x",
    "define",
    "declare i32",
    "@g",
    "@g = global",
    "@g = global i32 1.5",
    "@g = global float nonsense",
    "@g = global [2 x i8] [i8 1",
    "@g = oops i32 1",
    "%s = type { %s }\n@g = global %s zeroinitializer",
    "%s = type i32\n@g = global %s zeroinitializer",
    "@g = global [" * 5000,
    "attributes #x = { nounwind }",
    'target datalayout = "e-i64"',
    "target datalayout = e",
    "!0 = garbage\n!llvm.ident = !{!0}",
    "!llvm.ident = !{!5}",
]


@pytest.mark.parametrize("text", MALFORMED)
def test_malformed_text_is_a_clean_error(text: str) -> None:
    with pytest.raises(ProgramError) as caught:
        read_module(text)
    assert caught.value.cause


@pytest.mark.parametrize("data", [b"nonsense", b"\xff\xfe", b"BC\xc0\xde nonsense", b"define i32 @f() { ret i8 1 }"])
def test_llvms_own_refusals_are_clean_errors(data: bytes) -> None:
    with pytest.raises(ProgramError):
        canonical_text([data])


def test_a_missing_llvm_is_reported_where_it_is_needed_not_where_it_is_loaded_ahead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cried: list[str] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: cried.append(str(args.exc_value)))
    monkeypatch.setitem(sys.modules, "llvmlite", None)
    monkeypatch.setitem(sys.modules, "llvmlite.binding", None)
    with pytest.raises(ImportError):
        compile_ir(_build(tmp_path, "int f(int a) { return a; }"))
    assert cried == []


_LEFT_ALONE = """
import os, threading, time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from soid.engine.llvm.compiler.compilation import side_by_side

begun, other = threading.Event(), ThreadPoolExecutor(1)

def make(piece):
    os.write(1, b".")
    begun.set()
    with suppress(RuntimeError):
        while other.submit(int).result() == 0:  # until the process ends: from then on no pool takes anything
            time.sleep(0.01)

threading.Thread(target=side_by_side, args=(make, range(50 * os.cpu_count())), daemon=True).start()
begun.wait()
"""


def test_files_that_are_not_waited_for_any_more_are_not_compiled_before_the_process_ends() -> None:
    ended = subprocess.run([sys.executable, "-c", _LEFT_ALONE], capture_output=True, text=True, check=False)
    assert 1 <= len(ended.stdout) <= (os.cpu_count() or 1)


@pytest.mark.parametrize("suffix", [".c", ".i", ".cc", ".cp", ".cpp", ".cxx", ".c++", ".C", ".CPP", ".ii"])
def test_a_source_may_have_any_ending_that_compilers_know(suffix: str, tmp_path: Path) -> None:
    (tmp_path / f"rule{suffix}").write_text(
        '# 1 "rule.h"\nextern int given;\n# 1 "rule"\nint decide(int x) { return x; }\n'
    )
    mangled = suffix not in (".c", ".i")
    assert (
        f"@{'_Z6decidei' if mangled else 'decide'}(" in compile_ir(Build((Path(f"rule{suffix}"),), root=tmp_path)).text
    )
