/* hdf5_sets.c - data sets and texts of HDF5 files (hdf5_sets.h). */
#include "record/hdf5_sets.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

hn_hdf5_silence hn_hdf5_begin(void)
{
  hn_hdf5_silence before = { NULL, NULL };
  H5open();
  H5Eget_auto2(H5E_DEFAULT, &before.function, &before.data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  errno = 0;
  return before;
}

void hn_hdf5_end(hn_hdf5_silence before)
{
  H5Eset_auto2(H5E_DEFAULT, before.function, before.data);
}

hid_t hn_hdf5_text_type(const char *text, size_t count, size_t length)
{
  bool ascii = true;
  for (size_t i = 0; i < count * length; i++) ascii = ascii && !((unsigned char)text[i] & 0x80);
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, length > 0 ? length : 1), H5Tset_strpad(type, H5T_STR_NULLPAD);
  H5Tset_cset(type, ascii ? H5T_CSET_ASCII : H5T_CSET_UTF8);
  return type;
}

hid_t hn_hdf5_set(hid_t file, const char *name, hid_t type, hid_t space, hid_t creation)
{
  hid_t links = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(links, 1), H5Pset_obj_track_times(creation, false);
  hid_t set = H5Dcreate2(file, name, type, space, links, creation, H5P_DEFAULT);
  H5Pclose(links);
  return set;
}

int hn_hdf5_texts(hid_t file, const char *name, char *const *text, int count)
{
  const hsize_t size = (hsize_t)count;
  const size_t many = count ? (size_t)count : 1;
  size_t longest = 1;
  for (size_t i = 0; i < many; i++) longest = strlen(text[i]) > longest ? strlen(text[i]) : longest;
  char *all = calloc(many, longest);
  if (!all) return -1;
  for (size_t i = 0; i < many; i++) memcpy(all + i * longest, text[i], strlen(text[i]));
  hid_t space = count ? H5Screate_simple(1, &size, NULL) : H5Screate(H5S_SCALAR);
  hid_t type = hn_hdf5_text_type(all, many, longest);
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE), set = hn_hdf5_set(file, name, type, space, creation);
  herr_t status = set < 0 ? -1 : H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all);
  if (set >= 0) H5Dclose(set);
  H5Pclose(creation), H5Tclose(type), H5Sclose(space);
  free(all);
  return status < 0 ? -1 : 0;
}
