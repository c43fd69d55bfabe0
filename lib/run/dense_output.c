/* dense_output.c - states between the steps of a run: choice of the method, and parts of steps.
 *
 * The solver of the run is only read. Its step from t0 is described by solver->backup and solver->kept, the
 * state and the memory before it. A state at t0 < t < t0 + h is computed by one of two methods:
 *
 *   part of a step   a second solver with that memory takes the step of t - t0 from that state. Its local
 *                    order is that of the solver, and it finds the same impacts.
 *   interpolation    between the ends (dense_hermite.c), of order 6 in positions and 4 in velocities
 *
 * Interpolation serves solvers of order up to 3 in smooth motion, where it is more accurate than the run and,
 * unlike short steps, does not magnify tolerances. It also serves solvers of order 1 in motion with jumps,
 * whose steps do not locate impacts, and solvers defined at run time, whose history may be shared. All others
 * take parts of steps, also those that divide steps by an estimate of their error. */
#include "run/dense_hermite.h"
#include "registry/solver_registry.h"
#include "event/event_log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct hn_dense {
  const hn_solver *solver; /* of the run */
  uint64_t changes;        /* its changes of the model when the rest was made */
  bool made;
  hn_model *model; /* copy of the model */
  hn_hermite *hermite;
  hn_solver *second;
  hn_state *state;
  double *multipliers; /* [nrow] */
};

hn_dense *hn_dense_create(const hn_solver *solver, hn_error *error)
{
  hn_dense *d = calloc(1, sizeof *d);
  if (!d) return hn_fail(error, "out of memory"), NULL;
  d->solver = solver;
  return d;
}

/* Frees all but the solver's name. */
static void forget(hn_dense *d)
{
  hn_hermite_free(d->hermite);
  hn_solver_free(d->second);
  hn_state_free(d->state);
  free(d->multipliers);
  hn_model_free(d->model);
  *d = (hn_dense){ .solver = d->solver };
}

void hn_dense_free(hn_dense *d)
{
  if (!d) return;
  forget(d);
  free(d);
}

/* Needs of a model whose motion is smooth between two steps. */
static bool is_smooth(const hn_model *model)
{
  const unsigned smooth = HN_CAN_BILATERAL | HN_CAN_REDUNDANT | HN_HAS_MULTIPLIERS | HN_CAN_VELOCITY |
                          HN_CAN_BREAK;
  return !(model->needs & ~smooth);
}

/* True if the solver divides its steps by an estimate of their error. */
static bool divides_steps(const hn_solver *solver)
{
  if (solver->doubling) return true;
  for (const hn_param *p = solver->type->params; p->key; p++) {
    const char *at = (const char *)solver->data + p->offset;
    int flag = 0;
    double real = 0.0;
    if (strcmp(p->key, "adaptive") == 0 && p->kind == HN_FLAG) memcpy(&flag, at, sizeof flag);
    if (strcmp(p->key, "step_control") == 0 && p->kind == HN_REAL) memcpy(&real, at, sizeof real);
    if (flag || real > 0.0) return true;
  }
  return false;
}

static bool is_interpolated(const hn_solver *solver)
{
  const int order = hn_solver_order(solver);
  if (solver->type->user) return true;
  return is_smooth(solver->system->model) ? order <= 3 && !divides_steps(solver) : order <= 1;
}

/* Copies the model of FRAME, which a change of it would free, and creates what its states need. */
static int make(hn_dense *d, const hn_frame *frame, hn_error *error)
{
  const hn_model_edit nothing = { .body = NULL };
  forget(d);
  d->changes = d->solver->changes;
  d->model = hn_model_change(frame->model, frame->before, &nothing, error);
  if (!d->model) return -1;
  d->state = hn_state_create(d->model);
  d->multipliers = calloc((size_t)d->model->nrow + 1, sizeof *d->multipliers);
  if (!d->state || !d->multipliers) return hn_fail(error, "out of memory");
  if (is_interpolated(d->solver)) d->hermite = hn_hermite_create(d->model, !is_smooth(d->model), error);
  else d->second = hn_solver_create(d->solver->spec, d->model, error);
  d->made = d->hermite || d->second;
  return d->made ? 0 : -1;
}

/* Takes the step of the run in part, until TIME. */
static hn_reason take_part(hn_dense *d, const hn_frame *frame, double time)
{
  hn_solver *second = d->second;
  hn_solver_restore_memory(second, d->solver->kept);
  second->stop = d->solver->stop;
  hn_state_copy(d->state, frame->before);
  const hn_reason reason = hn_solver_step(second, d->state, time - frame->before->time);
  memcpy(d->multipliers, second->multipliers, sizeof *d->multipliers * (size_t)d->model->nrow);
  d->state->time = time;
  return reason;
}

/* Explains why there is no state at TIME. */
static hn_reason explain(const hn_dense *d, const hn_frame *frame, double time, hn_reason reason,
                         hn_error *error)
{
  char text[200];
  if (d->second) hn_solver_explain(d->second, reason, time - frame->before->time, text, sizeof text);
  hn_fail(error, "the state at t = %.17g s is not known: %.200s", time,
          d->second ? text : hn_reason_name(reason));
  return reason;
}

/* Describes a state between steps. */
static hn_frame frame_of(const hn_dense *d, const hn_frame *frame)
{
  return (hn_frame){ .index = frame->index,
                     .state = d->state,
                     .model = frame->model,
                     .multipliers = frame->multipliers ? d->multipliers : NULL,
                     .between = true };
}

hn_reason hn_dense_at(hn_dense *d, const hn_frame *frame, double time, hn_frame *between, hn_error *error)
{
  if (!frame->before || !(time > frame->before->time && time < frame->state->time))
    return hn_fail(error, "t = %.17g s is not within the step", time), HN_UNSUPPORTED;
  if ((!d->made || d->changes != d->solver->changes) && make(d, frame, error)) return HN_NO_MEMORY;
  const hn_reason reason = d->second ? take_part(d, frame, time)
                                     : hn_hermite_at(d->hermite, frame, time, d->state,
                                                     frame->multipliers ? d->multipliers : NULL);
  if (reason != HN_CONVERGED) return explain(d, frame, time, reason, error);
  *between = frame_of(d, frame);
  return HN_CONVERGED;
}
