/* residual.c - joints with custom rows, given as tapes:
 *
 *   g(t, x_a, R_a, x_b, R_b) = 0          R: the rotation matrix
 *   or r(the same, u) = G u + bias = 0    a rate, linear in u: of a velocity joint, or dg/dt given explicitly
 *
 * The Jacobian comes from the derivatives of g. With R' = [w]x R, dg/dw is the sum over the columns c of R of
 * c x dg/dc. If r is given, it comes from the derivatives of r by the velocities. The acceleration term is
 * the second derivative along the motion of constant twists, x + v s, R + [w]x R s + [w]x [w]x R s^2 / 2:
 * twice the second coefficient of g, or the first coefficient of r. All values and power series are
 * evaluations of tapes. Each joint has its own type. */
#include "joint/residual.h"
#include "base/random.h"
#include "base/rates.h"
#include "base/vec.h"
#include "tape/tape.h"

#include <stdlib.h>
#include <string.h>

static const double rate_tolerance = 1e-9;  /* relative difference of rate and derivative that is rounding */
static const double bias_tolerance = 1e-12; /* relative change of the bias with the poses that is rounding */

struct hn_residual {
  hn_joint_type type; /* must be first: the joint's type points here */
  hn_tape *value;     /* g; NULL: a velocity joint */
  hn_tape *rate;      /* r; NULL: the Jacobian comes from g */
  hn_tape *slopes;    /* G_a[6 rows], G_b[6 rows] by columns and, without r, dg/dt at rest [rows] */
};

static const hn_residual *own_of(const hn_joint *joint)
{
  return (const hn_residual *)(const void *)joint->type;
}

/* ---- Slopes -------------------------------------------------------------------------------------------- */

/* Returns the slot of component i of the sum over the columns c of R of c x s; s are the derivatives by c. R
 * and s are row-major. */
static int turn_slope(hn_tape_writer *w, int i, int R, const int *s)
{
  const int j = (i + 1) % 3, k = (i + 2) % 3;
  int sum = hn_tape_constant(w, 0.0);
  for (int c = 0; c < 3; c++) {
    int plus = hn_tape_emit(w, HN_TAPE_MUL, R + 3 * j + c, s[3 * k + c], 0.0);
    int minus = hn_tape_emit(w, HN_TAPE_MUL, R + 3 * k + c, s[3 * j + c], 0.0);
    sum = hn_tape_emit(w, HN_TAPE_ADD, sum, hn_tape_emit(w, HN_TAPE_SUB, plus, minus, 0.0), 0.0);
  }
  return sum;
}

static void jacobian_of_value(hn_tape_writer *w, const void *context, int rows, int inputs, const int *value,
                              const int *slope, int *out)
{
  (void)context, (void)value;
  for (int r = 0; r < rows; r++) {
    const int *s = slope + r * inputs;
    for (int side = 0; side < 2; side++) {
      const int at = side ? HN_INPUT_POSE_B : HN_INPUT_POSE_A;
      for (int i = 0; i < 3; i++) {
        out[(6 * side + i) * rows + r] = s[at + i];
        out[(6 * side + 3 + i) * rows + r] = turn_slope(w, i, at + 3, s + at + 3);
      }
    }
    out[12 * rows + r] = s[HN_INPUT_TIME];
  }
}

static void jacobian_of_rate(hn_tape_writer *w, const void *context, int rows, int inputs, const int *value,
                             const int *slope, int *out)
{
  (void)w, (void)context, (void)value;
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < 12; c++) out[c * rows + r] = slope[r * inputs + HN_INPUT_TWISTS + c];
}

/* ---- Closed form --------------------------------------------------------------------------------------- */

/* Sets STRIDE coefficients of the inputs for the motion of constant twists. */
static void place_body(double *slot, size_t stride, const hn_pose *pose, const hn_twist *u)
{
  double R[9], turned[3];
  quat_matrix(R, pose->q);
  for (size_t i = 0; i < 12; i++) slot[i * stride] = i < 3 ? pose->x[i] : R[i - 3];
  for (size_t i = 0; i < 3 && stride > 1; i++) slot[i * stride + 1] = u->v[i];
  for (size_t c = 0; c < 3 && stride > 1; c++) {
    double column[3] = { R[c], R[3 + c], R[6 + c] };
    for (size_t k = 1; k < stride; k++) {
      vec_cross(turned, u->w, column);
      vec_scale(column, 1.0 / (double)k, turned);
      for (size_t i = 0; i < 3; i++) slot[(3 + 3 * i + c) * stride + k] = column[i];
    }
  }
}

