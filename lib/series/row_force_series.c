/* row_force_series.c - power series of row forces: forces along rows whose multipliers are known. */
#include "series/row_force_series.h"
#include "series/force_series.h"
#include "base/product.h"
#include "base/rates.h"
#include "base/vec.h"

#include <math.h>
#include <string.h>

/* A slip slower than at_rest, m/s, has the direction hn_row_force.along. The direction of a slip that starts
 * from rest counts as known when it has reached resolved, m/s. */
static const double at_rest = 1e-8, resolved = 1e-6;
/* A direction that turns by less, rad, is constant. Chosen some hundred times above rounding. */
static const double max_straight_angle = 1e-13;
/* Transverse slip rates of rounding size, m/s. */
static const double rounding_rate = 1e-12;
/* Fraction of the time scale of a curved slip for which its series are used. */
static const double safe_fraction = 1.0 / 3.0;

/* Series of one row force: component r, power i at [r * stride + i]; G as in hn_rows, one coefficient after
 * the other. */
typedef struct row_force_data {
  const hn_row_force *from;
  double *G, *rate, *Q, *d;
  double *normal;          /* multiplier of the normal */
  double *forward, *tau;   /* rate along d_0; transverse rate / rate along d_0 */
  double *square, *cosine; /* tau^2, 1 / sqrt(1 + tau^2) */
  double *work;            /* of the jets of its rows */
  /* Transverse rates below min_across are taken as zero: at the present power, m/s^(k+1); its ratio from
   * power to power, 1/s. */
  double min_across, min_ratio;
  double deceleration; /* of the slip, by the friction of a unit normal multiplier */
  bool is_curved;      /* false: d is constant */
} row_force_data;

enum { SINGLE = 5 }; /* number of series with one component */

struct hn_row_force_series {
  const hn_model *model;
  size_t stride;
  double time;
  row_force_data *one; /* [more->nrow_force] */
  double *storage;
};

/* Returns the numbers stored for each power. */
static size_t count_per_power(const hn_joint_type *rows)
{
  return (size_t)(3 + 12) * (size_t)rows->rows + SINGLE + (size_t)rows->jet_series;
}

static void lay_out(hn_row_force_series *s)
{
  double *next = s->storage;
  for (int i = 0; i < s->model->more->nrow_force; i++) {
    const hn_row_force *given = &s->model->more->given[i];
    const size_t stride = s->stride, n = (size_t)given->joint->type->rows * stride;
    double *singles = next + 15 * n;
    s->one[i] = (row_force_data){ .from = given,
                                  .G = next,
                                  .rate = next + 12 * n,
                                  .Q = next + 13 * n,
                                  .d = next + 14 * n,
                                  .normal = singles,
                                  .forward = singles + stride,
                                  .tau = singles + 2 * stride,
                                  .square = singles + 3 * stride,
                                  .cosine = singles + 4 * stride,
                                  .work = singles + SINGLE * stride };
    next += count_per_power(given->joint->type) * stride;
  }
}

/* Counts the numbers per power of all row forces; -1 if one has no power series. */
static int count_series(const hn_model *model, size_t *count, hn_error *error)
{
  *count = 0;
  if (!model->more->given)
    return hn_fail(error, "forces that a solver adds have no power series, and this solver needs one");
  for (int i = 0; i < model->more->nrow_force; i++) {
    const hn_joint *rows = model->more->given[i].joint;
    *count += count_per_power(rows->type);
    if (!rows->type->jet)
      return hn_fail(error,
                     "joint \"%s\": joints of type %s have no power series (jet), "
                     "and this solver needs one",
                     rows->name, rows->type->name);
  }
  return 0;
}

hn_row_force_series *hn_row_force_series_create(const hn_model *model, size_t stride, hn_arrays *arrays,
                                                hn_error *error)
{
  size_t count;
  hn_row_force_series *s;
  if (count_series(model, &count, error) || hn_arrays_allocate(arrays, error, HN_ARRAY(s, 1))) return NULL;
  *s = (hn_row_force_series){ .model = model, .stride = stride };
  if (hn_arrays_allocate(arrays, error, HN_ARRAY(s->one, model->more->nrow_force),
                         HN_ARRAY(s->storage, count * stride)))
    return NULL;
  lay_out(s);
  return s;
}

void hn_row_force_series_start(hn_row_force_series *s, double t)
{
  s->time = t;
}

/* True for sliding friction, false for a constant force. */
static bool is_friction(const row_force_data *own)
{
  return own->from->normal >= 0;
}

/* ---- Direction of friction ---------------------------------------------------------------------------- */

static size_t rows_of(const row_force_data *own)
{
  return (size_t)own->from->joint->type->rows;
}

