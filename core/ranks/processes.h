/* SPDX-License-Identifier: MIT */
/*
 * The processes of a job that mpirun or srun has started, and their messages. Process 0 runs the
 * program; the others serve it (core/ranks/remote.h). Built without MPI, or started by itself, the
 * program is a job of one process.
 *
 * An error of MPI itself, and the death of a process, end the whole job: that is MPI's default, and
 * mpirun says which process it was.
 */
#ifndef CALAB_CORE_RANKS_PROCESSES_H
#define CALAB_CORE_RANKS_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/error.h"

#define CA_PROCESSES_MAX 64

struct ca_process {
    char host[64];
    int local, locals; /* its number among the job's processes on its host, and theirs */
    int cores;         /* of the host, its share where others may use the same */
};

/*
 * Called once, before threads are started. CA_USAGE where the job cannot be one program: several
 * processes of a program that was built without MPI, more than CA_PROCESSES_MAX, or different
 * builds; every process returns it then, and the first one is to say it.
 */
enum ca_status ca_processes_start(const char *build, struct ca_error *error);
/* Called at the end by every process; process 0 has ended the others' service before. */
void ca_processes_end(void);

int ca_process_count(void);
int ca_process_self(void);
/* The MPI that this program was built with, as in "Open MPI v4.1.4"; "": none. */
const char *ca_processes_library(void);
struct ca_process ca_process_facts(int process);
int ca_process_gpus(int process); /* that it sees, whoever else does */

enum ca_process_tag {
    CA_TAG_JOB,  /* from process 0, and answers to it */
    CA_TAG_UP,   /* halos for the rank above */
    CA_TAG_DOWN, /* halos for the rank below */
};

/* Both return when the bytes may be used; messages of one tag between two processes arrive in
 * their order, in the pieces in which they were sent. */
void ca_process_send(int to, enum ca_process_tag tag, const void *bytes, size_t count);
void ca_process_receive(int from, enum ca_process_tag tag, void *bytes, size_t count);

/* Messages both ways at once; returns when all have come and gone. */
struct ca_process_message {
    bool in;
    int process;
    enum ca_process_tag tag;
    void *bytes;
    size_t count;
};
#define CA_SWAP_MAX 4
void ca_process_swap(const struct ca_process_message messages[], int count);

#endif
