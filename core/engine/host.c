/* SPDX-License-Identifier: MIT */
/* This file checks the name of a host and cuts the command that reaches it into words. */
#include "core/engine/host.h"

#include <stdbool.h>
#include <string.h>

#define HOST_BYTES_MAX 255

enum ca_status ca_host_command(struct ca_host_command *built, const char *command, const char *host,
                               struct ca_error *error)
{
    bool placed = false;
    char *word, *rest;
    int count = 0;
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-@:[]%";
    size_t good = strspn(host, allowed);

    if (!host[0])
        return ca_fail(error, CA_USAGE, "the name of the host is empty");
    if (host[0] == '-')
        return ca_fail(error, CA_USAGE, "host '%.80s': a host does not begin with '-'", host);
    if (host[good])
        return ca_fail(error, CA_USAGE,
                       "host '%.80s': character %zu is not allowed; letters, digits and "
                       ". _ - @ : [ ] %% are",
                       host, good + 1);
    if (good > HOST_BYTES_MAX)
        return ca_fail(error, CA_USAGE,
                       "host '%.40s...' has %zu characters, at most %d are allowed", host, good,
                       HOST_BYTES_MAX);
    if (strlen(command) >= sizeof built->text)
        return ca_fail(error, CA_USAGE, "the command for other hosts is longer than %zu characters",
                       sizeof built->text - 1);
    strcpy(built->text, command);
    for (word = strtok_r(built->text, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
        bool here = strcmp(word, "HOST") == 0;

        if (count == CA_HOST_WORDS)
            return ca_fail(error, CA_USAGE, "the command for other hosts has more than %d words",
                           CA_HOST_WORDS);
        built->argv[count++] = here ? host : word;
        placed |= here && count > 1;
    }
    built->argv[count] = NULL;
    if (!placed)
        return ca_fail(error, CA_USAGE,
                       "the command for other hosts, '%.120s', lacks the word HOST after its first "
                       "word, in whose place the host is put",
                       command);
    return CA_OK;
}
