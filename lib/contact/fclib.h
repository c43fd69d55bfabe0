/* fclib.h - a problem in FCLIB's form, and the interface to the module that reads and writes it. Internal.
 *
 *   local    u = W r + V l + q,   V' r + R l + s = 0
 *   global   M v = H r + G l + f,   u = H' v + q,   G' v + s = 0        (q and s are FCLIB's w and b)
 *
 * Contacts have 2 or 3 rows, the normal first, and friction mu; or 5 rows, with two moments of rolling
 * friction mu_r (m) after the tangents. */
#ifndef HN_FCLIB_H
#define HN_FCLIB_H

#include "contact.h"

typedef struct hn_fclib_matrix {
  int m, n, count;
  int *row, *column; /* [count] */
  double *value;     /* [count] */
} hn_fclib_matrix;

typedef struct hn_fclib {
  int dimension;           /* rows of a contact: 2, 3 or 5 */
  int rows, equations;     /* length of q and of s */
  int velocities;          /* length of v and f of a global problem; 0: a local one */
  hn_fclib_matrix W, V, R; /* local; V and R are empty without equations */
  hn_fclib_matrix M, H, G; /* global; G is empty without equations */
  double *q, *mu, *s, *f;  /* [rows], [rows / dimension], [equations], [velocities] */
  double *mu_r;            /* [rows / dimension] if the dimension is 5, else NULL */
  double *r, *l;           /* [rows], [equations] a solution, or NULL */
} hn_fclib;

void hn_fclib_free(hn_fclib *f);

/* Copies a local problem to PROBLEM, contacts first; its arrays are to be freed by hn_problem_free, also
 * after an error. Returns -1 if memory runs out. */
int hn_fclib_convert(const hn_fclib *f, hn_problem *problem);
/* Turns a global problem into the local one with the same r and l. Returns -1 on error. */
int hn_fclib_reduce(hn_fclib *f, hn_error *error);

/* The function table exported by module hn_hdf5. Both return -1 on error; a failed read may leave data in F
 * to be freed. */
typedef struct hn_fclib_functions {
  int (*read)(const char *path, hn_fclib *f, hn_error *error);
  /* entries of matrices sorted by column */
  int (*write)(const char *path, const hn_fclib *f, hn_error *error);
} hn_fclib_functions;
/* Reads PATH in a child process whose memory and time are limited by the size of the file, since a
 * damaged file can crash the HDF5 library. Returns -1 on error. */
int hn_fclib_read_apart(const hn_fclib_functions *module, const char *path, hn_fclib *f, hn_error *error);
#define HN_FCLIB_MODULE "hn_hdf5.so"
#define HN_FCLIB_FUNCTIONS "hn_hdf5_fclib"

#endif
