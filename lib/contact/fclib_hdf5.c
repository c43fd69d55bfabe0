/* fclib_hdf5.c - module hn_hdf5: problems in FCLIB's HDF5 layout.
 *
 *   fclib_local/spacedim, /W, /V, /R (each m, n, nz, nzmax, p, i, x), /vectors/q, mu, s
 *   fclib_global/spacedim, /M, /H, /G (likewise), /vectors/f, w, mu, b          solution/r, l
 *   fclib_global_rolling, fclib_local_rolling                                   also /vectors/mu_r; 5 rows
 *
 * FCLIB has no local problems with rolling friction: that group is read and written by this project alone.
 * nz is -1 for compressed columns, -2 for compressed rows, else the number of triplets: rows in p, columns in
 * i. Published global problems have the columns of their matrices in p, as CSparse does, and are read so;
 * the other way only if their indices do not fit. All sizes and indices read are checked for consistency.
 * [Acary, Bremond, Koziara and Perignon, FCLIB: a collection of discrete 3D frictional contact problems,
 * INRIA RT-0444, 2014] */
#include "contact/fclib.h"

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

extern const hn_fclib_functions hn_hdf5_fclib;

/* Limits that keep a damaged file from exhausting memory: numbers in a dataset, rows or columns of a
 * matrix; bytes of data for each byte stored, the most that deflate can give. */
enum { MAX_NUMBERS = 1 << 28, MAX_DIMENSION = 1 << 24, MAX_EXPANSION = 1032 };

/* ---- Reading ----------------------------------------------------------------------------------------- */

/* True if POINTS numbers of dataset SET can come from the bytes that the file stores for it. */
static bool is_stored(hid_t file, hid_t set, hssize_t points)
{
  hsize_t size = 0;
  hid_t properties = H5Dget_create_plist(set), type = H5Dget_type(set);
  const int filters = properties >= 0 ? H5Pget_nfilters(properties) : 0;
  const hsize_t stored = H5Dget_storage_size(set), width = type >= 0 ? H5Tget_size(type) : 0;
  if (type >= 0) H5Tclose(type);
  if (properties >= 0) H5Pclose(properties);
  if (width == 0 || H5Fget_filesize(file, &size) < 0 || stored > size) return false;
  return (hsize_t)points <= (filters > 0 ? MAX_EXPANSION : 1) * stored / width;
}

/* Reads dataset NAME into a new array of the memory type TYPE; returns NULL on error. */
static void *read_numbers(hid_t file, const char *name, hid_t type, hsize_t *count, hn_error *error)
{
  void *numbers = NULL;
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = set >= 0 ? H5Dget_space(set) : -1;
  hssize_t points = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
  if (points < 0) hn_fail(error, "there is no %s", name);
  else if (points > MAX_NUMBERS || !is_stored(file, set, points))
    hn_fail(error, "%s has more numbers than the file can hold", name);
  else if (!(numbers = calloc((size_t)points + 1, H5Tget_size(type))))
    hn_fail(error, "no memory for %s", name);
  else if (points > 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) < 0) {
    hn_fail(error, "%s cannot be read", name);
    free(numbers), numbers = NULL;
  }
  *count = points < 0 ? 0 : (hsize_t)points;
  if (space >= 0) H5Sclose(space);
  if (set >= 0) H5Dclose(set);
  return numbers;
}

static int read_integer(hid_t file, const char *name, int *value, hn_error *error)
{
  hsize_t count;
  int *numbers = read_numbers(file, name, H5T_NATIVE_INT, &count, error);
  bool is_single = numbers && count == 1;
  if (is_single) *value = *numbers;
  else if (numbers) hn_fail(error, "%s is not one number", name);
  free(numbers);
  return is_single ? 0 : -1;
}

/* Reads COUNT real numbers into *VALUE. */
static int read_vector(hid_t file, const char *name, int count, double **value, hn_error *error)
{
  hsize_t length;
  *value = read_numbers(file, name, H5T_NATIVE_DOUBLE, &length, error);
  if (!*value) return -1;
  return length == (hsize_t)count ? 0 : hn_fail(error, "%s has %d numbers, not %d", name, (int)length, count);
}

static bool exists(hid_t file, const char *group)
{
  return H5Lexists(file, group, H5P_DEFAULT) > 0;
}

/* Expands compressed pointers P[n + 1] to one index for each of COUNT entries; NULL if they are
 * inconsistent. */
static int *expand(const int *p, hsize_t size, int n, int count)
{
  if (size != (hsize_t)n + 1 || p[0] != 0 || p[n] > count) return NULL;
  int *index = malloc(sizeof *index * ((size_t)count + 1));
  for (int k = 0; index && k < n; k++) {
    if (p[k + 1] < p[k] || p[k + 1] > count) return free(index), NULL;
    for (int e = p[k]; e < p[k + 1]; e++) index[e] = k;
  }
  return index;
}