static void place(double *slot, size_t stride, double t, const hn_pose *a, const hn_twist *ua,
                  const hn_pose *b, const hn_twist *ub)
{
  memset(slot, 0, sizeof *slot * stride * HN_RATE_INPUTS);
  slot[HN_INPUT_TIME] = t;
  if (stride > 1) slot[HN_INPUT_TIME + 1] = 1.0;
  place_body(slot + HN_INPUT_POSE_A * stride, stride, a, ua);
  place_body(slot + HN_INPUT_POSE_B * stride, stride, b, ub);
}

static void place_twists(double *slot, size_t stride, const hn_twist *ua, const hn_twist *ub)
{
  for (size_t i = 0; i < 3; i++) {
    double *at = slot + (HN_INPUT_TWISTS + i) * stride;
    at[0] = ua->v[i], at[3 * stride] = ua->w[i], at[6 * stride] = ub->v[i], at[9 * stride] = ub->w[i];
  }
}

static void eval_gamma(const hn_residual *own, double t, const hn_pose *a, const hn_twist *ua,
                       const hn_pose *b, const hn_twist *ub, double *gamma)
{
  enum { STRIDE = 3 };
  double slot[STRIDE * HN_TAPE_SLOTS];
  const hn_tape *tape = own->rate ? own->rate : own->value;
  const size_t last = own->rate ? 1 : 2;
  place(slot, STRIDE, t, a, ua, b, ub);
  if (own->rate) place_twists(slot, STRIDE, ua, ub);
  for (size_t k = 0; k <= last; k++) hn_tape_series(tape, k, STRIDE, slot, gamma);
  for (int r = 0; r < own->type.rows; r++) gamma[r] *= (double)last;
}

static void eval_slopes(const hn_residual *own, double *slot, const hn_rows *out)
{
  const int n = own->type.rows;
  double all[13 * HN_MAX_ROWS];
  hn_tape_run(own->slopes, slot, all);
  if (out->G_a) memcpy(out->G_a, all, sizeof *all * 6 * (size_t)n);
  if (out->G_b) memcpy(out->G_b, all + 6 * n, sizeof *all * 6 * (size_t)n);
  if (out->bias && !own->rate) memcpy(out->bias, all + 12 * n, sizeof *all * (size_t)n);
}

static void eval(const hn_joint *joint, double t, const hn_pose *a, const hn_twist *ua, const hn_pose *b,
                 const hn_twist *ub, const hn_rows *out)
{
  const hn_residual *own = own_of(joint);
  double slot[HN_TAPE_SLOTS];
  place(slot, 1, t, a, ua, b, ub);
  if (out->g && own->value) hn_tape_run(own->value, slot, out->g);
  if (out->g && !own->value) memset(out->g, 0, sizeof *out->g * (size_t)own->type.rows);
  if (out->G_a || out->G_b || (out->bias && !own->rate)) eval_slopes(own, slot, out);
  if (out->bias && own->rate) hn_tape_run(own->rate, slot, out->bias); /* with zero twists */
  if (out->gamma) eval_gamma(own, t, a, ua, b, ub, out->gamma);
}

/* ---- Power series -------------------------------------------------------------------------------------- */

static void place_power(double *slot, size_t stride, size_t k, const hn_body_power *power)
{
  for (size_t i = 0; i < 12; i++) slot[i * stride + k] = i < 3 ? power->x[i] : power->R[i - 3];
}

/* Sets coefficient k of the inputs of TAPE. Twists are zero: a rate then equals its bias. */
static void place_powers(const hn_tape *tape, double *slot, double t, const hn_body_jet *a,
                         const hn_body_jet *b, size_t k)
{
  const size_t n = a->count;
  slot[HN_INPUT_TIME * n + k] = k == 0 ? t : k == 1 ? 1.0 : 0.0;
  place_power(slot + HN_INPUT_POSE_A * n, n, k, &a->power[k]);
  place_power(slot + HN_INPUT_POSE_B * n, n, k, &b->power[k]);
  for (size_t i = HN_INPUT_TWISTS; i < (size_t)tape->inputs; i++) slot[i * n + k] = 0.0;
}

