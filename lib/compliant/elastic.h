/* elastic.h - the elastic part of a contact law: k d^n. Internal. */
#ifndef HN_ELASTIC_H
#define HN_ELASTIC_H

#include "base.h"
#include "elementary.h"

#include <math.h>

typedef struct hn_elastic {
  double stiffness; /* k, N/m^n; 0: from the modulus */
  double modulus;   /* effective modulus E* of two spheres, Pa; 0: none */
  double exponent;  /* n */
} hn_elastic;

/* Parameters of the elastic part of Hertz's type, in a law whose data has it as FIELD. */
/* clang-format off */
#define HN_ELASTIC_PARAMS(data, field, unit) \
  { "stiffness", HN_REAL, offsetof(data, field) + offsetof(hn_elastic, stiffness), "0", 0, HUGE_VAL, unit, \
    NULL, "force per power of the compression" }, \
  { "modulus", HN_REAL, offsetof(data, field) + offsetof(hn_elastic, modulus), "0", 0, HUGE_VAL, "Pa", NULL, \
    "effective modulus E* of spheres, in place of a stiffness" }
/* clang-format on */

/* Checks that there is a stiffness or a modulus. Returns -1 if not. */
int hn_elastic_check(const hn_elastic *elastic, const char *law, hn_error *error);

/* Returns k; RADIUS (m) is the effective radius of two spheres, used with a modulus. */
static inline double hn_elastic_stiffness(const hn_elastic *elastic, double radius)
{
  return elastic->modulus > 0.0 ? 4.0 / 3.0 * elastic->modulus * sqrt(radius) : elastic->stiffness;
}

/* Returns d^n. */
static inline double hn_elastic_power(const hn_elastic *elastic, double depth)
{
  if (elastic->exponent == 1.0) return depth;
  return elastic->exponent == 1.5 ? depth * sqrt(depth) : hn_pow(depth, elastic->exponent);
}

#endif
