/* SPDX-License-Identifier: MIT */
/* The models' records, each in kernels/<model>/ladder.c. Only the registry looks at them by name.
 */
#ifndef CALAB_CORE_MODEL_REGISTRY_H
#define CALAB_CORE_MODEL_REGISTRY_H

#include "core/model/model.h"

extern const struct ca_model anneal_model, life3d_model, cloud_model, fhp_model, water_model;

#endif
