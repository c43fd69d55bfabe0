/* system.c - the system: list of blocks, free flights, forces. Rows are in system_rows.c, K in
 * system_matrix.c. */
#include "base/quiet.h"
#include "base/rates.h"
#include "base/vec.h"
#include "elementary.h"
#include "collide/contact_list.h"
#include "compliant/compliant.h"
#include "flight/flight.h"
#include "force/force.h"
#include "redundant/redundant.h"
#include "system/contact_blocks.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(36LL * HN_MAX_CONTACTS < INT_MAX, "an int counts the Jacobians of all contacts");

static double *numbers(int count)
{
  return calloc((size_t)count + 1, sizeof(double));
}

/* Moments of inertia that differ by less, relatively, are equal: above the rounding of their computation. */
static const double equal_inertia = 1e-12;

static void list_rotating(hn_system *s)
{
  for (int i = 0; i < s->model->nbody; i++)
    if (s->model->body[i].kind == HN_RIGID) s->rotating[s->nrotating++] = i;
}

/* True for an asymmetric body, whose angular velocity changes without a torque. All rigid bodies of a planar
 * model count, since in space they would be free to tumble. */
static bool is_asymmetric(const hn_model *model, int i)
{
  const double *J = model->body[i].J, largest = fmax(J[0], fmax(J[1], J[2])),
               smallest = fmin(J[0], fmin(J[1], J[2]));
  return model->body[i].kind == HN_RIGID && (model->planar || largest - smallest > equal_inertia * largest);
}

int hn_system_list_asymmetric(hn_system *s, hn_error *error)
{
  if (s->parts->asymmetric) return 0;
  s->parts->asymmetric = calloc((size_t)s->model->nbody, sizeof *s->parts->asymmetric);
  if (!s->parts->asymmetric) return hn_fail(error, "out of memory");
  for (int i = 0; i < s->model->nbody; i++)
    if (is_asymmetric(s->model, i)) s->parts->asymmetric[s->parts->nasymmetric++] = i;
  return 0;
}

const int *hn_system_asymmetric(const hn_system *s, int *count)
{
  *count = s->parts->nasymmetric;
  return s->parts->asymmetric;
}

/* Lists the joints in scene order as blocks. */
static void list_blocks(hn_system *s)
{
  const hn_model *model = s->model;
  for (int j = 0; j < model->njoint; j++) {
    const hn_joint *joint = &model->joint[j];
    s->block[j] = (hn_block){ .a = joint->a,
                              .b = joint->b,
                              .row = joint->row,
                              .n = joint->type->rows,
                              .key = (uint64_t)j,
                              .joint = joint };
    for (int r = 0; r < joint->type->rows; r++) {
      s->parts->held[joint->row + r] = joint->set->kind == HN_ANY;
      s->parts->nreleased += joint->set->kind != HN_ANY;
    }
  }
  s->nblock = model->njoint, s->nrow = model->nrow;
  s->pattern = 1;
}

static int create_contacts(hn_system *s, hn_error *error)
{
  if (s->model->max_contacts == 0) return 0;
  if (hn_contact_blocks_create(s, error)) return -1;
  if (s->model->margin > 0) s->parts->collision = hn_collision_create(s->model, error);
  return s->model->margin > 0 && !s->parts->collision ? -1 : 0;
}

hn_system *hn_system_create(const hn_model *model, hn_error *error)
{
  struct whole {
    hn_system system;
    hn_system_parts parts;
  } *whole = calloc(1, sizeof *whole);
  hn_system *s = &whole->system;
  if (!whole) {
    hn_fail(error, "out of memory");
    return NULL;
  }
  s->parts = &whole->parts;
  /* arrays with room for all contacts */
  s->model = model;
  s->max_blocks = model->njoint + model->max_contacts;
  const int contact_rows = model->planar ? 2 : model->needs & HN_CAN_ROLL ? 6 : 3;
  s->max_rows = model->nrow + contact_rows * model->max_contacts;
  s->block = calloc((size_t)s->max_blocks + 1, sizeof *s->block);
  s->parts->held = calloc((size_t)s->max_rows + 1, sizeof *s->parts->held);
  s->g = numbers(s->max_rows), s->bias = numbers(s->max_rows), s->gamma = numbers(s->max_rows);
  s->parts->impact_law = hn_newton_impact;
  s->parts->target = numbers(model->needs & HN_CAN_BOUNCE ? s->max_rows : 0);
  s->G = numbers(12 * s->max_rows), s->T = numbers(12 * s->max_rows);
  s->parts->inv_inertia = numbers(9 * model->nbody);
  s->parts->wrench = numbers(hn_model_has_forces(model) ? 6 * model->nbody : 0);
  s->rotating = calloc((size_t)model->nbody, sizeof *s->rotating);
  /* lists of joints and contacts */
  if (s->block && s->parts->held && s->g && s->bias && s->gamma && s->parts->target && s->G && s->T &&
      s->parts->inv_inertia && s->parts->wrench && s->rotating) {
    list_rotating(s);
    list_blocks(s);
    if (create_contacts(s, error) == 0) return s;
  } else {
    hn_fail(error, "out of memory");
  }
  hn_system_free(s);
  return NULL;
}

