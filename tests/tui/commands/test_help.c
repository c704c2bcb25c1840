/* SPDX-License-Identifier: MIT */
/* What the program says of itself: --help, --version and completion. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/model.h"
#include "tests/support/program.h"
#include "tui/commands/commands.h"
#include "tests/support/support.h"

START_TEST(help_and_version)
{
    static const char *const names[] = {"",         "run ",    "verify ",  "bench ",
                                        "compare ", "probe ",  "list ",    "engine ",
                                        "config ",  "doctor ", "emulate ", "convert "};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct outcome help = calab_done("%s--help", names[i]);
        struct outcome version = calab_done("%s--version", names[i]);

        ck_assert_contains(help.out, "usage: calab", "--help", "\nExamples:\n  calab");
        for (const char *line = help.out; *line; line += strcspn(line, "\n") + 1)
            ck_assert_msg(strcspn(line, "\n") <= 100, "%s: %.120s", names[i], line);
        ck_assert_int_eq(strstr(help.out, "wildcards") != NULL, i == 2 || i == 3); /* takes many */
        ck_assert(strncmp(version.out, "calab " CALAB_VERSION, strlen("calab " CALAB_VERSION)) ==
                  0);
        ck_assert_str_eq(strchr(version.out, '\n'), "\n");
    }
}
END_TEST

/* A git checkout names its commit, as git does; sources without .git have the version alone. */
START_TEST(version_names_the_commit)
{
    char command[600], commit[64] = "", expected[128] = "calab " CALAB_VERSION;
    struct outcome o = calab_done("--version");
    FILE *git;

    snprintf(command, sizeof command, "cd '%s' && test -e .git && git rev-parse --short HEAD",
             getenv("CALAB_SOURCE"));
    git = popen(command, "r");
    ck_assert_ptr_nonnull(git);
    if (fgets(commit, sizeof commit, git))
        snprintf(expected, sizeof expected, "calab " CALAB_VERSION ", commit %.*s",
                 (int)strcspn(commit, "\n"), commit);
    pclose(git);
    ck_assert_msg(strncmp(o.out, expected, strlen(expected)) == 0, "%s", o.out);
    if (strcmp(o.out + strlen(expected), "-dirty\n") != 0)
        ck_assert_str_eq(o.out + strlen(expected), "\n");
}
END_TEST

START_TEST(help_of_a_model)
{
    const struct ca_model *model = ca_models[_i];
    struct outcome o = calab_done("run %s --help", model->name);

    for (const struct ca_param *p = model->params; p && p->name; p++)
        ck_assert_contains(o.out, p->help);
    for (const struct ca_start *s = model->start->named; s->name; s++)
        ck_assert_contains(o.out, s->help);
    for (const struct ca_backend *b = model->backends; b->name; b++)
        for (const struct ca_param *p = b->options; p && p->name; p++) {
            char range[CA_TEXT_MAX];

            ck_assert_contains(o.out, test_text("\n    %s=...: %s\n%8s%s", p->name, p->help, "",
                                                ca_param_range(range, p)));
        }
}
END_TEST

/* What the examples say is what the commands take. */
START_TEST(examples_are_commands)
{
    for (const struct command *c = commands; c->name; c++)
        for (const char *line = c->examples; *line;
             line += strcspn(line, "\n") + (line[strcspn(line, "\n")] != 0)) {
            char text[256], *words[32], *rest = NULL;
            struct options options;
            struct ca_error error;
            int count = 0;

            snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "#\n"), line);
            for (char *w = strtok_r(text, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
                words[count++] = w;
            ck_assert_ptr_eq(command_find(count, words), c);
            ck_assert_msg(options_parse(&options, c->bit, c->operands_max,
                                        count - (c->name[0] != 0), words + (c->name[0] != 0),
                                        &error) == CA_OK,
                          "%.60s: %s", line, error.text);
            for (int i = 0; i < options.operands && c->bit & (FOR_RUN | FOR_WORKBENCH); i++)
                if (!strstr(options.operand[i], ".rle")) /* a pattern, of the model of its rule */
                    ck_assert_ok(command_check_model(options.operand[i], &error));
        }
}
END_TEST

START_TEST(completion)
{
    static const struct {
        const char *words, *has, *lacks;
    } rows[] = {
        {"r", "run\n", "--seed"},
        {"run a", "anneal\n", "doctor"},
        {"probe --f", "--force\n", "anneal"},
        {"run --s", "--seed\n", "anneal"},
        {"list --", "--json\n", "--seed"},
        {"list b", "backends\n", "anneal"},
        {"run anneal -b b", "bitslice\n", "--seed"},
        {"run anneal -b s", "", "sse2"}, /* which fhp has */
        {"run fhp -b s", "sse2\n", "anneal"},
        {"run anneal -b threads,b", "threads,bitslice\n", "--seed"},
        {"run anneal -b avx2,threads/t", "avx2,threads/threads=\n", "bitslice"},
        {"run water --set r", "relief=\n", "density"},
        {"run life3d --init c", "crand\n", "hills"},
        {"run fhp --set c", "collisions=\n", "anneal"},
        {"run fhp --set collisions=", "collisions=fhp3\n", "collisions=\n"},
        {"run life3d --init=c", "--init=crand\n", "hills"},
        {"run anneal -b lab:b", "lab:bitslice\n", "--seed"},
        {"bench --figure p", "power\n", "rates"},
        {"compare --ratio threads,b", "threads,bitslice\n", "--seed"},
        {"run fhp -o s", "speed:\n", "anneal"},
        {"lab check fhp -o s", "", "speed"}, /* a file of the program's, not a field */
        {"list w", "water\n", "backends"},
        {"config c", "check\n", "run"},
        {"run anneal -o x", "", "anneal"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct outcome o = calab_done("--complete %s", rows[i].words);

        ck_assert_contains(o.out, rows[i].has);
        ck_assert_msg(!strstr(o.out, rows[i].lacks), "%s: %s", rows[i].words, o.out);
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {help_and_version, version_names_the_commit, examples_are_commands,
                              completion},
                     .table = {{help_of_a_model, test_models()}});
}
