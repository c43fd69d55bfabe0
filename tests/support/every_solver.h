/* every_solver.h - every registered solver with each of its listed variants, at tolerances far below the
 * errors that tests measure; checks that errors shrink with the step at the declared order. */
#ifndef HN_EVERY_SOLVER_H
#define HN_EVERY_SOLVER_H

#include "models.h"
#include "base/vec.h"

typedef struct solver_spec {
  const hn_solver_type *type;
  char spec[256];  /* name with settings, for hn_solver_create */
  char label[128]; /* for printed lines */
  int order;       /* 0: the solver is controlled by an error tolerance */
  bool holds;      /* joint residuals are within the tolerance at the end of every step */
} solver_spec;

enum { MAX_SOLVERS = 128 };
#define TIGHT 1e-13       /* tolerance of joint corrections, m and rad */
#define BY_TOLERANCE 1e-6 /* error allowed to a solver of order 0, whose tolerance of local errors is 1e-10 */

static inline bool has_setting(const hn_solver_type *type, const char *key)
{
  for (const hn_param *p = type->params; p->key; p++)
    if (strcmp(p->key, key) == 0) return true;
  return false;
}

static inline void add_setting(solver_spec *m, const hn_solver_type *type, const char *key, const char *value)
{
  size_t used = strlen(m->spec);
  if (!has_setting(type, key)) return;
  snprintf(m->spec + used, sizeof m->spec - used, "%s%s=%s", strchr(m->spec, ':') ? "," : ":", key, value);
}

/* True if error_tolerance bounds the local errors of TYPE; that of the end of a run is 0 by default. */
static inline bool bounds_local_errors(const hn_solver_type *type)
{
  for (const hn_param *p = type->params; p->key; p++)
    if (strcmp(p->key, "error_tolerance") == 0) return strcmp(p->initial, "0") != 0;
  return false;
}

static inline solver_spec make_solver(const hn_solver_type *type, const char *settings)
{
  solver_spec m = { .type = type };
  bool projects = strstr(settings, "stabilisation=projection") != NULL;
  snprintf(m.label, sizeof m.label, "%s%s%s", type->name, *settings ? ":" : "", settings);
  snprintf(m.spec, sizeof m.spec, "%s", m.label);
  add_setting(&m, type, "tolerance", "1e-13");
  add_setting(&m, type, "velocity_tolerance", "1e-13");
  add_setting(&m, type, "flight", "exact");
  if (strcmp(type->name, "avbd") == 0) add_setting(&m, type, "iterations", "200"); /* it has no tolerance */
  if (bounds_local_errors(type) && !strstr(settings, "error_tolerance"))
    add_setting(&m, type, "error_tolerance", "1e-10");
  m.holds = has_setting(type, "tolerance") && (projects || !has_setting(type, "stabilisation")) &&
            strcmp(type->name, "radau") != 0; /* its tolerance is that of Newton's corrections */
  hn_model *model = new_model();
  add_particle(model, "any", 0, 0, 0);
  hn_solver *solver = new_solver(m.spec, model);
  m.order = hn_solver_order(solver);
  hn_solver_free(solver);
  hn_model_free(model);
  return m;
}

/* Fills LIST with all solvers and variants; returns their number. */
static inline size_t list_solvers(solver_spec list[MAX_SOLVERS])
{
  size_t count, n = 0;
  const hn_solver_type *const *types = hn_solver_types(&count);
  for (size_t i = 0; i < count; i++)
    for (const char *const *settings = hn_solver_variants(types[i]); *settings; settings++) {
      assert_true(n < MAX_SOLVERS);
      list[n++] = make_solver(types[i], *settings);
    }
  return n;
}

/* Returns the final state of a run of MODEL, which must converge; SUMMARY and FORCE[nrow] may be NULL. */
static inline hn_state *run_solver(const solver_spec *m, const hn_model *model, double h, double duration,
                                   hn_summary *summary, double *force)
{
  hn_summary own;
  hn_run_options options = { .step = h, .duration = duration };
  hn_solver *solver = new_solver(m->spec, model);
  hn_state *at = hn_state_create(model);
  if (hn_run(solver, at, &options, &own) != HN_CONVERGED) fail_msg("%s: %s", m->spec, own.explanation);
  if (force) memcpy(force, solver->multipliers, sizeof *force * (size_t)model->nrow);
  if (summary) *summary = own;
  hn_solver_free(solver);
  return at;
}

