/* Starts a command in a jail: everything that touches a stranger's bytes runs here, the compiler, the linker, LLVM's
 * reader and the program under replay. The jail is entered before execve, so no code of the command runs outside of it.
 *
 *     launcher WORD... -- COMMAND ARGUMENT...
 *
 *     r=PATH  x=PATH  w=PATH   what may be read; read and run; read and written. Nothing else can be opened.
 *     cpu=SECONDS memory=BYTES stack=BYTES written=BYTES files=COUNT processes=COUNT
 *     filter=tool|program|loaded|emulator|library|all   which system calls remain
 *     parent=PID   the process that starts this one: if it has ended, nothing is run
 *     alone        the command and all that it starts are processes of their own world, and end together
 *     strict       run nothing where files cannot be locked away
 *     lenient      go on even without a filter
 *
 *     launcher probe           says on standard output which layers this machine gives
 *
 * It has no C library: it starts in a tenth of a millisecond, and a command sees nothing of it. */
#include "system.h"

#include <linux/landlock.h>

/* Exit statuses; keep in step with cell.py. */
enum { NO_JAIL = 120, NO_COMMAND = 121, MISUSED = 122 };

/* --- words --------------------------------------------------------------------------------------------------------- */

static int same(const char *a, const char *b)
{
    while (*a != 0 && *a == *b)
        a++, b++;
    return *a == *b;
}

/* What follows `name` in a word; NULL if it does not begin with that. */
static const char *after(const char *text, const char *name)
{
    while (*name != 0)
        if (*text++ != *name++)
            return NULL;
    return text;
}

static uint64_t number(const char *digits)
{
    uint64_t result = 0;
    for (; *digits >= '0' && *digits <= '9'; digits++)
        result = result * 10 + (uint64_t)(*digits - '0');
    return result;
}

static word length(const char *text)
{
    word n = 0;
    while (text[n] != 0)
        n++;
    return n;
}

static void say(const char *text)
{
    CALL(write, 1, text, length(text));
}

static char *digits(uint64_t value, char room[21])
{
    char *at = room + 20;
    *at = 0;
    do
        *--at = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    return at;
}

/* --- files: Landlock ----------------------------------------------------------------------------------------------- */

enum { AT_CWD = -100, PATH_ONLY = 0x200000, CLOSE_ON_EXEC = 0x80000, VERSION_REQUEST = 1 };
enum {
    RUN = 1,
    WRITE_FILE = 2,
    READ_FILE = 4,
    READ_FOLDER = 8,
    ALL_FILE_RIGHTS = 0xffff, /* to run, write, read, make, remove, refer, truncate, control devices */
    DEVICE_CONTROL = 1 << 15,
    TRUNCATE = 1 << 14,
    REFER = 1 << 13,
    MAKE_ODD = 1 << 6 | 1 << 9 | 1 << 10 | 1 << 11 | 1 << 12, /* devices, sockets, pipes, links: soid reads what is left */
    OF_A_FILE = RUN | WRITE_FILE | READ_FILE | TRUNCATE | DEVICE_CONTROL,
};

/* The rights that the kernel knows by the version of its interface. */
static uint64_t known_rights(word version)
{
    uint64_t rights = ALL_FILE_RIGHTS;
    if (version < 2)
        rights &= ~(uint64_t)REFER;
    if (version < 3)
        rights &= ~(uint64_t)TRUNCATE;
    if (version < 5)
        rights &= ~(uint64_t)DEVICE_CONTROL;
    return rights;
}

static word landlock_version(void)
{
    word version = system_call(__NR_landlock_create_ruleset, 0, 0, VERSION_REQUEST, 0, 0, 0);
    return failed(version) ? 0 : version;
}

/* A place that does not exist is left out: nothing can be opened there. */
static void permit(word rules, const char *path, uint64_t rights)
{
    struct landlock_path_beneath_attr rule;
    word fd = system_call(__NR_openat, (word)AT_CWD, (word)path, PATH_ONLY | CLOSE_ON_EXEC, 0, 0, 0);
    if (failed(fd))
        return;
    rule.parent_fd = (int)fd;
    rule.allowed_access = rights;
    if (failed(system_call(__NR_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, (word)&rule, 0, 0, 0))) {
        rule.allowed_access = rights & OF_A_FILE; /* it is a file, which has no rights of folders */
        system_call(__NR_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, (word)&rule, 0, 0, 0);
    }
    CALL(close, fd, 0, 0);
}

