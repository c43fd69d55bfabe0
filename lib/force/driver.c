/* driver.c - a hydraulic cylinder between two points: extends, contracts or holds, as its input selects
 *
 *   extend    Q = gain (speed - L'), at most limit;      the length held, C, follows L upwards
 *   contract  Q = -gain (speed + L'), at least -limit;    C follows L downwards
 *   hold      no drive
 *   and       Q = -stiffness (L - C) - damping L'        if L < C while extending, L > C while contracting,
 *             on both sides in hold, and outside [shortest, longest] always
 *
 * The input is 1 (extend), -1 (contract) or 0 (hold). [gribel2009, section 5.2] has hard limits for length
 * and speed. Here the oil has a stiffness and the valve a gain, so that the cylinder is a force that every
 * solver can handle. C is initially the length at the start and changes at the end of a step only. */
#include "forces.h"
#include "joint/joint_rows.h"

#include <math.h>

typedef struct driver {
  double speed, limit, shortest, longest, gain, stiffness, damping;
} driver;

/* defaults, chosen small against speed and length but not stiff: see the help of gain and stiffness */
static const double gain_ratio = 100.0;       /* the limit at 1/100 of the speed */
static const double stiffness_ratio = 1000.0; /* the limit at 1/1000 of the longest length */

enum { MODE, HELD, INPUTS }; /* the mode; the length held, m */

#define REAL(name, initial, unit, help)                                            \
  {                                                                                \
#name, HN_REAL, offsetof(driver, name), initial, 0, HUGE_VAL, unit, NULL, help \
  }
static const hn_param params[] = {
  REAL(speed, "0", "m/s", "speed of extension and contraction"),
  REAL(limit, "0", "N", "maximum driving force"),
  REAL(shortest, "0", "m", "minimum length"),
  REAL(longest, "0", "m", "maximum length"),
  REAL(gain, "0", "N s/m", "driving force per speed error; 0: the limit at 1/100 of the speed"),
  REAL(stiffness, "0", "N/m", "stiffness of the oil; 0: the limit at 1/1000 of the longest length"),
  REAL(damping, "0", "N s/m", "damping of the oil; 0: equal to the gain"),
  { .key = NULL },
};

static int setup(hn_force *force, const double *g, hn_error *error)
{
  driver *d = force->data;
  const double length = g[0];
  if (!(d->limit > 0) || !(d->speed > 0) || !(d->longest > 0))
    return hn_fail(
      error, "force \"%s\": a driver needs its limits: limit (N), speed (m/s), shortest and longest (m)",
      force->name);
  if (d->shortest > d->longest)
    return hn_fail(error, "force \"%s\": its limits cross: shortest %g m is above longest %g m", force->name,
                   d->shortest, d->longest);
  if (length < d->shortest || length > d->longest)
    return hn_fail(error, "force \"%s\": it is %g m long at the start, outside its limits %g to %g m",
                   force->name, length, d->shortest, d->longest);
  if (d->gain == 0) d->gain = gain_ratio * d->limit / d->speed;
  if (d->stiffness == 0) d->stiffness = stiffness_ratio * d->limit / d->longest;
  if (d->damping == 0) d->damping = d->gain;
  return 0;
}

/* Active parts of the law: each is linear, or constant at the limit. */
typedef struct parts {
  double direction; /* direction of the drive; 0: none */
  bool at_limit, stopped;
  double stop; /* length at which the stop acts */
} parts;

static parts parts_of(const driver *d, const double *input, double length, double rate)
{
  double low = input[MODE] >= 0 ? input[HELD] : d->shortest,
         high = input[MODE] <= 0 ? input[HELD] : d->longest;
  parts p = { .direction = input[MODE] > 0 ? 1.0 : input[MODE] < 0 ? -1.0 : 0.0 };
  p.stopped = p.direction == 0 || length < low || length > high; /* in hold, oil acts on both sides */
  p.stop = length < low ? low : high;
  p.at_limit = d->gain * (d->speed - p.direction * rate) > d->limit;
  return p;
}

static void jet(const hn_force *force, double t, const double *input, const double *g, const double *rate,
                size_t stride, size_t k, double *work, double *Q)
{
  const driver *d = force->data;
  parts p = parts_of(d, input, g[0], rate[0]);
  (void)t, (void)stride, (void)work;
  if (k == 0) {
    Q[0] = p.direction * (p.at_limit ? d->limit : d->gain * (d->speed - p.direction * rate[0]));
    if (p.stopped) Q[0] += -d->stiffness * (g[0] - p.stop) - d->damping * rate[0];
    return;
  }
  Q[k] = p.direction == 0 || p.at_limit ? 0.0 : -d->gain * rate[k];
  if (p.stopped) Q[k] -= d->stiffness * g[k] + d->damping * rate[k];
}

static double within(const driver *d, double length)
{
  return fmin(fmax(length, d->shortest), d->longest);
}

static void start(const hn_force *force, const double *g, double *input)
{
  input[HELD] = within(force->data, g[0]);
}

static void update(const hn_force *force, double t, double h, const double *g, const double *rate,
                   double *input)
{
  double length = within(force->data, g[0]), held = input[HELD];
  (void)t, (void)h, (void)rate;
  input[HELD] = input[MODE] > 0 ? fmax(held, length) : input[MODE] < 0 ? fmin(held, length) : held;
}

static const char *const modes[] = { "contract", "hold", "extend" };

const hn_force_type hn_force_driver = {
  .name = "driver",
  .summary = "hydraulic cylinder between two points: extends, contracts, holds",
  .citation = "Gribel 2009, section 5.2",
  .rows = &hn_coordinate_length,
  .keys = HN_KEY_AT | HN_KEY_DEFAULT_POINTS,
  .uses_rates = true,
  .inputs = INPUTS,
  .modes = modes,
  .data_size = sizeof(driver),
  .params = params,
  .setup = setup,
  .jet = jet,
  .update = update,
  .start = start,
};
