/* SPDX-License-Identifier: MIT */
/* calab model: files of models that are begun from an example, or made of a rule. */
#include <stdlib.h>
#include <string.h>

#include "core/files/embedded.h"
#include "core/files/file.h"
#include "tests/kernels/file/models.h"
#include "tests/support/program.h"
#include "tests/support/support.h"
#include "tui/commands/commands.h"

/* Every example becomes a model by another name, which steps as the example does. */
START_TEST(examples_are_begun)
{
    int count = 0;

    for (const char *example; (example = model_example(NULL, count)) != NULL; count++) {
        const char *path = test_path(test_text("mine%d_.c", count)), *text, *hash;
        struct outcome o = calab_done("model new %s --from %s", path, example);

        ck_assert_contains(o.out, path, test_text("a copy of the example %s", example));
        text = test_read(path, NULL);
        ck_assert_contains(text, test_text("CA_MODEL(mine%d_, ", count));
        ck_assert_int_eq(strlen(text) - strlen(test_text("mine%d_", count)),
                         strlen(ca_embedded_text(test_text("models/%s.c", example))) -
                             strlen(example));
        if (count > 1)
            continue; /* each compiles, as test_examples has seen */
        o = calab_good("run %s -n 3 -b reference --seed 5", path);
        hash = test_keep(strdup(outcome_value(&o, "hash")));
        o = calab_good("run configs/models/%s.c -n 3 -b threads --seed 5", example);
        ck_assert_str_eq(outcome_value(&o, "hash"), hash);
    }
    ck_assert_int_ge(count, 11);
}
END_TEST

/* The name of a file or of a folder's file, with or without its ending; excitable by default. */
START_TEST(names_are_paths)
{
    const char *text = ca_embedded_text("models/excitable.c");

    calab_done("model new %s", test_path("waves"));
    ck_assert_contains(test_read(test_path("waves.c"), NULL), "CA_MODEL(waves, ",
                       strstr(text, "CA_CELL"));
}
END_TEST

START_TEST(rules_are_imported)
{
    const char *path = test_path("brain.c");
    struct outcome o = calab_done("model import B2/S/C3 %s", path);

    ck_assert_contains(o.out, path, "the model of B2/S/C3");
    ck_assert_contains(test_read(path, NULL), "CA_MODEL(brain, ");
    calab_done("model import %s %s",
               test_put("Two.rule", "@RULE Two\n@TABLE\nn_states:2\nneighborhood:vonNeumann\n"
                                    "symmetries:none\n0,1,0,0,0,1\n"),
               test_path("two"));
    o = calab_good("run %s -s 8x8 -n 4", test_path("two.c"));
    ck_assert_str_eq(outcome_value(&o, "generation"), "4");
    calab_fails(2, "is there already", "model import B2/S/C3 %s", path);
}
END_TEST

/* What there is already stays as it is. */
START_TEST(a_file_is_not_overwritten)
{
    const char *path = test_put("mine.c", "int kept;\n");

    calab_fails(2, "mine.c is there already", "model new %s", path);
    ck_assert_str_eq(test_read(path, NULL), "int kept;\n");
}
END_TEST

/* The report of a right file, and of one whose function crashes: a line a property. */
START_TEST(files_are_checked)
{
    const char *path = test_path("mine.c"), *text;
    struct outcome o;

    calab_done("model new %s --from forest", path);
    o = calab_done("model check %s --seed 5", path);
    ck_assert_contains(o.out, "# calab ", "model check ", path, "seed 5", "\ndeclaration    ok ",
                       "\nstates         ok      all 19683 neighbourhoods", "\nthreads        ok ");
    text = test_keep(strdup(test_read(path, NULL)));
    *strstr(text, "ANY4") = '\0';
    path = test_put("it\033is.c", test_text("%s6 / (COUNT4(TREE) - 4) & 1 ? FIRE : TREE;\n"
                                            "    return c;\n}\n",
                                            text));
    o = calab_fails(1, "it?is.c: 1 of 2 properties do not hold", "model check %s", path);
    ck_assert_contains(o.out,
                       "\nstates         WRONG   it?is.c:", ": the model's code divides by zero",
                       "\nthreads        -       the model's code crashes");
    ck_assert_ptr_null(strchr(o.out, '\033'));
}
END_TEST

/* The same as JSON, a right file and a wrong one. */
START_TEST(files_are_checked_as_json)
{
    const char *path = test_path("mine.c");
    json_t *root, *properties, *last;
    struct outcome o;

    calab_done("model new %s --from wireworld", path);
    o = calab_good("model check %s --seed 5 --json", path);
    root = outcome_json(&o);
    properties = json_object_get(root, "properties");
    ck_assert_str_eq(json_text(root, "schema"), "calab-model-check/1");
    ck_assert_str_eq(json_text(root, "file"), path);
    ck_assert_str_eq(json_text(root, "result"), "ok");
    ck_assert_int_eq(json_whole(root, "seed"), 5);
    ck_assert_int_eq(json_whole(root, "broken"), 0);
    ck_assert_int_ge(json_whole(root, "tried"), 7);
    ck_assert_uint_ge(json_array_size(properties), (size_t)json_whole(root, "tried"));
    ck_assert_str_eq(json_text(json_array_get(properties, 0), "property"), "declaration");
    ck_assert_str_eq(json_text(json_array_get(properties, 0), "result"), "ok");
    ck_assert_ptr_null(json_object_get(root, "incomplete"));
    path = test_put("bad.c", "#include \"calab_model.h\"\nCA_MODEL(bad, \"bad\")\n" TWO_STATES
                             "CA_CELL cell(CA_NB nb)\n{\n    return AT(0, 0) + 6;\n}\n");
    o = calab_fails(1, "bad.c: ", "model check %s --json", path);
    root = outcome_json(&o);
    properties = json_object_get(root, "properties");
    last = json_array_get(properties, json_array_size(properties) - 1);
    ck_assert_str_eq(json_text(root, "result"), "WRONG");
    ck_assert_int_ge(json_whole(root, "broken"), 1);
    ck_assert_str_eq(json_text(json_array_get(properties, 1), "property"), "states");
    ck_assert_str_eq(json_text(json_array_get(properties, 1), "result"), "WRONG");
    ck_assert_contains(json_text(json_array_get(properties, 1), "text"), "bad.c:5: ");
    ck_assert_str_eq(json_text(last, "result"), "not checked");
}
END_TEST

