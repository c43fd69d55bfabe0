/* group_methods.c - coefficients of Runge-Kutta methods on the group (group_methods.h).
 *
 *   rkmk             tableaus of ordinary methods: Euler; Kutta's of order 3, which GSL's rk2 continues with;
 *                    the classical one; Fehlberg's and Cash and Karp's of order 5       [munthe1998]
 *   crouch-grossman  order 3 with 3 stages [crouch1993], order 4 with 5 stages [jackiewicz2000]
 *   commutator-free  orders 3 and 4, with two exponentials in the last row, and in the last stage of order 4
 *                    [celledoni2003]
 *
 * Every tableau is one of its order for vectors as well. */
#include "lagrange/group_methods.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const hn_group_method methods[] = {
  { "rkmk", "euler", 1, 1, .A = { { 0 }, { 1 } } },
  { "rkmk", "rk2", 3, 3, .A = { { 0 }, { 1.0 / 2 }, { -1, 2 }, { 1.0 / 6, 2.0 / 3, 1.0 / 6 } } },
  { "rkmk", "rk4", 4, 4,
    .A = { { 0 }, { 1.0 / 2 }, { 0, 1.0 / 2 }, { 0, 0, 1 }, { 1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6 } } },
  { "rkmk", "rkf45", 5, 6,
    .A = { { 0 },
           { 1.0 / 4 },
           { 3.0 / 32, 9.0 / 32 },
           { 1932.0 / 2197, -7200.0 / 2197, 7296.0 / 2197 },
           { 439.0 / 216, -8, 3680.0 / 513, -845.0 / 4104 },
           { -8.0 / 27, 2, -3544.0 / 2565, 1859.0 / 4104, -11.0 / 40 },
           { 16.0 / 135, 0, 6656.0 / 12825, 28561.0 / 56430, -9.0 / 50, 2.0 / 55 } } },
  { "rkmk", "rkck", 5, 6,
    .A = { { 0 },
           { 1.0 / 5 },
           { 3.0 / 40, 9.0 / 40 },
           { 3.0 / 10, -9.0 / 10, 6.0 / 5 },
           { -11.0 / 54, 5.0 / 2, -70.0 / 27, 35.0 / 27 },
           { 1631.0 / 55296, 175.0 / 512, 575.0 / 13824, 44275.0 / 110592, 253.0 / 4096 },
           { 37.0 / 378, 0, 250.0 / 621, 125.0 / 594, 0, 512.0 / 1771 } } },
  { "crouch-grossman", "euler", 1, 1, .A = { { 0 }, { 1 } } },
  { "crouch-grossman", "rk2", 3, 3,
    .A = { { 0 }, { 3.0 / 4 }, { 119.0 / 216, 17.0 / 108 }, { 13.0 / 51, -2.0 / 3, 24.0 / 17 } } },
  { "crouch-grossman", "rk4", 4, 5,
    .A = { { 0 },
           { 0.8177227988124852 },
           { 0.3199876375476427, 0.0659864263556022 },
           { 0.9214417194464946, 0.4997857776773573, -1.0969984448371582 },
           { 0.3552358559023322, 0.2390958372307326, 1.3918565724203246, -1.1092979392113465 },
           { 0.1370831520630755, -0.0183698531564020, 0.7397813985370780, -0.1907142565505889,
             0.3322195591068374 } } },
  { "commutator-free", "euler", 1, 1, .A = { { 0 }, { 1 } } },
  { "commutator-free", "rk2", 3, 3, .A = { { 0 }, { 1.0 / 3 }, { 0, 2.0 / 3 }, { 1.0 / 4, 0, 3.0 / 4 } },
    .first = { [3] = { 1.0 / 3 } } },
  { "commutator-free", "rk4", 4, 4,
    .A = { { 0 }, { 1.0 / 2 }, { 0, 1.0 / 2 }, { 0, 0, 1 }, { 1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6 } },
    .first = { [3] = { 1.0 / 2 }, [4] = { 1.0 / 4, 1.0 / 6, 1.0 / 6, -1.0 / 12 } } },
};

const char *hn_group_name(int group)
{
  static const char *const names[] = { [HN_NO_GROUP] = "none",
                                       [HN_RKMK] = "rkmk",
                                       [HN_CROUCH_GROSSMAN] = "crouch-grossman",
                                       [HN_COMMUTATOR_FREE] = "commutator-free" };
  return names[group];
}

const hn_group_method *hn_group_method_find(int group, const char *stepper)
{
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    if (strcmp(methods[i].group, hn_group_name(group)) == 0 && strcmp(methods[i].stepper, stepper) == 0)
      return &methods[i];
  return NULL;
}

void hn_group_steppers(int group, char *text, size_t size)
{
  size_t used = 0;
  for (size_t i = 0; i < sizeof methods / sizeof *methods && used < size; i++)
    if (strcmp(methods[i].group, hn_group_name(group)) == 0)
      used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", methods[i].stepper);
}

/* True if a row has two exponentials. */
static bool is_split(const hn_group_method *m, int row)
{
  return m->first[row][0] != 0.0;
}

int hn_group_factors(const hn_group_method *m, int group, int row)
{
  if (group == HN_CROUCH_GROSSMAN) return row;
  return is_split(m, row) ? 2 : 1;
}

double hn_group_coefficient(const hn_group_method *m, int group, int row, int factor, int stage)
{
  if (group == HN_CROUCH_GROSSMAN) return factor == stage ? m->A[row][stage] : 0.0;
  if (!is_split(m, row)) return m->A[row][stage];
  return factor == 0 ? m->first[row][stage] : m->A[row][stage] - m->first[row][stage];
}

double hn_group_node(const hn_group_method *m, int row)
{
  double sum = 0.0;
  for (int j = 0; j < row; j++) sum += m->A[row][j];
  return row == m->stages ? 1.0 : sum;
}
