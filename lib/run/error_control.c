/* error_control.c - pilot runs, and the estimate of the error at the end (error_control.h). */
#include "run/error_control.h"
#include "registry/step_doubling.h"
#include "base/vec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PILOTS = 10 };
static const double ratio = 4.0;         /* of the local tolerances of two pilot runs */
static const double first_local = 16.0;  /* local tolerance of the first pilot run, in error_tolerance */
static const double aim = 0.5;           /* error aimed at, in error_tolerance */
static const double nearest = 1.0 / 8.0; /* the run may be finer than the last pilot run by this factor */
static const double least_part = 0.25;   /* of the errors by jumps is left at the end, at least */
static const double range = 4.0;      /* a larger factor between the error and error_tolerance is explained */
static const double rounding = 1e-12; /* relative to the size: smaller sums of errors are rounding */
static const double negligible = 1e-6; /* relative to error_tolerance: smaller sums of errors are too */

int hn_pilot_create(hn_runner *r, hn_error *error)
{
  const size_t count = 3 * (size_t)r->solver->system->model->nbody;
  if (!r->solver->doubling) return 0;
  struct hn_pilot *p = r->pilot = calloc(1, sizeof *p);
  if (p) p->state = hn_state_duplicate(r->state);
  if (p) p->coarse = calloc(count, sizeof *p->coarse), p->fine = calloc(count, sizeof *p->fine);
  return p && p->state && p->coarse && p->fine ? 0 : hn_fail(error, "out of memory");
}

void hn_pilot_free(struct hn_pilot *p)
{
  if (!p) return;
  hn_state_free(p->state);
  free(p->coarse), free(p->fine);
  free(p);
}

/* Returns the largest distance of a body between the positions A and B[3 nbody], m. */
static double distance(const hn_model *model, const double *a, const double *b)
{
  double largest = 0.0;
  for (int i = 0; i < model->nbody; i++) {
    double away[3];
    vec_sub(away, a + 3 * i, b + 3 * i);
    if (model->body[i].kind != HN_FIXED) largest = fmax(largest, vec_norm(away));
  }
  return largest;
}

static void store_positions(const hn_state *state, double *x)
{
  for (int i = 0; i < state->nbody; i++) vec_copy(x + 3 * i, state->pose[i].x);
}

/* ---- Pilot runs ---------------------------------------------------------------------------------------- */

/* Resets the solver, but not its counts of work, and sets its tolerances. */
static void prepare(hn_runner *r, double local)
{
  const hn_work work = r->solver->system->work;
  hn_doubling_memory *m = r->solver->doubling->memory;
  hn_solver_reset(r->solver);
  r->solver->system->work = work;
  m->local = local, m->span = isfinite(r->options.duration) ? r->options.duration : 1.0;
}

/* A pilot run: its local tolerance, the sums of its errors and of those by jumps, and its effective local
 * tolerance, m. */
typedef struct pilot_run {
  double local, sum, by_jumps, effective;
  bool has_moved; /* at least one part was accepted */
  hn_reason reason;
} pilot_run;

/* Returns the effective local tolerance of the last run, m: the sum of its errors if no step was divided. */
static double effective(const hn_runner *r)
{
  const hn_doubling_memory *m = r->solver->doubling->memory;
  return m->accepted > (uint64_t)r->count ? m->local : fmin(m->local, m->sum);
}

/* The result of pilot runs. */
typedef struct finding {
  double local;        /* m: local tolerance of the run */
  double pilot, error; /* m: local tolerance of the finer pilot run, and its error at the end */
  int count;           /* pilot runs */
} finding;

/* Makes a run with the local tolerance LOCAL; stores the positions X[3 nbody] at its end. */
static pilot_run make_pilot(hn_runner *r, double local, double *x, finding *f)
{
  const hn_doubling_memory *m = r->solver->doubling->memory;
  hn_state *state = r->pilot->state;
  hn_reason reason = HN_CONVERGED;
  prepare(r, local);
  hn_state_copy(state, r->state);
  for (long i = 1; i <= r->count && reason == HN_CONVERGED; i++) {
    reason = hn_solver_step(r->solver, state, hn_runner_step_of(r, i));
    if (i < r->count) state->time = r->start + (double)i * r->options.step;
  }
  store_positions(state, x);
  f->count++;
  return (pilot_run){ local,           m->sum, m->by_jumps, reason == HN_CONVERGED ? effective(r) : local,
                      m->accepted > 0, reason };
}

/* True if the run can be repeated: it has no control, no joint breaks, and it has an end. */
static bool is_repeatable(const hn_runner *r)
{
  return !r->options.control && isfinite(r->options.duration) &&
         !(r->solver->system->model->needs & HN_CAN_BREAK);
}

/* Chooses the local tolerance of the run from the errors of two pilot runs. */
static void choose_local(const hn_runner *r, const pilot_run *coarse, const pilot_run *fine, finding *f)
{
  const struct hn_pilot *p = r->pilot;
  const double away = distance(r->solver->system->model, p->coarse, p->fine);
  f->pilot = fine->local;
  f->error = fmax(away / (ratio - 1.0), least_part * fine->by_jumps);
  f->local = f->error > 0.0 ? fine->local * aim * r->solver->doubling->tolerance / f->error : INFINITY;
  if (f->local > coarse->effective && coarse->effective < coarse->local)
    f->local = coarse->local; /* the step of the run is the limit */
}