static const char *place_of(const char *text)
{
    return text[0] != 0 && (text[0] == 'r' || text[0] == 'x' || text[0] == 'w') && text[1] == '=' ? text + 2 : NULL;
}

static int names_places(char **words)
{
    while (*words != NULL && place_of(*words) == NULL)
        words++;
    return *words != NULL;
}

static int lock_files(char **words)
{
    enum { SET_NO_NEW_PRIVS = 38 };
    struct { uint64_t files, network, scopes; } handled = {0, 0, 0};
    word version = landlock_version(), rules;
    word size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    if (version == 0)
        return 0;
    handled.files = known_rights(version);
    handled.network = 3; /* to listen and to connect by TCP */
    handled.scopes = 3;  /* UNIX sockets without a name, and signals */
    rules = system_call(__NR_landlock_create_ruleset, (word)&handled, size, 0, 0, 0, 0);
    if (failed(rules))
        return 0;
    for (; *words != NULL; words++) {
        const char *path;
        if ((path = after(*words, "r=")) != NULL)
            permit(rules, path, READ_FILE | READ_FOLDER);
        else if ((path = after(*words, "x=")) != NULL)
            permit(rules, path, RUN | READ_FILE | READ_FOLDER);
        else if ((path = after(*words, "w=")) != NULL)
            permit(rules, path, handled.files & ~(uint64_t)(MAKE_ODD | RUN | DEVICE_CONTROL));
    }
    if (failed(system_call(__NR_prctl, SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0)))
        return 0;
    return !failed(CALL(landlock_restrict_self, rules, 0, 0));
}

/* --- limits -------------------------------------------------------------------------------------------------------- */

enum { CPU = 0, FILE_SIZE = 1, STACK = 3, CORE = 4, PROCESSES = 6, FILES = 7, ADDRESSES = 9 };

static void limit(word what, uint64_t most)
{
    struct { uint64_t soft, hard; } old = {0, 0}, new;
    system_call(__NR_prlimit64, 0, what, 0, (word)&old, 0, 0);
    /* a limit that it has already is never widened, but for the stack: the usual one is far below what programs need */
    uint64_t known = what == STACK ? old.hard : old.soft;
    new.soft = new.hard = most < known ? most : known;
    system_call(__NR_prlimit64, 0, what, (word)&new, 0, 0, 0);
}

static void limits(char **words)
{
    const char *most;
    limit(CORE, 0);
    for (; *words != NULL; words++)
        if ((most = after(*words, "cpu=")) != NULL)
            limit(CPU, number(most));
        else if ((most = after(*words, "memory=")) != NULL)
            limit(ADDRESSES, number(most));
        else if ((most = after(*words, "stack=")) != NULL)
            limit(STACK, number(most));
        else if ((most = after(*words, "written=")) != NULL)
            limit(FILE_SIZE, number(most));
        else if ((most = after(*words, "files=")) != NULL)
            limit(FILES, number(most));
        else if ((most = after(*words, "processes=")) != NULL)
            limit(PROCESSES, number(most));
}

/* Root gives up its powers; tools and libraries keep the one to open files of other owners, and Landlock says which. */
static void drop_powers(int tool)
{
    enum { DROP_FROM_BOUND = 24, LAST_POWER = 63, OPEN_ANY = 1 };
    struct { uint32_t version; int process; } header = {0x20080522, 0};
    struct { uint32_t effective, permitted, inheritable; } powers[2] = {{0, 0, 0}, {0, 0, 0}};
    if (CALL(geteuid, 0, 0, 0) != 0)
        return;
    powers[0].effective = powers[0].permitted = tool ? 1u << OPEN_ANY : 0;
    for (word power = 0; power <= LAST_POWER; power++)
        if ((!tool || power != OPEN_ANY) && failed(system_call(__NR_prctl, DROP_FROM_BOUND, power, 0, 0, 0, 0)))
            break; /* there are no more */
    CALL(capset, &header, powers, 0);
}

