/* seccomp.c - the list of system calls that drawing needs; others kill.
 *
 * Measured for poppler-glib 22.12, cairo 1.16 and fontconfig 2.14 (docs/notes/pages.md,
 * "The sandbox"). Pictures need no file but the one that is open: for them the
 * calls that name files are left out.
 */
#define _GNU_SOURCE 1 /* AT_EMPTY_PATH */

#include "stages/children/sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#    define ARCH    AUDIT_ARCH_X86_64
#    define X32_BIT 0x40000000u
#elif defined(__aarch64__)
#    define ARCH    AUDIT_ARCH_AARCH64
#    define X32_BIT 0u
#else
#    error "seccomp.c: no system call numbers for this architecture"
#endif

/* A call is allowed when (argument & mask) == want; where it is not, it fails
 * with errno `otherwise` (0: the process is killed). Mask 0: always allowed. */
struct call_rule {
    int call;
    int argument;
    uint32_t mask, want;
    int otherwise;
};

#define ALWAYS(name)           \
    {                          \
        SYS_##name, 0, 0, 0, 0 \
    }
#define NEVER(name, error)         \
    {                              \
        SYS_##name, 0, 0, 1, error \
    }

enum { WRITING = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND };

static const struct call_rule every[] = {
    ALWAYS(read),
    ALWAYS(write),
    ALWAYS(writev),
    ALWAYS(pread64),
    ALWAYS(lseek),
    ALWAYS(close),
    ALWAYS(fstat),
    ALWAYS(munmap),
    ALWAYS(mremap),
    ALWAYS(brk),
    ALWAYS(madvise),
    ALWAYS(futex),
    ALWAYS(exit),
    ALWAYS(exit_group),
    ALWAYS(rt_sigaction),
    ALWAYS(rt_sigprocmask),
    ALWAYS(rt_sigreturn),
    ALWAYS(sigaltstack),
    ALWAYS(restart_syscall),
    ALWAYS(getpid),
    ALWAYS(gettid),
    ALWAYS(getuid),
    ALWAYS(geteuid),
    ALWAYS(getgid),
    ALWAYS(getegid),
    ALWAYS(clock_gettime),
    ALWAYS(clock_getres),
    ALWAYS(gettimeofday),
    ALWAYS(getrandom),
    ALWAYS(sched_yield),
    ALWAYS(sched_getaffinity),
    ALWAYS(uname),
    ALWAYS(sysinfo),
    ALWAYS(dup),
    ALWAYS(fadvise64),
    /* no code is made or loaded from here on */
    {SYS_mmap, 2, PROT_EXEC, 0, EPERM},
    {SYS_mprotect, 2, PROT_EXEC, 0, EPERM},
    {SYS_fcntl, 1, ~0u, F_GETFL, 0},
    {SYS_fcntl, 1, ~0u, F_GETFD, 0},
    {SYS_fcntl, 1, ~0u, F_SETFD, 0},
    {SYS_fcntl, 1, ~0u, F_DUPFD_CLOEXEC, 0},
    /* its own limits, below their ceilings; nobody else's */
    {SYS_prlimit64, 0, ~0u, 0, EPERM},
    NEVER(ioctl, ENOTTY),
    NEVER(getpeername, ENOTSOCK)};

static const struct call_rule files[] = {
    {SYS_openat, 2, WRITING, 0, EACCES},
    ALWAYS(newfstatat),
    ALWAYS(getdents64),
    ALWAYS(readlinkat),
    ALWAYS(faccessat),
    ALWAYS(statfs),
    ALWAYS(fstatfs),
#ifdef __x86_64__
    ALWAYS(access),
    ALWAYS(readlink),
    {SYS_open, 1, WRITING, 0, EACCES},
    ALWAYS(stat),
    ALWAYS(lstat),
#endif
};

/* Pictures: naming a file is an error, not a crime (C libraries look for
 * message catalogues and time zones); fstat is newfstatat in newer ones. */
static const struct call_rule no_files[] = {
    NEVER(openat, EACCES),     {SYS_newfstatat, 3, ~0u, AT_EMPTY_PATH, EACCES},
    NEVER(readlinkat, EACCES), NEVER(faccessat, EACCES),
#ifdef __x86_64__
    NEVER(open, EACCES),       NEVER(access, EACCES),
    NEVER(readlink, EACCES),
#endif
};

enum { CODE_MAX = 512, RULE_STEPS = 8 };

struct program {
    struct sock_filter code[CODE_MAX];
    unsigned short n;
};

static void step(struct program *p, unsigned code, uint32_t k, unsigned yes,
                 unsigned no)
{
    p->code[p->n++] =
        (struct sock_filter){(uint16_t)code, (uint8_t)yes, (uint8_t)no, k};
}

static void load(struct program *p, size_t offset)
{
    step(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void answer(struct program *p, uint32_t action)
{
    step(p, BPF_RET | BPF_K, action, 0, 0);
}

static uint32_t refusal(int error)
{
    return error ? SECCOMP_RET_ERRNO | (uint32_t)error
                 : SECCOMP_RET_KILL_PROCESS;
}

/* The call's number is in the accumulator before and after each rule. Rules
 * for one call follow one another; the first that holds allows it, and the
 * last says what happens otherwise. */
static void add_rules(struct program *p, const struct call_rule *rule, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct call_rule *r = &rule[i];
        bool is_last = i + 1 == n || rule[i + 1].call != r->call;
        if (r->mask == 0) {
            step(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)r->call, 0, 1);
            answer(p, r->want ? refusal(r->otherwise) : SECCOMP_RET_ALLOW);
            continue;
        }
        size_t low = offsetof(struct seccomp_data, args) +
                     8 * (size_t)r->argument; /* little-endian */
        step(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)r->call, 0, 6);
        load(p, low);
        step(p, BPF_ALU | BPF_AND | BPF_K, r->mask, 0, 0);
        step(p, BPF_JMP | BPF_JEQ | BPF_K, r->want, 0, 1);
        answer(p, SECCOMP_RET_ALLOW);
        load(p, offsetof(struct seccomp_data, nr));
        if (is_last)
            answer(p, refusal(r->otherwise));
        else
            step(p, BPF_JMP | BPF_JA, 0, 0, 0);
    }
}

static void add_signal_to_self(struct program *p)
{
    /* abort() sends itself a signal, and may send none to anybody else */
    const struct call_rule own[] = {
        {SYS_tgkill, 0, ~0u, (uint32_t)getpid(), 0},
    };
    add_rules(p, own, 1);
}

unsigned sandbox_seccomp(bool may_open_files)
{
    struct program p = {.n = 0};
    load(&p, offsetof(struct seccomp_data, arch));
    step(&p, BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
    answer(&p, SECCOMP_RET_KILL_PROCESS);
    load(&p, offsetof(struct seccomp_data, nr));
    if (X32_BIT) {
        step(&p, BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
        answer(&p, SECCOMP_RET_KILL_PROCESS);
    }
    add_rules(&p, every, sizeof every / sizeof every[0]);
    add_signal_to_self(&p);
    if (may_open_files)
        add_rules(&p, files, sizeof files / sizeof files[0]);
    else
        add_rules(&p, no_files, sizeof no_files / sizeof no_files[0]);
    answer(&p, SECCOMP_RET_KILL_PROCESS);
    struct sock_fprog filter = {p.n, p.code};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter)
               ? 0
               : SANDBOX_SECCOMP;
}
