/* ida_vector.c - vectors of IDA, with the operations it needs.
 *
 * Sums and norms dominated a step of IDA with the serial vectors of SUNDIALS: these sum a norm in one chain
 * of dependent additions, and compute a linear combination of k vectors in k passes over memory. Here a
 * vector consists of whole blocks of numbers, padded with zeros, and a block fits into registers. A norm is
 * summed in independent chains, in an order that depends on the length alone; a combination is one pass. A
 * block is read before it is written, so a result may be one of the operands. */
#include "ida/ida_vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef double pair __attribute__((vector_size(2 * sizeof(double))));

enum { CHAINS = 4 };
typedef struct block {
  pair part[CHAINS];
} block;
enum { BLOCK = sizeof(block) / sizeof(double), ALIGNMENT = 64 };
enum { MAX_TERMS = 8 }; /* terms of a linear combination computed in one pass; IDA has at most 6 */

typedef struct content {
  int size;    /* number of entries; the rest of the last block is zero */
  int count;   /* blocks */
  int weighed; /* blocks with nonzero weights */
  block *data;
} content;

static inline content *content_of(N_Vector v)
{
  return v->content;
}

static inline block *data_of(N_Vector v)
{
  return content_of(v)->data;
}

static double *numbers(N_Vector v)
{
  return (double *)data_of(v);
}

/* ---- Blocks -------------------------------------------------------------------------------------------- */

static inline block scaled(double c, block a)
{
  for (int k = 0; k < CHAINS; k++) a.part[k] *= c;
  return a;
}

/* Returns a + c b. */
static inline block plus(block a, double c, block b)
{
  for (int k = 0; k < CHAINS; k++) a.part[k] += c * b.part[k];
  return a;
}

/* Returns a + (b w)^2, element by element. */
static inline block plus_square(block a, block b, block w)
{
  for (int k = 0; k < CHAINS; k++) b.part[k] *= w.part[k], a.part[k] += b.part[k] * b.part[k];
  return a;
}

static inline double total(block a)
{
  pair sum = (a.part[0] + a.part[1]) + (a.part[2] + a.part[3]);
  return sum[0] + sum[1];
}

/* ---- Operations ---------------------------------------------------------------------------------------- */

/* Computes z = sum of c_j x_j over j < count <= MAX_TERMS, in the order of j. */
static inline void combine(int count, const double *c, N_Vector *x, N_Vector z)
{
  const block *term[MAX_TERMS];
  block *out = data_of(z);
  for (int j = 0; j < count; j++) term[j] = data_of(x[j]);
  for (int i = 0; i < content_of(z)->count; i++) {
    block sum = scaled(c[0], term[0][i]);
    for (int j = 1; j < count; j++) sum = plus(sum, c[j], term[j][i]);
    out[i] = sum;
  }
}

static void linear_sum(realtype a, N_Vector x, realtype b, N_Vector y, N_Vector z)
{
  combine(2, (const double[]){ a, b }, (N_Vector[]){ x, y }, z);
}

/* Computes a linear combination; z is none of the x, or the first. */
static int linear_combination(int count, realtype *c, N_Vector *x, N_Vector z)
{
  combine(count < MAX_TERMS ? count : MAX_TERMS, c, x, z);
  for (int j = MAX_TERMS; j < count; j++) linear_sum(1.0, z, c[j], x[j], z);
  return 0;
}

/* Computes z_j = a x_j + b y_j for j = 0, 1, ... in turn, block by block. y_j may be z_(j-1), as in IDA's
 * update of its differences, phi_k += e, phi_(k-1) += phi_k, ..., where it stays in registers. */
static int linear_sums(int count, realtype a, N_Vector *x, realtype b, N_Vector *y, N_Vector *z)
{
  for (int i = 0; i < content_of(z[0])->count; i++) {
    block last = data_of(y[0])[i];
    for (int j = 0; j < count; j++) {
      if (j > 0 && y[j] != z[j - 1]) last = data_of(y[j])[i];
      data_of(z[j])[i] = last = plus(scaled(b, last), a, data_of(x[j])[i]);
    }
  }
  return 0;
}

static void scale(realtype c, N_Vector x, N_Vector z)
{
  combine(1, &c, &x, z);
}

static void constant(realtype c, N_Vector z)
{
  double *out = numbers(z);
  for (int i = 0; i < content_of(z)->size; i++) out[i] = c;
}

