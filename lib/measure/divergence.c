/* divergence.c - how far off a run can be before its figures mean nothing: then it has diverged.
 *
 * Joints. The largest joint error is held against the mechanism's size L at the start: the diagonal of the box around
 * the centres of mass of moving bodies and the points of joints on both their bodies, and the largest radius of
 * gyration. Where bodies travel, a tenth of the longest way from the start is added: rails are longer than mechanisms.
 * A joint that has rows in rad is allowed 1 rad: an axis across where it should be along.
 *
 * Rates. What constrains velocities alone has no residual to be held against that, and where two constraints contradict
 * each other, a motor and a stop, solvers that make a number of sweeps can meet either. So the largest error of a
 * joint's rate is summed up in time: what joints have slipped by. That is held against L and all that bodies have moved
 * from step to step, angles against 1 rad and all that they have turned.
 *
 * Energy. Where it is conserved, potential + kinetic = E, the kinetic energy can grow to T_0 + V_0 - min V. Added are
 * what springs have stored and all weights times L, so that a start at rest has something in play; where there is no
 * joint, at least g h^2 in the place of L: a solver of order 1 has speeds before anything has fallen. An error in E
 * above that is more than all that the mechanism has to move by. Losses cannot pass it: what is lost was in play. Where
 * joints are apart at the start, closing them does work, and the energy tells nothing. */
#include "elementary.h"
#include "measure/divergence.h"
#include "base/locale.h"
#include "base/vec.h"
#include "force/force.h"
#include "joint/joint_start.h"

#include <math.h>
#include <string.h>

static const double of_way = 0.1;    /* of the longest way travelled */
static const double most_turn = 1;   /* rad; of angles what the size is of lengths */
static const double rounding = 1e-9; /* of a potential far from its zero */
static const double point = 1e-9;    /* m; size of what has none */

/* ---- The size ---------------------------------------------------------------------------------------------------- */

typedef struct box {
  double low[3], high[3];
} box;

static void enclose(box *b, const double x[3])
{
  for (int i = 0; i < 3; i++) b->low[i] = fmin(b->low[i], x[i]), b->high[i] = fmax(b->high[i], x[i]);
}

static void enclose_point(box *b, const hn_pose *pose, const double arm[3])
{
  double x[3];
  quat_rotate(x, pose->q, arm);
  vec_add(x, x, pose->x);
  enclose(b, x);
}

double hn_model_size(const hn_model *model, const hn_state *state)
{
  box b = { { HUGE_VAL, HUGE_VAL, HUGE_VAL }, { -HUGE_VAL, -HUGE_VAL, -HUGE_VAL } };
  double gyration = 0.0, diagonal[3];
  for (int i = 1; i < model->nbody; i++) {
    const hn_body *body = &model->body[i];
    if (body->kind != HN_FIXED) enclose(&b, state->pose[i].x);
    for (int k = 0; k < 3 && body->kind == HN_RIGID; k++)
      gyration = fmax(gyration, sqrt(body->J[k] / body->mass));
  }
  for (const hn_joint *j = model->joint; j < model->joint + model->njoint; j++) {
    enclose_point(&b, &state->pose[j->a], j->point_a);
    enclose_point(&b, &state->pose[j->b], j->point_b);
  }
  vec_sub(diagonal, b.high, b.low);
  return b.high[0] >= b.low[0] ? vec_norm(diagonal) + gyration : gyration;
}

static double longest_way(const hn_model *model, const hn_state *from, const hn_state *to)
{
  double longest = 0.0;
  for (int i = 1; i < model->nbody; i++) {
    double way[3];
    vec_sub(way, to->pose[i].x, from->pose[i].x);
    longest = fmax(longest, vec_norm(way));
  }
  return longest;
}

/* ---- The bounds -------------------------------------------------------------------------------------------------- */

