/* SPDX-License-Identifier: MIT */
/* All bit-sliced backends handle rows between steps by this file. */
#include "kernels/cpu/word_rows.h"

#include <stdlib.h>
#include <string.h>

#include "core/model/bit_row.h"
#include "kernels/cpu/parallel_blocks.h"
#include "kernels/cpu/parallel_rows.h"
#include "kernels/cpu/random_words.h"

/* The buffers of a worker: a row and its solid cells, or three rows that follow each other. */
#define BUFFERS 3

/* Some of the rows, and what is done to them. */
struct job {
    const struct word_rows *rows;
    void (*one)(const struct job *job, int64_t row, uint64_t *words);
    int64_t first, last;
    uint64_t *words;   /* for each worker: BUFFERS rows */
    int64_t row_words; /* of a row, up to the next cache line */
    void *const *planes;
    struct ca_random_start random;
    random_words_function *draw;
    unsigned parts;
};

static int bits_of(const struct word_rows *rows) { return ca_plane_bits(rows->setup->model); }

static int planes_of(const struct word_rows *rows)
{
    return rows->setup->model->planes * bits_of(rows);
}

static uint64_t *words_of(const struct job *job, int worker)
{
    return job->words + BUFFERS * worker * job->row_words;
}

static enum ca_status alloc_words(struct job *job, int workers, struct ca_error *error)
{
    job->row_words = (ca_bit_row_words(job->rows->setup->size.w) + 7) / 8 * 8;
    job->words = malloc((size_t)(BUFFERS * workers * job->row_words) * sizeof *job->words);
    return job->words ? CA_OK
                      : ca_fail(error, CA_NO_MEMORY, "no memory for %d rows", BUFFERS * workers);
}

/* Calls job->one for the rows of groups first ... last - 1, counted from that of job->first. */
static void do_groups(void *context, int worker, int64_t first, int64_t last)
{
    const struct job *job = context;
    int64_t group = job->rows->group, from = job->first / group;
    int64_t row = (from + first) * group, end = (from + last) * group;

    for (row = row > job->first ? row : job->first; row < end && row < job->last; row++)
        job->one(job, row, words_of(job, worker));
}

static enum ca_status do_rows(struct job *job, struct ca_error *error)
{
    int64_t group = job->rows->group, w = job->rows->setup->size.w;
    int64_t groups = (job->last + group - 1) / group - job->first / group;
    int workers = parallel_workers(groups, group * w);
    enum ca_status status;

    CA_TRY(alloc_words(job, workers, error));
    status = parallel_rows(workers, groups, do_groups, job, error);
    free(job->words);
    return status;
}

/* --- cells in and out ------------------------------------------------------------------------- */

static uint8_t *cells_of(const struct job *job, int plane, int64_t row)
{
    return (uint8_t *)job->planes[plane / bits_of(job->rows)] +
           (row - job->first) * job->rows->setup->size.w;
}

static void load_row(const struct job *job, int64_t row, uint64_t *words)
{
    const struct word_rows *rows = job->rows;
    int bits = bits_of(rows);

    for (int p = 0; p < planes_of(rows); p++) {
        ca_bit_row_pack(words, cells_of(job, p, row), p % bits, rows->setup->size.w);
        rows->put(rows->self, p, row, words);
    }
}

enum ca_status word_rows_load(void *instance, const void *const planes[], int64_t first,
                              int64_t count, struct ca_error *error)
{
    struct job job = {instance, load_row, first, first + count, .planes = (void *const *)planes};

    return do_rows(&job, error);
}

static void store_row(const struct job *job, int64_t row, uint64_t *words)
{
    const struct word_rows *rows = job->rows;
    int bits = bits_of(rows);

    for (int p = 0; p < planes_of(rows); p++)
        ca_bit_row_unpack(cells_of(job, p, row), rows->get(rows->self, p, row, words), p % bits,
                          rows->setup->size.w);
}

enum ca_status word_rows_store(void *instance, void *const planes[], int64_t first, int64_t count,
                               struct ca_error *error)
{
    struct job job = {instance, store_row, first, first + count, .planes = planes};

    return do_rows(&job, error);
}

/* --- random starts ---------------------------------------------------------------------------- */

/* A row of a bit plane; solid cells hold the solid bit alone. */
static void make_plane(const struct job *job, int plane, int64_t row, const uint64_t *solid,
                       uint64_t *words)
{
    const struct ca_setup *setup = job->rows->setup;
    const struct ca_random_start *random = &job->random;
    int64_t count = ca_bit_row_words(setup->size.w), h = setup->size.h;
    struct random_cells cells = {setup->seed, random->below[plane], (uint32_t)(row % h),
                                 (uint32_t)(row / h), (uint32_t)plane};

    job->draw(&cells, 0, count, words);
    for (int64_t k = 0; random->solid && k < count; k++)
        words[k] = plane == random->solid_bit ? words[k] | solid[k] : words[k] & ~solid[k];
}

