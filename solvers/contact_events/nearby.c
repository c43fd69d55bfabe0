/* nearby.c - limits and contacts in a step: which hold, which slip, and which come to close on the way.
 *
 * Each is known by its key at the beginning of a step and wherever the step leads. It ends beyond where it may when
 *
 *   open    gap < 0
 *   parts   gap < min(gap at the beginning, 0): it has come back
 *   slips   velocity along its first direction <= moving / 2: it has stopped, or turned aside by a right angle
 *
 * and what was not near at the beginning when its gap is negative, or below -touching where others of its pair are
 * held: which features touch where edges lie over each other is a matter of round-off. What closes and opens again in a
 * step is told by a cubic through its gaps and rates at both ends. */
#include "contact_events/nearby.h"
#include "collide/contact_key.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int hn_nearby_setup(hn_solver *solver, hn_nearby *d, hn_error *error)
{
  const hn_system *s = solver->system;
  const size_t blocks = (size_t)s->most_blocks + 1;
  d->look = hn_system_create(s->model, error);
  if (!d->look) return -1;
  d->look->impact_law = NULL;
  d->near = calloc(blocks, sizeof *d->near), d->pair = calloc(blocks, sizeof *d->pair);
  d->held = calloc(blocks, sizeof *d->held);
  d->rate = calloc((size_t)s->most_rows + 1, sizeof *d->rate);
  return d->near && d->pair && d->held && d->rate ? 0 : hn_fail(error, "out of memory");
}

void hn_nearby_free(hn_nearby *d)
{
  hn_system_free(d->look);
  free(d->near), free(d->pair), free(d->held), free(d->rate);
}

static bool is_contact(const hn_system *s, int k)
{
  return k >= s->model->njoint;
}

/* Which way it slides, in the axes of a; RATE[n] are its velocities. */
static void note_slip(hn_near *near, const hn_block *block, const double *rate, double moving)
{
  const hn_contact *contact = block->joint->data;
  const double speed = norm_of(rate + 1, block->n - 1);
  near->slips = speed > moving;
  vec_set(near->along, 0, 0, 0);
  for (int r = 1; near->slips && r < block->n; r++)
    vec_add_scaled(near->along, rate[r] / speed, contact->frame + 3 * r);
}

void hn_nearby_begin(hn_solver *solver, hn_nearby *d, const hn_state *state)
{
  hn_system *s = solver->system;
  d->count = d->npair = 0, d->any = false;
  for (int k = 0; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    d->held[k] = true;
    if (!hn_is_one_sided(block)) continue;
    hn_near *near = &d->near[d->count++];
    double rate[HN_MAX_ROWS];
    hn_system_block_velocity(s, k, state, rate);
    *near = (hn_near){ .key = block->key, .gap = s->g[block->row], .rate = rate[0], .a = block->a };
    near->kind = near->gap > d->touching ? HN_NEAR_OPEN : rate[0] > d->moving ? HN_NEAR_PARTS : HN_NEAR_HELD;
    d->held[k] = near->kind == HN_NEAR_HELD;
    d->any |= d->held[k];
    if (d->held[k] && is_contact(s, k) && block->n > 1) note_slip(near, block, rate, d->moving);
  }
}

