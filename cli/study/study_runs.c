/* study_runs.c - one run of one solver, with its measurements: the basis of run, compare, converge and check.
 *
 * A spec that is invalid in itself (an unknown solver, key or value) is an error. The result of a valid
 * solver on the scene is an outcome with a reason, whatever the reason. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "cli/base/complain.h"
#include "cli/base/interrupt.h"
#include "cli/base/memory.h"
#include "cli/base/options.h"
#include "cli/base/parse.h"
#include "cli/base/progress.h"
#include "cli/base/watchdog.h"
#include "cli/study/reference_distance.h"
#include "cli/study/scene_warning.h"
#include "cli/study/study_runs.h"
#include "cli/study/error_series.h"
#include "scene.h"

/* Returns 0 if the number of steps is within the limit, else -1. */
static int check_steps(double step, double duration, hn_error *error)
{
  if (hn_step_count(step, duration) < HN_MAX_STEPS) return 0;
  return hn_fail(error, "steps of %s s are too many for a duration of %s s: the maximum is %g",
                 cli_exact(step).text, cli_exact(duration).text, (double)HN_MAX_STEPS);
}

hn_scene *cli_plan_read(cli_plan *plan, const cli_options *options, hn_error *error)
{
  hn_scene *scene = cli_scene_load(options->word[0], options, error);
  if (!scene) return NULL;
  *plan = (cli_plan){ .scene = scene };
  if (scene->solver && options->parameters) {
    /* options take precedence over the scene */
    char *joined = cli_spec_override(scene->solver, options->parameters);
    free(scene->solver);
    scene->solver = joined;
  }
  plan->solver = options->solver ? options->solver : scene->solver;
  plan->step = options->step > 0.0 ? options->step : scene->step;
  plan->duration = options->duration > 0.0 ? options->duration : scene->duration;
  if (check_steps(plan->step, plan->duration, error) < 0) {
    hn_scene_free(scene);
    return NULL;
  }
  char *warning = options->quiet ? NULL : cli_warning_of_scene(scene->model);
  if (warning) cli_complain("warning: %s: %s", scene->path, warning);
  free(warning);
  return scene;
}

/* Returns the COUNT types in ALL and NOWN others, to be freed, and adds NOWN to COUNT. */
static void *with_own(const void *all, size_t *count, const void *own, size_t nown)
{
  const void **types = cli_alloc(*count + nown, sizeof *types);
  memcpy(types, all, *count * sizeof *types);
  if (nown > 0) memcpy(types + *count, own, nown * sizeof *types);
  *count += nown;
  return types;
}

const hn_solver_type **cli_solvers(const hn_scene *scene, size_t *count)
{
  const hn_solver_type *const *all = hn_solver_types(count);
  return with_own(all, count, scene ? scene->own_solvers : NULL, scene ? scene->nown_solvers : 0);
}

const hn_contact_type **cli_contact_solvers(const hn_scene *scene, size_t *count)
{
  const hn_contact_type *const *all = hn_contact_types(count);
  return with_own(all, count, scene ? scene->contact_solver : NULL, scene ? scene->ncontact_solver : 0);
}

/* Returns the smallest model on which SPEC can be checked, or NULL: a point mass, on a rod if the solution of
 * K p = b is among its settings. Without a row, no solver loads and starts PETSc for a check. */
static hn_model *smallest_model(const char *spec, bool planar)
{
  const bool has_row = strstr(spec, "linear=") || strstr(spec, "petsc=") || strstr(spec, "redundancy=");
  const double gravity[3] = { 0.0, -9.81, 0.0 };
  hn_model *model = hn_model_create(gravity);
  hn_body_spec bob = { .name = "bob",
                       .kind = HN_PARTICLE,
                       .has_mass = true,
                       .mass = 1.0,
                       .position = { 1.0 },
                       .orientation = { 1.0 } };
  hn_joint_spec rod = { .type = "distance", .a = 0, .b = 1 };
  if (model && (!planar || hn_model_set_planar(model, NULL) == 0) &&
      hn_model_add_body(model, &bob, NULL) > 0 && (!has_row || hn_model_add_joint(model, &rod, NULL) >= 0))
    return model;
  hn_model_free(model);
  return NULL;
}

static int check_on(const char *spec, bool planar, const hn_scene *scene, hn_error *error)
{
  hn_model *model = smallest_model(spec, planar);
  if (model && scene)
    model->own_solvers = scene->model->own_solvers, model->contact_solver = scene->model->contact_solver;
  hn_solver *solver = model ? hn_solver_create(spec, model, error) : NULL;
  int status = solver ? 0 : -1;
  if (!model) hn_fail(error, "out of memory");
  hn_solver_free(solver);
  hn_model_free(model);
  return status;
}

