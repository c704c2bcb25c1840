/* SPDX-License-Identifier: MIT */
/* Process 0 and the others exchange messages: for each kind, the code that asks stands beside the
 * code that answers. All processes run the same build on the same kind of machine, so that
 * structures travel as they lie in memory, but for pointers, which names replace. */
#include "core/ranks/remote.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/ranks/processes.h"

#define PIECE_BYTES ((int64_t)64 << 20) /* of rows in one message */
#define TEXT_PIECE ((size_t)64 << 10)

enum call { CREATE, DESTROY, DO, CALL_RANK, DISMISS };

struct request {
    enum call call;
    uint64_t lattice;
    struct ca_ranks_job job; /* of DO */
    int rank;                /* of CALL_RANK, of whose arguments there are no pointers */
    struct ca_rank_call of_rank;
    struct ca_blocks blocks;
    int64_t columns, count; /* of points */
};

/* A setup by names and texts, each of which reads back to the same value. */
struct values_message {
    enum ca_origin origin[CA_PARAMS_MAX];
    char text[CA_PARAMS_MAX][CA_TEXT_MAX];
};
struct create_message {
    char model[CA_TEXT_MAX], backend[64];
    uint64_t digest;       /* of a model's file */
    size_t source_bytes;   /* of its text, which follows; 0: the model is built in */
    struct ca_setup setup; /* but for its pointers */
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

/* A file's text goes in pieces, each of which can be received without memory for the whole. */
static size_t text_piece(size_t bytes, size_t done)
{
    return bytes - done < TEXT_PIECE ? bytes - done : TEXT_PIECE;
}

void ca_remote_ask_create(int process, uint64_t lattice, const struct ca_setup *setup,
                          const struct ca_cut *cut)
{
    static struct create_message message; /* 40 KiB; calls are made one after the other */
    const struct ca_model_source *source = setup->model->source;
    struct request request = {.call = CREATE, .lattice = lattice};

    memset(&message, 0, sizeof message);
    strncpy(message.model, ca_model_word(setup->model), sizeof message.model - 1);
    message.digest = source ? source->digest : 0;
    message.source_bytes = source ? source->size : 0;
    strncpy(message.backend, setup->backend->name, sizeof message.backend - 1);
    message.setup = *setup;
    message.cut = *cut;
    remote_write_values(&message.params, &setup->params);
    remote_write_values(&message.options, &setup->options);
    remote_send(process, &request, sizeof request);
    remote_send(process, &message, sizeof message);
    for (size_t done = 0; source && done < source->size; done += TEXT_PIECE)
        remote_send(process, source->text + done, text_piece(source->size, done));
}

/* NULL: there is no memory for it, and it is passed over. */
static char *hear_text(size_t bytes)
{
    static char unkept[TEXT_PIECE];
    char *text = malloc(bytes);

    for (size_t done = 0; done < bytes; done += TEXT_PIECE)
        hear(0, text ? text + done : unkept, text_piece(bytes, done));
    return text;
}

/* The text of a file has come, which need not be there here. */
static enum ca_status remote_open_model(const struct ca_model **model,
                                        const struct create_message *message, const char *text,
                                        struct ca_error *error)
{
    if (message->source_bytes == 0)
        return ca_model_open(model, message->model, error);
    if (!text)
        return ca_fail(error, CA_NO_MEMORY, "no memory for the text of %.300s", message->model);
    return ca_model_open_text(model, message->model, message->digest, text, message->source_bytes,
                              error);
}

static enum ca_status read_setup(struct ca_setup *setup, const struct create_message *message,
                                 const char *text, struct ca_error *error)
{
    *setup = message->setup;
    CA_TRY(remote_open_model(&setup->model, message, text, error));
    CA_TRY(ca_backend_find(&setup->backend, setup->model, message->backend, error));
    ca_values_default(&setup->params, setup->model->params);
    ca_values_default(&setup->options, setup->backend->options);
    CA_TRY(remote_read_values(&setup->params, &message->params, error));
    return remote_read_values(&setup->options, &message->options, error);
}

static void serve_create(struct served **all, uint64_t lattice)
{
    struct served *served = calloc(1, sizeof *served), none = {.slabs = NULL};
    struct ca_ranks_reply reply = {.rank = 0};
    static struct create_message message;
    struct served *made = served ? served : &none;
    enum ca_status status;
    char *text = NULL;

    hear(0, &message, sizeof message);
    if (message.source_bytes > 0)
        text = hear_text(message.source_bytes);
    reply.rank = ca_cut_first_rank(&message.cut, ca_process_self());
    status = read_setup(&made->setup, &message, text, &reply.error);
    free(text);
    if (status == CA_OK)
        status =
            ca_slabs_create(&made->slabs, &made->setup, &message.cut, ca_process_self(), &reply);
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
    struct request request = {.call = job ? DO : DESTROY, .lattice = lattice};

    if (job)
        request.job = *job;
    remote_send(process, &request, sizeof request);
}

void ca_remote_answer(int process, struct ca_ranks_reply *reply)
{
    hear(process, reply, sizeof *reply);
}

/* --- calls of a rank ------------------------------------------------------------------------- */

/* An array of a call's arguments goes to the process that serves it, comes back, or both. */
struct array {
    void *bytes;
    size_t count;
    bool goes, comes;
};

#define ARRAYS_MAX (CA_PLANES_MAX + 2)

/* The sums travel both ways, so that they add up in the same order as in one process. */
static int arrays_of(struct array arrays[ARRAYS_MAX], const struct ca_setup *setup,
                     const struct ca_rank_call *call)
{
    const struct ca_model *model = setup->model;
    bool load = call->what == CA_RANK_LOAD, gather = call->what == CA_RANK_GATHER;
    int64_t cells = setup->size.w * call->rows;
    int count = 0, sums;

    if (call->what == CA_RANK_BLOCKS || call->what == CA_RANK_NEIGHBOURS) {
        sums = call->what == CA_RANK_BLOCKS ? ca_block_sums(model) : ca_neighbour_sums_count(model);
        arrays[0] = (struct array){call->sums,
                                   (size_t)(ca_cells(call->blocks->count) * sums) * sizeof(double),
                                   true, true};
        return 1;
    }
    if (gather) {
        cells = call->points->columns * call->points->count;
        arrays[count++] = (struct array){
            (void *)call->points->x, (size_t)call->points->columns * sizeof(int64_t), .goes = true};
        arrays[count++] = (struct array){
            (void *)call->points->row, (size_t)call->points->count * sizeof(int64_t), .goes = true};
    }
    for (int p = 0; p < model->planes; p++)
        arrays[count++] = (struct array){load ? (void *)call->from[p] : call->to[p],
                                         (size_t)cells * ca_type_bytes(model->type), load, !load};
    return count;
}

/* The first answer says whether there is memory for the arrays, the second what the call returned.
 */
static enum ca_status remote_call(const struct ca_remote_rank *rank,
                                  const struct ca_rank_call *call, struct ca_error *error)
{
    struct request request = {
        .call = CALL_RANK, .lattice = rank->lattice, .rank = rank->rank, .of_rank = *call};
    struct array arrays[ARRAYS_MAX];
    int count = arrays_of(arrays, rank->setup, call);

    if (call->blocks)
        request.blocks = *call->blocks;
    if (call->points) {
        request.columns = call->points->columns;
        request.count = call->points->count;
    }
    remote_send(rank->process, &request, sizeof request);
    CA_TRY(hear_error(rank->process, error));
    for (int i = 0; i < count; i++)
        if (arrays[i].goes)
            remote_send(rank->process, arrays[i].bytes, arrays[i].count);
    CA_TRY(hear_error(rank->process, error));
    for (int i = 0; i < count; i++)
        if (arrays[i].comes)
            hear(rank->process, arrays[i].bytes, arrays[i].count);
    return CA_OK;
}

/* Rows go in pieces. */
enum ca_status ca_remote_call(const struct ca_remote_rank *rank, const struct ca_rank_call *call,
                              struct ca_error *error)
{
    const struct ca_model *model = rank->setup->model;
    size_t row_bytes = (size_t)rank->setup->size.w * ca_type_bytes(model->type);
    int64_t most = PIECE_BYTES / (int64_t)row_bytes / model->planes;
    struct ca_rank_call part = *call;

