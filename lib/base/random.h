/* random.h - the pseudo-random sequence of the library and its tests: x := 1664525 x + 1013904223 modulo
 * 2^32, the same numbers on every machine. Low bits have short periods, so results use the high ones. [Knuth
 * and Lewis in Press et al., Numerical Recipes, section 7.1] Internal. */
#ifndef HN_RANDOM_H
#define HN_RANDOM_H

#include <stdint.h>

#define RANDOM_SEED 0x2545f491u /* an arbitrary seed, the same in every run */

/* Advances SEED and returns it. */
static inline uint32_t random_next(uint32_t *seed)
{
  return *seed = *seed * 1664525u + 1013904223u;
}

/* Returns a number in [-1, 1). */
static inline double random_signed(uint32_t *seed)
{
  return (double)(int32_t)random_next(seed) / 2147483648.0;
}

/* Returns a number in [LOW, HIGH), of 24 bits. */
static inline double random_between(uint32_t *seed, double low, double high)
{
  return low + (high - low) * (double)(random_next(seed) >> 8) / 16777216.0;
}

/* Returns a number of size 1/2 to 3/2 and either sign. Weights of this kind do not cancel in sums over rows
 * that are equal or symmetric. */
static inline double irregular(uint32_t *seed)
{
  const uint32_t x = random_next(seed);
  const double size = 0.5 + (double)(x >> 8 & 0xffffu) / 65536.0;
  return x >> 31 ? size : -size;
}

#endif
