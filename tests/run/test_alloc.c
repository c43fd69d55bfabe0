/* test_alloc.c - memory: no allocation inside steps, bounded memory per body, no leaks, and failed
 * allocations reported as errors. Measured by an allocator that counts. */
#include "allocations.h"
#include "scenes.h"

#include <gsl/gsl_vector.h>
#include <string.h>

/* ---- The counting allocator ---------------------------------------------------------------------------- */

static void allocations_are_counted(void **state)
{
  (void)state;
  long blocks = live_blocks, bytes = live_bytes, calls = allocations;
  void *a = malloc(100), *b = calloc(10, 10), *c = NULL;
  assert_int_equal(posix_memalign(&c, 64, 100), 0);
  a = realloc(a, 100000);
  assert_non_null(b);
  assert_int_equal(allocations - calls, 4);
  assert_int_equal(live_blocks - blocks, 3);
  assert_true(live_bytes - bytes >= 100200 && peak_bytes >= live_bytes);
  free(a), free(b), free(c);
  gsl_vector *v = gsl_vector_alloc(1000); /* in another library */
  char *s = strdup("in the C library");
  assert_int_equal(live_blocks - blocks, 4); /* a vector, its block, its data, the string */
  assert_true(live_bytes - bytes >= 8000);
  gsl_vector_free(v), free(s);
  assert_int_equal(live_blocks, blocks);
  assert_int_equal(live_bytes, bytes);
}

/* ---- Steps --------------------------------------------------------------------------------------------- */

static const char *const solver_specs[] = {
  "impulse-gs",
  "impulse-gs:flight=taylor",
  "impulse-gs:flight=taylor,flight_adaptive=true",
  "impulse-gs:flight=exact",
  "impulse-sle",
  "impulse-sle:linear=dense",
  "impulse-sle:linear=ksp",
  "impulse-sle:flight=taylor,flight_order=30",
  "impulse-newton",
  "impulse-newton:line_search=l2,flight=exact",
  "impulse-newton:line_search=cp,linear=dense",
  "lagrange",
  "lagrange:stepper=rk2",
  "lagrange:stepper=rkf45",
  "lagrange:stepper=rkck",
  "lagrange:linear=dense",
  "lagrange:stepper=rk8pd,stabilisation=projection",
  "lagrange:stabilisation=baumgarte",
  "lagrange:stepper=msadams,adaptive=true",
  "lagrange:stepper=rkf45,adaptive=true",
  "lagrange:group=rkmk,stepper=rkck",
  "lagrange:group=commutator-free,stabilisation=projection",
  "lagrange:formulation=ggl,stabilisation=baumgarte",
  "half-explicit",
  "half-explicit:stabilisation=projection",
  "hem5",
  "generalised-alpha",
  "blie",
  "variational",
  "generalised-alpha:formulation=ggl",
  "ida",
  "ida:linear=dense",
  "xpbd",
  "tgs-soft",
  "avbd",
};

static long allocations_of_steps(bench *b, int steps)
{
  long before = allocations;
  for (int i = 0; i < steps; i++) {
    hn_reason reason = hn_solver_step(b->solver, b->state, b->scene->step);
    if (reason != HN_CONVERGED)
      fail_msg("%s on %s: %s", b->solver->spec, b->scene->name, hn_reason_name(reason));
  }
  return allocations - before;
}

static void no_allocation_inside_a_step(void **state)
{
  (void)state;
  static const char *const scenes[] = { "double_pendulum", "tree", "chain8" };
  for (size_t k = 0; k < sizeof solver_specs / sizeof *solver_specs; k++) {
    printf(" %s\n", solver_specs[k]);
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
      bench b = set_up(scenes[i], solver_specs[k]);
      long first = allocations_of_steps(&b, 2), later = allocations_of_steps(&b, 10);
      char what[80];
      snprintf(what, sizeof what, "%s: allocations in 10 steps (the first two: %ld)", scenes[i], first);
      check_below(what, (double)later, 0);
      tear_down(&b);
    }
  }
}

