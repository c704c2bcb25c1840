/* SPDX-License-Identifier: MIT */
/* Tab completes a prompt: the line grows as far as all candidates agree. */
#include "tui/workbench/lists/complete.h"

#include <stdio.h>
#include <string.h>

#include "tui/workbench/base/dialog.h"
#include "tui/workbench/base/shared.h"
#include "tui/workbench/engine/pane.h"

/* --- arguments -------------------------------------------------------------------------------- */

void model_words(struct workbench *wb, struct completion *completion)
{
    (void)wb;
    complete_models(completion);
}

void backend_words(struct workbench *wb, struct completion *completion)
{
    complete_backends(completion, wb->pane->experiment.model);
}

void backends_words(struct workbench *wb, struct completion *completion)
{
    completion_after(completion, ",");
    complete_backends(completion, wb->pane->experiment.model);
}

void file_words(struct workbench *wb, struct completion *completion)
{
    (void)wb;
    complete_files(completion);
}

void open_words(struct workbench *wb, struct completion *completion)
{
    (void)wb;
    complete_shipped(completion);
    complete_files(completion);
}

void start_words(struct workbench *wb, struct completion *completion)
{
    complete_starts(completion, wb->pane->experiment.model);
    complete_files(completion);
}

void speed_words(struct workbench *wb, struct completion *completion)
{
    (void)wb;
    completion_offer(completion, "max");
}

void range_words(struct workbench *wb, struct completion *completion)
{
    (void)wb;
    completion_offer(completion, "auto");
}

void set_words(struct workbench *wb, struct completion *completion)
{
    const struct ca_experiment *e = &wb->pane->experiment;

    completion->files = true;
    complete_settings(completion, e->params.table);
    complete_settings(completion, e->options.table);
    complete_settings(completion, ca_settings_values(wb->settings)->table);
}

/* --- the line --------------------------------------------------------------------------------- */

/* Several candidates: what each adds, as many as the message holds. */
static void list_them(const struct completion *completion, char *message, int size)
{
    int used = 0;

    for (int i = 0; i < completion->count && used < size; i++) {
        const char *part = completion->word[i] + completion->from;

        if (used + (int)strlen(part) + 6 >= size) {
            snprintf(message + used, (size_t)(size - used), " ...");
            return;
        }
        used += snprintf(message + used, (size_t)(size - used), "%s%s", used ? "  " : "", part);
    }
}

void completion_extend(const struct completion *completion, char *text, char *message, int size)
{
    size_t from = (size_t)(completion->typed - text), shared;

    message[0] = 0;
    if (completion->count == 0)
        return;
    shared = strlen(completion->word[0]);
    for (int i = 1; i < completion->count; i++)
        while (strncmp(completion->word[0], completion->word[i], shared) != 0)
            shared--;
    if (completion->count > 1)
        list_them(completion, message, size);
    if (from + shared < PROMPT_MAX)
        snprintf(text + from, PROMPT_MAX - from, "%.*s", (int)shared, completion->word[0]);
}

void start_complete(struct workbench *wb, char *text, char *message, int size)
{
    struct completion completion;

    completion_begin(&completion, text);
    start_words(wb, &completion);
    completion_extend(&completion, text, message, size);
    completion_end(&completion);
}

void value_complete(const struct ca_param *param, char *text, char *message, int size)
{
    struct completion completion;

    completion_begin(&completion, text);
    completion.files = true;
    complete_value(&completion, param);
    completion_extend(&completion, text, message, size);
    completion_end(&completion);
}

void file_complete(struct workbench *wb, char *text, char *message, int size)
{
    struct completion completion;

    (void)wb;
    completion_begin(&completion, text);
    complete_files(&completion);
    completion_extend(&completion, text, message, size);
    completion_end(&completion);
}
