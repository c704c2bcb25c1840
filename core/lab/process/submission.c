/* SPDX-License-Identifier: MIT */
/* Shares memory with a kernel's process, sends requests to it, and looks at that memory after each.
 */
#include "core/lab/process/submission.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/lab/kernel/files.h"

#define GUARD_BYTE 0x5a
#define START_S 30    /* to start, open and end a submission, beside what a call may take */
#define CALLS_MAX 200 /* whose CPU time a process may take */

const char *const ca_lab_verdict_names[] = {
    [CA_LAB_RIGHT] = "right",     [CA_LAB_CELL] = "cell",     [CA_LAB_OUTSIDE] = "outside",
    [CA_LAB_INPUT] = "input",     [CA_LAB_FOUND] = "found",   [CA_LAB_REFUSED] = "refused",
    [CA_LAB_CRASHED] = "crashed", [CA_LAB_EXITED] = "exited", [CA_LAB_SLOW] = "slow",
    [CA_LAB_LARGE] = "large",     [CA_LAB_LOUD] = "loud",     [CA_LAB_BROKEN] = "broken",
    [CA_LAB_OUTPUT] = "output",   [CA_LAB_STATIC] = "static",
};

static const char *const op_names[] = {[LAB_OPEN] = "at its beginning",
                                       [LAB_LOAD] = "while a state was loaded",
                                       [LAB_STEP] = "in a step",
                                       [LAB_STORE] = "while its state was stored",
                                       [LAB_CLOSE] = "at its end"};

__attribute__((format(printf, 3, 4))) static enum ca_status
submission_fault(struct ca_lab_submission *submission, enum ca_lab_verdict verdict,
                 const char *format, ...)
{
    va_list list;

    submission->fault.verdict = verdict;
    va_start(list, format);
    vsnprintf(submission->fault.text, sizeof submission->fault.text, format, list);
    va_end(list);
    ca_plain(submission->fault.text);
    ca_lab_submission_end(submission);
    return CA_WRONG;
}

/* --- the planes ------------------------------------------------------------------------------- */

static uint8_t *plane_of(const struct ca_lab_submission *submission, enum lab_set set, int p)
{
    return submission->memory + submission->layout.at[set][p];
}

/* The bytes between the beginning of a plane and that of row r of the lattice. */
static size_t plane_row(const struct ca_lab_submission *submission, int64_t r)
{
    const struct lab_shared *s = &submission->layout;
    int64_t g = s->ghosts, z = r / s->h + (s->dimensions == 3 ? g : 0), y = r % s->h + g;

    return (size_t)((z * lab_down(s) + y) * lab_across(s) + g) * s->cell_bytes;
}

static int64_t submission_rows(const struct ca_lab_submission *submission)
{
    return submission->layout.h * submission->layout.d;
}

static size_t plane_row_bytes(const struct ca_lab_submission *submission)
{
    return (size_t)submission->layout.w * submission->layout.cell_bytes;
}

static const uint8_t *row_in(const struct ca_lab_submission *submission,
                             const struct ca_lattice *state, int p, int64_t r)
{
    return (const uint8_t *)state->plane[p] + (size_t)r * plane_row_bytes(submission);
}

/* The state in `in`, a pattern in all else. */
static void fill_planes(struct ca_lab_submission *submission)
{
    const struct lab_shared *s = &submission->layout;

    memset(submission->memory + sizeof *s, GUARD_BYTE, s->bytes - sizeof *s);
    for (int set = 0; set < LAB_SETS; set++)
        for (uint32_t p = 0; p < s->planes; p++)
            memset(plane_of(submission, (enum lab_set)set, (int)p), submission->pattern,
                   s->plane_bytes);
    for (uint32_t p = 0; p < s->planes; p++)
        for (int64_t r = 0; r < submission_rows(submission); r++)
            memcpy(plane_of(submission, LAB_IN, (int)p) + plane_row(submission, r),
                   row_in(submission, &submission->input, (int)p, r), plane_row_bytes(submission));
}

/* The first byte of a guard band that is not as it was, counted from the band's first; -1: none. */
static int64_t first_written(const uint8_t *guard, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i++)
        if (guard[i] != GUARD_BYTE)
            return (int64_t)i;
    return -1;
}

static enum ca_status check_guards(struct ca_lab_submission *submission)
{
    const struct lab_shared *s = &submission->layout;