/* Pairs of bodies in contact, contact by contact. */
typedef struct contact_pairs {
  uint64_t count, pair[64];
} contact_pairs;

static contact_pairs list_contact_pairs(const hn_state *state)
{
  contact_pairs now = { .count = (uint64_t)state->ncontact };
  assert_true(now.count <= sizeof now.pair / sizeof *now.pair);
  for (int i = 0; i < state->ncontact; i++)
    now.pair[i] = (uint64_t)state->contact[i].a << 32 | (uint64_t)state->contact[i].b;
  return now;
}

/* No contact solver allocates while the contacts are unchanged; meanwhile contacts stick, slide and open. */
static void no_allocation_while_contacts_are_unchanged(void **state)
{
  (void)state;
  static const char *const solvers[] = { "apgd", "admm", "newton", "lemke", "ipm", "admm:then=newton" };
  static const struct {
    const char *scene, *settings[2];
  } cases[] = {
    { "stack", { NULL } },
    { "stack", { "push=0.5", NULL } },
    { "sliding_cubes", { NULL } },
    { "heavy_chain", { NULL } },
  };
  for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      char spec[96], what[96];
      snprintf(spec, sizeof spec, "moreau:contact=%s,contact_tolerance=1e-8,stabilisation=baumgarte",
               solvers[k]);
      bench b = set_up_as(cases[i].scene, cases[i].settings, spec);
      long first = allocations_of_steps(&b, 5), later = 0, steps = 0;
      contact_pairs now = list_contact_pairs(b.state);
      for (int n = 0; n < 20; n++) {
        const long count = allocations_of_steps(&b, 1);
        const contact_pairs next = list_contact_pairs(b.state);
        if (memcmp(&now, &next, sizeof now) == 0) later += count, steps++;
        now = next;
      }
      printf(" %s%s%s\n", solvers[k], cases[i].settings[0] ? ", " : "",
             cases[i].settings[0] ? cases[i].settings[0] : "");
      snprintf(what, sizeof what, "%s: allocations in %ld steps (the first five: %ld)", cases[i].scene, steps,
               first);
      assert_true(steps >= 10);
      check_below(what, (double)later, 0);
      tear_down(&b);
    }
}

/* Exactly the linear solvers marked in the list allocate in factorisations or solutions. */
static void linear_solvers_allocate_as_declared(void **state)
{
  (void)state;
  size_t count;
  const hn_linear_info *info = hn_linear_backends(&count);
  for (size_t i = 0; i < count; i++) {
    char spec[64], what[80];
    snprintf(spec, sizeof spec, "impulse-sle:linear=%s", info[i].name);
    bench b = set_up("tree", spec);
    long first = allocations_of_steps(&b, 2), later = allocations_of_steps(&b, 10);
    snprintf(what, sizeof what, "%s: allocations in 10 steps (the first two: %ld)", info[i].name, first);
    if (info[i].allocates) printf("  %-58s %12ld  declared\n", what, later);
    else check_below(what, (double)later, 0);
    assert_true(info[i].allocates == (later > 0));
    tear_down(&b);
  }
}

/* Failed steps do not allocate either. (PETSc creates a vector if Newton's line search finds no decrease, to
 * test for a minimum.) */
static void no_allocation_inside_a_failed_step(void **state)
{
  (void)state;
  static const struct {
    const char *scene, *solver;
    double step;
    hn_reason reason;
  } cases[] = {
    { "cuboid28", "impulse-sle", 0.01, HN_SINGULAR },
    { "cuboid28", "lagrange", 0.01, HN_SINGULAR },
    { "cuboid28", "impulse-sle:linear=dense", 0.01, HN_SINGULAR },
    { "box_pendulum", "impulse-gs:iterations=50", 0.5, HN_STALLED },
    { "box_pendulum", "impulse-sle", 0.5, HN_STALLED },
    { "box_pendulum", "impulse-newton:iterations=5", 0.5, HN_STALLED },
    { "cuboid28", "impulse-newton", 0.01, HN_SINGULAR },
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    bench b = set_up(cases[k].scene, cases[k].solver);
    for (int i = 0; i < 2; i++) hn_solver_step(b.solver, b.state, cases[k].step);
    long before = allocations;
    for (int i = 0; i < 10; i++)
      assert_int_equal(hn_solver_step(b.solver, b.state, cases[k].step), cases[k].reason);
    char what[80];
    snprintf(what, sizeof what, "%s, %s: allocations in 10 steps", cases[k].scene, cases[k].solver);
    check_below(what, (double)(allocations - before), 0);
    tear_down(&b);
  }
}