/* Checks a spec by creating its solver for the smallest model: in space, or in the plane, as engines may have
 * planar models alone. */
int cli_spec_check(const char *spec, const hn_scene *scene, hn_error *error)
{
  if (check_on(spec, false, scene, error) == 0) return 0;
  return check_on(spec, true, scene, NULL);
}

char *cli_projection_text(const hn_model *model)
{
  const hn_projection *done = &model->projection;
  if (!done->done) return NULL;
  return cli_text(
    "the start was projected: joints were violated by up to %s m, rad and %s m/s, rad/s; bodies moved by "
    "up to %s m",
    cli_exact(done->position).text, cli_exact(done->velocity).text, cli_exact(done->moved).text);
}

static void keep_events(cli_outcome *outcome, const hn_frame *frame)
{
  const size_t count = outcome->nevent + (size_t)frame->nevent;
  if (count > outcome->event_room) {
    outcome->event_room = 2 * count;
    outcome->event = cli_grow(outcome->event, outcome->event_room, sizeof *outcome->event);
  }
  for (int i = 0; i < frame->nevent; i++) outcome->event[outcome->nevent++] = frame->event[i];
}

/* Records FRAME after the states within its step. */
static bool record_frame(cli_outcome *outcome, const hn_frame *frame)
{
  hn_frame marked = *frame;
  if (outcome->states && !cli_states_at_follow(outcome->states, frame, &marked.wanted)) return false;
  return !outcome->plan.record || hn_record_frame(outcome->plan.record, &marked);
}

static bool observe_step(cli_outcome *outcome, const hn_frame *frame)
{
  if (outcome->plan.list_events) keep_events(outcome, frame);
  if (outcome->plan.events && !hn_record_frame(outcome->plan.events, frame)) return false;
  if (outcome->series) cli_series_add(outcome->series, frame);
  if (outcome->track) cli_track_add(outcome->track, frame);
  if (outcome->history) cli_history_follow(outcome->history, outcome->solver);
  if (outcome->history && frame->index > 0)
    cli_history_note(outcome->history, frame->index, frame->state->time);
  if (outcome->plan.watch && !outcome->plan.watch(outcome->plan.watcher, outcome, frame)) return false;
  if (outcome->plan.motion)
    cli_motion_keep(outcome->plan.motion, frame->index,
                    hn_step_count(outcome->plan.step, outcome->plan.duration), frame->state,
                    frame->model == outcome->plan.scene->model ? outcome->solver->multipliers : NULL);
  cli_progress_at(frame->state->time / outcome->plan.duration);
  return record_frame(outcome, frame);
}

static bool observe(void *user, const hn_frame *frame)
{
  cli_watchdog_hold(true); /* records are written */
  const bool goes_on = observe_step(user, frame);
  cli_watchdog_hold(false);
  return goes_on;
}

/* Makes an outcome without numbers of an unsupported scene. Returns -1 if the spec is invalid. */
static int unsupported(cli_outcome *outcome, const hn_error *cause, hn_error *error)
{
  hn_summary *summary = &outcome->summary;
  if (cli_spec_check(outcome->plan.solver, outcome->plan.scene, error) < 0) return -1;
  summary->reason = HN_UNSUPPORTED;
  snprintf(summary->explanation, sizeof summary->explanation, "%.255s", cause->text);
  summary->position_max = summary->velocity_max = NAN;
  summary->energy_initial = summary->energy_final = summary->energy_error_max = NAN;
  summary->position_iterations_mean = summary->velocity_iterations_mean = NAN;
  return 0;
}

/* True if the run ended with a failed step, which is not observed. */
static bool failed_in_a_step(const cli_outcome *outcome)
{
  hn_reason reason = outcome->summary.reason;
  return outcome->solver && reason != HN_CONVERGED && reason != HN_INTERRUPTED && reason != HN_BUDGET &&
         reason != HN_DIVERGED;
}

static const double time_rounding = 1e-12; /* relative error of the time after many steps */

static bool reached_end(const cli_outcome *outcome)
{
  double left = fabs(outcome->summary.time - outcome->plan.duration);
  return left <= time_rounding * outcome->plan.duration;
}

