/* test_hub_sweeps.c - tgs-soft on a hub: the divergence of the star of 31 bodies, and the remedy.
 *
 * The step of tgs-soft is linear if the geometry is frozen. Its growth in a substep is measured here by the
 * iteration itself, written anew with the formulas of the head of tgs_soft.c: impulses P, row positions g and
 * velocities u, without forces. It depends on K alone, not on the step: all quantities scale with h. A growth
 * above 1 is the divergence. */
#include "scenes.h"
#include "base/small.h"

#include <stdlib.h>

enum { SUBSTEPS = 400 };

typedef struct sweeps {
  hn_system *s;
  hn_state motion; /* velocities u */
  double *P, *g, *factor;
} sweeps;

/* Solves block K for p with a bias and softness, and applies it. */
static void solve_block(sweeps *d, int k, double bias_rate, double mass_scale, double impulse_scale)
{
  const hn_block *block = &d->s->block[k];
  double v[HN_MAX_ROWS];
  hn_system_block_velocity(d->s, k, &d->motion, v);
  for (int r = 0; r < block->n; r++) v[r] += bias_rate * d->g[block->row + r] - d->s->bias[block->row + r];
  ldl_solve_semidefinite(block->n, d->factor + 36 * k, v);
  for (int r = 0; r < block->n; r++) {
    v[r] = -mass_scale * v[r] - impulse_scale * d->P[block->row + r];
    d->P[block->row + r] += v[r];
  }
  hn_system_block_apply(d->s, k, v, &d->motion);
}

/* Takes a substep of 1 s. */
static void substep(sweeps *d, double *v, int relax)
{
  const double omega = 2.0 * 3.14159265358979323846 * 0.25, a1 = 2.0 * 2.0 + omega, a2 = omega * a1;
  hn_system_apply(d->s, d->P, 1.0, &d->motion);
  for (int k = 0; k < d->s->nblock; k++) solve_block(d, k, omega / a1, a2 / (1.0 + a2), 1.0 / (1.0 + a2));
  hn_system_velocity_residual(d->s, &d->motion, v, NULL);
  for (int i = 0; i < d->s->nrow; i++) d->g[i] += v[i] - d->s->bias[i];
  for (int sweep = 0; sweep < relax; sweep++)
    for (int k = 0; k < d->s->nblock; k++) solve_block(d, k, 0.0, 1.0, 0.0);
}

/* Returns the growth of the impulses in a substep, from the last half of the substeps. */
static double growth(const char *bodies, int relax)
{
  bench b = set_up_as("star", WITH(bodies), "impulse-gs");
  sweeps d = { .s = hn_system_create(b.model, &(hn_error){ "" }), .motion = { .nbody = b.model->nbody } };
  const size_t rows = (size_t)b.model->nrow;
  d.P = calloc(3 * rows, sizeof *d.P), d.g = d.P + rows;
  d.factor = calloc(36 * (size_t)d.s->nblock, sizeof *d.factor);
  d.motion.twist = calloc((size_t)b.model->nbody, sizeof *d.motion.twist);
  hn_system_jacobian(d.s, b.state);
  for (int k = 0; k < d.s->nblock; k++) {
    hn_system_block_diagonal(d.s, k, d.factor + 36 * k);
    ldl_factor_semidefinite(d.s->block[k].n, d.factor + 36 * k);
  }
  for (size_t i = 0; i < rows; i++) d.P[i] = 1e-3 * sin(1.0 + (double)i);
  double middle = 0.0;
  for (int i = 1; i <= SUBSTEPS; i++) {
    substep(&d, d.g + rows, relax);
    if (i == SUBSTEPS / 2) middle = norm_of(d.P, (int)rows);
  }
  const double factor = pow(norm_of(d.P, (int)rows) / middle, 2.0 / SUBSTEPS);
  free(d.P), free(d.factor), free(d.motion.twist);
  hn_system_free(d.s);
  tear_down(&b);
  return factor;
}

static void test_growth(void **unused)
{
  (void)unused;
  static const struct {
    const char *bodies;
    int relax;
    bool grows;
  } cases[] = { { "n=7", 1, false }, { "n=15", 1, false }, { "n=31", 1, true },  { "n=31", 2, false },
                { "n=63", 2, true }, { "n=63", 4, false }, { "n=127", 2, true }, { "n=127", 4, false } };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const double factor = growth(cases[k].bodies, cases[k].relax);
    printf("  star, %s, relax=%d: growth of the impulses in a substep %.4f, expected %s 1\n", cases[k].bodies,
           cases[k].relax, factor, cases[k].grows ? "above" : "below");
    assert_true(cases[k].grows ? factor > 1.0 : factor < 1.0);
  }
}

/* The solver does what the growth says, at every step. */
static void test_runs(void **unused)
{
  (void)unused;
  static const double steps[] = { 1.0 / 30, 0.01, 0.002 };
  for (int k = 0; k < 6; k++) {
    bench b = set_up_as("star", WITH("n=31"), k < 3 ? "tgs-soft" : "tgs-soft:relax=2");
    const hn_reason reason = run(&b, steps[k % 3], 1.0, NULL, NULL);
    printf("  %s, step %.4f s: %s after %.3f s\n", b.solver->spec, steps[k % 3], hn_reason_name(reason),
           b.summary.time);
    assert_int_equal(reason, k < 3 ? HN_DIVERGED : HN_CONVERGED);
    tear_down(&b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_growth),
    cmocka_unit_test(test_runs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
