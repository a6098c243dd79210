/* Runs the program under replay: gives up what rights are left, then, for each step, puts the inputs in place, calls the
 * entry and copies back what it left. It is linked with the program into one executable, and is the first code to run there.
 *
 * Standard input is a file shared with soid: a header (below), then what is to be put into each region, and room for
 * what is found there after each step. A region is memory that the entry is given, between pages that cannot be
 * accessed, or a global of the program, or a register of a device at its own address.
 *
 * A program for another processor runs under qemu, without a C library.
 *
 * The program may define a function of any name, `prctl` and `memcpy` among them. Nothing here calls a function of the
 * C library, and so none of the program's, before the filter is in place; even the system is called directly. */
#include "system.h"

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

/* 32-bit processors say in pages where in a file a mapping begins */
#if defined(__NR_mmap2)
#define MAP_CALL __NR_mmap2
#define FILE_UNIT PAGE
#else
#define MAP_CALL __NR_mmap
#define FILE_UNIT 1
#endif

enum { READ = 1, WRITE = 2, SHARED = 1, PRIVATE = 2, FIXED = 0x10, ANONYMOUS = 0x20 };

static void *map(void *where, word size, word rights, word how, word from)
{
    word fd = how & ANONYMOUS ? (word)-1 : 0;
    return (void *)system_call(MAP_CALL, (word)where, size, rights, how, fd, from / FILE_UNIT);
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

/* soid's launcher has confined this process already, as far as loading and starting it allow; this is all that remains. An
 * emulator lets a program install no filter: there the launcher's is the only one. */
static int filter(void)
{
#if defined(SOID_EMULATED)
    return 1;
#else
    static struct sock_filter rules[] = {BEGIN_RULES, PROGRAM_RULES, STREAM_RULES, END_RULES};
    return install_with_end(rules, COUNT(rules));
#endif
}

static void confine(void)
{
    enum { STDOUT = 1 };
    CALL(dup3, STDOUT, 0, 0); /* the shared file stays mapped, and can no longer be named */
    CALL(close_range, 3, ~0u, 0);
    if (!filter() && !(shared->flags & MAY_RUN_UNCONFINED))
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

extern __attribute__((weak)) int __libc_start_main(int (*)(int, char **, char **), int, char **,
                                                   void (*)(int, char **, char **), void (*)(void), void (*)(void), void *);

/* Where the program calls nothing of the C library, there is none. */
static void start(word *stack, void (*at_exit)(void))
{
    int count = (int)stack[0];
    char **arguments = (char **)(stack + 1);
    if (__libc_start_main != NULL)
        __libc_start_main(run, count, arguments, initialize, NULL, at_exit, stack);
    initialize(count, arguments, arguments + count + 1);
    run(count, arguments, arguments + count + 1);
}

/* --- the beginning -------------------------------------------------------------------------------------------------- */

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
