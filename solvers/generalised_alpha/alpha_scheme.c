/* alpha_scheme.c - coefficients of the generalised-alpha family (alpha_scheme.h).
 *
 *   chung-hulbert   alpha_m = (2 rho - 1) / (rho + 1),  alpha_f = rho / (rho + 1)             [chung1993]
 *   hht             alpha_m = 0,                        alpha_f = (1 - rho) / (1 + rho)       [hilber1977]
 *   wbz             alpha_m = (rho - 1) / (rho + 1),    alpha_f = 0                           [wood1980]
 *   newmark         alpha_m = alpha_f = 0,              gamma = (3 - rho) / (2 + 2 rho)       [newmark1959]
 *
 *   gamma = 1/2 + alpha_f - alpha_m, except for newmark;   beta = (gamma + 1/2)^2 / 4
 *
 * With rho < 1 and g = 0, disturbances of velocities and accelerations across the joints are multiplied by a
 * matrix of trace 2 - (gamma + 1/2) / beta and determinant 1 + (1/2 - gamma) / beta in each step, with the
 * double eigenvalue -rho for the beta above. They decay if gamma > 1/2 and beta > gamma / 2. The joint forces
 * of hht also contain (-alpha_f / (1 - alpha_f))^n, so rho is at least 1/2, where that is -1/2. If the
 * velocities satisfy the joints as well, the only factor is 1 - 1 / gamma. */
#include "generalised_alpha/alpha_scheme.h"

static int setup_newmark(hn_alpha_scheme *s, bool of_velocities, hn_error *error)
{
  s->gamma = s->given_gamma > 0.0 ? s->given_gamma : (3.0 - s->rho_inf) / (2.0 + 2.0 * s->rho_inf);
  s->beta = s->given_beta > 0.0 ? s->given_beta : 0.25 * (s->gamma + 0.5) * (s->gamma + 0.5);
  s->shift = 0.5 - s->gamma;
  if (of_velocities ? s->gamma >= 0.5 : s->gamma > 0.5 && s->beta > 0.5 * s->gamma) return 0;
  if (of_velocities)
    return hn_fail(error,
                   "generalised-alpha: scheme=newmark needs gamma >= 0.5: the joint forces would grow");
  return hn_fail(
    error,
    "generalised-alpha: scheme=newmark with gamma = %g, beta = %g would not converge with joints "
    "of index 3: it needs gamma > 0.5 and beta > gamma / 2, or formulation=ggl",
    s->gamma, s->beta);
}

int hn_alpha_scheme_setup(hn_alpha_scheme *s, bool of_velocities, hn_error *error)
{
  const double rho = s->rho_inf;
  const bool newmark = s->kind == HN_NEWMARK;
  if (!newmark && (s->given_gamma > 0.0 || s->given_beta > 0.0))
    return hn_fail(error,
                   "generalised-alpha: gamma and beta are settings of scheme=newmark; all other schemes "
                   "take rho_inf");
  if (s->kind == HN_HHT && rho < 0.5)
    return hn_fail(error, "generalised-alpha: scheme=hht takes rho_inf from 0.5 to 0.999, not %g", rho);
  s->alpha_m = s->kind == HN_CHUNG_HULBERT ? (2.0 * rho - 1.0) / (rho + 1.0)
               : s->kind == HN_WBZ         ? (rho - 1.0) / (rho + 1.0)
                                           : 0.0;
  s->alpha_f = s->kind == HN_CHUNG_HULBERT ? rho / (rho + 1.0)
               : s->kind == HN_HHT         ? (1.0 - rho) / (1.0 + rho)
                                           : 0.0;
  s->gamma = 0.5 + s->alpha_f - s->alpha_m;
  s->beta = 0.25 * (s->gamma + 0.5) * (s->gamma + 0.5);
  s->shift = s->alpha_m - s->alpha_f;
  s->ratio = (1.0 - s->alpha_f) / (1.0 - s->alpha_m);
  return newmark ? setup_newmark(s, of_velocities, error) : 0;
}

int hn_alpha_scheme_order(const hn_alpha_scheme *s)
{
  return s->kind == HN_NEWMARK && s->gamma != 0.5 ? 1 : 2;
}
