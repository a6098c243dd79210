"""Programs that mean harm: none of them harms the machine, and none is taken for having answered."""

from __future__ import annotations

import platform
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from soid.allowance import allowed
from soid.budget import Cancellation
from soid.engine.llvm.compiler.compilation import Build
from soid.engine.llvm.loaded_program import load
from soid.engine.llvm.native.native_replayer import NativeReplayer
from soid.engine.llvm.native.replay_process import ReplayLimits
from soid.engine.replay import Crashed, NotAvailable, Replay, Returned, TimedOut, Trapped
from soid.errors import CalledOff, TimeLimitError
from tests.unit.engine.llvm.natives import LIMITS, interface, replayer

INCLUDES = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
"""
FORBIDDEN = Crashed(signal.SIGSYS)
CHOOSE = 'static void *choose(void) { return 0; } int pick(void) __attribute__((ifunc("choose"))); '
EARLY = """
static void early(void) { }
#pragma clang section relro=".preinit_array"
static void (*const first)(void) __attribute__((used)) = early;
#pragma clang section relro=""
"""


def attempt(folder: Path, body: str, before: str = "", limits: ReplayLimits | None = None) -> Replay:
    source = f"{INCLUDES}{before}\nint decide(int a) {{ {body}\nreturn a; }}"
    return replayer(folder, source, limits=limits or LIMITS).replay({"a": 1})


_ATTEMPTS = [
    "a = socket(AF_INET, SOCK_STREAM, 0);",
    "a = socket(AF_UNIX, SOCK_DGRAM, 0);",
    'a = open("/etc/passwd", O_RDONLY);',
    'FILE *f = fopen("/etc/hostname", "r"); if (f) a = fgetc(f);',
    "a = fork();",
    "for (;;) fork();",
    'a = execl("/bin/sh", "sh", "-c", "true", (char *)0);',
    'a = system("true");',
    "a = kill(getppid(), SIGTERM);",
    "a = kill(1, 0);",
    "a = (int)syscall(SYS_tgkill, getppid(), getppid(), SIGTERM);",
    "a = (int)ptrace(PTRACE_TRACEME, 0, 0, 0);",
    "a = prctl(PR_SET_DUMPABLE, 1);",
    "a = (int)syscall(SYS_memfd_create, 0, 0);",
    "a = dup(0);",
    'a = chdir("/tmp");',
    "a = (int)syscall(SYS_clone, 0x10000, 0, 0, 0, 0);",
    "a = (int)syscall(0x40000000 + 1, 1, 0, 0);",
]


@pytest.fixture(scope="module")
def attempts(tmp_path_factory: pytest.TempPathFactory) -> NativeReplayer:
    """One program with all attempts, of which `a` chooses one."""
    cases = "\n".join(f"case {number}: {{ {body} break; }}" for number, body in enumerate(_ATTEMPTS))
    source = f"{INCLUDES}\nint decide(int a) {{ switch (a) {{ {cases} }} return a; }}"
    return replayer(tmp_path_factory.mktemp("attempts"), source)


@pytest.mark.parametrize("number", range(len(_ATTEMPTS)), ids=_ATTEMPTS)
def test_what_is_forbidden_ends_the_run(attempts: NativeReplayer, number: int) -> None:
    assert attempts.replay({"a": len(_ATTEMPTS)}) == Returned({"return": len(_ATTEMPTS)})
    assert attempts.replay({"a": number}) == FORBIDDEN


def test_nothing_is_written_outside(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    body = f'int fd = open("{mark}", O_CREAT | O_WRONLY, 0600); write(fd, "x", 1); close(fd);'
    assert attempt(tmp_path, body) == FORBIDDEN
    assert not mark.exists()


def test_the_shared_file_cannot_be_named(tmp_path: Path) -> None:
    """Its descriptor is gone, and what is written to standard streams goes nowhere."""
    body = """
    for (int fd = 0; fd < 64; fd++) {
        if (mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED) return 100 + fd;
        if (fd > 2 && write(fd, "x", 1) == 1) return 200 + fd;
    }"""
    replayed = attempt(tmp_path, body)
    assert replayed == Returned({"return": 1})


def test_threads_are_forbidden(tmp_path: Path) -> None:
    before = "static void *work(void *x) { return x; }"
    assert attempt(tmp_path, "pthread_t t; a = pthread_create(&t, 0, work, 0);", before) == FORBIDDEN


def test_a_program_that_never_ends_is_ended(tmp_path: Path) -> None:
    assert attempt(tmp_path, "for (;;) a++;", limits=ReplayLimits(seconds=0.5)) == TimedOut(0.5)


def test_a_program_that_sleeps_or_ignores_signals_is_ended(tmp_path: Path) -> None:
    before = "static void ignore(int s) { (void)s; }"
    body = "for (int s = 1; s < 32; s++) signal(s, ignore); for (;;) a++;"
    assert attempt(tmp_path, body, before, ReplayLimits(seconds=0.5)) == TimedOut(0.5)


def test_memory_is_limited(tmp_path: Path) -> None:
    """What goes beyond it is refused, as malloc may always do."""
    body = """
    for (a = 0; a < 100; a++) { char *p = malloc(1u << 30); if (!p) break; memset(p, 1, 1u << 30); }"""
    replayed = attempt(tmp_path, body)
    assert replayed == Returned({"return": 0})
    body = "char *p = malloc((size_t)100 << 30); if (!p) return -1; memset(p, 1, (size_t)100 << 30);"
    assert attempt(tmp_path, body) == Returned({"return": 0xFFFFFFFF})


def test_endless_recursion_crashes(tmp_path: Path) -> None:
    before = "static int deep(volatile int x) { return x == 7 ? 0 : deep(x) + 1; }"
    assert attempt(tmp_path, "a = deep(a);", before) == Crashed(signal.SIGSEGV)


@pytest.mark.parametrize("body", ["exit(0);", "_exit(0);", "exit(3);", "_Exit(0);", "quick_exit(0);"])
def test_leaving_is_no_answer(tmp_path: Path, body: str) -> None:
    assert attempt(tmp_path, body) == Trapped("exit")


def test_leaving_in_a_constructor_is_no_answer(tmp_path: Path) -> None:
    before = "__attribute__((constructor)) static void leave(void) { _exit(0); }"
    assert attempt(tmp_path, "", before) == Trapped("exit")


def test_constructors_are_confined(tmp_path: Path) -> None:
    before = '__attribute__((constructor)) static void look(void) { open("/etc/passwd", O_RDONLY); }'
    assert attempt(tmp_path, "", before) == FORBIDDEN


@pytest.mark.parametrize(
    ("body", "number"),
    [
        ("raise(SIGKILL);", signal.SIGKILL),
        ("abort();", signal.SIGABRT),
        ("raise(SIGTERM);", signal.SIGTERM),
        ("*(volatile int *)8 = a;", signal.SIGSEGV),
    ],
)
def test_signals_are_told(tmp_path: Path, body: str, number: int) -> None:
    assert attempt(tmp_path, body) == Crashed(number)


def test_output_goes_nowhere(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    body = (
        'for (int i = 0; i < 100000; i++) { printf("noise %d\\n", i); fprintf(stderr, "more\\n"); } write(1, "x", 1);'
    )
    assert attempt(tmp_path, body) == Returned({"return": 1})
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("body", ["memset(p - 4096, 1, 8192);", "memset(p, 0, 1 << 20);", "p[4] = 1;", "p[-5000] = 1;"])
def test_memory_around_the_inputs_is_fenced(tmp_path: Path, body: str) -> None:
    source = f"#include <string.h>\nint decide(unsigned char *p) {{ {body} return 2; }}"
    program = replayer(tmp_path, source, lengths={"p": 4})
    assert program.replay({f"p[{i}]": i for i in range(4)}) == Crashed(signal.SIGSEGV)


def test_a_program_that_overwrites_all_it_finds_gives_no_answer(tmp_path: Path) -> None:
    """All globals, the harness's among them, and the stack that it returns to."""
    source = """
    #include <string.h>
    static int first = 1; extern char end;
    int decide(int a) {
        for (char *p = (char *)&first; p < &end; p++) *p = 0x5a;
        memset((char *)__builtin_frame_address(0) - 64, 0x5a, 1024);
        return a;
    }"""
    assert not isinstance(replayer(tmp_path, source, decisions=["first"]).replay({"a": 1}), Returned)