/* ---- Memory in use ------------------------------------------------------------------------------------- */

enum { BODIES = 1023 };

/* Returns a complete binary tree of boxes on ball joints; geometry does not matter here. */
static hn_model *tree(int n)
{
  hn_model *model = new_model();
  for (int i = 1; i <= n; i++) {
    char name[16];
    snprintf(name, sizeof name, "body%d", i);
    add_ball(model, i / 2, add_box(model, name, i, 0, 0), i - 0.5, 0, 0);
  }
  return model;
}

/* Returns the peak memory (bytes) of model, state, solver and two steps. */
static long peak_memory(const char *spec, int n)
{
  long before = live_bytes;
  peak_bytes = live_bytes;
  hn_model *model = tree(n);
  hn_state *at = hn_state_create(model);
  hn_solver *solver = new_solver(spec, model);
  for (int i = 0; i < 2; i++) hn_solver_step(solver, at, 1e-4);
  hn_solver_free(solver);
  hn_state_free(at);
  hn_model_free(model);
  return peak_bytes - before;
}

static void bodies_are_small(void **state)
{
  (void)state;
  static const char *const specs[] = { "impulse-gs", "impulse-sle", "lagrange",
                                       "lagrange:stepper=rk8pd,stabilisation=projection" };
  peak_memory("impulse-sle", 3); /* starts PETSc, whose own memory does not count */
  for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
    long peak = peak_memory(specs[k], BODIES);
    char what[80];
    snprintf(what, sizeof what, "%s: bytes per body, tree of %d", specs[k], BODIES);
    check_below(what, (double)peak / BODIES, 4096);
    if (strstr(specs[k], "sle")) /* includes K and its factor, allocated by PETSc */
      assert_true(peak - peak_memory("impulse-gs", BODIES) > 2 * BODIES * 9 * (long)sizeof(double));
  }
}

static void solvers_free_all_memory(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof solver_specs / sizeof *solver_specs; k++) {
    peak_memory(solver_specs[k], 7); /* libraries may retain what they allocate once */
    long blocks = live_blocks;
    peak_memory(solver_specs[k], 31);
    printf("  %-55s %ld blocks left\n", solver_specs[k], live_blocks - blocks);
    assert_int_equal(live_blocks, blocks);
  }
}

/* Takes two steps that fail in the factorisation. */
static void fail_to_factor(const char *spec)
{
  bench b = set_up("cuboid28", spec);
  for (int i = 0; i < 2; i++) assert_int_not_equal(hn_solver_step(b.solver, b.state, 0.01), HN_CONVERGED);
  tear_down(&b);
}

static void linear_solvers_free_all_memory(void **state)
{
  (void)state;
  size_t count;
  const hn_linear_info *info = hn_linear_backends(&count);
  for (size_t i = 0; i < count; i++) {
    char spec[64];
    snprintf(spec, sizeof spec, "impulse-sle:linear=%s", info[i].name);
    peak_memory(spec, 7), fail_to_factor(spec);
    long blocks = live_blocks;
    peak_memory(spec, 31), fail_to_factor(spec);
    printf("  %-55s %ld blocks left\n", spec, live_blocks - blocks);
    assert_int_equal(live_blocks, blocks);
  }
}

/* ---- Failing allocations ------------------------------------------------------------------------------- */

/* Creates a box and two particles, a ball joint and two rods. Returns -1 with one line in `error` on failure,
 * like all functions below. */
