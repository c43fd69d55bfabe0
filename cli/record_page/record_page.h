/* record_page.h - the page of studies with conclusions. */
#ifndef CLI_RECORD_PAGE_H
#define CLI_RECORD_PAGE_H

#include <stdio.h>
#include "study.h"

/* A study and its conclusions. */
typedef struct record_part {
  char *name;      /* of the study */
  hn_study *study; /* NULL: it was not run */
  hn_study_table table;
} record_part;

/* Writes the page of COUNT parts; HEAD is the page of the list, or NULL, and COMMAND what was run. */
void record_page_write(const record_part *part, size_t count, const hn_study_page *head, const char *command,
                       FILE *out);

#endif