    for (int set = 0; set < LAB_SETS; set++)
        for (uint32_t p = 0; p < s->planes; p++) {
            const uint8_t *plane = plane_of(submission, (enum lab_set)set, (int)p);
            int64_t before = first_written(plane - s->guard_bytes, s->guard_bytes);
            int64_t behind = first_written(plane + s->plane_bytes, s->guard_bytes);
            int64_t cell = (int64_t)s->cell_bytes;

            if (before >= 0 || behind >= 0)
                return submission_fault(submission, CA_LAB_OUTSIDE,
                                        "the kernel writes %" PRId64 " cells %s of plane %s",
                                        before >= 0
                                            ? ca_divide_up((int64_t)s->guard_bytes - before, cell)
                                            : behind / cell + 1,
                                        before >= 0 ? "before the beginning" : "behind the last",
                                        submission->lab->model->plane_names[p]);
        }
    return CA_OK;
}

static enum ca_status check_input(struct ca_lab_submission *submission)
{
    for (uint32_t p = 0; p < submission->layout.planes; p++)
        for (int64_t r = 0; r < submission_rows(submission); r++)
            if (memcmp(plane_of(submission, LAB_IN, (int)p) + plane_row(submission, r),
                       row_in(submission, &submission->input, (int)p, r),
                       plane_row_bytes(submission)) != 0)
                return submission_fault(submission, CA_LAB_INPUT,
                                        "you wrote into the old plane: the kernel changes plane %s "
                                        "of its input, in row y "
                                        "%lld, z %lld",
                                        submission->lab->model->plane_names[p],
                                        (long long)(r % submission->layout.h),
                                        (long long)(r / submission->layout.h));
    return CA_OK;
}

/* --- requests --------------------------------------------------------------------------------- */

/* Why a submission has ended by itself, as a fault. */
static enum ca_status submission_ended(struct ca_lab_submission *submission, enum lab_op op)
{
    int status;

    ca_lab_process_end(&submission->process);
    status = submission->process.wait_status;
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGALRM))
        return submission_fault(submission, CA_LAB_SLOW, "no result %s in time", op_names[op]);
    if (WIFSIGNALED(status))
        return submission_fault(submission, CA_LAB_CRASHED, "the kernel crashed %s: %s",
                                op_names[op], strsignal(WTERMSIG(status)));
    return submission_fault(submission, CA_LAB_EXITED,
                            "the kernel ended its process %s, with exit status %d", op_names[op],
                            WEXITSTATUS(status));
}

static enum ca_status wait_for(struct ca_lab_submission *submission, enum lab_op op, int fd,
                               double seconds)
{
    switch (ca_lab_process_wait(&submission->process, fd, seconds)) {
    case CA_LAB_READY:
        return CA_OK;
    case CA_LAB_ENDED:
        return op == LAB_CLOSE ? CA_OK : submission_ended(submission, op);
    case CA_LAB_LATE:
        submission->fault.slow =
            (struct ca_lab_slow){seconds, submission->process.late_s, submission->process.cpu_s,
                                 submission->process.waits};
        return submission_fault(submission, CA_LAB_SLOW,
                                "no result %s after %.3g s (%.2g s of CPU)", op_names[op],
                                submission->process.late_s, submission->process.cpu_s);
    case CA_LAB_MEMORY:
        return submission_fault(submission, CA_LAB_LARGE,
                                "the kernel takes more memory than it may, %lld MB, %s",
                                (long long)submission->lab->memory_mb, op_names[op]);
    default:
        return submission_fault(submission, CA_LAB_LOUD,
                                "the kernel prints more than it may, %lld MB, %s",
                                (long long)submission->lab->output_mb, op_names[op]);
    }
}

