/* SPDX-License-Identifier: MIT */
/* What a student gets reads by itself: README.md of each model has its rule whole, each skeleton
 * compiles without a warning, and the rule as README.md tells it, put in the marked place, is
 * right. Skeletons in CUDA are in test_cuda_lab_skeletons. */
#include <stdio.h>
#include <stdlib.h>

#include "core/files/embedded.h"
#include "core/model/registry.h"
#include "tests/core/lab/skeletons.h"

static const char *const forms[] = {"", "--own", "--ghosts 1", "--main"};
#define FORMS (int)COUNT(forms)

START_TEST(a_rule_is_told_whole)
{
    int which = _i / FORMS;
    const char *form = forms[_i % FORMS], *folder = test_path("told"), *text;

    calab_done("lab new %s %s %s", skeletons[which].model, folder, form);
    text = lab_get(folder, "README.md");
    for (int i = 0; skeletons[which].told[i]; i++)
        ck_assert_msg(strstr(text, skeletons[which].told[i]), "'%s' is not in README.md of %s",
                      skeletons[which].told[i], skeletons[which].model);
    ck_assert_msg(!strstr(text, "calab-models") && !strchr(text, '\t'), "%s", text);
    ck_assert_contains(text, "## The rule", "## What to write", "## Names", "calab lab check");
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
        ck_assert_msg(strncmp(line, "    ", 4) != 0 || strcspn(line, "\n") <= 110, "too wide: %.*s",
                      (int)strcspn(line, "\n"), line);
}
END_TEST

/* Each form has a page of its own. */
START_TEST(a_page_for_each_form)
{
    static const struct {
        const char *options, *says, *not_said;
    } rows[] = {{"", "must\nnot write to `in`", "ghost"},
                {"--own", "lab_store(self, planes)", "ghost"},
                {"--ghosts 2", "border of ghost cells, 2 wide", "lab_store"},
                {"--main", "./program {n} {input", "LAB_AT"},
                {"--cuda", "In CUDA", "ghost"},
                {"--cuda --ghosts 3", "border of ghost cells, 3 wide", "lab_store"}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *folder = test_path(test_text("page-%zu", i)), *text;

        calab_done("lab new anneal %s %s", folder, rows[i].options);
        text = lab_get(folder, "README.md");
        ck_assert_msg(strstr(text, rows[i].says) && !strstr(text, rows[i].not_said), "%s: %s",
                      rows[i].options, text);
    }
}
END_TEST

START_TEST(a_skeleton_has_no_warnings)
{
    const char *folder = test_path("quiet");

    calab_done("lab new %s %s %s", skeletons[_i / FORMS].model, folder, forms[_i % FORMS]);
    ck_assert_int_eq(system(test_text("cd '%s' && MAKEFLAGS= make -s CFLAGS='-std=gnu11 -O2 -Wall "
                                      "-Wextra -Wno-unused-parameter -Werror'",
                                      folder)),
                     0);
}
END_TEST

START_TEST(every_model_has_a_rule)
{
    for (int i = 0; i < (int)test_models(); i++)
        ck_assert_msg(
            ca_embedded_find(test_text(CA_EMBEDDED "/lab/rules/%s.md", ca_models[i]->name)) != NULL,
            "configs/lab/rules/%s.md is missing", ca_models[i]->name);
}
END_TEST

static int lines_of(const char *text)
{
    int lines = 0;

    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

START_TEST(a_rule_is_right)
{
    const char *folder =
        skeleton_filled(_i, _i % 2 ? "--own" : "", "kernel.c", skeletons[_i].body, NULL);
    struct outcome o = calab("lab check -q %s", folder);

    ck_assert_msg(o.status == 0, "%s%s", o.out, o.err);
    ck_assert_int_le(lines_of(skeletons[_i].body), skeletons[_i].lines);
}
END_TEST

/* Wider than the lattice, too. */
START_TEST(ghosts_are_filled)
{
    const char *folder = skeleton_filled(
        _i, _i % 2 ? "--ghosts 2" : "--ghosts 1", "kernel.c",
        "int n = 0;\nfor (int k = -LAB_GHOSTS_Z; k <= LAB_GHOSTS_Z; k++)\n"
        "for (int j = -LAB_GHOSTS; j <= LAB_GHOSTS; j++)\n"
        "for (int i = -LAB_GHOSTS; i <= LAB_GHOSTS; i++)\n"
        "if (k * k <= 1 && j * j <= 1 && i * i <= 1)\n"
        "n += in[0][LAB_AT(lab, x + i, y + j, z + k)];\n"
        "int c = in[0][LAB_AT(lab, x, y, z)];\nn -= c;\n"
        "out[0][LAB_AT(lab, x, y, z)] = LAB_DIMENSIONS == 3 ? lab->table[27 * c + n]\n"
        ": LAB_MODEL[1] == 'n' ? n + c == 4 || n + c >= 6 : n == 3 || (n == 2 && c);\n",
        SKELETON_GHOST);
    struct outcome o = calab("lab check -q %s", folder);

    ck_assert_msg(o.status == 0, "%s%s", o.out, o.err);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {a_page_for_each_form, every_model_has_a_rule},
                     .table = {{a_rule_is_told_whole, (int)COUNT(skeletons) * FORMS},
                               {a_skeleton_has_no_warnings, (int)COUNT(skeletons) * FORMS},
                               {a_rule_is_right, (int)COUNT(skeletons)},
                               {ghosts_are_filled, 3}});
}
