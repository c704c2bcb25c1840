/* SPDX-License-Identifier: MIT */
/*
 * Backends bitslice, bitslice-avx2 and bitslice-avx512 of a model in a file, and on a GPU
 * cuda-bitslice, cuda-temporal and cuda-overlapped (cuda_bits.cu): the rows of life's ladder, whose
 * logic is made of the file's function evaluated for all 512 neighbourhoods. So a file has them
 * where it has two states and nine cells that decide, draws nothing, and has edges that are all
 * closed or all dead. A process that only plans evaluates the function, too, so that is done in a
 * copy of it: a function that does not return, or crashes, is an error there.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/isolated.h"
#include "kernels/file/file_model.h"
#include "kernels/life/bitslice.h"
#include "kernels/life/life.h"
#include "kernels/life/rule.h"
#include "kernels/moore/rungs.h"

extern const struct bit_ops life_bitslice, life_bitslice_avx2, life_bitslice_avx512;

static const struct ca_backend rungs[FILE_BIT_RUNGS] = {
    MOORE_BITSLICE("64 cells a word, by the logic of the file's function", life_bitslice, 20),
    MOORE_BITSLICE_AVX2(life_bitslice_avx2, 20),
    MOORE_BITSLICE_AVX512(life_bitslice_avx512, 17),
};

extern const struct cuda_ops file_cuda_bitslice, file_cuda_temporal, file_cuda_overlapped;

static const struct ca_backend cuda_rungs[FILE_CUDA_BIT_RUNGS] = {
    MOORE_CUDA_BITSLICE(file_cuda_bitslice, 22, life_bitslice_options),
    MOORE_CUDA_TEMPORAL(file_cuda_temporal, 22, life_temporal_options),
    MOORE_CUDA_OVERLAPPED(file_cuda_overlapped, 22, life_overlapped_options),
};

#define RETURNS_S 2 /* in which all calls of cell() have to return; they take microseconds */

/* The function evaluated with the parameters that were asked for last. */
struct file_table {
    pthread_mutex_t lock;
    bool known;
    struct ca_model_values values;
    uint8_t bytes[LIFE_SQUARES / 8];
    enum ca_status status; /* CA_USAGE: what the error says */
    struct ca_error error;
};

/* Work of a copy of the process, in memory that is shared with it. */
struct evaluation {
    const struct file_model *file;
    struct ca_model_values values;
    uint8_t bytes[LIFE_SQUARES / 8];
    int wrong;
};

static void evaluation_work(void *context)
{
    struct evaluation *e = context;

    e->wrong = e->file->object.table_of_bits(&e->values, e->bytes);
}

static enum ca_status table_evaluate(const struct file_model *file, struct file_table *table,
                                     struct ca_error *error)
{
    struct evaluation *e = ca_shared_memory(sizeof *e);
    struct ca_isolated_end end;
    char place[CA_TEXT_MAX];
    enum ca_status status;

    if (!e)
        return ca_fail(error, CA_NO_MEMORY, "no memory to share with a process");
    e->file = file;
    e->values = table->values;
    status = ca_isolated_run(evaluation_work, e, RETURNS_S, NULL, &end, error);
    table->known = status == CA_OK;
    table->status = CA_OK;
    if (status == CA_OK && end.how != CA_ISOLATED_DONE) {
        file->source.place(&file->model, end.at, place);
        ca_isolated_report(&end, place, RETURNS_S, &table->error);
        table->status = table->error.status = CA_USAGE;
    } else if (status == CA_OK && e->wrong) {
        table->status = ca_fail(
            &table->error, CA_USAGE,
            "%s: cell() reads beyond CA_RADIUS or returns a state that there is not, which bit "
            "slices cannot have: the backend reference says where",
            file->model.name);
    }
    memcpy(table->bytes, e->bytes, sizeof table->bytes);
    ca_shared_free(e, sizeof *e);
    return status;
}

/* Whether the parameters are the same, as cell() can have them: nothing is drawn from the seed. */
static bool values_equal(const struct ca_model_values *a, const struct ca_model_values *b)
{
    for (int i = 0; i < CA_MODEL_SLOTS; i++)
        if (a->real[i] != b->real[i] || a->whole[i] != b->whole[i] || a->below[i] != b->below[i])
            return false;
    return true;
}

enum ca_status file_bits_rule(const struct ca_setup *setup, struct life_rule *rule,
                              struct ca_error *error)
{
    const struct file_model *file = file_model_of(setup->model);
    struct file_table *table = file->table;
    uint64_t words[LIFE_SQUARES / 64] = {0};
    struct ca_model_values values;
    enum ca_status status = CA_OK;

    file_values(setup, &values);
    pthread_mutex_lock(&table->lock);
    if (!table->known || !values_equal(&values, &table->values)) {
        table->values = values;
        status = table_evaluate(file, table, error);
    }
    if (status == CA_OK && table->status != CA_OK) {
        *error = table->error;
        status = table->status;
    }
    for (unsigned i = 0; i < LIFE_SQUARES / 8; i++)
        words[i / 8] |= (uint64_t)table->bytes[i] << i % 8 * 8;
    pthread_mutex_unlock(&table->lock);
    life_rule_of_table(rule, words);
    return status;
}

static void file_bits_prepare(const struct ca_setup *setup, void *context)
{
    struct ca_error ignored; /* that of the plan */
    struct life_rule rule;

    file_bits_rule(setup, &rule, &ignored);
    life_bits_make(context, &rule);
}

static double file_bits_work(const struct ca_setup *setup)
{
    struct ca_error ignored; /* that of the plan */
    struct life_rule rule;

    file_bits_rule(setup, &rule, &ignored);
    return life_bits_work_of(&rule);
}

bool file_bits_torus(const struct ca_setup *setup) { return file_is_torus(setup->model, 0); }

static enum ca_status file_bits_plan(const struct ca_setup *setup, struct ca_plan *plan,
                                     struct ca_error *error)
{
    struct life_rule rule;

    CA_TRY(file_bits_rule(setup, &rule, error));
    return bit_stepper.plan(setup, plan, error);
}

int file_bit_backends(struct file_model *file, struct ca_backend backends[FILE_BIT_RUNGS])
{
    const int *edge = file->object.fast->edge;

    if (!file->object.table_of_bits || file->states != 2 || edge[0] != edge[1] ||
        edge[0] == CA_CONSTANT)
        return 0;
    file->table = calloc(1, sizeof *file->table);
    if (!file->table)
        return 0;
    pthread_mutex_init(&file->table->lock, NULL);
    file->bit_stepper = bit_stepper;
    file->bit_stepper.plan = file_bits_plan;
    for (int i = 0; i < FILE_BIT_RUNGS; i++) {
        backends[i] = rungs[i];
        backends[i].stepper = &file->bit_stepper;
        if (!rungs[i].ops)
            continue; /* of another processor */
        file->bit_ops[i] = *(const struct bit_ops *)rungs[i].ops;
        file->bit_ops[i].prepare = file_bits_prepare;
        file->bit_ops[i].work = file_bits_work;
        file->bit_ops[i].torus = file_bits_torus;
        backends[i].ops = &file->bit_ops[i];
    }
    return FILE_BIT_RUNGS;
}

int file_cuda_bit_backends(const struct file_model *file,
                           struct ca_backend backends[FILE_CUDA_BIT_RUNGS])
{
    if (!file->table)
        return 0;
    memcpy(backends, cuda_rungs, sizeof cuda_rungs);
    return FILE_CUDA_BIT_RUNGS;
}
