/* SPDX-License-Identifier: MIT */
/* core/import: what imported rules do, that the model which is written does the same, and what is
 * refused. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CA_ENGINE
#include "core/import/import.h"
#include "kernels/file/calab_model.h"
#include "tests/support/support.h"

static const char wireworld[] =
    "@RULE Wire-World 1\nA comment.\n@TABLE\n# as in the paper\nn_states:4\nneighborhood:Moore\n"
    "symmetries:permute\nvar a={0,2,3}\nvar b = { a, 1 }\nvar c=b\nvar d=b\nvar e=b\nvar f=b\n"
    "var g=b\nvar h=b\nvar i=b\nvar j=a\nvar k=a\nvar l=a\nvar m=a\nvar n=a\nvar o=a\nvar p=a\n"
    "1,b,c,d,e,f,g,h,i,2\n2,b,c,d,e,f,g,h,i,3\n3,1,a,j,k,l,m,n,o,1 # one\n3,1,1,a,j,k,l,m,n,1\n"
    "@COLORS\n1 0 0 255\n2 255 0 0\n@NAMES\n0 empty\n1 electron \"head\"\n@ICONS\n\"x.\"\n";

static const struct {
    const char *rule;
    struct {
        const char *states; /* of the inputs, in the order of import_rule.at; NULL: no more */
        int next;
    } cases[8];
} rules[] = {
    {wireworld,
     {{"000000001", 2},
      {"111111112", 3},
      {"100000003", 1},
      {"010010003", 1},
      {"111000003", 3},
      {"023000003", 3},
      {"111000000", 0},
      {"110000000", 0}}},
    /* without commas; the first line that fits counts; a variable has one value in a line */
    {"@TABLE\nn_states:3\nneighborhood:vonNeumann\nsymmetries:none\nvar a={1,2}\n0a00a1\n0a1002\n"
     "0122aa\n",
     {{"10010", 1}, {"20020", 1}, {"10020", 0}, {"21000", 2}, {"11000", 2}, {"12220", 2}}},
    {"@TABLE\nn_states:2\nneighborhood:vonNeumann\nsymmetries:rotate4\n0,1,1,0,0,1\n",
     {{"11000", 1}, {"01100", 1}, {"00110", 1}, {"10010", 1}, {"10100", 0}, {"11001", 1}}},
    {"@TABLE\nn_states:3\nneighborhood:vonNeumann\nsymmetries:reflect_horizontal\n0,1,2,0,0,1\n",
     {{"12000", 1}, {"10020", 1}, {"01200", 0}, {"21000", 0}}},
    {"@TABLE\nn_states:3\nneighborhood:Moore\nsymmetries:rotate4reflect\n0,1,2,0,0,0,0,0,0,1\n",
     {{"120000000", 1}, {"100000020", 1}, {"001200000", 1}, {"021000000", 1}, {"012000000", 0}}},
    {"@TABLE\nn_states:3\nneighborhood:Moore\nsymmetries:rotate8\n0,1,2,0,0,0,0,0,0,1\n",
     {{"120000000", 1}, {"012000000", 1}, {"210000000", 0}}},
    {"@TABLE\nn_states:3\nneighborhood:hexagonal\nsymmetries:rotate2\n0,1,2,0,0,0,0,1\n",
     {{"1200000", 1}, {"0001200", 1}, {"0120000", 0}}},
    {"@TABLE\nn_states:3\nneighborhood:oneDimensional\nsymmetries:reflect\n0,1,2,1\n",
     {{"120", 1}, {"210", 1}, {"110", 0}}},
    /* a tree asks for n, w, e, s and the cell */
    {"@TREE\nnum_states=2\nnum_neighbors=4\nnum_nodes=7\n1 0 1\n1 1 0\n2 0 1\n2 1 1\n3 2 3\n4 4 4\n"
     "5 5 5\n",
     {{"00011", 0}, {"00010", 1}, {"11000", 0}, {"11001", 1}, {"00100", 1}, {"00110", 1}}},
    /* of two descriptions the first one counts */
    {"@TREE\nnum_states=2\nnum_neighbors=4\n1 0 1\n2 0 0\n3 1 1\n4 2 2\n5 3 3\n@TABLE\nn_states:2\n"
     "neighborhood:vonNeumann\nsymmetries:none\n0,0,0,0,0,1\n",
     {{"00000", 0}}},
    /* 256 states: a decision tree, as a table would have 10^12 entries */
    {"@TABLE\nn_states:256\nneighborhood:vonNeumann\nsymmetries:permute\nvar a={0,1,2}\nvar b={a}\n"
     "0,1,1,2,a,255\na,1,b,b,2,2\n",
     {{"12110", 255}, {"10020", 2}, {"10121", 1}, {"20011", 2}}},
};

