/* SPDX-License-Identifier: MIT */
/*
 * fhp is a fluid: viscosity and sound speed of each collision table beside theory, a parabola
 * between walls; and the files that list measurements.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/sim/fields.h"
#include "core/sim/measure.h"
#include "kernels/fhp/fhp.h"
#include "tests/support/program.h"
#include "tests/support/support.h"
#include "tests/support/support_blocks.h"

static struct ca_experiment experiment;
static struct ca_measures measures;
static struct ca_error error;

static enum ca_status read_text(const char *text)
{
    test_put("m.cfg",
             test_text("model = \"fhp\";\nparameters : { geometry = \"none\"; };\n%s", text));
    ca_experiment_default(&experiment, test_model("fhp"));
    CA_TRY(ca_experiment_read(&experiment, NULL, test_path("m.cfg"), &error));
    return ca_measures_read(&measures, test_path("m.cfg"), &experiment, &error);
}

/* Measures every line of a file. */
static void measure_all(const char *text, int lines)
{
    ck_assert_msg(read_text(text) == CA_OK, "%s", error.text);
    ck_assert_int_eq(measures.count, lines);
    for (int i = 0; i < lines; i++) {
        struct ca_measure *m = &measures.line[i];

        ck_assert_ok(ca_experiment_set(&m->experiment, "backend", "bitslice", CA_FROM_COMMAND_LINE,
                                       "backend", &error));
        ck_assert_ok(ca_measure_run(m, NULL, NULL, &error));
        ck_assert_msg(ca_measure_agrees(m),
                      "%s of line %d: %g +- %g, where theory says %g (seed %llu)",
                      m->quantity->name, i, m->value, m->error, m->theory,
                      (unsigned long long)m->experiment.seed);
        ck_assert_double_gt(m->error, 0);
        ck_assert_double_lt(m->error, 0.1 * m->value);
    }
    ca_measures_free(&measures);
}

START_TEST(viscosity)
{
    measure_all("measure = ( { quantity = \"viscosity\"; seeds = 3; size = \"1024x128\";"
                "parameters : { collisions = [\"fhp1\", \"fhp2\", \"fhp3\"]; "
                "density = 0.2; }; } );\n",
                3);
}
END_TEST

START_TEST(sound_speed)
{
    measure_all("measure = ( { quantity = \"sound_speed\"; seeds = 2; size = \"128x512\";"
                "parameters : { collisions = [\"fhp1\", \"fhp2\", \"fhp3\"]; "
                "density = 0.3; }; } );\n",
                3);
}
END_TEST

/*
 * Theory by hand: a gas of 800 nodes beside 200 solid ones, a quarter of whose bits are set, and
 * which moves with a tenth of a cell a step (momentum counts half cells). The factor g is 1 / 3
 * with six directions, and 7 / 6 of that with a particle at rest. Viscosities are those at d = 0.2.
 */
START_TEST(theory_by_hand)
{
    static const struct {
        const char *collisions;
        double bits, carried, viscosity, sound;
    } table[] = {{"fhp1", 6, 0.1 / 3, 0.688802, 0.707107},
                 {"fhp2", 7, 0.7 / 18, 0.268775, 0.654654},
                 {"fhp3", 7, 0.7 / 18, 0.148164, 0.654654}};

    for (size_t i = 0; i < COUNT(table); i++) {
        const struct ca_measurement *m = ca_measurements(test_model("fhp"));
        double particles = 800 * table[i].bits / 4;
        const double sums[CA_OBSERVABLES_MAX] = {[FHP_OBSERVES_PARTICLES] = particles,
                                                 [FHP_OBSERVES_MOMENTUM_X] = 2 * 0.1 * particles,
                                                 [FHP_OBSERVES_SOLID_NODES] = 200};
        struct ca_setup setup;

        ca_experiment_default(&experiment, test_model("fhp"));
        experiment.size = (struct ca_size){50, 20, 1};
        ck_assert_ok(ca_experiment_value(&experiment, "density", "0.2", CA_FROM_COMMAND_LINE,
                                         "test", &error));
        ck_assert_ok(ca_experiment_value(&experiment, "collisions", table[i].collisions,
                                         CA_FROM_COMMAND_LINE, "test", &error));
        setup = ca_setup_of(&experiment);
        ck_assert_str_eq(m[0].name, "viscosity");
        ck_assert_double_eq_tol(m[0].theory(&setup), table[i].viscosity, 1e-6);
        ck_assert_double_eq_tol(m[0].length(&setup), 20 * sqrt(0.75), 1e-6);
        ck_assert_str_eq(m[1].name, "sound_speed");
        ck_assert_double_eq_tol(m[1].theory(&setup), table[i].sound, 1e-6);
        ck_assert_double_eq(m[1].length(&setup), 50);
        ck_assert_str_eq(m[2].name, "strouhal");
        ck_assert_double_eq_tol(m[2].speed(&setup, sums), table[i].carried, 1e-12);
        ck_assert_double_eq(m[2].length(&setup), 5);
        ck_assert_double_eq(m[2].theory(&setup), 0.2);
    }
}
END_TEST

