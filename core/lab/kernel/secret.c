/* SPDX-License-Identifier: MIT */
/* Reads the secret of a grade, and draws cases from it. */
#include "core/lab/kernel/secret.h"

#include <Random123/philox.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/sim/simulation.h"

#define SECRET_MOST (1 << 16) /* bytes */
#define TRIES 64              /* of sizes, before one of lab.cfg's own is taken */
#define LATEST 2000000        /* the last generation that a case begins at */
#define CHOICES_MAX 16        /* of a parameter */
#define STREAM_CASE 1         /* and those behind it, one a case */

static uint64_t two_words(const philox4x32_ctr_t *block, int first)
{
    return (uint64_t)block->v[first] << 32 | block->v[first + 1];
}

/* A chain over blocks of 8 bytes: the key of each is what came of those before. */
static void absorb(struct ca_lab_secret *secret, uint64_t bytes, uint64_t position)
{
    philox4x32_key_t key = {{(uint32_t)secret->key[0], (uint32_t)(secret->key[0] >> 32)}};
    philox4x32_ctr_t block = {{(uint32_t)bytes, (uint32_t)(bytes >> 32),
                               (uint32_t)secret->key[1] ^ (uint32_t)position,
                               (uint32_t)(secret->key[1] >> 32)}};

    block = philox4x32_R(10, block, key);
    secret->key[0] ^= two_words(&block, 0);
    secret->key[1] ^= two_words(&block, 2);
}

enum ca_status ca_lab_secret_read(struct ca_lab_secret *secret, const char *path,
                                  struct ca_error *error)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
    unsigned char bytes[8];
    uint64_t count = 0;
    size_t got;
    bool failed;

    if (!file)
        return ca_fail(error, CA_IO, "--secret-seed: %.400s: %s", path, strerror(errno));
    *secret = (struct ca_lab_secret){{0x6c61622d67726164, 0x65}};
    do {
        uint64_t word = 0;

        got = fread(bytes, 1, sizeof bytes, file);
        memcpy(&word, bytes, got);
        absorb(secret, word, count);
        count += got;
    } while (got == sizeof bytes && count <= SECRET_MOST);
    failed = ferror(file) != 0;
    if (file != stdin)
        fclose(file);
    absorb(secret, count, ~UINT64_C(0));
    if (failed)
        return ca_fail(error, CA_IO, "--secret-seed: %.400s: it cannot be read", path);
    if (count < CA_LAB_SECRET_LEAST || count > SECRET_MOST)
        return ca_fail(error, CA_USAGE,
                       "--secret-seed: %.400s has %llu bytes: allowed are %d ... %d, as from: head "
                       "-c 32 /dev/urandom",
                       path, (unsigned long long)count, CA_LAB_SECRET_LEAST, SECRET_MOST);
    return CA_OK;
}

void ca_lab_secret_random(struct ca_lab_secret *secret)
{
    if (getrandom(secret->key, sizeof secret->key, 0) != (ssize_t)sizeof secret->key)
        *secret = (struct ca_lab_secret){{(uint64_t)(ca_now() * 1e9), (uint64_t)getpid()}};
}

uint64_t ca_lab_secret_draw(const struct ca_lab_secret *secret, uint32_t stream, uint32_t index)
{
    philox4x32_key_t key = {{(uint32_t)secret->key[0], (uint32_t)(secret->key[0] >> 32)}};
    philox4x32_ctr_t block = {
        {stream, index, (uint32_t)secret->key[1], (uint32_t)(secret->key[1] >> 32)}};

    block = philox4x32_R(10, block, key);
    return two_words(&block, 0) >> 8;
}

struct drawing {
    const struct ca_lab *lab;
    const struct ca_lab_secret *secret;
    uint32_t stream, index;
};

/* Draws a number in low ... high. */
static int64_t secret_draw(struct drawing *drawing, int64_t low, int64_t high)
{
    return low + (int64_t)(ca_lab_secret_draw(drawing->secret, drawing->stream, drawing->index++) %
                           (uint64_t)(high - low + 1));
}

/* A size of the same group, whose sides are a half to all of those of `like`; square sizes stay, as
 * they are what a kernel has to hold for at least. */
