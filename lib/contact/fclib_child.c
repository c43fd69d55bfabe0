/* fclib_child.c - reads a file of FCLIB's layout in a child process: the HDF5 library can crash on a
 * damaged file, loop, or allocate far more than the file holds.
 *
 *   child    limits its memory and time, reads the file, sends sizes and arrays through a pipe
 *   parent   checks every size and index that arrives, and reports how the child ended
 *
 * Fork copies the calling thread alone. The child uses the HDF5 library, the pipe and _exit. */
#include "contact/fclib.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Memory of the child beyond that of the parent, bytes: for the library, and for each byte of the file. */
enum { BASE_MEMORY = 256 << 20, MEMORY_PER_BYTE = 32, BASE_SECONDS = 10, BYTES_PER_SECOND = 1 << 20 };

enum { MATRICES = 6 };

/* Lists the matrices of F. */
static void list_matrices(hn_fclib *f, hn_fclib_matrix *A[MATRICES])
{
  hn_fclib_matrix *const all[MATRICES] = { &f->W, &f->V, &f->R, &f->M, &f->H, &f->G };
  memcpy(A, all, sizeof all);
}

/* The message of the child; the arrays follow in the order of list_arrays. */
typedef struct message {
  bool failed, has_r, has_l;
  int dimension, rows, equations, velocities;
  int m[MATRICES], n[MATRICES], count[MATRICES];
  hn_error error;
} message;

typedef struct array {
  void **at;
  size_t size; /* bytes */
} array;
enum { Q_ARRAY = 3 * MATRICES, MU_ARRAY, ROLLING_ARRAY, S_ARRAY, F_ARRAY, R_ARRAY, L_ARRAY, ARRAYS };

/* Lists the arrays of F, whose sizes are known. */
static void list_arrays(hn_fclib *f, const message *m, array list[ARRAYS])
{
  hn_fclib_matrix *A[MATRICES];
  const size_t rows = (size_t)f->rows, equations = (size_t)f->equations;
  const size_t contacts = rows / (size_t)f->dimension;
  list_matrices(f, A);
  for (int k = 0; k < MATRICES; k++) {
    const size_t count = (size_t)A[k]->count;
    list[3 * k] = (array){ (void **)&A[k]->row, count * sizeof(int) };
    list[3 * k + 1] = (array){ (void **)&A[k]->column, count * sizeof(int) };
    list[3 * k + 2] = (array){ (void **)&A[k]->value, count * sizeof(double) };
  }
  list[Q_ARRAY] = (array){ (void **)&f->q, rows * sizeof(double) };
  list[MU_ARRAY] = (array){ (void **)&f->mu, contacts * sizeof(double) };
  list[ROLLING_ARRAY] = (array){ (void **)&f->mu_r, f->dimension == 5 ? contacts * sizeof(double) : 0 };
  list[S_ARRAY] = (array){ (void **)&f->s, equations * sizeof(double) };
  list[F_ARRAY] = (array){ (void **)&f->f, (size_t)f->velocities * sizeof(double) };
  list[R_ARRAY] = (array){ (void **)&f->r, m->has_r ? rows * sizeof(double) : 0 };
  list[L_ARRAY] = (array){ (void **)&f->l, m->has_l ? equations * sizeof(double) : 0 };
}

/* ---- The child ----------------------------------------------------------------------------------------- */

/* Returns the limits NOW with at most VALUE in force. */
static struct rlimit lowered(struct rlimit now, rlim_t value)
{
  if (now.rlim_cur == RLIM_INFINITY || value < now.rlim_cur) now.rlim_cur = value;
  return now;
}

/* Returns the address space of this process in bytes; 0 if it is unknown. */
static rlim_t used_memory(void)
{
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file && fscanf(file, "%lu", &pages) != 1) pages = 0;
  if (file) fclose(file);
  return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

static void limit_child(rlim_t file_size)
{
  const rlim_t used = used_memory();
  const rlim_t memory = used + BASE_MEMORY + MEMORY_PER_BYTE * file_size;
  struct rlimit now;
  if (getrlimit(RLIMIT_CORE, &now) == 0) now = lowered(now, 0), setrlimit(RLIMIT_CORE, &now);
  if (getrlimit(RLIMIT_CPU, &now) == 0)
    now = lowered(now, BASE_SECONDS + file_size / BYTES_PER_SECOND), setrlimit(RLIMIT_CPU, &now);
  if (used > 0 && getrlimit(RLIMIT_AS, &now) == 0) now = lowered(now, memory), setrlimit(RLIMIT_AS, &now);
}

