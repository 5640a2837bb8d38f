/* SPDX-License-Identifier: MIT */
#include "kernels/kernels.h"

#include <math.h>

/* log2(e) as an unevaluated sum of two doubles. */
#define LOG2E_HIGH 0x1.71547652b82fep+0
#define LOG2E_LOW 0x1.777d0ffda0d24p-56

struct norm__softmax_scale norm__softmax_scale(double temperature)
{
    struct norm__softmax_scale s = {.temperature = temperature};
    s.moderate = norm__temperature_moderate(temperature);
    if (!s.moderate)
        return s;
    /* Long division: the remainder of the first quotient is exact in a fused multiply-add. */
    s.inverse_high = 1.0 / temperature;
    s.inverse_low = fma(-s.inverse_high, temperature, 1.0) / temperature;
    s.log2e_high = LOG2E_HIGH / temperature;
    s.log2e_low = (fma(-s.log2e_high, temperature, LOG2E_HIGH) + LOG2E_LOW) / temperature;
    return s;
}
