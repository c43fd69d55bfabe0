/* sleeping.c - sleeping by islands.
 *
 *   at rest       sqrt(v^2 + w J w / m) <= speed
 *   island        bodies connected by joints and contacts, open ones included; fixed bodies do not connect
 *   falls asleep  when all bodies of an island have been at rest for `sleep` seconds
 *   wakes         the whole island, when a body of it is awake, is given a velocity, has a joint driven
 *                 faster than `speed`, or has an unconstrained acceleration that differs from that at
 *                 falling asleep by more than speed / sleep
 *
 * Sleeping bodies keep their poses bit for bit and have no velocity; the impulses of their contacts and
 * joints do not change. The problem of a step has the blocks of awake bodies only. All this is a function of
 * states and memory. */
#include "parts.h"
#include "base/vec.h"
#include "registry/solver_arrays.h"

#include <string.h>

enum { REST_TIME, ASLEEP, ACCELERATION, NUMBERS = 8 }; /* layout of the memory of a body */

static double *body_memory(const hn_sleeping *rest, int i)
{
  return rest->memory + NUMBERS * (size_t)i;
}

int hn_sleeping_setup(hn_solver *solver, hn_sleeping *rest, hn_error *error)
{
  const hn_system *s = solver->system;
  const size_t bodies = (size_t)s->model->nbody, rows = (size_t)s->max_rows;
  rest->nbody = s->model->nbody;
  if (!(rest->sleep > 0.0)) return 0;
  rest->awake = hn_problem_create(s, error);
  return rest->awake
           ? hn_solver_allocate(solver, error, HN_ARRAY(rest->memory, NUMBERS * bodies),
                                HN_ARRAY(rest->island, bodies), HN_ARRAY(rest->left_out, s->max_blocks),
                                HN_ARRAY(rest->G, 12 * rows), HN_ARRAY(rest->T, 12 * rows),
                                HN_ARRAY(rest->p, rows))
           : -1;
}

void hn_sleeping_free(hn_sleeping *rest)
{
  hn_problem_free(rest->awake);
}

void hn_sleeping_reset(hn_sleeping *rest)
{
  if (rest->memory) memset(rest->memory, 0, NUMBERS * (size_t)rest->nbody * sizeof *rest->memory);
}

void *hn_sleeping_memory(hn_sleeping *rest, size_t *size)
{
  *size = rest->memory ? NUMBERS * (size_t)rest->nbody * sizeof *rest->memory : 0;
  return rest->memory;
}

/* ---- Islands ------------------------------------------------------------------------------------------- */

/* Returns the root of the island of body I, its first body; shortens paths on the way. */
static int root_of(hn_sleeping *rest, int i)
{
  while (rest->island[i] != i) i = rest->island[i] = rest->island[rest->island[i]];
  return i;
}

static bool is_fixed(const hn_system *s, int body)
{
  return s->model->body[body].kind == HN_FIXED;
}

/* Joins the bodies of each block whose bodies can both move. */
static void find_islands(hn_sleeping *rest, const hn_system *s)
{
  for (int i = 0; i < rest->nbody; i++) rest->island[i] = i;
  for (const hn_block *block = s->block; block < s->block + s->nblock; block++) {
    if (is_fixed(s, block->a) || is_fixed(s, block->b)) continue;
    const int a = root_of(rest, block->a), b = root_of(rest, block->b);
    rest->island[a > b ? a : b] = a < b ? a : b;
  }
}

/* Wakes every island that has an awake body. */
static void wake_islands(hn_sleeping *rest)
{
  for (int i = 1; i < rest->nbody; i++) {
    double *island_flag = body_memory(rest, root_of(rest, i)) + ASLEEP;
    *island_flag = fmin(*island_flag, body_memory(rest, i)[ASLEEP]);
  }
  for (int i = 1; i < rest->nbody; i++)
    body_memory(rest, i)[ASLEEP] = body_memory(rest, root_of(rest, i))[ASLEEP];
}

/* ---- Waking -------------------------------------------------------------------------------------------- */

/* Returns the root mean square over the mass of the body of a velocity, or of a change of it, as a speed. */
static double speed_of(const hn_body *body, const hn_pose *pose, const double *v, const double *w)
{
  double w_b[3], square = vec_dot(v, v);
  quat_unrotate(w_b, pose->q, w);
  for (int c = 0; c < 3 && body->mass > 0.0; c++) square += body->J[c] / body->mass * w_b[c] * w_b[c];
  return sqrt(square);
}

/* True if the velocity or the unconstrained acceleration NOW wakes body I. */
static bool is_disturbed(const hn_sleeping *rest, const hn_system *s, int i, const hn_state *state,
                         const hn_twist *now)
{
  const hn_body *body = &s->model->body[i];
  const double *stored = body_memory(rest, i) + ACCELERATION;
  double v[3], w[3];
  vec_sub(v, now->v, stored), vec_sub(w, now->w, stored + 3);
  return speed_of(body, &state->pose[i], state->twist[i].v, state->twist[i].w) > 0.0 ||
         speed_of(body, &state->pose[i], v, w) * rest->sleep > rest->speed;
}

