/* SPDX-License-Identifier: MIT */
/* core/files/rle: patterns of Golly in and out, where they go, their rules, and what is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/file.h"
#include "core/files/formats.h"
#include "core/sim/simulation.h"
#include "tests/support/program.h"
#include "tests/support/support.h"

static enum ca_status read_pattern(const char *path, const char *model, struct ca_lattice *lattice,
                                   struct ca_size wanted, struct ca_error *error)
{
    struct ca_row_sink sink = ca_lattice_sink(lattice);
    enum ca_status status;

    memset(lattice, 0, sizeof *lattice);
    CA_TRY(ca_rle_size(path, test_model(model), &wanted, error));
    if (ca_cells(wanted) > 1 << 20) /* of a damaged header */
        return ca_fail(error, CA_NO_MEMORY, "too large for a test");
    CA_TRY(ca_lattice_alloc(lattice, wanted, CA_U8, 1, error));
    status = ca_rle_read(path, test_model(model), wanted, &sink, NULL, error);
    if (status != CA_OK)
        ca_lattice_free(lattice);
    return status;
}

/* Rows of . and o, layers one after the other. */
static char *drawn(const struct ca_lattice *lattice, char text[256])
{
    const uint8_t *cells = lattice->plane[0];
    int64_t w = lattice->size.w;
    char *to = text;

    for (int64_t i = 0; i < ca_cells(lattice->size); i++) {
        *to++ = cells[i] ? 'o' : '.';
        if (i % w == w - 1)
            *to++ = '|';
    }
    *to = '\0';
    return text;
}

static const struct {
    const char *model, *bytes;
    struct ca_size wanted;
    const char *cells;
} patterns[] = {
    /* without a lattice: in the middle of what is wanted, or its own */
    {"anneal", "x = 3, y = 2\nob o$2o!", {5, 4, 1}, ".....|.o.o.|.oo..|.....|"},
    {"anneal", "x=3,y=2,rule=B4678/S35678\n3o!\n", {1, 1, 1}, "ooo|...|"},
    {"anneal", "#N a\n#CXRLE Pos=90,90 Gen=4\nx = 1, y = 1\no!", {3, 2, 1}, "...|.o.|"},
    /* runs over lines, comments among them, what comes after the end, dead cells outside */
    {"anneal", "x = 3, y = 3\r\n3\r\no$\r\n# oo\n$b\no9b4$! 7q", {3, 3, 1}, "ooo|...|.o.|"},
    {"anneal", "x = 2, y = 1\nA.!", {2, 1, 1}, "o.|"},
    {"anneal", "x = 0, y = 0, rule = B4678/S35678\n!", {2, 1, 1}, "..|"},
    /* without an end, cells beyond the header, also at a place, and without one */
    {"anneal", "x = 3, y = 1\n2o", {3, 1, 1}, "oo.|"},
    {"anneal", "x = 1, y = 1\n3o$bo\n", {1, 1, 1}, "ooo|.o.|"},
    {"anneal", "x = 9, y = 1\n!", {9, 1, 1}, ".........|"},
    {"anneal", "#C none\n#N n\n\n2o$bo!", {1, 1, 1}, "oo|.o|"},
    {"anneal",
     "#CXRLE Pos=-2,-1\nx = 1, y = 1, rule = b4678/s35678:T4,3\n2o2$o!",
     {1, 1, 1},
     "oo..|....|o...|"},
    {"life3d",
     "3D version=1 size=3\nx=1 y=1 z=1 rule=3d5..7/6\no$o/bo",
     {1, 1, 1},
     "o..|o..|...|.o.|...|...|...|...|...|"},
    /* as others write: blanks and empty lines before, within and behind, comments of all kinds */
    {"anneal",
     "\xef\xbb\xbf \n\n#C c\n#N n\n#O o\n#R 1 2\n#P 3 4\n#D d\n  x = 3, y = 2\n\n 2 o \t b\n\n$ "
     "3\no ! by me, 1970",
     {3, 2, 1},
     "oo.|ooo|"},
    {"anneal", "x = 3, y = 1,rule = b4678/s35678  \r\n2.A", {3, 1, 1}, "..o|"},
    /* a torus, whose middle is 0,0 */
    {"anneal",
     "#CXRLE Pos=-2,1\nx = 2, y = 1, rule = 35678/4678:T4,3\n2o!",
     {9, 9, 1},
     "....|....|oo..|"},
    {"anneal", "x = 1, y = 1, rule = B4678/S35678:T3\no!", {1, 1, 1}, "...|.o.|...|"},
    {"anneal",
     "#CXRLE Gen=3 Pos=-1,-1\n#r B4678/S35678:T3,2\nx = 3, y = 2\n2b1o$o!",
     {1, 1, 1},
     "..o|o..|"},
    /* three dimensions */
    {"life3d",
     "3D version=1 size=3 pos=1,0,1 gen=5\n# c\nx=2 y=2 z=2 rule=3D5..7/6\nbo$o/$oo!",
     {1, 1, 1},
     "...|...|...|..o|.o.|...|...|.oo|...|"},
    {"life3d", "3D version=1\nx=1 y=1 z=1 rule=3D4,5/5\no!", {1, 3, 1}, ".|o|.|"},
    {"life3d", "3D version=1 size=2\nx=0 y=0 z=0 rule=3D5..7/6\n!", {1, 1, 1}, "..|..|..|..|"},
};