/* --- system calls -------------------------------------------------------------------------------------------------- */

#if defined(__x86_64__)
#define OLD_CALLS DENY(create_module), DENY(uselib), DENY(iopl), DENY(ioperm), DENY(modify_ldt), DENY(mknod),
#else
#define OLD_CALLS
#endif

/* Compilers and LLVM: files, memory, processes of their own; no network, no other process, none of the system's
 * settings. The new form of clone is not known to the filter's rules, so it does not exist. */
static int filter_tool(void)
{
    enum { NEW_NAMESPACES = 0x7e020000, NO_SUCH_CALL = 38 };
    static const struct sock_filter rules[] = {
        BEGIN_RULES,
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1), RETURN(SECCOMP_RET_KILL_PROCESS),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone3, 0, 1), RETURN(SECCOMP_RET_ERRNO | NO_SUCH_CALL),
        DENY(socket), DENY(socketpair), DENY(connect), DENY(bind), DENY(listen), DENY(accept), DENY(accept4),
        DENY(sendto), DENY(sendmsg), DENY(sendmmsg), DENY(recvfrom), DENY(recvmsg), DENY(recvmmsg),
        DENY(ptrace), DENY(process_vm_readv), DENY(process_vm_writev), DENY(process_madvise), DENY(kcmp),
        DENY(pidfd_getfd), DENY(pidfd_send_signal), DENY(pidfd_open), DENY(setns), DENY(unshare),
        DENY(mount), DENY(umount2), DENY(pivot_root), DENY(chroot), DENY(mount_setattr), DENY(move_mount),
        DENY(fsopen), DENY(fsmount), DENY(fsconfig), DENY(fspick), DENY(open_tree),
        DENY(bpf), DENY(perf_event_open), DENY(userfaultfd), DENY(io_uring_setup), DENY(io_uring_enter),
        DENY(io_uring_register), DENY(keyctl), DENY(add_key), DENY(request_key),
        DENY(init_module), DENY(finit_module), DENY(delete_module), DENY(kexec_load), DENY(reboot), DENY(syslog),
        DENY(swapon), DENY(swapoff), DENY(acct), DENY(quotactl), DENY(settimeofday), DENY(clock_settime),
        DENY(adjtimex), DENY(clock_adjtime), DENY(sethostname), DENY(setdomainname), DENY(vhangup),
        DENY(open_by_handle_at), DENY(name_to_handle_at), DENY(fanotify_init), DENY(personality), DENY(mknodat),
        DENY(shmget), DENY(shmat), DENY(shmctl), DENY(msgget), DENY(msgsnd), DENY(msgrcv), DENY(msgctl),
        DENY(semget), DENY(semop), DENY(semctl), DENY(mq_open), DENY(mq_unlink), DENY(migrate_pages), DENY(move_pages),
        DENY(mbind), DENY(set_mempolicy), DENY(ioprio_set), DENY(sched_setscheduler), DENY(sched_setattr),
        OLD_CALLS
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 3),
        LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NEW_NAMESPACES, 0, 1),
        RETURN(SECCOMP_RET_ERRNO | 1),
        RETURN(SECCOMP_RET_ALLOW),
    };
    return install(rules, COUNT(rules));
}

/* A program under replay, until its harness installs a filter of its own: what that one allows, and how to get there. */
#define WAY_IN ALLOW(execve), ALLOW(prctl), ALLOW(seccomp), ALLOW(dup3), ALLOW(close_range)

static int filter_program(void)
{
    static struct sock_filter rules[] = {BEGIN_RULES, PROGRAM_RULES, STREAM_RULES, WAY_IN, END_RULES};
    return install_with_end(rules, COUNT(rules));
}

#if defined(__x86_64__)
#define LOADER_X86 ALLOW(arch_prctl), ALLOW(access), ALLOW(readlink), ALLOW(time),
#else
#define LOADER_X86
#endif

