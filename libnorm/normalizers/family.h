/* SPDX-License-Identifier: MIT */
/* What all normalizers of the form w_i = F(z_i) / S, S = sum_j F(z_j), share. Their derivatives need three arrays:
 * the weights w = F/S, the slopes b = F'/S and the bends e = F''/S. None of them overflows where F does. */
#ifndef NORM_NORMALIZERS_FAMILY_H
#define NORM_NORMALIZERS_FAMILY_H

#include "normalizers/kind.h"

/* d_j = b_j (g_j - w.g) */
void norm__family_product(const double *w, const double *b, const double *g, size_t n, double *d);
/* d_i = b_i v_i - w_i (b.v) */
void norm__family_tangent(const double *w, const double *b, const double *v, size_t n, double *d);
/* dz of <h, J^T g>, with G = g - w.g, m = b.h: e h G - b (m G + sum (b h - w m) G) */
void norm__family_second(const double *w, const double *b, const double *e, const double *g, const double *h, size_t n,
                         double *dz);

/* A member given by one function of one score, in forms that keep their digits for every z: log F, its slope
 * rho = F'/F and F''/F. At z = -inf: log F = -inf and the others finite. */
struct norm__member {
    double (*log_f)(double z);
    double (*slope)(double z);
    double (*bend)(double z);
};

/* Row functions of a member; scratch: 2. */
int32_t norm__member_apply(const struct norm__member *f, const struct norm__row *row, double *w);
int32_t norm__member_log_apply(const struct norm__member *f, const struct norm__row *row, double *log_w);
int32_t norm__member_vjp(const struct norm__member *f, const struct norm__row *row, const double *w, const double *g,
                         double *d);
int32_t norm__member_log_vjp(const struct norm__member *f, const struct norm__row *row, const double *w,
                             const double *g, double *d);
int32_t norm__member_jvp(const struct norm__member *f, const struct norm__row *row, const double *w, const double *v,
                         double *d);
int32_t norm__member_hvp(const struct norm__member *f, const struct norm__row *row, const double *w, const double *g,
                         const double *h, double *dz, double *dg);
int32_t norm__member_form(const struct norm__member *f, const struct norm__row *row, const double *w,
                          struct norm__form *ret);

/* The same with the member bound, as a kind wants them: static functions of the file that uses this. */
#define NORM__MEMBER_ROW_FUNCTIONS(member)                                                                             \
    static int32_t apply(const struct norm__row *row, double *w, struct norm__facts *facts)                           \
    {                                                                                                                  \
        (void)facts;                                                                                                   \
        return norm__member_apply(&(member), row, w);                                                                  \
    }                                                                                                                  \
    static int32_t log_apply(const struct norm__row *row, double *log_w, struct norm__facts *facts)                   \
    {                                                                                                                  \
        (void)facts;                                                                                                   \
        return norm__member_log_apply(&(member), row, log_w);                                                          \
    }                                                                                                                  \
    static int32_t vjp(const struct norm__row *row, const double *w, const double *g, double *d)                      \
    {                                                                                                                  \
        return norm__member_vjp(&(member), row, w, g, d);                                                              \
    }                                                                                                                  \
    static int32_t log_vjp(const struct norm__row *row, const double *w, const double *g, double *d)                  \
    {                                                                                                                  \
        return norm__member_log_vjp(&(member), row, w, g, d);                                                          \
    }                                                                                                                  \
    static int32_t jvp(const struct norm__row *row, const double *w, const double *v, double *d)                      \
    {                                                                                                                  \
        return norm__member_jvp(&(member), row, w, v, d);                                                              \
    }                                                                                                                  \
    static int32_t hvp(const struct norm__row *row, const double *w, const double *g, const double *h, double *dz,    \
                       double *dg)                                                                                     \
    {                                                                                                                  \
        return norm__member_hvp(&(member), row, w, g, h, dz, dg);                                                      \
    }                                                                                                                  \
    static int32_t form(const struct norm__row *row, double *w, struct norm__form *ret)                                \
    {                                                                                                                  \
        return norm__member_form(&(member), row, w, ret);                                                              \
    }

#endif
