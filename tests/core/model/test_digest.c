/* SPDX-License-Identifier: MIT */
/* The hash of a state: golden values on every backend that runs here, and a program in another
 * language that computes it from a file. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "core/model/digest.h"
#include "core/model/model.h"
#include "tests/support/program.h"
#include "tests/support/support.h"

/* One word, by hand: digest.h's sum has a single term for a cell that is 1. */
START_TEST(of_one_cell)
{
    struct ca_setup setup = {.model = test_model("anneal"), .size = {1, 1, 1}};
    uint8_t cell = 1;
    struct ca_lattice lattice = {.size = setup.size, .planes = 1, .plane = {&cell}};

    ck_assert_uint_eq(ca_digest_term(0, 0), UINT64_C(0xe220a8397b1dcdaf)); /* SplitMix64, seed 0 */
    ck_assert_uint_eq(ca_digest_term(0, 1), UINT64_C(0x6e789e6aa1b965f4));
    ck_assert_uint_eq(test_digest(&setup, &lattice), ca_digest_term(1, 0));
}
END_TEST

static void check_run(const char *arguments, const char *model_name, const char *expected)
{
    const struct ca_model *model = test_model(model_name);
    struct ca_error error;

    for (const struct ca_backend *b = model->backends; b->name; b++) {
        struct outcome outcome;

        if (ca_backend_available(b, &error) != CA_OK || b->tolerance > 0)
            continue;
        outcome = calab("%s -q -b %s", arguments, b->name);
        /* A kernel may be for larger lattices; it says so. */
        if (b->small_sizes && outcome.status != 0) {
            continue;
        }
        ck_assert_msg(outcome.status == 0, "%s: %s", b->name, outcome.err);
        ck_assert_msg(strcmp(outcome_value(&outcome, "hash"), expected) == 0, "%s on %s", arguments,
                      b->name);
    }
}

START_TEST(golden)
{
    json_t *root = json_load_file(test_source("tests/data/golden.json"), 0, NULL), *row;
    json_t *table = json_object_get(root, "hash");
    size_t i;

    ck_assert_uint_ge(json_array_size(table), 9);
    json_array_foreach(table, i, row)
    {
        const char *command = json_text(row, "command");
        char model[32];

        ck_assert_int_eq(sscanf(command, "calab run %31s", model), 1);
        check_run(command + strlen("calab "), model, json_text(row, "hash"));
    }
    json_decref(root);
}
END_TEST

static const struct {
    const char *model, *size;
    int planes, bits;
} files[] = {
    {"anneal", "65x9", 1, 1}, {"life3d", "63x4x3", 1, 1}, {"cloud", "128x5x4", 3, 1},
    {"fhp", "70x6", 1, 8},    {"water", "33x8", 3, 1},    {"water", "32x3", 3, 1},
};

START_TEST(by_another_program)
{
    const char *path = test_path("state.npy");
    char command[1024], printed[32] = "";
    struct outcome outcome =
        calab("run %s -s %s -n 5 -q -b reference -o %s", files[_i].model, files[_i].size, path);
    FILE *pipe;

    ck_assert_msg(outcome.status == 0, "%s", outcome.err);
    snprintf(command, sizeof command, "python3 %s %s %d %d",
             test_source("tests/core/model/digest.py"), path, files[_i].planes, files[_i].bits);
    pipe = popen(command, "r");
    ck_assert_ptr_nonnull(pipe);
    ck_assert_ptr_nonnull(fgets(printed, sizeof printed, pipe));
    ck_assert_int_eq(pclose(pipe), 0);
    printed[strcspn(printed, "\n")] = '\0';
    ck_assert_str_eq(printed, outcome_value(&outcome, "hash"));
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {of_one_cell, golden}, .table = {{by_another_program, COUNT(files)}});
}
