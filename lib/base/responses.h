/* responses.h - velocities of a body due to unit impulses in the rows of a block: T = W G' of one side.
 * Internal. */
#ifndef HN_RESPONSES_H
#define HN_RESPONSES_H

#include <stdbool.h>
#include <string.h>

/* Computes the N rows of T from the Jacobian G[6 n] of a side, the inverse mass and the inverse inertia W[9].
 * N is a constant after inlining. */
static inline void hn_responses_of(int n, double inv_mass, const double *restrict W, const double *restrict G,
                                   double *restrict T)
{
  const double *A = G + 3 * n;
  for (int r = 0; r < n; r++)
    for (int i = 0; i < 3; i++) {
      T[6 * r + i] = inv_mass * G[i * n + r];
      T[6 * r + 3 + i] = W[3 * i] * A[r] + W[3 * i + 1] * A[n + r] + W[3 * i + 2] * A[2 * n + r];
    }
}

/* Computes T[6 n] of a side; zeros for a body that does not MOVE. */
static inline void hn_responses(int n, bool moves, double inv_mass, const double *W, const double *G,
                                double *T)
{
  if (!moves) {
    memset(T, 0, sizeof *T * 6 * (size_t)n);
    return;
  }
  switch (n) { /* constants for the compiler */
  case 1: hn_responses_of(1, inv_mass, W, G, T); break;
  case 2: hn_responses_of(2, inv_mass, W, G, T); break;
  case 3: hn_responses_of(3, inv_mass, W, G, T); break;
  case 4: hn_responses_of(4, inv_mass, W, G, T); break;
  case 5: hn_responses_of(5, inv_mass, W, G, T); break;
  default: hn_responses_of(6, inv_mass, W, G, T);
  }
}

#endif