/* Returns sqrt(sum of (x_i w_i)^2 / size). */
static realtype weighted_norm(N_Vector x, N_Vector weight)
{
  block sum = { { { 0.0 } } };
  for (int i = 0; i < content_of(x)->weighed; i++) sum = plus_square(sum, data_of(x)[i], data_of(weight)[i]);
  return sqrt(total(sum) / content_of(x)->size);
}

double hn_ida_correct(const hn_ida_newton *newton, N_Vector x)
{
  const block *X = data_of(x), *w = data_of(newton->weight), *y_0 = data_of(newton->y_0);
  const block *rate_0 = data_of(newton->rate_0);
  block *e = data_of(newton->sum), *y = data_of(newton->y), *rate = data_of(newton->rate),
        sum = { { { 0.0 } } };
  for (int i = 0; i < content_of(x)->count; i++) {
    const block correction = X[i], total_correction = plus(e[i], -1.0, correction);
    sum = plus_square(sum, correction, w[i]);
    e[i] = total_correction;
    y[i] = plus(y_0[i], 1.0, total_correction);
    rate[i] = plus(rate_0[i], newton->c, total_correction);
  }
  return sqrt(total(sum) / content_of(x)->size);
}

/* ---- Operations required by IDA, used only for constraints and its own weights ------------------------- */

static void product(N_Vector x, N_Vector y, N_Vector z)
{
  for (int i = 0; i < content_of(z)->size; i++) numbers(z)[i] = numbers(x)[i] * numbers(y)[i];
}

static void absolute(N_Vector x, N_Vector z)
{
  for (int i = 0; i < content_of(z)->size; i++) numbers(z)[i] = fabs(numbers(x)[i]);
}

static void inverse(N_Vector x, N_Vector z)
{
  for (int i = 0; i < content_of(z)->size; i++) numbers(z)[i] = 1.0 / numbers(x)[i];
}

static void add_constant(N_Vector x, realtype c, N_Vector z)
{
  for (int i = 0; i < content_of(z)->size; i++) numbers(z)[i] = numbers(x)[i] + c;
}

static realtype minimum(N_Vector x)
{
  double smallest = INFINITY;
  for (int i = 0; i < content_of(x)->size; i++) smallest = fmin(smallest, numbers(x)[i]);
  return smallest;
}

/* ---- The vector ---------------------------------------------------------------------------------------- */

static N_Vector_ID type_of(N_Vector v)
{
  (void)v;
  return SUNDIALS_NVEC_CUSTOM;
}

static sunindextype length(N_Vector v)
{
  return content_of(v)->size;
}

static void destroy(N_Vector v)
{
  if (v->content) free(data_of(v));
  free(v->content);
  v->content = NULL;
  N_VFreeEmpty(v);
}

static N_Vector with_content(N_Vector v, content properties)
{
  size_t bytes = sizeof(block) * (size_t)properties.count;
  if (!v) return NULL;
  content *c = v->content = calloc(1, sizeof *c);
  if (c) {
    *c = properties;
    c->data = aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
  }
  if (c && c->data) {
    memset(c->data, 0, bytes);
    return v;
  }
  destroy(v);
  return NULL;
}

static N_Vector clone(N_Vector v)
{
  N_Vector other = N_VNewEmpty(v->sunctx);
  if (other && N_VCopyOps(v, other)) {
    N_VFreeEmpty(other);
    return NULL;
  }
  return with_content(other, *content_of(v));
}

N_Vector hn_ida_vector(int size, int weighed, SUNContext context)
{
  N_Vector v = N_VNewEmpty(context);
  if (!v) return NULL;
  v->ops->nvgetvectorid = type_of;
  v->ops->nvclone = clone;
  v->ops->nvdestroy = destroy;
  v->ops->nvgetarraypointer = numbers;
  v->ops->nvgetlength = length;
  v->ops->nvlinearsum = linear_sum;
  v->ops->nvconst = constant;
  v->ops->nvprod = product;
  v->ops->nvabs = absolute;
  v->ops->nvinv = inverse;
  v->ops->nvaddconst = add_constant;
  v->ops->nvmin = minimum;
  v->ops->nvscale = scale;
  v->ops->nvwrmsnorm = weighted_norm;
  v->ops->nvlinearcombination = linear_combination;
  v->ops->nvlinearsumvectorarray = linear_sums;
  return with_content(
    v,
    (content){ .size = size, .count = (size + BLOCK - 1) / BLOCK, .weighed = (weighed + BLOCK - 1) / BLOCK });
}
