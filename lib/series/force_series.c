/* force_series.c - forces as power series in time, for Taylor methods.
 *
 *   coefficient k of a wrench = sum over i of G_i' Q_{k-i}
 *   Q_k = jet of the law for g_0..g_k and rate_i = (i + 1) g_{i+1}
 *
 * Coefficient k needs the motion up to k + 1, which is known before coefficient k + 2 is computed. */
#include "series/force_series.h"
#include "force/force.h"

#include <string.h>

/* Series of one force: component r, power i at [r * stride + i]; G as in hn_rows, one coefficient after the
 * other. `work` and `law` are the series of the jets of its rows and of its law. */
typedef struct force_data {
  double *g, *rate, *Q, *G, *work, *law;
} force_data;

struct hn_force_series {
  const hn_model *model;
  size_t stride;
  double time;
  double *input;     /* [ninput] */
  force_data *force; /* [nforce] */
  double *storage;
};

/* Returns the numbers stored for each power of a force. */
static size_t count_per_power(const hn_force *force)
{
  return (size_t)(3 + 12) * (size_t)force->rows.type->rows + (size_t)force->rows.type->jet_series +
         (size_t)force->type->jet_series;
}

static void lay_out(hn_force_series *s)
{
  double *next = s->storage;
  for (int i = 0; i < s->model->nforce; i++) {
    const size_t n = (size_t)s->model->force[i].rows.type->rows * s->stride;
    s->force[i] = (force_data){
      next,          next + n,
      next + 2 * n,  next + 3 * n,
      next + 15 * n, next + 15 * n + (size_t)s->model->force[i].rows.type->jet_series * s->stride
    };
    next += count_per_power(&s->model->force[i]) * s->stride;
  }
}

hn_force_series *hn_force_series_create(const hn_model *model, size_t stride, hn_arrays *arrays,
                                        hn_error *error)
{
  size_t count = 0;
  for (int i = 0; i < model->nforce; i++) {
    const hn_force *force = &model->force[i];
    count += count_per_power(force) * stride;
    if (force->type->jet && force->rows.type->jet) continue;
    hn_fail(error, "force \"%s\": forces of type %s have no power series (jet), and this solver needs one",
            force->name, force->type->name);
    return NULL;
  }
  hn_force_series *s;
  if (hn_arrays_allocate(arrays, error, HN_ARRAY(s, 1))) return NULL;
  *s = (hn_force_series){ .model = model, .stride = stride };
  if (hn_arrays_allocate(arrays, error, HN_ARRAY(s->input, (size_t)model->ninput),
                         HN_ARRAY(s->force, model->nforce), HN_ARRAY(s->storage, count)))
    return NULL;
  lay_out(s);
  return s;
}

void hn_force_series_start(hn_force_series *s, const hn_state *state)
{
  s->time = state->time;
  memcpy(s->input, state->input, sizeof *s->input * (size_t)state->ninput);
}

/* Evaluates coefficient k of a force's rows. */
static void measure_rows(hn_force_series *s, int f, size_t k, const hn_body_jet *a, const hn_body_jet *b)
{
  const hn_joint *rows = &s->model->force[f].rows;
  const size_t n = (size_t)rows->type->rows;
  force_data *own = &s->force[f];
  double g[HN_FORCE_ROWS], *G = own->G + 12 * n * k;
  rows->type->jet(rows, s->time, a, b, k, own->work, g, G, G + 6 * n);
  for (size_t r = 0; r < n; r++) {
    own->g[r * s->stride + k] = g[r];
    if (k > 0) own->rate[r * s->stride + k - 1] = (double)k * g[r];
  }
}

void hn_force_series_measure(hn_force_series *s, int f, size_t k, const hn_body_jet *a, const hn_body_jet *b)
{
  const hn_force *force = &s->model->force[f];
  force_data *own = &s->force[f];
  if (k == 0) measure_rows(s, f, 0, a, b);
  measure_rows(s, f, k + 1, a, b);
  force->type->jet(force, s->time, s->input + force->input, own->g, own->rate, s->stride, k, own->law,
                   own->Q);
}

void hn_force_series_add(const hn_force_series *s, int f, int side, size_t k, double wrench[6])
{
  const force_data *own = &s->force[f];
  hn_add_product_series((size_t)s->model->force[f].rows.type->rows, own->G, own->Q, s->stride, side, k,
                        wrench);
}
