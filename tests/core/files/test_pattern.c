/* SPDX-License-Identifier: MIT */
/*
 * Patterns and --at: files that are put at a cell of an empty lattice, round the edges of
 * a torus, what is refused, and that every form of an experiment carries the cell.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/config.h"
#include "core/files/file.h"
#include "core/settings/remembered.h"
#include "core/sim/simulation.h"
#include "tests/support/engine_peer.h"
#include "tests/support/program.h"
#include "tests/support/support.h"
#include "tests/support/support_experiment.h"

static struct ca_error error;

#define RULE3 "rule=3D5..7/6"

/* Corners of a box of 3x2, and a rod of 3 layers with a cell beside it. */
static const char corners[] = "x = 3, y = 2\nobo$2bo!",
                  bounded[] = "#CXRLE Pos=3,3\nx = 3, y = 2, rule = B4678/S35678:T9,9\nobo$2bo!",
                  picture[] = "P1\n3 2\n1 0 1\n0 0 1\n",
                  rod[] = "3D version=1 size=9 pos=4,4,4\nx=2 y=1 z=3 " RULE3 "\no/2o/o!";

static const struct {
    const char *model, *file, *bytes, *size, *at, *cells;
} placed[] = {
    {"anneal", "p.rle", corners, "5x4", "1,1", ".....|.o.o.|...o.|.....|"},
    {"anneal", "p.rle", corners, "5x4", "0,0", "o.o..|..o..|.....|.....|"},
    {"anneal", "p.rle", corners, "3x2", "0,0", "o.o|..o|"},
    {"anneal", "p.rle", corners, "3x2", "1,1", "o..|oo.|"}, /* all of it, round both edges */
    {"anneal", "p.rle", corners, "5x4", "3,3", "o....|.....|.....|o..o.|"},
    {"anneal", "p.rle", bounded, "5x4", "1,1", ".....|.o.o.|...o.|.....|"},
    {"anneal", "p.pbm", picture, "5x4", "1,1", ".....|.o.o.|...o.|.....|"},
    {"life3d", "p.rle3", rod, "3x2x3", "0,1,0", "...|o..|...|oo.|...|o..|"},
    {"life3d", "p.rle3", rod, "3x2x4", "2,1,2", "...|..o|...|...|...|..o|...|o.o|"},
    {"life3d", "p.rle3", rod, "3x2x3", "0,0", "o..|...|oo.|...|o..|...|"},
};

/* A format in which a model has no states does not tell its patterns either: with cloud's planes it
 * would leave all but one of them without rows. */
START_TEST(of_another_model)
{
    struct ca_lattice cells = {0};
    struct ca_size size = {0};

    test_put("other.rle3", rod);
    ck_assert_ok(ca_pattern_size(test_path("other.rle3"), test_model("life3d"), &size, &error));
    ck_assert_int_eq(ca_pattern_size(test_path("other.rle3"), test_model("cloud"), &size, &error),
                     CA_IO);
    ck_assert_int_eq(ca_pattern_read(test_path("other.rle3"), test_model("cloud"), &cells, &error),
                     CA_IO);
    ck_assert_contains(error.text, "other.rle3");
}
END_TEST

/* An experiment that begins with a file at a cell. */
static struct ca_experiment experiment_of(const char *model, const char *file, const char *bytes,
                                          const char *size, const char *at)
{
    struct ca_experiment experiment;

    if (bytes)
        test_put(file, bytes);
    ca_experiment_default(&experiment, test_model(model));
    test_experiment_set(&experiment, "backend", "reference");
    test_experiment_set(&experiment, "size", size);
    test_experiment_set(&experiment, "at", at);
    test_experiment_set(&experiment, "init", test_path(file));
    return experiment;
}

static char *drawn(const struct ca_lattice *lattice, char text[256])
{
    const uint8_t *cells = lattice->plane[0];
    char *to = text;

    for (int64_t i = 0; i < ca_cells(lattice->size); i++) {
        *to++ = cells[i] ? 'o' : '.';
        if (i % lattice->size.w == lattice->size.w - 1)
            *to++ = '|';
    }
    *to = '\0';
    return text;
}

