/* record_types.h - the kinds of files that records can be. Internal. */
#ifndef HN_RECORD_TYPES_H
#define HN_RECORD_TYPES_H

#include "run.h"

extern const hn_record_type hn_record_csv;
/* What a module exports. */
extern const hn_record_type hn_hdf5_record;
#define HN_RECORD_MODULE "hn_hdf5.so"
#define HN_RECORD_SYMBOL "hn_hdf5_record"

#endif