static struct ca_size draw_size(struct drawing *drawing, struct ca_size like)
{
    const struct ca_lab *lab = drawing->lab;
    enum ca_lab_group group = ca_lab_group_of(like, lab->model->dimensions, lab->tile);
    const int64_t from[] = {like.w, like.h, like.d};
    int64_t to[3];

    if (group == CA_LAB_SQUARE)
        return like;
    for (int try = 0; try < TRIES; try++) {
        struct ca_size size;

        for (int a = 0; a < 3; a++) {
            int64_t unit = lab->tile[a] > 0 ? lab->tile[a] : lab->model->dimensions == 3 ? 8 : 32;

            to[a] = a >= lab->model->dimensions ? 1
                    : group == CA_LAB_OBLONG
                        ? unit * secret_draw(drawing, 1, from[a] / unit > 2 ? from[a] / unit : 2)
                        : secret_draw(drawing, (from[a] + 1) / 2, from[a] + 2);
        }
        size = (struct ca_size){to[0], to[1], to[2]};
        if (ca_lab_group_of(size, lab->model->dimensions, lab->tile) == group)
            return size;
    }
    return like;
}

/* Whether the model has such a lattice. */
static bool is_allowed(const struct ca_lab *lab, const struct ca_lab_case *one)
{
    struct ca_experiment experiment = ca_lab_experiment(lab, one->size, one->seed);
    struct ca_error ignored;

    experiment.params = one->params;
    return ca_experiment_check(&experiment, &ignored) == CA_OK;
}

/* The case with value `choice` of parameter i. */
static struct ca_lab_case with_choice(const struct ca_lab_case *one, int i, int choice)
{
    struct ca_lab_case other = *one;
    struct ca_error ignored;

    ca_values_set(&other.params, i, other.params.table[i].choices[choice], CA_FROM_EXPERIMENT, NULL,
                  &ignored);
    return other;
}

static void choose_value(const struct ca_lab *lab, struct ca_lab_case *one, int i, uint64_t number)
{
    const char *const *choices = one->params.table[i].choices;
    int allowed[CHOICES_MAX], count = 0;

    for (int c = 0; choices[c] && count < CHOICES_MAX; c++) {
        const struct ca_lab_case other = with_choice(one, i, c);

        if (is_allowed(lab, &other))
            allowed[count++] = c;
    }
    if (count > 0)
        *one = with_choice(one, i, allowed[number % (uint64_t)count]);
}

void ca_lab_case_choose(const struct ca_lab *lab, struct ca_lab_case *one, uint64_t number)
{
    const struct ca_param *table = one->params.table;

    for (int i = 0; i < one->params.count; i++)
        if (table[i].kind == CA_CHOICE && table[i].initial)
            choose_value(lab, one, i, number);
}

int ca_lab_secret_cases(const struct ca_lab *lab, const struct ca_lab_secret *secret,
                        struct ca_lab_case cases[CA_LAB_CASES_MAX])
{
    int count = 0;

    for (int i = 0; i < lab->sizes; i++) {
        struct drawing drawing = {
            .lab = lab, .secret = secret, .stream = STREAM_CASE + (uint32_t)i};
        struct ca_lab_case *one = &cases[count];
        int tries = 0, density = ca_values_find(&lab->params, "density");
        struct ca_error ignored;
        double factor;

        one->seed = (uint64_t)secret_draw(&drawing, 1, INT64_C(1) << 52);
        one->t = (uint64_t)secret_draw(&drawing, 0, LATEST);
        one->random = secret_draw(&drawing, 0, 1);
        one->params = lab->params;
        factor = 0.7 + 0.6e-3 * (double)secret_draw(&drawing, 0, 1000); /* of the density */
        if (density >= 0)
            ca_values_set_number(&one->params, density, one->params.value[density].number * factor,
                                 CA_FROM_EXPERIMENT, NULL, &ignored);
        do
            one->size = tries < TRIES ? draw_size(&drawing, lab->size[i]) : lab->size[i];
        while (!is_allowed(lab, one) && ++tries <= TRIES);
        ca_lab_case_choose(lab, one, (uint64_t)secret_draw(&drawing, 0, CHOICES_MAX));
        one->group = ca_lab_group_of(one->size, lab->model->dimensions, lab->tile);
        count += tries <= TRIES;
    }
    return count;
}
