/* Runs the program under replay: gives up its rights, then, for each step, puts the inputs in place, calls the entry and
 * copies back what it left. It is linked with the program into one executable, and is the first code to run there.
 *
 * Standard input is a file shared with soid: a header (below), then what is to be put into each region, and room for
 * what is found there after each step. A region is memory that the entry is given, between pages that cannot be
 * accessed, or a global of the program, or a register of a device at its own address.
 *
 * A program for another processor runs under qemu, without a C library. qemu lets no program install a filter, so such a
 * program is not confined, and runs only where that is allowed.
 *
 * The program may define a function of any name, `prctl` and `memcpy` among them. Nothing here calls a function of the
 * C library, and so none of the program's, before the filter is in place; even the system is called directly. */
#include <asm/unistd.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned long word;

/* --- what is shared with soid: keep in step with replay_process.py ------------------------------------------------- */

enum { NOT_STARTED, RUNNING, RETURNED, TRAPPED, ASSERTED, UNDEFINED, NOT_LOGGED, NOT_CONFINED, BROKEN, NO_ADDRESS };
enum { GIVEN, GLOBAL, AT_ADDRESS };
enum { MAY_RUN_UNCONFINED = 1 };
enum { PAGE = 4096, MOST_REGIONS = 4000, TEXT = 256 };
#define NO_HOLDER (~0ull)

struct region {
    uint64_t kind;
    uint64_t size;
    uint64_t fenced;  /* of a given region: it ends where its last page ends, instead of beginning with the first */
    uint64_t at;      /* in the body: mask for the first step, mask for later ones, then for each step what to put */
                      /* there and what was left there, all of the region's size */
    uint64_t holder;  /* the region in which a pointer to this one lies, or NO_HOLDER */
    uint64_t place;   /* where in the holder; of a region of kind AT_ADDRESS its address */
};

struct header {
    uint64_t token;  /* written back beside the status, so that no stray write passes for an answer */
    uint64_t answer; /* the token, and below it the status */
    uint64_t detail; /* number of a trap, line of an assertion, number of an undefined function */
    uint64_t flags;
    uint64_t seconds;
    uint64_t memory; /* bytes */
    uint64_t size;   /* of this header, whole pages */
    uint64_t body;   /* of what follows it, whole pages too */
    uint64_t steps;
    uint64_t count;  /* of regions */
    char text[TEXT]; /* file of an assertion */
    struct region regions[];
};

/* made for each program, see trampoline.py */
extern void soid_globals(void **regions);
extern void soid_setup(void);
extern void soid_pointers(void **regions); /* function pointers are numbers outside of the program */
extern void soid_numbers(void **regions);
extern void soid_call(void **regions);
extern void soid_begin_step(void);

static struct header *shared;
void *soid_regions[MOST_REGIONS]; /* where each region is */
static unsigned char *body;
static uint64_t token;
static word header_size;

/* --- the system ---------------------------------------------------------------------------------------------------- */

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
#error "no replay on this processor"
#endif
}

/* 32-bit processors say in pages where in a file a mapping begins */
#if defined(__NR_mmap2)
#define MAP_CALL __NR_mmap2
#define FILE_UNIT PAGE
#else
#define MAP_CALL __NR_mmap
#define FILE_UNIT 1
#endif

#define CALL(name, a, b, c) system_call(__NR_##name, (word)(a), (word)(b), (word)(c), 0, 0, 0)

static int failed(word result)
{
    return result > (word)-4096;
}

enum { READ = 1, WRITE = 2, SHARED = 1, PRIVATE = 2, FIXED = 0x10, ANONYMOUS = 0x20 };

static void *map(void *where, word size, word rights, word how, word from)
{
    word fd = how & ANONYMOUS ? (word)-1 : 0;
    return (void *)system_call(MAP_CALL, (word)where, size, rights, how, fd, from / FILE_UNIT);
}

static _Noreturn void end(unsigned status)
{
    for (;;)
        CALL(exit_group, status, 0, 0);
}

/* While the program runs, the header can only be read. */
static _Noreturn void answer(unsigned status, uint64_t detail)
{
    CALL(mprotect, shared, header_size, READ | WRITE);
    shared->detail = detail;
    shared->answer = token | status;
    end(0);
}

static _Noreturn void refuse(unsigned status, uint64_t detail)
{
    if (shared != NULL)
        answer(status, detail);
    end(1);
}

/* --- confinement --------------------------------------------------------------------------------------------------- */

