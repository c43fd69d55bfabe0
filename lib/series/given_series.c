/* given_series.c - forces along rows whose multipliers are known: power series in time (given_series.h). */
#include "series/given_series.h"
#include "base/product.h"
#include "base/rates.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* m/s: what is slower goes where hn_given.along says; and what has begun to move is as fast before
 * its own way is followed. */
static const double slow = 1e-8, begun = 1e-6;
static const double bend = 1e-13;     /* rad: what turns by less goes straight, */
static const double blur = 1e-12;     /* m/s: and what moves across by less, which rounding makes */
static const double part = 1.0 / 3.0; /* of the time until it would stop */

/* Component r, power i at [r * stride + i]; G as in hn_rows, one coefficient after the other. */
typedef struct one_given {
  const hn_given *from;
  double *G, *rate, *Q, *d;
  double *normal;          /* the multiplier that it follows */
  double *forth, *tau;     /* the rates along d_0; those across it over these */
  double *square, *cosine; /* tau^2, 1 / sqrt(1 + tau^2) */
  double *work;            /* of its rows */
  double least, ratio;     /* rates across that are less are none: at this power, m/s^(k+1), and by
                                * power, 1/s */
  double brake;            /* of the rates, by a unit of the normal's multiplier */
  bool turns;              /* else d is constant */
} one_given;

enum { SINGLE = 5 }; /* series of one component */

struct hn_given_series {
  const hn_model *model;
  size_t stride;
  double time;
  one_given *one; /* [more->ngiven] */
  double *storage;
};

void hn_given_series_free(hn_given_series *s)
{
  if (!s) return;
  free(s->one), free(s->storage);
  free(s);
}

/* Numbers that one keeps for each power. */
static size_t series_of(const hn_joint_type *rows)
{
  return (size_t)(3 + 12) * (size_t)rows->rows + SINGLE + (size_t)rows->jet_series;
}

static void lay_out(hn_given_series *s)
{
  double *next = s->storage;
  for (int i = 0; i < s->model->more->ngiven; i++) {
    const hn_given *given = &s->model->more->given[i];
    const size_t stride = s->stride, n = (size_t)given->joint->type->rows * stride;
    double *single_ones = next + 15 * n;
    s->one[i] = (one_given){ .from = given,
                             .G = next,
                             .rate = next + 12 * n,
                             .Q = next + 13 * n,
                             .d = next + 14 * n,
                             .normal = single_ones,
                             .forth = single_ones + stride,
                             .tau = single_ones + 2 * stride,
                             .square = single_ones + 3 * stride,
                             .cosine = single_ones + 4 * stride,
                             .work = single_ones + SINGLE * stride };
    next += series_of(given->joint->type) * stride;
  }
}

/* The series that all need, 0 when they can be had. */
static int count_series(const hn_model *model, size_t *count, hn_error *error)
{
  *count = 0;
  if (!model->more->given)
    return hn_fail(error, "forces that a solver adds have no power series, and this solver needs one");
  for (int i = 0; i < model->more->ngiven; i++) {
    const hn_joint *rows = model->more->given[i].joint;
    *count += series_of(rows->type);
    if (!rows->type->jet)
      return hn_fail(error,
                     "joint \"%s\": joints of type %s have no power series (jet), "
                     "and this solver needs one",
                     rows->name, rows->type->name);
  }
  return 0;
}

hn_given_series *hn_given_series_create(const hn_model *model, size_t stride, hn_error *error)
{
  size_t count;
  if (count_series(model, &count, error)) return NULL;
  hn_given_series *s = calloc(1, sizeof *s);
  if (s) {
    *s = (hn_given_series){ .model = model, .stride = stride };
    s->one = calloc((size_t)model->more->ngiven + 1, sizeof *s->one);
    s->storage = calloc(count * stride + 1, sizeof *s->storage);
  }
  if (!s || !s->one || !s->storage) {
    hn_given_series_free(s);
    hn_fail(error, "out of memory");
    return NULL;
  }
  lay_out(s);
  return s;
}

void hn_given_series_start(hn_given_series *s, double t)
{
  s->time = t;
}

