/* SPDX-License-Identifier: MIT */
/* How tests of the client wait for what an engine says, and for its end. */
#ifndef CALAB_TESTS_CLIENT_PEER_H
#define CALAB_TESTS_CLIENT_PEER_H

#include "core/engine/client.h"

/* Waits for the next message (1), or for the end (-1). */
int client_next(struct ca_client *client, struct ca_message *message, struct ca_error *error);
/* The name of the next message's event. */
const char *client_event(struct ca_client *client, struct ca_message *message);
/* Waits for the end of a pipe: until every process that has its write end is gone. */
void client_await_end(int fd);

#endif