/* Copies coefficient k of the rates of the rows; 0 for a missing second row. */
static void rate_at(const row_force_data *own, size_t stride, size_t k, double rate[2])
{
  for (size_t r = 0; r < 2; r++) rate[r] = r < rows_of(own) ? own->rate[r * stride + k] : 0.0;
}

static void set_direction(row_force_data *own, size_t stride)
{
  double rate[2];
  rate_at(own, stride, 0, rate);
  const double size = norm_of(rate, 2), *along = own->from->along;
  const double side = rate[0] * along[0] + rate[1] * along[1] < 0.0 ? -1.0 : 1.0;
  own->is_curved = rows_of(own) == 2 && size > at_rest;
  for (size_t r = 0; r < rows_of(own); r++)
    own->d[r * stride] = size > at_rest ? side * rate[r] / size : along[r];
  own->forward[0] = side * size, own->tau[0] = own->square[0] = 0.0, own->cosine[0] = 1.0;
  own->min_across = max_straight_angle * size + rounding_rate;
}

/* Computes square_k and cosine_k from tau up to k. */
static void follow_turn(row_force_data *own, size_t k)
{
  double sum = 0.0;
  own->square[k] = square_coefficient(own->tau, k);
  for (size_t i = 1; i <= k; i++) sum -= ((double)k - 0.5 * (double)i) * own->square[i] * own->cosine[k - i];
  /* from 2 (1 + tau^2) c' = -(tau^2)' c */
  own->cosine[k] = k > 0 ? sum / ((double)k * (1.0 + own->square[0])) : 1.0 / sqrt(1.0 + own->square[0]);
}

/* Computes d_k of a planned direction at TIME: tau_k is a coefficient of its polynomial, d is taken from
 * `along`. */
static void plan_direction(row_force_data *own, size_t stride, double time, size_t k)
{
  const hn_row_force *from = own->from;
  const double x = (time - from->begin) / from->span, *along = from->along;
  own->tau[k] = 0.0, own->is_curved = false;
  for (size_t j = (size_t)from->terms; j-- > k;) {
    double choose = 1.0; /* j over k */
    for (size_t i = 1; i <= k; i++) choose *= (double)(j - k + i) / (double)i;
    own->tau[k] = own->tau[k] * x + from->plan[j] * choose;
  }
  for (size_t i = 0; i < k; i++) own->tau[k] /= from->span;
  follow_turn(own, k);
  double across = 0.0;
  for (size_t i = 0; i <= k; i++) across += own->tau[i] * own->cosine[k - i];
  own->d[k] = along[0] * own->cosine[k] - along[1] * across;
  own->d[stride + k] = along[1] * own->cosine[k] + along[0] * across;
}

/* Computes tau_k, the tangent of the angle to d_0, from tau (d_0 . v) = e . v, and cosine_k. */
static void turn(row_force_data *own, size_t k, double across)
{
  if (k == 1) own->min_ratio = fabs(own->forward[1] / own->forward[0]);
  own->min_across *= own->min_ratio;
  if (fabs(across) <= own->min_across) across = 0.0;
  own->tau[k] = (across - convolution(own->forward + 1, own->tau + 1, k - 1)) / own->forward[0];
  follow_turn(own, k);
}

static void continue_direction(row_force_data *own, size_t stride, size_t k)
{
  const double d[2] = { own->d[0], rows_of(own) == 2 ? own->d[stride] : 0.0 };
  double rate[2];
  rate_at(own, stride, k, rate);
  own->forward[k] = d[0] * rate[0] + d[1] * rate[1];
  for (size_t r = 0; r < rows_of(own); r++) own->d[r * stride + k] = 0.0;
  if (!own->is_curved) return;
  turn(own, k, d[0] * rate[1] - d[1] * rate[0]);
  const double across = convolution(own->tau + 1, own->cosine, k);
  own->d[k] = d[0] * own->cosine[k] - d[1] * across;
  own->d[stride + k] = d[1] * own->cosine[k] + d[0] * across;
}

/* ---- Forces ------------------------------------------------------------------------------------------- */

/* Computes coefficient k of G, and of G u + bias for friction. */
static void measure_rows(hn_row_force_series *s, row_force_data *own, size_t k,
                         const hn_row_force_side side[2], size_t twists)
{
  const hn_joint *rows = own->from->joint;
  const size_t n = rows_of(own);
  double bias[HN_MAX_ROWS], *G = own->G + 12 * n * k;
  rows->type->jet(rows, s->time, side[0].jet, side[1].jet, k, own->work, bias, G, G + 6 * n);
  for (size_t r = 0; r < n && is_friction(own); r++) {
    double sum = bias[r];
    for (size_t i = 0; i <= k; i++)
      for (size_t c = 0; c < 12; c++)
        sum += own->G[12 * n * i + c * n + r] * side[c / 6].twist[twists * (k - i) + c % 6];
    own->rate[r * s->stride + k] = sum;
  }
}

