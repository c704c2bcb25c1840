/* SPDX-License-Identifier: MIT */
/* Models in files that are wrong: each message says where, what, and what is allowed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/verify/verify.h"
#include "kernels/file/file_model.h"
#include "tests/kernels/file/models.h"
#include "tests/support/program.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

static struct ca_error error;

static void keep_in_folder(void) { setenv("XDG_CACHE_HOME", test_folder(), 1); }

static enum ca_status open_text(const char *text, const struct ca_model **model)
{
    return file_model_open(model, test_put("bad.c", text), &error);
}

#define HEAD INCLUDE "CA_MODEL(bad, \"a model\")\n"
#define CELL "CA_CELL cell(CA_NB nb)\n{\n    return AT(0, 0);\n}\n"
#define FLOATS "#define CA_FLOATS 1\n" HEAD
#define PLANE "CA_PLANE(U, 0, \"\", 0, 1, \"u\")\n"
#define PLANES(states) "#define CA_STATE_PLANES " states "\n" HEAD
#define KIND "CA_PLANE(KIND, 0, \"kind\")\n"
#define SPEED "CA_PLANE(SPEED, 1, \"speed\")\n"
#define BOTH                                                                                       \
    "CA_CELL cell(CA_NB nb)\n{\n    return NEXT(VALUE(KIND, 0, 0), VALUE(SPEED, 0, 0));\n}\n"

/* What is wrong with a declaration, by line. */
static const struct {
    const char *text, *says;
} wrong[] = {
    {INCLUDE TWO_STATES CELL, "bad.c describes no model: CA_MODEL(name, \"title\") is missing"},
    {"int main(void) { return 0; }\n", "bad.c describes no model"},
    {HEAD TWO_STATES, "bad.c has no rule: the function CA_CELL cell(CA_NB nb) is missing"},
    {HEAD TWO_STATES "CA_CELL cell(CA_NB nb)\n{\n    return oops;\n}\n", "bad.c:7:"},
    {INCLUDE "CA_MODEL(life, \"x\")\n" TWO_STATES CELL,
     "bad.c: the model is called life, which is the name of a built-in one"},
    {HEAD "CA_STATE(A, 0, '.', CA_QUIET, \"a\")\n" CELL, "declares 1 states"},
    {HEAD "CA_STATE(A, 1, '.', CA_QUIET, \"a\")\n" CELL,
     "bad.c:3: state A has the code 1, where 0 comes next"},
    {HEAD "CA_STATE(A, 0, 7, CA_QUIET, \"a\")\n" CELL, "bad.c:3: the glyph of state A"},
    {HEAD "CA_STATE(A, 0, '.', 70, \"a\")\n" CELL, "bad.c:3: state A has no colour"},
    {HEAD TWO_STATES "CA_PARAM(p, 2, 0, 1, \"p\")\n" CELL,
     "bad.c:5: the default of parameter p, 2, is not in its range, 0 to 1"},
    {HEAD TWO_STATES "CA_PARAM(p, 1, 0, 1, \"p\") CA_PARAM(q, 1, 0, 1, \"q\")\n" CELL,
     "stands on the line of another"},
    {HEAD TWO_STATES "CA_COUNT(many, 7, \"many\")\n" CELL, "bad.c:5: count many is of no state"},
    {HEAD TWO_STATES "CA_CONSERVED(none, 0)\n" CELL,
     "bad.c:5: 'none' is conserved, but is neither a count nor a sum"},
    {HEAD TWO_STATES "CA_RANDOM_START(r, \"r\", SHARE(LIVE, 1.5))\n" CELL,
     "bad.c:5: the shares of start r are more than 1 together"},
    {HEAD TWO_STATES "CA_RANDOM_START(r, \"r\", SHARE_OF(LIVE, p))\n" CELL,
     "bad.c:5: start r: 'p' is not a parameter"},
    {HEAD TWO_STATES "CA_SIZE(8, 8, 8)\n" CELL, "bad.c:5: CA_SIZE has three sides"},
    {HEAD TWO_STATES "CA_PACE(0)\n" CELL, "bad.c:5: CA_PACE is 0: above 0"},
    {FLOATS CELL, "bad.c has 1 planes, but no CA_PLANE of number 0"},
    {FLOATS PLANE CELL, "bad.c has no CA_START"},
    {FLOATS "CA_PLANE(U, 0, \"\", 1, 1, \"u\")\n" CELL, "bad.c:4: the range of plane U is empty"},
    {"#define CA_DRAWS_16 1\n" HEAD TWO_STATES "CA_PARAM_16(p, 0.1, 0, 1, \"p\")\n" CELL,
     "bad.c:6: the default of parameter p, 0.1, is not a multiple of 1/65536"},
    {HEAD TWO_STATES "CA_PARAM_16(p, 1, 0, 2, \"p\")\n" CELL,
     "bad.c:5: parameter p is a chance: its range is within 0 to 1"},
    {"#define CA_DRAWS_16 17\n" HEAD TWO_STATES CELL, "CA_DRAWS_16 is 0 to 16"},
    {"#define CA_REACH 4\n" HEAD TWO_STATES "CA_AREA(a, 0, CA_DISC, 5, LIVE, \"a\")\n" CELL,
     "bad.c:6: area a has the radius 5, but areas reach 1 to 4: CA_REACH says how far"},
    {"#define CA_REACH 4\n" HEAD TWO_STATES "CA_AREA(a, 0, CA_DISC, 4, 2, \"a\")\n" CELL,
     "bad.c:6: area a is of no state"},
    {"#define CA_REACH 9\n" HEAD TWO_STATES CELL, "CA_REACH is CA_RADIUS to 8"},
    {"#define CA_FLOATS 5\n" HEAD TWO_STATES CELL, "CA_FLOATS is 1 to 4"},
    {"#define CA_TOLERANCE 0.5\n" FLOATS PLANE CELL, "CA_TOLERANCE is 0.5; it is 0 to 0.1"},
    {"#define CA_TOLERANCE 0.01\n" HEAD TWO_STATES CELL, "0 to 0.1, of models of floats"},
    {"#define CA_RADIUS 4\n" HEAD TWO_STATES CELL, "bad.c:2: in calab_model.h"},
    {"#define CA_RADIUS 4\n" HEAD TWO_STATES CELL, "CA_RADIUS is 1, 2 or 3 in 2D"},
    /* planes of states */
    {PLANES("2, 200") KIND SPEED BOTH,
     "bad.c:5: plane SPEED: its 200 states take 8 bits, of which 7 are left: planes have 8"},
    {PLANES("16, 16, 2") KIND SPEED "CA_PLANE(LIT, 2, \"lit\")\n" BOTH,
     "bad.c:6: plane LIT: its 2 states take 1 bits, of which 0 are left"},
    {PLANES("2, 300") KIND SPEED BOTH, "bad.c:5: plane SPEED: its 300 states take 9 bits"},
    {PLANES("2, 1") KIND SPEED BOTH, "bad.c:5: plane SPEED has 1 states by CA_STATE_PLANES"},
    {PLANES("2") KIND SPEED BOTH, "bad.c:2: in calab_model_planes.h"},
    {PLANES("2, 2, 2, 2, 2, 2, 2, 2, 2") KIND SPEED BOTH,
     "CA_STATE_PLANES lists how many states each of 2 to 8 planes has"},
    {"#define CA_FLOATS 2\n" PLANES("2, 2") KIND SPEED BOTH,
     "CA_STATE_PLANES and CA_FLOATS exclude each other"},
    {"#define CA_REACH 4\n" PLANES("2, 2") KIND SPEED BOTH, "of a single plane of states in 2D"},
    {PLANES("2, 2") KIND BOTH, "bad.c:7:"},
    {PLANES("2, 2, 2") KIND SPEED BOTH, "bad.c has 3 planes, but no CA_PLANE of number 2"},
    {PLANES("2, 2") KIND "CA_PLANE(KIND, 1, \"kind\")\n" BOTH, "bad.c:5:"},
    {PLANES("2, 2") KIND "CA_PLANE(SPEED, 0, \"x\")\n" BOTH,
     "bad.c:5: plane SPEED has the number 0: each from 0 to 1 is that of one plane"},
    {PLANES("2, 2") KIND "CA_PLANE(SPEED, 2, \"x\")\n" BOTH, "bad.c:5: plane SPEED has the number"},
    {PLANES("2, 2") "CA_STATE(A, 0, '.', CA_QUIET, \"a\")\n" KIND SPEED BOTH,
     "bad.c:4: state A is of no plane: it stands behind the CA_PLANE of its own"},
    {PLANES("2, 2") KIND TWO_STATES "CA_STATE(A, 2, '.', CA_QUIET, \"a\")\n" SPEED BOTH,
     "bad.c:7: state A has the code 2, but plane KIND has 2 states: 0 to 1"},
    {PLANES("3, 2") KIND TWO_STATES SPEED BOTH,
     "bad.c:4: plane KIND has 3 states, but 2 CA_STATE: all of them or none"},
    {PLANES("2, 2") KIND SPEED "CA_STATE(A, 1, '.', CA_QUIET, \"a\")\n" BOTH,
     "bad.c:6: state A has the code 1, where 0 comes next"},
    {PLANES("2, 2") KIND TWO_STATES SPEED "CA_COUNT(n, 1, \"n\")\n" BOTH,
     "bad.c:8: count n: '1' is the name of no state"},
    {PLANES("2, 2") KIND SPEED "CA_SUM(n, 2, \"n\")\n" BOTH,
     "bad.c:6: sum n is of no plane: 0 to 1"},
    {PLANES("2, 2") KIND TWO_STATES SPEED "CA_RANDOM_START(r, \"r\", SHARE(1, 0.5))\n" BOTH,
     "bad.c:8: start r: '1' is the name of no state"},
    {PLANES("2, 2") KIND SPEED
     "CA_STATE(ON, 0, '.', CA_QUIET, \"a\")\nCA_STATE(OFF, 1, '.', CA_QUIET, \"a\")\n"
     "CA_PLANE(NONE, 2, \"none\")\n" BOTH,
     "bad.c:8: plane NONE has the number 2"},
    {PLANES(
         "2, 2") "CA_PLANE(SPEED, 1, \"speed\")\n" TWO_STATES KIND
                 "CA_STATE(ON, 0, '.', CA_QUIET, \"a\")\nCA_STATE(OFF, 1, '.', CA_QUIET, \"a\")\n"
                 "CA_RANDOM_START(r, \"r\", SHARE(LIVE, 0.5), SHARE(OFF, 0.5))\n" BOTH,
     "bad.c:10: start r: shares are of states above 0, in rising order, plane by plane"},
    {PLANES("2, 2") KIND TWO_STATES SPEED
     "CA_CELL cell(CA_NB nb)\n{\n    return NEXT(COUNT8(LIVE) > 2, 0);\n}\n",
     "bad.c:10: in calab_model_around.h"},
    {PLANES("2, 2") KIND TWO_STATES SPEED
     "CA_CELL cell(CA_NB nb)\n{\n    return NEXT(ANY4(LIVE), 0);\n}\n",
     "the_name_of_a_plane_has_to_come_first"},
    {PLANES("2, 2") KIND SPEED CELL, "bad.c:8:"},
    {HEAD KIND TWO_STATES CELL, "bad.c:3:"},
};