/* Is it friction, or a force? */
static bool follows(const one_given *own)
{
  return own->from->normal >= 0;
}

/* ---- The direction of friction ------------------------------------------------------------------------- */

static size_t rows_of(const one_given *own)
{
  return (size_t)own->from->joint->type->rows;
}

/* Coefficient k of the rates of the rows; what is no row is 0. */
static void rate_at(const one_given *own, size_t stride, size_t k, double rate[2])
{
  for (size_t r = 0; r < 2; r++) rate[r] = r < rows_of(own) ? own->rate[r * stride + k] : 0.0;
}

static void start_direction(one_given *own, size_t stride)
{
  double rate[2];
  rate_at(own, stride, 0, rate);
  const double size = norm_of(rate, 2), *along = own->from->along;
  const double side = rate[0] * along[0] + rate[1] * along[1] < 0.0 ? -1.0 : 1.0;
  own->turns = rows_of(own) == 2 && size > slow;
  for (size_t r = 0; r < rows_of(own); r++)
    own->d[r * stride] = size > slow ? side * rate[r] / size : along[r];
  own->forth[0] = side * size, own->tau[0] = own->square[0] = 0.0, own->cosine[0] = 1.0;
  own->least = bend * size + blur;
}

/* The tangent of the angle to d_0: tau (d_0 . v) = e . v. */
static void turn(one_given *own, size_t k, double across)
{
  if (k == 1) own->ratio = fabs(own->forth[1] / own->forth[0]);
  own->least *= own->ratio;
  if (fabs(across) <= own->least) across = 0.0;
  own->tau[k] = (across - convolution(own->forth + 1, own->tau + 1, k - 1)) / own->forth[0];
  own->square[k] = square_coefficient(own->tau, k);
  double sum = 0.0;
  for (size_t i = 1; i <= k; i++) sum -= ((double)k - 0.5 * (double)i) * own->square[i] * own->cosine[k - i];
  own->cosine[k] = sum / (double)k; /* 2 (1 + tau^2) c' = -(tau^2)' c */
}

static void continue_direction(one_given *own, size_t stride, size_t k)
{
  const double d[2] = { own->d[0], rows_of(own) == 2 ? own->d[stride] : 0.0 };
  double rate[2];
  rate_at(own, stride, k, rate);
  own->forth[k] = d[0] * rate[0] + d[1] * rate[1];
  for (size_t r = 0; r < rows_of(own); r++) own->d[r * stride + k] = 0.0;
  if (!own->turns) return;
  turn(own, k, d[0] * rate[1] - d[1] * rate[0]);
  const double across = convolution(own->tau + 1, own->cosine, k);
  own->d[k] = d[0] * own->cosine[k] - d[1] * across;
  own->d[stride + k] = d[1] * own->cosine[k] + d[0] * across;
}

/* ---- Forces -------------------------------------------------------------------------------------------- */

/* Coefficient k of G and of G u + bias. */
static void measure_rows(hn_given_series *s, one_given *own, size_t k, const hn_given_side side[2],
                         size_t twists)
{
  const hn_joint *rows = own->from->joint;
  const size_t n = rows_of(own);
  double bias[HN_MAX_ROWS], *G = own->G + 12 * n * k;
  rows->type->jet(rows, s->time, side[0].jet, side[1].jet, k, own->work, bias, G, G + 6 * n);
  for (size_t r = 0; r < n && follows(own); r++) {
    double sum = bias[r];
    for (size_t i = 0; i <= k; i++)
      for (size_t c = 0; c < 12; c++)
        sum += own->G[12 * n * i + c * n + r] * side[c / 6].twist[twists * (k - i) + c % 6];
    own->rate[r * s->stride + k] = sum;
  }
}

void hn_given_series_measure(hn_given_series *s, int i, size_t k, const hn_given_side side[2], size_t twists)
{
  one_given *own = &s->one[i];
  const hn_given *from = own->from;
  measure_rows(s, own, k, side, twists);
  if (follows(own) && k == 0) start_direction(own, s->stride);
  else if (follows(own)) continue_direction(own, s->stride, k);
  for (size_t r = 0; r < rows_of(own); r++) {
    double *Q = own->Q + r * s->stride + k;
    if (!follows(own)) *Q = k == 0 ? from->force[r] : 0.0;
    else *Q = -from->mu * convolution(own->d + r * s->stride + 1, own->normal, k);
  }
}

