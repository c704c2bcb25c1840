/* SPDX-License-Identifier: MIT */
/* Process 0 and the others exchange messages: for each kind, the code that asks stands beside the
 * code that answers. All processes run the same build on the same kind of machine, so that
 * structures travel as they lie in memory, but for pointers, which names replace. */
#include "core/ranks/remote.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/ranks/processes.h"

#define PIECE_BYTES ((int64_t)64 << 20) /* of rows in one message */

enum call { CREATE, DESTROY, DO, LOAD, STORE, BLOCKS, NEIGHBOURS, GATHER, DISMISS };

struct request {
    enum call call;
    uint64_t lattice;
    struct ca_ranks_job job; /* of DO */
    int rank;                /* of what follows */
    int64_t first, rows;     /* of its slab */
    struct ca_blocks blocks;
    int64_t columns, count; /* of GATHER */
};

/* A setup by names and texts, each of which reads back to the same value. */
struct values_message {
    enum ca_origin origin[CA_PARAMS_MAX];
    char text[CA_PARAMS_MAX][CA_TEXT_MAX];
};
struct create_message {
    char model[64], backend[64];
    struct ca_size size;
    struct ca_slab slab;
    uint64_t seed;
    int start;
    struct ca_cut cut;
    struct values_message params, options;
};

/* A lattice of which this process has ranks. */
struct served {
    struct served *next;
    uint64_t lattice;
    struct ca_setup setup;
    struct ca_slabs *slabs;
};

static void remote_send(int process, const void *bytes, size_t count)
{
    ca_process_send(process, CA_TAG_JOB, bytes, count);
}

static void hear(int process, void *bytes, size_t count)
{
    ca_process_receive(process, CA_TAG_JOB, bytes, count);
}

static void remote_send_error(enum ca_status status, struct ca_error *error)
{
    error->status = status;
    remote_send(0, error, sizeof *error);
}

static enum ca_status hear_error(int process, struct ca_error *error)
{
    struct ca_error heard;

    hear(process, &heard, sizeof heard);
    return heard.status == CA_OK ? CA_OK : ca_fail(error, heard.status, "%s", heard.text);
}

static size_t remote_row_bytes(const struct ca_setup *setup)
{
    return (size_t)setup->size.w * ca_type_bytes(setup->model->type);
}

/* --- slabs are made and freed ---------------------------------------------------------------- */

static void remote_write_values(struct values_message *message, const struct ca_values *values)
{
    for (int i = 0; i < values->count; i++) {
        message->origin[i] = values->value[i].origin;
        ca_value_format(message->text[i], &values->table[i], &values->value[i]);
    }
}

static enum ca_status remote_read_values(struct ca_values *values,
                                         const struct values_message *message,
                                         struct ca_error *error)
{
    for (int i = 0; i < values->count; i++)
        CA_TRY(ca_values_set(values, i, message->text[i], message->origin[i], NULL, error));
    return CA_OK;
}

void ca_remote_ask_create(int process, uint64_t lattice, const struct ca_setup *setup,
                          const struct ca_cut *cut)
{
    static struct create_message message; /* 40 KiB; calls are made one after the other */
    struct request request = {.call = CREATE, .lattice = lattice};

    memset(&message, 0, sizeof message);
    strncpy(message.model, setup->model->name, sizeof message.model - 1);
    strncpy(message.backend, setup->backend->name, sizeof message.backend - 1);
    message.size = setup->size;
    message.slab = setup->slab;
    message.seed = setup->seed;
    message.start = setup->start;
    message.cut = *cut;
    remote_write_values(&message.params, &setup->params);
    remote_write_values(&message.options, &setup->options);
    remote_send(process, &request, sizeof request);
    remote_send(process, &message, sizeof message);
}

static enum ca_status read_setup(struct ca_setup *setup, const struct create_message *message,
                                 struct ca_error *error)
{
    CA_TRY(ca_model_find(&setup->model, message->model, error));
    CA_TRY(ca_backend_find(&setup->backend, setup->model, message->backend, error));
    setup->size = message->size;
    setup->slab = message->slab;
    setup->seed = message->seed;
    setup->start = message->start;
    ca_values_default(&setup->params, setup->model->params);
    ca_values_default(&setup->options, setup->backend->options);
    CA_TRY(remote_read_values(&setup->params, &message->params, error));
    return remote_read_values(&setup->options, &message->options, error);
}

