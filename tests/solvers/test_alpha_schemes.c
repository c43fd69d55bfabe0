/* test_alpha_schemes.c - scheme and formulation of generalised-alpha: coefficients, refusals, velocities. */
#include "generalised_alpha/alpha_scheme.h"
#include "scenes.h"

static const char *const kinds[] = { "chung-hulbert", "hht", "newmark", "wbz" };

/* By rho_inf, all schemes multiply disturbances across the joints by -rho_inf in each step. */
static void rho_inf_is_the_spectral_radius(void **state)
{
  (void)state;
  static const double rho[] = { 0.5, 0.7, 0.9, 0.999 };
  hn_error error;
  for (int kind = 0; kind < 4; kind++)
    for (int k = 0; k < 4; k++) {
      hn_alpha_scheme s = { .kind = kind, .rho_inf = rho[k] };
      assert_int_equal(hn_alpha_scheme_setup(&s, false, &error), 0);
      const double trace = 2 - (s.gamma + 0.5) / s.beta, determinant = 1 + (0.5 - s.gamma) / s.beta;
      printf(" %s, rho_inf = %g: alpha_m = %.4f, alpha_f = %.4f, beta = %.4f, gamma = %.4f\n", kinds[kind],
             rho[k], s.alpha_m, s.alpha_f, s.beta, s.gamma);
      check_near("eigenvalue", trace / 2, -rho[k], 1e-14);
      check_near("discriminant", trace * trace / 4 - determinant, 0, 1e-14);
      check_near("order", hn_alpha_scheme_order(&s), kind == HN_NEWMARK ? 1 : 2, 0);
      /* in steady motion u_1 - u_0 = h ((1 - gamma) a_0 + gamma a_1) requires a_0 at that time */
      check_near("time of a_0 after t, in steps", s.shift, 0.5 - s.gamma, 1e-15);
      if (kind != HN_NEWMARK) check_near("gamma of order 2", s.gamma, 0.5 + s.alpha_f - s.alpha_m, 1e-15);
    }
}

static void schemes_that_would_not_converge_are_errors(void **state)
{
  (void)state;
  static const struct {
    const char *spec, *words; /* NULL: accepted */
  } trials[] = {
    { "scheme=hht,rho_inf=0.4", "scheme=hht takes rho_inf from 0.5 to 0.999, not 0.4" },
    { "scheme=hht,rho_inf=0.5", NULL },
    { "scheme=wbz,rho_inf=0", NULL },
    { "scheme=wbz,gamma=0.6", "gamma and beta are settings of scheme=newmark" },
    { "beta=0.3", "gamma and beta are settings of scheme=newmark" },
    { "scheme=newmark,gamma=0.5", "it needs gamma > 0.5 and beta > gamma / 2, or formulation=ggl" },
    { "scheme=newmark,gamma=0.6,beta=0.3", "it needs gamma > 0.5 and beta > gamma / 2, or formulation=ggl" },
    { "scheme=newmark,gamma=0.6,beta=0.31", NULL },
    { "scheme=newmark,gamma=0.5,formulation=ggl", NULL },
    { "scheme=newmark,gamma=0.4,formulation=ggl", "needs gamma >= 0.5" },
    { "scheme=newton", "scheme must be one of chung-hulbert,hht,newmark,wbz" },
  };
  hn_error error;
  hn_scene *scene = hn_scene_load("double_pendulum", NULL, 0, &error);
  for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
    char spec[100];
    snprintf(spec, sizeof spec, "generalised-alpha:%s", trials[i].spec);
    hn_solver *solver = hn_solver_create(spec, scene->model, &error);
    printf("  %s: %s\n", spec, solver ? "accepted" : error.text);
    assert_true((trials[i].words == NULL) == (solver != NULL));
    if (trials[i].words) assert_non_null(strstr(error.text, trials[i].words));
    hn_solver_free(solver);
  }
  hn_scene_free(scene);
}

/* The refusal of Newmark's method with gamma = 1/2 in index 3 is necessary: its joint forces grow with time.
 * Its neighbour with gamma slightly above shows the growth within a few steps. */
static void forces_of_a_refused_scheme_would_grow(void **state)
{
  (void)state;
  double error[2];
  static const char *const specs[] = { "generalised-alpha:scheme=newmark,gamma=0.500001",
                                       "generalised-alpha:scheme=newmark,gamma=0.5,formulation=ggl" };
  for (int i = 0; i < 2; i++) {
    bench b = set_up("double_pendulum", specs[i]), fine = set_up("double_pendulum", "lagrange:stepper=rk8pd");
    error[i] = 0;
    for (int n = 0; n < 1000; n++) {
      assert_int_equal(hn_solver_step(b.solver, b.state, 0.002), HN_CONVERGED);
      assert_int_equal(hn_solver_step(fine.solver, fine.state, 0.002), HN_CONVERGED);
      for (int k = 0; k < 2; k++)
        error[i] = larger(error[i], fabs(b.solver->multipliers[k] - fine.solver->multipliers[k]));
    }
    printf("  %s: largest force error in 1000 steps %.3g N\n", specs[i], error[i]);
    tear_down(&fine), tear_down(&b);
  }
  check_below("force error of ggl with gamma = 1/2 over that of index 3", error[1] / error[0], 0.05);
}

static void velocities_of_ggl_satisfy_the_joints(void **state)
{
  (void)state;
  static const char *const scenes[] = { "double_pendulum", "box_pendulum", "chain8", "rolling_disc",
                                        "slider_crank" };
  for (size_t s = 0; s < 5; s++)
    for (int kind = 0; kind < 4; kind++) {
      char spec[120];
      snprintf(spec, sizeof spec, "generalised-alpha:redundancy=min-norm,formulation=ggl,scheme=%s",
               kinds[kind]);
      bench b = set_up(scenes[s], spec);
      must_converge(&b, 0.002, 0.2, NULL, NULL);
      printf(" %s, %s\n", scenes[s], kinds[kind]);
      check_below("joint error, m", b.summary.position_max, 1e-11);
      check_below("joint velocity error, m/s", b.summary.velocity_max, 1e-11 / 0.002);
      tear_down(&b);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(rho_inf_is_the_spectral_radius),
    cmocka_unit_test(schemes_that_would_not_converge_are_errors),
    cmocka_unit_test(forces_of_a_refused_scheme_would_grow),
    cmocka_unit_test(velocities_of_ggl_satisfy_the_joints),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
