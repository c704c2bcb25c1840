/* SPDX-License-Identifier: MIT */
/* Owns tracing a program's calls that change files. */
#include "tests/support/recorded.h"

#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROOM ((size_t)1 << 28) /* address space; what is not used takes no memory */
#define FILES_MAX 512

/* --- the filter ------------------------------------------------------------------------------- */

static const int watched[] = {
#ifdef SYS_open
    SYS_open,     SYS_creat,     SYS_rename,    SYS_link,      SYS_unlink,
    SYS_mkdir,    SYS_rmdir,
#endif
    SYS_openat,   SYS_write,     SYS_writev,    SYS_pwrite64,  SYS_pwritev,
    SYS_sendfile, SYS_ftruncate, SYS_truncate,  SYS_fallocate, SYS_copy_file_range,
    SYS_mmap,     SYS_fsync,     SYS_fdatasync, SYS_renameat,  SYS_renameat2,
    SYS_linkat,   SYS_symlinkat, SYS_unlinkat,  SYS_mkdirat,
};
#define WATCHED (sizeof watched / sizeof watched[0])

static bool filter_calls(void)
{
    struct sock_filter filter[WATCHED + 3];
    struct sock_fprog program = {.filter = filter, .len = WATCHED + 3};

    filter[0] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < WATCHED; i++)
        filter[i + 1] = (struct sock_filter)BPF_JUMP(
            BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)watched[i], (uint8_t)(WATCHED - i), 0);
    filter[WATCHED + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[WATCHED + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

/* --- the record ------------------------------------------------------------------------------- */

struct recording *recording_of(const char *folder)
{
    struct recording *r =
        mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (r == MAP_FAILED || !realpath(folder, r->folder))
        abort();
    r->room = ROOM - sizeof *r;
    return r;
}

void recording_free(struct recording *recording) { munmap(recording, ROOM); }

const struct change *recording_next(const struct recording *r, const struct change *change)
{
    const uint8_t *next =
        change ? (const uint8_t *)change + change->size : (const uint8_t *)r->records;

    return next < r->records + r->used ? (const void *)next : NULL;
}

static struct change *change_add(struct recording *r, enum change_kind kind, int file,
                                 uint64_t count)
{
    size_t size = (sizeof(struct change) + count + 15) & ~(size_t)15;
    struct change *change = (void *)(r->records + r->used);

    if (r->used + size > r->room)
        abort();
    *change = (struct change){.kind = kind, .file = file, .count = count, .size = size};
    r->used += size;
    r->changes++;
    return change;
}

static void add_paths(struct recording *r, enum change_kind kind, int file, const char *path,
                      const char *to)
{
    struct change *change = change_add(r, kind, file, 0);

    snprintf(change->path, sizeof change->path, "%s", path);
    snprintf(change->to, sizeof change->to, "%s", to);
}

const char *change_text(const struct change *c)
{
    static char text[700];

    switch (c->kind) {
    case CHANGE_OPEN:
        snprintf(text, sizeof text, "open %s (file %d)", c->path, c->file);
        break;
    case CHANGE_CREATE:
        snprintf(text, sizeof text, "create %s (file %d)", c->path, c->file);
        break;
    case CHANGE_WRITE:
        snprintf(text, sizeof text, "write %" PRIu64 " bytes at %" PRIu64 " of file %d", c->count,
                 c->offset, c->file);
        break;
    case CHANGE_CUT:
        snprintf(text, sizeof text, "cut file %d to %" PRIu64 " bytes", c->file, c->offset);
        break;
    case CHANGE_SYNC:
        snprintf(text, sizeof text, "fsync file %d", c->file);
        break;
    case CHANGE_SYNC_FOLDER:
        snprintf(text, sizeof text, "fsync folder '%s'", c->path);
        break;
    case CHANGE_RENAME:
        snprintf(text, sizeof text, "rename %s to %s", c->path, c->to);
        break;
    case CHANGE_LINK:
        snprintf(text, sizeof text, "link %s to %s", c->path, c->to);
        break;
    case CHANGE_REMOVE:
        snprintf(text, sizeof text, "remove %s", c->path);
        break;
    case CHANGE_MAKE_FOLDER:
        snprintf(text, sizeof text, "make folder %s", c->path);
        break;
    case CHANGE_UNKNOWN:
        snprintf(text, sizeof text, "unknown change of %s", c->path);
        break;
    }
    return text;
}

/* --- whose file ------------------------------------------------------------------------------- */

/* Files by their inodes, which a later file may get again. */
struct tracer {
    struct recording *recording;
    ino_t inode[FILES_MAX]; /* of file i + 1; 0: it is gone */
};

static int file_of(const struct tracer *t, ino_t inode)
{
    for (int i = t->recording->files - 1; i >= 0; i--)
        if (t->inode[i] == inode)
            return i + 1;
    return 0;
}

static int new_file(struct tracer *t, ino_t inode)
{
    int known = file_of(t, inode);

    if (t->recording->files == FILES_MAX)
        abort();
    if (known)
        t->inode[known - 1] = 0;
    t->inode[t->recording->files] = inode;
    return ++t->recording->files;
}

/* Makes of an absolute path, whose last part need not be there, one below the folder. */
static bool is_below(const struct tracer *t, const char *absolute, char below[256])
{
    char copy[PATH_MAX], real[PATH_MAX], name[PATH_MAX], whole[2 * PATH_MAX];
    size_t length = strlen(t->recording->folder);

    snprintf(copy, sizeof copy, "%s", absolute);
    snprintf(name, sizeof name, "%s", basename(copy));
    snprintf(copy, sizeof copy, "%s", absolute);
    if (!realpath(absolute, whole)) {
        if (!realpath(dirname(copy), real))
            return false;
        snprintf(whole, sizeof whole, "%s/%s", real, name);
    }
    if (strncmp(whole, t->recording->folder, length) != 0 ||
        (whole[length] && whole[length] != '/'))
        return false;
    snprintf(below, 256, "%.255s", whole + length + (whole[length] == '/'));
    return true;
}

/* The path that a call names by a folder's descriptor and a text of the process. */
static bool named(const struct tracer *t, pid_t tid, uint64_t folder, uint64_t text,
                  char below[256])
{
    char path[PATH_MAX] = "", link[64], absolute[2 * PATH_MAX];
    size_t used = 0;
    ssize_t length;

    while (used < sizeof path - 1) { /* up to the end of a page at a time */
        size_t room = 4096 - (text + used) % 4096;
        struct iovec here = {path + used, room < sizeof path - used ? room : sizeof path - used};
        struct iovec there = {(void *)(uintptr_t)(text + used), here.iov_len};
        ssize_t got = process_vm_readv(tid, &here, 1, &there, 1, 0);

        if (got <= 0)
            return false;
        if (memchr(path + used, 0, (size_t)got))
            break;
        used += (size_t)got;
    }
    if (path[0] == '/')
        return is_below(t, path, below);
    if ((int)folder == AT_FDCWD)
        snprintf(link, sizeof link, "/proc/%d/cwd", (int)tid);
    else
        snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)tid, (int)folder);
    length = readlink(link, absolute, PATH_MAX - 1);
    if (length < 0)
        return false;
    snprintf(absolute + length, sizeof absolute - (size_t)length, "/%s", path);
    return is_below(t, absolute, below);
}

