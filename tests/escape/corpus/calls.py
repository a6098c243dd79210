"""System calls that a replayed program tries, each by itself, in a constructor."""

# ruff: noqa: E501  (a program of one line is easier to read than one that is cut)
from __future__ import annotations

from tests.escape.trick import Trace, Trick, Variant

_F = '"@FILE@"'
#: name, trace, statements; `tell` says the word where the call worked and shows nowhere else
_CALLS: tuple[tuple[str, Trace, str], ...] = (
    ("open", Trace.FILE, f"syscall(2, {_F}, 0101, 0666);"),
    ("openat", Trace.FILE, "leave_file();"),
    ("creat", Trace.FILE, f"syscall(85, {_F}, 0666);"),
    ("openat2", Trace.FILE, f"long how[3] = {{0101, 0666, 0}}; syscall(437, -100, {_F}, how, 24L);"),
    ("mkdir", Trace.FILE, f"syscall(83, {_F}, 0777);"),
    ("mkdirat", Trace.FILE, f"syscall(258, -100, {_F}, 0777);"),
    ("symlink", Trace.FILE, f'syscall(88, "/etc/passwd", {_F});'),
    ("symlinkat", Trace.FILE, f'syscall(266, "/etc/passwd", -100, {_F});'),
    ("link", Trace.FILE, f'syscall(86, "@SECRET@", {_F});'),
    ("rename", Trace.FILE, f'syscall(82, "@SECRET@", {_F});'),
    ("mknod", Trace.FILE, f"syscall(133, {_F}, 0100666, 0);"),
    ("mknod of a pipe", Trace.FILE, f"syscall(133, {_F}, 0010666, 0);"),
    (
        "bind a socket",
        Trace.FILE,
        f"struct soid_path a = {{1, {_F}}}; long s = syscall(41, 1, 1, 0); syscall(49, s, &a, (long)sizeof a);",
    ),
    ("connect", Trace.TCP, "leave_tcp();"),
    (
        "sendto with fast open",
        Trace.TCP,
        'struct soid_address a = {2, @PORT@, 0x0100007f, {0}}; long s = syscall(41, 2, 1, 0); if (syscall(44, s, "x", 1L, 0x20000000, &a, 16L) < 0) syscall(42, s, &a, 16L);',
    ),
    ("connect to a UNIX socket", Trace.UNIX, "leave_unix();"),
    (
        "fork and execve",
        Trace.PROCESS,
        'const char *w[] = {"@MARK@", "30", 0}; long t[2] = {1, 0}; if (syscall(57) == 0) { syscall(59, "/bin/sleep", w, w + 2); syscall(231, 1); } syscall(35, t, 0);',
    ),
    (
        "vfork",
        Trace.PROCESS,
        'const char *w[] = {"@MARK@", "30", 0}; if (syscall(56, 0x4000 | 17, 0, 0, 0, 0) == 0) { syscall(59, "/bin/sleep", w, w + 2); syscall(231, 1); }',
    ),
    (
        "clone",
        Trace.PROCESS,
        'const char *w[] = {"@MARK@", "30", 0}; if (syscall(56, 17, 0, 0, 0, 0) == 0) { syscall(59, "/bin/sleep", w, w + 2); syscall(231, 1); }',
    ),
    (
        "clone3",
        Trace.PROCESS,
        'const char *w[] = {"@MARK@", "30", 0}; long a[11] = {0, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0}; if (syscall(435, a, 88L) == 0) { syscall(59, "/bin/sleep", w, w + 2); syscall(231, 1); }',
    ),
    ("execve", Trace.FILE, f'const char *w[] = {{"/bin/mkdir", {_F}, 0}}; syscall(59, "/bin/mkdir", w, w + 2);'),
    (
        "execveat",
        Trace.FILE,
        f'const char *w[] = {{"/bin/mkdir", {_F}, 0}}; syscall(322, -100, "/bin/mkdir", w, w + 2, 0);',
    ),
    ("kill", Trace.SIGNAL, "leave_signal();"),
    ("kill everyone of the group", Trace.SIGNAL, "if (syscall(62, @BYSTANDER@, 0) == 0) syscall(62, @BYSTANDER@, 9);"),
    ("tkill", Trace.SIGNAL, "syscall(200, @BYSTANDER@, 10);"),
    ("tgkill", Trace.SIGNAL, "syscall(234, @BYSTANDER@, @BYSTANDER@, 10);"),
    ("rt_sigqueueinfo", Trace.SIGNAL, "int i[32] = {10, 0, -1}; syscall(129, @BYSTANDER@, 10, i);"),
    ("pidfd_send_signal", Trace.SIGNAL, "long f = syscall(434, @BYSTANDER@, 0); syscall(424, f, 10, 0, 0);"),
    ("ptrace", Trace.SIGNAL, "if (syscall(101, 16, @BYSTANDER@, 0, 0) == 0) syscall(62, @BYSTANDER@, 9);"),
    (
        "prlimit of another process",
        Trace.WORD,
        "long l[2] = {1000, 1000}; if (syscall(302, @BYSTANDER@, 7, l, 0) == 0) tell();",
    ),
    ("setpriority of another process", Trace.WORD, "if (syscall(141, 0, @BYSTANDER@, 5) == 0) tell();"),
    (
        "sched_setaffinity of another process",
        Trace.WORD,
        "long m = 1; if (syscall(203, @BYSTANDER@, 8L, &m) == 0) tell();",
    ),
    (
        "process_vm_readv",
        Trace.WORD,
        "char b[8]; long to[2] = {(long)b, 8}, from[2] = {0x400000, 8}; long n = syscall(310, @BYSTANDER@, to, 1L, from, 1L, 0L); if (n >= 0 || syscall(312, @BYSTANDER@, @BYSTANDER@, 0, 0, 0) >= 0) tell();",
    ),
    (
        "read /proc of another process",
        Trace.WORD,
        'long f = syscall(2, "/proc/@BYSTANDER@/cmdline", 0, 0); char b[8]; if (f >= 0 && syscall(0, f, b, 8L) > 0) tell();',
    ),
    (
        "read a secret",
        Trace.WORD,
        'long f = syscall(2, "@SECRET@", 0, 0); char b[8]; if (f >= 0 && syscall(0, f, b, 8L) > 0) tell();',
    ),
    (
        "read /etc/passwd",
        Trace.WORD,
        'long f = syscall(2, "/etc/passwd", 0, 0); char b[8]; if (f >= 0 && syscall(0, f, b, 8L) > 0) tell();',
    ),
    ("stat a secret", Trace.WORD, 'char b[256]; if (syscall(4, "@SECRET@", b) == 0) tell();'),
    ("access a secret", Trace.WORD, 'if (syscall(21, "@SECRET@", 0) == 0) tell();'),
    ("memfd_create", Trace.WORD, 'if (syscall(319, "x", 0) >= 0) tell();'),
    ("io_uring_setup", Trace.WORD, "char p[256] = {0}; if (syscall(425, 4, p) >= 0) tell();"),
    ("prctl", Trace.WORD, 'if (syscall(157, 15, "other", 0, 0, 0) == 0) tell();'),
    ("unshare", Trace.WORD, "if (syscall(272, 0x10000000) == 0) tell();"),
    ("add_key", Trace.WORD, 'if (syscall(248, "user", "soid", "x", 1L, -2) > 0) tell();'),
    ("keyctl", Trace.WORD, "if (syscall(250, 0, -3, 1) > 0) tell();"),
    ("bpf", Trace.WORD, "int a[32] = {2, 4, 4, 1}; if (syscall(321, 0, a, 72L) >= 0) tell();"),
    (
        "perf_event_open",
        Trace.WORD,
        "long a[16] = {1L | (112L << 32), 0}; if (syscall(298, a, 0, -1, -1, 0) >= 0) tell();",
    ),
    ("userfaultfd", Trace.WORD, "if (syscall(323, 1) >= 0) tell();"),
    ("inotify", Trace.WORD, "if (syscall(294, 0) >= 0) tell();"),
    ("socketpair", Trace.WORD, "int p[2]; if (syscall(53, 1, 1, 0, p) == 0) tell();"),
    ("netlink", Trace.WORD, "if (syscall(41, 16, 3, 0) >= 0) tell();"),
    ("shared memory", Trace.WORD, "if (syscall(29, 0, 4096L, 0600) >= 0) tell();"),
    ("message queue", Trace.WORD, "if (syscall(68, 0, 0600) >= 0) tell();"),
    ("chdir", Trace.WORD, 'if (syscall(80, "/tmp") == 0) tell();'),
    ("mount", Trace.WORD, 'syscall(272, 0x10020000); if (syscall(165, "none", "/tmp", "tmpfs", 0, 0) == 0) tell();'),
    ("setuid", Trace.WORD, "if (syscall(105, 65534) == 0) tell();"),
    ("personality", Trace.WORD, "if (syscall(135, 0x0040000) >= 0) tell();"),
    ("landlock", Trace.WORD, "if (syscall(444, 0, 0, 1) >= 0) tell();"),
    ("seccomp", Trace.WORD, "if (syscall(317, 2, 0, &syscall) == 0 || syscall(317, 0, 0, 0) == 0) tell();"),
)
#: what natively needs a right that a test may lack, or a kernel that has it
_DEPENDS = {
    "io_uring_setup": "some kernels switch it off",
    "bpf": "needs a right that a test may lack",
    "perf_event_open": "needs a right that a test may lack",
    "userfaultfd": "needs a right that a test may lack",
    "keyctl": "some kernels have no keys",
    "add_key": "some kernels have no keys",
    "unshare": "some machines forbid it",
    "mount": "it would change the machine of the test",
    "ptrace": "the control has no right to it on some machines",
    "landlock": "some kernels do not have it",
    "shared memory": "some kernels do not have it",
    "message queue": "some kernels do not have it",
    "seccomp": "the second form ends the program",
    "sendto with fast open": "some machines switch it off",
    "clone3": "some kernels do not have it",
    "setuid": "needs root",
    "process_vm_readv": "needs a right that a test may lack",
}

TRICKS = tuple(
    Trick(
        name,
        "calls",
        (trace,),
        f"__attribute__((constructor)) static void early(void) {{ {code} }}\n",
        variants=(Variant.PLAIN, Variant.TRAPPING),
        control=_DEPENDS.get(name, "run"),
    )
    for name, trace, code in _CALLS
)