START_TEST(reads)
{
    const char *path = test_path("p.rle");
    struct ca_lattice lattice;
    struct ca_error error;
    char text[256];

    test_write(path, patterns[_i].bytes, strlen(patterns[_i].bytes));
    ck_assert_msg(read_pattern(path, patterns[_i].model, &lattice, patterns[_i].wanted, &error) ==
                      CA_OK,
                  "%s", error.text);
    ck_assert_str_eq(drawn(&lattice, text), patterns[_i].cells);
    ca_lattice_free(&lattice);
}
END_TEST

static const struct {
    const char *model, *bytes, *part;
} wrong[] = {
    {"anneal", "", ":1: this is not an RLE pattern"},
    {"anneal", "P1\n1 1\n1", ":1: this is not an RLE pattern"},
    {"anneal", "3D version=1\nx=1 y=1 z=1\no!", ":1: this is not an RLE pattern"},
    {"anneal", "#C a\n#C b\n", ":3: x = WIDTH, y = HEIGHT is expected"},
    {"anneal", "x = 3\n3o!", ":1: x = WIDTH"},
    {"anneal", "x = -3, y = 1\n!", ":1: x = WIDTH"},
    {"anneal", "x = 99999999999, y = 1\n!", ":1: x = WIDTH"},
    {"anneal", "x = 1, y = 1, rule = \no!", ":1: a rule of 1 ... 511 characters"},
    {"anneal", "x = 1, y = 1, rule B3/S23\no!", ":1: '=' is expected"},
    {"anneal", "x = 1, y = 1 z\no!", ":1: the end of the header line"},
    {"anneal", "x = 1, y = 1, rule = B3/S23:K8,8\no!", ":1: the rule's lattice is neither"},
    {"life", "x = 1, y = 1, rule = B3/S23:P8*,8\no!", ":1: the sides of the lattice"},
    {"life", "x = 1, y = 1, rule = B3/S23:P\no!", ":1: the rule's lattice is neither"},
    {"anneal", "x = 1, y = 1, rule = B3/S23:T8,0\no!", ":1: the sides of the lattice"},
    {"anneal", "x = 1, y = 1, rule = B3/S23:T8*,8\no!", ":1: the sides of the lattice"},
    {"anneal", "x = 1, y = 1, rule = B3/S23:T2147483648,2147483648\no!", "too large"},
    {"anneal", "x = 9, y = 1, rule = B3/S23:T8,8\no!", "lies outside the lattice"},
    {"anneal", "#CXRLE Pos=4,0\nx = 1, y = 1, rule = B3/S23:T8,8\no!", "lies outside the lattice"},
    {"anneal", "#CXRLE Pos=a\nx = 1, y = 1\no!", ":1: two whole numbers"},
    {"anneal", "x = 0, y = 9\n!", "its cells: W = 0 is out of range"},
    {"anneal", "x = 2147483648, y = 2147483648\n!", "its cells: 2147483648x2147483648 is too"},
    {"anneal", "x = 3, y = 1\n2o\n\n3", ":4: the file ends behind a count"},
    {"anneal", "x = 3, y = 1\n2147483648b\no!", ":3: a live cell lies beyond 2147483648 cells"},
    {"anneal", "x = 3, y = 1\n2147483648$\no!", ":3: a live cell lies beyond 2147483648 cells"},
    {"anneal", "x = 3, y = 1, rule = B4678/S35678:T4,4\no2$2$2$o!", "lies outside the lattice"},
    {"anneal", "x = 3, y = 1\n0o!", ":2: a count of 1 ... 2147483648"},
    {"anneal", "x = 3, y = 1\n99999999999o!", ":2: a count of"},
    {"anneal", "x = 3, y = 1\n2 2o!", ":2: a count of"},
    {"anneal", "x = 3, y = 1\nooB!", ":2: a cell of state 2: a cell is dead"},
    {"anneal", "x = 3, y = 1\no\n3X!", ":3: a cell of state 24"},
    {"anneal", "x = 3, y = 1\npA!", ":2: a cell of state 25"},
    {"anneal", "x = 3, y = 1\nyO!", ":2: a cell of state 255"},
    {"anneal", "x = 3, y = 1\noop!", ":2: b, o, $ or ! is expected"},
    {"anneal", "x = 3, y = 1\no\033[31m!", ":2: b, o, $ or ! is expected"},
    {"anneal", "x = 3, y = 1\no/o!", ":2: '/', the end of a layer"},
    {"life3d", "x = 3, y = 1\n3o!", ":1: this is not an RLE3 pattern"},
    {"life3d", "3D version=2\nx=1 y=1 z=1\no!", ":1: 'version=1' is expected"},
    {"life3d", "3D size=0\nx=1 y=1 z=1\no!", ":1: a whole number of at least 1"},
    {"life3d", "3D size=2147483648\nx=1 y=1 z=1\no!", "too large"},
    {"life3d", "3D size=4 pos=1,2\nx=1 y=1 z=1\no!", ":1: three whole numbers"},
    {"life3d", "3D size=4 pos=1,2,4\nx=1 y=1 z=1\no!", "lies outside the lattice"},
    {"life3d", "3D size=4\nx=1 y=1\no!", ":2: x=WIDTH y=HEIGHT z=DEPTH"},
    {"life3d", "3D size=4\nx=1 y=1 z=1 rule=3D5/5:T4\no!", ":2: the rule's lattice is neither"},
    {"life3d", "3D size=4\nx=1 y=1 z=1\n4/o!", "lies outside the lattice"},
    {"life3d", "3D size=4\n# c\no!", ":3: x=WIDTH"},
    {"life3d", "3D size=4\nx=1 y=1 z=1\nq!", ":3: b, o, $, / or ! is expected"},
};

