/* SPDX-License-Identifier: MIT */
/* The memory that control groups leave to this process: of a container, a Slurm job, a systemd
 * unit. */
#ifndef CALAB_CORE_MACHINE_CGROUP_H
#define CALAB_CORE_MACHINE_CGROUP_H

#include "core/machine/device.h"

struct ca_cgroup_memory {
    struct ca_fact limit, available; /* bytes, the tightest of all groups; unknown: no limit */
};

/* `membership` is /proc/self/cgroup, `mount` /sys/fs/cgroup, or a test's copies. Versions 1 and 2
 * (Linux, Documentation/admin-guide/cgroup-v1/memory.rst and cgroup-v2.rst). Cached files that are
 * dropped when memory is needed count as available. */
struct ca_cgroup_memory ca_cgroup_memory(const char *membership, const char *mount);

#endif
