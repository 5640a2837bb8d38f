/* SPDX-License-Identifier: MIT */
#include "bench/write.h"
#include "json.h"

void write_machine_text(struct buffer *out, const struct machine *machine, const struct processor *processor)
{
    buffer_format(out, "libnorm %s, CPU level %s", machine->library, machine->cpu_level);
    if (processor->name[0] != '\0')
        buffer_format(out, ", %s", processor->name);
    if (processor->level2 != 0)
        buffer_format(out, ", caches %zu KiB and %zu MiB", processor->level2 >> 10, processor->level3 >> 20);
    buffer_format(out, "\nBLAS %s", machine->blas.library);
    if (machine->blas.kernel[0] != '\0')
        buffer_format(out, ", kernel %s", machine->blas.kernel);
    buffer_text(out, "\n");
}

static void size_json(struct buffer *out, const char *key, size_t bytes)
{
    json_key(out, key);
    if (bytes == 0)
        buffer_text(out, "null");
    else
        buffer_whole(out, (long)bytes);
}

void write_machine_json(struct buffer *out, const struct machine *machine, const struct processor *processor)
{
    json_key(out, "libnorm");
    json_text(out, machine->library);
    json_key(out, "cpu_level");
    json_text(out, machine->cpu_level);
    json_key(out, "processor");
    json_text(out, processor->name);
    size_json(out, "cache_l2_bytes", processor->level2);
    size_json(out, "cache_l3_bytes", processor->level3);
    json_key(out, "blas");
    json_text(out, machine->blas.library);
    json_key(out, "blas_kernel");
    json_text(out, machine->blas.kernel);
}