static enum ca_status remote_create(struct served *served, struct ca_ranks_reply *reply)
{
    static struct create_message message;

    hear(0, &message, sizeof message);
    reply->rank = ca_cut_first_rank(&message.cut, ca_process_self());
    CA_TRY(read_setup(&served->setup, &message, &reply->error));
    return ca_slabs_create(&served->slabs, &served->setup, &message.cut, ca_process_self(), reply);
}

static void serve_create(struct served **all, uint64_t lattice)
{
    struct served *served = calloc(1, sizeof *served), none;
    struct ca_ranks_reply reply = {.rank = 0};
    enum ca_status status = remote_create(served ? served : &none, &reply);

    if (status == CA_OK && !served) {
        ca_slabs_destroy(none.slabs);
        status = ca_fail(&reply.error, CA_NO_MEMORY, "no memory for a lattice's record");
    }
    reply.error.status = status;
    if (status == CA_OK) {
        served->lattice = lattice;
        served->next = *all;
        *all = served;
    } else {
        free(served);
    }
    remote_send(0, &reply, sizeof reply);
}

void ca_remote_ask_destroy(int process, uint64_t lattice)
{
    struct request request = {.call = DESTROY, .lattice = lattice};

    remote_send(process, &request, sizeof request);
}

static void serve_destroy(struct served **all, uint64_t lattice)
{
    struct ca_ranks_reply reply = {.rank = 0};

    for (struct served **at = all; *at; at = &(*at)->next)
        if ((*at)->lattice == lattice) {
            struct served *gone = *at;

            *at = gone->next;
            ca_slabs_destroy(gone->slabs);
            free(gone);
            break;
        }
    remote_send(0, &reply, sizeof reply);
}

/* --- what all ranks do ----------------------------------------------------------------------- */

void ca_remote_ask(int process, uint64_t lattice, const struct ca_ranks_job *job)
{
    struct request request = {.call = DO, .lattice = lattice, .job = *job};

    remote_send(process, &request, sizeof request);
}

void ca_remote_answer(int process, struct ca_ranks_reply *reply)
{
    hear(process, reply, sizeof *reply);
}

static void serve_job(const struct served *served, const struct request *request)
{
    struct ca_ranks_reply reply;

    ca_slabs_do(served->slabs, &request->job, &reply);
    remote_send(0, &reply, sizeof reply);
}

/* --- rows in and out ------------------------------------------------------------------------- */

static int64_t piece_rows(const struct ca_setup *setup)
{
    int64_t rows = PIECE_BYTES / (int64_t)remote_row_bytes(setup) / setup->model->planes;

    return rows < 1 ? 1 : rows;
}

/* Memory for rows of all planes; planes are set to NULL where there is none. */
static size_t hold_rows(const struct ca_setup *setup, int64_t rows, void *planes[])
{
    size_t plane = remote_row_bytes(setup) * (size_t)rows;
    char *memory = ca_zeroed(plane * (size_t)setup->model->planes);

    for (int p = 0; p < setup->model->planes; p++)
        planes[p] = memory ? memory + plane * (size_t)p : NULL;
    return plane;
}

static void release_rows(const struct ca_setup *setup, int64_t rows, void *planes[])
{
    ca_release(planes[0], remote_row_bytes(setup) * (size_t)rows * (size_t)setup->model->planes);
}

static enum ca_status no_rows(int64_t rows, struct ca_error *error)
{
    return ca_fail(error, CA_NO_MEMORY, "no memory for %lld rows", (long long)rows);
}

static void remote_send_planes(int process, const struct ca_setup *setup,
                               const void *const planes[], int64_t first, int64_t rows)
{
    for (int p = 0; p < setup->model->planes; p++)
        remote_send(process, (const char *)planes[p] + remote_row_bytes(setup) * (size_t)first,
                    remote_row_bytes(setup) * (size_t)rows);
}

static void hear_planes(int process, const struct ca_setup *setup, void *const planes[],
                        int64_t first, int64_t rows)
{
    for (int p = 0; p < setup->model->planes; p++)
        hear(process, (char *)planes[p] + remote_row_bytes(setup) * (size_t)first,
             remote_row_bytes(setup) * (size_t)rows);
}

/* Asks of piece after piece: the answer to the first message of each says whether the rows may
 * come. */