static void jet(const hn_joint *joint, double t, const hn_body_jet *a, const hn_body_jet *b, size_t k,
                double *work, double *g, double *G_a, double *G_b)
{
  const hn_residual *own = own_of(joint);
  const hn_tape *value = own->value ? own->value : own->rate;
  const size_t n = (size_t)own->type.rows;
  double *slopes = work + (size_t)value->slots * a->count, all[13 * HN_MAX_ROWS];
  place_powers(value, work, t, a, b, k); /* also if g is NULL: later coefficients use this one */
  hn_tape_series(value, k, a->count, work, g ? g : all);
  if (!G_a || !G_b) return;
  place_powers(own->slopes, slopes, t, a, b, k);
  hn_tape_series(own->slopes, k, a->count, slopes, all);
  memcpy(G_a, all, sizeof *all * 6 * n);
  memcpy(G_b, all + 6 * n, sizeof *all * 6 * n);
}

/* ---- Checks -------------------------------------------------------------------------------------------- */

/* Draws a pose within about 0.3 m and 0.3 rad of POSE, and a twist. */
static void draw(const hn_pose *pose, uint32_t *seed, hn_pose *near, hn_twist *u)
{
  double turn[4] = { 1.0 };
  for (int i = 0; i < 3; i++)
    near->x[i] = pose->x[i] + 0.3 * random_signed(seed), turn[1 + i] = 0.15 * random_signed(seed);
  quat_mul(near->q, turn, pose->q);
  quat_normalise(near->q);
  for (int i = 0; i < 3; i++) u->v[i] = random_signed(seed), u->w[i] = random_signed(seed);
}

static double largest(const double *x, int n)
{
  double max = 0.0;
  for (int i = 0; i < n; i++) max = fabs(x[i]) > max ? fabs(x[i]) : max;
  return max;
}

/* Checks near the start that a given rate is the derivative of the residual, the first coefficient of its
 * series. */
static int check_rate(const hn_joint *joint, const hn_pose *a, const hn_pose *b, hn_error *error)
{
  enum { TRIALS = 5, STRIDE = 2 };
  const hn_residual *own = own_of(joint);
  double slot[STRIDE * HN_TAPE_SLOTS], rate[HN_MAX_ROWS], slope[HN_MAX_ROWS];
  uint32_t seed = 271828;
  for (int k = 0; k < TRIALS; k++) {
    const double t = 0.1 * k;
    hn_pose pa, pb;
    hn_twist ua, ub;
    draw(a, &seed, &pa, &ua), draw(b, &seed, &pb, &ub);
    place(slot, 1, t, &pa, &ua, &pb, &ub);
    place_twists(slot, 1, &ua, &ub);
    /* The rate that the scene gives, against the series of the residual. */
    hn_tape_run(own->rate, slot, rate);
    place(slot, STRIDE, t, &pa, &ua, &pb, &ub);
    for (size_t i = 0; i < 2; i++) hn_tape_series(own->value, i, STRIDE, slot, slope);
    for (int r = 0; r < own->type.rows; r++)
      if (!(fabs(rate[r] - slope[r]) <= rate_tolerance * (1.0 + largest(rate, own->type.rows))) &&
          isfinite(slope[r]))
        return hn_fail(
          error,
          "joint \"%s\": its rate does not fit its residual: row %d has %g, and the derivative of the "
          "residual is %g",
          joint->name, r + 1, rate[r], slope[r]);
  }
  return 0;
}