void hn_system_free(hn_system *s)
{
  if (!s) return;
  hn_linear_free(s->parts->linear);
  hn_redundant_free(s->parts->redundant);
  free(s->parts->flight);
  hn_collision_free(s->parts->collision);
  free(s->block), free(s->parts->held), free(s->parts->contact_joint), free(s->parts->own_set);
  free(s->g), free(s->bias), free(s->gamma), free(s->parts->target), free(s->G), free(s->T);
  free(s->parts->inv_inertia), free(s->parts->wrench), free(s->rotating), free(s->parts->asymmetric);
  free(s);
}

/* Returns the relative velocity of row 0 before an impact; negative while approaching. */
static double approach_rate(const hn_block *block, const hn_state *state)
{
  const hn_twist *ua = &state->twist[block->a], *ub = &state->twist[block->b];
  double G_a[6 * HN_MAX_ROWS], G_b[6 * HN_MAX_ROWS], rate[HN_MAX_ROWS];
  block->joint->type->eval(block->joint, state->time, &state->pose[block->a], ua, &state->pose[block->b], ub,
                           &(hn_rows){ .G_a = G_a, .G_b = G_b, .bias = rate });
  hn_add_rates(block->n, G_a, ua, G_b, ub, rate);
  return rate[0];
}

/* ---- Targets of impacts ------------------------------------------------------------------------------- */

void hn_system_set_impact_law(hn_system *s, hn_impact_law *law)
{
  s->parts->impact_law = law;
  hn_system_clear_targets(s);
}

double hn_system_target(const hn_system *s, int block)
{
  return s->parts->ntarget > 0 ? s->parts->target[s->block[block].row] : 0.0;
}

bool hn_system_has_targets(const hn_system *s)
{
  return s->parts->ntarget > 0;
}

void hn_system_clear_target(hn_system *s, int block)
{
  if (hn_system_target(s, block) > 0.0) s->parts->ntarget--;
  if (s->model->needs & HN_CAN_BOUNCE) s->parts->target[s->block[block].row] = 0.0;
}

void hn_system_clear_targets(hn_system *s)
{
  s->parts->ntarget = 0;
}

/* ---- Contacts ----------------------------------------------------------------------------------------- */

void hn_system_choose_modes(hn_system *s)
{
  s->parts->chooses_modes = true;
}

uint64_t hn_system_contact_version(const hn_system *s)
{
  return s->parts->listing;
}

/* Sets the targets of impacts of the listed blocks. */
static void find_targets(hn_system *s, const hn_state *state)
{
  if (!(s->model->needs & HN_CAN_BOUNCE) || !s->parts->impact_law) return;
  hn_system_clear_targets(s);
  memset(s->parts->target, 0,
         sizeof *s->parts->target * (size_t)s->nrow); /* rows may have belonged to other contacts */
  for (const hn_block *block = s->block; block < s->block + s->nblock; block++) {
    if (!(block->joint->set->restitution > 0)) continue;
    const double target = s->parts->impact_law(block->joint->set, s->model->threshold,
                                               approach_rate(block, state));
    s->parts->target[block->row] = target;
    s->parts->ntarget += target > 0.0;
    s->work.jacobians++;
  }
}

hn_reason hn_system_list(hn_system *s, const hn_state *state)
{
  hn_reason reason = s->model->max_contacts > 0 ? hn_contact_blocks_list(s, state) : HN_CONVERGED;
  if (reason == HN_CONVERGED) find_targets(s, state);
  return reason;
}

