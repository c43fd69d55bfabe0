/* test_threads.c - independent scenes: one file loaded twice, solvers of equal name, runs in several threads.
 * Runs in threads must equal runs alone to the bit; built with -fsanitize=thread they are checked for races
 * as well. Solvers whose libraries (PETSc, SUNDIALS) have state of the whole process are excluded; all others
 * use the dense linear solver here. */
#include "models.h"
#include "written.h"

#include <pthread.h>

/* ---- A run from the scene to its hash ------------------------------------------------------------------ */

typedef struct job {
  const char *scene;     /* name or path; unused if there is a model */
  const hn_model *model; /* shared with other jobs, or NULL */
  char spec[160];
  double step, duration;
  pthread_barrier_t *start; /* of simultaneous jobs; NULL: alone */
  uint64_t hash;
  hn_reason reason;
  double reference_sum; /* sum of all x and y of the reference at the end, m; 0: none */
  hn_error error;       /* reason why it did not run, or "" */
} job;

static void run_model(job *j, const hn_model *model, hn_control *control)
{
  hn_summary summary;
  hn_run_options options = { .step = j->step, .duration = j->duration };
  if (control) options.control = hn_control_step, options.controller = control;
  hn_solver *solver = hn_solver_create(j->spec, model, &j->error);
  hn_state *state = hn_state_create(model);
  if (solver && state) {
    j->reason = hn_run(solver, state, &options, &summary);
    j->hash = summary.hash;
    if (summary.control_failed) j->error = *(const hn_error *)(const void *)summary.explanation;
  }
  hn_state_free(state);
  hn_solver_free(solver);
}

static void sum_reference(job *j, hn_scene *scene)
{
  size_t n = (size_t)scene->model->nbody;
  bool *has = calloc(n, sizeof *has);
  double *x = calloc(3 * n, sizeof *x);
  j->reference_sum = 0.0;
  if (has && x && hn_scene_reference(scene, j->duration, has, x, &j->error) == 1)
    for (size_t i = 0; i < n; i++)
      if (has[i]) j->reference_sum += x[3 * i] + x[3 * i + 1];
  free(has);
  free(x);
}

static void run_scene(job *j)
{
  hn_scene *scene = hn_scene_load(j->scene, NULL, 0, &j->error);
  hn_control *control = scene && scene->has_control ? hn_control_create(scene, &j->error) : NULL;
  if (scene && (control || !scene->has_control)) run_model(j, scene->model, control);
  if (scene) sum_reference(j, scene);
  hn_control_free(control);
  hn_scene_free(scene);
}

static void *run_job(void *user)
{
  job *j = user;
  j->error.text[0] = '\0';
  if (j->start) pthread_barrier_wait(j->start);
  if (j->model) run_model(j, j->model, NULL);
  else run_scene(j);
  return NULL;
}

static job run_alone(job j)
{
  j.start = NULL;
  run_job(&j);
  if (j.error.text[0]) fail_msg("%s: %s", j.spec, j.error.text);
  return j;
}

/* Runs jobs[count] in threads at the same time. */
static void run_together(job *jobs, int count)
{
  enum { MAX_THREADS = 8 };
  pthread_t thread[MAX_THREADS];
  pthread_barrier_t start;
  assert_true(count <= MAX_THREADS);
  assert_int_equal(pthread_barrier_init(&start, NULL, (unsigned)count), 0);
  for (int i = 0; i < count; i++) {
    jobs[i].start = &start;
    assert_int_equal(pthread_create(&thread[i], NULL, run_job, &jobs[i]), 0);
  }
  for (int i = 0; i < count; i++) assert_int_equal(pthread_join(thread[i], NULL), 0);
  pthread_barrier_destroy(&start);
}

