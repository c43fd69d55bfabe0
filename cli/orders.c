/* orders.c - the ladder of runs of one method, the orders fitted to it, and `converge --all` over all methods.
 *
 * A ladder takes duration / k for growing whole k, so that every step of a run has the same size, from large errors
 * down: by sqrt(2) for orders up to 4, by 2^(1/6) up to 7 and 2^(1/12) from 8 on, where errors fall fast. It ends when
 * every quantity is at round-off (below order 5 also: has ten steps in its window), or when runs become long. The
 * window of the fit is the one nearest to h = 0 (hn_fit_window) whose errors are above the round-off seen: it must
 * reach the end of the ladder, or round-off, so that an order that shows for a while and then turns is not taken for
 * the one asked for. The declared order has no part in choosing it. For an adaptive method the ladder is of its
 * error_tolerance, by sqrt(10); as whole steps come and go its errors jump, so the exponent is fitted to all of them
 * above round-off, and shown but not judged.
 *
 * Where a body turns fast the study ends after five turns of the fastest: more of them add round-off and steps to every
 * run, and no information about small steps. */
#include <math.h>
#include <string.h>
#include "orders.h"
#include "vec.h"

enum { FIRST = 2, OCTAVE = 12, PARTS = 4, MIDDLE_ORDER = 5, HIGH_ORDER = 8, ENOUGH = 10, TURNED = 4,
       FIRST_TOLERANCE = 2 /* 1e-2 */ };
static const double turns = 5.0;              /* of the fastest body */
static const double most_steps = 2e5, most_operations = 1e7; /* of one run */
static const double near_round_off = 1000.0;  /* times the floor, or the least error */
static const double tiny = 1e-4, grown = 2.0; /* least error over the scale; an error over the least one */
static const double slack = 0.02;             /* of errors about the fit */
static const double above_noise = 50.0;       /* 1 / slack: round-off in an error as large as that */

double orders_allowed(int declared)
{
  return declared >= 8 ? 0.5 : 0.2;
}

bool orders_method_wrong(const orders_method *method)
{
  for (int q = 0; q < ORDERS_QUANTITIES; q++)
    if (method->wrong[q]) return true;
  return false;
}

/* The number of steps of rung I: all ladders share their rungs, so that a reference at the same times serves many. */
static double steps_of(int declared, size_t i)
{
  int skip = declared >= HIGH_ORDER ? 1 : declared >= MIDDLE_ORDER ? 2 : 6, at = declared >= MIDDLE_ORDER ? 0 : OCTAVE;
  double k = orders_steps(FIRST * pow(2.0, (double)at / OCTAVE));
  while (i > 0) {
    at += skip;
    double next = orders_steps(FIRST * pow(2.0, (double)at / OCTAVE));
    if (next > k) i--;
    k = next;
  }
  return k;
}

/* Rung I of the ladder: X is its step or its tolerance. False when the ladder ends before it. */
static bool rung(const orders_method *m, const orders_study *study, size_t i, cli_plan *plan, double *x)
{
  double k = steps_of(m->declared, i);
  *plan = study->plan;
  plan->solver = m->spec;
  if (m->by_tolerance) {
    *x = pow(10.0, -FIRST_TOLERANCE - 0.5 * (double)i);
    plan->step = plan->duration / PARTS;
    return *x > 0.99e-13;
  }
  *x = plan->step = plan->duration / k;
  return k <= most_steps;
}

static void note(orders_method *m, const cli_outcome *outcome, double x, const double error[ORDERS_QUANTITIES])
{
  size_t i = m->count++;
  m->x[i] = x;
  m->reason[i] = outcome->summary.reason;
  m->operations[i] = cli_outcome_operations(outcome);
  m->us_per_step[i] = cli_outcome_us_per_step(outcome);
  for (int q = 0; q < ORDERS_QUANTITIES; q++) m->error[q][i] = error[q];
  if (outcome->summary.reason != HN_CONVERGED)
    memcpy(m->explanation, outcome->summary.explanation, sizeof m->explanation);
}

