/* own_law.c - a law of compliant contact given as a tape:
 *
 *   f = law(d, d')     d: compression
 *   f = dE/dd          of a stored energy E(d)
 *
 * If both are given, the energy is what the law stores, and they must agree at d' = 0. */
#include "compliant/contact_law.h"
#include "compliant/smooth_friction.h"
#include "tape/tape.h"

#include <stdlib.h>

typedef struct own_law {
  hn_smooth_friction friction;
  hn_tape *force, *energy;
} own_law;

enum { DEPTH, RATE, INPUTS }; /* inputs of both tapes */

static const hn_param params[] = { HN_SMOOTH_FRICTION_PARAMS, { .key = NULL } };

static double run(const hn_tape *tape, double depth, double rate)
{
  double slot[HN_TAPE_SLOTS], out;
  slot[DEPTH] = depth, slot[RATE] = rate;
  hn_tape_run(tape, slot, &out);
  return out;
}

static double force(const void *data, double radius, double depth, double rate)
{
  (void)radius;
  return run(((const own_law *)data)->force, depth, rate);
}

static double energy(const void *data, double radius, double depth)
{
  const own_law *d = data;
  (void)radius;
  return d->energy ? run(d->energy, depth, 0.0) : 0.0;
}

static bool dissipates(const void *data)
{
  const own_law *d = data;
  return !d->energy || hn_tape_depends(d->force, RATE, 1);
}

static int setup(void *data, hn_error *error)
{
  const own_law *d = data;
  return d->force || d->energy ? 0 : hn_fail(error, "a law of one's own is a function of a scene");
}

static void destroy(void *data)
{
  own_law *d = data;
  hn_tape_free(d->force), hn_tape_free(d->energy);
}

static const hn_contact_law_type own = {
  .name = "own",
  .summary = "a function of the scene",
  .params = params,
  .data_size = sizeof(own_law),
  .setup = setup,
  .dissipates = dissipates,
  .can_drive = true,
  .force = force,
  .energy = energy,
  .free = destroy,
};

const hn_contact_law_type *hn_contact_law_own(void)
{
  return &own;
}

/* Computes the slot of dE/dd. */
static void slope_of(hn_tape_writer *writer, const void *unused, int outputs, int inputs, const int *value,
                     const int *slope, int *out)
{
  (void)writer, (void)unused, (void)outputs, (void)inputs, (void)value;
  out[0] = slope[DEPTH];
}

/* Checks over some orders of compression that the law without a rate is finite and equals dE/dd, if there is
 * an ENERGY. */
static int check(const hn_tape *law, const hn_tape *from_energy, hn_error *error)
{
  static const double depths[] = { 1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2 }, tolerance = 1e-6;
  for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
    const double f = run(law, depths[i], 0.0), fit = from_energy ? run(from_energy, depths[i], 0.0) : f;
    if (!isfinite(f))
      return hn_fail(error, "law of contact: at a compression of %g m it gives %s", depths[i],
                     isnan(f) ? "nan" : "infinity");
    if (!(fabs(f - fit) <= tolerance * (fabs(f) + fabs(fit))))
      return hn_fail(error,
                     "law of contact: it does not fit its energy: at a compression of %g m the law gives %g, "
                     "and the derivative of the energy is %g",
                     depths[i], f, fit);
  }
  return 0;
}

/* Completes D from its tapes. */
static int complete(own_law *d, hn_error *error)
{
  if (!d->energy) return check(d->force, NULL, error);
  hn_tape *from_energy = hn_tape_derive(d->energy, 1, slope_of, NULL, error);
  if (!from_energy) return -1;
  const int status = check(d->force ? d->force : from_energy, from_energy, error);
  if (d->force) hn_tape_free(from_energy);
  else d->force = from_energy;
  return status;
}

hn_contact_law *hn_contact_law_create_own(const char *settings, hn_tape *law, hn_tape *stored,
                                          hn_error *error)
{
  hn_contact_law *made = hn_contact_law_allocate(&own, error);
  if (!made) {
    hn_tape_free(law), hn_tape_free(stored);
    return NULL;
  }
  own_law *d = made->data;
  if (hn_contact_law_read(made, settings, error) == 0) {
    d->force = law, d->energy = stored;
    if (setup(d, error) == 0 && complete(d, error) == 0) return made;
  } else {
    hn_tape_free(law), hn_tape_free(stored);
  }
  hn_contact_law_free(made);
  return NULL;
}