/* Place of the first of near whose key is not below KEY. */
static int place_of(const hn_nearby *d, uint64_t key)
{
  int low = 0, high = d->count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (d->near[middle].key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

static hn_near *find(const hn_nearby *d, uint64_t key)
{
  const int i = place_of(d, key);
  return i < d->count && d->near[i].key == key ? &d->near[i] : NULL;
}

const hn_near *hn_nearby_find(const hn_nearby *d, uint64_t key)
{
  return find(d, key);
}

bool hn_nearby_pair_held(const hn_nearby *d, uint64_t key)
{
  const uint64_t pair = hn_contact_key_pair(key);
  for (int i = place_of(d, hn_contact_key_first(hn_contact_key_pair(key)));
       i < d->count && hn_contact_key_pair(d->near[i].key) == pair; i++)
    if (d->near[i].kind == HN_NEAR_HELD) return true;
  return false;
}

int hn_nearby_block(const hn_system *s, uint64_t key)
{
  int low = s->model->njoint, high = s->nblock;
  if (key < (uint64_t)s->model->njoint) return (int)key;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (s->block[middle].key < key) low = middle + 1;
    else high = middle;
  }
  return low < s->nblock && s->block[low].key == key ? low : -1;
}

hn_reason hn_nearby_see(hn_nearby *d, hn_state *state)
{
  hn_reason reason = hn_system_begin(d->look, state);
  if (reason != HN_CONVERGED) return reason;
  hn_system_linearise(d->look, state);
  hn_system_velocity_residual(d->look, state, d->rate, NULL);
  return HN_CONVERGED;
}

/* What is left of the way, or of the speed, of block K of those seen; NEAR is what it was, or NULL. */
static double left_of(const hn_nearby *d, int k, const hn_near *near)
{
  const hn_block *block = &d->look->block[k];
  const double gap = d->look->g[block->row];
  if (!near) return gap + (hn_nearby_pair_held(d, block->key) ? d->touching : 0.0);
  if (near->kind == HN_NEAR_OPEN) return gap;
  if (near->kind == HN_NEAR_PARTS) return gap - fmin(near->gap, 0.0);
  if (!near->slips || near->a != block->a) return HUGE_VAL;
  const hn_contact *contact = block->joint->data;
  double speed = 0.0;
  if (gap > d->touching) return HUGE_VAL; /* it has lifted off */
  for (int r = 1; r < block->n; r++)
    speed += d->rate[block->row + r] * vec_dot(contact->frame + 3 * r, near->along);
  return speed - 0.5 * d->moving;
}

static bool pair_watched(const hn_nearby *d, uint64_t key)
{
  for (int i = 0; i < d->npair; i++)
    if (d->pair[i] == hn_contact_key_pair(key)) return true;
  return false;
}

void hn_nearby_watch_one(hn_nearby *d, int chosen)
{
  for (int i = 0; i < d->count; i++) d->near[i].watched = i == chosen;
  d->npair = 0;
}

bool hn_nearby_hold(hn_nearby *d, const hn_system *s)
{
  bool any = false;
  for (hn_near *near = d->near; near < d->near + d->count; near++) {
    const int k = hn_nearby_block(s, near->key);
    if (!near->watched || near->kind == HN_NEAR_OPEN || (near->kind == HN_NEAR_HELD && !near->slips) || k < 0)
      continue;
    near->kind = HN_NEAR_HELD, near->slips = false;
    any = d->any = d->held[k] = true;
  }
  return any;
}

bool hn_nearby_watch(hn_nearby *d)
{
  bool any = false;
  hn_nearby_watch_one(d, -1);
  for (int k = 0; k < d->look->nblock; k++) {
    const hn_block *block = &d->look->block[k];
    if (!hn_is_one_sided(block)) continue;
    hn_near *near = find(d, block->key);
    if (!(left_of(d, k, near) < 0.0)) continue;
    any = true;
    if (near) near->watched = true;
    else if (!pair_watched(d, block->key)) d->pair[d->npair++] = hn_contact_key_pair(block->key);
  }
  return any;
}

double hn_nearby_left(const hn_nearby *d)
{
  double least = fmax(d->look->model->margin, d->touching);
  for (int k = 0; k < d->look->nblock; k++) {
    const hn_block *block = &d->look->block[k];
    if (!hn_is_one_sided(block)) continue;
    const hn_near *near = find(d, block->key);
    if (near ? !near->watched : !pair_watched(d, block->key)) continue;
    const double left = left_of(d, k, near);
    if (left < least || isnan(left)) least = left;
  }
  return least;
}

double hn_nearby_rate(const hn_nearby *d, int i, double *gap)
{
  const int k = hn_nearby_block(d->look, d->near[i].key);
  if (k < 0) return NAN;
  *gap = d->look->g[d->look->block[k].row];
  return d->rate[d->look->block[k].row];
}

/* The least value of the cubic with these values and slopes at 0 and H: the first slope negative, the other not. */
static double least_of_cubic(double from, double slope, double to, double slope_to, double h)
{
  const double chord = (to - from) / h, c = (3.0 * chord - 2.0 * slope - slope_to) / h,
               e = (slope + slope_to - 2.0 * chord) / (h * h),
               root = sqrt(fmax(c * c - 3.0 * e * slope, 0.0));
  const double t = -slope / (c + root); /* 3 e t^2 + 2 c t + slope = 0, where it is the least */
  return from + t * (slope + t * (c + t * e));
}

int hn_nearby_dip(const hn_nearby *d, double h)
{
  for (int i = 0; i < d->count; i++) {
    const hn_near *near = &d->near[i];
    double gap = 0.0;
    if (near->kind != HN_NEAR_OPEN || !(near->rate < 0.0)) continue;
    const double rate = hn_nearby_rate(d, i, &gap);
    if (!(rate > 0.0) || !(gap >= 0.0)) continue;
    if (!(least_of_cubic(near->gap, near->rate, gap, rate, h) > 0.5 * fmin(near->gap, gap))) return i;
  }
  return -1;
}