@pytest.mark.parametrize("name", ["prctl", "memcpy", "mmap", "seccomp", "syscall", "sigaction", "exit", "getpid"])
def test_functions_of_the_program_do_not_stand_in_for_the_harness_own(tmp_path: Path, name: str) -> None:
    source = f"""
    long {name}(long a, long b, long c) {{ return 0; }}
    long socket(int, int, int);
    int decide(int a) {{ return a == 2 ? (int)socket(2, 1, 0) : a; }}"""
    program = replayer(tmp_path, source, flags=["-w"])
    assert program.replay({"a": 2}) == FORBIDDEN
    assert program.replay({"a": 1}) == Returned({"return": 1})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('const char path[] __attribute__((section(".interp"))) = "/bin/true";', "loader"),
        (f"{CHOOSE}int (*const named)(void) = pick;", "found by running its code"),
        (f'#include <stdio.h>\n{CHOOSE}int used(void) {{ puts(""); return pick(); }}', "found by running its code"),
        (f'#include <stdio.h>\nvoid used(void) {{ puts(""); }}\n{EARLY}', "functions that the loader runs"),
    ],
)
def test_what_could_run_before_the_harness_is_not_replayed(tmp_path: Path, text: str, why: str) -> None:
    replayed = replayer(tmp_path, f"{text}\nint decide(int a) {{ return a; }}").replay({"a": 1})
    assert isinstance(replayed, NotAvailable) and why in replayed.reason


