/* contact_lines.h - the contacts of a step as lines of CSV. Internal. */
#ifndef HN_RUN_CONTACT_LINES_H
#define HN_RUN_CONTACT_LINES_H

#include "run.h"

#include <stdio.h>

/* NAME as one field. */
void hn_write_field(FILE *file, const char *name, const char *suffix);
void hn_contact_lines_head(FILE *file);
/* One line for each contact of the step of FRAME; none for the initial state. */
void hn_contact_lines(FILE *file, const hn_model *model, const hn_frame *frame);

#endif
