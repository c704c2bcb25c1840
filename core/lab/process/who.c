/* SPDX-License-Identifier: MIT */
/* Runs a lab's kernel with notes in LAB_AT, and reads what was noted. */
#include "core/lab/process/who.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/files/formats.h"
#include "core/lab/kernel/files.h"
#include "core/lab/kernel/wire.h"
#include "core/lab/process/build.h"
#include "core/lab/process/submission.h"
#include "core/sim/simulation.h"

const char *ca_lab_who_word(enum lab_who_kind kind)
{
    return kind == LAB_WHO_SM ? "multiprocessor" : kind == LAB_WHO_BLOCK ? "block" : "thread";
}

void ca_lab_who_free(struct ca_lab_who *who)
{
    free(who->owner);
    who->owner = NULL;
}

double ca_lab_who_idle(const struct ca_lab_who *who, int worker)
{
    return who->span_s > 0 ? 1 - who->worker[worker].busy_s / who->span_s : 0;
}

int ca_lab_who_of(const struct ca_lab_who *who, int64_t x, int64_t y, int64_t z)
{
    return (int)who->owner[(z * who->size.h + y) * who->size.w + x] - 1;
}

char ca_lab_who_letter(int worker)
{
    static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

    return worker < 0 ? '.' : letters[worker % (int)(sizeof letters - 1)];
}

/* --- reading ---------------------------------------------------------------------------------- */

static int by_first(const void *a, const void *b)
{
    const struct lab_who_span *p = a, *q = b;

    return (p->first > q->first) - (p->first < q->first);
}

/* The times of multiprocessors are those of their blocks: busy while any of them is there. */
static void join_blocks(struct lab_who_span *spans, struct lab_who_span *blocks,
                        uint64_t busy[LAB_WHO_THREADS], const struct lab_who_file *head)
{
    for (uint32_t i = 0; i < head->workers; i++)
        spans[i].first = spans[i].last = 0;
    qsort(blocks, head->blocks, sizeof *blocks, by_first);
    for (uint32_t i = 0; i < head->blocks; i++) {
        struct lab_who_span *span = &spans[blocks[i].worker % head->workers];
        uint64_t *sum = &busy[blocks[i].worker % head->workers];

        if (blocks[i].asks == 0 || blocks[i].last < blocks[i].first)
            continue;
        if (span->last == 0)
            span->first = span->last = blocks[i].first;
        if (blocks[i].last > span->last) {
            *sum += blocks[i].last - (blocks[i].first > span->last ? blocks[i].first : span->last);
            span->last = blocks[i].last;
        }
    }
}

/* Keeps the workers that asked for anything, with times from the first of all on. */
static void keep_workers(struct ca_lab_who *who, const struct lab_who_span *spans,
                         const uint64_t *busy, const struct lab_who_file *head,
                         int place[LAB_WHO_THREADS])
{
    uint64_t first = UINT64_MAX, last = 0;

    for (uint32_t i = 0; i < head->workers; i++)
        if (spans[i].asks > 0 && spans[i].last > 0) {
            first = spans[i].first < first ? spans[i].first : first;
            last = spans[i].last > last ? spans[i].last : last;
        }
    who->span_s = last > first ? (double)(last - first) * 1e-9 : 0;
    for (uint32_t i = 0; i < head->workers; i++) {
        struct ca_lab_worker *worker = &who->worker[who->workers];
        const struct lab_who_span *span = &spans[i];

        place[i] = -1;
        if (span->asks == 0)
            continue;
        place[i] = who->workers++;
        *worker = (struct ca_lab_worker){.number = i, .asks = (int64_t)span->asks};
        if (who->span_s <= 0 || span->last < span->first || span->last == 0)
            continue;
        worker->start_s = (double)(span->first - first) * 1e-9;
        worker->end_s = (double)(span->last - first) * 1e-9;
        worker->busy_s =
            head->kind == LAB_WHO_SM ? (double)busy[i] * 1e-9 : worker->end_s - worker->start_s;
    }
}