START_TEST(a_wrong_file_is_refused)
{
    const struct ca_model *model;

    ck_assert_int_eq(open_text(wrong[_i].text, &model), CA_COMPILE);
    must_hold(strstr(error.text, wrong[_i].says), "'%s' is not in '%s'", wrong[_i].says,
              error.text);
    must_hold(!strstr(error.text, test_folder()), "a temporary folder in '%s'", error.text);
}
END_TEST

START_TEST(another_interface_is_refused)
{
    const char *header = test_read(test_source("kernels/file/calab_model.h"), &(size_t){0});
    char *changed = test_keep(strdup(header)), *abi = strstr(changed, "#define CA_MODEL_ABI 1");
    const struct ca_model *model;

    ck_assert_ptr_nonnull(abi);
    abi[strlen("#define CA_MODEL_ABI ")] = '9';
    mkdir(test_path("older"), 0700);
    ck_assert_int_eq(open_text(test_text("#include \"%s\"\nCA_MODEL(bad, \"x\")\n" TWO_STATES CELL,
                                         test_put("older/calab_model.h", changed)),
                               &model),
                     CA_COMPILE);
    must_hold(strstr(error.text, "the calab_model.h of another version"), "%s", error.text);
}
END_TEST

START_TEST(a_missing_compiler_is_named)
{
    const struct ca_model *model;

    setenv("CC", "no-such-compiler -O2", 1);
    ck_assert_int_eq(open_text(HEAD TWO_STATES CELL, &model), CA_COMPILE);
    must_hold(strstr(error.text, "no-such-compiler cannot be started") &&
                  strstr(error.text, "name a compiler in CC"),
              "%s", error.text);
}
END_TEST

