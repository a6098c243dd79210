/* Appended to a batch of programs, after `struct program { run, in_size, out_size }` and `programs[]`.
 *
 * Reads from stdin   uint32 program, uint32 count, then count vectors of in_size bytes each; again until the end.
 * Writes to stdout   for each vector: one byte of status, one byte of detail, out_size bytes.
 *
 * Each vector runs in a process of its own: a crash ends that vector only, and statics start afresh. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { RAN = 0, TRAPPED = 1, SIGNALLED = 2, ASSERTED = 3, LOST = 4 };
enum { PLAIN_TRAP = 255, EXIT_TRAP = 64 };

static unsigned char *shared;

/* The sanitizer's trap carries the number of its check: in the displacement of x86's ud1, in aarch64's brk. */
static void on_trap(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    int detail = PLAIN_TRAP;
    const unsigned char *at = info->si_addr;
#if defined(__x86_64__)
    if (at != NULL && at[0] == 0x67 && at[1] == 0x0f && at[2] == 0xb9)
        detail = (at[3] & 0xc0) == 0x40 ? at[4] : 0;
#elif defined(__aarch64__)
    unsigned word = 0;
    if (at != NULL)
        memcpy(&word, at, sizeof word);
    if (((word >> 13) & 0xff) == 0x55)
        detail = (word >> 5) & 0xff;
#endif
    shared[0] = TRAPPED;
    shared[1] = (unsigned char)detail;
    _exit(EXIT_TRAP);
}

/* In place of the C library's: it says nothing and tells an assertion from an abort. */
_Noreturn void __assert_fail(const char *claim, const char *file, unsigned line, const char *function)
{
    (void)claim;
    (void)file;
    (void)line;
    (void)function;
    shared[0] = ASSERTED;
    _exit(EXIT_TRAP);
}

static void confine(void)
{
    struct rlimit none = {0, 0}, seconds = {2, 2};
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_CPU, &seconds);
    struct sigaction trap;
    memset(&trap, 0, sizeof trap);
    trap.sa_sigaction = on_trap;
    trap.sa_flags = SA_SIGINFO;
    sigaction(SIGILL, &trap, NULL);
    sigaction(SIGTRAP, &trap, NULL);
}

static void run_one(const struct program *program, const unsigned char *vector)
{
    memset(shared, 0, 2 + program->out_size);
    shared[0] = LOST;
    pid_t child = fork();
    if (child == 0) {
        confine();
        program->run(vector, shared + 2);
        shared[0] = RAN;
        _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        exit(3);
    if (WIFSIGNALED(status)) {
        shared[0] = SIGNALLED;
        shared[1] = (unsigned char)WTERMSIG(status);
    }
    fwrite(shared, 1, 2 + program->out_size, stdout);
}

int main(void)
{
    unsigned head[2];
    static unsigned char vector[1 << 16];
    shared = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 2;
    while (fread(head, sizeof head, 1, stdin) == 1) {
        const struct program *program = &programs[head[0]];
        for (unsigned i = 0; i < head[1]; i++) {
            if (program->in_size != 0 && fread(vector, program->in_size, 1, stdin) != 1)
                return 4;
            run_one(program, vector);
        }
    }
    return fflush(stdout) == 0 ? 0 : 5;
}
