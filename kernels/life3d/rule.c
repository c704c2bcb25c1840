/* SPDX-License-Identifier: MIT */
/* This file reads a rule of life3d from text, and makes masks of parameters. */
#include "kernels/life3d/rule.h"

#include <stdio.h>
#include <string.h>

/* Bits low ... high, those that exist; none where low > high. */
static uint32_t mask_of_range(int low, int high)
{
    uint32_t mask = 0;

    for (int n = low; n <= high && n <= LIFE3D_NEIGHBOURS; n++)
        mask |= UINT32_C(1) << n;
    return mask;
}

struct life3d_rule life3d_rule_of_ranges(int r1, int r2, int r3, int r4)
{
    return (struct life3d_rule){.survive = mask_of_range(r4, r3), .born = mask_of_range(r1, r2)};
}

struct reader {
    const char *text, *at;
    struct ca_error *error;
};

static enum ca_status life3d_rule_refuse(const struct reader *reader, const char *problem)
{
    return ca_fail(reader->error, CA_USAGE,
                   "rule '%s': %s at character %d; allowed is 3D<survivals>/<births> with numbers "
                   "0 ... %d, commas and ranges, for example 3D5..7/6 or 3D4,7/5,8; an empty rule "
                   "takes r1 ... r4",
                   reader->text, problem, (int)(reader->at - reader->text) + 1, LIFE3D_NEIGHBOURS);
}

static enum ca_status read_number(struct reader *reader, int *number)
{
    const char *at = reader->at;
    int value = 0;

    if (*at < '0' || *at > '9')
        return life3d_rule_refuse(reader, "a number is missing");
    for (; *at >= '0' && *at <= '9'; at++) {
        value = 10 * value + (*at - '0');
        if (value > LIFE3D_NEIGHBOURS)
            return life3d_rule_refuse(reader, "a number above 26");
    }
    reader->at = at;
    *number = value;
    return CA_OK;
}

/* Numbers and ranges with commas in between, up to `end`; nothing at all is an empty list. */
static enum ca_status read_list(struct reader *reader, char end, uint32_t *mask)
{
    int low, high;

    *mask = 0;
    if (*reader->at == end)
        return CA_OK;
    for (;;) {
        const char *start = reader->at;

        CA_TRY(read_number(reader, &low));
        high = low;
        if (strncmp(reader->at, "..", 2) == 0) {
            reader->at += 2;
            CA_TRY(read_number(reader, &high));
        }
        if (low > high) {
            reader->at = start;
            return life3d_rule_refuse(reader, "a range that ends below its start");
        }
        *mask |= mask_of_range(low, high);
        if (*reader->at != ',')
            break;
        reader->at++;
    }
    if (*reader->at != end)
        return life3d_rule_refuse(reader, end ? "neither ',', '..' nor '/'"
                                              : "neither ',', '..' nor the end");
    return CA_OK;
}

enum ca_status life3d_rule_parse(struct life3d_rule *rule, const char *text, struct ca_error *error)
{
    struct reader reader = {text, text, error};
    struct life3d_rule read;

    if (text[0] != '3' || (text[1] != 'D' && text[1] != 'd'))
        return life3d_rule_refuse(&reader, "no '3D'");
    reader.at += 2;
    CA_TRY(read_list(&reader, '/', &read.survive));
    reader.at++;
    CA_TRY(read_list(&reader, '\0', &read.born));
    *rule = read;
    return CA_OK;
}

enum ca_status life3d_rule_of_setup(struct life3d_rule *rule, const struct ca_setup *setup,
                                    struct ca_error *error)
{
    const struct ca_values *params = &setup->params;
    const char *text = ca_text(params, "rule");

    if (text[0])
        return life3d_rule_parse(rule, text, error);
    *rule = life3d_rule_of_ranges((int)ca_int(params, "r1"), (int)ca_int(params, "r2"),
                                  (int)ca_int(params, "r3"), (int)ca_int(params, "r4"));
    return CA_OK;
}

/* Writes numbers and, of three or more that follow each other, ranges. Returns the length. */
static size_t put_list(char *text, uint32_t mask)
{
    size_t used = 0;

    text[0] = '\0';
    for (int n = 0, last; n <= LIFE3D_NEIGHBOURS; n = last + 1) {
        last = n;
        if (!(mask >> n & 1))
            continue;
        while (mask >> (last + 1) & 1)
            last++;
        last = last == n + 1 ? n : last;
        used += (size_t)sprintf(text + used, "%s%d", used ? "," : "", n);
        if (last > n)
            used += (size_t)sprintf(text + used, "..%d", last);
    }
    return used;
}

void life3d_rule_text(const struct ca_setup *setup, char text[CA_TEXT_MAX])
{
    struct life3d_rule rule = {0};
    struct ca_error ignored;

    life3d_rule_of_setup(&rule, setup, &ignored);
    strcpy(text, "3D");
    text += 2 + put_list(text + 2, rule.survive);
    strcpy(text, "/");
    put_list(text + 1, rule.born);
}

bool life3d_is_rule(const struct ca_setup *setup, const char *text)
{
    struct life3d_rule own, other;
    struct ca_error ignored;

    return life3d_rule_of_setup(&own, setup, &ignored) == CA_OK &&
           life3d_rule_parse(&other, text, &ignored) == CA_OK && own.survive == other.survive &&
           own.born == other.born;
}
