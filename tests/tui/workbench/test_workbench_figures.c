/* SPDX-License-Identifier: MIT */
/*
 * Each figure of the timing panel and of the comparison below a split as it is printed, from what
 * the engine sends. All figures differ, so that none can take another's place; what the engine
 * sends for a backend of known duration is held by tests/core/engine/test_engine_figures.c.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/lab/backend/backend.h"
#include "core/model/registry.h"
#include "tests/support/support.h"
#include "tui/workbench/base/dialog.h"
#include "tui/workbench/base/panels.h"
#include "tui/workbench/engine/engine_list.h"
#include "tui/workbench/panels/panels.h"
#include "tui/workbench/engine/figures_inside.h"
#include "tui/workbench/lists/lab_inside.h"
#include "tui/workbench/base/log_inside.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/session_inside.h"
#include "tui/workbench/lists/lists.h"
#include "tui/workbench/base/part.h"
#include "tui/workbench/terminal/timeline.h"
#include "tui/workbench/engine/split_inside.h"

static struct ca_error error;

static struct workbench wb;

static void setup(void)
{
    memset(&wb, 0, sizeof wb);
    ck_assert_ok(parts_begin(&wb, workbench_parts, &error));
    for (int i = 0; i < 2; i++)
        wb.panes[i].wb = &wb;
    wb.pane = &wb.panes[0];
}

/* A frame with these members, as it comes from an engine. */
static struct ca_wire_frame frame_from(const char *members)
{
    struct ca_wire_frame frame;
    char text[2048];
    json_t *json;

    snprintf(text, sizeof text,
             "{\"event\":\"frame\",\"generation\":7,\"view\":{\"columns\":1,\"lines\":1},%s}",
             members);
    json = json_loads(text, 0, NULL);
    ck_assert_msg(json != NULL, "%s", text);
    ck_assert(ca_wire_frame_read(&frame, json));
    json_decref(json);
    return frame;
}

/* A frame's timing, as it comes from an engine. */
static void sent(struct pane *pane, const char *timing)
{
    struct ca_wire_frame frame;

    frame = frame_from(test_text("\"timing\":%s", timing));
    ck_assert(frame.timed);
    figures_of(pane)->timing = frame.timing;
}

/* A frame without a generation since the one before adds nothing to the history; one of another
 * lattice begins anew. */
START_TEST(history_of_frames)
{
    struct pane *pane = &wb.panes[0];
    const struct history *steps = &figures_of(pane)->step_s;
    struct ca_wire_timing timing = {.generations = 800, .device_s = 8};

    figures_take(pane, &timing);
    ck_assert_int_eq(steps->count, 1);
    ck_assert_double_eq(steps->value[0], 0.01);
    figures_take(pane, &timing);
    ck_assert_int_eq(steps->count, 1);
    timing = (struct ca_wire_timing){.generations = 1000, .device_s = 12};
    figures_take(pane, &timing);
    ck_assert_double_eq(steps->value[1], 0.02);
    timing = (struct ca_wire_timing){.generations = 10, .device_s = 5};
    figures_take(pane, &timing);
    ck_assert_double_eq(steps->value[2], 0.5);
}
END_TEST

#define STEPS                                                                                      \
    "\"count\":100,\"call\":8,\"step_min_s\":1.5e-6,\"step_p50_s\":2.5e-6,\"step_p99_s\":3.5e-3,"  \
    "\"cells_per_s\":4.5e9,\"gb_per_s\":5.5"
#define SUMS                                                                                       \
    ",\"generations\":800,\"device_s\":6.5,\"wall_s\":75.5,\"transfer_s\":8.5e-3,"                 \
    "\"copy_share\":0.095,\"logic_share\":0.105"
#define ABLE                                                                                       \
    ",\"able\":{\"count\":20,\"call\":64,\"step_min_s\":1e-9,\"step_p50_s\":11e-9,"                \
    "\"step_p99_s\":12e-9,\"cells_per_s\":13.5e12,\"gb_per_s\":14}"

