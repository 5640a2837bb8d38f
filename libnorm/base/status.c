/* SPDX-License-Identifier: MIT */
#include <libnorm/status.h>

const char *norm_status_name(norm_status status)
{
    static const char *const names[] = {
        "LIBNORM_OK",       "LIBNORM_E_ARGUMENT", "LIBNORM_E_NOMEM",  "LIBNORM_E_UNSUPPORTED",
        "LIBNORM_E_OVERLAP", "LIBNORM_E_SPEC",    "LIBNORM_E_IO",     "LIBNORM_E_FORMAT",
        "LIBNORM_E_FULL",   "LIBNORM_E_BUSY",     "LIBNORM_E_CALLBACK", "LIBNORM_E_CANCELLED",
    };
    if (status > 0 || status < LIBNORM_E_CANCELLED)
        return "LIBNORM_E_UNKNOWN";
    return names[-status];
}
