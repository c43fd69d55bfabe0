/* contact_lines.c - the contacts of a step as lines of CSV, one each.
 *
 * Contacts are found at the beginning of a step: the gap, the point x where the impulse acts, and the axes are of the
 * poses then, n from body a to body b. All that it does is P = p_0 n + p_1 t1 + p_2 t2 on b at x, and -P on a there, so
 *
 *   m (v+ - v-) = sum of P + h m g + ...,   J (w+ - w-) = sum of (x - centre of mass) x P + ...
 *
 * and the velocity of b against a there, after the step, is the one that the law of contact speaks of. */
#include "run/contact_lines.h"
#include "base/vec.h"

#include <inttypes.h>

void hn_write_field(FILE *file, const char *name, const char *suffix)
{
  fputs(",\"", file);
  for (; *name; name++) {
    if (*name == '"') fputc('"', file);
    fputc(*name, file);
  }
  fprintf(file, "%s\"", suffix);
}

void hn_contact_lines_head(FILE *file)
{
  fputs("step,time,body_a,body_b,key,x,y,z,normal_x,normal_y,normal_z,gap,normal_impulse,friction_x,friction_y,"
        "friction_z,normal_velocity,slip_x,slip_y,slip_z\n", file);
}

/* The point of body BODY at ARM, in the world. */
static void place(double x[3], const hn_pose *pose, const double arm[3])
{
  quat_rotate(x, pose->q, arm);
  vec_add(x, x, pose->x);
}

/* Where C touches in STATE, on the surface of b. */
static void touched(double x[3], const hn_contact *c, const hn_state *state, const double n[3])
{
  place(x, &state->pose[c->b], c->point_b);
  vec_add_scaled(x, -c->skin_b, n);
}

static double gap_of(const hn_contact *c, const hn_state *state)
{
  double x_a[3], x_b[3], n[3], span[3];
  quat_rotate(n, state->pose[c->a].q, c->frame);
  place(x_a, &state->pose[c->a], c->point_a);
  place(x_b, &state->pose[c->b], c->point_b);
  vec_sub(span, x_b, x_a);
  return vec_dot(n, span) - c->skin_a - c->skin_b;
}

/* Adds SIGN times the velocity at X of the body that stood at POSE and moves with TWIST. */
static void add_velocity(double v[3], double sign, const hn_pose *pose, const hn_twist *twist, const double x[3])
{
  double arm[3], turning[3];
  vec_sub(arm, x, pose->x);
  vec_cross(turning, twist->w, arm);
  vec_add_scaled(v, sign, twist->v);
  vec_add_scaled(v, sign, turning);
}

static void write_vector(FILE *file, const double v[3])
{
  fprintf(file, ",%.17g,%.17g,%.17g", v[0], v[1], v[2]);
}

static void write_line(FILE *file, const hn_model *model, const hn_frame *frame, const hn_contact *c)
{
  const hn_state *before = frame->before, *after = frame->state;
  double axis[9], x[3], friction[3] = { 0.0 }, slip[3] = { 0.0 };
  for (int k = 0; k < 3; k++) quat_rotate(axis + 3 * k, before->pose[c->a].q, c->frame + 3 * k);
  touched(x, c, before, axis);
  for (int k = 1; k < 3; k++) vec_add_scaled(friction, c->impulse[k], axis + 3 * k);
  add_velocity(slip, 1.0, &before->pose[c->b], &after->twist[c->b], x);
  add_velocity(slip, -1.0, &before->pose[c->a], &after->twist[c->a], x);
  const double rate = vec_dot(slip, axis);
  vec_add_scaled(slip, -rate, axis);
  fprintf(file, "%ld,%.17g", frame->index, after->time);
  hn_write_field(file, model->body[c->a].name, "");
  hn_write_field(file, model->body[c->b].name, "");
  fprintf(file, ",%016" PRIx64, c->key);
  write_vector(file, x);
  write_vector(file, axis);
  fprintf(file, ",%.17g,%.17g", gap_of(c, before), c->impulse[0]);
  write_vector(file, friction);
  fprintf(file, ",%.17g", rate);
  write_vector(file, slip);
  fputc('\n', file);
}

void hn_contact_lines(FILE *file, const hn_model *model, const hn_frame *frame)
{
  for (int i = 0; frame->before && i < frame->state->ncontact; i++)
    write_line(file, model, frame, &frame->state->contact[i]);
}