int hn_bounds_start(hn_bounds *b, const hn_model *model, const hn_state *state, const hn_measure *measure,
                    double h, hn_error *error)
{
  *b = (hn_bounds){ .size = fmax(hn_model_size(model, state), point),
                    .start = measure->potential,
                    .least = measure->potential,
                    .measured = state->time,
                    .conserves = hn_model_conserves_energy(model) && !model->loose };
  b->given = measure->kinetic + fabs(hn_forces_energy(model, state)) + rounding * fabs(measure->potential);
  for (int i = 1; i < model->nbody; i++) {
    const double g = vec_norm(model->body[i].gravity);
    b->given += model->body[i].mass * g * (model->njoint > 0 ? b->size : fmax(b->size, g * h * h));
  }
  b->first = hn_state_create(model);
  if (!b->first) return hn_fail(error, "out of memory");
  hn_state_copy(b->first, state);
  return 0;
}

void hn_bounds_free(hn_bounds *b)
{
  hn_state_free(b->first);
}

double hn_bounds_energy(const hn_bounds *b)
{
  return b->conserves ? b->given + b->start - b->least : NAN;
}

/* What a joint may be off by where LENGTH is that of the mechanism, and TURN that of angles. */
static double allowed(const hn_joint *joint, double length, double turn)
{
  bool lengths = strcmp(joint->type->unit, "rad") != 0, angles = strstr(joint->type->unit, "rad") != NULL;
  return angles ? (lengths ? hn_hypot(length, turn) : turn) : length;
}

static bool apart(const hn_bounds *b, const hn_model *model, const hn_state *state, const hn_measure *m,
                  char *text, size_t size)
{
  if (m->worst_joint < 0) return false;
  const hn_joint *joint = &model->joint[m->worst_joint];
  if (!(m->position_error > allowed(joint, b->size, most_turn))) return false;
  double length = b->size + of_way * longest_way(model, b->first, state);
  if (!(m->position_error > allowed(joint, length, most_turn))) return false;
  hn_print(text, size, "joint \"%.100s\" is off by %.3g %s, more than the size of the mechanism, %.3g m",
           joint->name, m->position_error, joint->type->unit, length);
  return true;
}

void hn_bounds_follow(hn_bounds *b, const hn_state *from, const hn_state *to)
{
  double way = 0.0, turn = 0.0;
  for (int i = 1; i < to->nbody; i++) {
    const double *p = from->pose[i].q, *q = to->pose[i].q;
    const double apart[4] = { q[0] - p[0], q[1] - p[1], q[2] - p[2], q[3] - p[3] };
    double d[3];
    vec_sub(d, to->pose[i].x, from->pose[i].x);
    way = fmax(way, vec_dot(d, d)),
    turn = fmax(turn, 4.0 * (apart[0] * apart[0] + vec_dot(apart + 1, apart + 1)));
  }
  b->way += sqrt(way), b->turned += sqrt(turn);
}

double hn_bounds_slip(const hn_bounds *b, const hn_model *model, const hn_measure *m)
{
  if (m->worst_rate < 0) return 0.0;
  return b->slip / allowed(&model->joint[m->worst_rate], b->size + b->way, most_turn + b->turned);
}

static bool slipped(const hn_bounds *b, const hn_model *model, const hn_measure *m, char *text, size_t size)
{
  if (!(hn_bounds_slip(b, model, m) > 1.0)) return false;
  const hn_joint *joint = &model->joint[m->worst_rate];
  hn_print(text, size,
           "the rates of joints are off by more than the mechanism moves, here that of \"%.100s\" by %.3g %s",
           joint->name, m->velocity_error, hn_joint_rate_unit(joint->type));
  return true;
}

bool hn_bounds_passed(hn_bounds *b, const hn_model *model, const hn_state *state, const hn_measure *m,
                      double energy_error, char *text, size_t size)
{
  b->slip += (state->time - b->measured) * m->velocity_error, b->measured = state->time;
  b->least = fmin(b->least, m->potential);
  double in_play = hn_bounds_energy(b); /* none, and a body that is pushed by rounding: nothing to judge by */
  if (in_play > 0.0 && energy_error > in_play) {
    hn_print(text, size, "the energy is off by %.3g J, more than the energies in play, %.3g J", energy_error,
             in_play);
    return true;
  }
  return apart(b, model, state, m, text, size) || slipped(b, model, m, text, size);
}
