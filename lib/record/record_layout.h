/* record_layout.h - what the frames of a record have, group by group, and their numbers. Internal. */
#ifndef HN_RECORD_LAYOUT_H
#define HN_RECORD_LAYOUT_H

#include "run.h"

/* The groups that OPTIONS ask for, all of them where WHOLE, and room for one frame; -1 on error. Free with
 * hn_layout_free either way. */
int hn_layout_make(hn_record_layout *layout, const hn_record_options *options, bool whole, hn_error *error);
void hn_layout_free(hn_record_layout *layout);
/* FRAME into the cells. SYSTEM is where the rank is found, NULL where none is wanted; -1 when it cannot be. */
int hn_layout_fill(hn_record_layout *layout, const hn_frame *frame, hn_system *system, hn_error *error);

/* FRAME is none that is to be written: has it nothing that is, nevertheless? */
bool hn_layout_skips(hn_record_layout *layout, const hn_frame *frame);
/* GROUP, a list, gets room for so many rows: a changed model can have more contacts, and a step any number of
 * events. -1 without memory. */
int hn_layout_room(hn_record_group *group, int rows, hn_error *error);

/* The three, one behind the other, to be freed; NULL without memory. */
char *hn_joined(const char *a, const char *between, const char *b);

#endif