static enum ca_status submission_ask(struct ca_lab_submission *submission, enum lab_op op,
                                     uint64_t t, uint64_t n)
{
    struct lab_request request = {.version = LAB_WIRE_VERSION, .op = op, .t = t, .n = n};
    struct lab_reply reply = {.op = 0};
    double seconds = op == LAB_OPEN ? submission->limit_s + START_S : submission->limit_s;

    /* A reply that waits here was sent without a request, by the kernel itself. */
    if (recv(submission->socket, &reply, sizeof reply, MSG_DONTWAIT | MSG_PEEK) > 0)
        return submission_fault(submission, CA_LAB_REFUSED,
                                "the kernel's process writes to what is not its own: descriptor 3");
    if (send(submission->socket, &request, sizeof request, MSG_NOSIGNAL) != (ssize_t)sizeof request)
        return submission_ended(submission, op);
    CA_TRY(wait_for(submission, op, submission->socket, seconds));
    if (recv(submission->socket, &reply, sizeof reply, MSG_DONTWAIT) != (ssize_t)sizeof reply) {
        /* The socket is closed: it ends, or goes on without it. */
        CA_TRY(wait_for(submission, op, -1, submission->limit_s));
        return submission_ended(submission, op);
    }
    reply.text[sizeof reply.text - 1] = '\0';
    if (reply.version != LAB_WIRE_VERSION || reply.op != (uint32_t)op)
        return submission_fault(submission, CA_LAB_REFUSED,
                                "the kernel's process writes to what is not its own: descriptor 3");
    if (reply.failed)
        return submission_fault(submission, CA_LAB_REFUSED, "%s: %s", op_names[op], reply.text);
    return CA_OK;
}

/* Memory whose size nobody can change. */
static enum ca_status share_memory(struct ca_lab_submission *submission, uint64_t shared_bytes,
                                   struct ca_error *error)
{
    uint64_t bytes =
        shared_bytes > submission->layout.bytes ? shared_bytes : submission->layout.bytes;