/* Checks that the bias of a velocity joint is a function of time: the same at different poses. */
static int check_bias(const hn_joint *joint, const hn_pose *a, const hn_pose *b, hn_error *error)
{
  const hn_residual *own = own_of(joint);
  const hn_twist none = { { 0 }, { 0 } };
  double slot[HN_TAPE_SLOTS], bias[2][HN_MAX_ROWS];
  uint32_t seed = 271828;
  for (int k = 0; k < 2; k++) {
    hn_pose pa, pb;
    hn_twist ua, ub;
    draw(a, &seed, &pa, &ua), draw(b, &seed, &pb, &ub);
    place(slot, 1, 0.3, &pa, &none, &pb, &none);
    hn_tape_run(own->rate, slot, bias[k]);
  }
  for (int r = 0; r < own->type.rows; r++)
    if (!(fabs(bias[0][r] - bias[1][r]) <= bias_tolerance * (1.0 + fabs(bias[0][r]))))
      return hn_fail(error, "joint \"%s\": its rate at rest, row %d, must be a function of time alone",
                     joint->name, r + 1);
  return 0;
}

static int setup(hn_joint *joint, const hn_joint_spec *spec, const hn_pose *a, const hn_pose *b,
                 hn_error *error)
{
  const hn_residual *own = own_of(joint);
  (void)spec;
  if (own->rate && own->value) return check_rate(joint, a, b, error);
  return own->rate ? check_bias(joint, a, b, error) : 0;
}

/* ---- Creation ------------------------------------------------------------------------------------------ */

void hn_residual_free(hn_residual *own)
{
  if (!own) return;
  hn_tape_free(own->value);
  hn_tape_free(own->rate);
  hn_tape_free(own->slopes);
  free(own);
}

static bool depends(const hn_residual *own, int input, int count)
{
  return (own->value && hn_tape_depends(own->value, input, count)) ||
         (own->rate && hn_tape_depends(own->rate, input, count));
}

/* Returns HN_TURNS_... for the bodies whose orientations the rows use. */
static unsigned turns_of(const hn_residual *own)
{
  bool a = depends(own, HN_INPUT_POSE_A + 3, 9) ||
           (own->rate && hn_tape_depends(own->rate, HN_INPUT_TWISTS + 3, 3));
  bool b = depends(own, HN_INPUT_POSE_B + 3, 9) ||
           (own->rate && hn_tape_depends(own->rate, HN_INPUT_TWISTS + 9, 3));
  return (a ? HN_ROTATION_A : 0U) | (b ? HN_ROTATION_B : 0U);
}

static int complete(hn_residual *own, const char *name, bool planar, hn_error *error)
{
  hn_error why;
  const hn_tape *from = own->rate ? own->rate : own->value;
  own->type.rows = from->outputs;
  if (own->value && own->value->outputs != from->outputs)
    return hn_fail(error, "joint \"%s\": its residual has %d rows and its rate %d", name, own->value->outputs,
                   from->outputs);
  own->slopes = hn_tape_derive(from, (own->rate ? 12 : 13) * from->outputs,
                               own->rate ? jacobian_of_rate : jacobian_of_value, NULL, &why);
  if (!own->slopes) return hn_fail(error, "joint \"%s\": %.400s", name, why.text);
  if (own->rate && hn_tape_depends(own->slopes, HN_INPUT_TWISTS, 12))
    return hn_fail(error, "joint \"%s\": its rate must be linear in the velocities", name);
  if (planar && (depends(own, HN_INPUT_POSE_A + 2, 1) || depends(own, HN_INPUT_POSE_B + 2, 1)))
    return hn_fail(error, "joint \"%s\": in a planar system it must not depend on z", name);
  own->type.jet_series = (own->value ? own->value->slots : own->rate->slots) + own->slopes->slots;
  own->type.keys |= turns_of(own);
  return 0;
}

int hn_residual_make(hn_joint *joint, const hn_custom_rows *spec, bool planar, hn_error *error)
{
  hn_residual *own = calloc(1, sizeof *own);
  if (!own) {
    hn_tape_free(spec->residual), hn_tape_free(spec->rate);
    return hn_fail(error, "out of memory");
  }
  *own = (hn_residual){ .value = spec->residual, .rate = spec->rate };
  own->type = (hn_joint_type){ .name = "joint",
                               .summary = "a function of the scene",
                               .unit = spec->unit,
                               .keys = spec->keys,
                               .velocity = !spec->residual,
                               .planar = &own->type,
                               .setup = setup,
                               .eval = eval,
                               .jet = jet };
  joint->more->own = own;
  joint->type = &own->type;
  return complete(own, joint->name, planar, error);
}
