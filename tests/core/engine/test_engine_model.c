/* SPDX-License-Identifier: MIT */
/* An engine opens a model by the text of its file, which comes with the request. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/registry.h"
#include "tests/support/engine_peer.h"
#include "tests/support/support.h"

#define STAYS                                                                                      \
    "#include \"calab_model.h\"\n"                                                                 \
    "CA_MODEL(staying, \"cells that stay\")\n"                                                     \
    "CA_STATE(NONE, 0, ' ', CA_QUIET, \"none\")\n"                                                 \
    "CA_STATE(SOME, 1, 'O', CA_STRONG, \"some\")\n"                                                \
    "CA_COUNT(some, SOME, \"cells that are some\")\n"                                              \
    "CA_RANDOM_START(random, \"some cells\", SHARE(SOME, 0.5))\n"                                  \
    "CA_CELL cell(CA_NB nb)\n"                                                                     \
    "{\n"                                                                                          \
    "    return AT(0, 0);\n"                                                                       \
    "}\n"
#define ABSENT "/another/machine/staying.c"

static struct peer started(void)
{
    struct peer peer;

    setenv("XDG_CACHE_HOME", test_folder(), 1);
    peer = peer_start();
    peer_next(&peer, NULL);
    return peer;
}

static const char *digest_of(const char *text)
{
    return test_text("%016llx", (unsigned long long)file_object_digest(text, strlen(text)));
}

static void asks_with(struct peer *peer, int id, const char *op, const char *members,
                      const char *digest, const char *text)
{
    peer_say(peer, "{'id':%d,'op':'%s','model':'" ABSENT "','model_digest':'%s',%s'bytes':%zu}", id,
             op, digest, members, strlen(text));
    peer_send(peer, text, strlen(text));
}

START_TEST(a_text_opens)
{
    struct peer peer = started();
    json_t *json;

    asks_with(&peer, 1, "open", "\"size\":\"16x8\",", digest_of(STAYS), STAYS);
    ck_assert_int_eq(peer_good(&peer, 1, "generation"), 0);
    ck_assert_int_eq(peer_gets(&peer, "generation", "{'id':2,'op':'step','n':3}"), 3);
    /* It is open: the digest alone names it. */
    json = peer_ask(&peer,
                    "{'id':3,'op':'open','model':'" ABSENT "','model_digest':'%s','size':'8x8'}",
                    digest_of(STAYS));
    ck_assert_str_eq(json_text(json_object_get(json, "experiment"), "model"), ABSENT);
    ck_assert_str_eq(json_text(json_object_get(json, "experiment"), "model_digest"),
                     digest_of(STAYS));
    peer_finish(&peer, 0);
}
END_TEST

/* So do what checks and times a model, each by an engine of its own. */
START_TEST(other_requests_take_the_text)
{
    static const char *const ops[] = {"verify", "bench"};
    static const char *const members[] = {
        "\"cases\":2,\"backends\":\"threads\",",
        "\"size\":\"16x16\",\"backends\":\"threads\",\"seconds\":0.01,"};
    struct peer peer = started();

    asks_with(&peer, 1, ops[_i], members[_i], digest_of(STAYS), STAYS);
    peer_good(&peer, 1, NULL);
    peer_finish(&peer, 0);
}
END_TEST

START_TEST(wrong_texts_are_refused)
{
    struct peer peer = started();

    peer_refuses(&peer, "usage", "cannot be read",
                 "{'id':1,'op':'open','model':'" ABSENT "','model_digest':'%s'}", digest_of(STAYS));
    peer_refuses(&peer, "usage", "16 hexadecimal digits",
                 "{'id':2,'op':'open','model':'" ABSENT "','model_digest':7}");
    asks_with(&peer, 3, "open", "", "00000000000000ff", STAYS);
    peer_refused(&peer, 3, "usage", "the text that has come has the digest");
    asks_with(&peer, 4, "open", "", digest_of(STAYS "int x = ;\n"), STAYS "int x = ;\n");
    peer_refused(&peer, 4, "compile", "staying.c:11:");
    peer_finish(&peer, 0);
}
END_TEST

#define THREE_STATES "CA_STATE(MORE, 2, 'o', CA_COLD, \"more\")\n"

/* The cells stay where they fit another edition, and else the reply says why not. */
START_TEST(another_edition_keeps_the_cells)
{
    static const char more[] = STAYS "/* 2 */\n", odd[] = STAYS "/* 3 */\n";
    struct peer peer = started();
    const char *hash;
    json_t *json;

    asks_with(&peer, 1, "open", "\"size\":\"16x8\",\"keep\":true,", digest_of(STAYS), STAYS);
    json = peer_answer(&peer, 1);
    ck_assert_str_eq(json_text(json, "not_kept"), "there was none");
    peer_gets(&peer, "generation", "{'id':2,'op':'step','n':3}");
    hash = json_text(peer_ask(&peer, "{'id':3,'op':'hash'}"), "hash");
    asks_with(&peer, 4, "open", "\"size\":\"16x8\",\"seed\":5,\"keep\":true,", digest_of(more),
              more);
    json = peer_answer(&peer, 4);
    ck_assert_ptr_eq(json_object_get(json, "kept"), json_true());
    ck_assert_int_eq(json_whole(json, "generation"), 3);
    ck_assert_str_eq(json_text(peer_ask(&peer, "{'id':5,'op':'hash'}"), "hash"), hash);
    asks_with(&peer, 6, "open", "\"size\":\"16x9\",\"keep\":true,", digest_of(odd), odd);
    json = peer_answer(&peer, 6);
    ck_assert_ptr_eq(json_object_get(json, "kept"), json_false());
    ck_assert_str_eq(json_text(json, "not_kept"), "its size is 16x9, and was 16x8");
    ck_assert_int_eq(json_whole(json, "generation"), 0);
    peer_finish(&peer, 0);
}
END_TEST

