/* SPDX-License-Identifier: MIT */
/* Owns the waiting of tests of the client. */
#include "tests/support/client_peer.h"

#include <check.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#define PATIENCE_MS 20000

int client_next(struct ca_client *client, struct ca_message *message, struct ca_error *error)
{
    for (;;) {
        int got = ca_client_next(client, message, error);
        struct pollfd fds[2] = {
            {.fd = ca_client_fd(client), .events = POLLIN},
            {.fd = ca_client_wants_write(client) ? ca_client_write_fd(client) : -1,
             .events = POLLOUT},
        };

        if (got != 0)
            return got;
        ck_assert_msg(poll(fds, 2, PATIENCE_MS) > 0, "nothing comes");
        if (fds[1].revents)
            ca_client_flush(client);
    }
}

const char *client_event(struct ca_client *client, struct ca_message *message)
{
    static char name[64];
    struct ca_error error;

    ck_assert_msg(client_next(client, message, &error) == 1, "%s", error.text);
    snprintf(name, sizeof name, "%s", json_string_value(json_object_get(message->json, "event")));
    json_decref(message->json);
    return name;
}

void client_await_end(int fd)
{
    struct pollfd end = {.fd = fd, .events = POLLIN};
    char byte;

    ck_assert_msg(poll(&end, 1, PATIENCE_MS) > 0, "a process is left over");
    ck_assert_int_eq(read(fd, &byte, 1), 0);
}
