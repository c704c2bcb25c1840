/* SPDX-License-Identifier: MIT */
/* Built without MPI (core/ranks/processes_mpi.c): a job of one process, which sends no messages. */
#include <stdlib.h>

#include "core/machine/cuda.h"
#include "core/machine/device.h"
#include "core/ranks/processes.h"

/* Open MPI's mpirun, and PMI, the interface of srun and MPICH's mpiexec, set these variables. */
static int processes_alone_number(const char *name)
{
    const char *text = getenv(name);

    return text ? atoi(text) : 0;
}

static int self;

enum ca_status ca_processes_start(const char *build, struct ca_error *error)
{
    int count = processes_alone_number("OMPI_COMM_WORLD_SIZE");

    (void)build;
    if (count == 0)
        count = processes_alone_number("PMI_SIZE");
    self = processes_alone_number("OMPI_COMM_WORLD_RANK") +
           processes_alone_number("PMI_RANK"); /* one of them is set */
    if (count > 1)
        return ca_fail(error, CA_USAGE,
                       "started as one of %d processes, but this program was built without MPI; "
                       "build it with make MPI=1",
                       count);
    return CA_OK;
}

void ca_processes_end(void) {}

int ca_process_count(void) { return 1; }

int ca_process_self(void) { return self; }

const char *ca_processes_library(void) { return ""; }

struct ca_process ca_process_facts(int process)
{
    (void)process;
    return (struct ca_process){"", 0, 1, ca_cpu_cores()};
}

int ca_process_gpus(int process)
{
    (void)process;
    return ca_cuda_devices();
}

void ca_process_send(int to, enum ca_process_tag tag, const void *bytes, size_t count)
{
    (void)to, (void)tag, (void)bytes, (void)count;
}

void ca_process_receive(int from, enum ca_process_tag tag, void *bytes, size_t count)
{
    (void)from, (void)tag, (void)bytes, (void)count;
}

void ca_process_swap(const struct ca_process_message messages[], int count)
{
    (void)messages, (void)count;
}
