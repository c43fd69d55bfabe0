/* distance.c - how far a state, or another reference, is from the positions of a reference. */
#include <math.h>
#include "cli/study/distance.h"
#include "elementary.h"

static double distance(const double a[3], const double b[3])
{
  return hn_hypot(hn_hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

double cli_reference_error(const cli_reference *reference, const hn_state *state)
{
  double largest = NAN;
  if (!reference->name) return NAN;
  for (int i = 0; i < state->nbody; i++) {
    if (!reference->has[i]) continue;
    largest = fmax(largest, distance(state->pose[i].x, &reference->position[3 * i]));
  }
  return largest;
}

double cli_reference_apart(const cli_reference *reference, const cli_reference *other, int nbody)
{
  double largest = 0.0;
  for (int i = 0; i < nbody; i++)
    if (reference->has[i])
      largest = fmax(largest, distance(&reference->position[3 * i], &other->position[3 * i]));
  return largest;
}

double cli_states_apart(const cli_reference *reference, const hn_state *a, const hn_state *b)
{
  double largest = 0.0;
  for (int i = 0; i < a->nbody; i++)
    if (reference->has[i]) largest = fmax(largest, distance(a->pose[i].x, b->pose[i].x));
  return largest;
}