#define TABLE "@TABLE\nn_states:3\nneighborhood:Moore\nsymmetries:rotate4\n"
#define TREE "@TREE\nnum_states=2\nnum_neighbors=4\n"
static const struct {
    const char *rule, *message;
} wrong[] = {
    {"", "w.rule:0: the file has no @TABLE and no @TREE"},
    {"@RULE a\n@COLORS\n1 2 3 4\n", "w.rule:3: the file has no @TABLE and no @TREE"},
    {"@TABLE\nn_states:300\n", "w.rule:2: n_states is '300': 2 ... 256 are allowed"},
    {"@TABLE\nn_states:1\n", "w.rule:2: n_states is '1'"},
    {"@TABLE\nn_states:2\nneighborhood:Margolus\n",
     "w.rule:3: neighborhood 'Margolus': Moore, von"},
    {"@TABLE\nn_states:2\nneighborhood:vonNeumann\nsymmetries:rotate8\n",
     "w.rule:4: symmetries 'rotate8': with vonNeumann these are allowed: none, rotate2, rotate4"},
    {"@TABLE\nn_states:2\nneighborhood:Moore\nsymmetries:all\n",
     "w.rule:4: symmetries 'all': with Moore these are allowed: none, rotate2, rotate4, rotate8, "
     "reflect_horizontal, rotate4reflect, rotate8reflect, permute"},
    {"@TABLE\nn_states:2\nneighborhood:Moore\n0,0,0,0,0,0,0,0,0,1\n",
     "w.rule:4: 'symmetries:' is expected before variables and lines"},
    {"@TABLE\nn_states:2\nsymmetries:none\n", "w.rule:3: 'neighborhood:' is expected before"},
    {"@TABLE\nneighborhood:Moore\nsymmetries:none\nvar a={0}\n",
     "w.rule:4: 'n_states:' is expected"},
    {TABLE "0,1,1,1,0,0,0,0,0,1\nsymmetries:none\n", "w.rule:6: 'symmetries:' stands behind"},
    {TABLE "0,x,0,0,0,0,0,0,0,1\n", "w.rule:5: variable 'x' has no line 'var x = {...}' before"},
    {TABLE "var a={1,b}\n", "w.rule:5: variable 'b' has no line"},
    {TABLE "var a={1,2}\nvar a={1}\n", "w.rule:6: variable 'a' has a line before"},
    {TABLE "var = {1,2}\n", "w.rule:5: 'var NAME = {STATE, ...}' is expected"},
    {TABLE "var a={1,2}\n0,1,0,0,0,0,0,0,0,a\n", "w.rule:6: the cell becomes variable 'a'"},
    {TABLE "0,3,0,0,0,0,0,0,0,1\n", "w.rule:5: state 3: the states are 0 ... 2, by n_states"},
    {TABLE "0,1,0,0,0,0,0,0,1\n", "w.rule:5: 9 numbers: the cell, its 8 neighbours and what it"},
    {TABLE "00000000000\n", "w.rule:5: 11 numbers"},
    {TABLE "0,1,0,0,0,0,0,0,2,1\n\n0,0,2,1,0,0,0,0,0,2\n", "w.rule:7: the line contradicts line 5"},
    {"@TREE\nnum_states=257\nnum_neighbors=4\n1 0 1\n", "w.rule:4: num_states has to be 2 ... 256"},
    {"@TREE\nnum_states=2\nnum_neighbors=5\n1 0 1\n", "w.rule:4: num_neighbors has to be 4 or 8"},
    {TREE "1 0 1\n2 0 0\n", "w.rule:5: the last node of @TREE is not the root"},
    {TREE "1 0 2\n", "w.rule:4: '2' is not a state of this rule"},
    {TREE "1 0\n", "w.rule:4: 1 numbers behind the depth: one for each of 2 states is expected"},
    {TREE "1 0 1 1\n", "w.rule:4: more than 2 numbers behind the depth"},
    {TREE "2 0 1\n", "w.rule:4: node 0 is not one of depth 1 that stands before"},
    {TREE "6 0 1\n", "w.rule:4: a node begins with its depth, 1 ... 5"},
    {TREE "num_nodes=9\n1 0 1\n2 0 0\n3 1 1\n4 2 2\n5 3 3\n",
     "num_nodes is 9, but @TREE has 5 nodes"},
    {TABLE "@COLORS\n1 2 300 4\n", "w.rule:6: @COLORS: 'STATE RED GREEN BLUE'"},
    {TABLE "@NAMES\nzero\n", "w.rule:6: @NAMES: 'STATE NAME' is expected"},
};