/* Lists the contacts of STATE, which are up to date. */
static hn_reason list_current(hn_system *s, hn_state *state)
{
  if (state->ncontact > s->model->max_contacts) return HN_FULL;
  if (!s->parts->chooses_modes) hn_contacts_use_sliding_friction(state);
  return hn_system_list(s, state);
}

hn_reason hn_system_begin(hn_system *s, hn_state *state)
{
  if (hn_stopped(&s->stop)) return HN_INTERRUPTED;
  hn_reason reason = s->parts->collision ? hn_collide(s->parts->collision, state, &s->work) : HN_CONVERGED;
  return reason == HN_CONVERGED ? list_current(s, state) : reason;
}

hn_reason hn_system_begin_from(hn_system *s, const hn_state *before, hn_state *state)
{
  if (!s->parts->collision) return hn_system_begin(s, state);
  if (hn_stopped(&s->stop)) return HN_INTERRUPTED;
  hn_reason reason = hn_collide_from(s->parts->collision, before, state, &s->work);
  return reason == HN_CONVERGED ? list_current(s, state) : reason;
}

hn_reason hn_system_begin_gaps(hn_system *s, const hn_state *given, const hn_state *state)
{
  hn_state view = *state;
  view.contact = given->contact, view.ncontact = given->ncontact;
  if (!s->parts->collision) return hn_system_begin(s, &view);
  if (hn_stopped(&s->stop)) return HN_INTERRUPTED;
  hn_reason reason = hn_collision_detect(s->parts->collision, state, &s->work);
  if (reason != HN_CONVERGED) return reason;
  hn_contact_blocks_detected(s, state);
  find_targets(s, state);
  return HN_CONVERGED;
}

/* ---- Free flight -------------------------------------------------------------------------------------- */

int hn_system_use_flight(hn_system *s, const hn_flight_options *options, hn_error *error)
{
  static hn_rotate *const rotate[] = { hn_rotate_rk4, hn_rotate_taylor, hn_rotate_exact,
                                       hn_rotate_moser_veselov, hn_rotate_exponential };
  hn_quiet_gsl();
  free(s->parts->flight);
  s->parts->flight = malloc(sizeof *s->parts->flight);
  if (!s->parts->flight) return hn_fail(error, "out of memory");
  *s->parts->flight = (hn_flight){ .options = *options, .rotate = rotate[options->kind] };
  return 0;
}

/* Moves x and v under gravity; copies q and w, which are final for bodies that do not rotate. */
static inline void translate(const hn_model *model, int i, double h, const hn_state *from, hn_state *to)
{
  to->pose[i] = from->pose[i];
  to->twist[i] = from->twist[i];
  if (model->body[i].kind == HN_FIXED) return;
  for (int k = 0; k < 3; k++) {
    double dv = h * model->body[i].gravity[k];
    to->pose[i].x[k] += h * (from->twist[i].v[k] + 0.5 * dv);
    to->twist[i].v[k] += dv;
  }
}

void hn_system_flight(hn_system *s, const hn_state *from, double h, hn_state *to)
{
  to->time = from->time + h;
  memcpy(to->input, from->input, sizeof *to->input * (size_t)from->ninput);
  for (int i = 0; i < s->model->nbody; i++) translate(s->model, i, h, from, to);
  s->parts->flight->rotate(s->parts->flight, s->model->body, s->rotating, s->nrotating, h, from->pose,
                           from->twist, to->pose, to->twist);
  s->work.flights += (uint64_t)s->model->nbody - 1;
}

void hn_system_flight_of(hn_system *s, const int *bodies, int count, const hn_state *from, double h,
                         hn_state *to)
{
  enum { BATCH = 16 };
  int rigid[BATCH], n = 0;
  for (int k = 0; k < count; k++) {
    translate(s->model, bodies[k], h, from, to);
    if (s->model->body[bodies[k]].kind == HN_RIGID) rigid[n++] = bodies[k];
    if (n == BATCH || (n > 0 && k == count - 1)) {
      s->parts->flight->rotate(s->parts->flight, s->model->body, rigid, n, h, from->pose, from->twist,
                               to->pose, to->twist);
      n = 0;
    }
  }
  s->work.flights += (uint64_t)count;
}

double hn_system_flight_error(const hn_system *s, const hn_state *state, double h)
{
  return hn_taylor_error(s->parts->flight, s->model->body, s->rotating, s->nrotating, h, state->pose,
                         state->twist);
}

