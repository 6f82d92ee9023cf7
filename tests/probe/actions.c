/* actions.c - see actions.h. */
#define _GNU_SOURCE 1

#include "tests/probe/actions.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static const char target[] = "/tmp/wall-probe-target";

static long own_page(int protection, int flags)
{
    void *p = mmap(NULL, 4096, protection, MAP_PRIVATE | flags, -1, 0);
    return p == MAP_FAILED ? -1 : 0;
}

static long reach_address(int type)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(9),
                             .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, type, 0);
    if (fd < 0) return -1;
    return connect(fd, (struct sockaddr *)&to, sizeof to) &&
                   errno != ECONNREFUSED
               ? -1
               : 0;
}

static long open_of_parent(const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)getppid(), name);
    return open(path, O_RDONLY);
}

static long raise_limit(int what)
{
    struct rlimit endless = {RLIM_INFINITY, RLIM_INFINITY};
    return setrlimit((__rlimit_resource_t)what, &endless);
}

/* A call that fails for its arguments was let through. */
static long let_through(long result, int error)
{
    return result >= 0 || errno == error ? 0 : -1;
}

static void *nothing(void *arg)
{
    return arg;
}

#define TRY(name, ...)                                   \
    static long try_##name(const struct actions_held *h) \
    {                                                    \
        (void)h;                                         \
        __VA_ARGS__                                      \
    }

TRY(open_secret, return open("/etc/passwd", O_RDONLY);)
TRY(open_shadow, return open("/etc/shadow", O_RDONLY);)
TRY(open_font, return open("/usr/share/fonts", O_RDONLY | O_DIRECTORY);)
TRY(open_parent_memory, return open_of_parent("mem");)
TRY(open_parent_environment, return open_of_parent("environ");)
TRY(open_parent_descriptor, return open_of_parent("fd/2");)
TRY(open_own_memory, return open("/proc/self/mem", O_RDWR);)
TRY(open_device, return open("/dev/zero", O_RDWR);)
TRY(open_by_handle,
    return let_through(syscall(SYS_open_by_handle_at, AT_FDCWD, NULL, 0),
                       EFAULT);)
TRY(write_file, return open("/tmp/wall-probe", O_WRONLY | O_CREAT, 0600);)
TRY(truncate, return truncate(target, 0);)
TRY(chmod, return chmod(target, 0777);)
TRY(chown, return chown(target, 1, 1);)
TRY(unlink, return unlink(target);)
TRY(rename, return rename(target, "/tmp/wall-probe");)
TRY(link, return link(target, "/tmp/wall-probe");)
TRY(symlink, return symlink(target, "/tmp/wall-probe");)
TRY(mkdir, return mkdir("/tmp/wall-probe", 0700);)
TRY(mknod, return mknod("/tmp/wall-probe", S_IFIFO | 0600, 0);)
TRY(set_times, return utimes(target, NULL);)
TRY(watch, return inotify_add_watch(inotify_init(), target, IN_ACCESS);)
TRY(fanotify, return fanotify_init(0, O_RDONLY);)
TRY(read_closed, char c; return pread(h->secret, &c, 1, 0);)
TRY(write_open, return pwrite(h->file, "x", 1, 0);)
TRY(write_beyond, return pwrite(h->file, "x", 1, ACTIONS_FILE_BYTES);)
TRY(poll, struct pollfd p = {.fd = h->socket[0], .events = POLLOUT};
    return poll(&p, 1, 0);)
TRY(send, return send(h->socket[0], "x", 1, MSG_NOSIGNAL);)
TRY(socket, return socket(AF_INET, SOCK_STREAM, 0);)
TRY(unix_socket, return socket(AF_UNIX, SOCK_STREAM, 0);)
TRY(packet_socket, return socket(AF_PACKET, SOCK_RAW, 0);)
TRY(raw_socket, return socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);)
TRY(reach_network, return reach_address(SOCK_DGRAM);)
TRY(connect, return reach_address(SOCK_STREAM);)
TRY(listen,
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(47911)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&any, sizeof any)) return -1;
    return listen(fd, 1);)
TRY(thread, pthread_t thread;
    errno = pthread_create(&thread, NULL, nothing, NULL);
    return errno ? -1 : pthread_join(thread, NULL);)
TRY(fork, long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) _exit(0); return pid;)
TRY(clone3, return let_through(syscall(SYS_clone3, NULL, 0), EINVAL);)
TRY(exec, char *const argument[] = {(char[]){"true"}, NULL};
    return execv("/bin/true", argument);)
TRY(exec_open, char *const argument[] = {(char[]){"x"}, NULL};
    return let_through(syscall(SYS_execveat, h->file, "", argument, NULL,
                               AT_EMPTY_PATH),
                       EACCES);)
TRY(ptrace, return ptrace(PTRACE_ATTACH, getppid(), NULL, NULL);)
TRY(kill_parent, return kill(getppid(), SIGURG);)
TRY(kill_all, return kill(-1, 0);)
TRY(tkill_parent, return syscall(SYS_tgkill, getppid(), getppid(), SIGURG);)
TRY(queue_parent, siginfo_t info = {.si_signo = SIGURG, .si_code = SI_QUEUE};
    return syscall(SYS_rt_sigqueueinfo, getppid(), SIGURG, &info);)
TRY(pidfd, return syscall(SYS_pidfd_open, getppid(), 0);)
TRY(process_memory, char c;
    struct iovec own = {&c, 1}, other = {(void *)&target, 1};
    return syscall(SYS_process_vm_readv, getppid(), &own, 1, &other, 1, 0);)