/* True if no pair of pilot runs is needed after COARSE: its errors are rounding, or no step succeeds. */
static bool is_clear(const hn_runner *r, const pilot_run *coarse)
{
  const double least = fmax(rounding * r->summary.size, negligible * r->solver->doubling->tolerance);
  return coarse->reason == HN_CONVERGED ? coarse->sum <= least : !coarse->has_moved;
}

/* Exchanges the ends of the two pilot runs. */
static void exchange(struct hn_pilot *p)
{
  double *other = p->coarse;
  p->coarse = p->fine, p->fine = other;
}

/* Finds the local tolerance of the run by pairs of pilot runs. */
static hn_reason find_local(hn_runner *r, finding *f)
{
  struct hn_pilot *p = r->pilot;
  pilot_run coarse = { .local = first_local * r->solver->doubling->tolerance }, fine;
  bool known = false; /* `coarse` is made */
  while (f->count < MAX_PILOTS) {
    if (!known) coarse = make_pilot(r, coarse.local, p->coarse, f);
    if (coarse.reason == HN_INTERRUPTED) return HN_INTERRUPTED;
    f->local = coarse.local;
    if (is_clear(r, &coarse)) return HN_CONVERGED;
    fine = make_pilot(r, coarse.effective / ratio, p->fine, f);
    if (fine.reason == HN_INTERRUPTED) return HN_INTERRUPTED;
    known = false;
    if (coarse.reason != HN_CONVERGED || fine.reason != HN_CONVERGED) {
      coarse.local = fine.local / ratio;
      continue;
    }
    choose_local(r, &coarse, &fine, f);
    if (f->local >= nearest * fine.local && f->local <= ratio * coarse.local) return HN_CONVERGED;
    coarse.local = ratio * ratio * fmin(f->local, ratio * coarse.local);
    known = coarse.local >= 0.5 * fine.local && coarse.local <= 2.0 * fine.local;
    if (known) exchange(p), coarse = fine;
  }
  if (!isfinite(f->local)) f->local = coarse.local;
  return HN_CONVERGED;
}

hn_reason hn_runner_pilot(hn_runner *r)
{
  hn_step_doubling *d = r->solver->doubling;
  finding f = { .local = d ? d->tolerance : 0.0 };
  if (!d) return HN_CONVERGED;
  if (is_repeatable(r) && find_local(r, &f) == HN_INTERRUPTED) return HN_INTERRUPTED;
  prepare(r, f.local);
  d->memory->pilots = (uint64_t)f.count, d->memory->pilot = f.pilot, d->memory->pilot_error = f.error;
  memcpy(d->memory->end, r->pilot->fine, 3 * (size_t)r->state->nbody * sizeof *d->memory->end);
  return HN_CONVERGED;
}

/* ---- The end of the run -------------------------------------------------------------------------------- */

/* Returns the estimated error at the end of the run, m: from its distance to the last pilot run. If both have
 * about the same tolerance, it is the error of that one, or the distance if it is larger. */
static double estimate(const hn_runner *r)
{
  const hn_doubling_memory *m = r->solver->doubling->memory;
  const double finer = m->pilot / effective(r);
  if (!(m->pilot > 0.0)) return m->pilots > 0 ? m->sum : NAN;
  store_positions(r->state, r->pilot->coarse);
  const double moved = distance(r->solver->system->model, m->end, r->pilot->coarse);
  if (finer > 0.5 && finer < 2.0) return fmax(m->pilot_error / finer, moved);
  return fmax(moved / fabs(finer - 1.0), least_part * m->by_jumps);
}

/* Explains why the error at the end is not about as large as the tolerance, or is not known. */
static void explain(const hn_runner *r, hn_error_summary *s)
{
  const hn_doubling_memory *m = r->solver->doubling->memory;
  char *text = s->why;
  const size_t size = sizeof s->why;
  if (m->pilots == 0)
    snprintf(text, size, "the error at the end is not known: a run with %s cannot be repeated by pilot runs",
             r->options.control ? "control" : "joints that break");
  else if (s->estimate > range * s->tolerance)
    snprintf(text, size,
             "the error at the end is about %.1e m, not error_tolerance: until the end the motion multiplies "
             "errors of %.1e m by %.1e",
             s->estimate, m->sum, s->estimate / m->sum);
  else if (m->accepted <= (uint64_t)r->count)
    snprintf(text, size,
             "no step of the run was divided, since their errors are small enough: the error at the end is "
             "about %.1e m or smaller",
             s->estimate);
  else if (s->estimate < s->tolerance / range && m->sum < 0.5 * m->local)
    snprintf(text, size,
             "the error at the end is about %.1e m, smaller than error_tolerance: the step of the run is the "
             "longest part, and is more accurate than that",
             s->estimate);
  else if (s->estimate < s->tolerance / range)
    snprintf(
      text, size,
      "the error at the end is about %.1e m, smaller than error_tolerance: the local tolerance that the "
      "pilot runs suggest is finer than needed",
      s->estimate);
}

void hn_runner_judge_error(hn_runner *r)
{
  const hn_step_doubling *d = r->solver->doubling;
  hn_error_summary *s = &r->summary.control;
  if (!d) return;
  *s = (hn_error_summary){ .tolerance = d->tolerance,
                           .estimate = NAN,
                           .local = d->memory->local,
                           .shortest = d->memory->shortest,
                           .accepted = d->memory->accepted,
                           .rejected = d->memory->rejected,
                           .pilots = d->memory->pilots };
  if (r->reason != HN_CONVERGED || r->index != r->count) return;
  s->estimate = estimate(r);
  explain(r, s);
}