/* Whether a descriptor is of a file or folder below the folder; its path may be that of a file that
 * is no longer there. */
static bool opened(const struct tracer *t, pid_t tid, uint64_t fd, struct stat *status,
                   char below[256])
{
    char link[64], path[PATH_MAX];
    size_t length = strlen(t->recording->folder);
    ssize_t got;

    snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)tid, (int)fd);
    got = readlink(link, path, sizeof path - 1);
    if (got < 0 || stat(link, status) != 0)
        return false;
    path[got] = '\0';
    if (strncmp(path, t->recording->folder, length) != 0 || (path[length] && path[length] != '/'))
        return false;
    snprintf(below, 256, "%.255s", path + length + (path[length] == '/'));
    return S_ISREG(status->st_mode) || S_ISDIR(status->st_mode);
}

/* --- calls ------------------------------------------------------------------------------------ */

/* A call that is about to be made, as its form of the *at calls. */
struct call {
    int number;
    uint64_t argument[6];
    bool watched, was_there;
    char path[256], to[256];
    struct stat status; /* of its descriptor */
};

static void shift(struct call *call, int number, int folders)
{
    uint64_t a = call->argument[0], b = call->argument[1], c = call->argument[2];

    call->number = number;
    call->argument[0] = (uint64_t)AT_FDCWD;
    call->argument[1] = a;
    call->argument[2] = folders == 2 ? (uint64_t)AT_FDCWD : b;
    call->argument[3] = folders == 2 ? b : c;
}

