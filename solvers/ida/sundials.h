/* sundials.h - interface between the solver `ida` and the module that links SUNDIALS: solves F(t, y, y') =
 * 0. */
#ifndef HN_IDA_H
#define HN_IDA_H

#include "holonom.h"

/* A differential-algebraic equation. The functions return 0; 1 if a shorter step may help; -1 if not. */
typedef struct hn_dae {
  int size;
  int differential; /* the first entries of y; the others are algebraic, without error weights */
  void *user;
  int (*residual)(void *user, double t, const double *y, const double *rate, double *F);
  /* Solves (dF/dy + c dF/dy') x = b near the last residual, possibly approximately; x holds b, then the
   * solution. */
  int (*solve)(void *user, double c, double *x);
} hn_dae;

typedef struct hn_ida hn_ida;

/* The table exported by module hn_sundials. */
typedef struct hn_ida_module {
  hn_ida *(*create)(const hn_dae *dae, double tolerance, long steps); /* NULL if out of memory */
  void (*free)(hn_ida *ida);
  /* Starts anew at T with a first step of STEP; the initial values must satisfy the equation. */
  int (*start)(hn_ida *ida, double t, const double *y, const double *rate, double step);
  /* Computes y and y' at T, interpolated between steps. Returns 0, or a negative number on failure. */
  int (*advance)(hn_ida *ida, double t, double *y, double *rate);
  long (*steps)(const hn_ida *ida);   /* steps taken since start */
  const char *(*explain)(int result); /* describes a result of advance */
} hn_ida_module;
#define HN_IDA_MODULE "hn_ida_sundials"

#endif
