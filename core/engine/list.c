/* SPDX-License-Identifier: MIT */
/* This file describes models and backends for the protocol. */
#include "core/engine/state.h"

static json_t *text_or_null(const char *text) { return text ? json_string(text) : json_null(); }

static json_t *param_json(const struct ca_param *param)
{
    json_t *json = json_pack("{s:s, s:s, s:o, s:s, s:b}", "name", param->name, "kind",
                             ca_kind_name(param->kind), "unit", text_or_null(param->unit), "help",
                             param->help, "initial", param->initial);
    char text[CA_TEXT_MAX];
    json_t *choices;

    switch (param->kind) {
    case CA_TEXT:
    case CA_FILE:
        json_object_set_new(json, "default", json_string(ca_param_default(text, param)));
        break;
    case CA_CHOICE:
        choices = json_array();
        for (int i = 0; param->choices[i]; i++)
            json_array_append_new(choices, json_string(param->choices[i]));
        json_object_set_new(json, "choices", choices);
        json_object_set_new(json, "default", json_string(ca_param_default(text, param)));
        break;
    default:
        json_object_set_new(json, "default", ca_wire_number(param->number));
        json_object_set_new(json, "min", ca_wire_number(param->min));
        json_object_set_new(json, "max", ca_wire_number(param->max));
        break;
    }
    return json;
}

static json_t *params_json(const struct ca_param *table)
{
    json_t *list = json_array();

    for (; table && table->name; table++)
        json_array_append_new(list, param_json(table));
    return list;
}

static json_t *backends_json(const struct ca_model *model)
{
    json_t *list = json_array();

    for (const struct ca_backend *b = model->backends; b; b = ca_backend_next(model, b)) {
        struct ca_error error;
        bool available = ca_backend_available(b, &error) == CA_OK;
        json_t *json = json_pack("{s:s, s:s, s:s, s:b, s:o}", "name", b->name, "title", b->title,
                                 "device", b->device == CA_CUDA ? "cuda" : "cpu", "available",
                                 available, "options", params_json(b->options));

        if (!available)
            json_object_set_new(json, "reason", json_string(error.text));
        json_array_append_new(list, json);
    }
    return list;
}

static json_t *model_json(const struct ca_model *model)
{
    static const char *const colours[] = {
        [CA_COLOUR_QUIET] = "quiet", [CA_COLOUR_PLAIN] = "plain", [CA_COLOUR_STRONG] = "strong",
        [CA_COLOUR_WARM] = "warm",   [CA_COLOUR_COLD] = "cold",   [CA_COLOUR_GREEN] = "green",
        [CA_COLOUR_SOLID] = "solid",
    };
    json_t *planes = json_array(), *observables = json_array(), *starts = json_array(),
           *fields = json_array(), *states = json_array(), *parts = json_array(),
           *sides = json_pack("[I, I]", (json_int_t)model->default_size.w,
                              (json_int_t)model->default_size.h);

    if (model->dimensions == 3)
        json_array_append_new(sides, json_integer((json_int_t)model->default_size.d));
    for (int p = 0; p < model->planes; p++)
        json_array_append_new(planes, json_string(model->plane_names[p]));
    for (const struct ca_part *p = model->parts; p && p->name; p++)
        json_array_append_new(parts, json_pack("{s:s, s:s, s:i, s:i}", "name", p->name, "help",
                                               p->help, "states", p->states, "shift", p->shift));
    for (const struct ca_start *s = model->start->named; s->name; s++)
        json_array_append_new(starts, json_pack("{s:s, s:s}", "name", s->name, "help", s->help));
    for (const struct ca_observable *o = ca_observables(model); o->name; o++)
        json_array_append_new(observables, json_pack("{s:s, s:o, s:s}", "name", o->name, "unit",
                                                     text_or_null(o->unit), "help", o->help));
    for (const struct ca_field *f = ca_fields(model); f->name; f++)
        json_array_append_new(fields,
                              json_pack("{s:s, s:s, s:o, s:i, s:b}", "name", f->name, "title",
                                        f->title, "unit", text_or_null(f->unit), "components",
                                        f->components, "signed", f->is_signed));
    for (const struct ca_state_appearance *s = ca_draw_of(model)->states; s->name; s++) {
        char glyph[2] = {s->glyph, 0};

        json_array_append_new(states, json_pack("{s:s, s:s, s:s}", "name", s->name, "glyph", glyph,
                                                "colour", colours[s->colour]));
    }
    return json_pack("{s:s, s:s, s:s, s:i, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
                     "name", model->name, "title", model->title, "summary", model->summary,
                     "dimensions", model->dimensions, "default_size", sides, "type",
                     model->type == CA_F32 ? "f32" : "u8", "planes", planes, "parameters",
                     params_json(model->params), "starts", starts, "observables", observables,
                     "fields", fields, "states", states, "parts", parts, "backends",
                     backends_json(model));
}

json_t *ca_engine_list(void)
{
    json_t *list = json_array();

    for (int i = 0; ca_model_at(i); i++)
        json_array_append_new(list, model_json(ca_model_at(i)));
    return list;
}
