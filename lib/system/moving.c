/* moving.c - contacts whose place moves over both bodies, as joints (see moving.h).
 *
 * All is written once, as power series; closed forms take coefficients 0 and, for acceleration terms, 1 of constant
 * twists. Where the cores are nearest are two numbers alpha: along a line, or an angle on a circle, from where it is at
 * coefficient 0. That is found by Newton's method; and since coefficient k of alpha enters the equations of order k
 * linearly, with the matrix that Newton's method had, every further one takes one solution of two by two. */
#include "system/moving.h"
#include "base/product.h"
#include "base/vec.h"
#include "joint/touch.h"
#include "system/contact.h"

#include <string.h>

/* Series of one side, whose places are from the centre of mass of a: */
enum { PLACE = 0, AXIS = 3, FIRST = 6, SECOND = 9, /* the core's `at`; its axis; of a circle axes in its plane, */
       OWN = 12,                                   /* the first of which is fixed to the body as in coefficient 0 */
       ALPHA = 15, COSINE, SINE, POINT, TAU = POINT + 3, SIDE = TAU + 3 };
/* and of both: */
enum { SPAN = 2 * SIDE, ACROSS = SPAN + 3, LENGTH = ACROSS + 3, NORMAL = LENGTH + 1, /* n; t_1 and t_2 behind it */
       ASIDE = NORMAL + 9, ASIDE_LENGTH = ASIDE + 3, TANGENT = ASIDE_LENGTH + 1, ALONG = TANGENT + 3,
       REACH = ALONG + 1, ARM = REACH + 3, MATRIX = ARM + 3, SERIES = MATRIX + 4 };

static const double flat = 1e-6;   /* sine between directions that have no common normal, or of a lying disc */

/* Two bodies, their cores, and work memory. */
typedef struct place {
  const hn_moving *moving;
  const hn_body_jet *body[2];
  size_t n;     /* stride of series */
  double *work;
} place;

static bool is_curve(const hn_core *core)
{
  return core->kind == HN_CORE_LINE || core->kind == HN_CORE_CIRCLE;
}

static const hn_core *plane_of(const hn_moving *m)
{
  return m->core[0].kind == HN_CORE_PLANE ? &m->core[0] : m->core[1].kind == HN_CORE_PLANE ? &m->core[1] : NULL;
}

static double *side_of(const place *p, int side)
{
  return p->work + (size_t)(side * SIDE) * p->n;
}

/* Component c of a vector of series, and its coefficient k of a dot product. */
static double dot_coefficient(const double *a, const double *b, size_t n, size_t k)
{
  return convolution(a, b, k + 1) + convolution(a + n, b + n, k + 1) + convolution(a + 2 * n, b + 2 * n, k + 1);
}

static void cross_coefficient(const double *a, const double *b, size_t n, size_t k, double *out)
{
  for (size_t c = 0; c < 3; c++) {
    const size_t d = (c + 1) % 3 * n, e = (c + 2) % 3 * n;
    out[c * n + k] = convolution(a + d, b + e, k + 1) - convolution(a + e, b + d, k + 1);
  }
}

/* Coefficient 0 of three series. */
static void value_of(const double *series, size_t n, double out[3])
{
  for (size_t c = 0; c < 3; c++) out[c] = series[c * n];
}

/* Coefficient k of R v. */
static void turn(const hn_body_jet *body, const double v[3], size_t k, size_t n, double *out)
{
  for (size_t c = 0; c < 3; c++) out[c * n + k] = vec_dot(body->power[k].R + 3 * c, v);
}

/* Unit vector along V; false where that is next to nothing beside SIZE. */
static bool unit(double out[3], const double v[3], double size)
{
  const double length = vec_norm(v);
  vec_scale(out, 1.0 / length, v);
  return length > flat * size;
}

/* ---- Where the cores are nearest --------------------------------------------------------------------------------- */