START_TEST(refuses)
{
    const char *path = test_path("bad.rle");
    struct ca_lattice lattice;
    struct ca_error error;

    test_write(path, wrong[_i].bytes, strlen(wrong[_i].bytes));
    ck_assert_int_eq(
        read_pattern(path, wrong[_i].model, &lattice, (struct ca_size){8, 8, 1}, &error), CA_IO);
    ck_assert_ptr_null(lattice.plane[0]);
    ck_assert_contains(error.text, "bad.rle", wrong[_i].part);
}
END_TEST

/* Adds one and its index for each live cell. */
static enum ca_status swallow(void *context, void *const planes[], int64_t first, int64_t rows,
                              struct ca_error *error)
{
    int64_t *sum = context, cells = rows * 8192;
    const uint8_t *cell = planes[0];

    (void)error;
    for (int64_t i = 0; i < cells; i++)
        if (cell[i])
            *sum += 1 + first * 8192 + i;
    return CA_OK;
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* The setup of a model at a size, from which a pattern has its rule. */
static struct ca_setup setup_of(const char *model, struct ca_size size)
{
    struct ca_experiment experiment;

    ca_experiment_default(&experiment, test_model(model));
    experiment.size = size;
    return ca_setup_of(&experiment);
}

/* At most every 8th cell is live, so that boxes are smaller than lattices and rows are empty. */
START_TEST(round_trips)
{
    uint64_t random = test_seed();

    for (int round = 0; round < 200; round++) {
        bool deep = round % 2;
        int64_t side = 1 + (int64_t)(next_random(&random) % 12);
        struct ca_size size = {side, deep ? side : 1 + (int64_t)(next_random(&random) % 90),
                               deep ? side : 1};
        struct ca_setup setup = setup_of(deep ? "life3d" : "anneal", size);
        uint64_t sparse = 2 + next_random(&random) % 200;
        struct ca_lattice lattice, back;
        struct ca_row_source source;
        struct ca_error error;

        ck_assert_ok(ca_lattice_alloc(&lattice, size, CA_U8, 1, &error));
        for (int64_t i = 0; i < ca_cells(size); i++)
            ((uint8_t *)lattice.plane[0])[i] = next_random(&random) % sparse == 0;
        source = ca_lattice_source(&lattice);
        source.setup = &setup;
        ck_assert_ok(ca_rle_write(test_path("r.rle"), setup.model, &source, &error));
        ck_assert_msg(read_pattern(test_path("r.rle"), setup.model->name, &back,
                                   (struct ca_size){1, 1, 1}, &error) == CA_OK,
                      "round %d: %s", round, error.text);
        ck_assert(ca_size_equal(back.size, size));
        ck_assert_mem_eq(lattice.plane[0], back.plane[0], (size_t)ca_cells(size));
        ca_lattice_free(&lattice);
        ca_lattice_free(&back);
    }
}
END_TEST

static const struct {
    const char *model;
    struct ca_size size;
    const char *live; /* cells by index */
    uint64_t generation;
    const char *bytes;
} forms[] = {
    {"anneal",
     {6, 4, 1},
     "....../.oo.o./....../.o..../",
     0,
     "#CXRLE Pos=-2,-1\nx = 4, y = 3, rule = B4678/S35678:T6,4\n2obo2$o!\n"},
    {"anneal",
     {5, 3, 1},
     "...../..o../...../",
     12,
     "#CXRLE Pos=0,0 Gen=12\nx = 1, y = 1, rule = B4678/S35678:T5,3\no!\n"},
    {"anneal",
     {3, 2, 1},
     ".../.../",
     0,
     "#CXRLE Pos=0,0\nx = 0, y = 0, rule = B4678/S35678:T3,2\n!\n"},
    {"life3d",
     {2, 2, 2},
     "../oo/oo/../",
     7,
     "3D version=1 size=2 gen=7\nx=2 y=2 z=2 rule=3D6,7/4,5\n$oo/oo!\n"},
    {"life3d",
     {3, 3, 3},
     ".../.../.../.../.../..o/.../..o/.o./",
     0,
     "3D version=1 size=3 pos=1,1,1\nx=2 y=2 z=2 rule=3D6,7/4,5\n$bo/bo$o!\n"},
};

START_TEST(writes_as_golly)
{
    struct ca_setup setup = setup_of(forms[_i].model, forms[_i].size);
    struct ca_lattice lattice;
    struct ca_row_source source;
    struct ca_error error;
    uint8_t *cell;
    size_t size;
    char *bytes;

    ck_assert_ok(ca_lattice_alloc(&lattice, forms[_i].size, CA_U8, 1, &error));
    cell = lattice.plane[0];
    for (const char *c = forms[_i].live; *c; c++)
        if (*c != '/')
            *cell++ = *c == 'o';
    source = ca_lattice_source(&lattice);
    source.setup = &setup;
    source.generation = forms[_i].generation;
    ck_assert_ok(ca_rle_write(test_path("w.rle"), setup.model, &source, &error));
    bytes = test_read(test_path("w.rle"), &size);
    ck_assert_str_eq(bytes, forms[_i].bytes);
    ca_lattice_free(&lattice);
}
END_TEST

/* A lattice of more rows than pass at once: the run that begins a later part is read again. */
START_TEST(a_large_torus)
{
    static const char bytes[] = "#CXRLE Pos=-4096,-2500\n"
                                "x = 8192, y = 5000, rule = B4678/S35678:T8192,5000\n"
                                "o4999$\n8191b\n%c!";
    struct ca_row_sink nowhere = {swallow, &(int64_t){0}};
    struct ca_size size = {1, 1, 1};
    const char *path = test_path("l.rle");
    struct ca_error error;
    char text[160];

    snprintf(text, sizeof text, bytes, 'o');
    test_write(path, text, strlen(text));
    ck_assert_ok(ca_rle_size(path, test_model("anneal"), &size, &error));
    ck_assert_ok(ca_rle_read(path, test_model("anneal"), size, &nowhere, NULL, &error));
    ck_assert_int_eq(*(int64_t *)nowhere.context, 2 + 8192 * INT64_C(5000) - 1);
    snprintf(text, sizeof text, bytes, 'q');
    test_write(path, text, strlen(text));
    ck_assert_int_eq(ca_rle_read(path, test_model("anneal"), size, &nowhere, NULL, &error), CA_IO);
    ck_assert_contains(error.text, "l.rle:5: b, o");
}
END_TEST

/* Cut and flipped at random a pattern is refused or read, never worse. */
START_TEST(damaged_patterns)
{
    uint64_t random = test_seed();
    struct ca_lattice lattice;
    struct ca_error error;

    for (int round = 0; round < 3000; round++) {
        size_t p = (size_t)round % COUNT(patterns), count = strlen(patterns[p].bytes);
        char *bytes = strdup(patterns[p].bytes);

        if (next_random(&random) % 2)
            count = next_random(&random) % (count + 1);
        for (uint64_t flips = next_random(&random) % 4; count > 0 && flips > 0; flips--)
            bytes[next_random(&random) % count] ^= (char)(1u << next_random(&random) % 8);
        test_write(test_path("d.rle"), bytes, count);
        if (read_pattern(test_path("d.rle"), patterns[p].model, &lattice, (struct ca_size){4, 4, 1},
                         &error) == CA_OK)
            ca_lattice_free(&lattice);
        free(bytes);
    }
}
END_TEST

/* The rule of a file is taken over where none was set; a run goes on from a pattern as from .npy.
 */
START_TEST(rules_of_files)
{
    const char *glider = test_path("g.rle3"), *state = test_path("g.npy");
    struct outcome a =
        calab("run life3d -q -s 10x10x10 --set rule=3D5..7/6 -n 2 -o %s -o %s", glider, state);
    struct outcome b, c;

    ck_assert_msg(a.status == 0, "%s", a.err);
    b = calab("run life3d -q --init %s -n 5", glider);
    c = calab("run life3d -q --init %s --set rule=3D5,6,7/6 -n 5", state);
    ck_assert_msg(b.status == 0 && c.status == 0, "%s%s", b.err, c.err);
    ck_assert_str_eq(strstr(b.out, "hash: "), strstr(c.out, "hash: "));
    ck_assert_contains(b.out, "parameters.rule: 3D5..7/6");
    b = calab("run life3d -q --init %s --set rule=3D4/4 -n 1", glider);
    ck_assert_int_eq(b.status, 0);
    ck_assert_contains(b.err, "is a pattern of 3D5..7/6: it runs by 3D4/4, which was set");
    b = calab("run life3d -q --init %s --set r1=5 -n 1", glider);
    ck_assert_int_eq(b.status, 0);
    ck_assert_contains(b.err, "it runs by 3D6,7/5, which was set");
    b = calab_good("run life3d -q --init %s --set rule=3D5,6,7/6 -n 1", glider);
    test_put("l.rle", "x = 3, y = 1, rule = B3/S23\n3o!\n");
    b = calab_fails(CA_USAGE, "the rule is B4678/S35678, but that of ",
                    "run anneal -q --init %s -n 1", test_path("l.rle"));
    ck_assert_contains(b.err, "is B3/S23");
}
END_TEST

static const struct refusal refusals[] = {
    {"run life3d -s 8x8x4 -n 0 -o x.rle3", 2, "the lattice is 8x8x4", "is a cube"},
    {"run life3d -s 8x8x8 -n 0 --set boundary=dead -o x.rle3", 2, "is not a torus", ""},
    {"run life3d -s 8x8x8 -n 0 -o x.rle", 2, "ends in .npy, .h5 or .rle3", ""},
    {"run fhp -n 0 -o x.rle", 2, "'x.rle': a state of fhp is written to", ""},
    {"run anneal --init /nowhere/x.rle", 8, "/nowhere/x.rle", "No such file"},
};

/* --- more states ------------------------------------------------------------------------------ */

static const struct ca_model_source file_source = {"/model.c", 1};

/* Reads a pattern of a model of that many states, in a lattice of 20 x 16. */
static enum ca_status read_states(const char *bytes, int states, struct ca_model *model,
                                  struct ca_lattice *lattice, struct ca_error *error)
{
    struct ca_row_sink sink = ca_lattice_sink(lattice);
    struct ca_size size = {20, 16, 1};
    const char *path = test_put("states.rle", bytes);