static void normalise(struct call *call)
{
    switch (call->number) {
#ifdef SYS_open
    case SYS_creat:
        shift(call, SYS_openat, 1);
        call->argument[2] = O_CREAT | O_TRUNC | O_WRONLY;
        break;
    case SYS_open:
        shift(call, SYS_openat, 1);
        break;
    case SYS_rename:
        shift(call, SYS_renameat, 2);
        break;
    case SYS_link:
        shift(call, SYS_linkat, 2);
        break;
    case SYS_mkdir:
        shift(call, SYS_mkdirat, 1);
        break;
    case SYS_unlink:
    case SYS_rmdir:
        shift(call, SYS_unlinkat, 1);
        break;
#endif
    case SYS_renameat2:
        call->number = SYS_renameat;
        break;
    case SYS_fdatasync:
        call->number = SYS_fsync;
        break;
    default:
        break;
    }
}

/* Whether the call, before it is made, may change something below the folder. */
static bool concerns(const struct tracer *t, pid_t tid, struct call *call)
{
    const uint64_t *a = call->argument;
    char whole[PATH_MAX + 256];

    switch (call->number) {
    case SYS_openat:
        if (!(a[2] & (O_CREAT | O_WRONLY | O_RDWR | O_TRUNC)) ||
            !named(t, tid, a[0], a[1], call->path))
            return false;
        snprintf(whole, sizeof whole, "%s/%s", t->recording->folder, call->path);
        call->was_there = access(whole, F_OK) == 0;
        return true;
    case SYS_renameat:
    case SYS_linkat: {
        bool from = named(t, tid, a[0], a[1], call->path);
        bool to = named(t, tid, a[2], a[3], call->to);

        return from || to;
    }
    case SYS_symlinkat:
        return named(t, tid, a[1], a[2], call->path);
    case SYS_truncate:
        return named(t, tid, (uint64_t)AT_FDCWD, a[0], call->path);
    case SYS_unlinkat:
    case SYS_mkdirat:
        return named(t, tid, a[0], a[1], call->path);
    case SYS_mmap:
        return (a[3] & MAP_TYPE) == MAP_SHARED && (a[2] & PROT_WRITE) && (int)a[4] >= 0 &&
               opened(t, tid, a[4], &call->status, call->path);
    case SYS_copy_file_range:
        return opened(t, tid, a[2], &call->status, call->path);
    default:
        return opened(t, tid, a[0], &call->status, call->path);
    }
}

static void record_open(struct tracer *t, pid_t tid, const struct call *call, int64_t fd)
{
    char below[256];
    struct stat status;
    int file;

    if (!opened(t, tid, (uint64_t)fd, &status, below) || !S_ISREG(status.st_mode))
        return;
    file = call->was_there ? file_of(t, status.st_ino) : 0;
    if (!file) {
        file = new_file(t, status.st_ino);
        add_paths(t->recording, call->was_there ? CHANGE_OPEN : CHANGE_CREATE, file, call->path,
                  "");
    }
    if (call->was_there && (call->argument[2] & O_TRUNC))
        change_add(t->recording, CHANGE_CUT, file, 0);
}

static uint64_t position(pid_t tid, uint64_t fd)
{
    char path[64];
    uint64_t at = 0;
    FILE *info;

    snprintf(path, sizeof path, "/proc/%d/fdinfo/%d", (int)tid, (int)fd);
    info = fopen(path, "re");
    if (!info || fscanf(info, "pos: %" SCNu64, &at) != 1)
        abort();
    fclose(info);
    return at;
}

/* The bytes are read from the file, where they now stand. */
static void record_write(struct tracer *t, pid_t tid, const struct call *call, uint64_t count)
{
    const uint64_t *a = call->argument;
    uint64_t fd = call->number == SYS_copy_file_range ? a[2] : a[0];
    bool placed = call->number == SYS_pwrite64 || call->number == SYS_pwritev ||
                  (call->number == SYS_copy_file_range && a[3]);
    struct change *change =
        change_add(t->recording, CHANGE_WRITE, file_of(t, call->status.st_ino), count);
    char path[64];
    int own;

    if (call->number == SYS_copy_file_range && a[3])
        change->kind = CHANGE_UNKNOWN;
    change->offset = placed ? a[3] : position(tid, fd) - count;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)tid, (int)fd);
    own = open(path, O_RDONLY | O_CLOEXEC);
    if (own < 0 || pread(own, change->bytes, count, (off_t)change->offset) != (ssize_t)count)
        abort();
    close(own);
}

