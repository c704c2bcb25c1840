/* SPDX-License-Identifier: MIT */
/* Each command as a process: its output, its format, and its exit status. */
#include <dirent.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/formats.h"
#include "core/files/file.h"
#include "core/model/model.h"
#include "tests/support/program.h"
#include "tests/support/support.h"
#include "tui/commands/commands.h"
#include "tui/keys.h"

static struct ca_error error;

static json_t *parse(const struct outcome *o)
{
    ck_assert_msg(o->status == 0, "exit status %d: %s", o->status, o->err);
    ck_assert_str_eq(o->err, "");
    return outcome_json(o);
}

/* The run of the exercise against the figures of its program; see golden.json. */
START_TEST(exercise)
{
    const char *path = test_path("anneal.pbm");
    struct outcome o =
        calab("run anneal -n 64 -s 512x512 --init crand --seed 1234 -o %s --json", path);
    json_t *json = parse(&o);
    struct ca_size size;
    uint8_t *cells;
    int64_t live = 0;

    ck_assert_str_eq(json_text(json, "schema"), "calab-run/2");
    ck_assert_int_eq(json_whole(json, "observables.live"), 136288);
    ck_assert_uint_eq(strlen(json_text(json, "hash")), 16);
    ck_assert_ok(test_pbm_read(path, &cells, &size, &error));
    ck_assert_int_eq(size.w, 512);
    ck_assert_int_eq(size.h, 512);
    for (int64_t i = 0; i < 512 * 512; i++)
        live += cells[i];
    ck_assert_int_eq(live, 136288);
    free(cells);
}
END_TEST

/* The picture of the exercise's program, as it writes it, of this state. */
static void write_as_exercise(const char *path, const uint8_t *cells, int side)
{
    FILE *file = fopen(path, "w");

    fprintf(file, "P1\n# produced by omp-anneal.c\n%d %d\n", side, side);
    for (int y = 0; y < side; y++) {
        for (int x = 0; x < side; x++)
            fprintf(file, "%d ", cells[y * side + x]);
        fprintf(file, "\n");
    }
    fclose(file);
}

/* A picture in any form is the state that it was written from, also that of the exercise. */
START_TEST(pictures_are_states)
{
    const char *names[] = {"a.pbm", "a.plain.pbm", "theirs.pbm"};
    struct outcome first = calab_done("run anneal -s 40x40 -n 7 -o %s -o %s", test_path(names[0]),
                                      test_path(names[1]));
    size_t ours_size, theirs_size;
    struct ca_size size;
    uint8_t *cells;
    char *ours, *theirs;

    ck_assert_ok(test_pbm_read(test_path("a.pbm"), &cells, &size, &error));
    write_as_exercise(test_path("theirs.pbm"), cells, 40);
    free(cells);
    for (int i = 0; i < 3; i++) {
        struct outcome o = calab_done("run anneal --init %s -n 0", test_path(names[i]));

        ck_assert_str_eq(outcome_value(&o, "size"), "40x40");
        ck_assert_str_eq(outcome_value(&o, "hash"), outcome_value(&first, "hash"));
    }
    /* Only the comment differs from what calab writes. */
    ours = test_read(test_path("a.plain.pbm"), &ours_size);
    theirs = test_read(test_path("theirs.pbm"), &theirs_size);
    ck_assert_uint_eq(theirs_size, ours_size + strlen("# produced by omp-anneal.c\n"));
    ck_assert_str_eq(strstr(theirs, "40 40"), ours + strlen("P1\n"));
}
END_TEST

/* JSON and text have the same values and everything that the manual describes. */
START_TEST(run_forms)
{
    static const char *const keys[] = {"model",      "backend", "size",        "seed",   "init",
                                       "parameters", "options", "steps",       "device", "wall_s",
                                       "device_s",   "mups",    "observables", "hash"};
    struct outcome text =
        calab_done("run water -s 20x10 -n 3 --set relief=5 -b threads --threads 2");
    struct outcome again =
        calab("run --json water -s 20x10 -n 3 --set relief=5 -b threads --set threads=2");
    json_t *json = parse(&again), *size;

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        ck_assert_msg(json_object_get(json, keys[i]) != NULL, "no %s in %s", keys[i], again.out);
    size = json_object_get(json, "size");
    ck_assert_uint_eq(json_array_size(size), 2);
    ck_assert_int_eq(json_whole(size, "0"), 20);
    ck_assert_str_eq(outcome_value(&text, "size"), "20x10");
    ck_assert_str_eq(outcome_value(&text, "parameters.relief"), "5");
    ck_assert_str_eq(outcome_value(&text, "options.threads"), "2");
    ck_assert_str_eq(outcome_value(&text, "steps"), "3");
    ck_assert_str_eq(outcome_value(&text, "hash"), json_text(json, "hash"));
}
END_TEST