    *model = *test_model("anneal");
    model->name = "many";
    model->rule = NULL;
    model->source = &file_source;
    model->max_value = (uint8_t)(states - 1);
    memset(lattice, 0, sizeof *lattice);
    CA_TRY(ca_rle_size(path, model, &size, error));
    CA_TRY(ca_lattice_alloc(lattice, size, CA_U8, 1, error));
    return ca_rle_read(path, model, size, &sink, NULL, error);
}

/* All 256 states are written as they are read. */
START_TEST(letters_are_states)
{
    static const struct {
        const char *tag;
        int state;
    } tags[] = {{"A", 1}, {"X", 24}, {"pA", 25}, {"pX", 48}, {"qA", 49}, {"yO", 255}, {"o", 1}};
    struct ca_lattice lattice, again;
    struct ca_model model;
    struct ca_error error;
    struct ca_setup setup;
    struct ca_row_source source;

    for (size_t i = 0; i < COUNT(tags); i++) {
        const char *text =
            test_text("x = 20, y = 16, rule = many\n2.3%s$2b%s!", tags[i].tag, tags[i].tag);

        ck_assert_ok(read_states(text, 256, &model, &lattice, &error));
        for (int x = 0; x < 20; x++) {
            uint8_t *row = lattice.plane[0];

            ck_assert_int_eq(row[x], x >= 2 && x < 5 ? tags[i].state : 0);
            ck_assert_int_eq(row[20 + x], x == 2 ? tags[i].state : 0);
        }
        ca_lattice_free(&lattice);
    }
    ck_assert_ok(read_states("x = 20, y = 16\n!", 256, &model, &lattice, &error));
    for (int i = 0; i < 256; i++)
        ((uint8_t *)lattice.plane[0])[i + 30] = (uint8_t)(i / (1 + i % 2));
    setup = (struct ca_setup){.model = &model, .size = lattice.size};
    source = ca_lattice_source(&lattice);
    source.setup = &setup;
    ck_assert_ok(ca_rle_write(test_path("written.rle"), &model, &source, &error));
    ck_assert_contains(test_keep(test_read(test_path("written.rle"), NULL)), "rule = many:P20,16",
                       "yN");
    ck_assert_ok(read_states(test_keep(test_read(test_path("written.rle"), NULL)), 256, &model,
                             &again, &error));
    ck_assert_int_eq(ca_lattice_compare(&lattice, &again).count, 0);
    ca_lattice_free(&lattice);
    ca_lattice_free(&again);
}
END_TEST

START_TEST(states_beyond_the_model)
{
    static const struct {
        const char *cells, *message;
    } beyond[] = {
        {"A$D!", "states.rle:2: a cell of state 4: the states of many are 0 ... 3"},
        {"pA!", "states.rle:2: a cell of state 25: the states of many are 0 ... 3"},
        {"yX!", "a cell of state 264"},
        {"p!", "states.rle:2: b, o, $ or ! is expected"},
        {"Y!", "b, o, $ or ! is expected"},
    };
    struct ca_lattice lattice;
    struct ca_model model;
    struct ca_error error;

    for (size_t i = 0; i < COUNT(beyond); i++) {
        const char *text = test_text("x = 1, y = 1\n%s", beyond[i].cells);

        ck_assert_int_eq(read_states(text, 4, &model, &lattice, &error), CA_IO);
        ck_assert_contains(error.text, beyond[i].message);
        ca_lattice_free(&lattice);
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {letters_are_states, states_beyond_the_model, round_trips,
                              a_large_torus, damaged_patterns, rules_of_files},
                     .table = {{reads, COUNT(patterns)},
                               {refuses, COUNT(wrong)},
                               {writes_as_golly, COUNT(forms)},
                               {refusals_test(refusals), COUNT(refusals)}});
}