static void check_same(const char *what, const job *alone, const job *together)
{
  bool same = !together->error.text[0] && together->reason == alone->reason &&
              together->hash == alone->hash && together->reference_sum == alone->reference_sum;
  printf("  %-16s %-56s %016llx %016llx %s%s %s\n", what, alone->spec, (unsigned long long)alone->hash,
         (unsigned long long)together->hash, hn_reason_name(together->reason), same ? "" : "  FAILED",
         together->error.text);
  assert_true(same);
}

/* Runs each of jobs[count] alone, then all in threads, and compares the results; all must end with
 * `reason`. */
static void check_together(const job *jobs, int count, hn_reason reason)
{
  job alone[8], together[8];
  for (int i = 0; i < count; i++) alone[i] = run_alone(jobs[i]);
  memcpy(together, jobs, sizeof *jobs * (size_t)count);
  run_together(together, count);
  for (int i = 0; i < count; i++) {
    check_same(jobs[i].model                ? "(one model)"
               : strchr(jobs[i].scene, '/') ? "a file"
                                            : jobs[i].scene,
               &alone[i], &together[i]);
    assert_int_equal(alone[i].reason, reason);
  }
}

/* ---- Independent scenes -------------------------------------------------------------------------------- */

/* Returns the path of tests/support/lua_solvers.lua. */
static const char *solvers_file(void)
{
  static char file[4096];
  const char *sources = getenv("srcdir");
  snprintf(file, sizeof file, "%s/tests/support/lua_solvers.lua", sources ? sources : ".");
  return file;
}

static hn_scene *load(const char *what)
{
  hn_error error = { "" };
  hn_scene *scene = hn_scene_load(what, NULL, 0, &error);
  if (!scene) fail_msg("%s", error.text);
  return scene;
}

static uint64_t hash_of(const char *spec, const hn_model *model)
{
  job j = { .model = model, .step = 0.01, .duration = 0.5 };
  snprintf(j.spec, sizeof j.spec, "%s", spec);
  j = run_alone(j);
  assert_int_equal(j.reason, HN_CONVERGED);
  return j.hash;
}

/* One file is loaded twice, and one of the two is freed. */
static void one_scene_loaded_twice(void **unused)
{
  (void)unused;
  static const char *const specs[] = { "euler-lua:linear=dense", "rattle-lua:linear=dense", "xpbd" };
  for (int k = 0; k < 3; k++) {
    hn_scene *one = load(solvers_file()), *other = load(solvers_file());
    assert_true(one->own_solvers[0] != other->own_solvers[0]);
    uint64_t first = hash_of(specs[k], one->model), second = hash_of(specs[k], other->model);
    hn_scene_free(one);
    uint64_t third = hash_of(specs[k], other->model);
    printf("  %-23s %016llx %016llx, and with the first scene freed %016llx\n", specs[k],
           (unsigned long long)first, (unsigned long long)second, (unsigned long long)third);
    assert_true(first == second && second == third);
    hn_scene_free(other);
  }
}

/* Returns a scene of a falling particle, with a solver `m` that lets it fall for `share` of each step. */
static hn_scene *falling(const char *share)
{
  char body[512];
  snprintf(body, sizeof body,
           "scene.solver { name = 'm', order = 1, step = function(sys, state, h) "
           "state:assign(sys:flight(state, %s * h)) return 'converged' end }\n"
           "sys:particle { name = 'p', position = { 0, 0, 0 }, mass = 1 }\n"
           "sys:defaults { solver = 'm', linear = 'dense' } return sys",
           share);
  write_scene(body);
  return load_written(NULL, 0);
}

/* Returns the depth (m) after 1 s. */
static double depth(const hn_scene *scene)
{
  hn_solver *solver = new_solver(scene->solver, scene->model);
  hn_state *at = hn_state_create(scene->model);
  for (int i = 0; i < 8; i++) assert_int_equal(hn_solver_step(solver, at, 0.125), HN_CONVERGED);
  double y = -at->pose[1].x[1];
  hn_state_free(at);
  hn_solver_free(solver);
  return y;
}

