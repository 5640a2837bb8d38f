/* SPDX-License-Identifier: MIT */
/**
 * @file attention.h
 * Attention with any normalizer, forward and backward: out = N(scale q k^T) v, head by head and in blocks of rows, so
 * that nothing of queries x keys is kept unless it is asked for.
 *
 * Only what a query sees counts: scores are computed for the keys that a block of queries can see, a key that a query
 * does not see cannot reach its row, whatever it holds (NaN included), and n of a normalizer that uses n is the number
 * of keys seen. A query that sees nothing, or whose scores are all -inf, gives zeros and gradient zero. A NaN among the
 * seen numbers of q, k or v goes where arithmetic takes it.
 */
#ifndef LIBNORM_ATTENTION_H
#define LIBNORM_ATTENTION_H

#include <libnorm/normalizer.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Query r sees keys below causal_offset + r + 1. */
#define LIBNORM_ATTENTION_CAUSAL 1u
/** Queries and keys are divided by their lengths first, so that scores are cosines times scale (lssa and lssar are
 *  meant for such); one of length 0 stays 0 and has gradient 0. */
#define LIBNORM_ATTENTION_UNIT_LENGTH 2u

/**
 * Shapes, strides and what is seen. Set struct_size; zero everywhere else is a default, but for the extents.
 *
 * Strides are in elements, in the order batch, head, row; the numbers of a row lie side by side. 0, 0, 0: packed as
 * batch x head x row x width; head and row strides swapped give batch x row x head x width. The distance of two rows is
 * at least their width; inputs may repeat a batch or a head (stride 0 or any other), outputs may not write an element
 * twice and must not meet any other array of the call.
 */
typedef struct norm_attention {
    uint32_t struct_size; /**< sizeof(norm_attention) as the caller compiled it. */
    uint32_t flags;       /**< LIBNORM_ATTENTION_... */
    uint64_t batch, heads;
    uint64_t kv_heads; /**< Heads of k and v, a divisor of heads: query head h uses h / (heads / kv_heads); 0: heads. */
    uint64_t queries, keys;
    uint64_t head_dim, value_dim; /**< Widths of q and k, and of v and out; value_dim 0: head_dim. */
    double scale;                 /**< Factor of the scores, finite; 0: 1 / sqrt(head_dim). */
    int64_t q_stride[3], k_stride[3], v_stride[3];
    int64_t out_stride[3];    /**< Of out and its upstream gradient. */
    int64_t weight_stride[3]; /**< Of ret_weights; its rows are keys wide. */
    int64_t causal_offset;    /**< With LIBNORM_ATTENTION_CAUSAL: keys before the first query; may be negative. */
    const int64_t *begin, *end; /**< A query sees keys [begin, end), cut to [0, keys); NULL: 0 and keys. */
    int64_t interval_stride[3]; /**< Of begin and end, by batch, head, query; 0 repeats. */
    const uint8_t *visible;     /**< Non-zero: seen. NULL: all. What is seen is the intersection of all these. */
    int64_t visible_stride[4];  /**< By batch, head, query, key; 0 repeats. */
    /** normalizer_count 0: softmax; 1: one for all heads; heads: one each. Other counts are refused. */
    const norm_normalizer *const *normalizers;
    uint64_t normalizer_count;
} norm_attention;

/** What the forward pass can tell besides: batch x heads x queries doubles, packed; NULL: not wanted. As in
 *  norm_row_outputs. The arrays meet no other of the call. */
typedef struct norm_attention_outputs {
    uint32_t struct_size; /**< sizeof(norm_attention_outputs) as the caller compiled it. */
    uint32_t flags;       /**< 0. */
    double *log_sum, *threshold, *support, *entropy;
} norm_attention_outputs;

/**
 * out = N(scale q k^T) v.
 *
 * ret_weights: NULL, or room for the weights, hidden ones 0. outputs: NULL, or what is wanted of each row.
 * Memory: 64 x keys scores and O(keys x value_dim), from norm_exec.workspace or allocated for the call. Products run
 * through the BLAS, which brings threads of its own; norm_exec.threads are for the normalizer's rows and are used only
 * with a parallel_for of the host's. Same bits for any number of those, and in any batch: a head's result depends on
 * its own queries, keys, values and strides. The value rows that no query of a block gives weight to are skipped where
 * the normalizer is sparse. Error: that of the normalizer, of products of length head_dim and of sums over keys, in
 * f32.
 *
 * LIBNORM_E_ARGUMENT: an extent, stride, count or pointer that does not fit, unknown flags. LIBNORM_E_OVERLAP.
 * LIBNORM_E_CALLBACK and LIBNORM_E_CANCELLED (norm_exec.progress, called after each head) leave the results
 * unspecified; every other failure leaves them untouched. Any thread.
 */
LIBNORM_API norm_status norm_attention_forward_f32(const norm_attention *attention, const float *q, const float *k,
                                                   const float *v, float *ret_out, float *ret_weights,
                                                   const norm_attention_outputs *outputs, const norm_exec *exec,
                                                   norm_error *ret_error);

/**
 * Gradients of a loss in q, k and v from its gradient in out: upstream has out_stride; ret_dq, ret_dk and ret_dv have
 * the strides of q, k and v, which must be those of outputs. Heads that share keys and values are summed into one.
 * Weights are computed again, nothing of the forward pass is needed. A normalizer without a VJP:
 * LIBNORM_E_UNSUPPORTED. At a kink of the normalizer, and of rows with an infinite score, as norm_vjp_f32().
 * Everything else as norm_attention_forward_f32().
 */
LIBNORM_API norm_status norm_attention_backward_f32(const norm_attention *attention, const float *q, const float *k,
                                                    const float *v, const float *upstream, float *ret_dq,
                                                    float *ret_dk, float *ret_dv, const norm_exec *exec,
                                                    norm_error *ret_error);

/** Bytes of norm_exec.workspace that suffice for norm_attention_forward_f32() and norm_attention_backward_f32() with
 *  these shapes, strides and normalizers. */
LIBNORM_API norm_status norm_attention_workspace(const norm_attention *attention, const norm_exec *exec,
                                                 size_t *ret_bytes, norm_error *ret_error);

#ifdef __cplusplus
}
#endif
#endif