@pytest.mark.parametrize(
    "text", ['__asm__(".globl hidden\\nhidden: ret");', 'void quiet(void) { __asm__("nop"); }', EARLY]
)
def test_what_runs_confined_is_replayed(tmp_path: Path, text: str) -> None:
    assert replayer(tmp_path, f"{text}\nint decide(int a) {{ return a; }}").replay({"a": 1}) == Returned({"return": 1})


def _descriptors() -> list[Path]:
    return sorted(Path("/proc/self/fd").iterdir())


def _children() -> str:
    """The children of this process, zombies included; other tests may have running ones."""
    return " ".join(sorted(file.read_text() for file in Path("/proc/self/task").glob("*/children")))


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    """Neither processes nor descriptors."""
    program = replayer(
        tmp_path, "int decide(int a) { for (;;) { if (a) return a; } }", limits=ReplayLimits(seconds=0.2)
    )
    program.replay({"a": 1})
    before = _descriptors(), _children()
    for value in (1, 0, 1):
        program.replay({"a": value})
    assert (_descriptors(), _children()) == before


def test_a_replay_ends_with_the_work_that_it_belongs_to(tmp_path: Path) -> None:
    """Then nothing is known of the program, not even that it takes long."""
    program = replayer(tmp_path, "int decide(int a) { for (;;) { if (a) return a; } }")
    program.replay({"a": 1})
    before = _children()
    with allowed(seconds=0.2), pytest.raises(TimeLimitError, match="running the compiled program did not end"):
        program.replay({"a": 0})
    stop = Cancellation()
    threading.Timer(0.2, stop.cancel).start()
    with allowed(cancel=stop), pytest.raises(CalledOff):
        program.replay({"a": 0})
    assert _children() == before


def test_replays_may_run_side_by_side(tmp_path: Path) -> None:
    program = replayer(tmp_path, "static int n; int decide(int a) { n += a; return n; }")
    found: dict[int, Replay] = {}

    def work(value: int) -> None:
        found[value] = program.replay({"a": value, "n": 1000})

    threads = [threading.Thread(target=work, args=(value,)) for value in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {value: Returned({"n'": 1000 + value, "return": 1000 + value}) for value in range(8)}


_WITHOUT_FILTERS = """
import ctypes, struct, sys
from pathlib import Path
from tests.unit.engine.llvm.natives import LIMITS, interface, replayer

def instruction(code, jt, jf, k):
    return struct.pack("<HBBI", code, jt, jf, k)

LOAD, EQUAL, RETURN, DENY, ALLOW = 0x20, 0x15, 0x06, 0x00050001, 0x7FFF0000
rules = b"".join([
    instruction(LOAD, 0, 0, 0), instruction(EQUAL, 0, 1, 317), instruction(RETURN, 0, 0, DENY),
    instruction(RETURN, 0, 0, ALLOW),
])
buffer = ctypes.create_string_buffer(rules)
program = struct.pack("<HxxxxxxQ", 4, ctypes.addressof(buffer))
libc = ctypes.CDLL(None, use_errno=True)
made = replayer(Path(sys.argv[1]), "int decide(int a) { return a + 1; }")
made.replay({"a": 1})
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program, 0, 0) == 0
print(made.replay({"a": 1}))
made.unconfined = True
print(made.replay({"a": 1}))
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers of system calls are x86's")
def test_where_the_kernel_gives_no_filter_nothing_runs_unless_asked_for(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _WITHOUT_FILTERS, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[5])
    refused, ran = done.stdout.splitlines()
    assert refused == "is not replayed: this machine cannot confine it, and it may not run unconfined"
    assert ran == "returns"


_UNDER_QEMU = """
static long call(long number, long a, long b, long c) {
    register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
    return x0;
}
int decide(int a) {
    switch (a) {
    case 1: return (int)call(56, -100, (long)"/etc/passwd", 0) >= 0; /* openat */
    case 2: return (int)call(198, 2, 1, 0) >= 0; /* socket */
    case 3: return (int)call(220, 17, 0, 0) >= 0; /* clone */
    case 4: return (int)call(129, 1, 0, 0) >= 0; /* kill */
    case 5: return (int)call(221, (long)"/bin/true", 0, 0) >= 0; /* execve */
    default: return 2;
    }
}
"""


@pytest.mark.skipif(shutil.which("qemu-aarch64") is None, reason="qemu-aarch64 is not installed")
def test_an_emulated_program_is_confined_too(tmp_path: Path) -> None:
    """The emulator carries out its system calls, and is confined itself."""
    (tmp_path / "p.c").write_text(_UNDER_QEMU)
    loaded = load(Build((Path("p.c"),), root=tmp_path, target="aarch64-linux-gnu"), "decide")
    program = NativeReplayer(loaded, interface(loaded), limits=LIMITS)
    assert program.replay({"a": 0}) == Returned({"return": 2})
    for attempted in range(1, 6):
        replayed = program.replay({"a": attempted})
        assert isinstance(replayed, Crashed) or replayed == Returned({"return": 0}), attempted
