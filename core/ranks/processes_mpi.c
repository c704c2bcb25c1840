/* SPDX-License-Identifier: MIT */
/* This file makes the calls of MPI; it is compiled by make MPI=1 in place of
 * core/ranks/processes_alone.c. */
#include <mpi.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/machine/cuda.h"
#include "core/machine/device.h"
#include "core/ranks/processes.h"

#define PIECE ((size_t)1 << 30) /* MPI counts in int */
#define BUSY_S 1e-3             /* of a wait, before it sleeps in between */
#define NAP_NS 20000

/* Each process tells this to the others. */
struct card {
    char host[64], build[96];
    cpu_set_t cores;
    int core_count, gpus;
};

static struct {
    int count, self;
    pid_t pid; /* that has initialised MPI: a child of it must not finalise */
    struct ca_process process[CA_PROCESSES_MAX];
    int gpus[CA_PROCESSES_MAX];
    bool crowded; /* more processes than cores */
} job = {.count = 1};

/* --- start and end --------------------------------------------------------------------------- */

/* A program that was started by itself needs no MPI, whose start takes a while. */
static bool started_as_job(void)
{
    static const char *const set[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE"};

    for (size_t i = 0; i < sizeof set / sizeof set[0]; i++)
        if (getenv(set[i]))
            return true;
    return false;
}

static struct card own_card(const char *build)
{
    struct card card = {.core_count = ca_cpu_cores(), .gpus = ca_cuda_devices()};

    gethostname(card.host, sizeof card.host - 1);
    strncpy(card.build, build, sizeof card.build - 1);
    sched_getaffinity(0, sizeof card.cores, &card.cores);
    return card;
}

/* The place of process i among those of its host, and its share of cores that others may use. */
static struct ca_process facts_of(const struct card cards[], int i)
{
    struct ca_process facts = {.local = 0};
    int sharers = 0;

    memcpy(facts.host, cards[i].host, sizeof facts.host);
    for (int k = 0; k < job.count; k++)
        if (strcmp(cards[k].host, cards[i].host) == 0) {
            facts.locals++;
            facts.local += k < i;
            sharers += CPU_EQUAL(&cards[k].cores, &cards[i].cores) != 0;
        }
    facts.cores = cards[i].core_count > sharers ? cards[i].core_count / sharers : 1;
    if (i == job.self)
        job.crowded = sharers > cards[i].core_count;
    return facts;
}

enum ca_status ca_processes_start(const char *build, struct ca_error *error)
{
    struct card own, cards[CA_PROCESSES_MAX];
    int level;

    if (!started_as_job())
        return CA_OK;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
    job.pid = getpid();
    MPI_Comm_size(MPI_COMM_WORLD, &job.count);
    MPI_Comm_rank(MPI_COMM_WORLD, &job.self);
    if (job.count > CA_PROCESSES_MAX)
        return ca_fail(error, CA_USAGE, "%d processes are too many: at most %d are allowed",
                       job.count, CA_PROCESSES_MAX);
    if (job.count > 1 && level < MPI_THREAD_SERIALIZED)
        return ca_fail(error, CA_USAGE, "this MPI allows no calls from threads");
    own = own_card(build);
    MPI_Allgather(&own, sizeof own, MPI_BYTE, cards, sizeof own, MPI_BYTE, MPI_COMM_WORLD);
    for (int i = 0; i < job.count; i++) {
        if (strcmp(cards[i].build, cards[0].build) != 0)
            return ca_fail(error, CA_USAGE,
                           "process %d on %s runs calab %s, process 0 on %s calab %s; all must run "
                           "the same build",
                           i, cards[i].host, cards[i].build, cards[0].host, cards[0].build);
        job.process[i] = facts_of(cards, i);
        job.gpus[i] = cards[i].gpus;
    }
    return CA_OK;
}

void ca_processes_end(void)
{
    if (job.pid && job.pid == getpid())
        MPI_Finalize();
    job.pid = 0;
}

int ca_process_count(void) { return job.count; }

int ca_process_self(void) { return job.self; }

const char *ca_processes_library(void)
{
    static char name[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    MPI_Get_library_version(name, &length);
    name[strcspn(name, ",\n")] = '\0';
    return name;
}

struct ca_process ca_process_facts(int process)
{
    return job.count == 1 ? (struct ca_process){"", 0, 1, ca_cpu_cores()} : job.process[process];
}

int ca_process_gpus(int process) { return job.count == 1 ? ca_cuda_devices() : job.gpus[process]; }

/* --- messages -------------------------------------------------------------------------------- */

static size_t piece_at(size_t done, size_t count)
{
    return count - done < PIECE ? count - done : PIECE;
}

static void processes_mpi_finish(MPI_Request requests[], int count)
{
    double start = ca_now();
    int done = 0;

    for (;;) {
        MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
        if (done)
            return;
        /* MPI waits by asking again and again, which keeps others from a core that they share. */
        if (job.crowded || ca_now() - start > BUSY_S)
            nanosleep(&(struct timespec){0, NAP_NS}, NULL);
    }
}

static void processes_mpi_begin(const struct ca_process_message *message, size_t done,
                                MPI_Request *request)
{
    char *at = (char *)message->bytes + done;
    int count = (int)piece_at(done, message->count);

    if (message->in)
        MPI_Irecv(at, count, MPI_BYTE, message->process, (int)message->tag, MPI_COMM_WORLD,
                  request);
    else
        MPI_Isend(at, count, MPI_BYTE, message->process, (int)message->tag, MPI_COMM_WORLD,
                  request);
}

void ca_process_swap(const struct ca_process_message messages[], int count)
{
    MPI_Request requests[CA_SWAP_MAX];
    size_t most = 0;

    for (int i = 0; i < count; i++)
        most = messages[i].count > most ? messages[i].count : most;
    for (size_t done = 0; done < most; done += PIECE) {
        int begun = 0;

        for (int i = 0; i < count; i++)
            if (done < messages[i].count)
                processes_mpi_begin(&messages[i], done, &requests[begun++]);
        processes_mpi_finish(requests, begun);
    }
}

void ca_process_send(int to, enum ca_process_tag tag, const void *bytes, size_t count)
{
    ca_process_swap(&(struct ca_process_message){false, to, tag, (void *)(uintptr_t)bytes, count},
                    1);
}

void ca_process_receive(int from, enum ca_process_tag tag, void *bytes, size_t count)
{
    ca_process_swap(&(struct ca_process_message){true, from, tag, bytes, count}, 1);
}