    submission->shared = memfd_create("calab-lab", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (submission->shared < 0 || ftruncate(submission->shared, (off_t)bytes) != 0 ||
        fcntl(submission->shared, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        return ca_fail(error, CA_NO_MEMORY, "no memory of %llu bytes to share with a kernel: %s",
                       (unsigned long long)bytes, strerror(errno));
    submission->memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, submission->shared, 0);
    if (submission->memory == MAP_FAILED) {
        submission->memory = NULL;
        return ca_fail(error, CA_NO_MEMORY, "no memory of %llu bytes to share with a kernel",
                       (unsigned long long)bytes);
    }
    submission->bytes = bytes;
    return CA_OK;
}

static enum ca_status submission_start(struct ca_lab_submission *submission,
                                       const struct ca_lab_program *program, struct ca_error *error)
{
    const char *const argv[] = {program->path, NULL}, *variables[16] = {NULL};
    char how[64], temporary[600];
    int pair[2], count = 0;
    struct ca_lab_launch launch = {
        .argv = argv,
        .folder = program->folder,
        .variables = variables,
        .inherits = submission->lab->environment,
        .cpu_s = program->cpu_s > 0 ? program->cpu_s : program->limit_s * CALLS_MAX + START_S,
        .memory_mb = submission->lab->memory_mb,
        .output_mb = submission->lab->output_mb,
        .shared_bytes = (int64_t)submission->bytes,
    };
    enum ca_status status;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return ca_fail(error, CA_IO, "a socket for the kernel cannot be opened: %s",
                       strerror(errno));
    snprintf(how, sizeof how, LAB_WIRE_VARIABLE "=3 4 %llu", (unsigned long long)submission->bytes);
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", program->folder);
    variables[count++] = how;
    variables[count++] = temporary;
    for (int i = 0; program->variables && program->variables[i] && count < 15; i++)
        variables[count++] = program->variables[i];
    submission->socket = pair[0];
    launch.give[0] = pair[1];
    launch.give[1] = submission->shared;
    status = ca_lab_process_start(&submission->process, &launch, error);
    close(pair[1]);
    return status;
}

/* Has it begin, in the layout that is set. */
static enum ca_status submission_begin(struct ca_lab_submission *submission)
{
    memcpy(submission->memory, &submission->layout, sizeof submission->layout);
    return submission_ask(submission, LAB_OPEN, 0, 0);
}

enum ca_status ca_lab_submission_open(struct ca_lab_submission *submission,
                                      const struct ca_lab *lab, const struct ca_setup *setup,
                                      const struct ca_lab_program *program, struct ca_error *error)
{
    enum ca_status status;

    *submission = (struct ca_lab_submission){.socket = -1,
                                             .shared = -1,
                                             .process = {.pidfd = -1, .output = -1},
                                             .lab = lab,
                                             .limit_s = program->limit_s,
                                             .pattern = 0xa5};
    ca_lab_shared(&submission->layout, lab, setup);
    status = share_memory(submission, program->shared_bytes, error);
    if (status == CA_OK) {
        submission->device_lock = program->device_lock;
        submission->lock_slot = lab_device_lock_take(program->device_lock);
        status = submission_start(submission, program, error);
    }
    if (status == CA_OK)
        status = submission_begin(submission);
    if (status != CA_OK)
        ca_lab_submission_end(submission);
    return status;
}

enum ca_status ca_lab_submission_close(struct ca_lab_submission *submission)
{
    return submission_ask(submission, LAB_CLOSE, 0, 0);
}

enum ca_status ca_lab_submission_reopen(struct ca_lab_submission *submission,
                                        const struct ca_lab *lab, const struct ca_setup *setup,
                                        double limit_s, struct ca_error *error)
{
    submission->lab = lab;
    submission->limit_s = limit_s;
    ca_lab_shared(&submission->layout, lab, setup);
    if (submission->layout.bytes > submission->bytes)
        return ca_fail(error, CA_NO_MEMORY, "a kernel's process shares %llu bytes, not %llu",
                       (unsigned long long)submission->bytes,
                       (unsigned long long)submission->layout.bytes);
    return submission_begin(submission);
}

enum ca_status ca_lab_submission_load(struct ca_lab_submission *submission,
                                      const struct ca_lattice *state, uint64_t t)
{
    submission->input = *state;
    fill_planes(submission);
    CA_TRY(submission_ask(submission, LAB_LOAD, t, 0));
    CA_TRY(check_guards(submission));
    return check_input(submission);
}

enum ca_status ca_lab_submission_step(struct ca_lab_submission *submission, uint64_t t, uint64_t n)
{
    return submission_ask(submission, LAB_STEP, t, n);
}

static void submission_take(const struct ca_lab_submission *submission, struct ca_lattice *state)
{
    for (uint32_t p = 0; p < submission->layout.planes; p++) {
        enum lab_set set = submission->layout.constant >> p & 1 ? LAB_IN : LAB_OUT;

        for (int64_t r = 0; r < submission_rows(submission); r++)
            memcpy((uint8_t *)state->plane[p] + (size_t)r * plane_row_bytes(submission),
                   plane_of(submission, set, (int)p) + plane_row(submission, r),
                   plane_row_bytes(submission));
    }
}

enum ca_status ca_lab_submission_store(struct ca_lab_submission *submission,
                                       struct ca_lattice *state)
{
    CA_TRY(submission_ask(submission, LAB_STORE, 0, 0));
    CA_TRY(check_guards(submission));
    CA_TRY(check_input(submission));
    submission_take(submission, state);
    return CA_OK;
}

enum ca_status ca_lab_submission_time(struct ca_lab_submission *submission,
                                      const struct ca_lattice *state, uint64_t t, uint64_t n,
                                      struct ca_lattice *result, double *seconds)
{
    double begun;

    submission->input = *state;
    fill_planes(submission);
    begun = ca_now();
    CA_TRY(submission_ask(submission, LAB_LOAD, t, 0));
    CA_TRY(submission_ask(submission, LAB_STEP, t, n));
    CA_TRY(submission_ask(submission, LAB_STORE, 0, 0));
    submission_take(submission, result);
    *seconds = ca_now() - begun;
    CA_TRY(check_guards(submission));
    return check_input(submission);
}

enum ca_status ca_lab_submission_finish(struct ca_lab_submission *submission)
{
    CA_TRY(ca_lab_submission_close(submission));
    shutdown(submission->socket, SHUT_WR);
    CA_TRY(wait_for(submission, LAB_CLOSE, -1, submission->limit_s + START_S));
    ca_lab_submission_end(submission);
    return WIFSIGNALED(submission->process.wait_status) ? submission_ended(submission, LAB_CLOSE)
                                                        : CA_OK;
}

void ca_lab_submission_end(struct ca_lab_submission *submission)
{
    ca_lab_process_end(&submission->process);
    process_close_fd(&submission->socket);
    process_close_fd(&submission->shared);
    if (submission->memory)
        munmap(submission->memory, submission->bytes);
    submission->memory = NULL;
    lab_device_lock_give(submission->device_lock, submission->lock_slot);
    submission->device_lock = NULL;
}

void ca_lab_submission_free(struct ca_lab_submission *submission)
{
    ca_lab_submission_end(submission);
    ca_lab_process_close(&submission->process);
}