/* What does not depend on alpha, but for the axes of a circle at coefficient 0. */
static void set_side(const place *p, int side, size_t k)
{
  const hn_core *core = &p->moving->core[side];
  const hn_body_jet *body = p->body[side];
  double *s = side_of(p, side), second[3], first[3];
  const size_t n = p->n;
  turn(body, core->at, k, n, s + PLACE * n);
  turn(body, core->axis, k, n, s + AXIS * n);
  for (size_t c = 0; c < 3 && side; c++)
    s[(PLACE + c) * n + k] += body->power[k].x[c] - p->body[0]->power[k].x[c];
  if (core->kind != HN_CORE_CIRCLE || k == 0) return;
  value_of(s + OWN * n, n, first);
  vec_cross(second, core->axis, first);
  turn(body, first, k, n, s + FIRST * n);
  turn(body, second, k, n, s + SECOND * n);
}

/* Coefficient k of the point and its tangent, with coefficient k of alpha. */
static void set_point(const place *p, int side, size_t k, double alpha)
{
  const hn_core *core = &p->moving->core[side];
  const size_t n = p->n;
  double *s = side_of(p, side), *angle = s + ALPHA * n, *cosine = s + COSINE * n, *sine = s + SINE * n;
  angle[k] = alpha;
  for (size_t c = 0; c < 3; c++) {
    s[(POINT + c) * n + k] = s[(PLACE + c) * n + k];
    if (core->kind != HN_CORE_LINE) continue;
    s[(POINT + c) * n + k] += convolution(angle, s + (AXIS + c) * n, k + 1);
    s[(TAU + c) * n + k] = s[(AXIS + c) * n + k];
  }
  if (core->kind != HN_CORE_CIRCLE) return;
  cosine[k] = k == 0, sine[k] = 0.0;
  for (size_t j = 1; j <= k; j++) {
    const double rate = (double)j / (double)k * angle[j];
    cosine[k] -= rate * sine[k - j], sine[k] += rate * cosine[k - j];
  }
  for (size_t c = 0; c < 3; c++) {
    const double *first = s + (FIRST + c) * n, *second = s + (SECOND + c) * n;
    s[(POINT + c) * n + k] +=
        core->radius * (convolution(cosine, first, k + 1) + convolution(sine, second, k + 1));
    s[(TAU + c) * n + k] = convolution(cosine, second, k + 1) - convolution(sine, first, k + 1);
  }
}

/* The normal, if it is that of a plane: from a to b. */
static void set_plane(const place *p, size_t k)
{
  const hn_core *plane = plane_of(p->moving);
  const bool on_b = plane == &p->moving->core[1];
  const double *axis = side_of(p, on_b) + AXIS * p->n;
  for (size_t i = k; i < 3 * p->n && plane; i += p->n) p->work[NORMAL * p->n + i] = on_b ? -axis[i] : axis[i];
}

/* Coefficient k of the equations of both sides: what is to be across their tangents. */
static void miss(const place *p, size_t k, double off[2])
{
  const size_t n = p->n;
  const double *a = side_of(p, 0), *b = side_of(p, 1);
  const double *across = p->work + (plane_of(p->moving) ? NORMAL : SPAN) * n;
  for (size_t i = k; i < 3 * n; i += n) p->work[SPAN * n + i] = b[POINT * n + i] - a[POINT * n + i];
  for (int side = 0; side < 2; side++)
    off[side] = is_curve(&p->moving->core[side]) ? dot_coefficient(across, side_of(p, side) + TAU * n, n, k) : 0.0;
}

/* The derivatives of coefficient 0 of the equations by both alpha, row by row. */
static void set_matrix(const place *p)
{
  const size_t n = p->n;
  const bool plane = plane_of(p->moving) != NULL;
  double across[3], tau[2][3], *M = p->work + MATRIX * n;
  value_of(p->work + (plane ? NORMAL : SPAN) * n, n, across);
  for (int side = 0; side < 2; side++) value_of(side_of(p, side) + TAU * n, n, tau[side]);
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      const hn_core *core = &p->moving->core[j];
      const double speed = core->kind == HN_CORE_CIRCLE ? core->radius : 1.0;
      double *entry = &M[(size_t)(2 * i + j) * n];
      *entry = i == j;
      if (!is_curve(&p->moving->core[i]) || !is_curve(core)) continue;
      *entry = plane ? 0.0 : (j ? 1.0 : -1.0) * speed * vec_dot(tau[i], tau[j]);
      if (i != j || core->kind != HN_CORE_CIRCLE) continue;
      double outward[3];
      value_of(side_of(p, j) + FIRST * n, n, outward); /* the tangent turns inwards */
      *entry -= vec_dot(across, outward);
    }
}

