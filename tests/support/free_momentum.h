/* free_momentum.h - two free bodies with a joint and a spring over 1e5 steps: momentum and joints. */
#ifndef HN_TEST_FREE_MOMENTUM_H
#define HN_TEST_FREE_MOMENTUM_H

#include "check.h"
#include "force_models.h"

enum { LONG = 100000 };

/* Rounding errors of LONG steps, of a quantity of size 1: 1e-13 sqrt(LONG). */
static const double rounding = 3.2e-11;

/* Returns two boxes on a ball joint, without gravity, and a spring between them. They spin about the axis of
 * largest inertia, a regular motion: on chaotic ones errors of single runs follow no order. */
static inline hn_model *floating_boxes(void)
{
  hn_model *model = without_gravity();
  const int a = add_box(model, "a", -0.5, 0, 0), b = add_box(model, "b", 0.5, 0, 0);
  add_ball(model, a, b, 0, 0, 0);
  add_force(model, "spring", a, b, "stiffness=20",
            (hn_force_spec){ .geometry = { .at_a = { -0.4, 0.5, 0 }, .at_b = { 0.6, 0.4, 0.3 } } });
  return model;
}

/* Largest changes during a run: of momentum relative to that of 1 m/s, of angular momentum to its size. */
typedef struct momenta {
  double linear, angular;
  double position, velocity; /* joint errors, m and m/s */
} momenta;

static inline momenta changes_of(const hn_model *model, const char *spec, double h, int steps)
{
  hn_solver *solver = new_solver(spec, model);
  hn_state *at = hn_state_create(model);
  momenta most = { 0 };
  /* Slow enough for positions of 1e-14 m: 3 m in 500 s. */
  const double move[3] = { 3e-3, -2e-3, 5e-3 }, turn[3] = { 0.1, 0.05, 1.0 };
  for (int i = 0; i < 2; i++) {
    vec_copy(at->twist[i + 1].w, turn), vec_cross(at->twist[i + 1].v, turn, at->pose[i + 1].x);
    vec_add(at->twist[i + 1].v, at->twist[i + 1].v, move);
  }
  at->twist[1].w[0] -= 0.3; /* about the line of the joint: permitted */
  hn_measure start;
  hn_measure_state(model, at, &start);
  const double p = model->body[1].mass + model->body[2].mass, L = vec_norm(start.angular_momentum);
  for (int n = 0; n < steps; n++) {
    assert_int_equal(hn_solver_step(solver, at, h), HN_CONVERGED);
    hn_measure now;
    hn_measure_state(model, at, &now);
    vec_sub(now.momentum, now.momentum, start.momentum);
    vec_sub(now.angular_momentum, now.angular_momentum, start.angular_momentum);
    most.linear = larger(most.linear, vec_norm(now.momentum) / p);
    most.angular = larger(most.angular, vec_norm(now.angular_momentum) / L);
    most.position = larger(most.position, now.position_error);
    most.velocity = larger(most.velocity, now.velocity_error);
  }
  hn_state_free(at), hn_solver_free(solver);
  return most;
}

/* Checks errors of steps of h and h / 2: below BOUND if ORDER is 0, else of this order. Symmetries of the
 * motion may add one, as with the amplitude errors of methods of even order. */
static inline void check_error(const char *what, double whole, double half, int order, double bound)
{
  char text[100];
  if (order == 0) check_below(what, half, bound);
  else {
    snprintf(text, sizeof text, "%s, %.1e and %.1e: order", what, whole, half);
    check_near(text, log2(whole / half), order + 0.5, 0.8);
  }
}

/* A solver, and the orders of its errors; EXACT: none. */
typedef struct promise {
  const char *spec;
  double h;                  /* longest step, s; the fastest oscillation has 22 rad/s */
  int order;                 /* of the solver */
  int linear, angular;       /* orders of the errors of momentum */
  double position, velocity; /* bounds of joint errors, m and m/s; ORDER: of the order */
} promise;
enum { EXACT = 0, ORDER = 0 };

static inline void check_promise(const hn_model *model, const promise *p)
{
  const momenta half = changes_of(model, p->spec, p->h / 2, LONG),
                whole = changes_of(model, p->spec, p->h, LONG / 2);
  printf(" %s\n", p->spec);
  check_error("momentum", whole.linear, half.linear, p->linear, rounding);
  check_error("angular momentum", whole.angular, half.angular, p->angular, rounding);
  check_error("joint error, m", whole.position, half.position, p->position > 0 ? 0 : p->order, p->position);
  check_error("its rate, m/s", whole.velocity, half.velocity, p->velocity > 0 ? 0 : p->order, p->velocity);
}

static inline void check_promises(const promise *each, size_t count)
{
  hn_model *model = floating_boxes();
  for (size_t i = 0; i < count; i++) check_promise(model, &each[i]);
  hn_model_free(model);
}

#endif
