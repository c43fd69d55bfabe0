/* kelvin_voigt.c - Kelvin and Voigt's law of contact: a spring and a damper in parallel.
 *
 *   f = k d + c d',  clamped at 0        d: compression
 *
 * The force jumps by c d' at the touch. In expansion the contact opens before d = 0, once k d + c d' = 0.
 * [goldsmith1960] */
#include "compliant/smooth_friction.h"
#include "forces.h"

typedef struct kelvin_voigt {
  hn_smooth_friction friction;
  double stiffness, damping;
} kelvin_voigt;

static const hn_param params[] = {
  { "stiffness", HN_REAL, offsetof(kelvin_voigt, stiffness), "0", 0, HUGE_VAL, "N/m", NULL,
    "force per compression" },
  { "damping", HN_REAL, offsetof(kelvin_voigt, damping), "0", 0, HUGE_VAL, "N s/m", NULL,
    "force per rate of compression" },
  HN_SMOOTH_FRICTION_PARAMS,
  { .key = NULL },
};

static int setup(void *data, hn_error *error)
{
  const kelvin_voigt *d = data;
  if (d->stiffness > 0.0) return 0;
  return hn_fail(error, "law kelvin-voigt: it needs a stiffness above 0, N/m");
}

static bool dissipates(const void *data)
{
  return ((const kelvin_voigt *)data)->damping > 0.0;
}

static double force(const void *data, double radius, double depth, double rate)
{
  const kelvin_voigt *d = data;
  (void)radius;
  return d->stiffness * depth + d->damping * rate;
}

static double energy(const void *data, double radius, double depth)
{
  (void)radius;
  return 0.5 * ((const kelvin_voigt *)data)->stiffness * depth * depth;
}

const hn_contact_law_type hn_contact_law_kelvin_voigt = {
  .name = "kelvin-voigt",
  .summary = "spring and damper in parallel",
  .citation = "Goldsmith 1960",
  .params = params,
  .data_size = sizeof(kelvin_voigt),
  .setup = setup,
  .dissipates = dissipates,
  .force = force,
  .energy = energy,
};