/* The whole panel, as lines "name: value". */
static const char *panel(const struct pane *pane)
{
    static char text[4096];
    struct timing_line lines[TIMING_LINES];
    int count = timing_lines(pane, 40, lines);
    size_t used = 0;

    ck_assert_int_le(count, TIMING_LINES);
    text[0] = '\0';
    for (int i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s: %s\n", lines[i].name,
                                 lines[i].value);
    return text;
}

START_TEST(panel_of_a_paced_run)
{
    struct pane *pane = &wb.panes[0];

    session_of(pane)->pace = 8;
    strcpy(pane->report, "8 threads");
    strcpy(figures_of(pane)->before, "1.00 Gups, threads");
    history_add(&figures_of(pane)->step_s, 1);
    history_add(&figures_of(pane)->step_s, 2);
    sent(pane, "{\"mode\":\"paced\"," STEPS SUMS ABLE "}");
    ck_assert_str_eq(panel(pane), "step p50: 2.50 us, 4.50 Gups\n"
                                  "pace: paced, 8/frame\n"
                                  "burst rate: 13.5 Tups, 11.0 ns\n"
                                  "before: 1.00 Gups, threads\n"
                                  "recent: _#\n"
                                  "ceiling: logic 10% copy 9.5%\n"
                                  "best/p99: 1.50 us / 3.50 ms\n"
                                  "kernel: 6.50 s / 75.5 s wall\n"
                                  "memory: 5.5 GB/s\n"
                                  "shape: 8 threads\n"
                                  "transfer: 8.50 ms\n"
                                  "others: unknown\n"
                                  "steps: 800\n");
}
END_TEST

/* Calls of another length than the pace are named; a free run is itself what it is able to. */
START_TEST(panel_names_what_made_the_calls)
{
    struct pane *pane = &wb.panes[0];

    session_of(pane)->pace = 250;
    sent(pane, "{\"mode\":\"paced\"," STEPS SUMS "}");
    ck_assert_contains(panel(pane), "pace: paced, calls of 8\n");
    session_of(pane)->pace = 0.25; /* one generation every fourth frame */
    sent(pane, "{\"mode\":\"paced\",\"count\":3,\"call\":1}");
    ck_assert_contains(panel(pane), "pace: paced, every 4 frames\n");
    session_of(pane)->pace = 8; /* which single steps of that length are not */
    sent(pane, "{\"mode\":\"step\"," STEPS SUMS "}");
    ck_assert_contains(panel(pane), "pace: step, calls of 8\n");
    ck_assert(!strstr(panel(pane), "burst"));
    ck_assert(!strstr(panel(pane), "before"));
    sent(pane, "{\"mode\":\"free\"," STEPS SUMS ABLE "}");
    ck_assert_contains(panel(pane), "pace: free, calls of 8\n");
    ck_assert(!strstr(panel(pane), "burst"));
    sent(pane, "{\"mode\":\"step\"," STEPS SUMS ABLE "}");
    ck_assert_contains(panel(pane), "pace: step, calls of 8\n");
    ck_assert_contains(panel(pane), "burst rate: 13.5 Tups, 11.0 ns\n");
}
END_TEST

/* A burst that others disturbed tells nothing of the backend; the panel says who they are. */
START_TEST(panel_after_a_disturbed_burst)
{
    struct pane *pane = &wb.panes[0];
    const struct ca_interference sample = {
        .seconds = 1, .cores = 2, .threads = 2, .others = {true, 1.3}, .waited = {true, 0.5}};

    ca_disturbance_add(&figures_of(pane)->others, &sample, 0);
    sent(pane, "{\"mode\":\"step\"," STEPS SUMS "}");
    ck_assert_contains(panel(pane), "burst rate: unsure: others used 1.3 of 2 cores\n");
    sent(pane, "{\"mode\":\"step\"," STEPS SUMS ABLE "}");
    ck_assert_contains(panel(pane), "burst rate: 13.5 Tups, 11.0 ns\n");
}
END_TEST

