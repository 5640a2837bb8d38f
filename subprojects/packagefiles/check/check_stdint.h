/* SPDX-License-Identifier: MIT */
#ifndef CHECK_STDINT_H
#define CHECK_STDINT_H
#include <stdint.h>
#endif