START_TEST(a_missing_file_is_named)
{
    const struct ca_model *model;

    ck_assert_int_eq(file_model_open(&model, test_path("absent.c"), &error), CA_IO);
    must_hold(strstr(error.text, "absent.c: No such file"), "%s", error.text);
}
END_TEST

/* The objects in the cache are taken where nothing has changed: no compiler is needed. */
START_TEST(what_is_compiled_is_kept)
{
    const struct ca_model *model, *again;
    const char *text = HEAD TWO_STATES CELL;

    ck_assert_int_eq(open_text(text, &model), CA_OK);
    setenv("PATH", "/nowhere", 1);
    ck_assert_int_eq(open_text(text, &again), CA_COMPILE); /* another compiler, or none */
    setenv("PATH", "/usr/bin:/bin", 1);
    ck_assert_int_eq(open_text(text, &again), CA_OK);
    ck_assert_str_eq(again->name, "bad");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    ck_assert_int_eq(open_text(text, &again), CA_OK); /* in a temporary folder */
}
END_TEST

/* --- what cell() does wrong ------------------------------------------------------------------- */

static const struct {
    const char *text, *says, *threads; /* threads: NULL: it cannot know */
} faults[] = {
    {HEAD TWO_STATES "CA_CELL cell(CA_NB nb)\n{\n    return AT(0, 0) + 6;\n}\n",
     "bad.c:5: cell() returns state ", "cell() returns state "},
    {HEAD TWO_STATES "CA_CELL cell(CA_NB nb)\n{\n    int k = PARAM_INT(far);\n\n"
                     "    return AT(0, k);\n}\n",
     NULL, NULL},
    {HEAD TWO_STATES "CA_PARAM_INT(far, 2, 0, 2, \"how far\")\n"
                     "CA_CELL cell(CA_NB nb)\n{\n    int k = PARAM_INT(far);\n\n"
                     "    return nb.x == 3 && nb.t == 2 ? AT(0, k) : 0;\n}\n",
     "bad.c:10: cell() reads the neighbour (0, 2), but CA_RADIUS is 1, at cell (3, 0) in the step "
     "from generation 2",
     NULL},
    {HEAD TWO_STATES "CA_STATE(HIGH, 2, '^', CA_WARM, \"high\")\n"
                     "CA_CELL cell(CA_NB nb)\n{\n    return UNIFORM(1) < 0.5f;\n}\n",
     "bad.c:8: stream 1 is drawn, but CA_DRAWS is 0, at cell (0, 0)", NULL},
    {"#define CA_DRAWS 3\n#define CA_DRAWS_16 2\n" HEAD TWO_STATES
     "CA_CELL cell(CA_NB nb)\n{\n    return DRAWN_16(2) < 9;\n}\n",
     "bad.c:9: stream 2 is drawn, but CA_DRAWS_16 is 2, at cell (0, 0)", NULL},
    {FLOATS PLANE "CA_START(one, \"one\")\n{\n    return 1;\n}\n"
                  "CA_CELL cell(CA_NB nb)\n{\n    return VALUE(U, 0, 0) / 0;\n}\n",
     "bad.c:9: plane U becomes infinite or no number, at cell (0, 0)", NULL},
    /* which bits do not show: 4 is the 1 of the next plane, and 8 nothing */
    {PLANES("4, 8") KIND SPEED
     "CA_START(zeros, \"zeros\")\n{\n    return NEXT(0, 0);\n}\n"
     "CA_CELL cell(CA_NB nb)\n{\n"
     "    return NEXT(nb.x == 9 && nb.y == 5 && nb.t == 2 ? 4 : 3, 7);\n}\n",
     "bad.c:10: cell() returns state 4 of plane KIND, but the states of that are 0 to 3, at cell "
     "(9, 5) in the step from generation 2",
     "bad.c:10: cell() returns state 4 of plane KIND, but the states of that are 0 to 3, at cell "
     "(9, 5) in the step from generation 2"},
    {PLANES("4, 6") KIND SPEED
     "CA_START(zeros, \"zeros\")\n{\n    return NEXT(0, 0);\n}\n"
     "CA_CELL cell(CA_NB nb)\n{\n"
     "    return NEXT(3, nb.x == 15 && nb.y == 0 && nb.t == 1 ? 6 : 5);\n}\n",
     "state 6 of plane SPEED, but the states of that are 0 to 5, at cell (15, 0) in the step from "
     "generation 1",
     "state 6 of plane SPEED, but the states of that are 0 to 5, at cell (15, 0) in the step from "
     "generation 1"},
    {PLANES("2, 2") KIND SPEED "CA_PARAM_INT(which, 2, 0, 2, \"plane\")\n"
                               "CA_CELL cell(CA_NB nb)\n{\n    int p = PARAM_INT(which);\n\n"
                               "    return NEXT(VALUE(p, 0, 0), 0);\n}\n",
     "bad.c:11: cell() reads plane 2, but the planes are 0 to 1, at cell (0, 0)", NULL},
};

