/* SPDX-License-Identifier: MIT */
/* log(1 + e^z) as a member of the family, for softplus and the normalizers built on it. */
#ifndef NORM_NORMALIZERS_SOFTPLUS_H
#define NORM_NORMALIZERS_SOFTPLUS_H

#include "normalizers/family.h"

extern const struct norm__member norm__softplus_member;

/* 1 / (1 + e^-z) and log(1 + e^z), without overflow. */
double norm__sigmoid_of(double z);
double norm__softplus_of(double z);

#endif