START_TEST(frame)
{
    struct outcome o = calab_done("run life3d -s 40x20x5 -n 2 --frame");
    struct outcome big = calab("run anneal -s 1000x300 -n 0 --frame --json");
    json_t *json = parse(&big), *lines;
    const char *line = o.out;

    for (int y = 0; y < 10; y++, line = strchr(line, '\n') + 1)
        ck_assert_uint_eq(strcspn(line, "\n"), 40);
    ck_assert_contains(line,
                       "frame: generation 2, xy slice z = 2, 1x2 cells a character, mean, 0 ... 1 "
                       "live as \" .:-=+*#%@\"\n");
    lines = json_at(json, "frame.lines");
    ck_assert_uint_ge(json_array_size(lines), 1);
    ck_assert_uint_le(json_array_size(lines), 24);
    ck_assert_uint_le(json_string_length(json_array_get(lines, 0)), 78);
    ck_assert(json_is_null(json_object_get(json, "mups"))); /* no step, no rate */
}
END_TEST

/* The smallest zoom at which the whole of the lattice fits, and its middle slice. */
START_TEST(frame_of_any_shape)
{
    static const struct {
        const char *lattice, *caption;
    } rows[] = {
        {"anneal -s 10x480", "frame: generation 0, xy slice, 10x20 cells a character"},
        {"anneal -s 10x481", "frame: generation 0, xy slice, 11x22 cells a character"},
        {"anneal -s 780x10", "frame: generation 0, xy slice, 10x20 cells a character"},
        {"anneal -s 781x10", "frame: generation 0, xy slice, 11x22 cells a character"},
        {"life3d -s 8x8x4", "frame: generation 0, xy slice z = 2, 1x2 cells a character"},
        {"life3d -s 8x8x1", "frame: generation 0, xy slice z = 0, 1x2 cells a character"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct outcome o = calab_done("run %s -n 0 --frame", rows[i].lattice);

        ck_assert_contains(o.out, rows[i].caption);
    }
}
END_TEST

/* Twelve digits: sums over a lattice have more than six. */
START_TEST(digits_of_observables)
{
    struct outcome text = calab("run water -s 40x20 -n 3"), json = calab("run water -s 40x20 -n 3 "
                                                                         "--json");
    json_t *root = parse(&json);
    double exact = json_number(root, "observables.altitudes");

    ck_assert_double_ne(exact, floor(exact));
    ck_assert_double_eq_tol(atof(outcome_value(&text, "observables.altitudes")), exact,
                            1e-11 * exact);
}
END_TEST

START_TEST(seconds)
{
    struct outcome o = calab_done("run anneal -s 64x64 --seconds 0.2");

    ck_assert_int_gt(atol(outcome_value(&o, "steps")), 0);
    ck_assert(atof(outcome_value(&o, "wall_s")) < 30);
}
END_TEST

/* Every backend of every model ends in the same state, whatever the threads, but for those whose
 * sums have another order. */
START_TEST(same_hash)
{
    const struct ca_model *model = ca_models[_i];
    const char *size = model->dimensions == 3 ? "37x12x9" : "67x26";
    struct outcome first =
        calab_done("run %s -s %s -n 17 --seed 0x1f -b reference", model->name, size);

    for (const struct ca_backend *b = model->backends + 1; b->name; b++) {
        struct outcome o;

        if (ca_backend_available(b, &error) != CA_OK || b->tolerance > 0)
            continue;
        o = calab_done("run %s -s %s -n 17 --seed 31 -b %s --threads 3", model->name, size,
                       b->name);
        ck_assert_str_eq(outcome_value(&o, "backend"), b->name);
        ck_assert_str_eq(outcome_value(&o, "hash"), outcome_value(&first, "hash"));
    }
}
END_TEST

/* A state written by one run is the initial state of the next, with its size. */
START_TEST(continue_from_file)
{
    const struct ca_model *model = ca_models[_i];
    const char *path = test_path("state.npy");
    const char *size = model->dimensions == 3 ? "9x8x7" : "33x12";
    struct outcome one = calab_done("run %s -s %s -n 4 -o %s", model->name, size, path);
    struct outcome two = calab_done("run %s --init %s --generation 4 -n 0", model->name, path);

    ck_assert_str_eq(outcome_value(&two, "size"), size);
    ck_assert_str_eq(outcome_value(&two, "hash"), outcome_value(&one, "hash"));
}
END_TEST

/* The command line overrides CALAB_*, these the file, and that the built-in values. */
START_TEST(precedence)
{
    static const char *const variable[] = {"CALAB_SEED=3", "CALAB_SET=density=0.25", NULL};
    static const char *const named[] = {"CALAB_MODEL=water", "CALAB_SIZE=8x8", NULL};
    const struct surroundings s = {.variable = variable}, m = {.variable = named};
    static const char file[] = "model = \"anneal\"; seed = 2; size = \"16x8\"; steps = 5;\n"
                               "parameters : { density = 0.125; };\n";
    const char *path = test_path("x.cfg");
    struct outcome o;

    test_write(path, file, strlen(file));
    o = calab("run -c %s", path);
    ck_assert_str_eq(outcome_value(&o, "seed"), "2");
    ck_assert_str_eq(outcome_value(&o, "parameters.density"), "0.125");
    o = calab_in(&s, "run -c %s", path);
    ck_assert_str_eq(outcome_value(&o, "seed"), "3");
    ck_assert_str_eq(outcome_value(&o, "parameters.density"), "0.25");
    ck_assert_str_eq(outcome_value(&o, "size"), "16x8");
    o = calab_in(&s, "run -c %s --seed 4 --set density=0.5 -n 1", path);
    ck_assert_str_eq(outcome_value(&o, "seed"), "4");
    ck_assert_str_eq(outcome_value(&o, "parameters.density"), "0.5");
    ck_assert_str_eq(outcome_value(&o, "steps"), "1");
    o = calab_in(&m, "run -n 1");
    ck_assert_str_eq(outcome_value(&o, "model"), "water");
    ck_assert_str_eq(outcome_value(&o, "size"), "8x8");
}
END_TEST

/* calab.cfg is read only with --remembered. */
START_TEST(remembered)
{
    static const char settings[] = "version = 1;\nmodel = \"cloud\";\nmodels : { cloud : { size = "
                                   "\"12x11x10\"; seed = 77; }; };\n";
    const char *path = test_path("calab.cfg");
    char variable[256];
    const char *const variables[] = {variable, NULL};
    const struct surroundings s = {.variable = variables};
    struct outcome o;

    test_write(path, settings, strlen(settings));
    snprintf(variable, sizeof variable, "CALAB_CONFIG=%s", path);
    o = calab_done_in(&s, "run --remembered -n 1");
    ck_assert_str_eq(outcome_value(&o, "model"), "cloud");
    ck_assert_str_eq(outcome_value(&o, "size"), "12x11x10");
    ck_assert_str_eq(outcome_value(&o, "seed"), "77");
    o = calab_in(&s, "run cloud -n 1");
    ck_assert_str_eq(outcome_value(&o, "size"), "256x256x20");
    ck_assert_str_eq(outcome_value(&o, "seed"), "1");
    o = calab("run --remembered -n 0"); /* nothing is saved: the first model */
    ck_assert_str_eq(outcome_value(&o, "model"), ca_models[0]->name);
}
END_TEST

START_TEST(list)
{
    struct outcome o = calab_done("list"), only = calab("list backends"),
                   form = calab("list --json");
    json_t *json = parse(&form);
    const json_t *first;

    for (int i = 0; ca_models[i]; i++) {
        ck_assert_contains(o.out, ca_models[i]->title);
        for (const struct ca_backend *b = ca_models[i]->backends; b->name; b++)
            ck_assert_contains(only.out, b->title);
    }
    ck_assert_contains(o.out, "configs/anneal-exercise.cfg");
    ck_assert_contains(o.out, "512x512 cells, srand(1234), 64 steps");
    ck_assert_contains(o.out, "\n    look for: Grains that coarsen.");
    ck_assert_ptr_null(strstr(only.out, "configs/"));
    ck_assert_str_eq(json_text(json, "schema"), "calab-list/1");
    ck_assert_uint_eq(json_array_size(json_object_get(json, "models")), test_models());
    ck_assert_uint_ge(json_array_size(json_object_get(json, "configs")), 5);
    for (size_t i = 0; ca_formats[i].ending; i++) {
        const json_t *format = json_array_get(json_object_get(json, "formats"), i);

        ck_assert_contains(o.out, ca_formats[i].holds);
        ck_assert_str_eq(json_text(format, "ending"), ca_formats[i].ending);
    }
    first = json_at(json, "configs.0");
    ck_assert_str_eq(json_text(first, "model"), "anneal");
    ck_assert_contains(json_text(first, "look_for"), "Grains that coarsen.");
    ck_assert_uint_ge(json_array_size(json_object_get(json, "devices")), 1);
}
END_TEST

/* The line of a backend in a table. */
static const char *line_of(const struct outcome *o, const char *backend)
{
    static char line[1024];
    const char *at;

    at = strstr(o->out, test_text(" %s ", backend));
    ck_assert_msg(at != NULL, "no line of %s in: %s", backend, o->out);
    snprintf(line, sizeof line, "%.*s", (int)strcspn(at - 1, "\n"), at - 1);
    return line;
}

static const json_t *row_of(const json_t *root, const char *backend)
{
    const json_t *rows = json_object_get(root, "backends"), *row;
    size_t i;

    json_array_foreach((json_t *)rows, i,
                       row) if (strcmp(json_text(row, "name"), backend) == 0) return row;
    ck_abort_msg("no row of %s", backend);
}

/* With this mask the AVX-512 backends run on no machine, so that lists have both kinds of lines. */
static const char *const masked[] = {"CALAB_CPU=baseline", NULL};

/* One backend is marked, which a run chooses too; others say how they run, or why they do not. */
START_TEST(list_model_marks_the_choice)
{
    static const struct surroundings s = {.variable = masked};
    struct outcome o = calab_done_in(&s, "list fhp -s 96x64"), run;
    const char *mark = strstr(o.out, "\n* ");
    char name[64] = "";

    ck_assert_contains(o.out, "# fhp 96x64; * marks what auto chooses: ");
    ck_assert_ptr_nonnull(mark);
    ck_assert_ptr_null(strstr(mark + 1, "\n* "));
    ck_assert_int_eq(sscanf(mark, "\n* %63s", name), 1);
    ck_assert_ptr_null(strstr(line_of(&o, name), "not here"));
    ck_assert_contains(line_of(&o, "reference"), "1 pass a generation, 1 thread");
    for (const struct ca_backend *b = test_model("fhp")->backends; b->name; b++)
        if (strstr(b->name, "avx512"))
            ck_assert_contains(line_of(&o, b->name), "not here        needs AVX-512");
    run = calab_in(&s, "run fhp -s 96x64 -n 1");
    ck_assert_str_eq(outcome_value(&run, "backend"), name);
}
END_TEST

START_TEST(list_model_as_json)
{
    static const struct surroundings s = {.variable = masked};
    struct outcome o = calab_done_in(&s, "list fhp -s 96x64 --json"), text;
    json_t *root = parse(&o);
    const json_t *rows = json_object_get(root, "backends"), *row;
    const char *choice = json_text(root, "backend");
    size_t i, count = 0;
    int chosen = 0;

    ck_assert_str_eq(json_text(root, "schema"), "calab-list/1");
    ck_assert_str_eq(json_text(root, "model"), "fhp");
    while (test_model("fhp")->backends[count].name)
        count++;
    ck_assert_uint_eq(json_array_size(rows), count);
    json_array_foreach((json_t *)rows, i, row)
    {
        bool fits = json_is_true(json_object_get(row, "fits"));

        chosen += json_is_true(json_object_get(row, "chosen"));
        ck_assert_int_eq(json_object_get(row, "report") != NULL, fits);
        ck_assert_int_eq(json_object_get(row, "reason") != NULL, !fits);
    }
    ck_assert_int_eq(chosen, 1);
    ck_assert(json_is_true(json_object_get(row_of(root, choice), "chosen")));
    ck_assert(json_is_true(json_object_get(row_of(root, choice), "fits")));
    ck_assert_double_gt(json_number(row_of(root, choice), "mups"), 0);
    row = row_of(root, "reference");
    ck_assert_str_ne(json_text(row, "estimate"), "unknown");
    ck_assert_double_gt(json_number(row, "predicted_s"), 0);
    text = calab_in(&s, "list fhp -s 96x64");
    ck_assert_contains(text.out, test_text("\n* %s ", choice));
}
END_TEST

START_TEST(config)
{
    struct outcome path = calab_done("config path"), show = calab_done("config show"),
                   check = calab_done("config check");

    ck_assert_contains(path.out, test_folder());
    ck_assert_contains(path.out, "/calab/calab.cfg\n");
    ck_assert_contains(show.out, "built-in", "density",
                       "\n  slice                the middle one       built-in\n"
                       "  projection           slice                built-in\n"
                       "  zoom                 fit                  built-in\n"
                       "  pace                 4                    built-in\n"
                       "  drawn                state                built-in\n"
                       "  range                auto                 built-in\n");
    ck_assert_contains(check.out, "does not exist");
}
END_TEST

START_TEST(doctor)
{
    static const char *const terms[] = {NULL, "dumb", "no-such-terminal", "xterm"};
    static const char *const said[] = {"not set", "cannot move the cursor", "unknown name",
                                       "cursor addressing: yes"};

    for (int i = 0; i < 4; i++) {
        char variable[64];
        const char *const variables[] = {variable, NULL};
        const struct surroundings s = {.variable = variables, .term = i == 1 ? "dumb" : NULL};
        struct outcome o;

        snprintf(variable, sizeof variable, "TERM=%s", terms[i] ? terms[i] : "");
        o = terms[i] ? calab_in(&s, "doctor") : calab("doctor");
        ck_assert_int_eq(o.status, 0);
        ck_assert_contains(s.term ? o.err : o.out, said[i]);
        ck_assert_contains(s.term ? o.err : o.out, "jansson");
        ck_assert_contains(s.term ? o.err : o.out, "CUDA");
    }
}
END_TEST

/* What is not there is named: a locale, with what takes its place, and compilers. */
START_TEST(doctor_says_what_is_not_there)
{
    static const struct {
        const char *variable[3], *says[2];
    } cases[] = {
        {{"LC_ALL=no_SUCH.UTF-8"}, {"using C.UTF-8\n", "characters   UTF-8; borders: lines\n"}},
        {{"LC_ALL=no_SUCH"}, {"LC_ALL is 'no_SUCH', a locale", "using C, that is, ASCII"}},
        {{"LC_ALL=C.UTF-8"}, {"locale       C.UTF-8\ncharacters   UTF-8;", ""}},
        {{"CALAB_NVRTC=/none.so", "NVCC=/none/nvcc"},
         {"NVRTC        none: CALAB_NVRTC names /none.so, which is not a libnvrtc.so\n",
          "nvcc         none: neither in NVCC, on PATH,"}},
        {{"NVCC=/bin/sh nvcc"}, {"nvcc         /bin/sh nvcc\n", "NVRTC        "}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct surroundings s = {.variable = cases[i].variable};
        struct outcome o = calab_good_in(&s, "doctor");

        ck_assert_contains(o.out, cases[i].says[0], cases[i].says[1]);
    }
}
END_TEST

static int is_config(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);

    return length > 4 && strcmp(entry->d_name + length - 4, ".cfg") == 0;
}

/* All experiment files of the tree are correct, and each runs for two steps. */
START_TEST(configs)
{
    struct dirent **entries;
    int n = scandir(test_source("configs"), &entries, is_config, alphasort), seen = 0;

    ck_assert_int_gt(n, 0);
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name;
        struct outcome run;

        seen++;
        calab_done("config check configs/%s", name);
        if (strncmp(name, "bench-", 6) != 0) { /* these are for calab bench */
            run = calab_done("run -c configs/%s -n 2 -o %s", name, test_path("last.npy"));
            ck_assert_str_eq(outcome_value(&run, "steps"), "2");
        }
        free(entries[i]);
    }
    free(entries);
    ck_assert_int_ge(seen, 5);
}
END_TEST