#if defined(SOID_EMULATED)
static int filter(unsigned self)
{
    (void)self;
    return 0;
}
#else
#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, action)
#define ALLOW(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 1), RETURN(SECCOMP_RET_ALLOW)
#define DENY(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 1), RETURN(SECCOMP_RET_ERRNO | 1)

/* What remains: memory of its own, signals to itself, the clock, and standard streams that lead nowhere. Asking about
 * those streams, as printf does, fails with an error; everything else ends the process at once. */
static int filter(unsigned self)
{
    struct sock_filter rules[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
        RETURN(SECCOMP_RET_KILL_PROCESS),
        LOAD(nr),
        ALLOW(exit_group),
        ALLOW(exit),
        ALLOW(write),
        ALLOW(writev),
        ALLOW(read),
        ALLOW(brk),
        ALLOW(mmap),
        ALLOW(munmap),
        ALLOW(mremap),
        ALLOW(mprotect),
        ALLOW(madvise),
        ALLOW(futex),
        ALLOW(rt_sigaction),
        ALLOW(rt_sigprocmask),
        ALLOW(rt_sigreturn),
        ALLOW(sigaltstack),
        ALLOW(getpid),
        ALLOW(gettid),
        ALLOW(clock_gettime),
        ALLOW(gettimeofday),
        ALLOW(getrandom),
        DENY(fstat),
        DENY(newfstatat),
        DENY(ioctl),
        DENY(lseek),
        DENY(close),
        DENY(readlinkat),
#if defined(__x86_64__)
        ALLOW(time),
        DENY(readlink),
#endif
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_tgkill, 0, 3),
        LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, self, 0, 1),
        RETURN(SECCOMP_RET_ALLOW),
        RETURN(SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program = {sizeof rules / sizeof rules[0], rules};
    enum { SET_NO_NEW_PRIVS = 38 };
    if (failed(system_call(__NR_prctl, SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0)))
        return 0;
    return !failed(CALL(seccomp, SECCOMP_SET_MODE_FILTER, 0, &program));
}
#endif

static void limit(word what, uint64_t most)
{
    struct { uint64_t soft, hard; } old = {0, 0}, new;
    system_call(__NR_prlimit64, 0, what, 0, (word)&old, 0, 0);
    new.soft = new.hard = most < old.hard ? most : old.hard;
    system_call(__NR_prlimit64, 0, what, (word)&new, 0, 0, 0);
}

static void limits(void)
{
    enum { CPU = 0, FILE_SIZE = 1, STACK = 3, CORE = 4, PROCESSES = 6, FILES = 7, ADDRESSES = 9 };
    limit(CPU, shared->seconds);
    limit(ADDRESSES, shared->memory);
    limit(STACK, 64 << 20);
    limit(FILE_SIZE, 0);
    limit(CORE, 0);
    limit(PROCESSES, 0);
    limit(FILES, 3);
}

static void confine(void)
{
    enum { SET_PARENT_DEATH_SIGNAL = 1, SIGNAL_KILL = 9, STDOUT = 1 };
    CALL(prctl, SET_PARENT_DEATH_SIGNAL, SIGNAL_KILL, 0);
    CALL(dup3, STDOUT, 0, 0); /* the shared file stays mapped, and can no longer be named */
    CALL(close_range, 3, ~0u, 0);
    limits();
    if (!filter((unsigned)CALL(getpid, 0, 0, 0)) && !(shared->flags & MAY_RUN_UNCONFINED))
        refuse(NOT_CONFINED, 0);
}

/* --- regions ------------------------------------------------------------------------------------------------------- */

static void map_given(word number)
{
    const struct region *region = &shared->regions[number];
    word inside = (region->size + PAGE - 1) / PAGE * PAGE;
    char *fence = map(NULL, inside + 2 * PAGE, 0, PRIVATE | ANONYMOUS, 0);
    if (failed((word)fence))
        refuse(BROKEN, 1);
    /* the target of an opaque pointer has no size, and cannot be read */
    if (inside != 0 && failed(CALL(mprotect, fence + PAGE, inside, READ | WRITE)))
        refuse(BROKEN, 2);
    soid_regions[number] = fence + PAGE + (region->fenced ? inside - region->size : 0);
}