/* Of what is unknown there is no line and no figure; the bottleneck comes first. */
START_TEST(panel_of_what_is_unknown)
{
    struct pane *pane = &wb.panes[0];

    sent(pane, "{\"mode\":\"free\",\"count\":0}");
    ck_assert_str_eq(panel(pane), "");
    sent(pane, "{\"mode\":\"step\",\"count\":0" ABLE "}");
    ck_assert_str_eq(panel(pane), "burst rate: 13.5 Tups, 11.0 ns\n");
    sent(pane, "{\"mode\":\"free\"," STEPS
               ",\"generations\":800,\"device_s\":6.5,\"wall_s\":75.5,\"transfer_s\":0}");
    ck_assert_contains(panel(pane), "ceiling: unknown: calab probe\n");
    ck_assert(!strstr(panel(pane), "transfer"));
    sent(pane, "{\"mode\":\"free\"," STEPS ",\"copy_share\":0.5,\"logic_share\":0.25}");
    ck_assert_contains(panel(pane), "ceiling: copy 50% logic 25%\n");
    sent(pane, "{\"mode\":\"free\"," STEPS ",\"logic_share\":0.25}");
    ck_assert_contains(panel(pane), "ceiling: logic 25%\n");
}
END_TEST

/* Of the backend before, what it was able to, else what it did. */
START_TEST(line_of_the_backend_before)
{
    struct pane *pane = &wb.panes[0];
    char text[160];

    sent(pane, "{\"mode\":\"paced\"," STEPS SUMS ABLE "}");
    timing_before(&figures_of(pane)->timing, "bitslice", text, sizeof text);
    ck_assert_str_eq(text, "13.5 Tups, bitslice");
    sent(pane, "{\"mode\":\"paced\"," STEPS SUMS "}");
    timing_before(&figures_of(pane)->timing, "bitslice", text, sizeof text);
    ck_assert_str_eq(text, "4.50 Gups, bitslice");
    sent(pane, "{\"mode\":\"paced\",\"count\":0}");
    timing_before(&figures_of(pane)->timing, "bitslice", text, sizeof text);
    ck_assert_str_eq(text, "");
}
END_TEST

/* What no engine sends does no harm: numbers below zero, too many, of an observable that is none.
 */
START_TEST(frames_are_read_with_care)
{
    char text[512] = "\"observables\":{\"broken\":0,\"values\":[1";
    json_t *number;

    ck_assert_int_eq(frame_from("\"observables\":{\"broken\":0,\"values\":[1,2]}").broken, 0);
    ck_assert_int_eq(frame_from("\"observables\":{\"broken\":1,\"values\":[1,2]}").broken, 1);
    ck_assert_int_eq(frame_from("\"observables\":{\"broken\":2,\"values\":[1,2]}").broken, -1);
    for (int i = 1; i < CA_OBSERVABLES_MAX + 1; i++)
        strcat(text, ",1");
    ck_assert_int_eq(frame_from(strcat(text, "]}")).observables, CA_OBSERVABLES_MAX);
    ck_assert_uint_eq(frame_from("\"timing\":{\"generations\":-5}").timing.generations, 0);
    ck_assert_uint_eq(frame_from("\"timing\":{\"call\":-5}").timing.figures.call, 0);
    number = ca_wire_number(9007199254740991.0); /* the last one that no other stands for */
    ck_assert(json_is_integer(number));
    json_decref(number);
    number = ca_wire_number(-1e300);
    ck_assert(json_is_real(number));
    json_decref(number);
}
END_TEST

/* --- the comparison --------------------------------------------------------------------------- */

