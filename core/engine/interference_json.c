/* SPDX-License-Identifier: MIT */
/* Writes and reads interference by a table of its members. */
#include "core/engine/interference_json.h"

#include <math.h>
#include <stddef.h>

enum member_kind { MEMBER_REAL, MEMBER_FACT };

static const struct member {
    const char *name;
    enum member_kind kind;
    size_t at;
} members[] = {
    {"seconds", MEMBER_REAL, offsetof(struct ca_interference, seconds)},
    {"cores", MEMBER_REAL, offsetof(struct ca_interference, cores)},
    {"threads", MEMBER_REAL, offsetof(struct ca_interference, threads)},
    {"waited", MEMBER_FACT, offsetof(struct ca_interference, waited)},
    {"others", MEMBER_FACT, offsetof(struct ca_interference, others)},
    {"pressure", MEMBER_FACT, offsetof(struct ca_interference, pressure)},
    {"throttled", MEMBER_FACT, offsetof(struct ca_interference, throttled)},
    {"loop_per_s", MEMBER_REAL, offsetof(struct ca_interference, speed)},
    {"gpu_others", MEMBER_FACT, offsetof(struct ca_interference, gpu_others)},
    {"gpu_clock_mhz", MEMBER_FACT, offsetof(struct ca_interference, clock_mhz)},
    {"gpu_answer_s", MEMBER_FACT, offsetof(struct ca_interference, answer_s)},
    {"gpu_held", MEMBER_FACT, offsetof(struct ca_interference, held)},
};

static json_t *fact_json(struct ca_fact fact)
{
    return fact.known && isfinite(fact.value) ? json_real(fact.value) : json_null();
}

json_t *ca_interference_to_json(const struct ca_interference *sample)
{
    json_t *json = json_pack("{s:b}", "gpu", sample->gpu);

    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const char *at = (const char *)sample + members[i].at;
        struct ca_fact fact = members[i].kind == MEMBER_FACT
                                  ? *(const struct ca_fact *)(const void *)at
                                  : (struct ca_fact){true, *(const double *)(const void *)at};

        json_object_set_new(json, members[i].name, fact_json(fact));
    }
    return json;
}

void ca_interference_from_json(struct ca_interference *sample, const json_t *json)
{
    *sample = (struct ca_interference){.gpu = json_is_true(json_object_get(json, "gpu"))};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const json_t *value = json_object_get(json, members[i].name);
        char *at = (char *)sample + members[i].at;

        if (!json_is_number(value))
            continue;
        if (members[i].kind == MEMBER_FACT)
            *(struct ca_fact *)(void *)at = (struct ca_fact){true, json_number_value(value)};
        else
            *(double *)(void *)at = json_number_value(value);
    }
}

json_t *ca_disturbance_to_json(const struct ca_disturbance *sum)
{
    char text[CA_DISTURBANCE_TEXT];

    return json_pack("{s:b, s:i, s:i, s:i, s:f, s:o, s:o, s:o, s:o, s:f, s:f, s:b, s:b, s:s}",
                     "gpu", sum->gpu, "samples", sum->samples, "disturbed", sum->disturbed,
                     "unknown", sum->unknown, "cores", sum->cores, "others", fact_json(sum->others),
                     "waited", fact_json(sum->waited), "gpu_others", fact_json(sum->gpu_others),
                     "gpu_answer_s", fact_json(sum->answer_s), "loop_per_s", sum->speed, "slowest",
                     sum->slowest, "gpu_held", sum->held, "throttled", sum->throttled, "text",
                     ca_disturbance_text(text, sum));
}

double ca_burst_from_json(struct ca_interference *sample, const json_t *reply)
{
    const json_t *value;
    double sum = 0;
    size_t i;

    json_array_foreach(json_object_get(reply, "seconds"), i, value) sum += json_number_value(value);
    ca_interference_from_json(sample, json_object_get(reply, "interference"));
    return sum;
}