/* Changes of both alpha that take OFF away. */
static void correct(const place *p, const double off[2], double change[2])
{
  const double *M = p->work + MATRIX * p->n;
  const size_t n = p->n;
  const double det = M[0] * M[3 * n] - M[n] * M[2 * n];
  change[0] = -(M[3 * n] * off[0] - M[n] * off[1]) / det;
  change[1] = -(M[0] * off[1] - M[2 * n] * off[0]) / det;
}

/* Axes of the circle of SIDE whose first one is as near to TOWARDS as it can be. */
static bool face(const place *p, int side, const double towards[3])
{
  const size_t n = p->n;
  double *s = side_of(p, side), axis[3], first[3], second[3];
  value_of(s + AXIS * n, n, axis);
  const double lean = vec_dot(axis, towards);
  for (int i = 0; i < 3; i++) first[i] = towards[i] - lean * axis[i];
  const bool found = unit(first, first, vec_norm(towards));
  vec_cross(second, axis, first);
  for (size_t c = 0; c < 3; c++) s[(FIRST + c) * n] = first[c], s[(SECOND + c) * n] = second[c];
  return found;
}

/* The circle of SIDE faces a plane or a point, which is the answer, or what it faced before. */
static bool begin(const place *p, int side)
{
  const hn_core *core = &p->moving->core[side], *other = &p->moving->core[!side];
  const size_t n = p->n;
  const double *own = side_of(p, side) + PLACE * n, *at = side_of(p, !side) + PLACE * n;
  double towards[3];
  side_of(p, side)[ALPHA * n] = 0.0;
  if (core->kind != HN_CORE_CIRCLE) return true;
  vec_copy(towards, p->moving->near[side]);
  for (size_t c = 0; c < 3 && other->kind == HN_CORE_PLANE; c++)
    towards[c] = (side ? -1.0 : 1.0) * p->work[(NORMAL + c) * n];
  for (size_t c = 0; c < 3 && other->kind == HN_CORE_POINT; c++) towards[c] = at[c * n] - own[c * n];
  return face(p, side, towards);
}

/* Moves along SIDE by CHANGE: a circle turns by the angle whose tangent that is. */
static void step(const place *p, int side, double change)
{
  const size_t n = p->n;
  double *s = side_of(p, side), towards[3];
  if (p->moving->core[side].kind == HN_CORE_CIRCLE) {
    for (size_t c = 0; c < 3; c++) towards[c] = s[(FIRST + c) * n] + change * s[(SECOND + c) * n];
    face(p, side, towards);
    set_point(p, side, 0, 0.0);
  } else {
    set_point(p, side, 0, s[ALPHA * n] + change);
  }
}

/* Coefficient 0: Newton's method, until rounding is all that changes. */
static bool find(const place *p)
{
  enum { MOST = 50 };
  const size_t n = p->n;
  double off[2], change[2], last = HUGE_VAL;
  set_plane(p, 0);
  const bool begun = begin(p, 0) && begin(p, 1);
  for (int side = 0; side < 2; side++) set_point(p, side, 0, 0.0);
  miss(p, 0, off);
  set_matrix(p);
  for (int i = 0; i < MOST; i++) {
    correct(p, off, change);
    const double size = hypot(change[0], change[1]);
    if (!(size < 1e-10 && size >= 0.5 * last)) last = size;
    else break;
    if (!(size > 0.0)) break;
    for (int side = 0; side < 2; side++)
      if (is_curve(&p->moving->core[side])) step(p, side, change[side]);
    miss(p, 0, off);
    set_matrix(p);
  }
  for (int side = 0; side < 2; side++) {
    double first[3], own[3];
    if (p->moving->core[side].kind != HN_CORE_CIRCLE) continue;
    value_of(side_of(p, side) + FIRST * n, n, first);
    mat_tvec(own, p->body[side]->power[0].R, first);
    for (size_t c = 0; c < 3; c++) side_of(p, side)[(OWN + c) * n] = own[c];
  }
  return begun && last < 1e-6;
}

/* ---- Normal, tangents and the place of contact ------------------------------------------------------------------- */

