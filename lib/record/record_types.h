/* record_types.h - the kinds of files that records can be. Internal. */
#ifndef HN_RECORD_TYPES_H
#define HN_RECORD_TYPES_H

#include "run.h"

extern const hn_record_type hn_record_csv;
/* What a module exports. */
extern const hn_record_type hn_hdf5_record;
#define HN_RECORD_MODULE "hn_hdf5.so"
#define HN_RECORD_SYMBOL "hn_hdf5_record"

/* And this, for hn_table_hdf5. */
typedef struct hn_table_door {
  int (*make)(const hn_column *column, size_t columns, size_t rows, void **bytes, size_t *size,
              hn_error *error);
} hn_table_door;
extern const hn_table_door hn_hdf5_table;
#define HN_TABLE_SYMBOL "hn_hdf5_table"

#endif