static enum ca_status pieces(const struct ca_remote_rank *rank, enum call call, int64_t first,
                             int64_t rows, int64_t *done, int64_t *count)
{
    struct request request = {
        .call = call, .lattice = rank->lattice, .rank = rank->rank, .first = first + *done};
    int64_t most = piece_rows(rank->setup);

    *count = rows - *done < most ? rows - *done : most;
    request.rows = *count;
    remote_send(rank->process, &request, sizeof request);
    return CA_OK;
}

enum ca_status ca_remote_load(const struct ca_remote_rank *rank, const void *const planes[],
                              int64_t first, int64_t rows, struct ca_error *error)
{
    int64_t count;

    for (int64_t done = 0; done < rows; done += count) {
        pieces(rank, LOAD, first, rows, &done, &count);
        CA_TRY(hear_error(rank->process, error));
        remote_send_planes(rank->process, rank->setup, planes, done, count);
        CA_TRY(hear_error(rank->process, error));
    }
    return CA_OK;
}

static void serve_load(const struct served *served, const struct request *request)
{
    const struct ca_setup *setup = &served->setup;
    struct ca_error error = {.status = CA_OK};
    void *planes[CA_PLANES_MAX] = {NULL};

    hold_rows(setup, request->rows, planes);
    remote_send_error(planes[0] ? CA_OK : no_rows(request->rows, &error), &error);
    if (!planes[0])
        return;
    hear_planes(0, setup, planes, 0, request->rows);
    remote_send_error(setup->backend->stepper->load(ca_slabs_rank(served->slabs, request->rank),
                                                    (const void *const *)planes, request->first,
                                                    request->rows, &error),
                      &error);
    release_rows(setup, request->rows, planes);
}

enum ca_status ca_remote_store(const struct ca_remote_rank *rank, void *const planes[],
                               int64_t first, int64_t rows, struct ca_error *error)
{
    int64_t count;

    for (int64_t done = 0; done < rows; done += count) {
        pieces(rank, STORE, first, rows, &done, &count);
        CA_TRY(hear_error(rank->process, error));
        hear_planes(rank->process, rank->setup, planes, done, count);
    }
    return CA_OK;
}

static void serve_store(const struct served *served, const struct request *request)
{
    const struct ca_setup *setup = &served->setup;
    struct ca_error error = {.status = CA_OK};
    void *planes[CA_PLANES_MAX] = {NULL};
    enum ca_status status;

    hold_rows(setup, request->rows, planes);
    status = planes[0]
                 ? setup->backend->stepper->store(ca_slabs_rank(served->slabs, request->rank),
                                                  planes, request->first, request->rows, &error)
                 : no_rows(request->rows, &error);
    remote_send_error(status, &error);
    if (status == CA_OK)
        remote_send_planes(0, setup, (const void *const *)planes, 0, request->rows);
    release_rows(setup, request->rows, planes);
}

/* --- sums of blocks -------------------------------------------------------------------------- */

/* The sums travel both ways, so that they add up in the same order as in one process. */
static size_t sums_of(const struct ca_setup *setup, const struct ca_blocks *blocks, bool neighbours)
{
    return (size_t)(blocks->count.w * blocks->count.h * blocks->count.d) *
           (size_t)(neighbours ? ca_neighbour_sums_count(setup->model)
                               : ca_block_sums(setup->model));
}

enum ca_status ca_remote_blocks(const struct ca_remote_rank *rank, bool neighbours,
                                const struct ca_blocks *blocks, int64_t first, int64_t rows,
                                double *sums, struct ca_error *error)
{
    struct request request = {.call = neighbours ? NEIGHBOURS : BLOCKS,
                              .lattice = rank->lattice,
                              .rank = rank->rank,
                              .first = first,
                              .rows = rows,
                              .blocks = *blocks};
    size_t bytes = sums_of(rank->setup, blocks, neighbours) * sizeof *sums;

    remote_send(rank->process, &request, sizeof request);
    CA_TRY(hear_error(rank->process, error));
    remote_send(rank->process, sums, bytes);
    CA_TRY(hear_error(rank->process, error));
    hear(rank->process, sums, bytes);
    return CA_OK;
}

