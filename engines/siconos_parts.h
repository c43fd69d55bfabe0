/* siconos_parts.h - parts of the module of Siconos' contact solvers. */
#ifndef HN_SICONOS_PARTS_H
#define HN_SICONOS_PARTS_H

#include <holonom.h>

#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/NumericsMatrix.h>

/* ---- Methods ------------------------------------------------------------------------------------------- */

/* Storage of K in Siconos: one block a pair of contacts, columns, or a dense matrix. */
typedef enum siconos_storage { SICONOS_BLOCKS, SICONOS_COLUMNS, SICONOS_DENSE } siconos_storage;

/* A method of Siconos for contacts of one dimension. */
typedef struct siconos_method {
  const char *name; /* word of the parameter `method` */
  int dimension;    /* rows of a contact: 2, 3, or 5 with rolling friction */
  int id;           /* in Siconos */
  siconos_storage storage;
} siconos_method;

/* The words of `method`, separated by commas, in the order of siconos_method_for. */
extern const char siconos_method_names[];
/* Returns the method number CHOICE for contacts of at least ROWS rows: that of the smallest such dimension;
 * NULL if there is none. */
const siconos_method *siconos_method_for(int choice, int rows);

/* ---- The problem in Siconos' layout -------------------------------------------------------------------- */

/* A problem in which every block has `dimension` rows. The rows that a block of the original problem lacks
 * are idle: they are not coupled with others, and have no velocity and no impulse. */
typedef struct siconos_problem {
  int dimension, count, rows; /* rows = dimension count */
  double unit;                /* of mass, kg */
  double *q, *p, *v;          /* [rows] velocities without impulses, m/s; impulses, unit m/s; velocities */
  double *mu, *mu_rolling;    /* [count] */
  NumericsMatrix *K;          /* 1/unit */
} siconos_problem;

/* Translates PROBLEM, which has cones and HN_PUSH alone, for METHOD, with the UNIT of mass; 0: the power of 2
 * for which the diagonal of K is nearest to 1 in the mean. The caller frees the result, also that of a
 * failure, by siconos_problem_free. Returns -1 without memory. */
int siconos_problem_create(siconos_problem *s, const hn_problem *problem, const siconos_method *method,
                           double unit);
void siconos_problem_free(siconos_problem *s);
/* Copy rows of PROBLEM, times FACTOR, to those of S, whose idle rows get 0, or back. */
void siconos_spread(const siconos_problem *s, const hn_problem *problem, double factor, const double *from,
                    double *to);
void siconos_gather(const siconos_problem *s, const hn_problem *problem, double factor, const double *from,
                    double *to);

/* Calls ENTRY for each entry of K, by bodies or as given, in the numbering of S: by rows, with ascending
 * columns. Idle rows have the mean diagonal of their block. Returns -1 without memory. */
typedef void siconos_entry(void *to, int row, int column, double value);
int siconos_matrix_entries(const hn_problem *problem, int dimension, siconos_entry *entry, void *to);

/* ---- Joints -------------------------------------------------------------------------------------------- */

/* A problem without the joints of another one. */
typedef struct siconos_joints siconos_joints;

bool siconos_has_joints(const hn_problem *problem);
/* Returns a sentence about why the joints of PROBLEM cannot be eliminated, or NULL. */
const char *siconos_joints_refusal(const hn_problem *problem);
/* Eliminates the joints of PROBLEM, which the result refers to. Returns NULL with a reason: HN_NO_MEMORY or
 * HN_SINGULAR. */
siconos_joints *siconos_joints_create(const hn_problem *problem, hn_reason *reason);
void siconos_joints_free(siconos_joints *joints);
/* Returns the problem without joints, whose K is given, and its impulses from P in *P_C; both are those of
 * JOINTS. */
const hn_problem *siconos_joints_posed(const siconos_joints *joints, const double *p, double **p_c);
/* Stores in P the impulses *P_C of that problem, and those with which the joints hold. */
void siconos_joints_expand(const siconos_joints *joints, double *p);

/* ---- Calls --------------------------------------------------------------------------------------------- */

enum { SICONOS_TEXT = 200 };

/* One call of a method. */
typedef struct siconos_call {
  double tolerance;        /* of Siconos: relative to the norm of q */
  int iterations;          /* limit; afterwards the number used */
  bool done;               /* the method reports success */
  bool stopped;            /* on request */
  int room, kept;          /* of the history */
  char text[SICONOS_TEXT]; /* error of Siconos, or empty */
} siconos_call;

/* Data and functions of the caller that a call uses. */
typedef struct siconos_caller {
  hn_stop *stop; /* or NULL */
  /* Returns the error of the impulses P of an iteration, for the history. */
  double (*measure)(void *data, const double *p);
  void *data;
  double *history; /* [call->room] */
} siconos_caller;

/* Solves S by METHOD from s->p and s->v, in this process. One call at a time: others wait. Methods that
 * report their iterations add to the history and can be stopped. */
void siconos_solve(siconos_problem *s, const siconos_method *method, const siconos_caller *caller,
                   siconos_call *call);
/* Equivalent of siconos_solve in a child process, which may abort, and which a stop ends at any time. */
void siconos_solve_in_child(siconos_problem *s, const siconos_method *method, const siconos_caller *caller,
                            siconos_call *call);

#endif