static void make_row(const struct job *job, int64_t row, uint64_t *words)
{
    const struct word_rows *rows = job->rows;
    int64_t global = slab_global_row(rows->setup, row);
    uint64_t *solid = words + job->row_words;

    if (job->random.solid)
        job->random.solid(rows->setup, global, solid);
    for (int p = 0; p < planes_of(rows); p++) {
        make_plane(job, p, global, solid, words);
        rows->put(rows->self, p, row, words);
    }
}

enum ca_status word_rows_init(const struct word_rows *rows, int64_t count, bool *made,
                              struct ca_error *error)
{
    const struct ca_setup *setup = rows->setup;
    struct job job = {rows, make_row, 0, count, .draw = random_words()};

    *made = setup->model->start->random && setup->model->start->random(setup, &job.random);
    return *made ? do_rows(&job, error) : CA_OK;
}

/* --- surveys ---------------------------------------------------------------------------------- */

static void survey_row(void *context, int worker, int64_t row, struct ca_survey *survey)
{
    const struct job *job = context;
    const struct word_rows *rows = job->rows;
    int64_t global = slab_global_row(rows->setup, row);
    uint64_t *words = words_of(job, worker);
    const uint64_t *solid = NULL;
    int bits = bits_of(rows);

    if (ca_survey_solid(rows->setup, job->parts, global))
        solid =
            rows->get(rows->self, ca_solid_plane(rows->setup->model), row, words + job->row_words);
    for (int p = 0; p < planes_of(rows); p++)
        ca_survey_words(rows->setup, job->parts, p / bits, p % bits, global,
                        rows->get(rows->self, p, row, words), solid, survey);
}

enum ca_status word_rows_survey(void *instance, unsigned parts, int64_t first, int64_t count,
                                struct ca_survey *survey, struct ca_error *error)
{
    const struct word_rows *rows = instance;
    struct job job = {rows, .parts = parts};
    int64_t w = rows->setup->size.w;
    enum ca_status status;

    CA_TRY(alloc_words(&job, parallel_workers(count, w), error));
    status = parallel_survey(first, count, w, survey_row, &job, survey, error);
    free(job.words);
    return status;
}

/* --- sums of blocks --------------------------------------------------------------------------- */

static void add_blocks(const struct blocks_job *blocks, int worker, int64_t row, double *line)
{
    const struct job *job = blocks->context;
    const struct word_rows *rows = job->rows;
    int solid_plane = ca_solid_plane(rows->setup->model);
    uint64_t *words = words_of(job, worker);
    const uint64_t *solid = NULL;

    if (solid_plane >= 0)
        solid = rows->get(rows->self, solid_plane, row, words + job->row_words);
    for (int p = 0; p < planes_of(rows); p++)
        ca_blocks_add_words(rows->setup->model, blocks->blocks, p,
                            rows->get(rows->self, p, row, words), solid, line);
}

static void add_neighbours(const struct blocks_job *blocks, int worker, int64_t row, double *line)
{
    const struct job *job = blocks->context;
    const struct word_rows *rows = job->rows;
    int64_t at[3] = {slab_next_row(rows->setup, row, -1), row, slab_next_row(rows->setup, row, 1)};
    const void *words[3];
    struct ca_neighbour_rows neighbours;

    for (int i = 0; i < 3; i++)
        words[i] =
            at[i] < 0 ? NULL
                      : rows->get(rows->self, 0, at[i], words_of(job, worker) + i * job->row_words);
    neighbours.above[0] = words[0], neighbours.here[0] = words[1], neighbours.below[0] = words[2];
    ca_blocks_add_neighbours(rows->setup, blocks->blocks,
                             ca_neighbours_of(rows->setup->model)->add_words, &neighbours, line);
}

static enum ca_status sum_blocks(const struct word_rows *rows, struct blocks_job blocks,
                                 double *sums, struct ca_error *error)
{
    struct job job = {.rows = rows};
    int workers = parallel_blocks_workers(&blocks);
    enum ca_status status;

    blocks.context = &job;
    CA_TRY(alloc_words(&job, workers, error));
    status = parallel_blocks(&blocks, workers, sums, error);
    free(job.words);
    return status;
}

enum ca_status word_rows_blocks(void *instance, const struct ca_blocks *blocks, int64_t first,
                                int64_t count, double *sums, struct ca_error *error)
{
    const struct word_rows *rows = instance;
    struct blocks_job job = {rows->setup, blocks, first, count, ca_block_sums(rows->setup->model),
                             add_blocks,  NULL};

    return sum_blocks(rows, job, sums, error);
}

enum ca_status word_rows_neighbours(void *instance, const struct ca_blocks *blocks, int64_t first,
                                    int64_t count, double *neighbours, struct ca_error *error)
{
    const struct word_rows *rows = instance;
    struct blocks_job job = {
        rows->setup,    blocks, first, count, ca_neighbour_sums_count(rows->setup->model),
        add_neighbours, NULL};

    return sum_blocks(rows, job, neighbours, error);
}