static void serve_blocks(const struct served *served, const struct request *request)
{
    const struct ca_stepper *stepper = served->setup.backend->stepper;
    bool neighbours = request->call == NEIGHBOURS;
    size_t count = sums_of(&served->setup, &request->blocks, neighbours);
    double *sums = calloc(count > 0 ? count : 1, sizeof *sums);
    struct ca_error error = {.status = CA_OK};
    enum ca_status status;

    remote_send_error(
        sums ? CA_OK : ca_fail(&error, CA_NO_MEMORY, "no memory for %zu sums of blocks", count),
        &error);
    if (!sums)
        return;
    hear(0, sums, count * sizeof *sums);
    status = (neighbours ? stepper->observe->neighbours : stepper->observe->blocks)(
        ca_slabs_rank(served->slabs, request->rank), &request->blocks, request->first,
        request->rows, sums, &error);
    remote_send_error(status, &error);
    if (status == CA_OK)
        remote_send(0, sums, count * sizeof *sums);
    free(sums);
}

/* --- scattered cells ------------------------------------------------------------------------- */

enum ca_status ca_remote_gather(const struct ca_remote_rank *rank,
                                const struct ca_gather_points *points, void *const planes[],
                                struct ca_error *error)
{
    struct request request = {.call = GATHER,
                              .lattice = rank->lattice,
                              .rank = rank->rank,
                              .columns = points->columns,
                              .count = points->count};
    size_t bytes =
        (size_t)(points->columns * points->count) * ca_type_bytes(rank->setup->model->type);

    remote_send(rank->process, &request, sizeof request);
    CA_TRY(hear_error(rank->process, error));
    remote_send(rank->process, points->x, (size_t)points->columns * sizeof points->x[0]);
    remote_send(rank->process, points->row, (size_t)points->count * sizeof points->row[0]);
    CA_TRY(hear_error(rank->process, error));
    for (int p = 0; p < rank->setup->model->planes; p++)
        hear(rank->process, planes[p], bytes);
    return CA_OK;
}

static void serve_gather(const struct served *served, const struct request *request)
{
    const struct ca_setup *setup = &served->setup;
    size_t cells = (size_t)(request->columns * request->count) * ca_type_bytes(setup->model->type);
    int64_t *points = calloc((size_t)(request->columns + request->count), sizeof *points);
    char *found = malloc(cells * (size_t)setup->model->planes);
    struct ca_gather_points where = {points, points + request->columns, request->columns,
                                     request->count};
    struct ca_error error = {.status = CA_OK};
    bool allocated = points && found;
    enum ca_status status = CA_OK;
    void *planes[CA_PLANES_MAX] = {NULL};

    remote_send_error(allocated ? CA_OK : no_rows(request->count, &error), &error);
    for (int p = 0; p < setup->model->planes; p++)
        planes[p] = found + cells * (size_t)p;
    if (allocated) {
        hear(0, points, (size_t)request->columns * sizeof *points);
        hear(0, points + request->columns, (size_t)request->count * sizeof *points);
        status = setup->backend->stepper->draw->gather(ca_slabs_rank(served->slabs, request->rank),
                                                       &where, planes, &error);
        remote_send_error(status, &error);
    }
    for (int p = 0; allocated && status == CA_OK && p < setup->model->planes; p++)
        remote_send(0, planes[p], cells);
    free(found);
    free(points);
}

/* --- service --------------------------------------------------------------------------------- */

static struct served *remote_find(struct served *all, uint64_t lattice)
{
    while (all && all->lattice != lattice)
        all = all->next;
    return all;
}

void ca_remote_serve(void)
{
    struct served *all = NULL;
    struct request request;

    for (;;) {
        const struct served *served;

        hear(0, &request, sizeof request);
        served = remote_find(all, request.lattice);
        if (request.call == DISMISS)
            break;
        if (request.call == CREATE)
            serve_create(&all, request.lattice);
        else if (request.call == DESTROY)
            serve_destroy(&all, request.lattice);
        else if (request.call == DO)
            serve_job(served, &request);
        else if (request.call == LOAD)
            serve_load(served, &request);
        else if (request.call == STORE)
            serve_store(served, &request);
        else if (request.call == GATHER)
            serve_gather(served, &request);
        else
            serve_blocks(served, &request);
    }
    while (all) {
        struct served *gone = all;

        all = gone->next;
        ca_slabs_destroy(gone->slabs);
        free(gone);
    }
}

void ca_remote_dismiss(void)
{
    struct request request = {.call = DISMISS};

    for (int p = 1; p < ca_process_count(); p++)
        remote_send(p, &request, sizeof request);
}
