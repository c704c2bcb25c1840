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

int main(void)
{
    return RUN_TESTS(.test = {a_text_opens, wrong_texts_are_refused, no_compiler_is_said},
                     .table = {{other_requests_take_the_text, 2}});
}
