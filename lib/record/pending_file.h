/* pending_file.h - a file that has its final name when it is complete. Internal. */
#ifndef HN_PENDING_FILE_H
#define HN_PENDING_FILE_H

#include "run.h"

#include <stdio.h>

typedef struct hn_pending {
  FILE *file;        /* NULL: not open */
  char *path, *part; /* final name, and the name while it is written */
} hn_pending;

/* Opens PATH.part, empty, and holds it: another run that writes it keeps it. "-" is standard output, which has its
 * name. */
int hn_pending_open(hn_pending *p, const char *path, hn_error *error);
/* Closes it and gives it its name, takes it away, or leaves it where it is; -1 when that fails. P, which need not be
 * open, is empty then. */
int hn_pending_close(hn_pending *p, hn_record_end end, hn_error *error);

#endif