/* Coefficient k of V / |V|, times SIGN: |V|^2 and (V / |V|) |V|, solved for the newest coefficients. */
static void normalise(const double *v, double sign, size_t n, size_t k, double *length, double *out)
{
  double square = dot_coefficient(v, v, n, k);
  if (k > 1) square -= square_coefficient(length + 1, k - 2);
  length[k] = k == 0 ? sqrt(square) : square / (2.0 * length[0]);
  for (size_t i = 0; i < 3 * n; i += n)
    out[i + k] = (sign * v[i + k] - (k ? convolution(length + 1, out + i, k) : 0.0)) / length[0];
}

static void set_normal(const place *p, size_t k)
{
  const size_t n = p->n;
  double *w = p->work, *across = w + ACROSS * n;
  const bool both = is_curve(&p->moving->core[0]) && is_curve(&p->moving->core[1]);
  if (plane_of(p->moving)) return;
  if (both) cross_coefficient(side_of(p, 0) + TAU * n, side_of(p, 1) + TAU * n, n, k, across);
  else for (size_t i = k; i < 3 * n; i += n) across[i] = w[SPAN * n + i];
  normalise(across, both ? p->moving->sign : 1.0, n, k, w + LENGTH * n, w + NORMAL * n);
}

static void set_tangents(const place *p, size_t k)
{
  const size_t n = p->n;
  double *w = p->work, *normal = w + NORMAL * n, *along = w + ALONG * n;
  turn(p->body[0], p->moving->tangent, k, n, w + TANGENT * n);
  along[k] = dot_coefficient(w + TANGENT * n, normal, n, k);
  for (size_t i = 0; i < 3 * n; i += n)
    w[ASIDE * n + i + k] = w[TANGENT * n + i + k] - convolution(along, normal + i, k + 1);
  normalise(w + ASIDE * n, 1.0, n, k, w + ASIDE_LENGTH * n, normal + 3 * n);
  cross_coefficient(normal, normal + 3 * n, n, k, normal + 6 * n);
}

/* Coefficient k of all series; that of the gap. */
static double set(const place *p, size_t k)
{
  const hn_core *core = p->moving->core;
  const size_t n = p->n;
  double off[2], change[2], *w = p->work;
  for (int side = 0; side < 2; side++) set_side(p, side, k);
  if (k == 0) {
    find(p);
  } else {
    set_plane(p, k);
    for (int side = 0; side < 2; side++) set_point(p, side, k, 0.0);
    miss(p, k, off);
    correct(p, off, change);
    for (int side = 0; side < 2; side++)
      if (is_curve(&core[side])) set_point(p, side, k, change[side]);
    miss(p, k, off);
  }
  set_normal(p, k), set_tangents(p, k);
  for (size_t c = 0, i = k; c < 3; c++, i += n) {
    w[REACH * n + i] = side_of(p, 1)[POINT * n + i] - core[1].skin * w[NORMAL * n + i];
    w[ARM * n + i] = w[REACH * n + i] - (p->body[1]->power[k].x[c] - p->body[0]->power[k].x[c]);
  }
  return dot_coefficient(w + NORMAL * n, w + SPAN * n, n, k) - (k == 0 ? core[0].skin + core[1].skin : 0.0);
}

/* ---- The joints -------------------------------------------------------------------------------------------------- */

static void jet(const hn_joint *joint, double t, const hn_body_jet *a, const hn_body_jet *b, size_t k, double *work,
                double *g, double *G_a, double *G_b)
{
  const place p = { joint->data, { a, b }, a->count, work };
  const size_t first = *(const size_t *)joint->type->detail;
  const double gap = set(&p, k);
  hn_row row;
  (void)t;
  for (int r = 0; r < joint->type->rows; r++) {
    hn_touch_jet(work + (NORMAL + 3 * (first + (size_t)r)) * p.n, work + ARM * p.n, work + REACH * p.n, k, p.n, &row);
    if (!joint->type->velocity) row.g = gap;
    hn_row_store(&row, r, joint->type->rows, &(hn_rows){ .g = g, .G_a = G_a, .G_b = G_b });
  }
}

enum { POWERS = 2 };