static bool measured(const orders_method *m, const orders_study *study, int q)
{
  return study->reference.applies[q] && (q != ORDERS_FORCE || m->reports_forces);
}

/* The least error of Q, and how many runs have come after it. */
static double least_error(const orders_method *m, int q, size_t *after)
{
  double least = INFINITY;
  *after = 0;
  for (size_t i = 0; i < m->count; i++) {
    ++*after;
    if (m->error[q][i] < least) least = m->error[q][i], *after = 0;
  }
  return least;
}

/* Is Q at round-off: no longer falling near its floor, or tiny and growing again? */
static bool exhausted(const orders_method *m, const orders_study *study, int q)
{
  size_t after;
  double least = least_error(m, q, &after);
  bool grows = least <= tiny * study->reference.scale[q] && m->error[q][m->count - 1] >= grown * least;
  return after >= TURNED && (grows || least <= near_round_off * orders_floor(&study->reference, q));
}

/* The round-off of a method, once its errors of Q no longer fall: their root mean square from the least one on. */
static double noise_of(const orders_method *m, int q)
{
  size_t after;
  double square = 0.0;
  least_error(m, q, &after);
  for (size_t i = m->count - after - 1; i < m->count; i++)
    if (isfinite(m->error[q][i])) square += m->error[q][i] * m->error[q][i];
  return sqrt(square / (double)(after + 1));
}

/* All errors between floor and ceiling. */
static hn_window find_range(const orders_method *m, int q, double floor, double ceiling)
{
  size_t first = 0, end = m->count;
  while (first < end && !(m->error[q][first] < ceiling)) first++;
  while (end > first && !(m->error[q][end - 1] > floor)) end--;
  if (end - first < HN_WINDOW_LEAST) return (hn_window){ .order = NAN };
  return (hn_window){ first, end - first, hn_fit_order(m->x + first, m->error[q] + first, end - first) };
}

static hn_window find_window(const orders_method *m, const orders_study *study, int q)
{
  const hn_window none = { .order = NAN };
  double floor = orders_floor(&study->reference, q), ceiling = orders_ceiling(&study->reference, q);
  if (m->by_tolerance) return find_range(m, q, floor, ceiling);
  size_t after;
  double least = least_error(m, q, &after);
  bool spent = exhausted(m, study, q);
  if (spent) floor = fmax(floor, above_noise * noise_of(m, q));
  size_t count = spent ? m->count - after : m->count;
  hn_window w = hn_fit_window(m->x, m->error[q], count, floor, ceiling, slack);
  size_t end = w.first + w.count;
  if (w.count == 0 || end == count) return w;
  return spent && m->error[q][end - 1] <= near_round_off * fmax(floor, least) ? w : none;
}

static bool finished(orders_method *m, const orders_study *study)
{
  bool all = true, low = m->declared < MIDDLE_ORDER && !m->by_tolerance;
  for (int q = 0; q < ORDERS_QUANTITIES; q++) {
    if (!measured(m, study, q)) continue;
    m->window[q] = find_window(m, study, q);
    all = all && ((low && m->window[q].count >= ENOUGH) || exhausted(m, study, q));
  }
  return all;
}

static orders_verdict judge(const orders_method *m, const orders_study *study, int q)
{
  double last = NAN;
  if (!measured(m, study, q)) return ORDERS_NONE;
  for (size_t i = 0; i < m->count; i++)
    if (isfinite(m->error[q][i])) last = m->error[q][i];
  if (!isfinite(last)) return ORDERS_FAILED;
  if (m->window[q].count > 0) return ORDERS_FITTED;
  return exhausted(m, study, q) ? ORDERS_ROUND_OFF : ORDERS_UNSETTLED;
}

/* Without joints a method may do better than it declares: an impulse step is its free flight alone then. */
static bool is_wrong(const orders_method *m, const orders_study *study, int q)
{
  double above = m->window[q].order - m->declared, allowed = orders_allowed(m->declared);
  if (m->declared <= 0 || m->verdict[q] == ORDERS_NONE || m->verdict[q] == ORDERS_ROUND_OFF) return false;
  if (m->verdict[q] == ORDERS_FAILED) return m->reason[m->count - 1] != HN_UNSUPPORTED;
  if (m->verdict[q] == ORDERS_UNSETTLED) return true;
  return above < -allowed || (above > allowed && study->plan.scene->model->njoint > 0);
}