/* By the state that a simulation begins with, and that it comes back to. */
START_TEST(goes_to_its_cell)
{
    struct ca_experiment experiment = experiment_of(
        placed[_i].model, placed[_i].file, placed[_i].bytes, placed[_i].size, placed[_i].at);
    struct ca_simulation *simulation;
    struct ca_lattice lattice;
    char text[256];

    ck_assert_ok(ca_simulation_open(&simulation, &experiment, &error));
    for (int again = 0; again < 2; again++) {
        struct ca_row_source source = ca_simulation_source(simulation);

        ck_assert_ok(ca_lattice_alloc(&lattice, source.size, CA_U8, 1, &error));
        ck_assert_int_eq(
            source.rows(source.context, lattice.plane, 0, ca_rows(source.size), &error), CA_OK);
        ck_assert_str_eq(drawn(&lattice, text), placed[_i].cells);
        ca_lattice_free(&lattice);
        ck_assert_ok(ca_simulation_step(simulation, 1, &error));
        ck_assert_ok(ca_simulation_reset(simulation, &error));
    }
    ca_simulation_close(simulation);
}
END_TEST

/* All planes of a model move, floats as bytes: what is read from the file stands at the cell. */
START_TEST(all_planes)
{
    static const struct {
        const char *model, *small, *large, *at;
        int64_t x, y, z;
    } runs[] = {{"cloud", "5x4x3", "11x9x8", "2,3,4", 2, 3, 4},
                {"water", "6x5", "9x12", "3,7", 3, 7, 0},
                {"fhp", "7x4", "16x10", "9,8", 9, 8, 0}};
    struct ca_experiment whole, experiment;
    struct ca_lattice small, large;

    ca_experiment_default(&whole, test_model(runs[_i].model));
    test_experiment_set(&whole, "size", runs[_i].small);
    ck_assert_ok(ca_initial_state(&whole, &small, &error));
    ck_assert_ok(test_npy_write(test_path("s.npy"), &small, whole.model->dimensions, &error));
    experiment = experiment_of(runs[_i].model, "s.npy", NULL, runs[_i].large, runs[_i].at);
    ck_assert_ok(ca_experiment_check(&experiment, &error));
    ck_assert_ok(ca_initial_state(&experiment, &large, &error));
    for (int p = 0; p < small.planes; p++)
        for (int64_t i = 0; i < ca_cells(large.size); i++) {
            size_t bytes = ca_type_bytes(small.type);
            int64_t w = large.size.w, h = large.size.h;
            int64_t x = (i % w - runs[_i].x + w) % w, y = (i / w % h - runs[_i].y + h) % h;
            int64_t z = i / w / h - runs[_i].z;
            bool inside = x < small.size.w && y < small.size.h && z >= 0 && z < small.size.d;
            int64_t j = (z * small.size.h + y) * small.size.w + x;

            ck_assert_mem_eq((char *)large.plane[p] + (size_t)i * bytes,
                             inside ? (char *)small.plane[p] + (size_t)j * bytes : "\0\0\0\0",
                             bytes);
        }
    ca_lattice_free(&small);
    ca_lattice_free(&large);
}
END_TEST

#define RUN "run anneal -q -n 0 -s 8x8 "

static const struct {
    const char *arguments;
    int status;
    const char *part;
} wrong[] = {
    {RUN "--at 1,2,3", 2, "--at: '1,2,3' is not a cell in 2D, expected X,Y, as in 3,4"},
    {RUN "--at 1", 2, "--at: '1' is not a cell"},
    {RUN "--at 1,2,", 2, "--at: '1,2,' is not a cell"},
    {RUN "--at 1x2", 2, "--at: '1x2' is not a cell"},
    {RUN "--at 1,-2", 2, "--at: y in '1,-2' is out of range, 0 ... 2147483647 is allowed"},
    {RUN "--at 99999999999999999999,0", 2, "--at: x in '9999"},
    {"run life3d -q -n 0 --at 1", 2, "'1' is not a cell in 3D, expected X,Y,Z"},
    {RUN "--at 1,2", 2,
     "at 1,2: the start 'random' fills the lattice: what is put at a cell is a state of anneal in "
     "a "
     "file that ends in .npy, .plain.pbm, .pbm or .rle"},
    {RUN "--init F/c.rle --at 8,0", 2, "at 8,0: x = 8 is outside the lattice: 0 ... 7"},
    {RUN "--init F/c.rle --at 0,8", 2, "y = 8 is outside the lattice"},
    {RUN "--init F/c.rle --at 0,0 -s 2x8", 2,
     "F/c.rle does not fit: it has 3 cells along x, the lattice 2"},
    {RUN "--init F/c.rle --at 0,0 -s 8x1", 2, "it has 2 cells along y, the lattice 1"},
    {RUN "--init F/none.rle --at 0,0", 8, "F/none.rle: No such file"},
    {RUN "--init F/b.rle --at 0,0", 8, "F/b.rle:2: a cell of state 2"},
    {RUN "--init F/h.h5 --at 0,0", 2, "F/h.h5 holds the whole lattice of a run, which cannot be"},
    {"run life3d -q -n 0 -s 8x8x8 --init F/r.rle3 --at 0,0,8", 2, "z = 8 is outside the lattice"},
    {"run life3d -q -n 0 -s 8x8x8 --set boundary=dead --init F/r.rle3 --at 7,0,0", 2,
     "with 2 cells along x from 7 on it reaches beyond the edge, which is not closed; x may be 0 "
     "... 6"},
    {"run life3d -q -n 0 -s 8x8x8 --set boundary=dead --init F/r.rle3 --at 0,0,6", 2,
     "z may be 0 ... 5"},
    {"run fhp -q -n 0 -s 8x8 --init F/f.npy --at 0,1", 2, "y = 1 is odd: odd rows of fhp are"},
    {"run water -q -n 0 -s 8x8 --init F/w.npy --at 6,0", 2, "x may be 0 ... 5"},
};

