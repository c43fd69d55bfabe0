/* sweep.c - runs a grid: hands get the next row when they have done the last.
 *
 * A point's reference comes before its rows, and once. A hand stays with its point while it has rows left, then takes
 * the first point that has. What a hand is asked, and when, changes no row. */
#include <stdio.h>
#include <string.h>
#include "cli/base/interrupt.h"
#include "cli/base/memory.h"
#include "cli/base/progress.h"
#include "cli/sweep/sweep_row.h"
#include "cli/sweep/sweep.h"

typedef enum work { IDLE, REFERENCE, ROW } work;

typedef struct job {
  work kind;
  size_t index; /* of the point, or of the row */
} job;

typedef struct point {
  size_t next; /* its first row that nobody was asked for, counted from its first */
  bool asked;  /* for its reference */
} point;

typedef struct course {
  const sweep_grid *grid;
  sweep_journal *journal;
  size_t rows;  /* of a point */
  point *point; /* [npoint] */
  size_t open;  /* all points before it are asked for entirely */
  job *job;     /* [hands] what each is at */
  size_t *last; /* [hands] the point it was at */
  int busy;
} course;

/* ---- What comes next --------------------------------------------------------------------------------------------- */

/* Of point P: its reference, or a row; false when there is nothing to ask now. */
static bool next_of(course *c, size_t p, job *next)
{
  point *at = &c->point[p];
  while (at->next < c->rows && c->journal->row[p * c->rows + at->next] > 0) at->next++;
  if (at->next == c->rows) return false;
  if (c->journal->reference[p]) {
    *next = (job){ ROW, p * c->rows + at->next++ };
    return true;
  }
  if (at->asked) return false;
  at->asked = true;
  *next = (job){ REFERENCE, p };
  return true;
}

static bool next_job(course *c, int hand, job *next)
{
  if (next_of(c, c->last[hand], next)) return true;
  while (c->open < c->grid->npoint && c->point[c->open].next == c->rows) c->open++;
  for (size_t p = c->open; p < c->grid->npoint; p++)
    if (next_of(c, p, next)) return true;
  return false;
}

static int ask(course *c, sweep_hands *hands, int hand, hn_error *error)
{
  job next;
  if (!next_job(c, hand, &next)) return 0;
  c->last[hand] = next.kind == ROW ? sweep_point_of(c->grid, next.index) : next.index;
  char *request = next.kind == ROW ? cli_text("r %zu\n%s", next.index, c->journal->reference[c->last[hand]])
                                   : cli_text("p %zu", next.index);
  const int status = sweep_hands_ask(hands, hand, request);
  free(request);
  c->job[hand] = next;
  c->busy++;
  return status == 0 ? 0 : hn_fail(error, "a process of the sweep cannot be reached");
}

/* ---- What comes back --------------------------------------------------------------------------------------------- */

/* A reference whose process died is none; its rows are run without. */
static int take(course *c, int hand, char *answer, const char *why, hn_error *error)
{
  const job done = c->job[hand];
  c->job[hand].kind = IDLE;
  c->busy--;
  if (done.kind == REFERENCE)
    return sweep_journal_reference(c->journal, done.index, answer ? answer : cli_text("-"), error);
  if (!answer) answer = sweep_dead_row(c->grid, done.index, why);
  const int status = sweep_journal_row(c->journal, done.index, answer, error);
  free(answer);
  return status;
}

static void show_progress(const course *c)
{
  char label[80];
  const size_t done = c->journal->done, failed = c->journal->failed;
  if (failed > 0) snprintf(label, sizeof label, "%zu of %zu runs, %zu failed", done, c->grid->nrow, failed);
  else snprintf(label, sizeof label, "%zu of %zu runs", done, c->grid->nrow);
  cli_progress_label(label);
  cli_progress_at((double)done / (double)c->grid->nrow);
}

static int serve(course *c, sweep_hands *hands, hn_error *error)
{
  int status = 0;
  for (int i = 0; i < sweep_hands_count(hands) && status == 0; i++) status = ask(c, hands, i, error);
  while (status == 0 && c->busy > 0) {
    char why[80], *answer;
    const int hand = sweep_hands_wait(hands, &answer, why);
    if (hand < 0) return 1;
    status = take(c, hand, answer, why, error);
    for (int i = 0; i < sweep_hands_count(hands) && status == 0; i++)
      if (c->job[i].kind == IDLE) status = ask(c, hands, i, error); /* a reference sets others to work, too */
    show_progress(c);
  }
  return status;
}

int sweep_run(const sweep_grid *grid, sweep_hands *hands, sweep_journal *journal, hn_error *error)
{
  const size_t count = (size_t)sweep_hands_count(hands);
  course c = { .grid = grid,
               .journal = journal,
               .rows = grid->nsolver * grid->nstep,
               .point = cli_alloc(grid->npoint, sizeof *c.point),
               .job = cli_alloc(count, sizeof *c.job),
               .last = cli_alloc(count, sizeof *c.last) };
  cli_progress_begin("sweep");
  const int status = serve(&c, hands, error);
  cli_progress_end();
  free(c.point), free(c.job), free(c.last);
  return status;
}

/* ---- Before it begins -------------------------------------------------------------------------------------------- */

static int compare(char **fingerprint, char *answer, const char *why, hn_error *error)
{
  int status = 0;
  if (!answer) status = hn_fail(error, "%s, while it looked at the scene", why);
  else if (strncmp(answer, "ok ", 3) != 0) status = hn_fail(error, "%s", answer + 3);
  else if (!*fingerprint) *fingerprint = cli_text("%s", answer + 3);
  else if (strcmp(*fingerprint, answer + 3) != 0)
    status = hn_fail(error, "the ranks do not have the same scene or version");
  free(answer);
  return status;
}

int sweep_check(sweep_hands *hands, char **fingerprint, hn_error *error)
{
  const int count = sweep_hands_count(hands);
  int status = 0;
  *fingerprint = NULL;
  for (int i = 0; i < count && status == 0; i++)
    if (sweep_hands_ask(hands, i, "c") != 0)
      status = hn_fail(error, "a process of the sweep cannot be reached");
  for (int i = 0; i < count && status == 0; i++) {
    char why[80], *answer;
    if (sweep_hands_wait(hands, &answer, why) < 0) status = hn_fail(error, "interrupted");
    else status = compare(fingerprint, answer, why, error);
  }
  if (status == 0) return 0;
  free(*fingerprint);
  *fingerprint = NULL;
  return -1;
}
