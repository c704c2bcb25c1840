/* SPDX-License-Identifier: MIT */
/* The filter of system calls (seccomp) under which compilers and kernels of labs run. */
#ifndef CALAB_CORE_LAB_FILTER_H
#define CALAB_CORE_LAB_FILTER_H

#include <stdbool.h>
#include <sys/types.h>

struct lab_filter {
    bool keeps_modes; /* modes, owners and times of files cannot be changed */
    bool no_network;  /* no sockets but local ones; others reach a network namespace alone */
    pid_t alone;      /* not 0: signals reach this process alone, for want of another protection */
    bool shares_user; /* other processes of the user could be reached by scheduling calls */
};

/* From now on, for this process and those below it. False where the kernel takes no filter. */
bool lab_filter_install(const struct lab_filter *filter);

#endif
