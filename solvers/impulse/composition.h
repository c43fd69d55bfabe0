/* composition.h - coefficients of symmetric compositions of a symmetric step of order 2. */
#ifndef HN_COMPOSITION_H
#define HN_COMPOSITION_H

#include <stddef.h>

enum { HN_COMPOSITION_DEFAULT, HN_SUZUKI, HN_YOSHIDA, HN_KAHAN_LI, HN_SUZUKI_UMENO };
#define HN_COMPOSITIONS "default,suzuki,yoshida,kahan-li,suzuki-umeno" /* as choices of a parameter */
enum { HN_MOST_GAMMA = 9 };

typedef struct hn_composition {
  int order, name, stages;
  double gamma[HN_MOST_GAMMA]; /* of the first stages up to the middle one; the others mirror them */
} hn_composition;

const hn_composition *hn_compositions(size_t *count);
/* That of ORDER by NAME, or the default of the order; NULL: there is none. */
const hn_composition *hn_composition_find(int order, int name);

#endif
