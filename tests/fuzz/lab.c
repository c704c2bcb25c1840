/* SPDX-License-Identifier: MIT */
/*
 * A kernel of somebody else, which answers what it likes and writes where it likes. The
 * submission's process is this one: its end of the socket answers beforehand, and what it does to
 * the memory comes from the input. The rest of the input are the reports of tools that watched it.
 *
 * Three bytes an access: where, as a 65536th of the memory, and what is written there.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/lab/kernel/files.h"
#include "core/lab/check/trial.h"
#include "core/lab/check/watch.h"
#include "tests/fuzz/fuzz.h"

/* A submission without a process, whose memory is not shared. */
static bool begin(struct ca_lab_submission *submission, const struct ca_lab *lab,
                  const struct ca_setup *setup, int pair[2])
{
    *submission =
        (struct ca_lab_submission){.socket = -1,
                                   .shared = -1,
                                   .process = {.pidfd = -1, .output = -1, .memory_due = 1e30},
                                   .lab = lab,
                                   .limit_s = 1e-3,
                                   .pattern = 0xa5};
    ca_lab_shared(&submission->layout, lab, setup);
    submission->bytes = submission->layout.bytes;
    submission->memory = mmap(NULL, submission->layout.bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (submission->memory == MAP_FAILED)
        return false;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        fuzz_fails(__FILE__, __LINE__, "socketpair");
    submission->socket = pair[0];
    return true;
}

/* A reply that is right, but for what the input changes of it. */
static void answer(int socket, enum lab_op op, const uint8_t **data, size_t *size)
{
    struct lab_reply reply = {.version = LAB_WIRE_VERSION, .op = op};
    size_t length = sizeof reply;

    switch (fuzz_byte(data, size)) {
    case 'f': /* it refuses, in its own words */
        reply.failed = 1;
        memset(reply.text, 'x', sizeof reply.text);
        for (size_t i = 0; i<sizeof reply.text && * size> 0; i++) {
            reply.text[i] = (char)fuzz_byte(data, size);
            if (!reply.text[i])
                break;
        }
        break;
    case 's':
        length = fuzz_byte(data, size) % sizeof reply;
        break;
    case 'o':
        reply.op = fuzz_byte(data, size);
        break;
    case 'v':
        reply.version = fuzz_byte(data, size);
        break;
    case 'c':
        shutdown(socket, SHUT_RDWR);
        return;
    }
    send(socket, &reply, length, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void write_memory(struct ca_lab_submission *submission, const uint8_t **data, size_t *size)
{
    int count = fuzz_byte(data, size) % 16;

    for (int i = 0; i < count && *size >= 3; i++) {
        size_t at = fuzz_byte(data, size);

        at = (at << 8 | fuzz_byte(data, size)) * submission->layout.bytes >> 16;
        submission->memory[at] = fuzz_byte(data, size);
    }
}

static void run_submission(const struct ca_lab *lab, const uint8_t **data, size_t *size)
{
    struct ca_setup setup = fuzz_setup(lab->model);
    struct ca_lattice state = {0}, got = {0};
    struct ca_lab_submission submission;
    struct ca_error error;
    int pair[2];

    if (ca_lattice_alloc(&state, setup.size, lab->model->type, lab->model->planes, &error) !=
            CA_OK ||
        ca_lattice_alloc(&got, setup.size, lab->model->type, lab->model->planes, &error) != CA_OK ||
        !begin(&submission, lab, &setup, pair))
        goto end;
    answer(pair[1], LAB_LOAD, data, size);
    if (ca_lab_submission_load(&submission, &state, 3) == CA_OK) {
        answer(pair[1], LAB_STEP, data, size);
        if (ca_lab_submission_step(&submission, 3, 2) == CA_OK) {
            memset(submission.memory + submission.layout.at[LAB_OUT][0], 0,
                   submission.layout.plane_bytes);
            write_memory(&submission, data, size);
            answer(pair[1], LAB_STORE, data, size);
            if (ca_lab_submission_store(&submission, &got) == CA_OK &&
                ca_lattice_compare(&state, &got).count > 0)
                free(ca_lab_map(&state, &got, 0, 0, lab->tile, submission.pattern));
        }
    }
    FUZZ_HOLDS(memchr(submission.fault.text, 0, sizeof submission.fault.text));
    ca_lab_submission_free(&submission);
    close(pair[1]);
end:
    ca_lattice_free(&state);
    ca_lattice_free(&got);
}

static void read_reports(const uint8_t *data, size_t size)
{
    static struct ca_lab_report report;
    const char *path = fuzz_file("findings", data, size);
    char *said = malloc(size + 1);

    memset(&report, 0, sizeof report);
    lab_watch_emulator(path, "/tmp/lab", size % 2 == 1, &report);
    if (!said)
        return;
    memcpy(said, data, size);
    said[size] = '\0';
    lab_watch_sanitizer(said, &report);
    lab_build_shorten(said, "/tmp/lab", size & 1);
    free(said);
    FUZZ_HOLDS(report.findings <= CA_LAB_FINDINGS_MAX);
}

void fuzz_lab(const uint8_t *data, size_t size)
{
    static struct ca_lab lab;
    uint8_t which = fuzz_byte(&data, &size);

    if (which & 1) {
        ca_lab_default(&lab, fuzz_model(which >> 1));
        lab.ghosts = which >> 6;
        run_submission(&lab, &data, &size);
    } else {
        read_reports(data, size);
    }
}