/* The same with a C library that a loader brings: it opens files, which Landlock bounds to those of the library. */
static int filter_loaded(void)
{
    static struct sock_filter rules[] = {
        BEGIN_RULES, PROGRAM_RULES, WAY_IN, LOADER_X86 ALLOW(openat), ALLOW(close), ALLOW(fstat), ALLOW(newfstatat),
        ALLOW(pread64), ALLOW(faccessat), ALLOW(set_tid_address), ALLOW(set_robust_list), ALLOW(rseq), ALLOW(prlimit64),
        ALLOW(readlinkat), DENY(ioctl), DENY(lseek), END_RULES,
    };
    return install_with_end(rules, COUNT(rules));
}

/* An emulator carries out the program's calls as its own: what it needs itself, and nothing that starts another command. */
static int filter_emulator(void)
{
    enum { NO_SUCH_CALL = 38, NEW_NAMESPACES = 0x7e020000, THREAD = 0x10000 };
    static struct sock_filter rules[] = {
        BEGIN_RULES, PROGRAM_RULES, WAY_IN, LOADER_X86 ALLOW(openat), ALLOW(close), ALLOW(fstat), ALLOW(newfstatat),
        ALLOW(pread64), ALLOW(faccessat), ALLOW(set_tid_address), ALLOW(set_robust_list), ALLOW(rseq), ALLOW(prlimit64),
        ALLOW(readlinkat), ALLOW(lseek), ALLOW(uname), ALLOW(sysinfo), ALLOW(sched_getaffinity), ALLOW(sched_yield),
        ALLOW(getuid), ALLOW(geteuid), ALLOW(getgid), ALLOW(getegid), ALLOW(statx), ALLOW(clock_nanosleep),
        ALLOW(rt_sigtimedwait), ALLOW(rt_sigpending), ALLOW(membarrier), ALLOW(getdents64), ALLOW(fcntl), ALLOW(mincore),
        DENY(ioctl), DENY(get_mempolicy), DENY(set_mempolicy),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone3, 0, 1), RETURN(SECCOMP_RET_ERRNO | NO_SUCH_CALL),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 5), /* threads of its own; no processes */
        LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NEW_NAMESPACES, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, THREAD, 0, 1),
        RETURN(SECCOMP_RET_ALLOW),
        RETURN(SECCOMP_RET_KILL_PROCESS),
        END_RULES,
    };
    return install_with_end(rules, COUNT(rules));
}

/* Python with a library of learned models, which may be told by its file to do anything: it reads files, which Landlock
 * bounds, and has threads; no processes, no files in memory (which no limit of addresses counts), no signals, no sockets.
 * Another call does not exist, as on an older kernel: libraries go on without what they merely try. */
#if defined(__x86_64__)
#define LIBRARY_X86 LOADER_X86 ALLOW(open), ALLOW(stat), ALLOW(lstat), ALLOW(poll), ALLOW(select), ALLOW(pipe), ALLOW(dup2),
#else
#define LIBRARY_X86
#endif

static int filter_library(void)
{
    enum { NO_SUCH_CALL = 38, NEW_NAMESPACES = 0x7e020000, THREAD = 0x10000 };
    static struct sock_filter rules[] = {
        BEGIN_RULES, PROGRAM_RULES, LIBRARY_X86 ALLOW(execve), ALLOW(prctl), ALLOW(openat), ALLOW(close), ALLOW(close_range),
        ALLOW(fstat), ALLOW(newfstatat), ALLOW(statx), ALLOW(statfs), ALLOW(faccessat), ALLOW(faccessat2),
        ALLOW(readlinkat), ALLOW(getdents64), ALLOW(getcwd), ALLOW(lseek), ALLOW(pread64), ALLOW(readv), ALLOW(ioctl),
        ALLOW(fcntl), ALLOW(dup), ALLOW(dup3), ALLOW(pipe2), ALLOW(ppoll), ALLOW(pselect6), ALLOW(epoll_create1),
        ALLOW(set_tid_address), ALLOW(set_robust_list), ALLOW(rseq), ALLOW(membarrier), ALLOW(mincore),
        ALLOW(rt_sigtimedwait), ALLOW(rt_sigpending), ALLOW(uname), ALLOW(sysinfo), ALLOW(getrusage), ALLOW(times),
        ALLOW(getcpu), ALLOW(sched_getaffinity), ALLOW(sched_yield), ALLOW(clock_getres), ALLOW(clock_nanosleep),
        ALLOW(nanosleep), ALLOW(getppid), ALLOW(getuid), ALLOW(geteuid), ALLOW(getgid), ALLOW(getegid),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 5),
        LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NEW_NAMESPACES, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, THREAD, 0, 1),
        RETURN(SECCOMP_RET_ALLOW),
        RETURN(SECCOMP_RET_ERRNO | 1),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_prlimit64, 0, 4), /* limits of its own, not those of soid */
        LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1),
        RETURN(SECCOMP_RET_ALLOW),
        RETURN(SECCOMP_RET_ERRNO | 1),
        END_RULES_ELSE(SECCOMP_RET_ERRNO | NO_SUCH_CALL),
    };
    return install_with_end(rules, COUNT(rules));
}

