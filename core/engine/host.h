/* SPDX-License-Identifier: MIT */
/* The command that starts an engine on another host. */
#ifndef CALAB_CORE_ENGINE_HOST_H
#define CALAB_CORE_ENGINE_HOST_H

#include "core/base/error.h"

#define CA_HOST_WORDS 32

struct ca_host_command {
    char text[1024];                     /* the words */
    const char *argv[CA_HOST_WORDS + 1]; /* into text; NULL after the last */
};

/*
 * Cuts `command` at its blanks and puts the host in place of the word HOST. No shell of this
 * machine sees it. CA_USAGE: a host that begins with '-' (a command would take it for an option) or
 * has other characters than letters, digits and . _ - @ : [ ] %; a command without HOST, or with
 * too many words.
 */
enum ca_status ca_host_command(struct ca_host_command *built, const char *command, const char *host,
                               struct ca_error *error);

#endif