static bool indices_fit(const hn_fclib_matrix *A)
{
  for (int k = 0; k < A->count; k++)
    if (A->row[k] < 0 || A->row[k] >= A->m || A->column[k] < 0 || A->column[k] >= A->n) return false;
  return true;
}

static void swap_indices(hn_fclib_matrix *A)
{
  int *row = A->row;
  A->row = A->column, A->column = row;
}

/* Sets the indices of A from P and I. COLUMNS_FIRST: triplets have their columns in P if their indices fit
 * so. */
static int set_triplets(hn_fclib_matrix *A, int nz, bool columns_first, int *p, hsize_t size_p, int *i,
                        hsize_t size_i)
{
  const int count = nz >= 0                                   ? nz
                    : nz == -1 && size_p == (hsize_t)A->n + 1 ? p[A->n]
                    : nz == -2 && size_p == (hsize_t)A->m + 1 ? p[A->m]
                                                              : -1;
  if (count < 0 || count > A->count || size_i < (hsize_t)count || (nz >= 0 && size_p < (hsize_t)count))
    return -1;
  A->count = count;
  int *index = nz >= 0 ? p : expand(p, size_p, nz == -1 ? A->n : A->m, count);
  A->row = nz == -1 ? i : index, A->column = nz == -1 ? index : i;
  if (nz < 0) free(p);
  if (!index) return -1;
  if (nz < 0 || !columns_first) return indices_fit(A) ? 0 : -1;
  swap_indices(A);
  if (indices_fit(A)) return 0;
  swap_indices(A);
  return indices_fit(A) ? 0 : -1;
}

static int read_matrix(hid_t file, const char *group, const char *name, bool columns_first,
                       hn_fclib_matrix *A, hn_error *error)
{
  char path[7][80];
  static const char *const part[] = { "m", "n", "nz", "nzmax", "p", "i", "x" };
  int nz, nzmax;
  hsize_t size_p, size_i, size_x;
  for (int k = 0; k < 7; k++) snprintf(path[k], sizeof path[k], "%s/%s/%s", group, name, part[k]);
  if (read_integer(file, path[0], &A->m, error) || read_integer(file, path[1], &A->n, error) ||
      read_integer(file, path[2], &nz, error) || read_integer(file, path[3], &nzmax, error))
    return -1;
  if (A->m < 0 || A->n < 0 || A->m > MAX_DIMENSION || A->n > MAX_DIMENSION)
    return hn_fail(error, "%s has %d rows and %d columns", name, A->m, A->n);
  int *p = read_numbers(file, path[4], H5T_NATIVE_INT, &size_p, error);
  int *i = p ? read_numbers(file, path[5], H5T_NATIVE_INT, &size_i, error) : NULL;
  A->value = i ? read_numbers(file, path[6], H5T_NATIVE_DOUBLE, &size_x, error) : NULL;
  if (!A->value) {
    free(p), free(i);
    return -1;
  }
  A->count = (int)size_x;
  const bool compressed = nz < 0; /* triplets may have spare room */
  if (nzmax < nz || nzmax < 0 || (compressed && ((hsize_t)nzmax > size_x || (hsize_t)nzmax > size_i))) {
    free(p), free(i);
    return hn_fail(error, "matrix %s is inconsistent: nzmax is %d, with %d indices and %d values", name,
                   nzmax, (int)size_i, (int)size_x);
  }
  if (set_triplets(A, nz, columns_first, p, size_p, i, size_i) == 0) return 0;
  if (A->row != i && A->column != i) free(p), free(i);
  return hn_fail(error, "matrix %s is inconsistent: its pointers, indices and values do not fit", name);
}

/* The groups of problems; true if the contacts of GROUP have rolling friction. */
static const char *const local_groups[] = { "fclib_local", "fclib_local_rolling", NULL },
                         *const global_groups[] = { "fclib_global", "fclib_global_rolling", NULL };

static bool is_rolling(const char *group)
{
  return group == local_groups[1] || group == global_groups[1];
}

/* Returns the first of GROUPS that the file has, or NULL. */
static const char *find_group(hid_t file, const char *const *group)
{
  while (*group && !exists(file, *group)) group++;
  return *group;
}

/* A name within GROUP, at most 80 bytes. */
typedef struct group_path {
  char text[80];
} group_path;

static group_path path_of(const char *group, const char *name)
{
  group_path path;
  snprintf(path.text, sizeof path.text, "%s/%s", group, name);
  return path;
}

/* Reads spacedim of GROUP. */
static int read_dimension(hid_t file, const char *group, hn_fclib *f, hn_error *error)
{
  if (read_integer(file, path_of(group, "spacedim").text, &f->dimension, error)) return -1;
  if (is_rolling(group))
    return f->dimension == 5 ? 0
                             : hn_fail(error, "spacedim is %d, not 5, with rolling friction", f->dimension);
  return f->dimension == 2 || f->dimension == 3 ? 0
                                                : hn_fail(error, "spacedim is %d, not 2 or 3", f->dimension);
}