    if (call->what != CA_RANK_LOAD && call->what != CA_RANK_STORE)
        return remote_call(rank, call, error);
    most = most < 1 ? 1 : most;
    for (int64_t done = 0; done < call->rows; done += part.rows) {
        const void *from[CA_PLANES_MAX] = {NULL};
        void *to[CA_PLANES_MAX] = {NULL};

        for (int p = 0; p < model->planes; p++) {
            if (call->what == CA_RANK_LOAD)
                from[p] = (const char *)call->from[p] + row_bytes * (size_t)done;
            else
                to[p] = (char *)call->to[p] + row_bytes * (size_t)done;
        }
        part.first = call->first + done;
        part.rows = call->rows - done < most ? call->rows - done : most;
        part.from = from;
        part.to = to;
        CA_TRY(remote_call(rank, &part, error));
    }
    return CA_OK;
}

/* Arrays lie behind each other at multiples of a cache line. */
static size_t aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }

static enum ca_status no_arrays(const struct ca_rank_call *call, size_t bytes,
                                struct ca_error *error)
{
    if (call->what == CA_RANK_BLOCKS || call->what == CA_RANK_NEIGHBOURS)
        return ca_fail(error, CA_NO_MEMORY, "no memory for %zu sums of blocks",
                       bytes / sizeof(double));
    return ca_fail(error, CA_NO_MEMORY, "no memory for %lld rows",
                   (long long)(call->what == CA_RANK_GATHER ? call->points->count : call->rows));
}

