/* hdf5_sets.h - data sets and texts of HDF5 files, without time stamps. Part of the module hn_hdf5. */
#ifndef HN_HDF5_SETS_H
#define HN_HDF5_SETS_H

#include <hdf5.h>

#include "run.h"

/* Between begin and end HDF5 prints no error messages. Begin sets errno to 0. */
typedef struct hn_hdf5_silence {
  H5E_auto2_t function;
  void *data;
} hn_hdf5_silence;
hn_hdf5_silence hn_hdf5_begin(void);
void hn_hdf5_end(hn_hdf5_silence before);

/* Returns a string type of LENGTH bytes for the COUNT strings in TEXT: ASCII if all bytes are, because not
 * every reader knows UTF-8, else UTF-8. */
hid_t hn_hdf5_text_type(const char *text, size_t count, size_t length);
/* Creates the data set NAME and the groups of its path. Returns a negative number on error. */
hid_t hn_hdf5_set(hid_t file, const char *name, hid_t type, hid_t space, hid_t creation);
/* Writes COUNT texts as a data set of strings of equal length; COUNT 0 writes one text as a scalar.
 * Returns -1 on error. */
int hn_hdf5_texts(hid_t file, const char *name, char *const *text, int count);
/* The function hn_hdf5_read. */
int hn_hdf5_read_sets(const char *path, hn_data_set *set, size_t count, hn_error *error);

#endif