/* The manual describes everything in the tables. */
START_TEST(manual)
{
    char *page = test_read(test_source("man/calab-models.7"), NULL);
    const struct ca_model *model = ca_models[_i];
    char text[80];

    snprintf(text, sizeof text, ".Ss %s\n", model->name);
    ck_assert_contains(page, text);
    for (const struct ca_format *f = ca_formats; f->ending; f++) {
        snprintf(text, sizeof text, "Pa %s", f->ending);
        ck_assert_msg(strstr(page, text) != NULL, "%s", text);
    }
    for (const struct ca_param *p = model->params; p && p->name; p++) {
        snprintf(text, sizeof text, ".It Cm %s", p->name);
        ck_assert_contains(page, text);
    }
    for (const struct ca_start *s = model->start->named; s->name; s++) {
        snprintf(text, sizeof text, ".It Cm %s", s->name);
        ck_assert_contains(page, text);
    }
    for (const struct ca_observable *o = ca_observables(model); o->name; o++) {
        snprintf(text, sizeof text, ".It Va %s", o->name);
        ck_assert_contains(page, text);
    }
}
END_TEST

/* Options that the page describes once, for all backends. */
static bool is_common(const char *option)
{
    static const char *const names[] = {"threads", "device", "devices", "ranks", "exchange"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(option, names[i]) == 0)
            return true;
    return false;
}