static struct ca_error error;
static struct import_rule rule;

static void states_of(const char *text, uint8_t states[])
{
    for (size_t i = 0; text[i]; i++)
        states[i] = (uint8_t)(text[i] - '0');
}

START_TEST(what_a_cell_becomes)
{
    ck_assert_ok(ca_import_read(test_put("r.rule", rules[_i].rule), &rule, &error));
    for (int k = 0; k < 8 && rules[_i].cases[k].states; k++) {
        uint8_t states[DIAGRAM_INPUTS_MAX];

        states_of(rules[_i].cases[k].states, states);
        ck_assert_int_eq((int)strlen(rules[_i].cases[k].states), rule.diagram.inputs);
        must_hold(ca_import_next(&rule, states) == rules[_i].cases[k].next, "%s of\n%s",
                  rules[_i].cases[k].states, rules[_i].rule);
    }
    ca_import_destroy(&rule);
}
END_TEST

START_TEST(what_is_refused)
{
    enum ca_status status = ca_import_read(test_put("w.rule", wrong[_i].rule), &rule, &error);

    ck_assert_int_eq(status, CA_IO);
    ck_assert_contains(error.text, wrong[_i].message);
    ca_import_destroy(&rule);
}
END_TEST

/* --- the model that is written ------------------------------------------------------------------
 */

/* Writes, compiles and loads the model of a rule that has been read. */
static const struct ca_model_description *load(void)
{
    const struct ca_model_description *(*describe)(void);
    const char *source = test_path("model.c"), *object = test_path("model.so");
    FILE *stream = fopen(source, "w");
    void *library;

    ca_import_write(&rule, stream);
    fclose(stream);
    ck_assert_int_eq(system(test_text("gcc -std=c11 -Wall -Wextra -Werror -O1 -fPIC -shared -I%s "
                                      "%s -o %s",
                                      test_source("kernels/file"), source, object)),
                     0);
    library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    must_hold(library, "%s", dlerror());
    *(void **)&describe = dlsym(library, "ca_describe_model");
    ck_assert_ptr_nonnull(describe);
    return describe();
}

#define SIDE 24
/* A step of the model, on a torus. */
static void step(const struct ca_model_description *model, uint8_t cells[SIDE][SIDE],
                 uint8_t next[SIDE][SIDE])
{
    static struct ca_model_values values = {.states = 256};

    for (int y = 0; y < SIDE; y++) {
        struct ca_model_job job = {.stride = SIDE,
                                   .count = 1,
                                   .width = SIDE,
                                   .height = SIDE,
                                   .depth = 1,
                                   .y = y,
                                   .values = &values};

        for (int k = 0; k <= 2 * model->reach; k++)
            job.in[k] = cells[(y + k - model->reach + SIDE) % SIDE];
        job.out[0] = next[y];
        model->step(&job);
    }
}