/* Reads the coefficients of friction in GROUP. */
static int read_friction(hid_t file, const char *group, hn_fclib *f, hn_error *error)
{
  const int contacts = f->rows / f->dimension;
  if (read_vector(file, path_of(group, "vectors/mu").text, contacts, &f->mu, error)) return -1;
  return is_rolling(group) ? read_vector(file, path_of(group, "vectors/mu_r").text, contacts, &f->mu_r, error)
                           : 0;
}

static int read_local(hid_t file, const char *group, hn_fclib *f, hn_error *error)
{
  if (read_dimension(file, group, f, error) || read_matrix(file, group, "W", false, &f->W, error)) return -1;
  f->rows = f->W.m;
  if (f->W.n != f->rows || f->rows % f->dimension != 0)
    return hn_fail(error, "W is %d x %d, with %d rows a contact", f->W.m, f->W.n, f->dimension);
  if (read_vector(file, path_of(group, "vectors/q").text, f->rows, &f->q, error) ||
      read_friction(file, group, f, error))
    return -1;
  const bool has_V = exists(file, path_of(group, "V").text), has_R = exists(file, path_of(group, "R").text);
  if (has_V != has_R) return hn_fail(error, "equations need both V and R, but one is missing");
  if (!has_R) return 0;
  if (read_matrix(file, group, "V", false, &f->V, error) ||
      read_matrix(file, group, "R", false, &f->R, error))
    return -1;
  f->equations = f->R.m;
  if (f->R.n != f->R.m || f->V.m != f->rows || f->V.n != f->R.m)
    return hn_fail(error, "V is %d x %d, R %d x %d", f->V.m, f->V.n, f->R.m, f->R.n);
  return read_vector(file, path_of(group, "vectors/s").text, f->equations, &f->s, error);
}

static int read_global(hid_t file, const char *group, hn_fclib *f, hn_error *error)
{
  if (read_dimension(file, group, f, error) || read_matrix(file, group, "M", true, &f->M, error) ||
      read_matrix(file, group, "H", true, &f->H, error))
    return -1;
  f->velocities = f->M.m, f->rows = f->H.n;
  if (f->M.n != f->M.m || f->M.m == 0) return hn_fail(error, "M is %d x %d", f->M.m, f->M.n);
  if (f->H.m != f->M.m || f->rows % f->dimension != 0)
    return hn_fail(error, "H is %d x %d, with %d velocities and %d rows a contact", f->H.m, f->H.n, f->M.m,
                   f->dimension);
  if (read_vector(file, path_of(group, "vectors/f").text, f->velocities, &f->f, error) ||
      read_vector(file, path_of(group, "vectors/w").text, f->rows, &f->q, error) ||
      read_friction(file, group, f, error))
    return -1;
  if (!exists(file, path_of(group, "G").text)) return 0;
  if (read_matrix(file, group, "G", true, &f->G, error)) return -1;
  f->equations = f->G.n;
  if (f->G.m != f->M.m) return hn_fail(error, "G is %d x %d, with %d velocities", f->G.m, f->G.n, f->M.m);
  return read_vector(file, path_of(group, "vectors/b").text, f->equations, &f->s, error);
}

/* True if the file has dataset NAME, but stores no numbers for it, as FCLIB writes unknown solutions. */
static bool is_unwritten(hid_t file, const char *name)
{
  if (!exists(file, name)) return false;
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = set >= 0 ? H5Dget_space(set) : -1;
  const bool unwritten = space >= 0 && H5Sget_simple_extent_npoints(space) > 0 &&
                         H5Dget_storage_size(set) == 0;
  if (space >= 0) H5Sclose(space);
  if (set >= 0) H5Dclose(set);
  return unwritten;
}

static int read_solution(hid_t file, hn_fclib *f, hn_error *error)
{
  if (!exists(file, "solution") || is_unwritten(file, "solution/r") || is_unwritten(file, "solution/l"))
    return 0;
  if (read_vector(file, "solution/r", f->rows, &f->r, error)) return -1;
  return f->equations > 0 ? read_vector(file, "solution/l", f->equations, &f->l, error) : 0;
}

static int read_problem(hid_t file, hn_fclib *f, hn_error *error)
{
  const char *local = find_group(file, local_groups), *global = find_group(file, global_groups);
  if (!local && !global)
    return hn_fail(error, "it holds no problem: there is no group fclib_local or fclib_global");
  if (local ? read_local(file, local, f, error) : read_global(file, global, f, error)) return -1;
  return read_solution(file, f, error);
}

/* ---- Writing ----------------------------------------------------------------------------------------- */