/* Each backend has a paragraph in the section of its model, which names its options. */
START_TEST(manual_of_the_ladders)
{
    char *page = test_read(test_source("man/calab-kernels.7"), NULL), *section, *end, text[80];
    const struct ca_model *model = ca_models[_i];

    snprintf(text, sizeof text, ".Ss %s\n", model->name);
    section = strstr(page, text);
    ck_assert_msg(section != NULL, "no section '%s'", model->name);
    if ((end = strstr(section + 1, ".Ss ")) != NULL || (end = strstr(section, ".Sh ")) != NULL)
        *end = '\0';
    for (const struct ca_backend *b = model->backends; b->name; b++) {
        snprintf(text, sizeof text, ".It Cm %s\n", b->name);
        ck_assert_contains(section, text);
        for (const struct ca_param *o = b->options; o && o->name; o++) {
            snprintf(text, sizeof text, " %s", o->name);
            if (!is_common(o->name))
                ck_assert_contains(section, text);
        }
    }
}
END_TEST

START_TEST(manual_of_the_program)
{
    char *page = test_read(test_source("man/calab.1"), NULL), text[160];

    for (int i = 0; i < OPTION_COUNT; i++) {
        snprintf(text, sizeof text, " Fl Fl %s", option_rows[i].name);
        ck_assert_msg(strstr(page, text + (option_rows[i].letter ? 0 : 1)), "no%s", text);
    }
    for (const struct command *c = commands; c->name; c++)
        ck_assert_msg(strstr(page, c->name), "no %s", c->name);
}
END_TEST

START_TEST(manual_of_the_keys)
{
    char *page = test_read(test_source("man/calab-workbench.7"), NULL), text[160];

    for (const struct key_row *row = keys_table; row->name; row++) {
        snprintf(text, sizeof text, "%s.\n",
                 row->help + 1); /* the first letter is a capital there */
        ck_assert_msg(strstr(page, text), "no %s", text);
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {exercise, pictures_are_states, run_forms, frame, frame_of_any_shape,
                              digits_of_observables, seconds, precedence, remembered, list,
                              list_model_marks_the_choice, list_model_as_json, config, doctor,
                              doctor_says_what_is_not_there, configs, manual_of_the_program,
                              manual_of_the_keys},
                     .table = {{same_hash, test_models()},
                               {continue_from_file, test_models()},
                               {manual, test_models()},
                               {manual_of_the_ladders, test_models()}});
}