/* y = c[0] + c[1] x + c[2] x^2 by least squares, of x = 1, 2 ... n: the sums of 1, d and d^2 -
 * mean, d being the distance from the middle, are independent of each other. Returns R^2, the share
 * of the variance that the parabola explains. */
static double fit_parabola(const double y[], int n, double c[3])
{
    double middle = (n + 1) / 2.0, squares = (n * n - 1) / 12.0, sum[3] = {0}, norm[3] = {0};
    double all = 0, slope, bend;

    for (int i = 0; i < n; i++) {
        double d = i + 1 - middle, basis[3] = {1, d, d * d - squares};

        for (int k = 0; k < 3; k++) {
            sum[k] += basis[k] * y[i];
            norm[k] += basis[k] * basis[k];
        }
    }
    for (int i = 0; i < n; i++)
        all += (y[i] - sum[0] / n) * (y[i] - sum[0] / n);
    slope = sum[1] / norm[1];
    bend = sum[2] / norm[2];
    c[2] = bend;
    c[1] = slope - 2 * bend * middle;
    c[0] = sum[0] / n - slope * middle + bend * (middle * middle - squares);
    return (slope * sum[1] + bend * sum[2]) / all;
}

/* Between no-slip walls under a steady force the mean velocity becomes a parabola. */
START_TEST(channel)
{
    enum { H = 64, INNER = H - 2 };
    static const char *const set[][2] = {
        {"backend", "bitslice"}, {"set", "collisions=fhp3"}, {"set", "p_force=0.00025"}};
    static double u[INNER], c[3];
    struct ca_simulation *simulation;
    const struct ca_field *field;
    struct ca_block_means means;
    struct ca_window window;
    double values[2 * H], r2, peak;

    ca_experiment_default(&experiment, test_model("fhp"));
    experiment.size = (struct ca_size){512, H, 1};
    experiment.seed = test_seed();
    for (size_t i = 0; i < COUNT(set); i++)
        ck_assert_ok(ca_experiment_set(&experiment, set[i][0], set[i][1], CA_FROM_COMMAND_LINE,
                                       "test", &error));
    ck_assert_ok(ca_simulation_open(&simulation, &experiment, &error));
    ck_assert_ok(ca_simulation_step(simulation, 10000, &error));
    ck_assert_ok(
        ca_window_open(&window, simulation, (struct ca_size){experiment.size.w, 1, 1}, &error));
    test_window_run(&window, simulation, 20000, 50);
    ck_assert_ok(ca_field_find(&field, experiment.model, "velocity", &error));
    means = ca_window_means(&window);
    ca_field_values(field, &means, values);
    for (int i = 0; i < INNER; i++)
        u[i] = values[2 * (i + 1)];
    r2 = fit_parabola(u, INNER, c);
    peak = c[0] - c[1] * c[1] / (4 * c[2]);
    ck_assert_msg(r2 > 0.99, "R^2 is %g", r2);
    ck_assert_double_lt(c[2], 0);
    ck_assert_double_gt(peak, 0.05);
    ck_assert_double_eq_tol(-c[1] / (2 * c[2]), (H - 1) / 2.0, 1); /* symmetric */
    /* Half a row inside the walls nothing moves. */
    ck_assert_double_lt(fabs(c[0] + 0.5 * c[1] + 0.25 * c[2]), 0.05 * peak);
    ca_window_close(&window);
    ca_simulation_close(simulation);
}
END_TEST

/* --- files ------------------------------------------------------------------------------------ */

START_TEST(every_combination)
{
    ck_assert_msg(read_text("seed = 7;\nmeasure = ( { quantity = \"sound_speed\"; seeds = 3;"
                            "size = [\"64x32\", \"32x8\"]; parameters : { density = [0.1, 0.3]; "
                            "collisions = \"fhp3\"; }; }, { quantity = \"viscosity\"; } );\n") ==
                      CA_OK,
                  "%s", error.text);
    ck_assert_int_eq(measures.count, 5);
    for (int i = 0; i < 4; i++) {
        const struct ca_measure *m = &measures.line[i];

        ck_assert_str_eq(m->quantity->name, "sound_speed");
        ck_assert_str_eq(m->experiment.init, "sound");
        ck_assert_int_eq(m->seeds, 3);
        ck_assert_uint_eq(m->experiment.seed, 7);
        ck_assert_double_eq(ca_real(&m->experiment.params, "density"), i / 2 ? 0.3 : 0.1);
        ck_assert_int_eq(ca_choice(&m->experiment.params, "collisions"), 2);
        ck_assert_int_eq((int)m->experiment.size.w, i % 2 ? 32 : 64);
    }
    ck_assert_str_eq(measures.line[4].experiment.init, "shear");
    ck_assert_int_eq(measures.line[4].seeds, 1);
    ca_measures_free(&measures);
    ck_assert_int_eq(read_text(""), CA_OK); /* nothing is measured */
    ck_assert_int_eq(measures.count, 0);
}
END_TEST

