/* SPDX-License-Identifier: MIT */
#include "result.h"

#include "difference.h"
#include "json.h"

void result_text(const struct result *r, struct buffer *out)
{
    buffer_text(out, r->pass->spec);
    for (uint64_t i = 0; r->fit != NULL && i < r->fit->count; i++) {
        buffer_format(out, i == 0 ? "  fitted %s=" : ",", r->fit->key);
        buffer_f64(out, r->fit->value[i]);
    }
    buffer_format(out, "  tokens %zu  predictions %llu  loss ", r->windows->ids->count,
                  (unsigned long long)r->pass->predictions);
    buffer_f64(out, pass_mean_loss(r->pass));
    buffer_text(out, "  perplexity ");
    buffer_f64(out, pass_perplexity(r->pass));
    buffer_text(out, "  bits a byte ");
    buffer_f64(out, pass_bits_a_byte(r->pass));
    if (r->base != NULL) {
        struct difference d = difference_find(r->pass->window_loss, r->base, r->windows);
        buffer_text(out, "  over softmax ");
        buffer_f64(out, d.mean);
        buffer_text(out, "  from ");
        buffer_f64(out, d.low);
        buffer_text(out, "  to ");
        buffer_f64(out, d.high);
    }
    buffer_text(out, "\n");
}

void result_json(const struct result *r, struct buffer *out)
{
    buffer_text(out, "{");
    json_key(out, "normalizer");
    json_text(out, r->pass->spec);
    if (r->fit != NULL) {
        json_key(out, "fitted");
        buffer_text(out, "{");
        json_key(out, "key");
        json_text(out, r->fit->key);
        json_key(out, "values");
        for (uint64_t i = 0; i < r->fit->count; i++) {
            buffer_text(out, i == 0 ? "[" : ", ");
            json_number(out, r->fit->value[i]);
        }
        buffer_text(out, "]");
        json_key(out, "calibration_loss");
        json_number(out, r->fit->loss);
        buffer_text(out, "}");
    }
    json_key(out, "tokens");
    json_number(out, (double)r->windows->ids->count);
    json_key(out, "windows");
    json_number(out, (double)r->windows->count);
    json_key(out, "predictions");
    json_number(out, (double)r->pass->predictions);
    json_key(out, "loss");
    json_number(out, pass_mean_loss(r->pass));
    json_key(out, "perplexity");
    json_number(out, pass_perplexity(r->pass));
    json_key(out, "bits_per_byte");
    json_number(out, pass_bits_a_byte(r->pass));
    if (r->base != NULL) {
        struct difference d = difference_find(r->pass->window_loss, r->base, r->windows);
        json_key(out, "over_softmax");
        json_number(out, d.mean);
        json_key(out, "over_softmax_low");
        json_number(out, d.low);
        json_key(out, "over_softmax_high");
        json_number(out, d.high);
    }
    buffer_text(out, "}");
}