/* Registers may share a page: the second one finds it mapped already. */
static void map_register(word number)
{
    enum { NEVER_REPLACE = 0x100000 };
    const struct region *region = &shared->regions[number];
    word last = (region->place + region->size - 1) / PAGE;
    for (word page = region->place / PAGE; page <= last; page++) {
        int known = 0;
        for (word i = 0; i < number; i++) {
            const struct region *other = &shared->regions[i];
            if (other->kind == AT_ADDRESS && other->place / PAGE <= page &&
                page <= (other->place + other->size - 1) / PAGE)
                known = 1;
        }
        char *at = (char *)(page * PAGE);
        if (!known && map(at, PAGE, READ | WRITE, PRIVATE | ANONYMOUS | FIXED | NEVER_REPLACE, 0) != at)
            refuse(NO_ADDRESS, region->place);
    }
    soid_regions[number] = (void *)region->place;
}

/* Does all that needs the file's descriptor; runs none of the program's code. */
static void map_regions(void)
{
    if (shared->body != 0)
        body = map(NULL, shared->body, READ | WRITE, SHARED, header_size);
    if (failed((word)body))
        refuse(BROKEN, 3);
    for (word i = 0; i < shared->count; i++)
        if (shared->regions[i].kind == GIVEN)
            map_given(i);
        else if (shared->regions[i].kind == AT_ADDRESS)
            map_register(i);
}

static void put(word number, word step)
{
    const struct region *region = &shared->regions[number];
    const unsigned char *mask = body + region->at + (step != 0 ? region->size : 0);
    const unsigned char *bytes = body + region->at + (2 + 2 * step) * region->size;
    volatile unsigned char *memory = soid_regions[number];
    for (word i = 0; i < region->size; i++)
        if (mask[i] != 0) /* other bytes are not written: they may be read-only */
            memory[i] = (unsigned char)((memory[i] & ~mask[i]) | (bytes[i] & mask[i]));
}

static void get(word number, word step)
{
    const struct region *region = &shared->regions[number];
    unsigned char *bytes = body + region->at + (3 + 2 * step) * region->size;
    const volatile unsigned char *memory = soid_regions[number];
    for (word i = 0; i < region->size; i++)
        bytes[i] = memory[i];
}

static void point(void)
{
    for (word i = 0; i < shared->count; i++) {
        const struct region *region = &shared->regions[i];
        if (region->holder != NO_HOLDER)
            *(void *volatile *)((char *)soid_regions[region->holder] + region->place) = soid_regions[i];
    }
}

/* --- failures ------------------------------------------------------------------------------------------------------ */

struct trap_information { int signal, error, code, padding; void *address; };

/* The sanitizer's trap carries the number of its check: in the displacement of x86's ud1, in aarch64's brk. */
static void on_trap(int signal, struct trap_information *information, void *context)
{
    (void)signal;
    (void)context;
    const unsigned char *at = information->address;
    uint64_t number = 255;
#if defined(__x86_64__)
    if (at != NULL && at[0] == 0x67 && at[1] == 0x0f && at[2] == 0xb9)
        number = (at[3] & 0xc0) == 0x40 ? at[4] : 0;
#elif defined(__aarch64__)
    uint32_t instruction = at != NULL ? *(const uint32_t *)at : 0;
    if (((instruction >> 13) & 0xff) == 0x55)
        number = (instruction >> 5) & 0xff;
#else
    (void)at; /* which check it was does not show */
#endif
    answer(TRAPPED, number);
}

static void catch_traps(void)
{
    enum { ILLEGAL = 4, TRAP = 5, WITH_INFORMATION = 4, WITH_RESTORER = 0x04000000 };
#if defined(__riscv)
    struct { void *handler; word flags; uint64_t mask; } action = {0, 0, 0};
#else
    struct { void *handler; word flags; void *restorer; word mask[8 / sizeof(word)]; } action = {0, 0, 0, {0}};
    action.restorer = (void *)on_trap; /* never used: the handler does not return */
#endif
    action.handler = (void *)on_trap;
#if defined(__x86_64__) || defined(__arm__)
    action.flags = WITH_INFORMATION | WITH_RESTORER;
#else
    action.flags = WITH_INFORMATION;
#endif
    system_call(__NR_rt_sigaction, ILLEGAL, (word)&action, 0, 8, 0, 0);
    system_call(__NR_rt_sigaction, TRAP, (word)&action, 0, 8, 0, 0);
}

/* Replaces the C library's: it prints nothing, and reports where the assertion is. */
__attribute__((weak)) _Noreturn void __assert_fail(const char *claim, const char *file, unsigned line, const char *function)
{
    (void)claim;
    (void)function;
    CALL(mprotect, shared, header_size, READ | WRITE);
    for (word i = 0; i + 1 < TEXT && file[i] != 0; i++)
        shared->text[i] = file[i];
    answer(ASSERTED, line);
}

