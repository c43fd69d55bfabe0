/* impulse_composed.c - symmetric compositions of the impulse step, order 4, 6 or 8.
 *
 *   one step of h = impulse steps of gamma_1 h, gamma_2 h, ..., gamma_s h,   gamma_i = gamma_{s+1-i},  sum gamma_i = 1
 *
 * The impulse step is symmetric and of order 2; the coefficients cancel the next terms of its error expansion. The
 * composition is symmetric and symplectic like the step, so that the energy error stays bounded over long runs. Some
 * gamma are negative: parts of a step run backwards. Cost: s impulse steps. The free flight must be far more accurate
 * than the method: exact by default, or taylor of higher order.
 *
 *   order  coefficients   stages  source
 *   4      suzuki         5       Suzuki, Phys. Lett. A 146 (1990)
 *   4      yoshida        3       Yoshida, Phys. Lett. A 150 (1990); Creutz and Gocksch (1989)
 *   6      kahan-li       9       Kahan and Li, Math. Comp. 66 (1997)
 *   6      yoshida        7       Yoshida (1990), solution A
 *   8      kahan-li       17      Kahan and Li (1997)
 *   8      suzuki-umeno   15      Suzuki and Umeno (1993)
 *
 * Collected in Hairer, Lubich and Wanner, Geometric Numerical Integration (2006), section V.3.2. The digits were not
 * compared with print: the sums of gamma, gamma^3, gamma^5 and gamma^7 that an order needs hold to 2e-15, and the
 * remaining conditions are shown by the fitted orders alone (tests/test_solvers.c). */
#include "part/rattle.h"

#include <math.h>
#include <string.h>

enum { DEFAULT, SUZUKI, YOSHIDA, KAHAN_LI, SUZUKI_UMENO };
enum { MAX_HALF = 9 };

/* A composition: its first stages up to the middle one. */
typedef struct composition {
  int order, name, stages;
  double gamma[MAX_HALF];
} composition;

/* The first of each order is its default. */
static const composition compositions[] = {
  { 2, DEFAULT, 1, { 1.0 } },
  { 4, SUZUKI, 5, { 0.41449077179437573714, 0.41449077179437573714, -0.65796308717750294857 } },
  { 4, YOSHIDA, 3, { 1.35120719195965763405, -1.70241438391931526810 } },
  { 6, KAHAN_LI, 9, { 0.39216144400731413927925056, 0.33259913678935943859974864, -0.70624617255763935980996482,
                      0.08221359629355080023149045, 0.79854399093482996339895035 } },
  { 6, YOSHIDA, 7, { 0.78451361047755726381949763, 0.23557321335935813368479318, -1.17767998417887100694641568,
                     1.31518632068391121888424973 } },
  { 8, KAHAN_LI, 17, { 0.13020248308889008087881763, 0.56116298177510838456196441, -0.38947496264484728640807860,
                       0.15884190655515560089621075, -0.39590389413323757733623154, 0.18453964097831570709183254,
                       0.25837438768632204729397911, 0.29501172360931029887096624, -0.60550853383003451169892108 } },
  { 8, SUZUKI_UMENO, 15, { 0.74167036435061295344822780, -0.40910082580003159399730010, 0.19075471029623837995387626,
                           -0.57386247111608226665638773, 0.29906418130365592384446354, 0.33462491824529818378495798,
                           0.31529309239676659663205666, -0.79688793935291635401978884 } },
};
enum { NCOMPOSITIONS = sizeof compositions / sizeof *compositions };

typedef struct impulse_composed {
  int order, coefficients;
  hn_rattle rattle;
  const composition *chosen;
} impulse_composed;

static const hn_param params[] = {
  { "order", HN_INTEGER, offsetof(impulse_composed, order), "4", 2, 8, "", NULL, "2, 4, 6 or 8" },
  { "coefficients", HN_CHOICE, offsetof(impulse_composed, coefficients), "default", 0, 0, "",
    "default,suzuki,yoshida,kahan-li,suzuki-umeno", "whose coefficients; default: suzuki at order 4, else kahan-li" },
  HN_RATTLE_PARAMS(impulse_composed, rattle, "1e-13", "exact"),
  { .key = NULL },
};

static const composition *choose(int order, int name)
{
  for (int i = 0; i < NCOMPOSITIONS; i++)
    if (compositions[i].order == order && (name == DEFAULT || name == compositions[i].name)) return &compositions[i];
  return NULL;
}

static int setup(hn_solver *solver, hn_error *error)
{
  impulse_composed *d = solver->data;
  d->chosen = choose(d->order, d->coefficients);
  if (!d->chosen && !choose(d->order, DEFAULT))
    return hn_fail(error, "impulse-composed: order must be 2, 4, 6 or 8, not %d", d->order);
  if (!d->chosen)
    return hn_fail(error, "impulse-composed: order %d has no such coefficients; there are, for order 4, suzuki and "
                   "yoshida; for 6, kahan-li and yoshida; for 8, kahan-li and suzuki-umeno", d->order);
  return hn_rattle_setup(solver, &d->rattle, error);
}

static void reset(hn_solver *solver)
{
  hn_rattle_forget(&((impulse_composed *)solver->data)->rattle);
}

static void destroy(hn_solver *solver)
{
  hn_rattle_free(&((impulse_composed *)solver->data)->rattle);
}

static unsigned capabilities_of(const hn_solver *solver)
{
  return hn_rattle_capabilities(solver, &((const impulse_composed *)solver->data)->rattle);
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

static const char *const variants[] = { "order=2", "order=4", "order=4,coefficients=yoshida", "order=6",
                                        "order=6,coefficients=yoshida", "order=8",
                                        "order=8,coefficients=suzuki-umeno", NULL };

const hn_solver_type hn_solver_impulse_composed = {
  .abi = HN_ABI, .name = "impulse-composed",
  .summary = "symmetric compositions of the impulse step, order 4, 6 or 8; energy bounded over long runs",
  .citation = "Yoshida 1990; Suzuki 1990; Suzuki and Umeno 1993; Kahan and Li 1997",
  .capabilities = HN_CAN_BILATERAL | HN_KEEPS_MOMENTUM | HN_CAN_VELOCITY, .order = 0,
  .data_size = sizeof(impulse_composed), .params = params,
  .setup = setup, .step = step, .reset = reset, .free = destroy, .order_of = order_of,
  .capabilities_of = capabilities_of, .variants = variants,
};
