/* fclib.h - a local problem as FCLIB's files have it, and the seam to the library that reads and writes them. Internal.
 *
 *   u = W r + V l + q,   V' r + R l + s = 0,   contacts of 2 or 3 rows each, the normal first, friction mu */
#ifndef HN_FCLIB_H
#define HN_FCLIB_H

#include "contact.h"

typedef struct hn_fclib_matrix {
  int m, n, count;
  int *row, *column; /* [count] */
  double *value;     /* [count] */
} hn_fclib_matrix;

typedef struct hn_fclib {
  int dimension;           /* 2 or 3 */
  int rows, equations;     /* of q and of s */
  hn_fclib_matrix W, V, R; /* V and R of no rows where there are no equations */
  double *q, *mu, *s;      /* [rows], [rows / dimension], [equations] */
  double *r, *l;           /* [rows], [equations] a solution; NULL: none */
} hn_fclib;

void hn_fclib_free(hn_fclib *f);

/* Module hn_hdf5 exports a table of these: -1 on error. Read fills F, which may hold something even then. */
typedef struct hn_fclib_door {
  int (*read)(const char *path, hn_fclib *f, hn_error *error);
  int (*write)(const char *path, const hn_fclib *f, hn_error *error); /* entries of matrices by column */
} hn_fclib_door;
#define HN_FCLIB_MODULE "hn_hdf5.so"
#define HN_FCLIB_DOOR "hn_hdf5_fclib"

#endif