void hn_given_series_follow(hn_given_series *s, int i, size_t k, double normal)
{
  one_given *own = &s->one[i];
  if (!follows(own)) return;
  own->normal[k] = normal;
  for (size_t r = 0; r < rows_of(own); r++)
    own->Q[r * s->stride + k] -= own->from->mu * own->d[r * s->stride] * normal;
}

void hn_given_series_push(const hn_given_series *s, int i, int side, double normal, double wrench[6])
{
  const one_given *own = &s->one[i];
  const size_t n = rows_of(own);
  const double *G = own->G + (side == 0 ? 0 : 6 * n);
  if (!follows(own)) return;
  for (size_t c = 0; c < 6; c++)
    for (size_t r = 0; r < n; r++) wrench[c] -= G[c * n + r] * own->from->mu * own->d[r * s->stride] * normal;
}

void hn_given_series_add(const hn_given_series *s, int i, int side, size_t k, double wrench[6])
{
  const one_given *own = &s->one[i];
  const size_t n = rows_of(own);
  for (size_t j = 0; j <= k; j++) {
    const double *G = own->G + 12 * n * j + (side == 0 ? 0 : 6 * n);
    for (size_t c = 0; c < 6; c++)
      for (size_t r = 0; r < n; r++) wrench[c] += G[c * n + r] * own->Q[r * s->stride + k - j];
  }
}

/* ---- How far they reach -------------------------------------------------------------------------------- */

void hn_given_series_accelerate(hn_given_series *s, int i, const hn_twist *a, const hn_twist *b)
{
  one_given *own = &s->one[i];
  const size_t n = rows_of(own);
  double rate[HN_MAX_ROWS] = { 0 };
  hn_add_rates((int)n, own->G, a, own->G + 6 * n, b, rate);
  own->brake = norm_of(rate, (int)n);
}

/* Does it go straight for LEFT, or until it stops? */
static bool goes_straight(const one_given *own, size_t stride, size_t order, double left)
{
  const bool slows = own->turns && own->forth[0] * own->forth[1] < 0.0;
  const double until = slows ? fmin(left, fabs(own->forth[0] / own->forth[1])) : left;
  double across = 0.0, forth = 0.0, end = 0.0;
  for (size_t k = order; k-- > 0;) {
    double rate[2];
    rate_at(own, stride, k, rate);
    end = end * left + own->forth[k];
    forth = forth * until + fabs(own->forth[k]);
    across = across * until + (k > 0 ? fabs(own->d[0] * rate[1] - own->d[stride] * rate[0]) : 0.0);
  }
  const bool stops = !own->turns && end < 0.0;
  return stops || across <= bend * forth + blur;
}

/* Of what turns: a part of the time until it would stop, as it is slowed down, or by friction alone: across
 * its way that damps at the inverse of this time. */
static double reach_of_way(const one_given *own, size_t stride)
{
  const double size = fabs(own->forth[0]);
  double first[2], second[2];
  rate_at(own, stride, 1, first), rate_at(own, stride, 2, second);
  const double damping = fmax(norm_of(first, 2), own->brake * fabs(own->normal[0])) / size;
  return part / fmax(damping, sqrt(norm_of(second, 2) / size));
}

/* Of what begins to move: until it can be seen where it goes. */
static double reach_of_start(const one_given *own)
{
  return fmin(begun / fabs(own->forth[1]), sqrt(begun / fabs(own->forth[2])));
}

double hn_given_series_reach(const hn_given_series *s, size_t order, double left)
{
  double reach = left;
  for (int i = 0; i < s->model->more->ngiven; i++) {
    const one_given *own = &s->one[i];
    if (!follows(own) || rows_of(own) != 2 || goes_straight(own, s->stride, order, left)) continue;
    reach = fmin(reach, own->turns ? reach_of_way(own, s->stride) : reach_of_start(own));
  }
  return reach < left && left < 2.0 * reach ? 0.5 * left : reach; /* no sliver at the end */
}