/* A start by a function is checked in the same way. */
START_TEST(a_wrong_start_is_refused)
{
    const struct ca_model *model;
    struct ca_experiment experiment;
    struct ca_simulation *simulation;

    ck_assert_msg(open_text(PLANES("2, 4") KIND SPEED
                            "CA_START(s, \"s\")\n{\n"
                            "    return NEXT(1, nb.x == 5 && nb.y == 1 ? 4 : 3);\n}\n" BOTH,
                            &model) == CA_OK,
                  "%s", error.text);
    ca_experiment_default(&experiment, model);
    ck_assert_int_eq(ca_simulation_open(&simulation, &experiment, &error), CA_WRONG);
    ck_assert_contains(error.text,
                       "bad.c:6: start s gives state 4 of plane SPEED at cell (5, 1, 0)",
                       "states are 0 to 3");
}
END_TEST

/* A state file has no state that a plane has not. */
START_TEST(a_wrong_state_is_refused)
{
    static const char header[] = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2), }";
    char bytes[132] = "\x93NUMPY\x01";
    const char *model = test_put("planes.c", PLANES("3, 4") KIND SPEED BOTH), *state;

    memset(bytes + 10, ' ', 118);
    bytes[8] = 118, bytes[127] = '\n';
    memcpy(bytes + 10, header, sizeof header - 1);
    memcpy(bytes + 128, "\x00\x0e\x09\x01", 4);
    state = test_path("state.npy");
    test_write(state, bytes, sizeof bytes);
    calab_good("run %s --init %s -n 1", model, state);
    bytes[130] = 11;
    test_write(state, bytes, sizeof bytes);
    calab_fails(CA_IO, "cell 0 of row 1 has 3 in plane KIND, whose states are 0 to 2",
                "run %s --init %s -n 1", model, state);
}
END_TEST