/* Returns the largest difference of centres of mass (m) and orientations (rad) of all bodies. */
static inline double state_distance(const hn_state *p, const hn_state *q)
{
  double largest = 0.0;
  for (int i = 1; i < p->nbody; i++) {
    double apart[3], back[4], turn[4];
    vec_sub(apart, p->pose[i].x, q->pose[i].x);
    quat_conj(back, p->pose[i].q);
    quat_mul(turn, q->pose[i].q, back);
    double angle = 2.0 * vec_norm(turn + 1);
    if (exceeds(vec_norm(apart), largest)) largest = vec_norm(apart);
    if (exceeds(angle, largest)) largest = angle;
  }
  return largest;
}

/* The value with the largest ratio to its bound, among many. */
typedef struct worst {
  double value, bound;
  char where[96];
} worst;

static inline void note(worst *w, double value, double bound, const char *where)
{
  if (w->bound > 0 && fabs(value) / bound <= w->value / w->bound) return;
  *w = (worst){ .value = fabs(value), .bound = bound };
  snprintf(w->where, sizeof w->where, "%s", where);
}

static inline void check_worst(const char *what, const worst *w)
{
  char text[160];
  if (w->bound <= 0) return; /* nothing was measured */
  snprintf(text, sizeof text, "%s (%.60s)", what, w->where);
  check_below(text, w->value, w->bound);
}

/* Returns the error allowed at half the step: 2^-order of WHOLE, a factor 1.5 for the next term, plus
 * FLOOR. */
static inline double halved(double whole, int order, double floor)
{
  return order > 0 ? 1.5 * whole * pow(0.5, order) + floor : BY_TOLERANCE;
}

static inline int must(int index, const hn_error *error)
{
  if (index < 0) fail_msg("%s", error->text);
  return index;
}

/* Returns the angle of a body about the unit vector AXIS, which is fixed in the world and in the body. */
static inline double angle_about(const hn_state *at, int body, const double axis[3])
{
  const double *q = at->pose[body].q;
  return 2.0 * atan2(vec_dot(q + 1, axis), q[0]);
}

static inline double off(double angle, double exact)
{
  return fabs(remainder(angle - exact, 2.0 * M_PI));
}

/* Errors of the final motion and of the joint forces (NULL: not known). */
typedef struct question {
  double duration;
  double (*error)(const hn_model *model, const hn_state *end);
  double (*force_error)(const hn_model *model, const hn_state *end, const double *force);
} question;

typedef struct answer {
  double motion, force;
} answer;

static inline answer ask(const solver_spec *m, const hn_model *model, const question *q, double h)
{
  double force[64];
  assert_true(model->nrow <= 64);
  hn_state *end = run_solver(m, model, h, q->duration, NULL, force);
  answer a = { q->error(model, end), q->force_error ? q->force_error(model, end, force) : 0.0 };
  hn_state_free(end);
  return a;
}

/* Checks for every solver that errors shrink with the step at its order. Frees MODEL. */
static inline void check_every_solver(hn_model *model, const question *q)
{
  solver_spec solver_specs[MAX_SOLVERS];
  size_t n = list_solvers(solver_specs);
  for (size_t k = 0; k < n; k++) {
    const solver_spec *m = &solver_specs[k];
    const double h = m->order == 1 ? 0.0025 : 0.01;
    char what[128];
    answer whole = ask(m, model, q, h), half = ask(m, model, q, 0.5 * h);
    snprintf(what, sizeof what, "%.60s", m->label);
    check_below(what, half.motion, halved(whole.motion, m->order, 1e-10));
    if (m->order > 0) check_below("  coarse step", whole.motion, 0.1);
    if (q->force_error && m->type->capabilities & HN_HAS_MULTIPLIERS)
      check_below("  forces", half.force, m->order > 0 ? halved(whole.force, m->order, 1e-8) : 1e-5);
  }
  hn_model_free(model);
}

#endif
