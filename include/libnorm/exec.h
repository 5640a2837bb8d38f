/* SPDX-License-Identifier: MIT */
/**
 * @file exec.h
 * How to run a call: memory, threads, instruction set, progress. Every function that takes a norm_exec takes NULL for
 * "one thread, malloc, the best instruction set, no progress".
 */
#ifndef LIBNORM_EXEC_H
#define LIBNORM_EXEC_H

#include <libnorm/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The caller's memory. Frozen: this struct never grows. It is copied when a handle is made and must work until the last
 * handle made with it is gone. Both functions are called from any thread that calls libnorm.
 */
typedef struct norm_allocator {
    void *user;
    /** size bytes aligned to align (a power of two, at least sizeof(void *)), or NULL. size is never 0. */
    void *(*alloc)(void *user, size_t size, size_t align);
    /** p came from alloc with this size; never NULL. */
    void (*release)(void *user, void *p, size_t size);
} norm_allocator;

/**
 * CPU levels. A level is a set of instructions the kernels may use; norm_exec.cpu_level caps it. Numbers are frozen and
 * ordered within one architecture; a cap that the machine or this build lacks means the best level below it.
 */
#define LIBNORM_CPU_BEST 0      /**< What the machine has, by libnorm's own policy. */
#define LIBNORM_CPU_SCALAR 10   /**< The reference kernels: plain C, one element at a time. */
#define LIBNORM_CPU_BASELINE 20 /**< What every machine of the architecture has. */
#define LIBNORM_CPU_NEON 30     /**< Advanced SIMD with fused multiply-add (aarch64). */
#define LIBNORM_CPU_AVX2 40     /**< AVX2 and FMA (x86-64). */
#define LIBNORM_CPU_AVX512 50   /**< AVX-512 F, DQ, BW and VL (x86-64). */

typedef struct norm_exec {
    uint32_t struct_size; /**< sizeof(norm_exec) as the caller compiled it. */
    uint32_t flags;       /**< 0; unknown bits are refused. */
    /**
     * 0 or 1: the caller's thread alone. More: the work is cut into fixed pieces that run through parallel_for when
     * it is given, else on threads started for this call and joined before it returns. Results do not depend on it.
     * Negative or over 1024 is refused. A thread that cannot be started is done without.
     */
    int32_t threads;
    int32_t cpu_level; /**< A cap, LIBNORM_CPU_...; 0 for the best. Other numbers are refused. */
    /** workspace_size bytes for this call alone, any alignment; NULL: allocated for the call.
     *  The size is asked of the function's ..._workspace; too little is refused before anything is written. */
    void *workspace;
    uint64_t workspace_size;
    const norm_allocator *allocator; /**< For what the call allocates; NULL: malloc. */
    void *parallel_user;
    /** Runs task(arg, 0) ... task(arg, tasks - 1), on any threads, and returns when all are done. */
    void (*parallel_for)(void *user, size_t tasks, void (*task)(void *arg, size_t index), void *arg);
    void *progress_user;
    /** Called now and then, on the caller's thread, done from 0 to 1; non-zero cancels: LIBNORM_E_CANCELLED. */
    int32_t (*progress)(void *user, double done);
} norm_exec;

/** The best CPU level of this machine that this build has. Detected once; any thread. */
LIBNORM_API int32_t norm_cpu_level(void);

/** "avx2" for LIBNORM_CPU_AVX2, "best" for 0; "unknown" for other numbers. Static text; any thread. */
LIBNORM_API const char *norm_cpu_level_name(int32_t level);

/**
 * The level with this name ("best", "scalar", "baseline", "neon", "avx2", "avx512"). The library reads no environment:
 * programs that want a variable such as LIBNORM_CPU read it, pass it through here and set norm_exec.cpu_level.
 * An unknown name is LIBNORM_E_ARGUMENT; *ret_level is then untouched.
 */
LIBNORM_API norm_status norm_cpu_level_parse(const char *name, int32_t *ret_level, norm_error *ret_error);

/** What does the matrix products, and whether it knows this processor. */
typedef struct norm_blas_info {
    uint32_t struct_size; /**< sizeof(norm_blas_info), set by the caller. */
    uint32_t flags;       /**< 0. */
    int32_t suits;        /**< 1: the kernel fits the CPU, -1: it is slower than the CPU allows, 0: not known. */
    int32_t reserved;     /**< 0. */
    char library[32];     /**< "openblas", "flexiblas", "blas", "blis", or "none" for the plain C product. */
    char kernel[48];      /**< The name the library gives its kernel, "Haswell"; empty where it cannot be asked. */
    char advice[48];      /**< A value for OPENBLAS_CORETYPE that suits this CPU better; empty when there is none. */
} norm_blas_info;

/**
 * Describes the BLAS in use. An OpenBLAS older than the processor falls back silently to kernels several times slower;
 * this finds out by asking the library that is loaded. Sets nothing, reads no environment. Any thread.
 */
LIBNORM_API norm_status norm_blas_describe(norm_blas_info *ret_info, norm_error *ret_error);

#ifdef __cplusplus
}
#endif
#endif