/* Puts the folder of the test where a text has "F/". */
static const char *in_folder(char to[600], const char *text)
{
    char *end = to;

    for (*end = '\0'; *text; text++)
        end += text[0] == 'F' && text[1] == '/' ? sprintf(end, "%s", test_folder())
                                                : sprintf(end, "%c", *text);
    return to;
}

START_TEST(what_is_refused)
{
    static const char states[] = "x = 3, y = 2\n4B!";
    char text[600];
    struct outcome o;

    test_put("c.rle", corners);
    test_put("b.rle", states);
    test_put("r.rle3", rod);
    o = calab("run anneal -q -n 0 -s 3x2 -o %s", test_path("h.h5"));
    o = calab("run fhp -q -n 0 -s 3x2 -o %s", test_path("f.npy"));
    o = calab("run water -q -n 0 -s 3x2 -o %s", test_path("w.npy"));
    o = calab("%s", in_folder(text, wrong[_i].arguments));
    ck_assert_int_eq(o.status, wrong[_i].status);
    ck_assert_contains(o.err, in_folder(text, wrong[_i].part));
}
END_TEST

/* --- the cell on its ways --------------------------------------------------------------------- */

static struct outcome ran(const char *variable, const char *more)
{
    const char *variables[] = {variable, NULL};
    struct surroundings s = {.variable = variable ? variables : NULL};
    struct outcome o;

    test_put("c.rle", corners);
    o = calab_good_in(&s, "run anneal -q -n 1 -s 8x8 --init %s %s", test_path("c.rle"), more);
    return o;
}

/* --at, CALAB_AT and the key of an experiment file, in this order. */
START_TEST(where_it_is_set)
{
    char cfg[300], text[800], more[400];
    struct outcome o = ran(NULL, "");

    strcpy(cfg, test_path("a.cfg"));
    ck_assert_ptr_null(strstr(o.out, "\nat: "));
    o = ran("CALAB_AT=2,3", "");
    ck_assert_str_eq(outcome_value(&o, "at"), "2,3");
    o = ran("CALAB_AT=2,3", "--at 4,5");
    ck_assert_str_eq(outcome_value(&o, "at"), "4,5");
    snprintf(text, sizeof text, "model = \"anneal\"; init = \"%s\"; at = \"6,7\";\n",
             test_path("c.rle"));
    test_write(cfg, text, strlen(text));
    snprintf(more, sizeof more, "-c %s", cfg);
    o = calab("run -q -n 1 -s 8x8 -c %s", cfg);
    ck_assert_str_eq(outcome_value(&o, "at"), "6,7");
    o = calab("run -q -n 1 -s 8x8 -c %s --at 1,1", cfg);
    ck_assert_str_eq(outcome_value(&o, "at"), "1,1");
    o = ran(NULL, more); /* another file goes to no cell of the first */
    ck_assert_ptr_null(strstr(o.out, "\nat: "));
    o = ran("CALAB_AT=2,3", more);
    ck_assert_str_eq(outcome_value(&o, "at"), "2,3");
    test_write(cfg, "model = \"anneal\"; at = \"6;7\";", 29);
    o = calab_fails(CA_SETTINGS, "a.cfg:1: at: '6;7' is not a cell in 2D", "run -q -c %s", cfg);
}
END_TEST

