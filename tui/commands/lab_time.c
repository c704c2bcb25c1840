/* SPDX-License-Identifier: MIT */
/* Reports the time of a lab's kernel as a sentence and as JSON. */
#include "tui/commands/lab_time.h"

#include "core/base/quantity.h"
#include "core/engine/interference_json.h"

char *lab_time_sentence(char *text, size_t size, const struct ca_lab *lab,
                        const struct ca_lab_timing *t)
{
    char cells[64], own[CA_QUANTITY_TEXT], other[CA_QUANTITY_TEXT], ratio[CA_TEXT_MAX];

    ca_size_format(cells, t->size, lab->model->dimensions);
    if (t->ratio.made == 0) {
        snprintf(text, size, "not timed: %s", t->text);
        return text;
    }
    snprintf(text, size, "%s: %s a generation, %s %s; %s%s%s", cells,
             ca_duration(own, t->generation_s[0]), t->rung, ca_duration(other, t->generation_s[1]),
             ca_ratio_sentence(ratio, sizeof ratio, &t->ratio, lab->source, t->rung),
             t->text[0] ? "; " : "", t->text);
    return text;
}

json_t *lab_time_json(const struct ca_lab *lab, const struct ca_lab_timing *t)
{
    char size[64];
    json_t *json = json_pack("{s:s, s:s, s:s, s:s, s:s}", "state", ca_lab_timed_names[t->what],
                             "text", t->text, "backend", t->rung, "device", t->device, "size",
                             ca_size_format(size, t->size, lab->model->dimensions));

    json_object_set_new(json, "pairs", json_integer(t->ratio.pairs));
    json_object_set_new(json, "others", json_real(t->others));
    json_object_set_new(json, "ceiling", t->ceiling > 0 ? json_real(t->ceiling) : json_null());
    if (t->ratio.made == 0)
        return json;
    json_object_set_new(json, "interference", ca_disturbance_to_json(&t->ratio.disturbance));
    json_object_set_new(json, "ratio", json_real(t->ratio.median));
    json_object_set_new(json, "low", json_real(t->ratio.low));
    json_object_set_new(json, "high", json_real(t->ratio.high));
    json_object_set_new(json, "generation_s", json_real(t->generation_s[0]));
    json_object_set_new(json, "backend_generation_s", json_real(t->generation_s[1]));
    json_object_set_new(json, "updates_per_s", json_real(t->ratio.rate[0]));
    return json;
}
