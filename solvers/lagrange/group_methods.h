/* group_methods.h - explicit Runge-Kutta methods on the group, for solver lagrange. */
#ifndef HN_GROUP_METHODS_H
#define HN_GROUP_METHODS_H

#include <stddef.h>

enum { HN_MAX_GROUP_STAGES = 6 };

/* Formulations of a method on the group; the choices of the parameter group. */
enum { HN_NO_GROUP, HN_RKMK, HN_CROUCH_GROSSMAN, HN_COMMUTATOR_FREE };
#define HN_GROUPS "none,rkmk,crouch-grossman,commutator-free"

/* A method of s stages. Row s of A are the weights. `first` has the coefficients of the first of two
 * exponentials of a row, which the second completes to A; a row of zeros has one exponential. */
typedef struct hn_group_method {
  const char *group, *stepper; /* names of the choices */
  int order, stages;
  double A[HN_MAX_GROUP_STAGES + 1][HN_MAX_GROUP_STAGES];
  double first[HN_MAX_GROUP_STAGES + 1][HN_MAX_GROUP_STAGES];
} hn_group_method;

/* Returns the name of a group: its choice of the parameter. */
const char *hn_group_name(int group);
/* Returns the method of a group for the stepper NAME, or NULL if there is none. */
const hn_group_method *hn_group_method_find(int group, const char *stepper);
/* Writes the names of the steppers of a group into TEXT, separated by commas. */
void hn_group_steppers(int group, char *text, size_t size);

/* Returns the number of exponentials of a row of METHOD. */
int hn_group_factors(const hn_group_method *method, int group, int row);
/* Returns the coefficient of the derivative of STAGE in exponential number FACTOR of a row. */
double hn_group_coefficient(const hn_group_method *method, int group, int row, int factor, int stage);
/* Returns the sum of a row of A: the time of a stage in parts of the step. */
double hn_group_node(const hn_group_method *method, int row);

#endif