static int make_model(hn_model **model, hn_error *error)
{
  const double gravity[3] = { 0, -9.81, 0 };
  const hn_body_spec box = { .name = "box",
                             .kind = HN_RIGID,
                             .shape = { .kind = HN_BOX, .size = { 1, 1, 1 } },
                             .density = 1,
                             .orientation = { 1, 0, 0, 0 } };
  const hn_body_spec particle = { .name = "particle",
                                  .kind = HN_PARTICLE,
                                  .has_mass = true,
                                  .mass = 1,
                                  .position = { 2, 0, 0 },
                                  .orientation = { 1, 0, 0, 0 } };
  const hn_joint_spec ball = {
    .type = "ball", .a = 0, .b = 1, .has_points = true, .at_a = { 0, 1, 0 }, .at_b = { 0, 1, 0 }
  };
  const hn_joint_spec rod = { .type = "distance", .name = "rod", .a = 1, .b = 2 };
  const hn_joint_spec loop = { .type = "distance", .a = 2, .b = 0 };
  *model = hn_model_create(gravity);
  if (!*model) return hn_fail(error, "out of memory");
  if (hn_model_add_body(*model, &box, error) < 0 || hn_model_add_body(*model, &particle, error) < 0)
    return -1;
  if (hn_model_add_joint(*model, &ball, error) < 0 || hn_model_add_joint(*model, &rod, error) < 0) return -1;
  return hn_model_add_joint(*model, &loop, error) < 0 ? -1 : 0;
}

/* Creates everything that a run needs, and takes one step. */
static int make_all(const char *spec, hn_error *error)
{
  hn_model *model = NULL;
  hn_state *at = NULL;
  hn_solver *solver = NULL;
  int status = make_model(&model, error);
  if (status == 0 && !(at = hn_state_create(model))) status = hn_fail(error, "out of memory");
  if (status == 0 && !(solver = hn_solver_create(spec, model, error))) status = -1;
  if (status == 0 && hn_solver_step(solver, at, 0.001) != HN_CONVERGED) status = hn_fail(error, "no step");
  hn_solver_free(solver);
  hn_state_free(at);
  hn_model_free(model);
  return status;
}

/* Projects the initial poses onto the joints. */
static int make_projected(const char *what, hn_error *error)
{
  hn_model *model = NULL;
  int status = make_model(&model, error);
  (void)what;
  if (status == 0) {
    model->body[2].pose0.x[0] += 0.1;
    status = hn_model_project(model, error);
  }
  hn_model_free(model);
  return status;
}

static int make_record(const char *path, hn_error *error)
{
  hn_model *model = NULL;
  hn_record *record = NULL;
  int status = make_model(&model, error);
  if (status == 0 && !(record = hn_record_create(path, model, NULL, error))) status = -1;
  if (record && hn_record_close(record, error)) status = -1;
  hn_model_free(model);
  return status;
}

/* Calls make(what), letting the n-th allocation fail (and, if `later`, all after it) for n = 1, 2, 3, ...,
 * until there are fewer. Each call must report an error of one line, except for `spare` optional allocations,
 * and free every block. */
static void fail_each(int (*make)(const char *, hn_error *), const char *what, bool later, int spare)
{
  long n = 0, blocks = live_blocks;
  for (bool failed = true; failed;) {
    hn_error error = { "" };
    fail_allocation(++n, later);
    int status = make(what, &error);
    failed = has_failed;
    fail_allocation(0, false);
    if (failed && status == 0 && spare-- <= 0) fail_msg("%s: failure of allocation %ld unnoticed", what, n);
    if (status != 0 && !(failed && strstr(error.text, "memory")))
      fail_msg("%s: allocation %ld: \"%s\"", what, n, error.text);
    if (live_blocks != blocks) fail_msg("%s: allocation %ld: %ld blocks lost", what, n, live_blocks - blocks);
    assert_true(n < 1000);
  }
  printf("  %s: %ld allocations, each failed %s\n", what, n - 1, later ? "with all after it" : "alone");
  assert_true(n > 10);
}