/* The text that is kept, sent and watched has nothing of another file; a header of the
 * system, and what only looks like another file, is. */
static const struct {
    const char *lines, *says;
} includes[] = {
    {"#include \"more.h\"\n", "bad.c:3: 'more.h' cannot be included: a model is one file"},
    {"  #  include\t\"sub/more.h\"\n", "bad.c:3: 'sub/more.h' cannot be included"},
    {"#error don't\n#include \"more.h\"\n", "bad.c:4: 'more.h' cannot be included"},
    {"#include </etc/more.h>\n", "bad.c:3: '/etc/more.h' cannot be included"},
    {"#define MORE \"more.h\"\n#include MORE\n", "bad.c:4: 'MORE' cannot be included"},
    {"#include <more.h>\n", "bad.c:3:10: fatal error: more.h"},
    {"#include <math.h>\n#include <stdint.h>\n", NULL},
    {"/*\n#include \"more.h\"\n*/ // #include \"more.h\"\n", NULL},
    {"/* a / b * c *\n#include \"more.h\"\n*/\n", NULL},
    {"#include \"calab_model.h\"\n#define INCLUDES \"#include\"\n", NULL},
};

START_TEST(a_model_is_one_file)
{
    const struct ca_model *model;
    const char *says = includes[_i].says;

    test_put("more.h", "#define TWO 2\n");
    ck_assert_int_eq(open_text(test_text(HEAD "%s" TWO_STATES CELL, includes[_i].lines), &model),
                     says ? CA_COMPILE : CA_OK);
    must_hold(!says || strstr(error.text, says) == error.text, "%s", error.text);
}
END_TEST