/* A: 97 calls of 2 ms, one of 1, two of 8, of 1000 generations; B: of 100 times the length but one
 * of 250. The frames' figures are of other calls, whose shares are scaled to the bursts' rate. */
static void measured(void)
{
    static const int64_t cells[2] = {1000000, 1000000};
    struct split *s = split_of(&wb);

    s->phase = SPLIT_READY;
    for (int i = 0; i < 100; i++) {
        s->samples[0].step_s[i] = i == 50 ? 1e-6 : i >= 98 ? 8e-6 : 2e-6;
        s->samples[1].step_s[i] = i == 50 ? 250e-6 : 200e-6;
    }
    s->samples[0].count = 100;
    s->samples[1].count = 100;
    for (int i = 0; i < 2; i++)
        wb.panes[i].experiment.size = (struct ca_size){1000, 1000, 1};
    sent(&wb.panes[0], "{\"mode\":\"step\",\"count\":3,\"call\":1,\"step_min_s\":1,"
                       "\"step_p50_s\":1,\"step_p99_s\":1,\"cells_per_s\":1e9,\"gb_per_s\":1,"
                       "\"copy_share\":0.0001,\"logic_share\":0.0008}");
    sent(&wb.panes[1], "{\"mode\":\"step\",\"count\":3,\"call\":1,\"step_min_s\":1,"
                       "\"step_p50_s\":1,\"step_p99_s\":1,\"cells_per_s\":5e9,\"gb_per_s\":1,"
                       "\"copy_share\":0.125,\"logic_share\":0.25}");
    ca_ratio_begin(&s->ratio, cells, 1000);
    for (struct ca_ratio_request turn; ca_ratio_next(&s->ratio, &turn);)
        ca_ratio_take(&s->ratio, (double)turn.calls * (turn.side ? 0.2 : 0.002), NULL);
}

START_TEST(rows_of_a_comparison)
{
    char text[128], rates[512];

    measured();
    ck_assert_str_eq(compare_heading(78, text),
                     "          rate  step p50       p99  %copy %logic   one scale");
    compare_row(&wb, 0, 78, text, rates);
    ck_assert_str_eq(text, " A    500 Gups   2.00 us   8.00 us    5.0   40.0");
    ck_assert_str_eq(rates, "###########################");
    compare_row(&wb, 1, 78, text, rates);
    ck_assert_str_eq(text, " B   5.00 Gups    200 us    200 us   12.5   25.0");
    ck_assert_str_eq(rates, "#");
    wb.palette.utf8 = true;
    compare_row(&wb, 1, 78, text, rates);
    ck_assert_str_eq(rates, "▎");
    ck_assert_str_eq(compare_heading(40, text), "          rate  step p50       p99");
    compare_row(&wb, 1, 40, text, rates);
    ck_assert_str_eq(text, " B   5.00 Gups    200 us    200 us");
    ck_assert_str_eq(rates, "");
}
END_TEST

/* Before the first pair of bursts is whole the rate is that of the median call. */
START_TEST(rows_before_a_ratio)
{
    char text[128], rates[512];

    measured();
    split_of(&wb)->ratio = (struct ca_ratio){0};
    compare_row(&wb, 1, 78, text, rates);
    ck_assert_str_eq(text, " B   5.00 Gups    200 us    200 us   12.5   25.0");
    split_of(&wb)->samples[1].count = 0;
    compare_row(&wb, 1, 78, text, rates);
    ck_assert_str_eq(text, " B           -         -         -");
    ck_assert_str_eq(rates, "");
    figures_of(&wb.panes[0])->timing.copy_share = NAN;
    compare_row(&wb, 0, 78, text, rates);
    ck_assert_str_eq(text, " A    500 Gups   2.00 us   8.00 us      -   40.0");
}
END_TEST