const hn_model *cli_outcome_model(const cli_outcome *outcome)
{
  return outcome->solver ? outcome->solver->system->model : outcome->plan.scene->model;
}

bool cli_outcome_has_forces(const cli_outcome *outcome)
{
  return outcome->solver && outcome->solver->type->capabilities & HN_HAS_MULTIPLIERS;
}

/* Creates the track of the run, with an initial stride that corresponds to plan->track_step. */
static cli_track *create_track(const cli_plan *plan)
{
  double stride = floor(plan->track_step / plan->step + 0.5);
  return cli_track_create(plan->scene->model, stride > 1.0 ? (long)stride : 1, plan->track_numbers);
}

static void run(cli_outcome *outcome)
{
  hn_control *control = outcome->control;
  const cli_plan *plan = &outcome->plan;
  hn_run_options options = { .step = plan->step,
                             .duration = plan->duration,
                             .budget = plan->budget,
                             .measures = plan->measures,
                             .observe = observe,
                             .user = outcome,
                             .stop = cli_stop(),
                             .control = control ? hn_control_step : NULL,
                             .controller = control };
  /* Observers of the run */
  char *label = cli_text("%s%s  %.48s", plan->part ? plan->part : "", plan->scene->name, plan->solver);
  cli_progress_begin(label);
  if (plan->keep_history) outcome->history = cli_history_create(outcome->solver, plan->history_at);
  if (plan->track_numbers) outcome->track = create_track(plan);
  if (plan->nat > 0)
    outcome->states = cli_states_at_create(outcome->solver, plan->at, plan->nat, plan->record,
                                           hn_model_size(plan->scene->model, outcome->state));
  /* The run itself */
  if (plan->loop) plan->loop(plan->looper, outcome->solver, outcome->state, &options, &outcome->summary);
  else hn_run(outcome->solver, outcome->state, &options, &outcome->summary);
  if (outcome->track) cli_track_end(outcome->track);
  if (outcome->history && failed_in_a_step(outcome))
    cli_history_note(outcome->history, outcome->summary.steps + 1, outcome->summary.time + plan->step);
  cli_progress_end();
  free(label);
}

static void store_errors(cli_outcome *outcome, const cli_motion *against, const cli_motion *run)
{
  const cli_reference *r = outcome->plan.reference;
  const bool has_forces = cli_outcome_has_forces(outcome);
  cli_reference_errors(r, against, run, has_forces, outcome->error);
  if (outcome->plan.keep_series && r->norm != CLI_END)
    outcome->error_curve = cli_error_curve_create(against, run, has_forces);
}

void cli_outcome_judge(cli_outcome *outcome, const cli_reference *r)
{
  const cli_plan *plan = &outcome->plan;
  const cli_motion *against = cli_reference_motion(r, plan->step, plan->duration);
  const hn_reason reason = outcome->summary.reason;
  outcome->plan.reference = r;
  if (outcome->motion && against && reached_end(outcome) && reason != HN_DIVERGED && reason != HN_BUDGET)
    store_errors(outcome, against, outcome->motion);
  cli_motion_free(outcome->motion);
  outcome->motion = NULL;
}

/* Runs the plan and computes the errors against its reference. */
static void run_and_measure(cli_outcome *outcome)
{
  const cli_plan *plan = &outcome->plan;
  const cli_reference *r = plan->reference;
  const cli_motion *against = r ? cli_reference_motion(r, plan->step, plan->duration) : NULL;
  if (against || plan->keep_motion) {
    const cli_times times = cli_times_of(against ? r->norm : plan->norm, plan->step, plan->duration);
    outcome->motion = cli_motion_create(plan->scene->model, times.count, times.every);
    outcome->plan.motion = outcome->motion;
  }
  run(outcome);
  outcome->plan.motion = NULL;
  if (against) cli_outcome_judge(outcome, r);
}

int cli_outcome_run(cli_outcome *outcome, const cli_plan *plan, hn_error *error)
{
  memset(outcome, 0, sizeof *outcome);
  outcome->plan = *plan;
  for (int q = 0; q < CLI_QUANTITIES; q++) outcome->error[q] = NAN;
  if (check_steps(plan->step, plan->duration, error) < 0) return -1;
  outcome->state = hn_state_create(plan->scene->model);
  if (!outcome->state) return hn_fail(error, "out of memory");
  if (plan->keep_series) outcome->series = cli_alloc(1, sizeof *outcome->series);
  hn_error cause;
  outcome->solver = hn_solver_create(plan->solver, plan->scene->model, &cause);
  if (!outcome->solver) return unsupported(outcome, &cause, error);
  if (plan->scene->has_control && !(outcome->control = hn_control_create(plan->scene, error))) return -1;
  if ((plan->keep_impulses || plan->track_numbers > 0) && hn_solver_keep_impulses(outcome->solver, error))
    return -1;
  run_and_measure(outcome);
  return outcome->summary.control_failed ? hn_fail(error, "%s", outcome->summary.explanation) : 0;
}