static void solvers_of_equal_name(void **unused)
{
  (void)unused;
  hn_scene *whole = falling("1"), *half = falling("0.5");
  check_near("depth by the solver m of one scene, m", depth(whole), 0.5 * 9.81, 1e-14);
  check_near("depth by the solver m of the other, m", depth(half), 0.125 * 9.81, 1e-14);
  hn_scene_free(whole);
  check_near("again, with the first scene freed", depth(half), 0.125 * 9.81, 1e-14);
  hn_scene_free(half);
}

/* ---- Threads ------------------------------------------------------------------------------------------- */

static bool has_key(const hn_solver_type *type, const char *key)
{
  for (const hn_param *p = type->params; p->key; p++)
    if (strcmp(p->key, key) == 0) return true;
  return false;
}

/* True if the solver needs a module with state of the whole process. */
static bool needs_module(const hn_solver_type *type)
{
  return strcmp(type->name, "ida") == 0 || strcmp(type->name, "impulse-newton") == 0;
}

static void write_spec(const hn_solver_type *type, const char *settings, char spec[160])
{
  const char *dense = has_key(type, "linear") ? "linear=dense" : "";
  bool both = *settings && *dense;
  snprintf(spec, 160, "%s%s%s%s%s", type->name, *settings || *dense ? ":" : "", settings, both ? "," : "",
           dense);
}

/* Each solver and variant: two scenes in two threads, then one model in two threads. */
static void every_solver_in_two_threads(void **unused)
{
  (void)unused;
  size_t count;
  int specs = 0;
  const hn_solver_type *const *type = hn_solver_types(&count);
  hn_scene *shared = load("chain8");
  for (size_t i = 0; i < count; i++)
    for (const char *const *settings = hn_solver_variants(type[i]); *settings && !needs_module(type[i]);
         settings++) {
      job two[2] = { { .scene = "chain8", .step = 0.01, .duration = 0.1 },
                     { .scene = "box_pendulum", .step = 0.01, .duration = 0.2 } };
      job same[2] = { { .model = shared->model, .step = 0.01, .duration = 0.1 },
                      { .model = shared->model, .step = 0.005, .duration = 0.1 } };
      for (int k = 0; k < 2; k++) {
        write_spec(type[i], *settings, two[k].spec);
        write_spec(type[i], *settings, same[k].spec);
      }
      check_together(two, 2, HN_CONVERGED);
      check_together(same, 2, HN_CONVERGED);
      specs++;
    }
  hn_scene_free(shared);
  printf("  %d solvers and variants\n", specs);
  assert_true(specs >= 20);
}

/* Policies of redundant joints, and a singular matrix. */
static void redundant_joints_in_two_threads(void **unused)
{
  (void)unused;
  static const char *const policies[] = { "remove", "min-norm", "loop-split" };
  for (int k = 0; k < 3; k++) {
    job two[2] = { { .scene = "bricard", .step = 0.01, .duration = 0.1 },
                   { .scene = "four_bars", .step = 0.01, .duration = 0.1 } };
    for (int i = 0; i < 2; i++)
      snprintf(two[i].spec, sizeof two[i].spec, "impulse-sle:linear=dense,redundancy=%s", policies[k]);
    check_together(two, 2, HN_CONVERGED);
  }
  job two[2] = { { .scene = "cuboid28", .spec = "impulse-sle:linear=dense", .step = 0.01, .duration = 0.1 },
                 { .scene = "cuboid28", .spec = "taylor:linear=dense", .step = 0.01, .duration = 0.1 } };
  check_together(two, 2, HN_SINGULAR);
}

/* Newton's method for contact in each of four threads, whose sparse library has one malloc for all. */
static void contacts_in_threads(void **unused)
{
  (void)unused;
  job four[4] = { { .scene = "stack", .step = 0.01, .duration = 1 },
                  { .scene = "heavy_chain", .step = 0.002, .duration = 1 },
                  { .scene = "card_house", .step = 0.002, .duration = 0.2 },
                  { .scene = "heavy_chain", .step = 0.004, .duration = 1 } };
  for (int i = 0; i < 4; i++)
    snprintf(four[i].spec, sizeof four[i].spec, "moreau:contact=newton,stabilisation=baumgarte");
  check_together(four, 4, HN_CONVERGED);
}