START_TEST(ratio_in_one_line)
{
    char text[160];

    measured();
    split_of(&wb)->checks = 64;
    split_of(&wb)->equal_at = 4096;
    ca_experiment_default(&wb.panes[0].experiment, test_model("anneal"));
    wb.panes[1].experiment = wb.panes[0].experiment;
    ck_assert_str_eq(compare_line(&wb, text), "A is 100 x B  = EQUAL at 4,096, 64x");
    for (int k = 0; k < CA_RATIO_PAIRS; k++)
        split_of(&wb)->ratio.side[0].burst[k].seconds *= 200;
    ck_assert_str_eq(compare_line(&wb, text), "B is 2.00 x A  = EQUAL at 4,096, 64x");
    for (int k = 0; k < CA_RATIO_PAIRS; k++)
        split_of(&wb)->ratio.side[0].burst[k].seconds /= 2;
    ck_assert_str_eq(compare_line(&wb, text), "A and B: same speed  = EQUAL at 4,096, 64x");
    split_of(&wb)->ratio = (struct ca_ratio){0};
    ck_assert_str_eq(compare_line(&wb, text), "= EQUAL at 4,096, 64x");
}
END_TEST

/* --- lines of values -------------------------------------------------------------------------- */

/* The newest value is the last character; the whole range is used; of a long history its end. */
START_TEST(line_of_a_history)
{
    struct history history = {.count = 0};
    char text[600];

    for (int i = 0; i < 8; i++)
        history_add(&history, i);
    sparkline(&wb.palette, &history, 20, text, sizeof text);
    ck_assert_str_eq(text, "_.:-=+*#");
    sparkline(&wb.palette, &history, 3, text, sizeof text);
    ck_assert_str_eq(text, "_-#");
    history_add(&history, 0);
    sparkline(&wb.palette, &history, 3, text, sizeof text);
    ck_assert_str_eq(text, "*#_");
    history_add(&history, NAN);
    sparkline(&wb.palette, &history, 4, text, sizeof text);
    ck_assert_str_eq(text, "*#__");
    for (int i = 0; i < HISTORY; i++)
        history_add(&history, i % 2);
    sparkline(&wb.palette, &history, 4, text, sizeof text);
    ck_assert_str_eq(text, "_#_#");
    for (int i = 0; i < 4; i++)
        history_add(&history, 5);
    sparkline(&wb.palette, &history, 4, text, sizeof text); /* nothing to compare */
    ck_assert_str_eq(text, "____");
}
END_TEST

/* Over a run a value that was not observed is the one before; before the first there is none. */
START_TEST(line_of_a_run)
{
    static struct timeline timeline;
    char text[600];

    memset(&timeline, 0, sizeof timeline);
    timeline_add(&timeline, 0, (const double[]){0}, 1);
    timeline_add(&timeline, 1, (const double[]){7}, 1);
    timeline_add(&timeline, 4, (const double[]){0}, 1);
    sparkline_run(&wb.palette, &timeline, 0, 20, text, sizeof text);
    ck_assert_str_eq(text, "_###_");
    memset(&timeline, 0, sizeof timeline);
    timeline_add(&timeline, 0, (const double[]){NAN}, 1);
    timeline_add(&timeline, 1, (const double[]){7}, 1);
    timeline_add(&timeline, 2, (const double[]){3}, 1);
    sparkline_run(&wb.palette, &timeline, 0, 20, text, sizeof text);
    ck_assert_str_eq(text, "_#_");
}
END_TEST

/* --- the log ---------------------------------------------------------------------------------- */

/* Twelve messages in a panel of 40 columns within its box, 38 for text and 27 of them behind the
 * time: seven have one row, from the oldest on, and five have two. */
static void fills_the_log(int rows)
{
    wb.layout.panel[panels_count(&wb) - 1] = (struct rect){3, 7, rows + 2, 42};
    for (int i = 0; i < 12; i++)
        message_show(&wb, i < 7 ? "line %d is short enough" : "line %d has more words than one row",
                     i);
}