START_TEST(a_fault_is_named_by_cell_and_generation)
{
    static const char *const names[] = {"reference", "threads"};
    const struct ca_model *model;

    if (!faults[_i].says) { /* it does not compile */
        ck_assert_int_eq(open_text(faults[_i].text, &model), CA_COMPILE);
        return;
    }
    ck_assert_msg(open_text(faults[_i].text, &model) == CA_OK, "%s", error.text);
    for (int b = 0; b < 2; b++) {
        const char *says = b ? faults[_i].threads : faults[_i].says;
        struct ca_experiment experiment;
        const struct ca_backend *backend;
        struct ca_simulation *simulation;

        if (!says)
            continue;
        ck_assert_int_eq(ca_backend_find(&backend, model, names[b], &error), CA_OK);
        ca_experiment_default(&experiment, model);
        ca_experiment_backend(&experiment, backend, CA_FROM_COMMAND_LINE);
        experiment.size = (struct ca_size){16, 8, 1};
        ck_assert_msg(ca_simulation_open(&simulation, &experiment, &error) == CA_OK, "%s",
                      error.text);
        ck_assert_int_eq(ca_simulation_step(simulation, 4, &error), CA_WRONG);
        must_hold(strstr(error.text, says), "'%s' is not in '%s'", says, error.text);
        ca_simulation_close(simulation);
    }
}
END_TEST

/* --- verify where floats leave their range --------------------------------------------------- */

#define PLANE_OF_ONES FLOATS PLANE "CA_START(one, \"one\")\n{\n    return 1;\n}\n"
#define FLOAT_CELL(value) "CA_CELL cell(CA_NB nb)\n{\n    return " value ";\n}\n"

static struct ca_verify_result *verify_text(const char *text)
{
    static const struct ca_verify_choice choice = {.seed = 3, .count = 40, .small = true};
    static struct ca_verify_result result;
    const struct ca_model *model;

    ck_assert_msg(open_text(text, &model) == CA_OK, "%s", error.text);
    result = (struct ca_verify_result){0};
    ck_assert_int_eq(ca_backend_find(&result.backend, model, "threads", &error), CA_OK);
    ck_assert_msg(ca_verify_model(model, &result, 1, &choice, NULL, NULL, &error) == CA_OK, "%s",
                  error.text);
    return &result;
}