/* What the method declares on this scene; one that cannot do it shows that in its first run. */
static void ask_method(orders_method *m, const orders_study *study)
{
  hn_solver *solver = hn_solver_create(m->spec, study->plan.scene->model, NULL);
  if (!solver) return;
  m->declared = m->by_tolerance ? 0 : hn_solver_order(solver);
  m->reports_forces = solver->type->capabilities & HN_HAS_MULTIPLIERS;
  hn_solver_free(solver);
}

int orders_method_run(orders_method *m, orders_study *study, hn_error *error)
{
  cli_plan plan;
  double x, measured_error[ORDERS_QUANTITIES];
  bool more = true;
  ask_method(m, study);
  while (more && m->count < ORDERS_RUNS && rung(m, study, m->count, &plan, &x)) {
    cli_outcome outcome;
    char *spec = m->by_tolerance ? cli_text("error_tolerance=%.3e", x) : NULL;
    char *whole = spec ? cli_spec_override(m->spec, spec) : NULL;
    if (whole) plan.solver = whole;
    int status = orders_run(&study->reference, &outcome, &plan, measured_error, error);
    free(spec);
    free(whole);
    if (status < 0) return -1;
    note(m, &outcome, x, measured_error);
    hn_reason reason = outcome.summary.reason;
    more = reason != HN_UNSUPPORTED && reason != HN_INTERRUPTED && !finished(m, study) &&
           m->operations[m->count - 1] < most_operations;
    cli_outcome_free(&outcome);
  }
  for (int q = 0; q < ORDERS_QUANTITIES; q++) {
    m->verdict[q] = judge(m, study, q);
    m->wrong[q] = is_wrong(m, study, q);
  }
  return 0;
}

/* ---- All methods ------------------------------------------------------------------------------------------------ */

static const hn_param *find_param(const hn_solver_type *type, const char *key)
{
  for (const hn_param *p = type->params; p->key; p++)
    if (strcmp(p->key, key) == 0) return p;
  return NULL;
}

/* Does the method choose its own steps by its error_tolerance: always, or because SPEC says so? */
static bool is_adaptive(const hn_solver_type *type, const char *spec)
{
  if (!find_param(type, "error_tolerance")) return false;
  return !find_param(type, "adaptive") || strstr(spec, ":adaptive=true") || strstr(spec, ",adaptive=true");
}

/* LABEL, and with tight tolerances where it does not set them itself. */
static int add_method(orders_study *study, char *label, hn_error *error)
{
  static const char *const keys[] = { "tolerance", "velocity_tolerance", "error_tolerance" };
  static const char *const tight[] = { "1e-14", "1e-13", "1e-13" };
  char *name = cli_method_name(label), *settings = strchr(label, ':');
  const hn_solver_type *type = hn_solver_type_find(name, study->plan.scene->model->method, error);
  study->method = cli_grow(study->method, study->count + 1, sizeof *study->method);
  orders_method *m = &study->method[study->count++];
  *m = (orders_method){ .label = label, .spec = name };
  if (!type) return -1;
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    const hn_param *param = find_param(type, keys[i]);
    if (!param || param->kind != HN_REAL) continue;
    char *setting = cli_text("%s=%s", keys[i], tight[i]), *spec = cli_spec_with(m->spec, setting);
    free(setting);
    free(m->spec);
    m->spec = spec;
  }
  char *spec = settings && settings[1] ? cli_spec_override(m->spec, settings + 1) : cli_text("%s", m->spec);
  free(m->spec);
  m->spec = spec;
  m->by_tolerance = is_adaptive(type, spec);
  return cli_spec_check_lenient(spec, study->plan.scene, error);
}