static int scrolled(enum request request)
{
    log_scroll(&wb, request);
    return log_of(&wb)->scroll;
}

START_TEST(log_is_scrolled)
{
    fills_the_log(3);
    ck_assert_int_eq(log_of(&wb)->scroll, 0);
    ck_assert_int_eq(scrolled(REQUEST_LIST_DOWN), 0);
    ck_assert_int_eq(scrolled(REQUEST_LIST_UP), 1);
    ck_assert_int_eq(scrolled(REQUEST_LIST_PAGE_UP), 4);
    ck_assert_int_eq(scrolled(REQUEST_LIST_PAGE_UP), 7);
    ck_assert_int_eq(scrolled(REQUEST_LIST_PAGE_DOWN), 4);
    ck_assert_int_eq(scrolled(REQUEST_LIST_TOP), 9); /* the oldest three fill the panel */
    ck_assert_int_eq(scrolled(REQUEST_LIST_UP), 9);
    ck_assert_int_eq(scrolled(REQUEST_LIST_BOTTOM), 0);
    ck_assert_int_eq(scrolled(REQUEST_LIST_PAGE_DOWN), 0);
    strcpy(dialogs_search(&wb), "line 3 ");
    ck_assert_int_eq(scrolled(REQUEST_SEARCH_NEXT), 8);
    strcpy(dialogs_search(&wb), "SHORT");
    ck_assert_int_eq(scrolled(REQUEST_SEARCH_NEXT), 9);
    ck_assert_int_eq(scrolled(REQUEST_SEARCH_PREVIOUS), 8);
    strcpy(dialogs_search(&wb), "nowhere");
    ck_assert_int_eq(scrolled(REQUEST_SEARCH_NEXT), 8);
}
END_TEST

/* What wraps takes its rows: of ten the oldest seven take seven, and one more two. */
START_TEST(log_wraps)
{
    fills_the_log(10);
    ck_assert_int_eq(scrolled(REQUEST_LIST_TOP), 4);
    wb.layout.panel[panels_count(&wb) - 1].rows++;
    ck_assert_int_eq(scrolled(REQUEST_LIST_TOP), 3);
}
END_TEST

/* --- the list of devices ---------------------------------------------------------------------- */

static void has_gpus(int count)
{
    struct pane *pane = &wb.panes[0];
    json_t *devices = json_pack("[{s:s}]", "name", "a processor");
    json_t *list = json_pack("{s:o}", "devices", devices);

    ca_experiment_default(&pane->experiment, &anneal_model);
    for (int i = 0; i < count; i++)
        json_array_append_new(
            devices, json_pack("{s:s, s:f}", "name", "a card", "memory_bytes", (i + 1) * 0x1p30));
    engine_list_take(pane, list);
    json_decref(list);
}

static struct list_row device_row(int index) { return list_fill(&wb, &devices_source)[index]; }

static int device_rows(void)
{
    int count = 0;

    for (const struct list_row *row = list_fill(&wb, &devices_source); row->item >= 0; row++)
        count++;
    return count;
}