static void fill(uint8_t cells[SIDE][SIDE])
{
    uint32_t draw = 1;

    for (int i = 0; i < SIDE * SIDE; i++) {
        draw = draw * 1664525 + 1013904223;
        cells[i / SIDE][i % SIDE] =
            (uint8_t)((draw >> 16) % (uint32_t)(rule.states < 5 ? rule.states : 5));
    }
}

/* As a table, or as a tree where that would be too large, it does what the rule says. */
START_TEST(the_model_is_the_rule)
{
    static uint8_t cells[SIDE][SIDE], next[SIDE][SIDE];
    const struct ca_model_description *model;

    ck_assert_ok(ca_import_read(test_put("m.rule", rules[_i].rule), &rule, &error));
    model = load();
    ck_assert_str_eq(model->name, rule.name);
    fill(cells);
    step(model, cells, next);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            uint8_t states[DIAGRAM_INPUTS_MAX];

            for (int k = 0; k < rule.diagram.inputs; k++)
                states[k] =
                    cells[(y + rule.at[k].y + SIDE) % SIDE][(x + rule.at[k].x + SIDE) % SIDE];
            ck_assert_int_eq(next[y][x], ca_import_next(&rule, states));
        }
    ca_import_destroy(&rule);
}
END_TEST

START_TEST(names_and_colours)
{
    char *text;

    ck_assert_ok(ca_import_read(test_put("named.rule", wireworld), &rule, &error));
    load();
    text = test_keep(test_read(test_path("model.c"), NULL));
    ck_assert_contains(text, "CA_MODEL(wire_world_1, \"Wire-World 1\")",
                       "CA_STATE(S0, 0, ' ', CA_QUIET, \"empty\")",
                       "CA_STATE(S1, 1, '#', CA_COLD, \"electron _head_\")",
                       "CA_STATE(S2, 2, '*', CA_WARM, \"state 2\")");
    ca_import_destroy(&rule);
}
END_TEST

/* --- notations ----------------------------------------------------------------------------------
 */

static const struct {
    const char *text, *name;
    int states, radius;
    enum import_shape shape;
    const char *born, *stays; /* the counts, with blanks around each */
    bool with_self;
} notations[] = {
    {"B2/S345/C4", "generations", 4, 1, IMPORT_MOORE, " 2 ", " 3 4 5 ", false},
    {"s345/b2/4", "generations", 4, 1, IMPORT_MOORE, " 2 ", " 3 4 5 ", false},
    {"345/2/4", "generations", 4, 1, IMPORT_MOORE, " 2 ", " 3 4 5 ", false},
    {"Brian's Brain", "brians_brain", 3, 1, IMPORT_MOORE, " 2 ", " ", false},
    {"star wars", "star_wars", 4, 1, IMPORT_MOORE, " 2 ", " 3 4 5 ", false},
    {"R2,C0,M1,S6..11,B6..9,NM", "larger_than_life", 2, 2, IMPORT_MOORE, " 6 7 8 9 ",
     " 6 7 8 9 10 11 ", true},
    {"R3,C4,M0,S3,5-6,B4,NN", "larger_than_life", 4, 3, IMPORT_VON_NEUMANN, " 4 ", " 3 5 6 ",
     false},
    {"R2,C2,S2..3,B3..3,NC", "larger_than_life", 2, 2, IMPORT_CIRCLE, " 3 ", " 2 3 ", false},
    {"R1,C0,M1,S3..4,B3..3,NM", "larger_than_life", 2, 1, IMPORT_MOORE, " 3 ", " 3 4 ", true},
    {"R5,C0,M1,S57..60,B58..61,NM", "larger_than_life", 2, 5, IMPORT_MOORE, " 58 59 60 61 ",
     " 57 58 59 60 ", true},
    {"R4,C3,M0,S12..14,B13,NN", "larger_than_life", 3, 4, IMPORT_VON_NEUMANN, " 13 ", " 12 13 14 ",
     false},
    {"R8,C0,M0,S110..113,B112..114,NC", "larger_than_life", 2, 8, IMPORT_CIRCLE, " 112 113 114 ",
     " 110 111 112 113 ", false},
    {"R1,C0,M1,S1..2,B1..1,NN", "larger_than_life", 2, 1, IMPORT_VON_NEUMANN, " 1 ", " 1 2 ", true},
};