/* The owners of the cells, of a plane with the lab's border. */
static void keep_owners(struct ca_lab_who *who, const struct lab_shared *shared,
                        const uint16_t *most, const int place[LAB_WHO_THREADS])
{
    const int64_t g = shared->ghosts, deep = shared->dimensions == 3 ? g : 0;
    uint16_t *to = who->owner;

    for (int64_t z = 0; z < shared->d; z++)
        for (int64_t y = 0; y < shared->h; y++)
            for (int64_t x = 0; x < shared->w; x++, to++) {
                uint16_t from =
                    most[((z + deep) * lab_down(shared) + y + g) * lab_across(shared) + x + g];
                int at = from > 0 && from <= LAB_WHO_THREADS ? place[from - 1] : -1;

                *to = (uint16_t)(at + 1);
                if (at >= 0)
                    who->worker[at].cells++;
            }
}

static enum ca_status is_no_file(const struct ca_lab *lab, struct ca_error *error)
{
    return ca_fail(error, CA_WRONG, "%.100s: its process has left no notes of who ran where",
                   lab->source);
}

static enum ca_status read_bytes(struct ca_lab_who *who, const struct ca_lab *lab,
                                 const struct lab_shared *shared, char *bytes, size_t size,
                                 struct ca_error *error)
{
    static uint64_t busy[LAB_WHO_THREADS];
    uint64_t cells = (uint64_t)(lab_across(shared) * lab_down(shared) * lab_deep(shared));
    int place[LAB_WHO_THREADS] = {0};
    struct lab_who_file head;
    struct lab_who_span *spans, *blocks;

    if (size < sizeof head)
        return is_no_file(lab, error);
    memcpy(&head, bytes, sizeof head);
    if (head.magic != LAB_WHO_MAGIC || head.kind > LAB_WHO_BLOCK || head.workers == 0 ||
        head.workers > LAB_WHO_THREADS || head.blocks > LAB_WHO_BLOCKS || head.cells != cells ||
        size != sizeof head + (head.workers + (size_t)head.blocks) * sizeof *spans +
                    cells * sizeof(uint16_t))
        return is_no_file(lab, error);
    who->kind = (enum lab_who_kind)head.kind;
    spans = (struct lab_who_span *)(bytes + sizeof head);
    blocks = spans + head.workers;
    memset(busy, 0, sizeof busy);
    if (head.kind == LAB_WHO_SM)
        join_blocks(spans, blocks, busy, &head);
    keep_workers(who, spans, busy, &head, place);
    if (who->workers == 0)
        return ca_fail(error, CA_WRONG,
                       "%.100s calls LAB_AT nowhere, so that who ran where is not known: let it "
                       "find the cells that it reads and writes by LAB_AT",
                       lab->source);
    keep_owners(who, shared, (const uint16_t *)(blocks + head.blocks), place);
    return CA_OK;
}

enum ca_status ca_lab_who_read(struct ca_lab_who *who, const struct ca_lab *lab,
                               struct ca_size size, const char *path, struct ca_error *error)
{
    struct ca_experiment experiment = ca_lab_experiment(lab, size, lab->seed[0]);
    struct ca_setup setup = ca_setup_of(&experiment);
    struct lab_shared shared;
    enum ca_status status;
    struct ca_error ignored;
    char *bytes;
    size_t count;

    *who = (struct ca_lab_who){.size = size};
    ca_lab_shared(&shared, lab, &setup);
    who->owner = calloc((size_t)ca_cells(size), sizeof *who->owner);
    if (!who->owner)
        return ca_fail(error, CA_NO_MEMORY, "no memory for who ran where");
    if (ca_file_read(path, 256 << 20, &bytes, &count, &ignored) != CA_OK)
        return is_no_file(lab, error);
    status = read_bytes(who, lab, &shared, bytes, count, error);
    free(bytes);
    return status;
}

/* --- running ---------------------------------------------------------------------------------- */

/* Two generations, so that memory is there and threads have begun before the one that counts. */
static enum ca_status run_noted(struct ca_lab_submission *submission, struct ca_lattice *state)
{
    CA_TRY(ca_lab_submission_load(submission, state, 0));
    CA_TRY(ca_lab_submission_step(submission, 0, 1));
    CA_TRY(ca_lab_submission_step(submission, 1, 1));
    CA_TRY(ca_lab_submission_store(submission, state));
    return ca_lab_submission_finish(submission);
}

