/* SPDX-License-Identifier: MIT */
/*
 * The fuzz targets of tests/fuzz without a fuzzer: each over its corpus, and over random changes of
 * it, as many as a few seconds take. A target that fails ends the process, so that what fails is
 * kept in a file and named before it runs.
 */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/support.h"

#define SEEDS_MAX 128
#define INPUT_MAX 16384
#define CHANGES 2000  /* of a target's corpus at most, */
#define CHANGES_S 0.7 /* and for so many seconds */

static struct {
    uint8_t *data;
    size_t size;
} seed[SEEDS_MAX];
static int seeds;

/* What a target runs on, in memory that outlives its process. */
struct input {
    size_t size;
    int number; /* counted from 0, the corpus first */
    uint8_t data[INPUT_MAX];
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* In the order of their names, so that a number of CALAB_SEED stands for the same changes. */
static void read_corpus(const char *target)
{
    static char *name[SEEDS_MAX];
    char folder[256], path[600];
    struct dirent *entry;
    DIR *dir;

    snprintf(folder, sizeof folder, "tests/fuzz/corpus/%s", target);
    dir = opendir(test_source(folder));
    ck_assert_msg(dir != NULL, "%s", folder);
    seeds = 0;
    while ((entry = readdir(dir)) != NULL) {
        ck_assert_int_lt(seeds, SEEDS_MAX);
        if (entry->d_name[0] != '.')
            name[seeds++] = strdup(entry->d_name);
    }
    closedir(dir);
    qsort(name, (size_t)seeds, sizeof *name, compare_names);
    for (int i = 0; i < seeds; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, name[i]);
        seed[i].data = (uint8_t *)test_read(test_source(path), &seed[i].size);
        ck_assert_uint_le(seed[i].size, INPUT_MAX);
        free(name[i]);
    }
    ck_assert_int_gt(seeds, 0);
}

/* --- random changes --------------------------------------------------------------------------- */

static uint64_t state;

/* 0 <= u < n, and 0 for n = 0 */
static size_t below(size_t n)
{
    uint64_t u = state += UINT64_C(0x9E3779B97F4A7C15);

    u = (u ^ u >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    u = (u ^ u >> 27) * UINT64_C(0x94D049BB133111EB);
    return n ? (size_t)((u ^ u >> 31) % n) : 0;
}

/* Replaces `old` bytes at a place by others, as far as there is room. */
static void splice(struct input *input, size_t at, size_t old, const void *bytes, size_t count)
{
    if (input->size - old + count > INPUT_MAX)
        return;
    memmove(input->data + at + count, input->data + at + old, input->size - at - old);
    memcpy(input->data + at, bytes, count);
    input->size += count - old;
}

static void change(struct input *input)
{
    static const char *const words[] = {"0",          "-1",   "1e999", "18446744073709551616",
                                        "2147483648", "\"",   "{",     "[",
                                        "nan",        "\n",   "=",     "/",
                                        ".",          "\x1b", "%s"};
    size_t at = below(input->size + 1), left = input->size - at, other = below((size_t)seeds);
    size_t from = below(seed[other].size), length = below(left < 16 ? left + 1 : 16);
    const char *word = words[below(COUNT(words))];
    uint8_t copy[16];

    switch (below(6)) {
    case 0:
        if (left)
            input->data[at] ^= (uint8_t)(1U << below(8));
        break;
    case 1:
        if (left)
            input->data[at] = (uint8_t)below(256);
        break;
    case 2:
        splice(input, at, length, "", 0);
        break;
    case 3:
        splice(input, at, length, word, strlen(word));
        break;
    case 4: /* a part once more, somewhere else */
        memcpy(copy, input->data + at, length);
        splice(input, below(input->size + 1), 0, copy, length);
        break;
    default: /* goes on as another one */
        splice(input, at, left, seed[other].data + from, seed[other].size - from);
    }
}

/* --- the targets ------------------------------------------------------------------------------ */

static void take_seed(struct input *input, size_t i)
{
    input->size = seed[i].size;
    memcpy(input->data, seed[i].data, seed[i].size);
}

static void run_all(const struct fuzz_target *target, struct input *input)
{
    double until = ca_now() + CHANGES_S;

    for (; input->number < seeds; input->number++) {
        take_seed(input, (size_t)input->number);
        target->run(input->data, input->size);
    }
    for (; input->number < seeds + CHANGES && ca_now() < until; input->number++) {
        state = test_seed() ^ ((uint64_t)input->number << 32);
        take_seed(input, below((size_t)seeds));
        for (size_t i = below(5) + 1; i > 0; i--)
            change(input);
        target->run(input->data, input->size);
    }
}

/* In a process of its own; an input that ends it is kept. */
START_TEST(runs)
{
    const struct fuzz_target *target = &fuzz_targets[_i];
    struct input *input =
        mmap(NULL, sizeof *input, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    char kept[64];
    pid_t child;
    int status;

    ck_assert_ptr_ne(input, MAP_FAILED);
    read_corpus(target->name);
    fflush(NULL);
    child = fork();
    if (child == 0) {
        run_all(target, input);
        exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    snprintf(kept, sizeof kept, "/tmp/calab-fuzz-%s", target->name);
    if (status != 0)
        test_write(kept, input->data, input->size);
    ck_assert_msg(status == 0, "%s ends with %#x at input %d, which is now %s; CALAB_SEED=%llu",
                  target->name, (unsigned)status, input->number, kept,
                  (unsigned long long)test_seed());
    munmap(input, sizeof *input);
}
END_TEST

/* A target that fails is noticed: the process ends. */
START_TEST(failure_is_noticed)
{
    pid_t child;
    int status;

    fflush(NULL);
    child = fork();
    if (child == 0) {
        fclose(stderr);
        fuzz_fails("file", 1, "a property");
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}
END_TEST

int main(void)
{
    int count = 0;

    while (fuzz_targets[count].name)
        count++;
    return RUN_TESTS(.test = {failure_is_noticed}, .table = {{runs, count}});
}