static int filter_by_name(const char *name)
{
    if (same(name, "tool"))
        return filter_tool();
    if (same(name, "program"))
        return filter_program();
    if (same(name, "loaded"))
        return filter_loaded();
    if (same(name, "emulator"))
        return filter_emulator();
    if (same(name, "library"))
        return filter_library();
    if (same(name, "all"))
        return 1;
    end(MISUSED);
}

/* --- processes: a world of their own ------------------------------------------------------------------------------- */

enum { NEW_USER = 0x10000000, NEW_PROCESSES = 0x20000000, NEW_MOUNTS = 0x20000, CHILD_ENDS = 17 };

/* One write has the whole text, as the maps of users need it. */
static void write_file(const char *path, const char *const *parts)
{
    char text[64];
    word n = 0;
    for (; *parts != NULL; parts++)
        for (const char *at = *parts; *at != 0 && n < sizeof text; at++)
            text[n++] = *at;
    word fd = system_call(__NR_openat, (word)AT_CWD, (word)path, 1 | CLOSE_ON_EXEC, 0, 0, 0);
    if (failed(fd))
        return;
    CALL(write, fd, text, n);
    CALL(close, fd, 0, 0);
}

/* An ordinary user may have a world of his own only with users of its own: himself alone. */
static int unshare_world(void)
{
    char room[21], other[21];
    const char *user = digits(CALL(geteuid, 0, 0, 0), room), *group = digits(CALL(getegid, 0, 0, 0), other);
    if (!failed(CALL(unshare, NEW_PROCESSES | NEW_MOUNTS, 0, 0)))
        return 1;
    if (failed(CALL(unshare, NEW_USER | NEW_PROCESSES | NEW_MOUNTS, 0, 0)))
        return 0;
    write_file("/proc/self/setgroups", (const char *const[]){"deny", NULL});
    write_file("/proc/self/uid_map", (const char *const[]){user, " ", user, " 1", NULL});
    write_file("/proc/self/gid_map", (const char *const[]){group, " ", group, " 1", NULL});
    return 1;
}

static void end_with_parent(void)
{
    enum { SET_PARENT_DEATH_SIGNAL = 1, SIGNAL_KILL = 9 };
    CALL(prctl, SET_PARENT_DEATH_SIGNAL, SIGNAL_KILL, 0);
}

static word fork(void)
{
    return system_call(__NR_clone, CHILD_ENDS, 0, 0, 0, 0, 0);
}

/* Wait for the child, and for orphans on the way; gives its exit status, as a shell does. */
static unsigned outcome(word child)
{
    for (;;) {
        int status = 0;
        word ended = system_call(__NR_wait4, (word)-1, (word)&status, 0, 0, 0, 0);
        if (ended == child)
            return (status & 0x7f) == 0 ? (unsigned)status >> 8 & 0xff : 128u + (status & 0x7f);
        if (failed(ended) && ended != (word)-4) /* interrupted: again */
            return NO_JAIL;
    }
}