/* The command that repeats an experiment, its file, and its place in calab.cfg. */
START_TEST(repeated)
{
    struct ca_experiment a = experiment_of("life3d", "p.rle3", rod, "8x8x8", "1,2,3"), b;
    struct ca_saved_view saved = {0}, back;
    struct ca_findings findings = {0};

    config_t config;
    char *command = ca_experiment_command(&a, NULL, 7);
    config_setting_t *group;

    ck_assert_contains(command, "/p.rle3 --at 1,2,3");
    free(command);
    ck_assert_ok(ca_experiment_write(&a, NULL, test_path("e.cfg"), &error));
    ca_experiment_default(&b, test_model("anneal"));
    ck_assert_ok(ca_experiment_read(&b, NULL, test_path("e.cfg"), &error));
    experiment_same(&a, &b);
    saved.experiment = a;
    for (int i = 0; i < 2; i++) {
        config_init(&config);
        group = ca_config_subgroup(config_root_setting(&config), "life3d");
        ca_config_set_string(group, "at", "5,5,5"); /* of before */
        ca_saved_view_write(&saved, group);
        ca_experiment_default(&back.experiment, a.model);
        ck_assert_ok(ca_saved_view_read(&back, group, "calab.cfg", &findings, &error));
        ck_assert_int_eq(findings.wrong + findings.unknown, 0);
        ck_assert(test_at_equal(back.experiment.at, saved.experiment.at));
        config_destroy(&config);
        saved.experiment.at = (struct ca_at){0};
    }
}
END_TEST

/* A checkpoint is of the run that began at its cell alone. */
START_TEST(checkpoints)
{
    const char *h5 = test_path("c.h5");
    struct outcome a, b;

    a = ran(NULL, test_text("--at 6,7 --checkpoint %s", h5));
    a = calab_good("run -q -n 5 -c %s", h5);
    ck_assert_str_eq(outcome_value(&a, "at"), "6,7");
    b = ran(NULL, "--at 6,7 -n 5");
    ck_assert_str_eq(strstr(a.out, "hash: "), strstr(b.out, "hash: "));
    b = calab_fails(CA_USAGE, "its start is not that of this one",
                    "run anneal -q -n 5 -s 8x8 --init %s --at 6,6 --checkpoint %s --resume",
                    test_path("c.rle"), h5);
    a = calab("run -q -n 0 -c %s --at 6,6", h5); /* another start, with which a run begins */
    ck_assert_str_eq(outcome_value(&a, "at"), "6,6");
    ck_assert_str_eq(outcome_value(&a, "generation"), "0");
}
END_TEST

/* What is benchmarked is what was asked for. */
START_TEST(benchmarks)
{
    struct outcome o;

    test_put("c.rle", corners);
    o = calab_good(
        "bench anneal -q -s 64x64 -b reference,threads --time 0.01 --init %s --at 62,63 --json",
        test_path("c.rle"));
    ck_assert_contains(o.out, "\"at\": \"62,63\"");
    o = calab("bench anneal -q -s 64x64 -b reference --time 0.01 --init %s --at 62,63",
              test_path("c.rle"));
    ck_assert_contains(o.out, "c.rle at 62,63");
    o = calab_fails(CA_USAGE, "the start 'random' fills the lattice",
                    "bench anneal -q -s 64x64 -b reference --time 0.01 --at 62,63");
}
END_TEST

/* --- through the engine ----------------------------------------------------------------------- */

START_TEST(engines)
{
    struct peer peer = peer_start();
    json_t *reply, *experiment;

    test_put("c.rle", corners);
    peer_next(&peer, NULL);
    reply = peer_ask(&peer,
                     "{'id':1,'op':'open','model':'anneal','size':[8,9],'init':'%s',"
                     "'at':'7,8'}",
                     test_path("c.rle"));
    experiment = json_object_get(reply, "experiment");
    ck_assert_str_eq(json_text(experiment, "at"), "7,8");
    reply = peer_ask(&peer, "{'id':2,'op':'cell','x':1,'y':0}");
    ck_assert_str_eq(json_text(reply, "state"), "live");
    peer_refuses(&peer, "usage", "at 7,8: y = 8 is outside the lattice",
                 "{'id':3,'op':'open','model':'anneal','size':[8,8],'init':'%s',"
                 "'at':'7,8'}",
                 test_path("c.rle"));
    peer_refuses(&peer, "usage", "at: '7' is not a cell",
                 "{'id':4,'op':'open','model':'anneal','at':7}");
    /* A pattern that the editor puts goes without its torus, too. */
    test_put("b.rle", bounded);
    ck_assert_int_eq(peer_gets(&peer, "width", "{'id':5,'op':'put','x':2,'y':2,'file':'%s'}",
                               test_path("b.rle")),
                     3);
    peer_finish(&peer, 0);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {of_another_model, where_it_is_set, repeated, checkpoints, benchmarks,
                              engines},
                     .table = {{goes_to_its_cell, COUNT(placed)},
                               {all_planes, 3},
                               {what_is_refused, COUNT(wrong)}});
}
