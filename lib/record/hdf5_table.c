/* hdf5_table.c - a table as HDF5 file in memory, in the module hn_hdf5. The caller writes the file and
 * handles errors. */
#include "record/hdf5_sets.h"
#include "record/record_types.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int add_numbers(hid_t file, const hn_column *column, size_t rows)
{
  const hsize_t size = rows;
  hid_t space = H5Screate_simple(1, &size, NULL), creation = H5Pcreate(H5P_DATASET_CREATE);
  hid_t set = hn_hdf5_set(file, column->name, H5T_NATIVE_DOUBLE, space, creation);
  herr_t status = set < 0 ? -1
                          : H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, column->number);
  if (set >= 0) H5Dclose(set);
  H5Pclose(creation), H5Sclose(space);
  return status < 0 ? -1 : 0;
}

static int add_columns(hid_t file, const hn_column *column, size_t columns, size_t rows)
{
  int status = 0;
  for (size_t c = 0; c < columns && status == 0; c++)
    if (column[c].number) status = add_numbers(file, &column[c], rows);
    else status = hn_hdf5_texts(file, column[c].name, column[c].text, (int)rows);
  return status;
}

static int copy_image(hid_t file, void **bytes, size_t *size)
{
  const ssize_t length = H5Fflush(file, H5F_SCOPE_LOCAL) < 0 ? -1 : H5Fget_file_image(file, NULL, 0);
  *bytes = length > 0 ? malloc((size_t)length) : NULL;
  *size = (size_t)length;
  return *bytes && H5Fget_file_image(file, *bytes, *size) == length ? 0 : -1;
}

static int make_table(const hn_column *column, size_t columns, size_t rows, void **bytes, size_t *size,
                      hn_error *error)
{
  *bytes = NULL;
  if (rows > INT_MAX) return hn_fail(error, "a table of %zu rows is too long for HDF5", rows);
  for (size_t c = 0; c < columns; c++)
    if (strchr(column[c].name, '/') || strcmp(column[c].name, ".") == 0)
      return hn_fail(error, "a column called \"%.60s\" cannot be in HDF5", column[c].name);
  const hn_hdf5_silence before = hn_hdf5_begin();
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_core(access, 1 << 20, false);
  hid_t file = H5Fcreate("table", H5F_ACC_TRUNC, H5P_DEFAULT, access);
  int status = file < 0 ? -1 : add_columns(file, column, columns, rows);
  if (status == 0) status = copy_image(file, bytes, size);
  if (file >= 0 && H5Fclose(file) < 0) status = -1;
  H5Pclose(access);
  hn_hdf5_end(before);
  if (status == 0) return 0;
  free(*bytes), *bytes = NULL;
  return hn_fail(error, "cannot make a table: %s", errno ? strerror(errno) : "HDF5 fails");
}

const hn_hdf5_functions hn_hdf5_table = { make_table, hn_hdf5_read_sets };
