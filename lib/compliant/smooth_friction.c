/* smooth_friction.c - Coulomb's friction as a smooth function of the slip speed s, with r = s / transition:
 *
 *   brown-mcphee   F / N = mu_k tanh(4 r) + (mu_s - mu_k) r / (r^2/4 + 3/4)^2
 *   threlfall      F / N = mu_k (1 - exp(-3 r))
 *
 * Both are 0 at rest: a body on a slope creeps. Brown and McPhee's function has the maximum mu_s near r = 1
 * and is analytic for all directions of the slip. Threlfall's reaches 0.95 mu_k at r = 1; its second
 * derivative jumps where the slip passes zero. [brown2016, eq. 3, without the viscous part; threlfall1978] */
#include "compliant/smooth_friction.h"
#include "elementary.h"

enum { BROWN_MCPHEE, THRELFALL };

/* Returns tanh(4 r) / r. */
static double tanh_factor(double r)
{
  static const double linear = 1e-9; /* tanh x = x to rounding below */
  return r < linear ? 4.0 : hn_tanh(4.0 * r) / r;
}

/* Returns (1 - exp(-3 r)) / r, without cancellation at small r. */
static double exponential_factor(double r)
{
  static const double linear = 1e-17, saturated = 15.0; /* exp(-45) is below rounding */
  if (r < linear) return 3.0;
  return r > saturated ? 1.0 / r : 2.0 * hn_exp(-1.5 * r) * hn_sinh(1.5 * r) / r;
}

double hn_smooth_friction_factor(const hn_smooth_friction *friction, double kinetic, double still,
                                 double speed)
{
  const double r = speed / friction->transition, bell = 0.25 * r * r + 0.75;
  if (friction->kind == THRELFALL) return kinetic * exponential_factor(r) / friction->transition;
  return (kinetic * tanh_factor(r) + (still - kinetic) / (bell * bell)) / friction->transition;
}

bool hn_smooth_friction_has_static(const hn_smooth_friction *friction)
{
  return friction->kind == BROWN_MCPHEE;
}