TRY(limit_parent, struct rlimit none = {0, 0};
    return prlimit(getppid(), RLIMIT_CPU, &none, NULL);)
TRY(priority, return setpriority(PRIO_PROCESS, 0, -20);)
TRY(affinity, cpu_set_t one = {0}; CPU_SET(0, &one);
    return sched_setaffinity(getppid(), sizeof one, &one);)
TRY(io_uring, return let_through(syscall(SYS_io_uring_setup, 1, NULL), EFAULT);)
TRY(userfaultfd, return syscall(SYS_userfaultfd, 0);)
TRY(bpf, return let_through(syscall(SYS_bpf, 0, NULL, 0), EINVAL);)
TRY(perf, return let_through(syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0),
                             EFAULT);)
TRY(keyctl, return syscall(SYS_keyctl, 0, -3, 1);)
TRY(map_code, return own_page(PROT_READ | PROT_EXEC, MAP_ANONYMOUS);)
TRY(make_code, void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return mprotect(p, 4096, PROT_READ | PROT_EXEC);)
TRY(memory_file, return memfd_create("x", 0);)
TRY(shared_memory, return shmget(IPC_PRIVATE, 4096, 0600);)
TRY(message_queue, return msgget(IPC_PRIVATE, 0600);)
TRY(mount, return mount("none", "/mnt", "tmpfs", 0, NULL);)
TRY(chroot, return chroot("/");)
TRY(unshare, return unshare(CLONE_NEWUSER);)
TRY(module,
    return let_through(syscall(SYS_init_module, NULL, 0, NULL), EFAULT);)
TRY(set_time, struct timeval now = {1, 0}; return settimeofday(&now, NULL);)
TRY(host_name, return sethostname("x", 1);)
TRY(reboot, return reboot(RB_DISABLE_CAD);)
TRY(terminal, return ioctl(0, TIOCSTI, "x");)
TRY(landlock_again, return syscall(SYS_landlock_create_ruleset, NULL, 0, 1);)
TRY(dumpable, return prctl(PR_SET_DUMPABLE, 1);)
TRY(raise_memory, return raise_limit(RLIMIT_FSIZE);)
TRY(raise_files, return raise_limit(RLIMIT_NOFILE);)
TRY(raise_cpu, return raise_limit(RLIMIT_CPU);)
TRY(become_root, return setresuid(0, 0, 0);)

static const struct {
    const char *name;
    long (*attempt)(const struct actions_held *);
} actions[] = {
    {"open-secret", try_open_secret},
    {"open-shadow", try_open_shadow},
    {"open-font", try_open_font},
    {"open-parent-memory", try_open_parent_memory},
    {"open-parent-environment", try_open_parent_environment},
    {"open-parent-descriptor", try_open_parent_descriptor},
    {"open-own-memory", try_open_own_memory},
    {"open-device", try_open_device},
    {"open-by-handle", try_open_by_handle},
    {"write-file", try_write_file},
    {"truncate", try_truncate},
    {"chmod", try_chmod},
    {"chown", try_chown},
    {"unlink", try_unlink},
    {"rename", try_rename},
    {"link", try_link},
    {"symlink", try_symlink},
    {"mkdir", try_mkdir},
    {"mknod", try_mknod},
    {"set-times", try_set_times},
    {"watch", try_watch},
    {"fanotify", try_fanotify},
    {"read-closed", try_read_closed},
    {"write-open", try_write_open},
    {"write-beyond", try_write_beyond},
    {"poll", try_poll},
    {"send", try_send},
    {"socket", try_socket},
    {"unix-socket", try_unix_socket},
    {"packet-socket", try_packet_socket},
    {"raw-socket", try_raw_socket},
    {"reach-network", try_reach_network},
    {"connect", try_connect},
    {"listen", try_listen},
    {"thread", try_thread},
    {"fork", try_fork},
    {"clone3", try_clone3},
    {"exec", try_exec},
    {"exec-open", try_exec_open},
    {"ptrace", try_ptrace},
    {"kill-parent", try_kill_parent},
    {"kill-all", try_kill_all},
    {"tkill-parent", try_tkill_parent},
    {"queue-parent", try_queue_parent},
    {"pidfd", try_pidfd},
    {"process-memory", try_process_memory},
    {"limit-parent", try_limit_parent},
    {"priority", try_priority},
    {"affinity", try_affinity},
    {"io-uring", try_io_uring},
    {"userfaultfd", try_userfaultfd},
    {"bpf", try_bpf},
    {"perf", try_perf},
    {"keyctl", try_keyctl},
    {"map-code", try_map_code},
    {"make-code", try_make_code},
    {"memory-file", try_memory_file},
    {"shared-memory", try_shared_memory},
    {"message-queue", try_message_queue},
    {"mount", try_mount},
    {"chroot", try_chroot},
    {"unshare", try_unshare},
    {"module", try_module},
    {"set-time", try_set_time},
    {"host-name", try_host_name},
    {"reboot", try_reboot},
    {"terminal", try_terminal},
    {"landlock-again", try_landlock_again},
    {"dumpable", try_dumpable},
    {"raise-memory", try_raise_memory},
    {"raise-files", try_raise_files},
    {"raise-cpu", try_raise_cpu},
    {"become-root", try_become_root},
};

const char *actions_name(size_t i)
{
    return i < sizeof actions / sizeof actions[0] ? actions[i].name : NULL;
}

int actions_try(const char *name, const struct actions_held *held)
{
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
        if (!strcmp(actions[i].name, name))
            return actions[i].attempt(held) < 0 ? 0 : 1;
    return -1;
}
