/* SPDX-License-Identifier: MIT */
/*
 * Whether a model in a file does what its declaration says. Each property is tried in a process of
 * its own, since the function of the file may crash or never return.
 */
#ifndef CALAB_CORE_VERIFY_MODEL_CHECK_H
#define CALAB_CORE_VERIFY_MODEL_CHECK_H

#include "core/model/model.h"

struct ca_model_finding {
    char property[64];
    enum { CA_PROPERTY_HOLDS, CA_PROPERTY_BROKEN, CA_PROPERTY_UNTRIED } result;
    char text[768]; /* what was tried, what is wrong where, or why it was not tried */
};

struct ca_model_check {
    uint64_t seed;
    double limit_s;      /* in which cell() has to return */
    bool (*go_on)(void); /* false: stop; NULL: never */
    void (*report)(void *context, const struct ca_model_finding *finding);
    void *context;
    int tried, broken; /* how many were */
};

/*
 * Opens the file and tries all properties; `report` gets one after the other. The errors are those
 * of ca_model_open, and CA_TIMEOUT where it was stopped; CA_OK whatever else is found.
 */
enum ca_status ca_model_check(struct ca_model_check *check, const char *path,
                              struct ca_error *error);

#endif
