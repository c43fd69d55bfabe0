/* sundials.h - the seam between the solver `ida` and the module that holds SUNDIALS: F(t, y, y') = 0 from time to
 * time. */
#ifndef HN_IDA_H
#define HN_IDA_H

#include "holonom.h"

/* A differential-algebraic equation. The functions return 0, 1 when a shorter step may help, -1 when none can. */
typedef struct hn_dae {
  int size;
  int differential; /* the first so many of y; the others are algebraic, and no part of the errors */
  void *user;
  int (*residual)(void *user, double t, const double *y, const double *rate, double *F);
  /* Solves (dF/dy + c dF/dy') x = b near the last residual; x holds b, then the solution. May be approximate. */
  int (*solve)(void *user, double c, double *x);
} hn_dae;

typedef struct hn_ida hn_ida;

/* Module hn_sundials exports one of these. */
typedef struct hn_ida_module {
  hn_ida *(*create)(const hn_dae *dae, double tolerance, long steps); /* NULL: out of memory */
  void (*free)(hn_ida *ida);
  /* Begins anew at T with a first step of STEP; the initial values must satisfy the equation. */
  int (*start)(hn_ida *ida, double t, const double *y, const double *rate, double step);
  /* y and y' at T, interpolated between the steps taken; 0, or a negative number. */
  int (*advance)(hn_ida *ida, double t, double *y, double *rate);
  long (*steps)(const hn_ida *ida);   /* taken since start */
  const char *(*explain)(int result); /* of advance, in a word */
} hn_ida_module;
#define HN_IDA_MODULE "hn_ida_sundials"

#endif