/* ---- Forces ------------------------------------------------------------------------------------------- */

/* u += h W f for one body with force and torque f. */
static void kick_body(const hn_body *body, const hn_pose *pose, const double wrench[6], double h, hn_twist *u)
{
  double torque_b[3], change[3];
  vec_add_scaled(u->v, h * body->inv_mass, wrench);
  if (body->kind != HN_RIGID) return;
  quat_unrotate(torque_b, pose->q, wrench + 3);
  for (int k = 0; k < 3; k++) torque_b[k] *= h * body->inv_J[k];
  quat_rotate(change, pose->q, torque_b);
  vec_add(u->w, u->w, change);
}

void hn_system_push(const hn_system *s, const hn_state *state, const double *wrench, double h,
                    hn_twist *twist)
{
  for (int i = 1; i < state->nbody; i++)
    kick_body(&s->model->body[i], &state->pose[i], wrench + 6 * i, h, &twist[i]);
}

void hn_system_forces(hn_system *s, const hn_state *state, double *wrench)
{
  hn_forces_sum(s->model, state, wrench);
  if (s->model->compliant) hn_compliant_forces(s->model, state, wrench, &s->work);
  if (s->model->more) s->model->more->add(s->model->more->user, state, wrench);
  s->work.forces += (uint64_t)s->model->nforce;
}

void hn_system_kick(hn_system *s, const hn_state *state, double h, hn_twist *twist)
{
  if (!hn_model_has_forces(s->model)) return;
  hn_system_forces(s, state, s->parts->wrench);
  hn_system_push(s, state, s->parts->wrench, h, twist);
}

/* Computes the angular acceleration of a rigid body without torque. */
static void angular_acceleration(const hn_body *body, const hn_pose *pose, const hn_twist *twist,
                                 double rate[3])
{
  double w_b[3], L_b[3], rate_b[3];
  quat_unrotate(w_b, pose->q, twist->w);
  for (int k = 0; k < 3; k++) L_b[k] = body->J[k] * w_b[k];
  vec_cross(rate_b, L_b, w_b);
  for (int k = 0; k < 3; k++) rate_b[k] *= body->inv_J[k];
  quat_rotate(rate, pose->q, rate_b);
}

void hn_system_free_acceleration(hn_system *s, const hn_state *state, hn_twist *acceleration)
{
  s->work.accelerations += (uint64_t)s->model->nbody - 1;
  for (int i = 0; i < s->model->nbody; i++) {
    const hn_body *body = &s->model->body[i];
    acceleration[i] = (hn_twist){ { 0 }, { 0 } };
    if (body->kind == HN_FIXED) continue;
    vec_copy(acceleration[i].v, body->gravity);
    if (body->kind == HN_RIGID)
      angular_acceleration(body, &state->pose[i], &state->twist[i], acceleration[i].w);
  }
  hn_system_kick(s, state, 1.0, acceleration);
}

/* Torque-free flight of the asymmetric bodies of a planar model: rotation by h w. */
static void fly_in_plane(const hn_system *s, const hn_state *state, double h, hn_state *flown)
{
  for (int k = 0; k < s->parts->nasymmetric; k++) {
    const int i = s->parts->asymmetric[k];
    double turn[4] = { 0 };
    hn_sincos(0.5 * h * state->twist[i].w[2], &turn[3], &turn[0]);
    quat_mul(flown->pose[i].q, turn, state->pose[i].q);
    flown->twist[i] = state->twist[i];
  }
}

void hn_system_rotate_asymmetric(hn_system *s, const hn_state *state, double h, hn_state *flown,
                                 hn_twist *acceleration)
{
  s->work.flights += (uint64_t)s->parts->nasymmetric;
  if (s->model->planar) {
    fly_in_plane(s, state, h, flown);
    return;
  }
  hn_rotate_exact(NULL, s->model->body, s->parts->asymmetric, s->parts->nasymmetric, h, state->pose,
                  state->twist, flown->pose, flown->twist);
  for (int k = 0; k < s->parts->nasymmetric; k++) {
    const int i = s->parts->asymmetric[k];
    double rate[3];
    angular_acceleration(&s->model->body[i], &state->pose[i], &state->twist[i], rate);
    for (int c = 0; c < 3; c++)
      acceleration[i].w[c] += (flown->twist[i].w[c] - state->twist[i].w[c]) / h - rate[c];
  }
}