/* States that the new edition has not. */
START_TEST(a_state_too_high_is_not_kept)
{
    static const char high[] = "#include \"calab_model.h\"\n"
                               "CA_MODEL(staying, \"cells that stay\")\n"
                               "CA_STATE(NONE, 0, ' ', CA_QUIET, \"none\")\n"
                               "CA_STATE(SOME, 1, 'O', CA_STRONG, \"some\")\n" THREE_STATES
                               "CA_RANDOM_START(random, \"all\", SHARE(MORE, 1))\n"
                               "CA_CELL cell(CA_NB nb)\n{\n    return AT(0, 0);\n}\n";
    struct peer peer = started();

    asks_with(&peer, 1, "open", "\"size\":\"16x8\",", digest_of(high), high);
    peer_good(&peer, 1, NULL);
    asks_with(&peer, 2, "open", "\"size\":\"16x8\",\"keep\":true,", digest_of(STAYS), STAYS);
    ck_assert_str_eq(json_text(peer_answer(&peer, 2), "not_kept"),
                     "cell 0 has the state 2, and the model's go to 1");
    peer_finish(&peer, 0);
}
END_TEST

/* What is only compiled needs no compiler afterwards. */
START_TEST(compiled_before_it_is_opened)
{
    struct peer peer = started();

    asks_with(&peer, 1, "compile", "", digest_of(STAYS "int x = ;\n"), STAYS "int x = ;\n");
    peer_refused(&peer, 1, "compile", "staying.c:11:");
    asks_with(&peer, 2, "compile", "", digest_of(STAYS), STAYS);
    ck_assert_str_eq(json_text(peer_answer(&peer, 2), "model_digest"), digest_of(STAYS));
    peer_refuses(&peer, "usage", "no simulation is open", "{'id':3,'op':'step'}");
    peer_refuses(&peer, "usage", "\"model\" is missing", "{'id':4,'op':'compile'}");
    peer_finish(&peer, 0);
}
END_TEST

START_TEST(no_compiler_is_said)
{
    struct peer peer;

    setenv("CC", "no-such-compiler", 1);
    peer = started();
    asks_with(&peer, 1, "open", "", digest_of(STAYS), STAYS);
    peer_refused(&peer, 1, "compile", "no-such-compiler cannot be started");
    peer_finish(&peer, 0);
}
END_TEST

#define PAIRS                                                                                      \
    "#define CA_STATE_PLANES 3, 4\n#include \"calab_model.h\"\nCA_MODEL(pairs, \"two planes\")\n"  \
    "CA_PLANE(KIND, 0, \"what it is\")\nCA_STATE(NONE, 0, ' ', CA_QUIET, \"none\")\n"              \
    "CA_STATE(CAR, 1, 'c', CA_STRONG, \"car\")\nCA_STATE(BUS, 2, 'b', CA_WARM, \"bus\")\n"         \
    "CA_PLANE(SPEED, 1, \"how fast\")\n"                                                           \
    "CA_START(one, \"a bus\")\n{\n    return NEXT(nb.x == 1 ? BUS : NONE, 3);\n}\n"                \
    "CA_CELL cell(CA_NB nb)\n{\n    return NEXT(VALUE(KIND, 0, 0), VALUE(SPEED, 0, 0));\n}\n"

/* Planes that share a byte are told apart, and each can be edited. */
START_TEST(a_cell_has_parts)
{
    struct peer peer = started();
    json_t *json;

    asks_with(&peer, 1, "open", "\"size\":\"4x2\",", digest_of(PAIRS), PAIRS);
    peer_good(&peer, 1, NULL);
    json = peer_ask(&peer, "{'id':2,'op':'cell','x':1}");
    ck_assert_str_eq(json_text(json, "state"), "bus, SPEED 3");
    ck_assert_int_eq(json_whole(json, "parts.KIND"), 2);
    ck_assert_int_eq(json_whole(json, "parts.SPEED"), 3);
    ck_assert_int_eq(json_whole(json, "planes.cell"), 2 | 3 << 2);
    for (int i = 0; i < 12; i++) { /* from the last of all to the first, and on */
        static const char *const kinds[] = {"none", "car", "bus"};

        json = peer_ask(&peer, "{'id':3,'op':'put','x':1,'next':true}");
        ck_assert_str_eq(json_text(json, "state"), test_text("%s, SPEED %d", kinds[i % 3], i / 3));
        json = peer_ask(&peer, "{'id':4,'op':'cell','x':1}");
        ck_assert_int_eq(json_whole(json, "planes.cell"), i % 3 | i / 3 << 2);
    }
    peer_refuses(&peer, "usage", "has 3 in plane KIND, whose states are 0 to 2",
                 "{'id':5,'op':'put','planes':{'cell':[11]}}");
    json = peer_ask(&peer, "{'id':6,'op':'list'}");
    json = json_object_get(json, "models");
    json = json_array_get(json, json_array_size(json) - 1);
    ck_assert_str_eq(json_text(json, "name"), "pairs");
    ck_assert_str_eq(json_text(json, "parts.1.help"), "how fast");
    ck_assert_int_eq(json_whole(json, "parts.1.states"), 4);
    ck_assert_int_eq(json_whole(json, "parts.1.shift"), 2);
    peer_finish(&peer, 0);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {a_cell_has_parts, a_text_opens, wrong_texts_are_refused,
                              no_compiler_is_said, another_edition_keeps_the_cells,
                              a_state_too_high_is_not_kept, compiled_before_it_is_opened},
                     .table = {{other_requests_take_the_text, 2}});
}