/* A gain above 2e19 makes the second generation infinite, a gain of 1 none. */
START_TEST(verify_ends_a_case_before_it_diverges)
{
    const struct ca_verify_result *r =
        verify_text(PLANE_OF_ONES "CA_PARAM(gain, 1, 1, 1e30, \"of a generation\")\n" FLOAT_CELL(
            "VALUE(U, 0, 0) * PARAM(gain)"));

    ck_assert_msg(r->failed == 0, "%s", r->first.text);
    ck_assert_int_eq(r->cases, 40);
    ck_assert_int_eq(r->drawn, 40);
    ck_assert_int_gt(r->diverged, 3);
    ck_assert_int_lt(r->diverged, 30);
    ck_assert_int_eq(r->left_out, 0);
    ck_assert_msg(strstr(r->divergence, "plane U becomes infinite or no number, at cell (0, 0) in "
                                        "the step from generation 1"),
                  "%s", r->divergence);
}
END_TEST

START_TEST(verify_fails_where_no_case_is_finite)
{
    const struct ca_verify_result *r = verify_text(PLANE_OF_ONES FLOAT_CELL("VALUE(U, 0, 0) / 0"));

    ck_assert_int_eq(r->failed, 1);
    ck_assert_int_eq(r->cases, 0);
    ck_assert_int_eq(r->left_out, 40);
    ck_assert_int_eq(r->first.fault, CA_FAULT_DIVERGED);
    must_hold(strstr(r->first.text, "no case has a generation to compare: bad.c:"), "%s",
              r->first.text);
}
END_TEST

START_TEST(verify_finds_the_backend_that_diverges_alone)
{
    const struct ca_verify_result *r = verify_text(
        PLANE_OF_ONES "#ifdef CA_CHECKED\n#define BY 2\n#else\n#define BY (nb.t == 2 ? 0 : "
                      "2)\n#endif\n" FLOAT_CELL("VALUE(U, 0, 0) / BY"));

    ck_assert_int_gt(r->failed, 0);
    ck_assert_int_eq(r->diverged, 0);
    ck_assert_int_eq(r->first.fault, CA_FAULT_CELL);
    must_hold(strstr(r->first.text, ", got inf"), "%s", r->first.text);
}
END_TEST

/* A fault of another kind is told, not taken for a case that ends. */
START_TEST(verify_tells_other_faults_of_the_reference)
{
    static const struct ca_verify_choice choice = {.seed = 3, .count = 9, .small = true};
    struct ca_verify_result result = {0};
    const struct ca_model *model;

    ck_assert_msg(open_text(PLANE_OF_ONES FLOAT_CELL("VALUE(U, 0, 0) + UNIFORM(3)"), &model) ==
                      CA_OK,
                  "%s", error.text);
    ck_assert_int_eq(ca_backend_find(&result.backend, model, "threads", &error), CA_OK);
    ck_assert_int_eq(ca_verify_model(model, &result, 1, &choice, NULL, NULL, &error), CA_WRONG);
    must_hold(strstr(error.text, "stream 3 is drawn, but CA_DRAWS is 0"), "%s", error.text);
}
END_TEST

START_TEST(verify_says_how_many_cases_end_early)
{
    const struct ca_model *model;
    struct outcome o;

    ck_assert_msg(open_text(PLANE_OF_ONES
                            "CA_PARAM(gain, 1, 1, 1e30, \"of a generation\")\n" FLOAT_CELL(
                                "VALUE(U, 0, 0) * PARAM(gain)"),
                            &model) == CA_OK,
                  "%s", error.text);
    o = calab_good("verify %s -b threads --cases 40 --small", model->source->path);
    ck_assert_contains(o.out, "threads                  40      0", " of 40 cases, which end at",
                       "the first: bad.c:");
    ck_assert_msg(open_text(PLANE_OF_ONES FLOAT_CELL("VALUE(U, 0, 0) / 0"), &model) == CA_OK, "%s",
                  error.text);
    o = calab("verify %s -b threads --cases 9 --small", model->source->path);
    ck_assert_int_eq(o.status, 1);
    ck_assert_contains(o.out, "no case has a generation to compare: bad.c:", "in all 9 cases",
                       "; 9 without a generation to compare are left out");
    ck_assert_ptr_nonnull(
        strstr(o.out, test_text("repeat: calab verify %s -b threads", model->source->path)));
}
END_TEST