/* What is shown is a model that steps as the file does. */
START_TEST(sources_are_shown)
{
    static const char *const backends[] = {"reference", "threads"};
    static const char *const models[] = {"sir", "traffic", "copies", "ant"};

    for (int m = 0; m < 4; m++)
        for (int b = 0; b < 2; b++) {
            const char *file = test_text("configs/models/%s.c", models[m]), *text, *hash;
            const char *size = m == 2 ? "x7" : "";
            struct outcome o = calab_done("model show %s -b %s", file, backends[b]);

            text = o.out;
            ck_assert_contains(text, test_text("%s.c as `%s` steps it", models[m], backends[b]),
                               test_read(file, NULL), "CA_FUNCTION uint8_t ca_row(");
            ck_assert_int_eq(strstr(text, "ca_fault(") != NULL, b == 0);
            ck_assert_ptr_null(strstr(text, "#if CA_PARTS"));
            ck_assert_int_eq(strstr(text, "ca_pack(") != NULL, m == 3);
            test_put("shown.c", text);
            o = calab_good("run %s -s 33x9%s -n 4 -b %s", file, size, backends[b]);
            hash = test_keep(strdup(outcome_value(&o, "hash")));
            o = calab_good("run %s -s 33x9%s -n 4 -b %s", test_path("shown.c"), size, backends[b]);
            ck_assert_str_eq(outcome_value(&o, "hash"), hash);
            calab_good("verify %s --small --cases 20", test_path("shown.c"));
            /* Loops that are changed are held against those that are not. */
            text = test_keep(strdup(text));
            memcpy(strstr(text, "x + dx - CA_RADIUS"), "x + dx - dx + 0*dx", 18);
            calab_fails(1, "1 of 1 backends are wrong", "verify %s --small --cases 20",
                        test_put("mine.c", text));
        }
    for (int b = 0; b < 2; b++) {
        struct outcome o =
            calab_done("model show configs/models/sir.c -b %s", b ? "cuda-shared" : "cuda-naive");

        ck_assert_contains(o.out, b ? "ca_gpu_shared() loads" : "ca_gpu_naive() steps",
                           test_read("configs/models/sir.c", NULL), "CA_GPU_KERNEL ca_gpu_naive(",
                           "CA_GPU_KERNEL ca_gpu_shared(");
        test_put("shown.c", o.out);
        calab_good("verify %s -b threads --small --cases 5", test_path("shown.c"));
    }
    ck_assert_str_eq(calab_done("model show configs/models/forest.c").out,
                     calab_done("model show configs/models/forest.c -b threads").out);
}
END_TEST

static const struct refusal refusals[] = {
    {"model", 2, "an argument is missing", "new, import, check, show"},
    {"model check", 2, "an argument is missing", "calab model check FILE"},
    {"model check life", 2, "'life' is not the file of a model", "calab verify"},
    {"model check none.c", 2, "none.c: the file of a model cannot be read", "No such file"},
    {"model check x.c --from forest", 2, "--from goes with calab model new", ""},
    {"model new x --json", 2, "--json goes with calab model check", ""},
    {"model new x --limit 3", 2, "--limit goes with calab model check", ""},
    {"model check x.c -b threads", 2, "--backend goes with calab model show", ""},
    {"model check configs/models/heat.c --limit 0", 2, "--limit", "0.01"},
    {"model show", 2, "an argument is missing", "calab model show FILE"},
    {"model show life", 2, "'life' is a built-in model", "kernels/life/"},
    {"model show configs/models/heat.c -b auto", 2, "auto has no source of its own",
     "reference, threads, cuda-naive"},
    {"model show configs/models/heat.c -b tthreads", 2, "'tthreads' is not a backend of heat",
     "did you mean 'threads'?"},
    {"model nwe x", 2, "'nwe' is unknown", "did you mean 'new'?"},
    {"model new", 2, "an argument is missing", "calab model new NAME"},
    {"model new a b", 2, "unexpected argument 'b'", ""},
    {"model new 9a", 2, "'9a' cannot name a model", "no digit first"},
    {"model new a-b.c", 2, "'a-b.c' cannot name a model", "a-z, digits and _"},
    {"model new .c", 2, "'.c' cannot name a model", ""},
    {"model new life", 2, "'life' is the name of a built-in model", ""},
    {"model new x --from forst", 2, "there is no example 'forst'", "did you mean 'forest'?"},
    {"model import", 2, "an argument is missing", "import RULE [NAME]"},
    {"model import B2/S/C3 x --from forest", 2, "--from goes with calab model new", ""},
    {"model import B2", 2, "'B2' cannot be imported, at character 3", "the model life"},
    {"model import none.rule", 8, "none.rule", "No such file"},
};

int main(void)
{
    return RUN_TESTS(.test = {examples_are_begun, names_are_paths, rules_are_imported,
                              a_file_is_not_overwritten, files_are_checked,
                              files_are_checked_as_json, sources_are_shown},
                     .table = {{refusals_test(refusals), COUNT(refusals)}});
}
