/* hertz.c - Hertz's law of contact, elastic, and Hunt and Crossley's, which dissipates.
 *
 *   hertz           f = k d^(3/2)                                d: compression
 *   hunt-crossley   f = k d^n (1 + (3/2) c d'),  clamped at 0
 *
 * Two spheres have k = (4/3) E* sqrt(R), where 1/R = 1/R_1 + 1/R_2 and 1/E* = (1 - nu_1^2)/E_1 + (1 -
 * nu_2^2)/E_2. A plane has 1/R = 0. Hunt and Crossley's force is continuous at the touch. An impact with the
 * speed v has a restitution of 1 - c v + O(c^2 v^2), whatever mass, k and n. [hertz1882; hunt1975, eq. 14] */
#include "compliant/elastic.h"
#include "compliant/smooth_friction.h"
#include "forces.h"

/* Both laws; the dissipation of hertz is 0. */
typedef struct hertz {
  hn_smooth_friction friction;
  hn_elastic elastic;
  double dissipation; /* c */
} hertz;

static const hn_param hertz_params[] = {
  HN_ELASTIC_PARAMS(hertz, elastic, "N/m^1.5"),
  HN_SMOOTH_FRICTION_PARAMS,
  { .key = NULL },
};

static const hn_param hunt_crossley_params[] = {
  HN_ELASTIC_PARAMS(hertz, elastic, "N/m^n"),
  { "exponent", HN_REAL, offsetof(hertz, elastic) + offsetof(hn_elastic, exponent), "1.5", 1, 10, "", NULL,
    "power n of the compression" },
  { "dissipation", HN_REAL, offsetof(hertz, dissipation), "0", 0, HUGE_VAL, "s/m", NULL,
    "loss of restitution per speed of a slow impact" },
  HN_SMOOTH_FRICTION_PARAMS,
  { .key = NULL },
};

int hn_elastic_check(const hn_elastic *elastic, const char *law, hn_error *error)
{
  const bool stiff = elastic->stiffness > 0.0, of_spheres = elastic->modulus > 0.0;
  if (stiff == of_spheres)
    return hn_fail(error, "law %s: give a stiffness above 0, or the modulus of spheres, Pa%s", law,
                   stiff ? ", not both" : "");
  if (of_spheres && elastic->exponent != 1.5)
    return hn_fail(error, "law %s: a modulus needs the exponent 1.5, not %g; give a stiffness", law,
                   elastic->exponent);
  return 0;
}

static int setup_hertz(void *data, hn_error *error)
{
  hertz *d = data;
  d->elastic.exponent = 1.5;
  return hn_elastic_check(&d->elastic, "hertz", error);
}

static int setup_hunt_crossley(void *data, hn_error *error)
{
  return hn_elastic_check(&((hertz *)data)->elastic, "hunt-crossley", error);
}

static bool needs_radius(const void *data)
{
  return ((const hertz *)data)->elastic.modulus > 0.0;
}

static bool dissipates(const void *data)
{
  return ((const hertz *)data)->dissipation > 0.0;
}

static double force(const void *data, double radius, double depth, double rate)
{
  const hertz *d = data;
  return hn_elastic_stiffness(&d->elastic, radius) * hn_elastic_power(&d->elastic, depth) *
         (1.0 + 1.5 * d->dissipation * rate);
}

static double energy(const void *data, double radius, double depth)
{
  const hertz *d = data;
  return hn_elastic_stiffness(&d->elastic, radius) * hn_elastic_power(&d->elastic, depth) * depth /
         (d->elastic.exponent + 1.0);
}

#define LAW(suffix, word, text, source)                 \
  const hn_contact_law_type hn_contact_law_##suffix = { \
    .name = word,                                       \
    .summary = text,                                    \
    .citation = source,                                 \
    .params = suffix##_params,                          \
    .data_size = sizeof(hertz),                         \
    .setup = setup_##suffix,                            \
    .needs_radius = needs_radius,                       \
    .dissipates = dissipates,                           \
    .force = force,                                     \
    .energy = energy,                                   \
  }

LAW(hertz, "hertz", "elastic contact of round bodies, k d^(3/2)", "Hertz 1882");
LAW(hunt_crossley, "hunt-crossley", "k d^n with damping in proportion, restitution 1 - c v",
    "Hunt and Crossley 1975");