/* The motion of a body at POSE with a constant twist U. */
static void power_of(const hn_pose *pose, const hn_twist *u, hn_body_power power[POWERS])
{
  vec_copy(power[0].x, pose->x), vec_copy(power[1].x, u->v);
  quat_matrix(power[0].R, pose->q);
  for (int c = 0; c < 3; c++) {
    const double column[3] = { power[0].R[c], power[0].R[3 + c], power[0].R[6 + c] };
    double turned[3];
    vec_cross(turned, u->w, column);
    for (int i = 0; i < 3; i++) power[1].R[3 * i + c] = turned[i];
  }
}

/* Row r of COUNT from FIRST on, into OUT; a VELOCITY has no residual. */
static void rows_at(const hn_moving *moving, const hn_pose *a, const hn_twist *ua, const hn_pose *b,
                    const hn_twist *ub, size_t first, int count, bool velocity, const hn_rows *out)
{
  hn_body_power of_a[POWERS], of_b[POWERS];
  const hn_body_jet body[2] = { { POWERS, of_a }, { POWERS, of_b } };
  double work[SERIES * POWERS] = { 0 }, arm[3], arm_rate[3];
  const place p = { moving, { &body[0], &body[1] }, POWERS, work };
  hn_touch touch;
  hn_row row;
  power_of(a, ua, of_a), power_of(b, ub, of_b);
  const double gap = set(&p, 0);
  if (out->gamma) set(&p, 1);
  value_of(work + ARM * POWERS, POWERS, arm), value_of(work + ARM * POWERS + 1, POWERS, arm_rate);
  hn_touch_at(&touch, a, ua, b, ub, arm, arm_rate);
  for (int r = 0; r < count; r++) {
    const double *axis = work + (NORMAL + 3 * (first + (size_t)r)) * POWERS;
    double e[3], e_rate[3];
    value_of(axis, POWERS, e), value_of(axis + 1, POWERS, e_rate);
    hn_touch_row(&touch, e, e_rate, &row);
    if (!velocity) row.g = gap;
    hn_row_store(&row, r, count, out);
  }
}

static void eval(const hn_joint *joint, double t, const hn_pose *a, const hn_twist *ua, const hn_pose *b,
                 const hn_twist *ub, const hn_rows *out)
{
  const hn_joint_type *type = joint->type;
  (void)t;
  rows_at(joint->data, a, ua, b, ub, *(const size_t *)type->detail, type->rows, type->velocity, out);
}

#define MOVING(text, number, from, is_velocity)                                                                        \
  { .name = is_velocity ? "stick" : "contact", .summary = text, .unit = "m", .rows = number, .velocity = is_velocity,  \
    .jet_series = SERIES, .eval = eval, .jet = jet, .detail = &(const size_t){ from } }

static const hn_joint_type gap_type = MOVING("two bodies touch, wherever they do", 1, 0, false),
                           stick_space = MOVING("a contact rolls", 2, 1, true),
                           stick_one[2] = { MOVING("a contact rolls along a direction", 1, 1, true),
                                            MOVING("a contact rolls along a direction", 1, 2, true) };
static const hn_set equation = { .kind = HN_ANY };

hn_joint hn_moving_gap(const hn_moving *moving, const hn_contact *contact)
{
  return (hn_joint){ .name = (char *)"contact", .type = &gap_type, .a = contact->a, .b = contact->b, .set = &equation,
                     .data = (void *)moving, .input = -1 };
}

hn_joint hn_moving_stick(const hn_moving *moving, const hn_contact *contact, bool planar, unsigned tangents)
{
  hn_joint joint = hn_moving_gap(moving, contact);
  joint.type = planar ? &stick_one[0] : tangents == 3 ? &stick_space : &stick_one[tangents - 1];
  return joint;
}

void hn_moving_gamma(const hn_moving *moving, const hn_contact *contact, const hn_state *state, int rows,
                     double *gamma)
{
  const int a = contact->a, b = contact->b;
  rows_at(moving, &state->pose[a], &state->twist[a], &state->pose[b], &state->twist[b], 0, rows, true,
          &(hn_rows){ .gamma = gamma });
}

/* ---- Of a contact ------------------------------------------------------------------------------------------------ */

/* Two bodies on their way, and the work memory of a place. */
typedef struct meeting {
  hn_body_power power[2][POWERS];
  hn_body_jet body[2];
  double work[SERIES * POWERS];
  place place;
} meeting;

