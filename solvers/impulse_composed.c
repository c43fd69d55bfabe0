/* impulse_composed.c - symmetric compositions of the impulse step, order 4, 6 or 8.
 *
 *   a step of h = impulse steps of gamma_1 h, gamma_2 h, ..., gamma_s h;   gamma_i = gamma_{s+1-i}, sum 1
 *
 * The impulse step is symmetric and of order 2; the coefficients cancel the next terms of its error
 * expansion. The composition is symmetric and symplectic like the step, so the energy error stays bounded
 * over long runs. Some gamma are negative: parts of a step run backwards. Cost: s impulse steps. The free
 * flight must be far more accurate than the solver: exact by default, or taylor of higher order.
 *
 *   order  coefficients   stages  source
 *   4      suzuki         5       Suzuki, Phys. Lett. A 146 (1990)
 *   4      yoshida        3       Yoshida, Phys. Lett. A 150 (1990); Creutz and Gocksch (1989)
 *   6      kahan-li       9       Kahan and Li, Math. Comp. 66 (1997)
 *   6      yoshida        7       Yoshida (1990), solution A
 *   8      kahan-li       17      Kahan and Li (1997)
 *   8      suzuki-umeno   15      Suzuki and Umeno (1993)
 *
 * Collected in Hairer, Lubich and Wanner, Geometric Numerical Integration (2006), section V.3.2. The digits
 * were not compared with print: they satisfy all conditions of their order to rounding
 * (tests/solvers/test_smooth.c). */
#include "impulse/composition.h"
#include "impulse/rattle.h"
#include "registry/step_doubling.h"

#include <math.h>
#include <string.h>

typedef struct impulse_composed {
  hn_rattle rattle;
  int order, coefficients;
  const hn_composition *chosen;
} impulse_composed;

static const hn_param params[] = {
  { "order", HN_INTEGER, offsetof(impulse_composed, order), "4", 2, 8, "", NULL, "2, 4, 6 or 8" },
  { "coefficients", HN_CHOICE, offsetof(impulse_composed, coefficients), "default", 0, 0, "", HN_COMPOSITIONS,
    "set of coefficients; default: suzuki at order 4, else kahan-li" },
  HN_RATTLE_PARAMS(impulse_composed, rattle, "1e-13", "exact"),
  HN_ERROR_TOLERANCE_PARAM(impulse_composed, rattle.error_tolerance),
  { .key = NULL },
};

static int setup(hn_solver *solver, hn_error *error)
{
  impulse_composed *d = solver->data;
  d->chosen = hn_composition_find(d->order, d->coefficients);
  if (!d->chosen && !hn_composition_find(d->order, HN_COMPOSITION_DEFAULT))
    return hn_fail(error, "impulse-composed: order must be 2, 4, 6 or 8, not %d", d->order);
  if (!d->chosen)
    return hn_fail(error,
                   "impulse-composed: order %d has no such coefficients; there are, for order 4, suzuki and "
                   "yoshida; for 6, kahan-li and yoshida; for 8, kahan-li and suzuki-umeno",
                   d->order);
  return hn_rattle_solver_setup(solver, error);
}

static int order_of(const hn_solver *solver)
{
  return ((const impulse_composed *)solver->data)->order;
}

static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  impulse_composed *d = solver->data;
  int last = d->chosen->stages - 1;
  for (int i = 0; i <= last; i++) {
    double gamma = d->chosen->gamma[i <= last - i ? i : last - i];
    hn_reason reason = hn_rattle_step(solver, &d->rattle, state, gamma * h);
    if (reason != HN_CONVERGED) return reason;
  }
  return HN_CONVERGED;
}

static const char *const variants[] = { "order=2",
                                        "order=4",
                                        "order=4,coefficients=yoshida",
                                        "order=6",
                                        "order=6,coefficients=yoshida",
                                        "order=8",
                                        "order=8,coefficients=suzuki-umeno",
                                        NULL };

const hn_solver_type hn_solver_impulse_composed = {
  .abi = HN_ABI,
  .name = "impulse-composed",
  .summary = "symmetric compositions of the impulse step, order 4, 6 or 8; energy bounded over long runs",
  .citation = "Yoshida 1990; Suzuki 1990; Suzuki and Umeno 1993; Kahan and Li 1997",
  .capabilities = HN_CAN_BILATERAL | HN_CAN_COMPLIANT | HN_KEEPS_MOMENTUM | HN_CAN_VELOCITY |
                  HN_CAN_EXTRA_FORCES,
  .order = 0,
  .data_size = sizeof(impulse_composed),
  .params = params,
  .setup = setup,
  .step = step,
  .reset = hn_rattle_solver_reset,
  .order_of = order_of,
  .capabilities_of = hn_rattle_solver_capabilities,
  .variants = variants,
};
