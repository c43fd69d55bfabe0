/* hdf5_read.c - reads data sets of numbers and of texts from an HDF5 file, in the module hn_hdf5. */
#include "record/hdf5_sets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads the shape of SET. */
static int read_shape(hid_t id, hn_data_set *set)
{
  hsize_t size[3] = { 1, 1, 1 };
  hid_t space = H5Dget_space(id);
  const int dimensions = H5Sget_simple_extent_ndims(space);
  if (dimensions >= 0 && dimensions <= 3) H5Sget_simple_extent_dims(space, size, NULL);
  H5Sclose(space);
  for (int i = 0; i < 3; i++) set->size[i] = (size_t)size[i];
  set->dimensions = dimensions > 0 ? (size_t)dimensions : 0;
  return dimensions >= 0 && dimensions <= 3 ? 0 : -1;
}

static int read_numbers(hid_t id, hn_data_set *set)
{
  set->number = calloc(set->size[0] * set->size[1] * set->size[2] + 1, sizeof *set->number);
  if (!set->number) return -1;
  return H5Dread(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, set->number) < 0 ? -1 : 0;
}

/* Reads texts of equal length; others are refused. */
static int read_texts(hid_t id, hn_data_set *set)
{
  hid_t type = H5Dget_type(id), read = -1;
  const bool fixed = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
  set->length = fixed ? H5Tget_size(type) + 1 : 0;
  set->text = fixed ? calloc(set->size[0] * set->size[1] * set->size[2] + 1, set->length) : NULL;
  if (set->text) {
    read = H5Tcopy(H5T_C_S1);
    H5Tset_size(read, set->length), H5Tset_cset(read, H5Tget_cset(type));
  }
  const herr_t status = set->text ? H5Dread(id, read, H5S_ALL, H5S_ALL, H5P_DEFAULT, set->text) : -1;
  if (read >= 0) H5Tclose(read);
  H5Tclose(type);
  return status < 0 ? -1 : 0;
}

static int read_set(hid_t file, hn_data_set *set, hn_error *error)
{
  hid_t id = H5Dopen2(file, set->name, H5P_DEFAULT);
  if (id < 0) return hn_fail(error, "it has no data set %.100s", set->name);
  int status = read_shape(id, set);
  if (status == 0) status = set->texts ? read_texts(id, set) : read_numbers(id, set);
  H5Dclose(id);
  return status ? hn_fail(error, "its data set %.100s cannot be read", set->name) : 0;
}

int hn_hdf5_read_sets(const char *path, hn_data_set *set, size_t count, hn_error *error)
{
  hn_error why;
  if (access(path, R_OK)) return hn_fail(error, "%s: %s", path, strerror(errno));
  const hn_hdf5_silence before = hn_hdf5_begin();
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  int status = file >= 0 ? 0 : hn_fail(&why, "it is truncated or not an HDF5 file");
  for (size_t i = 0; i < count && status == 0; i++) status = read_set(file, &set[i], &why);
  for (size_t i = 0; i < count && status; i++) {
    free(set[i].number), free(set[i].text);
    set[i].number = NULL, set[i].text = NULL;
  }
  if (file >= 0) H5Fclose(file);
  hn_hdf5_end(before);
  return status ? hn_fail(error, "%s: %.300s", path, why.text) : 0;
}