static int write_numbers(hid_t file, const char *name, hid_t type, int count, const void *numbers)
{
  hsize_t size = (hsize_t)count;
  hid_t links = H5Pcreate(H5P_LINK_CREATE), space = H5Screate_simple(1, &size, NULL);
  H5Pset_create_intermediate_group(links, 1);
  hid_t set = H5Dcreate2(file, name, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
  herr_t status = set >= 0 ? 0 : -1;
  if (set >= 0 && count > 0) status = H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers);
  if (set >= 0) H5Dclose(set);
  H5Sclose(space), H5Pclose(links);
  return status < 0 ? -1 : 0;
}

/* Writes a matrix of GROUP in compressed columns. */
static int write_matrix(hid_t file, const char *group, const char *name, const hn_fclib_matrix *A)
{
  static const char *const part[] = { "m", "n", "nz", "nzmax" };
  const int integers[] = { A->m, A->n, -1, A->count };
  char path[80];
  int status = 0, *start = calloc((size_t)A->n + 1, sizeof *start);
  if (!start) return -1;
  for (int k = 0; k < A->count; k++) start[A->column[k] + 1]++;
  for (int c = 0; c < A->n; c++) start[c + 1] += start[c];
  for (int k = 0; k < 4; k++) {
    snprintf(path, sizeof path, "%s/%s/%s", group, name, part[k]);
    status |= write_numbers(file, path, H5T_NATIVE_INT, 1, &integers[k]);
  }
  snprintf(path, sizeof path, "%s/%s/p", group, name);
  status |= write_numbers(file, path, H5T_NATIVE_INT, A->n + 1, start);
  snprintf(path, sizeof path, "%s/%s/i", group, name);
  status |= write_numbers(file, path, H5T_NATIVE_INT, A->count, A->row);
  snprintf(path, sizeof path, "%s/%s/x", group, name);
  status |= write_numbers(file, path, H5T_NATIVE_DOUBLE, A->count, A->value);
  free(start);
  return status;
}

static int write_local(hid_t file, const hn_fclib *f)
{
  const char *group = local_groups[f->mu_r ? 1 : 0];
  const int contacts = f->rows / f->dimension;
  int status = write_numbers(file, path_of(group, "spacedim").text, H5T_NATIVE_INT, 1, &f->dimension);
  status |= write_matrix(file, group, "W", &f->W);
  status |= write_numbers(file, path_of(group, "vectors/q").text, H5T_NATIVE_DOUBLE, f->rows, f->q);
  status |= write_numbers(file, path_of(group, "vectors/mu").text, H5T_NATIVE_DOUBLE, contacts, f->mu);
  if (f->mu_r)
    status |= write_numbers(file, path_of(group, "vectors/mu_r").text, H5T_NATIVE_DOUBLE, contacts, f->mu_r);
  if (f->equations > 0) {
    status |= write_matrix(file, group, "V", &f->V) | write_matrix(file, group, "R", &f->R);
    status |= write_numbers(file, path_of(group, "vectors/s").text, H5T_NATIVE_DOUBLE, f->equations, f->s);
  }
  if (f->r) status |= write_numbers(file, "solution/r", H5T_NATIVE_DOUBLE, f->rows, f->r);
  if (f->r && f->equations > 0)
    status |= write_numbers(file, "solution/l", H5T_NATIVE_DOUBLE, f->equations, f->l);
  return status;
}

/* ---- Functions of the module ------------------------------------------------------------------------- */

/* The library's error printing, disabled during calls and restored for the host. */
typedef struct error_handler {
  H5E_auto2_t function;
  void *data;
} error_handler;

static error_handler disable_printing(void)
{
  error_handler before = { NULL, NULL };
  H5open();
  H5Eget_auto2(H5E_DEFAULT, &before.function, &before.data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return before;
}

static int read_file(const char *path, hn_fclib *f, hn_error *error)
{
  hn_error why = { "" };
  error_handler before = disable_printing();
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  int status = file >= 0 ? read_problem(file, f, &why)
                         : hn_fail(&why, "it is missing, truncated or not an HDF5 file");
  if (file >= 0) H5Fclose(file);
  H5Eset_auto2(H5E_DEFAULT, before.function, before.data);
  return status ? hn_fail(error, "cannot read %s: %.300s", path, why.text) : 0;
}

static int write_file(const char *path, const hn_fclib *f, hn_error *error)
{
  error_handler before = disable_printing();
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  int status = file >= 0 ? write_local(file, f) : -1;
  if (file >= 0 && H5Fclose(file) < 0) status = -1;
  H5Eset_auto2(H5E_DEFAULT, before.function, before.data);
  return status ? hn_fail(error, "cannot write %s", path) : 0;
}

const hn_fclib_functions hn_hdf5_fclib = { read_file, write_file };