static bool listed(const char *counts, int n)
{
    return strstr(counts, test_text(" %d ", n)) != NULL;
}

static bool in_shape(int row, int x, int y)
{
    int r = notations[row].radius;

    if (x == 0 && y == 0)
        return notations[row].with_self;
    if (notations[row].shape == IMPORT_VON_NEUMANN)
        return abs(x) + abs(y) <= r;
    return notations[row].shape == IMPORT_MOORE || x * x + y * y <= r * r + r;
}

START_TEST(what_a_notation_does)
{
    static uint8_t cells[SIDE][SIDE], next[SIDE][SIDE];
    const struct ca_model_description *model;
    int r = notations[_i].radius;

    ck_assert_ok(ca_import_read(notations[_i].text, &rule, &error));
    ck_assert_int_eq(rule.states, notations[_i].states);
    ck_assert_str_eq(rule.name, notations[_i].name);
    model = load();
    fill(cells);
    step(model, cells, next);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            int n = 0, c = cells[y][x], then;

            for (int dy = -r; dy <= r; dy++)
                for (int dx = -r; dx <= r; dx++)
                    n += in_shape(_i, dx, dy) &&
                         cells[(y + dy + SIDE) % SIDE][(x + dx + SIDE) % SIDE] == 1;
            if (c == 0)
                then = listed(notations[_i].born, n);
            else
                then = c == 1 && listed(notations[_i].stays, n) ? 1 : (c + 1) % rule.states;
            must_hold(next[y][x] == then, "%s: %d with %d becomes %d", notations[_i].text, c, n,
                      next[y][x]);
        }
    ca_import_destroy(&rule);
}
END_TEST

static const struct {
    const char *text, *message;
} not_notations[] = {
    {"", "a file.rule, a rule of Generations as B2/S345/C4, of Larger than Life"},
    {"W110", "a file.rule, a rule of Generations"},
    {"B3/S23", "rules of two states, as B3/S23, are those of the model life"},
    {"B2/S9/C3", "at character 5: a cell has 0 ... 8 live neighbours"},
    {"B2/S3/C300", "the number of states, 2 ... 256, is expected at the end"},
    {"B2/S3/C1", "the number of states"},
    {"B2/S3/C3x", "the number of states"},
    {"R9,C0,M1,S34..58,B34..45,NM", "the radius is 9, but a model can count cells up to 8 away"},
    {"R0,C0,M1,S1..2,B1..2,NM", "a radius of at least 1"},
    {"R2,C0,M1,S5..2,B1..2,NM", "an interval of counts is expected"},
    {"R2,C0,M1,S2..5,B1..2,NX", "NM (square), NN (diamond) and NC (circle)"},
    {"R2,C0,M1,S2..5,B1..2,W8", "R, C, M, S, B and N are expected"},
    {"R2,C0,M3,S2..5", "M0 or M1 is expected"},
};

START_TEST(what_is_no_notation)
{
    ck_assert_int_eq(ca_import_read(not_notations[_i].text, &rule, &error), CA_USAGE);
    ck_assert_contains(error.text, not_notations[_i].message);
    ca_import_destroy(&rule);
}
END_TEST

/* A file that is there stays as it is. */
START_TEST(nothing_is_overwritten)
{
    const char *path = test_path("new.c");
    char written[512];

    ck_assert_ok(ca_import("345/2/4", path, written, sizeof written, &error));
    ck_assert_str_eq(written, path);
    ck_assert_int_eq(ca_import("/2/3", path, written, sizeof written, &error), CA_USAGE);
    ck_assert_contains(error.text, "new.c is there already");
    ck_assert_contains(test_keep(test_read(path, NULL)), "calab has imported from 345/2/4");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {names_and_colours, nothing_is_overwritten},
                     .table = {{what_a_cell_becomes, COUNT(rules)},
                               {the_model_is_the_rule, COUNT(rules)},
                               {what_is_refused, COUNT(wrong)},
                               {what_a_notation_does, COUNT(notations)},
                               {what_is_no_notation, COUNT(not_notations)}});
}