/* Every variant of every method, or the specs of --solvers, each with the parameters given as options. */
static int list_methods(orders_study *study, const cli_options *options, hn_error *error)
{
  size_t count, specs = 0;
  char **spec = options->solvers ? cli_split_specs(options->solvers, error) : cli_alloc(1, sizeof *spec);
  if (!spec) return -1;
  const hn_solver_type **type = cli_methods(study->plan.scene, &count);
  for (size_t i = 0; i < count && !options->solvers; i++)
    for (const char *const *variant = hn_solver_variants(type[i]); *variant; variant++) {
      spec = cli_grow(spec, specs + 2, sizeof *spec);
      spec[specs++] = cli_text("%s%s%s", type[i]->name, **variant ? ":" : "", *variant);
      spec[specs] = NULL;
    }
  free(type);
  int status = 0;
  for (size_t i = 0; spec[i] && status == 0; i++) {
    char *label = options->parameters ? cli_spec_override(spec[i], options->parameters) : cli_text("%s", spec[i]);
    status = add_method(study, label, error);
  }
  cli_strings_free(spec);
  return status;
}

static int study_all(orders_study *study, const cli_options *options, hn_error *error)
{
  cli_file file = { 0 };
  int status = list_methods(study, options, error);
  if (status == 0 && options->output) status = cli_file_open(&file, options->output, error);
  if (status == 0) status = orders_reference_make(&study->reference, &study->plan, error);
  for (size_t i = 0; i < study->count && status == 0 && !*cli_stop(); i++)
    status = orders_method_run(&study->method[i], study, error);
  if (status == 0 && options->output && !*cli_stop()) status = orders_write_csv(study, &file, error);
  cli_file_abandon(&file);
  return status;
}

static int conclude(const orders_study *study, const cli_options *options)
{
  int wrong = 0;
  for (size_t i = 0; i < study->count; i++) wrong += orders_method_wrong(&study->method[i]);
  if (options->json)
    cli_json_print(orders_json(study));
  else if (!options->quiet)
    orders_print(study);
  if (wrong > 0) cli_complain("%d of %zu methods and variants do not show the order they declare", wrong, study->count);
  if (*cli_stop() && options->output)
    cli_complain("interrupted: no table is written, %s is as it was", options->output);
  else if (*cli_stop())
    cli_complain("interrupted");
  return wrong > 0 || *cli_stop() ? CLI_OUTCOME : CLI_DONE;
}

static int check_options(const cli_options *options, hn_error *error)
{
  const char *given = options->solver ? "--solver" : options->step > 0.0 ? "--step" : options->nsteps ? "--steps"
                      : options->reference ? "--reference" : NULL;
  if (given)
    return hn_fail(error, "converge: --all chooses steps and reference itself and takes methods from --solvers: leave "
                          "out %s", given);
  return options->output ? cli_output_is_csv(options->output, error) : 0;
}

/* The scene's duration, or the time of some turns of the body that starts to turn fastest. */
static double horizon(const cli_plan *plan)
{
  const hn_model *model = plan->scene->model;
  double fastest = 0.0;
  for (int i = 0; i < model->nbody; i++) fastest = fmax(fastest, vec_norm(model->body[i].twist0.w));
  return fmin(plan->duration, turns * 2.0 * M_PI / fastest);
}

int cli_converge_all(const cli_options *options)
{
  hn_error error;
  orders_study study = { .count = 0 };
  if (check_options(options, &error) < 0) return cli_complain("%s", error.text);
  cli_options plain = *options; /* parameters are the methods', not the scene's */
  plain.parameters = NULL;
  hn_scene *scene = cli_plan_read(&study.plan, &plain, &error);
  if (!scene) return cli_complain("%s", error.text);
  if (!(options->duration > 0.0)) study.plan.duration = horizon(&study.plan);
  int status = study_all(&study, options, &error);
  if (status == 0) status = conclude(&study, options);
  for (size_t i = 0; i < study.count; i++) {
    free(study.method[i].label);
    free(study.method[i].spec);
  }
  free(study.method);
  orders_reference_free(&study.reference);
  hn_scene_free(scene);
  return status < 0 ? cli_complain("%s", error.text) : status;
}
