/* SPDX-License-Identifier: MIT */
/*
 * How cell() reads its neighbours, for calab_model.h, which includes this file: with checks where
 * CA_CHECKED is defined, as it is for the backend `reference`, else as the value alone.
 */
#ifndef CALAB_MODEL_CHECKS_H
#define CALAB_MODEL_CHECKS_H

#ifdef CA_CHECKED
#define CA_IS_CHECKED 1
static __thread const struct ca_model_job *ca_job;

CA_FUNCTION void ca_fault(CA_NB *nb, int kind, int line, double value, int dx, int dy, int dz)
{
    struct ca_model_fault *fault = ca_job->fault;

    if (!fault || fault->kind != CA_FOUND_NOTHING)
        return;
    fault->kind = kind, fault->line = line, fault->value = value;
    fault->x = nb->x, fault->y = nb->y, fault->z = nb->z;
    fault->dx = dx, fault->dy = dy, fault->dz = dz;
}

CA_FUNCTION ca_cell ca_get(CA_NB *nb, int plane, int dx, int dy, int dz, int line)
{
    int reach_z = CA_DIMENSIONS == 3 ? CA_RADIUS : 0;

    if (plane < 0 || plane >= CA_PARTS || dx < -CA_RADIUS || dx > CA_RADIUS || dy < -CA_RADIUS ||
        dy > CA_RADIUS || dz < -reach_z || dz > reach_z) {
        ca_fault(nb, CA_FOUND_READ, line, plane, dx, dy, dz);
        return 0;
    }
    if (ca_job->reads)
        ca_job->reads[((plane * CA_LAYERS + dz + CA_MIDDLE) * CA_SIDE + dy + CA_RADIUS) * CA_SIDE +
                      dx + CA_RADIUS] = 1;
    return CA_LOADED(*nb, plane, dz + CA_MIDDLE, dy + CA_RADIUS, dx + CA_RADIUS);
}

CA_FUNCTION uint32_t ca_drawn(CA_NB *nb, int bits, int stream, int line)
{
    if (stream >= 0 && stream < (bits == 16 ? CA_DRAWS_16 : CA_DRAWS))
        return bits == 16 ? nb->draw_16[stream] : nb->draw[stream];
    ca_fault(nb, CA_FOUND_DRAW, line, stream, bits, 0, 0);
    return 0;
}
#define CA_GET(p, dx, dy, dz) ca_get(&nb, p, dx, dy, dz, __LINE__)
#define CA_DRAWN(stream) ca_drawn(&nb, 32, stream, __LINE__)
#define CA_DRAWN_16(stream) ((uint16_t)ca_drawn(&nb, 16, stream, __LINE__))
#if CA_IS_FLOAT
#define CA_SUMMED(sum) ((ca_sum)(sum))
#else
CA_FUNCTION ca_sum ca_summed(CA_NB *nb, int sum, int line)
{
    if (sum > CA_SUM_MAX)
        ca_fault(nb, CA_FOUND_SUM, line, sum, 0, 0, 0);
    return (ca_sum)sum;
}
#define CA_SUMMED(sum) ca_summed(&nb, sum, __LINE__)
#endif
#elif defined(CA_BITS)
static __thread int ca_reads_beyond;
#define CA_GET(p, dx, dy, dz)                                                                      \
    ((p) == 0 && (dz) == 0 && (dx) >= -1 && (dx) <= 1 && (dy) >= -1 && (dy) <= 1                   \
         ? nb.at[0][0][(dy) + 1][(dx) + 1]                                                         \
         : (ca_cell)(ca_reads_beyond = 1))
#define CA_SUMMED(sum) ((ca_sum)(sum))
#else
#define CA_IS_CHECKED 0
#define CA_GET(p, dx, dy, dz) CA_LOADED(nb, p, (dz) + CA_MIDDLE, (dy) + CA_RADIUS, (dx) + CA_RADIUS)
#define CA_DRAWN(stream) (nb.draw[stream])
#define CA_DRAWN_16(stream) (nb.draw_16[stream])
#define CA_SUMMED(sum) ((ca_sum)(sum))
#endif

#endif
