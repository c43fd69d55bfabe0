/* composition.h - coefficients of symmetric compositions of a symmetric step of order 2. */
#ifndef HN_COMPOSITION_H
#define HN_COMPOSITION_H

#include <stddef.h>

enum { HN_COMPOSITION_DEFAULT, HN_SUZUKI, HN_YOSHIDA, HN_KAHAN_LI, HN_SUZUKI_UMENO };
#define HN_COMPOSITIONS "default,suzuki,yoshida,kahan-li,suzuki-umeno" /* choices of a parameter */
enum { HN_MAX_GAMMA = 9 };

typedef struct hn_composition {
  int order, name, stages;
  double gamma[HN_MAX_GAMMA]; /* the first stages up to the middle one; the others mirror them */
} hn_composition;

/* Returns the table of COUNT compositions. */
const hn_composition *hn_compositions(size_t *count);
/* Returns the composition of ORDER called NAME, or the default one of that order; NULL if there is none. */
const hn_composition *hn_composition_find(int order, int name);

#endif