static void meet(meeting *m, const hn_moving *moving, const hn_contact *contact, const hn_state *state)
{
  memset(m->work, 0, sizeof m->work);
  for (int side = 0; side < 2; side++) {
    const int i = side ? contact->b : contact->a;
    power_of(&state->pose[i], &state->twist[i], m->power[side]);
    m->body[side] = (hn_body_jet){ POWERS, m->power[side] };
  }
  m->place = (place){ moving, { &m->body[0], &m->body[1] }, POWERS, m->work };
}

/* Coefficient 0 or 1 of the normal and, of a circle, of the direction to its point: less OLD, or as it is. */
static double longest(const meeting *m, size_t k, const hn_moving *old)
{
  const place *p = &m->place;
  double way[3], most;
  for (size_t c = 0; c < 3; c++) way[c] = m->work[(NORMAL + c) * p->n + k] - (old ? old->normal[c] : 0.0);
  most = vec_norm(way);
  for (int side = 0; side < 2; side++) {
    const hn_core *core = &p->moving->core[side];
    const double *s = side_of(p, side);
    if (core->kind != HN_CORE_CIRCLE) continue;
    for (size_t c = 0; c < 3; c++)
      way[c] = (s[(POINT + c) * p->n + k] - s[(PLACE + c) * p->n + k]) / core->radius - (old ? old->near[side][c] : 0.0);
    most = exceeds(vec_norm(way), most) ? vec_norm(way) : most;
  }
  return most;
}

double hn_moving_turn(const hn_moving *moving, const hn_contact *contact, const hn_state *state)
{
  meeting m;
  meet(&m, moving, contact, state);
  set(&m.place, 0);
  return longest(&m, 0, moving);
}

double hn_moving_turn_rate(const hn_moving *moving, const hn_contact *contact, const hn_state *state)
{
  meeting m;
  meet(&m, moving, contact, state);
  set(&m.place, 0), set(&m.place, 1);
  return longest(&m, 1, NULL);
}

/* From the centre of the circle of CORE to POINT of its body, world axes; where that is no circle, zero. */
static void see_near(const hn_core *core, const double point[3], const hn_pose *pose, double near[3])
{
  double out[3] = { 0, 0, 0 };
  if (core->kind == HN_CORE_CIRCLE) vec_sub(out, point, core->at);
  quat_rotate(near, pose->q, out);
}

/* Are the equations of order 0 regular, and does the normal have a direction? */
static bool is_smooth(const place *p)
{
  const hn_core *core = p->moving->core;
  const size_t n = p->n;
  const double *M = p->work + MATRIX * n, skins = core[0].skin + core[1].skin;
  double size = 1.0;
  for (int side = 0; side < 2; side++)
    if (core[side].kind == HN_CORE_CIRCLE && !plane_of(p->moving)) size *= core[side].radius;
  if (!(fabs(M[0] * M[3 * n] - M[n] * M[2 * n]) > flat * size)) return false;
  if (plane_of(p->moving)) return true;
  if (is_curve(&core[0]) && is_curve(&core[1])) return p->work[LENGTH * n] > 1e3 * flat;
  return skins > 0.0 && p->work[LENGTH * n] > 1e3 * flat * skins;
}

bool hn_moving_set(hn_moving *moving, const hn_model *model, const hn_contact *contact, const hn_state *state)
{
  const hn_pose *a = &state->pose[contact->a];
  double normal[3];
  meeting m;
  hn_contact_cores(model, contact, state, moving->core);
  see_near(&moving->core[0], contact->point_a, a, moving->near[0]);
  see_near(&moving->core[1], contact->point_b, &state->pose[contact->b], moving->near[1]);
  vec_copy(moving->tangent, contact->frame + 3);
  moving->sign = 1.0;
  meet(&m, moving, contact, state);
  for (int side = 0; side < 2; side++) set_side(&m.place, side, 0);
  if (!find(&m.place)) return false;
  set_normal(&m.place, 0);
  value_of(m.work + NORMAL * POWERS, POWERS, moving->normal);
  for (int side = 0; side < 2; side++) value_of(side_of(&m.place, side) + FIRST * POWERS, POWERS, moving->near[side]);
  quat_rotate(normal, a->q, contact->frame);
  if (vec_dot(normal, moving->normal) < 0.0) moving->sign = -1.0;
  vec_scale(moving->normal, moving->sign, moving->normal);
  return is_smooth(&m.place);
}
