/* record_layout.h - the groups of data in the frames of a record. Internal. */
#ifndef HN_RECORD_LAYOUT_H
#define HN_RECORD_LAYOUT_H

#include "run.h"

/* Creates the groups that OPTIONS select, or all if WHOLE, with room for one frame. Returns -1 on error.
 * Free with hn_layout_free in either case. */
int hn_layout_make(hn_record_layout *layout, const hn_record_options *options, bool whole, hn_error *error);
void hn_layout_free(hn_record_layout *layout);
/* Writes FRAME into the cells. SYSTEM serves to compute the rank; NULL: none is recorded. Returns -1 on
 * error. */
int hn_layout_fill(hn_record_layout *layout, const hn_frame *frame, hn_system *system, hn_error *error);

/* True if a frame between two written ones has no events to record. Marks the layout as skipped. */
bool hn_layout_skips(hn_record_layout *layout, const hn_frame *frame);
/* Makes room for ROWS rows in a list: a changed model can have more contacts, a step any number of events.
 * Returns -1 without memory. */
int hn_layout_room(hn_record_group *group, int rows, hn_error *error);

/* Returns the concatenation of three strings, to be freed; NULL without memory. */
char *hn_concatenate(const char *a, const char *between, const char *b);

/* Writes NAME and SUFFIX as one field in quotes of a CSV file. */
void hn_csv_name(FILE *file, const char *name, const char *suffix);

#endif
