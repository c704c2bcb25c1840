/* SPDX-License-Identifier: MIT */
/* Counts over a class, from its submissions: causes, totals that are the same for all, and equal
 * tokens. */
#include <stdlib.h>
#include <string.h>

#include "core/files/json.h"
#include "core/lab/grade/copies.h"
#include "tui/commands/lab_grade.h"

/* How many submissions each cause has, the most frequent first. */
static void count_causes(json_t *root)
{
    json_t *counts = json_array(), *one, *label, *row;
    size_t i, k, at, right = 0;

    json_array_foreach(json_object_get(root, "submissions"), i, one)
    {
        right += json_is_true(json_object_get(one, "right"));
        json_array_foreach(json_object_get(one, "causes"), k, label)
        {
            const char *name = json_string_value(label);

            for (at = 0; at < json_array_size(counts); at++)
                if (strcmp(json_string_value(json_object_get(json_array_get(counts, at), "cause")),
                           name) == 0)
                    break;
            if (at == json_array_size(counts))
                json_array_append_new(counts, json_pack("{s:s, s:i}", "cause", name, "count", 0));
            row = json_array_get(counts, at);
            json_object_set_new(
                row, "count", json_integer(1 + json_integer_value(json_object_get(row, "count"))));
            for (; at > 0 &&
                   json_integer_value(json_object_get(json_array_get(counts, at - 1), "count")) <
                       json_integer_value(json_object_get(row, "count"));
                 at--) {
                json_incref(row);
                json_array_remove(counts, at);
                json_array_insert_new(counts, at - 1, row);
            }
        }
    }
    json_object_set_new(root, "right", json_integer((json_int_t)right));
    json_object_set_new(root, "causes", counts);
}

static json_t *group_of(const json_t *one, int g)
{
    return json_object_get(json_object_get(one, "groups"), ca_lab_group_names[g]);
}

/* How many submissions lack a group that should have been graded. */
static int lacking(const json_t *rows, int g)
{
    const json_t *one;
    int count = 0;
    size_t i;

    json_array_foreach(rows, i, one) count += ca_json_number(group_of(one, g), "missing") > 0;
    return count;
}

/* What could not be graded of one is in the total of none, so that all have points of as many. */
static void add_totals(json_t *root)
{
    const json_t *rows = json_object_get(root, "submissions");
    bool each = json_is_true(json_object_get(root, "each"));
    json_t *one, *missing = json_object();
    size_t i;

    for (int g = 0; g < CA_LAB_GROUPS; g++)
        if (lacking(rows, g) > 0)
            json_object_set_new(missing, ca_lab_group_names[g], json_integer(lacking(rows, g)));
    json_array_foreach(rows, i, one)
    {
        double points = 0, of = 0;
        json_t *without = json_array();

        for (int g = 0; g < CA_LAB_GROUPS; g++) {
            const json_t *group = group_of(one, g);

            if (!each && json_object_get(missing, ca_lab_group_names[g])) {
                json_array_append_new(without, json_string(ca_lab_group_names[g]));
                continue;
            }
            points += ca_json_number(group, "points");
            of += ca_json_number(group, "of");
        }
        json_object_set_new(one, "points", json_real(points));
        json_object_set_new(one, "of", json_real(of));
        json_object_set_new(one, "without", without);
    }
    json_object_set_new(root, "missing", missing);
}

bool lab_grade_lacks(const json_t *one)
{
    for (int g = 0; g < CA_LAB_GROUPS; g++)
        if (ca_json_number(group_of(one, g), "missing") > 0 &&
            (g < CA_LAB_SPEED || json_is_true(json_object_get(one, "right"))))
            return true;
    return false;
}

void lab_grade_count(json_t *root)
{
    count_causes(root);
    add_totals(root);
}

enum ca_status lab_grade_compare(json_t *root, const char *skeleton, struct ca_error *error)
{
    const json_t *rows = json_object_get(root, "submissions"), *one;
    const char **folders = calloc(1 + json_array_size(rows), sizeof *folders);
    struct ca_lab_copies copies = {.copy = NULL};
    json_t *pairs = json_array();
    enum ca_status status = folders ? CA_OK : ca_fail(error, CA_NO_MEMORY, "no memory");
    int count = 0;
    size_t i;

    json_array_foreach(rows, i, one) if (folders) folders[count++] = ca_json_member(one, "folder");
    if (status == CA_OK)
        status = ca_lab_copies_find(&copies, folders, count, skeleton[0] ? skeleton : NULL, error);
    for (int c = 0; c < copies.count && status == CA_OK; c++) {
        const struct ca_lab_copy *copy = &copies.copy[c];
        const json_t *a = json_array_get(rows, (size_t)copy->a),
                     *b = json_array_get(rows, (size_t)copy->b);

        json_array_append_new(pairs, json_pack("{s:[s, s], s:i, s:i, s:[i, i], s:[s, s]}", "names",
                                               ca_json_member(a, "name"), ca_json_member(b, "name"),
                                               "equal", copy->equal, "renamed", copy->renamed, "of",
                                               copy->of_a, copy->of_b, "lines", copy->lines_a,
                                               copy->lines_b));
    }
    json_object_set_new(root, "equal_tokens", pairs);
    ca_lab_copies_free(&copies);
    free(folders);
    return status;
}
