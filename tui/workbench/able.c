/* SPDX-License-Identifier: MIT */
/* In the first pause after steps, bursts measure what the backend is able to. */
#include "tui/workbench/app.h"

#include <math.h>

#include "tui/workbench/session_requests.h"

#define ABLE_CALL_S 0.01 /* as the calls of a free run */
#define ABLE_CALLS 20
#define ABLE_S 0.1

static void able_taken(struct pane *pane, struct pending *pending, const struct ca_message *reply,
                       const struct ca_error *refusal);

/* Asks for a burst of calls of n generations. */
static void able_ask(struct pane *pane, uint64_t n)
{
    pane->figures.asked = n;
    session_send(pane, "burst",
                 json_pack("{s:I,s:I,s:f}", "n", (json_int_t)n, "calls", (json_int_t)ABLE_CALLS,
                           "seconds", ABLE_S),
                 able_taken);
}

/* Without memory for the kept state, for example, it stays unknown. */
static void able_taken(struct pane *pane, struct pending *pending, const struct ca_message *reply,
                       const struct ca_error *refusal)
{
    const json_t *seconds = json_object_get(reply->json, "seconds"), *value;
    double least = INFINITY, n;
    size_t i;

    (void)pending;
    if (refusal)
        return;
    json_array_foreach(seconds, i, value) least = fmin(least, json_number_value(value));
    n = least > 0 ? exp2(floor(log2(ABLE_CALL_S / least))) : 1;
    if (pane->figures.asked == 1 && n > 1 && isfinite(n) &&
        !ca_client_waiting(pane->session.client))
        able_ask(pane, (uint64_t)n);
    else
        session_view(pane); /* the next frame has the figure */
}

/* In the first pause after steps, a paced run or a change of the backend, bursts tell what the
 * backend is able to, if keeping the state for them costs little. */
void able_tick(struct pane *pane)
{
    const struct session *s = &pane->session;
    const struct figures *f = &pane->figures;

    if (s->open && !ca_client_waiting(s->client) && !s->running && !split_is_open(pane->wb) &&
        (f->timing.figures.count > 0 || f->before[0]) && f->timing.able.count == 0 && !f->asked &&
        checkpoint_is_cheap(pane))
        able_ask(pane, 1);
}
