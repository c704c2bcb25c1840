/* SPDX-License-Identifier: MIT */
/* The other end of an engine in a child process: requests in, replies and frames out. */
#ifndef CALAB_TESTS_ENGINE_PEER_H
#define CALAB_TESTS_ENGINE_PEER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PEER_PATIENCE_MS 30000
/* The request that peer_open_anneal sends. */
#define PEER_OPEN                                                                                  \
    "{\"id\":1,\"op\":\"open\",\"model\":\"anneal\",\"size\":[96,64],\"backend\":\"reference\"}"

struct peer {
    pid_t pid;
    int to, from;
    char *text; /* received, but not yet handled */
    size_t count;
};

struct peer peer_start(void);
/* The same with the greeting read and a simulation open. */
struct peer peer_open_anneal(void);
/* End of input: the engine must end by itself, with this status. */
void peer_finish(struct peer *peer, int status);

/* Says a line, in whose format a ' stands for a ". */
void peer_say(struct peer *peer, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Sends bytes behind the line of a request. */
void peer_send(struct peer *peer, const void *bytes, size_t count);
/* Waits for more output; false at its end. */
bool peer_more(struct peer *peer);
/* Messages and payloads are kept until the test ends. The next one; NULL at the end of output. */
json_t *peer_next(struct peer *peer, uint8_t **payload);
/* The reply with this id; events before it are skipped. */
json_t *peer_answer(struct peer *peer, int id);
/* The same with its payload; NULL: without. */
json_t *peer_answer_bytes(struct peer *peer, int id, uint8_t **payload);
/* Requires a successful reply and returns its integer `name` (NULL: "generation", if any). */
int64_t peer_good(struct peer *peer, int id, const char *name);
/* Requires an error of this code, whose message contains `text`. */
void peer_refused(struct peer *peer, int id, const char *code, const char *text);
/* Say one request, and take the reply with its id: any, a successful one as peer_good does, an
 * error as peer_refused does. */
json_t *peer_ask(struct peer *peer, const char *format, ...) __attribute__((format(printf, 2, 3)));
int64_t peer_gets(struct peer *peer, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void peer_refuses(struct peer *peer, const char *code, const char *text, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The next frame and its payload. */
json_t *peer_frame(struct peer *peer, uint8_t **payload);
int64_t peer_frame_generation(struct peer *peer);

#endif