/* Of several each has a mark, and all together a row; one alone has neither. */
START_TEST(rows_of_devices)
{
    char text[64];

    has_gpus(0);
    ck_assert_int_eq(device_rows(), 2);
    ck_assert_str_eq(device_row(0).text, "cpu    a processor");
    ck_assert_str_eq(device_row(1).text, "GPU    unavailable: no NVIDIA GPU was found");
    ck_assert(device_row(1).disabled && !device_row(0).disabled);
    for (int gpus = 1; gpus <= 3; gpus++) {
        has_gpus(gpus);
        ck_assert_int_eq(device_rows(), gpus == 1 ? 2 : gpus + 2);
        for (int i = 0; i <= gpus; i++) {
            struct list_row row = device_row(i);

            snprintf(text, sizeof text, i ? "GPU %d  a card, %d.0 GiB" : "cpu    a processor",
                     i - 1, i);
            ck_assert_str_eq(row.text, text);
            ck_assert_int_eq(row.current, i == 0);
            if (gpus == 1)
                ck_assert_ptr_null(row.mark);
            else
                ck_assert_str_eq(row.mark, i ? "[ ] " : "    ");
        }
    }
    ck_assert_str_eq(device_row(4).text, "all    GPUs, a slab of the lattice each");
    ck_assert_str_eq(device_row(4).mark, "    ");
    ck_assert_ptr_nonnull(devices_source.mark(&wb, 0));
    ck_assert_ptr_nonnull(devices_source.mark(&wb, 4));
    ck_assert_ptr_null(devices_source.mark(&wb, 1));
    ck_assert_ptr_null(devices_source.mark(&wb, 3));
    ck_assert_str_eq(device_row(1).mark, "[x] ");
    ck_assert_str_eq(device_row(2).mark, "[ ] ");
    ck_assert_contains(device_row(2).detail, "marked: GPU 0,2; backend: cuda");
    ck_assert_ptr_null(devices_source.mark(&wb, 1));
    ck_assert_str_eq(device_row(1).mark, "[ ] ");
    ck_assert_contains(device_row(2).detail, "marked: GPU 2; ");
}
END_TEST

/* --- the list of a lab ------------------------------------------------------------------------ */

/* Its lines about a report of a check. */
static const char *lab_lines(const char *report)
{
    static char text[4096];
    size_t used = 0;

    json_decref(lab_of(&wb)->report);
    lab_of(&wb)->report = json_loads(report, 0, NULL);
    ck_assert_ptr_nonnull(lab_of(&wb)->report);
    lab_of(&wb)->phase = LAB_WRONG;
    for (const struct list_row *row = list_fill(&wb, &lab_source) + 1; row->item >= 0; row++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s\n", row->text);
    return text;
}

#define LAB_CASE "{\"text\":\"x 3\",\"size\":\"5x3\",\"seed\":7,"

START_TEST(lines_of_a_wrong_kernel)
{
    ck_assert_ok(ca_lab_backend_add(test_source("configs/lab/anneal"), test_path("none"), &error));
    ck_assert_str_eq(lab_lines(LAB_CASE "\"verdict\":\"found\",\"wrong_cells\":1,"
                                        "\"unwritten_cells\":1}"),
                     "x 3\non 5x3, seed 7; its cells are right there\n"
                     "1 cell wrong, 1 of them never written\n");
    ck_assert_str_eq(lab_lines(LAB_CASE "\"start\":4,\"passed\":9,\"call\":2,\"repeat\":1,"
                                        "\"wrong_cells\":12,\"unwritten_cells\":0}"),
                     "x 3\non 5x3, seed 7, from generation 4: 9 right, then a call of 2, when "
                     "repeated\n12 cells wrong\n");
    ck_assert_str_eq(lab_lines(LAB_CASE "\"start\":4,\"passed\":9,\"call\":2,"
                                        "\"only_together\":true,\"why\":[{\"text\":\"a\"}],"
                                        "\"findings\":[\"x 3\",\"b\"],\"map\":\"#.\\n.#\"}"),
                     "cause: a\nx 3\non 5x3, seed 7, from generation 4: 9 right, then a call of 2; "
                     "one generation a call, all are right\nb\n   #.\n   .#\n");
    json_decref(lab_of(&wb)->report);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.setup = setup,
                     .test = {history_of_frames, panel_of_a_paced_run,
                              panel_names_what_made_the_calls, panel_after_a_disturbed_burst,
                              panel_of_what_is_unknown, line_of_the_backend_before,
                              frames_are_read_with_care, line_of_a_history, line_of_a_run,
                              rows_of_a_comparison, rows_before_a_ratio, ratio_in_one_line,
                              log_is_scrolled, log_wraps, rows_of_devices,
                              lines_of_a_wrong_kernel});
}