/* Whether the process that has the other end of the pipe has ended. */
static int hung_up(int fd)
{
    struct { int fd; short events, found; } wait = {fd, 0, 0};
    uint64_t no_time[2] = {0, 0};
    return !failed(system_call(__NR_ppoll, (word)&wait, 1, (word)no_time, 0, 0, 0)) && wait.found != 0;
}

/* Returns in the command's process only. The first process of the new world waits for it: when the command, soid or this
 * process ends, in whichever way, all others in that world end too. Gives whether there is such a world. */
static int alone(void)
{
    enum { READ_END, WRITE_END };
    int ends[2];
    word child;
    if (failed(CALL(pipe2, ends, CLOSE_ON_EXEC, 0)) || !unshare_world())
        return 0;
    if ((child = fork()) != 0)
        end(failed(child) ? NO_JAIL : outcome(child));
    end_with_parent();
    CALL(close, ends[WRITE_END], 0, 0);
    if (hung_up(ends[READ_END]))
        end(NO_JAIL);
    if ((child = fork()) != 0)
        end(failed(child) ? NO_JAIL : outcome(child));
    return 1;
}

/* --- files: a tree of their own ------------------------------------------------------------------------------------ */

enum { MOST_PLACES = 64, LONGEST_PATH = 4096 };

static int is_folder(word fd)
{
    enum { NO_PATH = 0x1000, NEEDS_TYPE = 1, FOLDER = 0040000, KIND = 0170000 };
    struct { uint32_t mask, block; uint64_t attributes; uint32_t links, user, group; uint16_t mode; char rest[256]; } found;
    return !failed(system_call(__NR_statx, fd, (word) "", NO_PATH, NEEDS_TYPE, (word)&found, 0)) &&
           (found.mode & KIND) == FOLDER;
}

static int exists(const char *path)
{
    return !failed(system_call(__NR_faccessat, (word)AT_CWD, (word)path, 0, 0, 0, 0));
}

/* Make the folders of a path below the present folder, and at its end a folder or an empty file. */
static void make_place(const char *path, int folder)
{
    char text[LONGEST_PATH];
    word n = 0;
    while (*path == '/')
        path++;
    for (; *path != 0 && n + 1 < sizeof text; path++) {
        if (*path == '/') {
            text[n] = 0;
            system_call(__NR_mkdirat, (word)AT_CWD, (word)text, 0755, 0, 0, 0);
        }
        text[n++] = *path;
    }
    text[n] = 0;
    if (folder)
        system_call(__NR_mkdirat, (word)AT_CWD, (word)text, 0755, 0, 0, 0);
    else
        CALL(close, system_call(__NR_openat, (word)AT_CWD, (word)text, 0101 | CLOSE_ON_EXEC, 0644, 0, 0), 0, 0);
}

/* Leave nothing to be seen but the places named: not even whether another file exists. They are taken out of the old tree
 * before it is covered.
 * Gives whether nothing else is to be seen. */