static const struct {
    const char *text;
    const char *parts[3];
} wrong[] = {
    {"measure = 5;", {"m.cfg:3: measure: a list of groups"}},
    {"measure = ( 5 );", {"m.cfg:3", "group"}},
    {"measure = ( { } );", {"m.cfg:3", "'quantity' is missing"}},
    {"measure = ( { quantity = \"viscosty\"; } );",
     {"m.cfg:3: quantity: 'viscosty' is not allowed", "viscosity, sound_speed, strouhal"}},
    {"measure = ( { quantity = \"viscosity\"; seeds = 0; } );", {"seeds: ", "from 1 to 100"}},
    {"measure = ( { quantity = \"viscosity\"; seeds = 1.5; } );", {"seeds: ", "from 1 to 100"}},
    {"measure = ( { quantity = \"viscosity\"; step = 1; } );", {"step: is not a key"}},
    {"measure = ( { quantity = \"viscosity\"; size = [\"64\"]; } );", {"m.cfg:3", "'64'"}},
    {"measure = ( { quantity = \"viscosity\"; parameters : { densty = 1; }; } );",
     {"densty: is not a parameter of fhp", "'density'"}},
    {"measure = ( { quantity = \"viscosity\"; parameters : { density = [0.1, 2.0]; }; } );",
     {"m.cfg:3", "0 ... 1"}},
};

START_TEST(wrong_files)
{
    ck_assert_int_eq(read_text(wrong[_i].text), CA_SETTINGS);
    for (int i = 0; i < 3 && wrong[_i].parts[i]; i++)
        ck_assert_contains(error.text, wrong[_i].parts[i]);
    ck_assert_int_eq(measures.count, 0);
}
END_TEST

START_TEST(another_model)
{
    const char *text = "model = \"anneal\";\nmeasure = ( { quantity = \"viscosity\"; } );\n";

    test_put("m.cfg", text);
    ca_experiment_default(&experiment, test_model("anneal"));
    ck_assert_ok(ca_experiment_read(&experiment, NULL, test_path("m.cfg"), &error));
    ck_assert_int_eq(ca_measures_read(&measures, test_path("m.cfg"), &experiment, &error),
                     CA_SETTINGS);
    ck_assert_contains(error.text, "anneal has nothing to measure");
}
END_TEST

/* --- the command ------------------------------------------------------------------------------ */

/* A value outside of its range is marked, and ends in status 1: waves so short are no fluid's. */
START_TEST(outside_is_told)
{
    const char *text = "model = \"fhp\"; parameters : { geometry = \"none\"; };\n"
                       "measure = ( { quantity = \"viscosity\"; seeds = 2; size = \"4096x16\";"
                       "parameters : { collisions = \"fhp1\"; density = [0.05, 0.05]; }; } );\n";
    const char *few = "model = \"fhp\"; seed = 4;\n"
                      "parameters : { geometry = \"none\"; amplitude = 0; };\n"
                      "measure = ( { quantity = \"viscosity\"; } );\n";
    const char *still = "model = \"fhp\"; size = \"128x64\"; steps = 5000;\n"
                        "parameters : { geometry = \"cylinder\"; p_force = 0.001; };\n"
                        "measure = ( { quantity = \"strouhal\"; } );\n";
    double value, deviation, theory, ratio;
    struct outcome o;

    test_put("m.cfg", text);
    test_put("few.cfg", few);
    o = calab("run -c %s -b cpu", test_path("m.cfg"));
    ck_assert_int_eq(o.status, 1);
    ck_assert_contains(o.out, "OUTSIDE");
    ck_assert_contains(o.err, "2 of 2 measurements are outside");
    ck_assert_int_eq(sscanf(strstr(o.out, "\nviscosity"), "%*s %*s %lf %lf %lf %lf", &value,
                            &deviation, &theory, &ratio),
                     4);
    ck_assert_double_eq_tol(ratio, value / theory, 2e-3);
    ck_assert_contains(o.out, " geometry=none ", "collisions=fhp1 ");
    ck_assert_ptr_null(strstr(o.out, "amplitude=")); /* which is the model's */
    o = calab("run -c %s -b cpu --json", test_path("m.cfg"));
    ck_assert_int_eq(o.status, 1);
    ck_assert_contains(o.out, "\"schema\": \"calab-measure/1\"", "\"agrees\": false");
    o = calab_fails(1, "viscosity: the wave is lost in noise", "run -c %s -b cpu -s 64x8",
                    test_path("few.cfg"));
    o = calab_fails(2, "--frame: ", "run -c %s --frame", test_path("m.cfg"));
    test_put("still.cfg", still);
    o = calab_fails(1, "strouhal: no line stands out of the noise", "run -c %s -b cpu",
                    test_path("still.cfg"));
    o = calab_fails(2, "vortices need geometry = cylinder and a p_force above 0",
                    "run -c %s -b cpu --set geometry=none", test_path("still.cfg"));
    o = calab_fails(2, "a wave needs geometry = none and p_force = 0",
                    "run -c %s -b cpu --set geometry=channel", test_path("m.cfg"));
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {theory_by_hand, viscosity, sound_speed, channel, every_combination,
                              another_model, outside_is_told},
                     .table = {{wrong_files, COUNT(wrong)}});
}