int cli_outcome_reach(cli_outcome *outcome, cli_plan *plan, double at, hn_error *error)
{
  *outcome = (cli_outcome){ .state = NULL };
  plan->duration = at;
  if (at <= 0.0) {
    outcome->state = hn_state_create(plan->scene->model);
    return outcome->state ? 0 : hn_fail(error, "out of memory");
  }
  if (cli_outcome_run(outcome, plan, error)) return -1;
  const hn_summary *s = &outcome->summary;
  if (s->reason == HN_CONVERGED) return 0;
  cli_complain("%s (stopped at t = %s s, before t = %s s)", s->explanation, cli_exact(s->time).text,
               cli_exact(at).text);
  return CLI_OUTCOME;
}

void cli_outcome_free(cli_outcome *outcome)
{
  hn_solver_free(outcome->solver);
  hn_state_free(outcome->state);
  hn_control_free(outcome->control);
  cli_states_at_free(outcome->states);
  free(outcome->series), free(outcome->event);
  cli_track_free(outcome->track);
  cli_history_free(outcome->history);
  cli_error_curve_free(outcome->error_curve);
  cli_motion_free(outcome->motion);
  memset(outcome, 0, sizeof *outcome);
}

/* Returns the number of steps begun: a failed one costs work and time too. */
static double steps_begun(const cli_outcome *outcome)
{
  return (double)(outcome->summary.steps + failed_in_a_step(outcome));
}

double cli_outcome_per_step(const cli_outcome *outcome, uint64_t count)
{
  double steps = steps_begun(outcome);
  return steps > 0.0 ? (double)count / steps : NAN;
}

double cli_outcome_us_per_step(const cli_outcome *outcome)
{
  double steps = steps_begun(outcome);
  return steps > 0.0 ? 1e6 * outcome->summary.wall_s / steps : NAN;
}

double cli_outcome_impulses(const cli_outcome *outcome)
{
  const hn_summary *s = &outcome->summary;
  return s->steps > 0 ? (double)s->impulses.total / (double)s->steps : NAN;
}

double cli_outcome_short_step(const cli_outcome *outcome)
{
  double last = outcome->summary.last_step, step = outcome->plan.step;
  return outcome->summary.steps > 0 && last < step ? last : 0.0;
}

double cli_outcome_operations(const cli_outcome *outcome)
{
  return (double)hn_work_operations(&outcome->summary.work);
}

/* ---- Repeated measurements of the time of a run -------------------------------------------------------- */

static const double min_measurement = 0.05; /* s */

/* Measures the mean time of a run, over enough repetitions to be long compared with clock ticks and cache
 * misses. Disturbances only lengthen a measurement: the minimum of several is closest to the undisturbed
 * time. */
static int measure(const cli_plan *plan, double *mean, hn_error *error)
{
  double sum = 0.0;
  long runs = 0;
  int status = 0;
  for (; sum < min_measurement && status == 0 && !*cli_stop(); runs++) {
    cli_outcome again;
    status = cli_outcome_run(&again, plan, error);
    sum += again.summary.wall_s;
    cli_outcome_free(&again);
  }
  *mean = sum / (double)runs;
  return status;
}

int cli_times_measure(cli_outcome *outcome, int repeat, hn_error *error)
{
  double smallest = INFINITY, largest = 0.0;
  cli_plan plan = outcome->plan;
  plan.reference = NULL, plan.keep_series = plan.keep_history = plan.keep_motion = false;
  plan.track_numbers = 0;
  plan.measures = CLI_FEW_MEASURES;
  if (outcome->summary.reason != HN_CONVERGED || !(outcome->summary.wall_s > 0.0)) return 0;
  for (int i = 0; i < repeat; i++) {
    double mean;
    if (measure(&plan, &mean, error) < 0) return -1;
    if (*cli_stop()) return 0;
    smallest = fmin(smallest, mean), largest = fmax(largest, mean);
  }
  if (repeat > 0) outcome->summary.wall_s = smallest, outcome->wall_spread = largest - smallest;
  return 0;
}
