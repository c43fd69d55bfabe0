/* quad.h - vectors of four numbers, one for each of four contacts or bodies. Internal.
 *
 * Vector expressions use the IEEE operations of the scalar expression in the same order. Each element
 * therefore has the same bits in any position, and on processors with two or four numbers a register.
 * Functions are inlined and take pointers because the calling convention of vectors depends on the
 * processor. */
#ifndef HN_QUAD_H
#define HN_QUAD_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HN_FOUR = 4 };
typedef double hn_double4[HN_FOUR]; /* storage of one number of each */

typedef double quad
  __attribute__((vector_size(HN_FOUR * sizeof(double)), aligned(sizeof(double)), may_alias));
typedef int64_t mask __attribute__((vector_size(HN_FOUR * sizeof(int64_t))));
typedef double half
  __attribute__((vector_size(HN_FOUR / 2 * sizeof(double)), aligned(sizeof(double)), may_alias));
#define Q(x) (*(quad *)(x))
#define P(x) (*(half *)(x))
#define MASKED(m, x) ((quad)((m) & (mask)(x))) /* 0 where the mask is clear */
#define SELECT(m, x, y) ((quad)(((m) & (mask)(x)) | (~(m) & (mask)(y))))
#define ANY(m) (((m)[0] | (m)[1] | (m)[2] | (m)[3]) != 0)
#define ABSOLUTE(x) ((quad)((mask)(x)&INT64_MAX)) /* absolute value */
#define SQUARE_ROOT(x) ((quad){ sqrt((x)[0]), sqrt((x)[1]), sqrt((x)[2]), sqrt((x)[3]) })

/* Interleaving of X and Y: their even or odd elements, and their lower or upper halves. */
#define EVEN(x, y) __builtin_shufflevector(x, y, 0, 4, 2, 6)
#define ODD(x, y) __builtin_shufflevector(x, y, 1, 5, 3, 7)
#define LOWER(x, y) __builtin_shufflevector(x, y, 0, 1, 4, 5)
#define UPPER(x, y) __builtin_shufflevector(x, y, 2, 3, 6, 7)

#define inlined static inline __attribute__((always_inline))

/* Marks a function compiled for AVX2, and tests for it at run time. Fused multiply-add stays off: it rounds
 * once less. */
#if defined __x86_64__ && defined __GNUC__
#define AVX2_FUNCTION __attribute__((target("avx2")))
#define HAS_AVX2() __builtin_cpu_supports("avx2")
#else
#define AVX2_FUNCTION
#define HAS_AVX2() false
#endif

/* Transposes four rows of four numbers: v[k] has element k of each row. */
inlined void quad_transpose(const double *x0, const double *x1, const double *x2, const double *x3, quad *v)
{
  const quad x = EVEN(Q(x0), Q(x1)), y = ODD(Q(x0), Q(x1)), z = EVEN(Q(x2), Q(x3)), w = ODD(Q(x2), Q(x3));
  v[0] = LOWER(x, z), v[1] = LOWER(y, w), v[2] = UPPER(x, z), v[3] = UPPER(y, w);
}

/* Gathers the six numbers of each of four bodies from U; quad_scatter stores them back. */
inlined void quad_gather(double *u, const int *body, quad *v)
{
  double *u0 = u + 6 * (size_t)body[0], *u1 = u + 6 * (size_t)body[1], *u2 = u + 6 * (size_t)body[2],
         *u3 = u + 6 * (size_t)body[3];
  const quad s = __builtin_shufflevector(P(u0 + 4), P(u2 + 4), 0, 1, 2, 3);
  const quad t = __builtin_shufflevector(P(u1 + 4), P(u3 + 4), 0, 1, 2, 3);
  quad_transpose(u0, u1, u2, u3, v);
  v[4] = EVEN(s, t), v[5] = ODD(s, t);
}

inlined void quad_scatter(double *u, const int *body, const quad *v)
{
  double *u0 = u + 6 * (size_t)body[0], *u1 = u + 6 * (size_t)body[1], *u2 = u + 6 * (size_t)body[2],
         *u3 = u + 6 * (size_t)body[3];
  const quad x = EVEN(v[0], v[1]), y = ODD(v[0], v[1]), z = EVEN(v[2], v[3]), w = ODD(v[2], v[3]);
  const quad s = EVEN(v[4], v[5]), t = ODD(v[4], v[5]);
  Q(u0) = LOWER(x, z), P(u0 + 4) = __builtin_shufflevector(s, s, 0, 1);
  Q(u1) = LOWER(y, w), P(u1 + 4) = __builtin_shufflevector(t, t, 0, 1);
  Q(u2) = UPPER(x, z), P(u2 + 4) = __builtin_shufflevector(s, s, 2, 3);
  Q(u3) = UPPER(y, w), P(u3 + 4) = __builtin_shufflevector(t, t, 2, 3);
}

inlined void quad_cross(const quad *x, const quad *y, quad *out)
{
  out[0] = x[1] * y[2] - x[2] * y[1];
  out[1] = x[2] * y[0] - x[0] * y[2];
  out[2] = x[0] * y[1] - x[1] * y[0];
}

#endif
