/* The system's calls and filters for them, without a C library: for the launcher, and for the harness of a replay. */
#ifndef SOID_SYSTEM_H
#define SOID_SYSTEM_H

#include <asm/unistd.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned long word;

static word system_call(word number, word a, word b, word c, word d, word e, word f)
{
#if defined(__x86_64__)
    register word r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
    word result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register word x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c,
                  x3 __asm__("x3") = d, x4 __asm__("x4") = e, x5 __asm__("x5") = f;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    return x0;
#elif defined(__arm__)
    register word r7 __asm__("r7") = number, r0 __asm__("r0") = a, r1 __asm__("r1") = b, r2 __asm__("r2") = c,
                  r3 __asm__("r3") = d, r4 __asm__("r4") = e, r5 __asm__("r5") = f;
    __asm__ volatile("svc 0" : "+r"(r0) : "r"(r7), "r"(r1), "r"(r2), "r"(r3), "r"(r4), "r"(r5) : "memory");
    return r0;
#elif defined(__riscv)
    register word a7 __asm__("a7") = number, a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c,
                  a3 __asm__("a3") = d, a4 __asm__("a4") = e, a5 __asm__("a5") = f;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5) : "memory");
    return a0;
#else
#error "not for this processor"
#endif
}

#define CALL(name, a, b, c) system_call(__NR_##name, (word)(a), (word)(b), (word)(c), 0, 0, 0)

static int failed(word result)
{
    return result > (word)-4096;
}

static _Noreturn void end(unsigned status)
{
    for (;;)
        CALL(exit_group, status, 0, 0);
}

/* --- filters ------------------------------------------------------------------------------------------------------- */

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#if defined(ARCHITECTURE)
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, action)
#define ALLOW(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 1), RETURN(SECCOMP_RET_ALLOW)
#define DENY(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 1), RETURN(SECCOMP_RET_ERRNO | 1)

/* Calls of another architecture end the process; so do x32's, whose numbers are not in any list. */
#define BEGIN_RULES                                                                                                    \
    LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0), RETURN(SECCOMP_RET_KILL_PROCESS), LOAD(nr)

/* What a program under replay may do: memory of its own, signals to itself, the clock, and standard streams that lead
 * nowhere. Asking about those streams, as printf does, fails with an error. */
#if defined(__x86_64__)
#define X86_RULES ALLOW(time), DENY(readlink),
#else
#define X86_RULES
#endif
#define PROGRAM_RULES                                                                                                  \
    ALLOW(exit_group), ALLOW(exit), ALLOW(write), ALLOW(writev), ALLOW(read), ALLOW(brk), ALLOW(mmap), ALLOW(munmap),  \
        ALLOW(mremap), ALLOW(mprotect), ALLOW(madvise), ALLOW(futex), ALLOW(rt_sigaction), ALLOW(rt_sigprocmask),      \
        ALLOW(rt_sigreturn), ALLOW(sigaltstack), ALLOW(getpid), ALLOW(gettid), ALLOW(clock_gettime),                   \
        ALLOW(gettimeofday), ALLOW(getrandom)
#define STREAM_RULES                                                                                                   \
    X86_RULES DENY(fstat), DENY(newfstatat), DENY(ioctl), DENY(lseek), DENY(close), DENY(readlinkat)

/* Signals to itself, by its number, which is put in before the filter is installed; what becomes of all else. */
#define END_RULES_ELSE(action)                                                                                         \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_tgkill, 0, 3), LOAD(args[0]),                                             \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1), RETURN(SECCOMP_RET_ALLOW), RETURN(action)
/* All else ends the process at once. */
#define END_RULES END_RULES_ELSE(SECCOMP_RET_KILL_PROCESS)
enum { OWN_NUMBER = 3 }; /* which rule that is, from the end */

/* Whether the filter is in force. */
static int install(const struct sock_filter *rules, word count)
{
    struct sock_fprog program = {(unsigned short)count, (struct sock_filter *)rules};
    enum { SET_NO_NEW_PRIVS = 38 };
    if (failed(system_call(__NR_prctl, SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0)))
        return 0;
    return !failed(CALL(seccomp, SECCOMP_SET_MODE_FILTER, 0, &program));
}

static int install_with_end(struct sock_filter *rules, word count)
{
    rules[count - OWN_NUMBER].k = (unsigned)CALL(getpid, 0, 0, 0);
    return install(rules, count);
}

#define COUNT(rules) (sizeof rules / sizeof rules[0])
#endif

#endif