static void serve_call(const struct served *served, const struct request *request)
{
    struct ca_gather_points points = {.columns = request->columns, .count = request->count};
    struct ca_rank_call call = request->of_rank;
    void *planes[CA_PLANES_MAX] = {NULL};
    struct ca_error error = {.status = CA_OK};
    struct array arrays[ARRAYS_MAX] = {{NULL}};
    enum ca_status status;
    size_t bytes = 0;
    char *memory, *at;
    int count;

    call.from = (const void *const *)planes;
    call.to = planes;
    call.blocks = &request->blocks;
    call.points = &points;
    count = arrays_of(arrays, &served->setup, &call);
    for (int i = 0; i < count; i++)
        bytes += aligned(arrays[i].count);
    memory = at = ca_zeroed(bytes);
    remote_send_error(memory ? CA_OK : no_arrays(&call, arrays[0].count, &error), &error);
    if (!memory)
        return;
    for (int i = 0; i < count; at += aligned(arrays[i++].count)) {
        arrays[i].bytes = at;
        if (arrays[i].goes)
            hear(0, at, arrays[i].count);
    }
    call.sums = arrays[0].bytes;
    points.x = arrays[0].bytes;
    points.row = arrays[count > 1].bytes;
    for (int p = served->setup.model->planes, i = count; p > 0 && i > 0;)
        planes[--p] = arrays[--i].bytes;
    status = ca_slabs_call(served->slabs, request->rank, &call, &error);
    remote_send_error(status, &error);
    for (int i = 0; i < count && status == CA_OK; i++)
        if (arrays[i].comes)
            remote_send(0, arrays[i].bytes, arrays[i].count);
    ca_release(memory, bytes);
}

/* --- service --------------------------------------------------------------------------------- */

void ca_remote_serve(void)
{
    struct served *all = NULL;
    struct request request;

    for (;;) {
        const struct served *served = all;
        struct ca_ranks_reply reply;

        hear(0, &request, sizeof request);
        if (request.call == DISMISS)
            break;
        while (served && served->lattice != request.lattice)
            served = served->next;
        assert(served || request.call == CREATE || request.call == DESTROY);
        switch (request.call) {
        case CREATE:
            serve_create(&all, request.lattice);
            break;
        case DESTROY:
            serve_destroy(&all, request.lattice);
            break;
        case DO:
            ca_slabs_do(served->slabs, &request.job, &reply);
            remote_send(0, &reply, sizeof reply);
            break;
        default:
            serve_call(served, &request);
        }
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