static enum ca_status run_built(const struct ca_lab *lab, const struct ca_lab_build *build,
                                struct ca_experiment *experiment, struct ca_error *error)
{
    struct ca_setup setup = ca_setup_of(experiment);
    const struct ca_lab_program program = {.path = build->program[ca_lab_tool_of(lab)],
                                           .folder = build->run,
                                           .limit_s = lab->watched_seconds};
    struct ca_lab_submission submission;
    struct ca_lattice state = {.planes = 0}, input = {.planes = 0};
    enum ca_status status = ca_initial_state(experiment, &input, error);

    if (status == CA_OK)
        status = ca_initial_state(experiment, &state, error);
    if (status == CA_OK) {
        status = ca_lab_submission_open(&submission, lab, &setup, &program, error);
        if (status == CA_OK)
            status = run_noted(&submission, &state);
        if (status == CA_WRONG)
            ca_error_set(error, CA_WRONG, "%.100s: %.600s", lab->source, submission.fault.text);
        ca_lab_submission_end(&submission);
        ca_lab_submission_free(&submission);
    }
    ca_lattice_free(&input);
    ca_lattice_free(&state);
    return status;
}

enum ca_status ca_lab_who_make(struct ca_lab_who *who, const struct ca_lab *lab,
                               struct ca_size size, struct ca_error *error)
{
    struct ca_experiment experiment = ca_lab_experiment(lab, size, lab->seed[0]);
    struct ca_lab_build build;
    char path[560];
    enum ca_status status;

    *who = (struct ca_lab_who){.size = size};
    CA_TRY(ca_experiment_check(&experiment, error));
    status = ca_lab_build_open(&build, lab, error);
    build.notes = true;
    if (status == CA_OK)
        status = ca_lab_build_with(&build, lab, ca_lab_tool_of(lab), error);
    if (status == CA_OK)
        status = ca_lab_build_empty(&build, error);
    if (status == CA_OK)
        status = run_built(lab, &build, &experiment, error);
    if (status == CA_OK) {
        snprintf(path, sizeof path, "%s/who", build.run);
        status = ca_lab_who_read(who, lab, size, path, error);
    }
    ca_lab_build_close(&build);
    return status;
}

/* --- the picture ------------------------------------------------------------------------------ */

struct picture {
    const struct ca_lab_who *who;
    int64_t z, scale;
};

/* Colours that differ as much as they can between neighbouring numbers: the hue goes on by the
 * golden angle, in two levels of brightness. */
static void colour_of(int worker, uint8_t rgb[3])
{
    double hue = worker * 137.508 / 60, part;
    double high = worker / 8 % 2 ? 0.65 : 0.95, low = 0.2;
    int sector;

    while (hue >= 6)
        hue -= 6;
    sector = (int)hue;
    part = hue - sector;
    for (int i = 0; i < 3; i++) {
        int turn = (sector + 6 - 2 * i) % 6; /* red is high in sectors 5 and 0, green in 1 and 2 */
        double level = turn == 0 || turn == 5 ? high
                       : turn == 1            ? high - (high - low) * part
                       : turn == 4            ? low + (high - low) * part
                                              : low;

        rgb[i] = worker < 0 ? 0 : (uint8_t)(255 * level);
    }
}

static enum ca_status picture_row(void *context, int64_t y, uint8_t *row, struct ca_error *error)
{
    const struct picture *picture = context;

    (void)error;
    for (int64_t x = 0; x < picture->who->size.w * picture->scale; x++)
        colour_of(ca_lab_who_of(picture->who, x / picture->scale, y / picture->scale, picture->z),
                  row + 3 * x);
    return CA_OK;
}

enum ca_status ca_lab_who_picture(const struct ca_lab_who *who, int64_t z, const char *path,
                                  struct ca_error *error)
{
    int64_t longest = who->size.w > who->size.h ? who->size.w : who->size.h;
    struct picture picture = {who, z, longest < 512 ? 512 / longest : 1};
    const struct ca_pixels pixels = {.w = who->size.w * picture.scale,
                                     .h = who->size.h * picture.scale,
                                     .pixel = CA_RGB,
                                     .row = picture_row,
                                     .context = &picture};
    const char *end = strrchr(path, '.');

    if (!end || strcmp(end, ".png") != 0)
        return ca_fail(error, CA_USAGE, "%.300s: the picture is a .png", path);
    return ca_png_write(path, &pixels, error);
}