static void failed_allocations_are_errors(void **state)
{
  (void)state;
  static const char *const specs[] = {
    "impulse-gs",
    "impulse-gs:flight=exact,tolerance=1e-8",
    "impulse-sle:linear=dense",
    "lagrange:linear=dense",
    "lagrange:linear=dense,stepper=rk8pd,stabilisation=projection",
    "xpbd",
    "tgs-soft",
    "avbd",
    "half-explicit:linear=dense",
    "hem5:linear=dense",
    "lagrange:linear=dense,group=crouch-grossman,formulation=ggl",
    "generalised-alpha:linear=dense,formulation=ggl",
    "generalised-alpha:linear=dense", /* not ida: SUNDIALS 6.4 crashes */
  };
  char directory[] = "test_alloc.XXXXXX", path[64];
  for (int later = 0; later < 2; later++)
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
      hn_error error;
      assert_int_equal(make_all(specs[k], &error), 0); /* what is allocated once per process */
      fail_each(make_all, specs[k], later, 0);
    }
  for (int later = 0; later < 2; later++) fail_each(make_projected, "a projected start", later, 0);
  assert_non_null(mkdtemp(directory));
  snprintf(path, sizeof path, "%s/record.csv", directory);
  for (int later = 0; later < 2; later++) /* asprintf need not trim its string, a file needs no buffer */
    fail_each(make_record, path, later, 2);
  remove(path);
  strcat(path, ".part");
  remove(path);
  remove(directory);
}

/* Takes a step whose n-th allocation fails, n = 1, 2, 3, ..., until there are not as many. Its reason says
 * so, unless the memory can be done without. */
static void a_step_without_memory_says_so(void **state)
{
  (void)state;
  static const char *const specs[] = { "moreau:contact=newton", "moreau:contact=admm", "impulse-contact" };
  for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
    long n = 0, said = 0;
    for (bool failed = true; failed;) {
      bench b = set_up("stack", specs[k]);
      fail_allocation(++n, false);
      const hn_reason reason = hn_solver_step(b.solver, b.state, b.scene->step);
      failed = has_failed;
      fail_allocation(0, false);
      if (reason != HN_CONVERGED && !(failed && reason == HN_NO_MEMORY))
        fail_msg("%s: allocation %ld: %s", specs[k], n, hn_reason_name(reason));
      said += reason == HN_NO_MEMORY;
      tear_down(&b);
    }
    printf("  %s: %ld allocations in a step, %ld of them needed\n", specs[k], n - 1, said);
    assert_true(said > 0);
  }
}

/* A run that cannot be prepared ends as out-of-memory before its first step. */
static void a_run_without_memory_says_so(void **state)
{
  (void)state;
  bench b = set_up("double_pendulum", "impulse-gs");
  const hn_run_options options = { .step = b.scene->step, .duration = b.scene->step };
  hn_summary summary;
  long n = 0;
  for (bool failed = true; failed;) {
    fail_allocation(++n, true);
    const hn_reason reason = hn_run(b.solver, b.state, &options, &summary);
    failed = has_failed;
    fail_allocation(0, false);
    assert_int_equal(reason, failed ? HN_NO_MEMORY : HN_CONVERGED);
    assert_true(summary.control_failed == failed && (!failed || strstr(summary.explanation, "memory")));
  }
  printf("  %ld allocations before the first step\n", n - 1);
  assert_true(n > 2);
  tear_down(&b);
}

int main(void)
{
  static char buffer[BUFSIZ];
  setvbuf(stdout, buffer, _IOLBF, sizeof buffer); /* so that printing allocates nothing */
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(allocations_are_counted),
    cmocka_unit_test(no_allocation_inside_a_step),
    cmocka_unit_test(no_allocation_while_contacts_are_unchanged),
    cmocka_unit_test(linear_solvers_allocate_as_declared),
    cmocka_unit_test(no_allocation_inside_a_failed_step),
    cmocka_unit_test(bodies_are_small),
    cmocka_unit_test(solvers_free_all_memory),
    cmocka_unit_test(linear_solvers_free_all_memory),
    cmocka_unit_test(failed_allocations_are_errors),
    cmocka_unit_test(a_step_without_memory_says_so),
    cmocka_unit_test(a_run_without_memory_says_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
