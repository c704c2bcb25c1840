/* SPDX-License-Identifier: MIT */
/* Makes the object calab-lab-grade/1. */
#include <string.h>

#include "core/lab/process/sandbox.h"
#include "core/machine/provenance.h"
#include "tui/commands/lab_grade.h"
#include "tui/commands/lab_time.h"

static json_t *groups_of(const struct ca_lab_grade *grade)
{
    json_t *groups = json_object();

    for (int g = 0; g < CA_LAB_GROUPS; g++) {
        json_t *group = json_pack("{s:f, s:f}", "points", grade->points[g], "of", grade->of[g]);

        if (g != CA_LAB_SPEED) {
            json_object_set_new(group, "right", json_integer(grade->right[g]));
            json_object_set_new(group, "cases", json_integer(grade->cases[g]));
        }
        json_object_set_new(groups, ca_lab_group_names[g], group);
    }
    return groups;
}

static void put_texts(json_t *one, const struct ca_lab_grade *grade)
{
    json_t *why = json_array(), *findings = json_array(), *causes = json_array();
    char label[64];

    for (int i = 0; i < grade->why.count; i++)
        json_array_append_new(why, json_string(grade->why.finding[i].text));
    for (int i = 0; i < grade->findings; i++)
        json_array_append_new(findings, json_string(grade->finding[i]));
    for (int i = 0; ca_lab_grade_label(grade, i, label); i++) {
        bool known = false;

        for (size_t k = 0; k < json_array_size(causes); k++)
            known |= strcmp(json_string_value(json_array_get(causes, k)), label) == 0;
        if (!known)
            json_array_append_new(causes, json_string(label));
    }
    json_object_set_new(one, "causes", causes);
    json_object_set_new(one, "why", why);
    json_object_set_new(one, "findings", findings);
}

static json_t *submission_of(const struct ca_lab_grade *grade)
{
    double points = 0, of = 0;
    json_t *one =
        json_pack("{s:s, s:s, s:s, s:s, s:b, s:b, s:s, s:s, s:s, s:s, s:s}", "name", grade->name,
                  "folder", grade->folder, "status", ca_status_name(grade->failure), "verdict",
                  grade->failure != CA_OK ? "not graded" : ca_lab_verdict_names[grade->verdict],
                  "right", ca_lab_grade_right(grade), "right_on_known_cases",
                  grade->failure == CA_OK && grade->verdict == CA_LAB_RIGHT, "text", grade->text,
                  "place", grade->place, "by", grade->how, "not_watched", grade->not_watched,
                  "source", grade->lab.source);

    for (int g = 0; g < CA_LAB_GROUPS; g++) {
        points += grade->points[g];
        of += grade->of[g];
    }
    json_object_set_new(one, "points", json_real(points));
    json_object_set_new(one, "of", json_real(of));
    json_object_set_new(one, "groups", groups_of(grade));
    put_texts(one, grade);
    if (grade->timing.what != CA_LAB_UNTIMED) {
        char sentence[CA_TEXT_MAX + 1024];

        json_object_set_new(one, "time", lab_time_json(&grade->lab, &grade->timing));
        json_object_set_new(
            one, "time_text",
            json_string(lab_time_sentence(sentence, sizeof sentence, &grade->lab, &grade->timing)));
    } else {
        json_object_set_new(one, "time", json_null());
    }
    json_object_set_new(one, "seconds", json_real(grade->seconds));
    return one;
}

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

static json_t *walls_of(unsigned walls)
{
    json_t *all = json_object();

    for (int wall = 0; wall < CA_LAB_WALLS; wall++)
        json_object_set_new(all, ca_lab_wall_names[wall], json_boolean(walls >> wall & 1));
    return all;
}

json_t *lab_grade_json(const struct ca_lab_class *class)
{
    const struct ca_lab *lab = &class->grade[0].lab;
    struct ca_provenance where;
    bool alike = lab->model != NULL;
    json_t *submissions = json_array(), *of = json_object(), *root;

    for (int i = 1; i < class->count && !lab->model; i++)
        lab = &class->grade[i].lab;
    ca_provenance_take(&where);
    for (int g = 0; g < CA_LAB_GROUPS; g++)
        json_object_set_new(of, ca_lab_group_names[g], json_real(lab->points.of[g]));
    for (int i = 0; i < class->count; i++)
        json_array_append_new(submissions, submission_of(&class->grade[i]));
    for (int i = 0; i < class->count; i++)
        alike =
            alike && (class->grade[i].failure != CA_OK || class->grade[i].lab.model == lab->model);
    root = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:f, s:f, s:f}", "schema",
                     "calab-lab-grade/1", "calab", where.version, "date", where.date, "host",
                     where.host, "cpu", where.cpu, "model", alike ? lab->model->name : "",
                     "backend", alike ? ca_lab_rung(lab)->name : "", "least", lab->points.least,
                     "goal", lab->points.goal, "others", lab->points.others);
    json_object_set_new(root, "ceilings_known", json_boolean(class->probe != NULL));
    json_object_set_new(root, "walls", walls_of(class->walls));
    json_object_set_new(root, "points", of);
    json_object_set_new(root, "submissions", submissions);
    count_causes(root);
    return root;
}

void lab_grade_replace(json_t *all, const json_t *changed)
{
    json_t *rows = json_object_get(all, "submissions"), *one;
    size_t i, at;

    json_array_foreach(json_object_get(changed, "submissions"), i, one)
    {
        const char *name = json_string_value(json_object_get(one, "name"));

        for (at = 0; at < json_array_size(rows); at++) {
            const char *other =
                json_string_value(json_object_get(json_array_get(rows, at), "name"));

            if (other && strcmp(other, name) == 0)
                break;
        }
        if (at < json_array_size(rows))
            json_array_set(rows, at, one);
        else
            json_array_append(rows, one);
    }
    count_causes(all);
}
