/* SPDX-License-Identifier: MIT */
/* Sets up the namespaces that a process of a lab has been given. */
#include "core/lab/process/sandbox_parts.h"

#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_mount_setattr /* Linux 5.12 */
#define SYS_mount_setattr 442
#endif
#define RECURSIVELY 0x8000 /* AT_RECURSIVE */
#define READ_ONLY UINT64_C(1)

/* struct mount_attr, which headers of Linux before 5.12 do not have. */
struct attributes {
    uint64_t set, clear, propagation, user_namespace;
};

static bool write_text(const char *path, const char *text)
{
    int file = open(path, O_WRONLY | O_CLOEXEC);
    bool done = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);

    if (file >= 0)
        close(file);
    return done;
}

bool lab_namespace_of_user(void)
{
    unsigned user = geteuid(), group = getegid();
    char users[64], groups[64];
    bool done;

    if (unshare(CLONE_NEWUSER) != 0)
        return false;
    snprintf(users, sizeof users, "%u %u 1\n", user, user);
    snprintf(groups, sizeof groups, "%u %u 1\n", group, group);
    prctl(PR_SET_DUMPABLE, 1); /* or the files would be root's */
    done = write_text("/proc/self/setgroups", "deny") && write_text("/proc/self/uid_map", users) &&
           write_text("/proc/self/gid_map", groups);
    prctl(PR_SET_DUMPABLE, 0);
    return done;
}

static bool change_mount(const char *path, unsigned flags, uint64_t set, uint64_t clear)
{
    const struct attributes attributes = {.set = set, .clear = clear};

    return syscall(SYS_mount_setattr, AT_FDCWD, path, flags, &attributes, sizeof attributes) == 0;
}

static bool bind_to(const char *from, const char *to)
{
    return mount(from, to, NULL, MS_BIND | MS_REC, NULL) == 0;
}

static bool show_processes(void)
{
    /* Root without capabilities owns what changes the whole machine. */
    static const char *const paths[] = {
        "/proc/sys", "/proc/sysrq-trigger", "/proc/irq",  "/proc/bus",
        "/proc/fs",  "/proc/acpi",          "/proc/scsi", "/proc/mtrr"};

    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0)
        return false;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (bind_to(paths[i], paths[i]))
            change_mount(paths[i], RECURSIVELY, READ_ONLY, 0);
    return true;
}

bool lab_namespace_mounts(const struct lab_view *view)
{
    /* /dev/shm stays where the folder lies in it, read-only but for the folder. */
    bool memory = access("/dev/shm", F_OK) == 0 && strncmp(view->folder, "/dev/shm/", 9) != 0;

    return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           (!memory ||
            mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777,size=1g") == 0) &&
           (!view->hidden || bind_to("/dev/null", view->hidden)) &&
           bind_to(view->folder, view->folder) && change_mount("/", RECURSIVELY, READ_ONLY, 0) &&
           change_mount(view->folder, RECURSIVELY, 0, READ_ONLY) &&
           (!memory || change_mount("/dev/shm", 0, 0, READ_ONLY)) &&
           (!view->processes || show_processes());
}

void lab_namespace_loopback(void)
{
    struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return;
    ioctl(fd, SIOCSIFFLAGS, &request);
    close(fd);
}
