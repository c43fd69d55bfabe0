/* record_types.h - the file formats of records. Internal. */
#ifndef HN_RECORD_TYPES_H
#define HN_RECORD_TYPES_H

#include "run.h"

extern const hn_record_type hn_record_csv;
/* Events as lines of text, in a layout of its own: see hn_event_record_create. */
extern const hn_record_type hn_record_event_lines;
int hn_event_lines_make(hn_record_layout *layout, hn_error *error);
int hn_event_lines_fill(hn_record_layout *layout, const hn_frame *frame, hn_system *system, hn_error *error);
/* Exported by the module hn_hdf5. */
extern const hn_record_type hn_hdf5_record;
#define HN_RECORD_MODULE "hn_hdf5.so"
#define HN_RECORD_SYMBOL "hn_hdf5_record"

/* Exported by the module, for hn_table_hdf5 and hn_hdf5_read. */
typedef struct hn_hdf5_functions {
  int (*make)(const hn_column *column, size_t columns, size_t rows, void **bytes, size_t *size,
              hn_error *error);
  int (*read)(const char *path, hn_data_set *set, size_t count, hn_error *error);
} hn_hdf5_functions;
extern const hn_hdf5_functions hn_hdf5_table;
#define HN_TABLE_SYMBOL "hn_hdf5_table"

#endif
