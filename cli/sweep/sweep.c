/* sweep.c - runs the rows of a grid in worker processes: each gets the next row when it has finished one.
 *
 * The reference of a point is made once, before its rows. A worker stays with its point while that has rows
 * left, then moves to the first point that has. The distribution of rows does not affect their results. */
#include <string.h>
#include "cli/base/memory.h"
#include "cli/base/progress.h"
#include "cli/sweep/sweep.h"

typedef enum work { IDLE, REFERENCE, ROW } work;

typedef struct job {
  work kind;
  size_t index; /* of the point, or of the row */
} job;

typedef struct point {
  size_t next;              /* first row not assigned, within the point */
  bool reference_requested; /* the reference has been requested */
} point;

typedef struct schedule {
  const sweep_grid *grid;
  sweep_journal *journal;
  size_t rows;       /* for each point */
  point *point;      /* [npoint] */
  size_t first_open; /* all rows of the points before it have been assigned */
  job *job;          /* [workers] present job */
  size_t *last;      /* [workers] point of the last job */
  int busy;          /* number of workers with a job */
} schedule;

/* ---- Assignment -------------------------------------------------------------------------------------- */

/* Finds the next job of point P, its reference or a row. Returns false if there is none now. */
static bool next_job_of_point(schedule *c, size_t p, job *next)
{
  point *at = &c->point[p];
  while (at->next < c->rows && c->journal->row[p * c->rows + at->next] > 0) at->next++;
  if (at->next == c->rows) return false;
  if (c->journal->reference[p]) {
    *next = (job){ ROW, p * c->rows + at->next++ };
    return true;
  }
  if (at->reference_requested) return false;
  at->reference_requested = true;
  *next = (job){ REFERENCE, p };
  return true;
}

static bool next_job(schedule *c, int worker, job *next)
{
  if (next_job_of_point(c, c->last[worker], next)) return true;
  while (c->first_open < c->grid->npoint && c->point[c->first_open].next == c->rows) c->first_open++;
  for (size_t p = c->first_open; p < c->grid->npoint; p++)
    if (next_job_of_point(c, p, next)) return true;
  return false;
}

static int assign_job(schedule *c, sweep_pool *pool, int worker, hn_error *error)
{
  job next;
  if (!next_job(c, worker, &next)) return 0;
  c->last[worker] = next.kind == ROW ? sweep_point_of(c->grid, next.index) : next.index;
  char *request = next.kind == ROW ? cli_text("r %zu\n%s", next.index, c->journal->reference[c->last[worker]])
                                   : cli_text("p %zu", next.index);
  const int status = sweep_pool_send(pool, worker, request);
  free(request);
  c->job[worker] = next;
  c->busy++;
  return status == 0 ? 0 : hn_fail(error, "a process of the sweep cannot be reached");
}

/* ---- Answers ----------------------------------------------------------------------------------------- */

/* Marks what a worker that was ended by a signal was doing as lost: a row, or all rows of a reference. */
static void lose(const schedule *c, job lost, const char *why)
{
  const size_t first = lost.kind == ROW ? lost.index : lost.index * c->rows;
  for (size_t i = 0; i < (lost.kind == ROW ? 1 : c->rows); i++)
    sweep_journal_lose(c->journal, first + i, why);
}

/* Stores ANSWER, or the end of the worker if that is NULL. If the worker ended by itself while it made a
 * reference, the rows of the point run without one. */
static int store_answer(schedule *c, int worker, char *answer, const sweep_death *death, hn_error *error)
{
  const job done = c->job[worker];
  c->job[worker].kind = IDLE;
  c->busy--;
  if (!answer && death->by_signal) return lose(c, done, death->why), 0;
  if (done.kind == REFERENCE)
    return sweep_journal_reference(c->journal, done.index, answer ? answer : cli_text("-"), error);
  if (!answer) answer = c->grid->runs->dead_row(c->grid, done.index, death->why);
  const int status = sweep_journal_row(c->journal, done.index, answer, error);
  free(answer);
  return status;
}

static void show_progress(const schedule *c)
{
  const sweep_journal *j = c->journal;
  char *label = cli_text("%zu of %zu runs", j->done, c->grid->nrow);
  if (j->failed > 0) cli_append(&label, ", %zu failed", j->failed);
  if (j->nlost > 0) cli_append(&label, ", %zu ended by a signal", j->nlost);
  cli_progress_label(label);
  free(label);
  cli_progress_at((double)j->done / (double)c->grid->nrow);
}

static int run_jobs(schedule *c, sweep_pool *pool, hn_error *error)
{
  int status = 0;
  for (int i = 0; i < sweep_pool_count(pool) && status == 0; i++) status = assign_job(c, pool, i, error);
  while (status == 0 && c->busy > 0) {
    char *answer;
    sweep_death death;
    const int worker = sweep_pool_wait(pool, &answer, &death);
    if (worker < 0) return 1;
    status = store_answer(c, worker, answer, &death, error);
    for (int i = 0; i < sweep_pool_count(pool) && status == 0; i++)
      if (c->job[i].kind == IDLE)
        status = assign_job(c, pool, i, error); /* a reference makes rows available */
    show_progress(c);
  }
  return status;
}

int sweep_run(const sweep_grid *grid, sweep_pool *pool, sweep_journal *journal, hn_error *error)
{
  const size_t count = (size_t)sweep_pool_count(pool);
  schedule c = { .grid = grid,
                 .journal = journal,
                 .rows = grid->nsolver * grid->nstep,
                 .point = cli_alloc(grid->npoint, sizeof *c.point),
                 .job = cli_alloc(count, sizeof *c.job),
                 .last = cli_alloc(count, sizeof *c.last) };
  cli_progress_begin("sweep");
  const int status = run_jobs(&c, pool, error);
  cli_progress_end();
  free(c.point), free(c.job), free(c.last);
  return status;
}

/* ---- Check ------------------------------------------------------------------------------------------- */

/* Compares the answer of a worker with the FINGERPRINT of the others. */
static int compare_fingerprint(char **fingerprint, char *answer, const char *why, hn_error *error)
{
  int status = 0;
  if (!answer) status = hn_fail(error, "%s, while it checked the scene", why);
  else if (strncmp(answer, "ok ", 3) != 0) status = hn_fail(error, "%s", answer + 3);
  else if (!*fingerprint) *fingerprint = cli_text("%s", answer + 3);
  else if (strcmp(*fingerprint, answer + 3) != 0)
    status = hn_fail(error, "the ranks do not have the same scene or version");
  free(answer);
  return status;
}

int sweep_check(sweep_pool *pool, char **fingerprint, hn_error *error)
{
  const int count = sweep_pool_count(pool);
  int status = 0;
  *fingerprint = NULL;
  for (int i = 0; i < count && status == 0; i++)
    if (sweep_pool_send(pool, i, "c") != 0)
      status = hn_fail(error, "a process of the sweep cannot be reached");
  for (int i = 0; i < count && status == 0; i++) {
    char *answer;
    sweep_death death;
    if (sweep_pool_wait(pool, &answer, &death) < 0) status = hn_fail(error, "interrupted");
    else status = compare_fingerprint(fingerprint, answer, death.why, error);
  }
  if (status == 0) return 0;
  free(*fingerprint);
  *fingerprint = NULL;
  return -1;
}