void hn_row_force_series_measure(hn_row_force_series *s, int i, size_t k, const hn_row_force_side side[2],
                                 size_t twists)
{
  row_force_data *own = &s->one[i];
  const hn_row_force *from = own->from;
  measure_rows(s, own, k, side, twists);
  if (is_friction(own) && from->terms > 0) plan_direction(own, s->stride, s->time, k);
  else if (is_friction(own) && k == 0) set_direction(own, s->stride);
  else if (is_friction(own)) continue_direction(own, s->stride, k);
  for (size_t r = 0; r < rows_of(own); r++) {
    double *Q = own->Q + r * s->stride + k;
    if (!is_friction(own)) *Q = k == 0 ? from->force[r] : 0.0;
    else *Q = -from->mu * convolution(own->d + r * s->stride + 1, own->normal, k);
  }
}

void hn_row_force_series_follow(hn_row_force_series *s, int i, size_t k, double normal)
{
  row_force_data *own = &s->one[i];
  if (!is_friction(own)) return;
  own->normal[k] = normal;
  for (size_t r = 0; r < rows_of(own); r++)
    own->Q[r * s->stride + k] -= own->from->mu * own->d[r * s->stride] * normal;
}

void hn_row_force_series_push(const hn_row_force_series *s, int i, int side, double normal, double wrench[6])
{
  const row_force_data *own = &s->one[i];
  const size_t n = rows_of(own);
  const double *G = own->G + (side == 0 ? 0 : 6 * n);
  if (!is_friction(own)) return;
  for (size_t c = 0; c < 6; c++)
    for (size_t r = 0; r < n; r++) wrench[c] -= G[c * n + r] * own->from->mu * own->d[r * s->stride] * normal;
}

void hn_row_force_series_add(const hn_row_force_series *s, int i, int side, size_t k, double wrench[6])
{
  const row_force_data *own = &s->one[i];
  hn_add_product_series(rows_of(own), own->G, own->Q, s->stride, side, k, wrench);
}

/* ---- Range of validity -------------------------------------------------------------------------------- */

void hn_row_force_series_accelerate(hn_row_force_series *s, int i, const hn_twist *a, const hn_twist *b)
{
  row_force_data *own = &s->one[i];
  const size_t n = rows_of(own);
  double rate[HN_MAX_ROWS] = { 0 };
  hn_add_rates((int)n, own->G, a, own->G + 6 * n, b, rate);
  own->deceleration = norm_of(rate, (int)n);
}

/* True if the direction of slip stays constant, to rounding, for LEFT or until the slip stops. */
static bool is_straight(const row_force_data *own, size_t stride, size_t order, double left)
{
  const bool slows = own->is_curved && own->forward[0] * own->forward[1] < 0.0;
  const double duration = slows ? fmin(left, fabs(own->forward[0] / own->forward[1])) : left;
  double across = 0.0, forward = 0.0, end = 0.0;
  for (size_t k = order; k-- > 0;) {
    double rate[2];
    rate_at(own, stride, k, rate);
    end = end * left + own->forward[k];
    forward = forward * duration + fabs(own->forward[k]);
    across = across * duration + (k > 0 ? fabs(own->d[0] * rate[1] - own->d[stride] * rate[0]) : 0.0);
  }
  const bool stops = !own->is_curved && end < 0.0;
  return stops || across <= max_straight_angle * forward + rounding_rate;
}

/* Returns a fraction of the time scale of a curved slip. The scale is the smallest of the time to the stop,
 * the time constant 1/c of the friction's damping of transverse slip, and the time in which the second
 * derivative changes the slip. */
static double valid_time_of_curve(const row_force_data *own, size_t stride)
{
  const double size = fabs(own->forward[0]);
  double first[2], second[2];
  rate_at(own, stride, 1, first), rate_at(own, stride, 2, second);
  const double damping = fmax(norm_of(first, 2), own->deceleration * fabs(own->normal[0])) / size;
  return safe_fraction / fmax(damping, sqrt(norm_of(second, 2) / size));
}

/* Returns the time in which a slip that starts from rest reaches the speed `resolved`. */
static double valid_time_of_onset(const row_force_data *own)
{
  return fmin(resolved / fabs(own->forward[1]), sqrt(resolved / fabs(own->forward[2])));
}

double hn_row_force_series_valid_time(const hn_row_force_series *s, size_t order, double left)
{
  double valid = left;
  for (int i = 0; i < s->model->more->nrow_force; i++) {
    const row_force_data *own = &s->one[i];
    if (!is_friction(own) || rows_of(own) != 2 || own->from->terms > 0 ||
        is_straight(own, s->stride, order, left))
      continue;
    valid = fmin(valid, own->is_curved ? valid_time_of_curve(own, s->stride) : valid_time_of_onset(own));
  }
  return valid < left && left < 2.0 * valid ? 0.5 * left : valid; /* avoids a tiny last step */
}