/* Bits cannot have what the reference names. */
START_TEST(bit_slices_refuse_a_wrong_function)
{
    static const char *const cells[] = {"return AT(0, 0) + AT(1, 1);", "return AT(0, k);"};

    for (int i = 0; i < 2; i++) {
        struct ca_experiment experiment;
        const struct ca_model *model;
        const struct ca_backend *backend;
        struct ca_simulation *simulation;

        ck_assert_msg(open_text(test_text(HEAD TWO_STATES "CA_PARAM_INT(far, 2, 0, 2, \"far\")\n"
                                                          "CA_CELL cell(CA_NB nb)\n{\n"
                                                          "    int k = PARAM_INT(far);\n\n"
                                                          "    (void)k;\n    %s\n}\n",
                                          cells[i]),
                                &model) == CA_OK,
                      "%s", error.text);
        ck_assert_int_eq(ca_backend_find(&backend, model, "bitslice", &error), CA_OK);
        ca_experiment_default(&experiment, model);
        ca_experiment_backend(&experiment, backend, CA_FROM_COMMAND_LINE);
        ck_assert_int_eq(ca_simulation_open(&simulation, &experiment, &error), CA_USAGE);
        must_hold(
            strstr(error.text, "which bit slices cannot have: the backend reference says where"),
            "%s", error.text);
    }
}
END_TEST
/* The function is evaluated where a backend is planned, which lists and the workbench do. */
static const struct {
    const char *statement, *says;
} endless[] = {
    {"for (volatile int i = 0; COUNT8(LIVE) == 8; i = !i)\n        ;",
     "bad.c:7: the model's code has not returned for 2 s: a loop that does not end"},
    {"if (COUNT8(LIVE) == 8)\n        __builtin_trap();",
     "bad.c:8: the model's code does what C does not define (a trap)"},
};

START_TEST(bit_slices_outlive_a_function_that_does_not_return)
{
    const char *text = test_text(HEAD TWO_STATES "CA_CELL cell(CA_NB nb)\n{\n    %s\n"
                                                 "    return COUNT8(LIVE) == 3;\n}\n",
                                 endless[_i].statement);
    struct ca_experiment experiment;
    const struct ca_model *model;
    const struct ca_backend *backend;
    struct ca_simulation *simulation;
    struct outcome o;

    ck_assert_msg(open_text(text, &model) == CA_OK, "%s", error.text);
    ca_experiment_default(&experiment, model);
    for (int i = 0; i < 2; i++) { /* the answer is kept */
        ck_assert_int_eq(ca_backend_find(&backend, model, "bitslice", &error), CA_OK);
        ca_experiment_backend(&experiment, backend, CA_FROM_COMMAND_LINE);
        ck_assert_int_eq(ca_simulation_open(&simulation, &experiment, &error), CA_USAGE);
        must_hold(strstr(error.text, endless[_i].says) == error.text, "%s", error.text);
    }
    o = calab_good("list %s", model->source->path);
    ck_assert_contains(o.out, endless[_i].says, "threads");
}
END_TEST

int main(void)
{
    return RUN_TESTS(
            .setup = keep_in_folder,
            .test = {a_wrong_start_is_refused, a_wrong_state_is_refused,
                     another_interface_is_refused, a_missing_compiler_is_named,
                     a_missing_file_is_named, what_is_compiled_is_kept,
                     verify_ends_a_case_before_it_diverges, verify_fails_where_no_case_is_finite,
                     verify_finds_the_backend_that_diverges_alone,
                     verify_tells_other_faults_of_the_reference,
                     verify_says_how_many_cases_end_early, bit_slices_refuse_a_wrong_function},
            .table = {{a_wrong_file_is_refused, sizeof wrong / sizeof wrong[0]},
                      {a_fault_is_named_by_cell_and_generation, sizeof faults / sizeof faults[0]},
                      {a_model_is_one_file, sizeof includes / sizeof includes[0]},
                      {bit_slices_outlive_a_function_that_does_not_return, 2}});
}