static void record_call(struct tracer *t, pid_t tid, const struct call *call, int64_t result)
{
    struct recording *r = t->recording;
    int file = file_of(t, call->status.st_ino);

    if (result < 0)
        return;
    switch (call->number) {
    case SYS_openat:
        record_open(t, tid, call, result);
        break;
    case SYS_write:
    case SYS_writev:
    case SYS_pwrite64:
    case SYS_pwritev:
    case SYS_sendfile:
    case SYS_copy_file_range:
        if (result > 0)
            record_write(t, tid, call, (uint64_t)result);
        break;
    case SYS_ftruncate:
        change_add(r, CHANGE_CUT, file, 0)->offset = call->argument[1];
        break;
    case SYS_fsync:
        if (S_ISDIR(call->status.st_mode))
            add_paths(r, CHANGE_SYNC_FOLDER, 0, call->path, "");
        else
            change_add(r, CHANGE_SYNC, file, 0);
        break;
    case SYS_renameat:
        add_paths(r, CHANGE_RENAME, 0, call->path, call->to);
        break;
    case SYS_linkat:
        add_paths(r, CHANGE_LINK, 0, call->path, call->to);
        break;
    case SYS_unlinkat:
        add_paths(r, CHANGE_REMOVE, 0, call->path, "");
        break;
    case SYS_mkdirat:
        add_paths(r, CHANGE_MAKE_FOLDER, 0, call->path, "");
        break;
    default:
        add_paths(r, CHANGE_UNKNOWN, 0, call->path, "");
        break;
    }
}

/* --- tracing ---------------------------------------------------------------------------------- */

static int resume(pid_t tid, int how, int signal_number)
{
    return (int)ptrace(how, tid, NULL, (void *)(uintptr_t)signal_number);
}

/* Which signal a stopped process is to get; one that stops it stays with it. */
static int signal_of(int status)
{
    int number = WSTOPSIG(status);

    return status >> 16 ? 0 : number == SIGTRAP ? 0 : number;
}

/* A call that concerns the folder is made to its end before any other process goes on. */
static void make_call(struct tracer *t, pid_t tid)
{
    struct __ptrace_syscall_info info;
    struct call call = {0};
    int status, number = 0;

    if (ptrace(PTRACE_GET_SYSCALL_INFO, tid, (void *)sizeof info, &info) < 0)
        abort();
    call.number = (int)info.seccomp.nr;
    for (int i = 0; i < 6; i++)
        call.argument[i] = info.seccomp.args[i];
    normalise(&call);
    if (!concerns(t, tid, &call)) {
        resume(tid, PTRACE_CONT, 0);
        return;
    }
    for (;;) {
        if (resume(tid, PTRACE_SYSCALL, number) < 0 || waitpid(tid, &status, __WALL) != tid ||
            !WIFSTOPPED(status))
            return; /* it was killed */
        if (WSTOPSIG(status) == (SIGTRAP | 0x80))
            break;
        number = signal_of(status);
    }
    if (ptrace(PTRACE_GET_SYSCALL_INFO, tid, (void *)sizeof info, &info) < 0 ||
        info.op != PTRACE_SYSCALL_INFO_EXIT)
        abort();
    record_call(t, tid, &call, info.exit.rval);
    resume(tid, PTRACE_CONT, 0);
}

static int trace(struct tracer *t, pid_t first)
{
    int result = 0, status;
    pid_t tid;

    while ((tid = waitpid(-1, &status, __WALL)) > 0) {
        if (!WIFSTOPPED(status)) {
            if (tid == first)
                result = status;
        } else if (status >> 8 == (SIGTRAP | PTRACE_EVENT_SECCOMP << 8)) {
            make_call(t, tid);
        } else if (status >> 16 == PTRACE_EVENT_STOP && WSTOPSIG(status) != SIGTRAP) {
            resume(tid, PTRACE_LISTEN, 0); /* job control stops it */
        } else {
            resume(tid, PTRACE_CONT, signal_of(status));
        }
    }
    return result;
}

int record_changes(struct recording *recording, int (*body)(const void *data), const void *data)
{
    struct tracer t = {.recording = recording};
    const char *asan = getenv("ASAN_OPTIONS");
    char options[512], go = 0;
    int ready[2];
    pid_t pid;

    if (pipe(ready) != 0)
        abort();
    snprintf(options, sizeof options, "%s%sdetect_leaks=0", asan ? asan : "", asan ? ":" : "");
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        /* LeakSanitizer would trace it, too. */
        setenv("ASAN_OPTIONS", options, 1);
        close(ready[1]);
        _exit(read(ready[0], &go, 1) == 1 && filter_calls() ? body(data) : 126);
    }
    close(ready[0]);
    if (ptrace(PTRACE_SEIZE, pid, NULL,
               (void *)(uintptr_t)(PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
                                   PTRACE_O_TRACEEXEC | PTRACE_O_TRACESECCOMP |
                                   PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL)) != 0)
        recording->refused = true;
    else if (write(ready[1], "x", 1) != 1)
        abort();
    close(ready[1]);
    return trace(&t, pid);
}
