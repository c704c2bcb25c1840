/* SPDX-License-Identifier: MIT */
#include "tests/support/support_experiment.h"

#include <check.h>

static struct ca_error error;

void test_experiment_set(struct ca_experiment *experiment, const char *name, const char *text)
{
    ck_assert_msg(ca_experiment_set(experiment, name, text, CA_FROM_COMMAND_LINE, NULL, &error) ==
                      CA_OK,
                  "%s", error.text);
}

/* Every parameter somewhere else than its default. */
static void disturb(struct ca_values *values)
{
    for (int i = 0; i < values->count; i++) {
        const struct ca_param *param = &values->table[i];
        double between = param->min + (param->max - param->min) / 3;

        if (param->kind == CA_CHOICE)
            ca_values_set(values, i, param->choices[param->choices[1] ? 1 : 0],
                          CA_FROM_COMMAND_LINE, NULL, &error);
        else if (param->kind == CA_TEXT || param->kind == CA_FILE)
            ca_values_set(values, i, "it's \"a\\b\" \n $HOME \x01\xc3\xa9", CA_FROM_COMMAND_LINE,
                          NULL, &error);
        else
            ca_values_set_number(values, i, param->kind == CA_INT ? (int64_t)between : between,
                                 CA_FROM_COMMAND_LINE, NULL, &error);
    }
}

void experiment_disturb(struct ca_experiment *experiment, const struct ca_model *model)
{
    ca_experiment_default(experiment, model);
    test_experiment_set(experiment, "backend", "threads");
    test_experiment_set(experiment, "seed", "0xfedcba9876543210");
    test_experiment_set(experiment, "init", "my 'own' state.npy");
    test_experiment_set(experiment, "at", model->dimensions == 3 ? "1,2,3" : "4,2");
    test_experiment_set(experiment, "steps", "5000000000");
    test_experiment_set(experiment, "size", model->dimensions == 3 ? "5x6x7" : "10x4");
    disturb(&experiment->params);
    disturb(&experiment->options);
}

void values_same(const struct ca_values *a, const struct ca_values *b)
{
    ck_assert_int_eq(a->count, b->count);
    for (int i = 0; i < a->count; i++) {
        ck_assert_msg(a->value[i].number == b->value[i].number, "%s", a->table[i].name);
        ck_assert_str_eq(a->value[i].text, b->value[i].text);
    }
}

void experiment_same(const struct ca_experiment *a, const struct ca_experiment *b)
{
    ck_assert_ptr_eq(a->model, b->model);
    ck_assert_ptr_eq(a->backend, b->backend);
    ck_assert(ca_size_equal(a->size, b->size));
    ck_assert_uint_eq(a->seed, b->seed);
    ck_assert_str_eq(a->init, b->init);
    ck_assert(test_at_equal(a->at, b->at));
    values_same(&a->params, &b->params);
    values_same(&a->options, &b->options);
}