static _Noreturn void serve(pid_t owner, const hn_fclib_functions *module, const char *path, rlim_t file_size,
                            int fd)
{
  static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGSEGV, SIGBUS, SIGABRT };
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* ends with its parent */
#endif
  if (getppid() != owner) _exit(1);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) signal(ends[i], SIG_DFL);
  message m;
  memset(&m, 0, sizeof m);
  hn_fclib f = { 0 };
  array list[ARRAYS];
  FILE *out = fdopen(fd, "w");
  limit_child(file_size);
  m.failed = module->read(path, &f, &m.error) < 0;
  m.has_r = f.r, m.has_l = f.l, m.dimension = f.dimension, m.rows = f.rows, m.equations = f.equations;
  m.velocities = f.velocities;
  hn_fclib_matrix *A[MATRICES];
  list_matrices(&f, A);
  for (int k = 0; k < MATRICES; k++) m.m[k] = A[k]->m, m.n[k] = A[k]->n, m.count[k] = A[k]->count;
  bool good = out && fwrite(&m, sizeof m, 1, out) == 1;
  if (good && !m.failed) list_arrays(&f, &m, list);
  for (int k = 0; k < ARRAYS && good && !m.failed; k++)
    good = list[k].size == 0 || fwrite(*list[k].at, list[k].size, 1, out) == 1;
  if (out && fflush(out) != 0) good = false;
  _exit(good ? 0 : 1);
}

/* ---- The parent ---------------------------------------------------------------------------------------- */

/* True if the sizes fit each other, as fclib_hdf5.c has made sure. */
static bool sizes_fit(const message *m)
{
  if ((m->dimension != 2 && m->dimension != 3 && m->dimension != 5) || m->rows < 0 || m->equations < 0 ||
      m->rows % m->dimension != 0 || m->velocities < 0)
    return false;
  const int rows = m->rows, equations = m->equations, n = m->velocities;
  const int high[MATRICES] = { rows, rows, equations, n, n, n },
            wide[MATRICES] = { rows, equations, equations, n, rows, equations };
  for (int k = 0; k < MATRICES; k++) {
    const bool other = (n > 0) != (k >= 3), joins = k == 1 || k == 2 || k == 5; /* V, R, G */
    const bool empty = m->count[k] == 0 && (other || (joins && equations == 0));
    if (m->count[k] < 0 || (!empty && (other || m->m[k] != high[k] || m->n[k] != wide[k]))) return false;
  }
  return m->equations == 0 || m->has_r == m->has_l;
}

static bool indices_fit(const hn_fclib_matrix *A)
{
  for (int k = 0; k < A->count; k++)
    if (A->row[k] < 0 || A->row[k] >= A->m || A->column[k] < 0 || A->column[k] >= A->n) return false;
  return true;
}

/* Reads what the child sends into F. Returns false if that is incomplete or inconsistent, or memory runs
 * out. */
static bool receive(FILE *in, hn_fclib *f, message *m)
{
  array list[ARRAYS];
  if (fread(m, sizeof *m, 1, in) != 1) return false;
  m->error.text[sizeof m->error.text - 1] = '\0';
  if (m->failed) return true;
  if (!sizes_fit(m)) return false;
  hn_fclib_matrix *A[MATRICES];
  list_matrices(f, A);
  f->dimension = m->dimension, f->rows = m->rows, f->equations = m->equations, f->velocities = m->velocities;
  for (int k = 0; k < MATRICES; k++) A[k]->m = m->m[k], A[k]->n = m->n[k], A[k]->count = m->count[k];
  list_arrays(f, m, list);
  for (int k = 0; k < ARRAYS; k++) {
    if ((k == R_ARRAY && !m->has_r) || (k == L_ARRAY && !m->has_l)) continue;
    if (k == ROLLING_ARRAY && f->dimension != 5) continue;
    if (!(*list[k].at = malloc(list[k].size + 1))) return false;
    if (list[k].size > 0 && fread(*list[k].at, list[k].size, 1, in) != 1) return false;
  }
  bool fit = true;
  for (int k = 0; k < MATRICES; k++) fit = fit && indices_fit(A[k]);
  return fit;
}

/* Waits for CHILD. GOOD: all it had to send has been read. */
static int conclude(pid_t child, bool good, const message *m, const char *path, hn_error *error)
{
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (good && m->failed) return hn_fail(error, "%s", m->error.text);
  if (good) return 0;
  if (WIFSIGNALED(status))
    return hn_fail(error, "cannot read %s: it is damaged: the HDF5 library was ended by signal %d", path,
                   WTERMSIG(status));
  return hn_fail(error, "cannot read %s: it is damaged, or memory is short", path);
}

int hn_fclib_read_apart(const hn_fclib_functions *module, const char *path, hn_fclib *f, hn_error *error)
{
  struct stat file;
  int end[2];
  message m;
  const rlim_t size = stat(path, &file) == 0 && S_ISREG(file.st_mode) ? (rlim_t)file.st_size : 0;
  if (pipe(end) != 0) return hn_fail(error, "cannot read %s: no pipe: %s", path, strerror(errno));
  const pid_t owner = getpid(), child = fork();
  if (child == 0) close(end[0]), serve(owner, module, path, size, end[1]);
  close(end[1]);
  FILE *in = child > 0 ? fdopen(end[0], "r") : NULL;
  if (!in) {
    hn_fail(error, "cannot read %s: no process: %s", path, strerror(errno));
    close(end[0]);
    if (child > 0) waitpid(child, NULL, 0);
    return -1;
  }
  const bool good = receive(in, f, &m);
  fclose(in); /* a child that still sends ends */
  return conclude(child, good, &m, path, error);
}
