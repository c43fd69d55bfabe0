/* force_law.c - forces with a custom law, given as a tape:
 *
 *   Q = law(t, x, v, u)        x, v: coordinates of the type's rows and their rates; u: the input
 *   Q = -dE/dx                 of a stored energy E(x)
 *
 * All else comes from the type: the law makes a copy of the type for one force. If law and energy are both
 * given, the energy is what the law stores, and they must agree. */
#include "force/force_law.h"
#include "tape/tape.h"

#include <math.h>
#include <stdlib.h>

struct hn_law {
  hn_force_type type; /* must be first: the force's type points here */
  hn_tape *law, *energy;
};

/* Inputs of the tapes: t, x, v, u for n rows. */
enum { TIME, PLACES };

static int rates_at(int n)
{
  return PLACES + n;
}

static int input_at(int n)
{
  return PLACES + 2 * n;
}

static const hn_law *law_of(const hn_force *force)
{
  return (const hn_law *)(const void *)force->type;
}

static void law(const hn_force *force, double t, const double *input, const double *g, const double *rate,
                double *Q)
{
  const hn_law *own = law_of(force);
  const int n = own->type.rows->rows;
  double slot[HN_TAPE_SLOTS];
  slot[TIME] = t;
  for (int i = 0; i < n; i++) slot[PLACES + i] = g[i], slot[rates_at(n) + i] = rate[i];
  slot[input_at(n)] = own->type.inputs > 0 ? input[0] : 0.0;
  hn_tape_run(own->law, slot, Q);
}

static void jet(const hn_force *force, double t, const double *input, const double *g, const double *rate,
                size_t stride, size_t k, double *work, double *Q)
{
  const hn_law *own = law_of(force);
  const size_t n = (size_t)own->type.rows->rows;
  double out[HN_FORCE_ROWS];
  work[k] = k == 0 ? t : k == 1 ? 1.0 : 0.0;
  for (size_t i = 0; i < n; i++) {
    work[(PLACES + i) * stride + k] = g[i * stride + k];
    work[((size_t)rates_at((int)n) + i) * stride + k] = rate[i * stride + k];
  }
  work[(size_t)input_at((int)n) * stride + k] = k == 0 && own->type.inputs > 0 ? input[0] : 0.0;
  hn_tape_series(own->law, k, stride, work, out);
  for (size_t i = 0; i < n; i++) Q[i * stride + k] = out[i];
}

static double energy(const hn_force *force, const double *g)
{
  const hn_law *own = law_of(force);
  double slot[HN_TAPE_SLOTS] = { 0 }, out;
  for (int i = 0; i < own->type.rows->rows; i++) slot[PLACES + i] = g[i];
  hn_tape_run(own->energy, slot, &out);
  return out;
}

/* Computes the slots of -dE/dx, one per row. */
static void slopes(hn_tape_writer *w, const void *rows, int outputs, int inputs, const int *value,
                   const int *slope, int *out)
{
  (void)outputs, (void)inputs, (void)value;
  for (int i = 0; i < *(const int *)rows; i++)
    out[i] = hn_tape_emit(w, HN_TAPE_NEG, slope[PLACES + i], slope[PLACES + i], 0.0);
}

/* Checks at positions around g, the start, that the law at rest, t = 0, equals -dE/dx. */
static int check_fit(const hn_force *force, const hn_tape *from_energy, const double *g, hn_error *error)
{
  static const double beside[] = { 0.0, 0.1, -0.1, 0.37, -0.43, 1.3, -1.7 };
  const double tolerance = 1e-6, rest[HN_FORCE_ROWS] = { 0 }, none = 0.0;
  const int n = law_of(force)->type.rows->rows;
  double slot[HN_TAPE_SLOTS] = { 0 }, x[HN_FORCE_ROWS], Q[HN_FORCE_ROWS], fit[HN_FORCE_ROWS];
  for (size_t k = 0; k < sizeof beside / sizeof *beside; k++) {
    for (int i = 0; i < n; i++) x[i] = slot[PLACES + i] = g[i] + beside[k];
    law(force, 0.0, &none, x, rest, Q);
    hn_tape_run(from_energy, slot, fit);
    for (int i = 0; i < n; i++)
      if (isfinite(fit[i]) && !(fabs(Q[i] - fit[i]) <= tolerance * (fabs(Q[i]) + fabs(fit[i]) + tolerance)))
        return hn_fail(error,
                       "force \"%s\": its law does not fit its energy: at x = %g the law gives %g, and minus "
                       "the derivative of the energy is %g",
                       force->name, x[i], Q[i], fit[i]);
  }
  return 0;
}

static int setup(hn_force *force, const double *g, hn_error *error)
{
  hn_law *own = (hn_law *)law_of(force);
  const int n = own->type.rows->rows;
  hn_tape *from_energy = own->energy ? hn_tape_derive(own->energy, n, slopes, &n, error) : NULL;
  if (own->energy && !from_energy) return -1;
  int status = own->law && own->energy ? check_fit(force, from_energy, g, error) : 0;
  if (!own->law) own->law = from_energy;
  else hn_tape_free(from_energy);
  own->type.jet_series = own->law->slots;
  own->type.inputs = hn_tape_depends(own->law, input_at(n), 1);
  own->type.uses_rates = hn_tape_depends(own->law, rates_at(n), n);
  force->conservative = own->energy && !own->type.inputs && !own->type.uses_rates &&
                        !hn_tape_depends(own->law, TIME, 1);
  return status;
}

int hn_law_check_start(const hn_force *force, const double *g, const double *rate, hn_error *error)
{
  const double input = 0.0;
  double Q[HN_FORCE_ROWS];
  law(force, 0.0, &input, g, rate, Q);
  for (int i = 0; i < force->type->rows->rows; i++)
    if (!isfinite(Q[i]))
      return hn_fail(error, "force \"%s\": its law gives %s at the start", force->name,
                     isnan(Q[i]) ? "nan" : "infinity");
  return 0;
}

int hn_law_check_planar(const hn_force *force, hn_error *error)
{
  const hn_tape *own = force->own->law;
  const bool turns = !(force->type->keys & HN_KEY_AT);
  for (int i = 0; i < 3; i++)
    if ((i == 2) != turns && !hn_tape_is_zero(own, i))
      return hn_fail(error, "force \"%s\": in a planar system value %d of its law must be the number 0",
                     force->name, i + 1);
  return 0;
}

void hn_law_free(hn_law *own)
{
  if (!own) return;
  hn_tape_free(own->law);
  hn_tape_free(own->energy);
  free(own);
}

int hn_law_make(hn_force *force, hn_tape *of, hn_tape *stored, hn_error *error)
{
  static const hn_param none[] = { { .key = NULL } };
  hn_law *own = calloc(1, sizeof *own);
  if (!own) {
    hn_tape_free(of), hn_tape_free(stored);
    return hn_fail(error, "out of memory");
  }
  *own = (hn_law){ .type = *force->type, .law = of, .energy = stored };
  own->type.data_size = 0, own->type.params = none, own->type.modes = NULL, own->type.vector = NULL;
  own->type.setup = setup, own->type.law = law, own->type.jet = jet;
  own->type.energy = stored ? energy : NULL;
  own->type.update = NULL, own->type.start = NULL;
  force->own = own;
  force->type = &own->type;
  return 0;
}
