/* hdf5_sets.h - what files of HDF5 are made of: data sets without times of day, texts, and errors that say
 * nothing. Of the module hn_hdf5. */
#ifndef HN_HDF5_SETS_H
#define HN_HDF5_SETS_H

#include <hdf5.h>

/* Between these the library prints nothing of errors, which is the host's business; errno is 0 at first. */
typedef struct hn_hdf5_silence {
  H5E_auto2_t function;
  void *data;
} hn_hdf5_silence;
hn_hdf5_silence hn_hdf5_begin(void);
void hn_hdf5_end(hn_hdf5_silence before);

/* Of LENGTH bytes, of which TEXT has COUNT * LENGTH: UTF-8, or, as not every reader knows
 * that, ASCII where it is. */
hid_t hn_hdf5_text_type(const char *text, size_t count, size_t length);
/* The data set NAME, with the groups on the way to it; negative on error. */
hid_t hn_hdf5_set(hid_t file, const char *name, hid_t type, hid_t space, hid_t creation);
/* COUNT texts as one data set, each of the length of the longest; 0: one alone. -1 on error. */
int hn_hdf5_texts(hid_t file, const char *name, char *const *text, int count);

#endif
