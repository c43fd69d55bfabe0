/* runge_kutta.c - explicit Runge-Kutta methods by their tableaus, as steppers for GSL.
 *
 *   k_i = f(t + c_i h, y + h sum_{j<i} a_ij k_j),   y += h sum_i b_i k_i
 *
 * One evaluation a stage, and one at the end when dydt_out is requested. If an error is requested, the step
 * is taken twice: as y_1 in one step, and as y_2 in two steps of half the size, which share the first stage.
 * The result is y_2;
 *
 *   error = 4 (y_2 - y_1) / (2^p - 1)        p: the order; the factor is that of GSL's rk4
 *
 * GSL's own rk4 always doubles its step: 11 evaluations, even in fixed steps, where the error is not used.
 * [Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, sections II.1, II.4] */
#include "multiplier/runge_kutta.h"

#include <gsl/gsl_errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STAGES = 4 };

typedef struct tableau {
  unsigned order;
  int stages;
  double a[MAX_STAGES][MAX_STAGES], b[MAX_STAGES], c[MAX_STAGES];
} tableau;

static const tableau euler = { .order = 1, .stages = 1, .b = { 1 } };

static const tableau rk4 = {
  .order = 4,
  .stages = 4,
  .a = { { 0 }, { 1.0 / 2 }, { 0, 1.0 / 2 }, { 0, 0, 1 } },
  .b = { 1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6 },
  .c = { 0, 1.0 / 2, 1.0 / 2, 1 },
};

typedef struct stepper {
  const tableau *method;
  double *k[MAX_STAGES]; /* [dim], as all below */
  double *stage;
  double *whole;  /* y_1 */
  double *middle; /* y_2 at half the step */
} stepper;

static void destroy(void *self)
{
  stepper *s = self;
  free(s->k[0]); /* one allocation for all */
  free(s);
}

static void *create(const tableau *method, size_t dim)
{
  stepper *s = calloc(1, sizeof *s);
  double *store = calloc((MAX_STAGES + 3) * dim + 1, sizeof *store);
  if (!s || !store) {
    free(s), free(store);
    return NULL;
  }
  s->method = method;
  for (size_t i = 0; i < MAX_STAGES; i++) s->k[i] = store + i * dim;
  s->stage = store + MAX_STAGES * dim;
  s->whole = s->stage + dim;
  s->middle = s->whole + dim;
  return s;
}

/* Computes to = from + h sum of weight_i k_i. */
static void combine(const stepper *s, size_t dim, const double *from, double h, const double *weight,
                    int count, double *to)
{
  for (size_t n = 0; n < dim; n++) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) sum += weight[i] * s->k[i][n];
    to[n] = from[n] + h * sum;
  }
}

/* Takes one step of h from FROM into TO, which may be FROM; k_0 has been evaluated. */
static int advance(stepper *s, size_t dim, double t, double h, const double *from, const gsl_odeiv2_system *f,
                   double *to)
{
  const tableau *m = s->method;
  for (int i = 1; i < m->stages; i++) {
    combine(s, dim, from, h, m->a[i], i, s->stage);
    int status = GSL_ODEIV_FN_EVAL(f, t + m->c[i] * h, s->stage, s->k[i]);
    if (status != GSL_SUCCESS) return status;
  }
  combine(s, dim, from, h, m->b, m->stages, to);
  return GSL_SUCCESS;
}

/* Advances Y by two halves of h; ERROR results from the difference to one step of h. */
static int advance_doubled(stepper *s, size_t dim, double t, double h, const gsl_odeiv2_system *f, double *y,
                           double *error)
{
  const double error_factor = 4.0 / (double)((1u << s->method->order) - 1u);
  int status = advance(s, dim, t, h, y, f, s->whole);
  if (status == GSL_SUCCESS) status = advance(s, dim, t, 0.5 * h, y, f, s->middle);
  if (status == GSL_SUCCESS) status = GSL_ODEIV_FN_EVAL(f, t + 0.5 * h, s->middle, s->k[0]);
  if (status == GSL_SUCCESS) status = advance(s, dim, t + 0.5 * h, 0.5 * h, s->middle, f, y);
  for (size_t n = 0; n < dim; n++) error[n] = error_factor * (y[n] - s->whole[n]);
  return status;
}

static int apply(void *self, size_t dim, double t, double h, double y[], double yerr[],
                 const double dydt_in[], double dydt_out[], const gsl_odeiv2_system *f)
{
  stepper *s = self;
  int status = GSL_SUCCESS;
  if (dydt_in) memcpy(s->k[0], dydt_in, sizeof *y * dim);
  else status = GSL_ODEIV_FN_EVAL(f, t, y, s->k[0]);
  if (status != GSL_SUCCESS) return status;
  status = yerr ? advance_doubled(s, dim, t, h, f, y, yerr) : advance(s, dim, t, h, y, f, y);
  return status == GSL_SUCCESS && dydt_out ? GSL_ODEIV_FN_EVAL(f, t + h, y, dydt_out) : status;
}

static int set_driver(void *self, const gsl_odeiv2_driver *driver)
{
  (void)self, (void)driver;
  return GSL_SUCCESS;
}

/* No operation: these methods have no history. */
static int reset(void *self, size_t dim)
{
  (void)self, (void)dim;
  return GSL_SUCCESS;
}

static unsigned order_of(void *self)
{
  return ((const stepper *)self)->method->order;
}

static void *create_euler(size_t dim)
{
  return create(&euler, dim);
}

static void *create_rk4(size_t dim)
{
  return create(&rk4, dim);
}

static const gsl_odeiv2_step_type euler_type = { "euler",    1,     1,        create_euler, apply,
                                                 set_driver, reset, order_of, destroy };
static const gsl_odeiv2_step_type rk4_type = { "rk4",      1,     1,        create_rk4, apply,
                                               set_driver, reset, order_of, destroy };

const gsl_odeiv2_step_type *const hn_step_euler = &euler_type, *const hn_step_rk4 = &rk4_type;
