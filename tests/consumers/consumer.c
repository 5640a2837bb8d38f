/* SPDX-License-Identifier: MIT */
/* What the consumers build: it ends well if the libnorm it was compiled for is the one that was loaded. */
#include <libnorm/norm.h>
#include <stdio.h>

int main(void)
{
    const float scores[3] = {1, 2, 2.5f};
    float weights[3];
    const uint32_t version = norm_version_number();
    if (norm_sparsemax_f32(scores, 3, weights) != LIBNORM_OK)
        return 1;
    printf("libnorm %u.%u.%u: %g %g %g\n", (unsigned)(version >> 16), (unsigned)(version >> 8 & 255),
           (unsigned)(version & 255), (double)weights[0], (double)weights[1], (double)weights[2]);
    return !(version >> 16 == LIBNORM_VERSION_MAJOR && weights[0] == 0 && weights[1] == 0.25f && weights[2] == 0.75f);
}