/* The C library's start-up code, which does not run here, needs one to be linked. */
__attribute__((weak)) int main(void)
{
    return 0;
}

/* Called in place of undefined functions. */
_Noreturn void soid_undefined(uint64_t number)
{
    answer(UNDEFINED, number);
}

/* Called when the program reads an input more often than it is logged. */
_Noreturn void soid_not_logged(uint64_t number)
{
    answer(NOT_LOGGED, number);
}

/* --- the run ------------------------------------------------------------------------------------------------------- */

static int run(int count, char **arguments, char **environment)
{
    (void)count;
    (void)arguments;
    (void)environment;
    soid_globals(soid_regions);
    soid_begin_step();
    soid_setup();
    soid_numbers(soid_regions);
    for (word step = 0; step < shared->steps; step++) {
        for (word i = 0; i < shared->count; i++)
            put(i, step);
        if (step == 0)
            point();
        soid_pointers(soid_regions);
        soid_begin_step();
        soid_call(soid_regions);
        soid_numbers(soid_regions);
        for (word i = 0; i < shared->count; i++)
            get(i, step);
    }
    answer(RETURNED, 0);
}

typedef void (*initializer)(int, char **, char **);
extern const initializer __preinit_array_start[] __attribute__((visibility("hidden")));
extern const initializer __preinit_array_end[] __attribute__((visibility("hidden")));
extern const initializer __init_array_start[] __attribute__((visibility("hidden")));
extern const initializer __init_array_end[] __attribute__((visibility("hidden")));

/* The program's constructors, as the C start-up files would run them. */
static void initialize(int count, char **arguments, char **environment)
{
    for (const initializer *one = __preinit_array_start; one < __preinit_array_end; one++)
        (*one)(count, arguments, environment);
    for (const initializer *one = __init_array_start; one < __init_array_end; one++)
        (*one)(count, arguments, environment);
}

#if defined(SOID_EMULATED)
static void start(word *stack, void (*at_exit)(void))
{
    int count = (int)stack[0];
    char **arguments = (char **)(stack + 1);
    (void)at_exit;
    initialize(count, arguments, arguments + count + 1);
    run(count, arguments, arguments + count + 1);
}
#else
extern int __libc_start_main(int (*)(int, char **, char **), int, char **, void (*)(int, char **, char **),
                             void (*)(void), void (*)(void), void *);

static void start(word *stack, void (*at_exit)(void))
{
    __libc_start_main(run, (int)stack[0], (char **)(stack + 1), initialize, NULL, at_exit, stack);
}
#endif

__attribute__((used)) static void begin(word *stack, void (*at_exit)(void))
{
    const struct header *first = map(NULL, PAGE, READ, SHARED, 0);
    if (failed((word)first))
        end(1);
    header_size = first->size;
    shared = map(NULL, header_size, READ | WRITE, SHARED, 0);
    if (failed((word)shared))
        end(1);
    token = shared->token;
    if (shared->count > MOST_REGIONS)
        refuse(BROKEN, 4);
    map_regions();
    confine();
    catch_traps();
    shared->answer = token | RUNNING;
    CALL(mprotect, shared, header_size, READ);
    start(stack, at_exit);
    end(1);
}

#if defined(__x86_64__)
__asm__(".text\n.globl soid_start\n.type soid_start,@function\nsoid_start:\n"
        "xor %ebp, %ebp\nmov %rsp, %rdi\nmov %rdx, %rsi\nand $-16, %rsp\ncall begin\nhlt\n");
#elif defined(__arm__)
__asm__(".text\n.globl soid_start\n.type soid_start,%function\nsoid_start:\n"
        "mov r11, #0\nmov r0, sp\nmov r1, #0\nbic r2, r0, #7\nmov sp, r2\nbl begin\nudf #0\n");
#elif defined(__riscv)
__asm__(".text\n.globl soid_start\n.type soid_start,@function\nsoid_start:\n"
        ".option push\n.option norelax\nla gp, __global_pointer$\n.option pop\n"
        "mv a0, sp\nli a1, 0\nandi sp, sp, -16\ncall begin\nebreak\n");
#else
__asm__(".text\n.globl soid_start\n.type soid_start,@function\nsoid_start:\n"
        "mov x29, #0\nmov x30, #0\nmov x1, x0\nmov x0, sp\nbl begin\nbrk #0\n");
#endif