static int hide_files(char **words)
{
    enum { REMAKE_PRIVATE = 0x44000, CLONE_TREE = 1, WITH_BELOW = 0x8000, NO_PATH = 0x1000, FROM_FD = 4, DETACH = 2 };
    static char here[LONGEST_PATH];
    word trees[MOST_PLACES], places = 0, i = 0, processes;
    if (failed(CALL(getcwd, here, sizeof here, 0)) ||
        failed(system_call(__NR_mount, 0, (word) "/", 0, REMAKE_PRIVATE, 0, 0)))
        return 0;
    for (char **each = words; *each != NULL; each++)
        if (place_of(*each) != NULL && places < MOST_PLACES) {
            word flags = CLONE_TREE | WITH_BELOW | CLOSE_ON_EXEC;
            trees[places++] = CALL(open_tree, AT_CWD, place_of(*each), flags);
        }
    processes = CALL(open_tree, AT_CWD, "/proc", CLONE_TREE | WITH_BELOW | CLOSE_ON_EXEC);
    if (failed(system_call(__NR_mount, (word) "none", (word) "/tmp", (word) "tmpfs", 0, (word) "size=1m", 0)))
        return 0;
    if (failed(CALL(chdir, "/tmp", 0, 0)))
        end(NO_JAIL);
    for (char **each = words; *each != NULL; each++) {
        const char *path = place_of(*each);
        if (path == NULL || i == places)
            continue;
        word tree = trees[i++];
        if (failed(tree))
            continue; /* there is no such place */
        while (*path == '/')
            path++;
        if (*path == 0 || exists(path))
            continue; /* it is below a place that is there already */
        make_place(path, is_folder(tree));
        if (failed(system_call(__NR_move_mount, tree, (word) "", (word)AT_CWD, (word)path, FROM_FD, 0)))
            end(NO_JAIL);
        CALL(close, tree, 0, 0);
    }
    /* The compiler asks there where it lies itself. The kernel may refuse a new one inside of a container. */
    make_place("proc", 1);
    int own = !failed(system_call(__NR_mount, (word) "none", (word) "proc", (word) "proc", 0, 0, 0));
    if (!own && failed(system_call(__NR_move_mount, processes, (word) "", (word)AT_CWD, (word) "proc", FROM_FD, 0)))
        end(NO_JAIL);
    if (failed(CALL(pivot_root, ".", ".", 0)) || failed(CALL(umount2, ".", DETACH, 0)))
        end(NO_JAIL);
    CALL(chdir, here, 0, 0);
    return own;
}

/* --- the start ----------------------------------------------------------------------------------------------------- */

static int has(char **words, const char *wanted)
{
    for (; *words != NULL; words++)
        if (same(*words, wanted))
            return 1;
    return 0;
}

static const char *value(char **words, const char *name)
{
    const char *found;
    for (; *words != NULL; words++)
        if ((found = after(*words, name)) != NULL)
            return found;
    end(MISUSED);
}

/* Each layer is tried in a process of its own. */
static _Noreturn void probe(void)
{
    char room[21];
    word child = fork();
    if (child == 0)
        end(filter_tool() ? 0 : 1);
    say(outcome(child) == 0 ? "filter=1" : "filter=0");
    say("\nlandlock=");
    say(digits(landlock_version(), room));
    child = fork();
    if (child == 0)
        end(unshare_world() && !failed(fork()) ? 0 : 1);
    say(outcome(child) == 0 ? "\nworld=1\n" : "\nworld=0\n");
    end(0);
}

__attribute__((used)) static _Noreturn void begin(word *stack)
{
    enum { OLDEST_LANDLOCK = 2 }; /* before it files cannot be moved between folders, which the compiler does */
    word count = stack[0];
    char **words = (char **)(stack + 1), **environment = words + count + 1, **command;
    if (count == 2 && same(words[1], "probe"))
        probe();
    for (command = ++words; *command != NULL && !same(*command, "--"); command++)
        continue;
    if (*command == NULL || command[1] == NULL)
        end(MISUSED);
    *command++ = NULL; /* the words end here */
    end_with_parent();
    if (CALL(getppid, 0, 0, 0) != number(value(words, "parent=")))
        end(NO_JAIL); /* soid has ended meanwhile */
    int hidden = has(words, "alone") && alone() && has(words, "strict") && hide_files(words);
    if (!same(value(words, "filter="), "all"))
        drop_powers(same(value(words, "filter="), "tool") || same(value(words, "filter="), "library"));
    if (names_places(words) && landlock_version() >= OLDEST_LANDLOCK) {
        if (!lock_files(words))
            end(NO_JAIL);
    } else if (!hidden && has(words, "strict"))
        end(NO_JAIL);
    limits(words);
    if (!filter_by_name(value(words, "filter=")) && !has(words, "lenient"))
        end(NO_JAIL);
    CALL(execve, command[0], command, environment);
    end(NO_COMMAND);
}

#if defined(__x86_64__)
__asm__(".text\n.globl _start\n.type _start,@function\n_start:\nxor %ebp, %ebp\nmov %rsp, %rdi\nand $-16, %rsp\ncall begin\nhlt\n");
#else
__asm__(".text\n.globl _start\n.type _start,@function\n_start:\nmov x29, #0\nmov x30, #0\nmov x0, sp\nbl begin\nbrk #0\n");
#endif