static void wake(hn_sleeping *rest, int i)
{
  body_memory(rest, i)[REST_TIME] = body_memory(rest, i)[ASLEEP] = 0.0;
}

/* Wakes the bodies of driven joints. */
static void wake_driven(hn_sleeping *rest, const hn_system *s)
{
  for (const hn_block *block = s->block; block < s->block + s->model->njoint; block++)
    if (norm_of(s->bias + block->row, block->n) > rest->speed) wake(rest, block->a), wake(rest, block->b);
}

int hn_sleeping_list(hn_sleeping *rest, const hn_system *s)
{
  int count = 0;
  if (!rest->memory) return 0;
  find_islands(rest, s);
  wake_islands(rest);
  for (int i = 1; i < rest->nbody; i++) count += body_memory(rest, i)[ASLEEP] > 0.0;
  rest->any = count > 0;
  for (int k = 0; rest->any && k < s->nblock; k++) {
    const int a = s->block[k].a, b = s->block[k].b;
    rest->left_out[k] = (is_fixed(s, a) || body_memory(rest, a)[ASLEEP] > 0.0) &&
                        (is_fixed(s, b) || body_memory(rest, b)[ASLEEP] > 0.0);
  }
  return count;
}

int hn_sleeping_begin(hn_sleeping *rest, const hn_system *s, const hn_state *state,
                      const hn_twist *acceleration)
{
  if (!rest->memory) return 0;
  for (int i = 1; i < rest->nbody; i++)
    if (body_memory(rest, i)[ASLEEP] > 0.0 && is_disturbed(rest, s, i, state, &acceleration[i]))
      wake(rest, i);
  wake_driven(rest, s);
  return hn_sleeping_list(rest, s);
}

/* ---- Solving ------------------------------------------------------------------------------------------- */

/* Copies the blocks of FULL that are awake, with consecutive rows. */
static void copy_awake_blocks(hn_sleeping *rest, const hn_problem *full, const double *p)
{
  hn_problem *to = rest->awake;
  to->h = full->h, to->nbody = full->nbody, to->nblock = to->nrow = 0;
  to->G = rest->G, to->T = rest->T, to->K = NULL;
  for (int k = 0; k < full->nblock; k++) {
    const hn_problem_block *block = &full->block[k];
    const size_t from = (size_t)block->row, at = (size_t)to->nrow, n = (size_t)block->n;
    if (rest->left_out[k]) continue;
    to->block[to->nblock] = *block;
    to->block[to->nblock++].row = to->nrow;
    memcpy(to->b + at, full->b + from, n * sizeof *to->b), memcpy(rest->p + at, p + from, n * sizeof *p);
    memcpy(to->G + 12 * at, full->G + 12 * from, 12 * n * sizeof *to->G);
    memcpy(to->T + 12 * at, full->T + 12 * from, 12 * n * sizeof *to->T);
    to->nrow += block->n;
  }
}

hn_reason hn_sleeping_solve(hn_sleeping *rest, hn_contact_solver *solver, const hn_problem *problem,
                            double *p)
{
  if (!rest->any) return hn_contact_solve(solver, problem, p);
  copy_awake_blocks(rest, problem, p);
  hn_reason reason = hn_contact_solve(solver, rest->awake, rest->p);
  int worst = -1;
  for (int k = 0, at = 0, awake = 0; k < problem->nblock; k++) {
    if (rest->left_out[k]) continue;
    if (awake++ == solver->worst) worst = k;
    memcpy(p + problem->block[k].row, rest->p + at, (size_t)problem->block[k].n * sizeof *p);
    at += problem->block[k].n;
  }
  solver->worst = worst;
  return reason;
}

void hn_sleeping_stop_bodies(const hn_sleeping *rest, hn_state *state)
{
  for (int i = 1; rest->memory && i < rest->nbody; i++)
    if (body_memory(rest, i)[ASLEEP] > 0.0) state->twist[i] = (hn_twist){ { 0.0 }, { 0.0 } };
}

/* ---- Falling asleep ------------------------------------------------------------------------------------ */

void hn_sleeping_end(hn_sleeping *rest, const hn_system *s, double h, const hn_twist *acceleration,
                     hn_state *state)
{
  if (!rest->memory) return;
  for (int i = 1; i < rest->nbody; i++) {
    double *body = body_memory(rest, i);
    const double speed = speed_of(&s->model->body[i], &state->pose[i], state->twist[i].v, state->twist[i].w);
    body[REST_TIME] = speed <= rest->speed || body[ASLEEP] > 0.0 ? body[REST_TIME] + h : 0.0;
    if (!(body[ASLEEP] > 0.0)) memcpy(body + ACCELERATION, &acceleration[i], sizeof acceleration[i]);
    body[ASLEEP] = body[REST_TIME] >= rest->sleep && !is_fixed(s, i);
  }
  wake_islands(rest);
  hn_sleeping_stop_bodies(rest, state);
}