/* A solver in Lua in each of four threads, each with its own copy of the scene. */
static void lua_solvers_in_threads(void **unused)
{
  (void)unused;
  const char *file = solvers_file();
  job four[4] = { { .scene = file, .spec = "euler-lua:linear=dense", .step = 0.005, .duration = 0.5 },
                  { .scene = file, .spec = "rattle-lua:linear=dense", .step = 0.005, .duration = 0.5 },
                  { .scene = file, .spec = "euler-lua:linear=dense", .step = 0.01, .duration = 0.5 },
                  { .scene = file, .spec = "rattle-lua:linear=dense", .step = 0.01, .duration = 0.5 } };
  check_together(four, 4, HN_CONVERGED);
}

/* Control in each of three threads, two of them with one file. */
static void control_in_threads(void **unused)
{
  (void)unused;
  job three[3] = {
    { .scene = "car", .spec = "impulse-sle:linear=dense,tolerance=1e-6", .step = 0.01, .duration = 0.3 },
    { .scene = "truck", .spec = "impulse-sle:linear=dense", .step = 0.01, .duration = 0.3 },
    { .scene = "car", .spec = "taylor:linear=dense", .step = 0.01, .duration = 0.3 }
  };
  check_together(three, 3, HN_CONVERGED);
}

/* References that use GSL's special functions, and searches written in Lua. */
static void references_in_threads(void **unused)
{
  (void)unused;
  job four[4] = { { .scene = "four_bars", .spec = "impulse-gs", .step = 0.01, .duration = 0.3 },
                  { .scene = "compound_pendulum", .spec = "xpbd", .step = 0.01, .duration = 0.5 },
                  { .scene = "cart_pole", .spec = "tgs-soft", .step = 0.001, .duration = 0.1 },
                  { .scene = "pendulum", .spec = "taylor:linear=dense", .step = 0.01, .duration = 0.5 } };
  check_together(four, 4, HN_CONVERGED);
  for (int i = 0; i < 4; i++) {
    double reference_sum = run_alone(four[i]).reference_sum;
    printf("  %-16s sum of the reference at the end %.17g m\n", four[i].scene, reference_sum);
    assert_true(reference_sum != 0.0);
  }
}

/* Errors of scenes are reported to their own loader only. */
static void errors_in_threads(void **unused)
{
  (void)unused;
  job three[3] = { { .scene = "chian8", .spec = "xpbd", .step = 0.01, .duration = 0.1 },
                   { .scene = "chain8", .spec = "xpdb", .step = 0.01, .duration = 0.1 },
                   { .scene = "broken", .spec = "impulse-sle:linear=dense", .step = 0.01, .duration = 0.1 } };
  run_together(three, 3);
  for (int i = 0; i < 3; i++) printf("  %s: %s\n", three[i].scene, three[i].error.text);
  assert_non_null(strstr(three[0].error.text, "did you mean \"chain8\""));
  assert_non_null(strstr(three[1].error.text, "did you mean \"xpbd\""));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    /* First: nothing of the process has been made yet, and the threads race to make it. */
    cmocka_unit_test(errors_in_threads),
    cmocka_unit_test(one_scene_loaded_twice),
    cmocka_unit_test(solvers_of_equal_name),
    cmocka_unit_test(every_solver_in_two_threads),
    cmocka_unit_test(redundant_joints_in_two_threads),
    cmocka_unit_test(contacts_in_threads),
    cmocka_unit_test(lua_solvers_in_threads),
    cmocka_unit_test(control_in_threads),
    cmocka_unit_test(references_in_threads),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
