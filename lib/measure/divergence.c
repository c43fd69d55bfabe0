/* divergence.c - detects runs that have diverged: their results are meaningless
 *
 * Joints. The largest joint error is compared with the size L of the mechanism at the start: the diagonal of
 * the box around the centres of mass of moving bodies and both joint points, plus the largest radius of
 * gyration. A tenth of the largest distance travelled is added, because rails are longer than mechanisms.
 * Joints with rows in rad are allowed 1 rad, about the error of an axis at a right angle to its direction.
 *
 * Rates. Velocity joints have no residual to compare. If two constraints contradict each other, such as a
 * motor and a stop, Gauss-Seidel solvers may satisfy either. Therefore the largest rate error of a joint is
 * integrated over time. It is compared with L plus the accumulated motion of the bodies, angles with 1 rad
 * plus the accumulated rotation.
 *
 * Energy. If potential + kinetic energy is conserved, the kinetic energy can grow to T_0 + V_0 - min V. The
 * stored energy of springs and all weights times L are added, so that a start at rest has energies in play.
 * Without joints, g h^2 replaces L if it is larger: a solver of order 1 has speeds before a body has fallen.
 * A larger energy error exceeds all energies in play. Losses cannot exceed them. If joints are violated at
 * the start, closing them does work, and the energy is not checked. */
#include "elementary.h"
#include "measure/divergence.h"
#include "base/locale.h"
#include "base/vec.h"
#include "force/force.h"
#include "joint/joint_start.h"

#include <math.h>
#include <string.h>

static const double distance_part =
  0.1;                               /* part of the largest distance travelled that is added to the size */
static const double angle_size = 1;  /* rad; the counterpart for angles of the size for lengths */
static const double rounding = 1e-9; /* relative rounding error of a potential far from its zero */
static const double min_size = 1e-9; /* m; size of a mechanism without extent */

/* ---- The size ------------------------------------------------------------------------------------------ */

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

static double largest_displacement(const hn_model *model, const hn_state *from, const hn_state *to)
{
  double longest = 0.0;
  for (int i = 1; i < model->nbody; i++) {
    double way[3];
    vec_sub(way, to->pose[i].x, from->pose[i].x);
    longest = fmax(longest, vec_norm(way));
  }
  return longest;
}

/* ---- The bounds ---------------------------------------------------------------------------------------- */

int hn_bounds_start(hn_bounds *b, const hn_model *model, const hn_state *state, const hn_measure *measure,
                    double h, bool may_have_joints, hn_error *error)
{
  *b = (hn_bounds){ .size = fmax(hn_model_size(model, state), min_size),
                    .start = measure->potential,
                    .least = measure->potential,
                    .measured = state->time,
                    .conserves = hn_model_conserves_energy(model) && !model->loose };
  b->given = measure->kinetic + fabs(hn_forces_energy(model, state)) + rounding * fabs(measure->potential);
  for (int i = 1; i < model->nbody; i++) {
    const double g = vec_norm(model->body[i].gravity);
    b->given += model->body[i].mass * g * (model->njoint > 0 ? b->size : fmax(b->size, g * h * h));
  }
  b->first = may_have_joints ? hn_state_create(model) : NULL;
  if (!may_have_joints) return 0;
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

double hn_bounds_supply(const hn_bounds *b, const hn_model *model)
{
  return hn_model_is_passive(model) && !model->loose ? b->given + b->start - b->least : NAN;
}

/* Returns the error allowed for a joint, given bounds LENGTH for lengths and TURN for angles. */
static double allowed(const hn_joint *joint, double length, double turn)
{
  bool lengths = strcmp(joint->type->unit, "rad") != 0, angles = strstr(joint->type->unit, "rad") != NULL;
  return angles ? (lengths ? hn_hypot(length, turn) : turn) : length;
}

static bool joints_exceed(const hn_bounds *b, const hn_model *model, const hn_state *state,
                          const hn_measure *m, char *text, size_t size)
{
  if (m->worst_joint < 0) return false;
  const hn_joint *joint = &model->joint[m->worst_joint];
  if (!(m->position_error > allowed(joint, b->size, angle_size))) return false;
  double length = b->size + distance_part * largest_displacement(model, b->first, state);
  if (!(m->position_error > allowed(joint, length, angle_size))) return false;
  hn_print(text, size, "joint \"%.100s\" is off by %.3g %s, more than the size of the mechanism, %.3g m",
           joint->name, m->position_error, joint->type->unit, length);
  return true;
}

void hn_bounds_add_step(hn_bounds *b, const hn_state *from, const hn_state *to)
{
  double way = 0.0, turn = 0.0, spin = 0.0;
  for (int i = 1; i < to->nbody; i++) {
    const double *p = from->pose[i].q, *q = to->pose[i].q;
    const double apart[4] = { q[0] - p[0], q[1] - p[1], q[2] - p[2], q[3] - p[3] };
    double d[3];
    vec_sub(d, to->pose[i].x, from->pose[i].x);
    way = fmax(way, vec_dot(d, d)), spin = fmax(spin, vec_dot(to->twist[i].w, to->twist[i].w));
    turn = fmax(turn, 4.0 * (apart[0] * apart[0] + vec_dot(apart + 1, apart + 1)));
  }
  b->way += sqrt(way), b->turned += sqrt(turn), b->spin = fmax(b->spin, sqrt(spin));
}

double hn_bounds_slip(const hn_bounds *b, const hn_model *model, const hn_measure *m)
{
  if (m->worst_rate < 0) return 0.0;
  return b->slip / allowed(&model->joint[m->worst_rate], b->size + b->way, angle_size + b->turned);
}

static bool rates_exceed(const hn_bounds *b, const hn_model *model, const hn_measure *m, char *text,
                         size_t size)
{
  if (!(hn_bounds_slip(b, model, m) > 1.0)) return false;
  const hn_joint *joint = &model->joint[m->worst_rate];
  hn_print(text, size,
           "the rates of joints are off by more than the mechanism moves, here that of \"%.100s\" by %.3g %s",
           joint->name, m->velocity_error, hn_joint_rate_unit(joint->type));
  return true;
}

bool hn_bounds_exceeded(hn_bounds *b, const hn_model *model, const hn_state *state, const hn_measure *m,
                        double energy_error, char *text, size_t size)
{
  b->slip += (state->time - b->measured) * m->velocity_error, b->measured = state->time;
  b->least = fmin(b->least, m->potential);
  double in_play = hn_bounds_energy(b); /* 0: bodies without energy that rounding moves cannot be judged */
  if (in_play > 0.0 && energy_error > in_play) {
    hn_print(text, size, "the energy is off by %.3g J, more than the energies in play, %.3g J", energy_error,
             in_play);
    return true;
  }
  return joints_exceed(b, model, state, m, text, size) || rates_exceed(b, model, m, text, size);
}
