/* record_parts.c - runs the studies of a list one after the other and collects their conclusions. */
#include <string.h>
#include "cli/base/complain.h"
#include "cli/base/interrupt.h"
#include "cli/base/memory.h"
#include "cli/base/output.h"
#include "cli/study/report_struct.h"
#include "cli/commands.h"
#include "cli/record_page/record_page.h"
#include "cli/record_page/record_parts.h"
#include "cli/sweep/sweep_row.h"
#include "cli/sweep/sweep_table.h"

/* A record while it is made. */
typedef struct record {
  const cli_options *options;
  cli_folder folder; /* of --output */
  record_part *part; /* [count] */
  size_t count, now; /* the part that is being run */
} record;

bool record_wanted(const hn_study *study, const cli_options *o)
{
  if (!study) return false;
  if (study->npart > 0) return true;
  return study->page.title && o->output && !o->figure && !cli_ends_in(o->output, ".csv") &&
         !cli_ends_in(o->output, ".h5");
}

/* ---- Tables -------------------------------------------------------------------------------------------- */

static void put_conclusions(const hn_study_table *table, FILE *out)
{
  for (size_t k = 0; k < table->ncolumn; k++) {
    if (k > 0) putc(',', out);
    cli_put_csv(out, table->column[k]);
  }
  putc('\n', out);
  for (size_t i = 0; i < table->nrow * table->ncolumn; i++) {
    cli_put_csv(out, table->field[i]);
    putc((i + 1) % table->ncolumn == 0 ? '\n' : ',', out);
  }
}

static int write_tables(record *r, sweep_journal *journal, const sweep_grid *grid, hn_error *error)
{
  const record_part *part = &r->part[r->now];
  char *runs = cli_text("%s_runs.csv", part->name), *conclusions = cli_text("%s.csv", part->name);
  FILE *out = cli_folder_file(&r->folder, runs, error);
  int status = out ? sweep_journal_print(journal, grid, out, error) : -1;
  if (out && cli_stream_close(out, runs, error) < 0) status = -1;
  out = status == 0 ? cli_folder_file(&r->folder, conclusions, error) : NULL;
  if (out) put_conclusions(&part->table, out);
  if (!out || cli_stream_close(out, conclusions, error) < 0) status = -1;
  free(runs), free(conclusions);
  return status;
}

/* Stores the conclusions of a sweep, and prints or writes its tables. */
static int store(sweep_journal *journal, const sweep_grid *grid, void *to, hn_error *error)
{
  record *r = to;
  record_part *part = &r->part[r->now];
  if (sweep_conclude(&part->table, journal, grid, error) < 0) return -1;
  return r->options->output ? write_tables(r, journal, grid, error)
                            : sweep_print_conclusions(&part->table, grid);
}

/* ---- Parts --------------------------------------------------------------------------------------------- */

/* Runs the study of the file or name WORD as the present part. Returns the exit status. */
static int run_part(record *r, char *word, hn_error *error)
{
  sweep_grid grid;
  cli_options options = *r->options;
  char *words[] = { word };
  options.word = words, options.nword = 1, options.output = NULL;
  int status = sweep_grid_read(&grid, &options, error);
  grid.write = store, grid.written_to = r;
  if (status == 0) status = sweep_check_columns(&grid, error);
  if (status == 0) status = sweep_command(&grid, &options, error);
  r->part[r->now].study = grid.study, grid.study = NULL;
  sweep_grid_free(&grid);
  return status;
}

/* Returns the file of the study NAME beside LIST, to be freed. */
static char *part_path(const hn_study *list, const char *name)
{
  const char *slash = strrchr(list->path, '/');
  return cli_text("%.*s%s.lua", slash ? (int)(slash + 1 - list->path) : 0, list->path, name);
}

static void free_record(record *r)
{
  for (size_t i = 0; i < r->count; i++) {
    hn_study_table_free(&r->part[i].table);
    hn_study_free(r->part[i].study), free(r->part[i].name);
  }
  free(r->part);
}

/* Lists the parts of STUDY: itself, if it is not a list. */
static void list_parts(record *r, const hn_study *study)
{
  const char *slash = strrchr(study->path, '/'), *name = slash ? slash + 1 : study->path;
  r->count = study->npart > 0 ? study->npart : 1;
  r->part = cli_alloc(r->count, sizeof *r->part);
  for (size_t i = 0; i < study->npart; i++) r->part[i].name = cli_text("%s", study->part[i]);
  if (study->npart == 0) r->part[0].name = cli_text("%.*s", (int)strcspn(name, "."), name);
}

static int run_parts(record *r, const hn_study *study, hn_error *error)
{
  int worst = CLI_DONE;
  for (r->now = 0; r->now < r->count && !cli_is_interrupted(); r->now++) {
    char *path = study->npart > 0 ? part_path(study, r->part[r->now].name) : cli_text("%s", study->path);
    if (!r->options->quiet && r->count > 1)
      fprintf(stderr, "%s (%zu of %zu)\n", r->part[r->now].name, r->now + 1, r->count);
    const int status = run_part(r, path, error);
    free(path);
    if (status < 0) return -1;
    if (status > worst) worst = status;
  }
  return worst;
}

static int write_page(record *r, const hn_study *study, hn_error *error)
{
  FILE *out = cli_folder_file(&r->folder, "index.html", error);
  char *command = cli_text("holonom sweep %s", r->options->word[0]);
  if (out) record_page_write(r->part, r->count, study->npart > 0 ? &study->page : NULL, command, out);
  free(command);
  return out ? cli_stream_close(out, "index.html", error) : -1;
}

/* Runs all parts and writes the directory. */
static int write_record(record *r, const hn_study *study, hn_error *error)
{
  const char *path = r->options->output;
  if (cli_folder_open(&r->folder, path, error) < 0) return cli_folder_free(&r->folder), -1;
  int status = run_parts(r, study, error);
  if (status >= 0 && write_page(r, study, error) < 0) status = -1;
  if (status < 0) cli_folder_discard(&r->folder);
  else if (cli_folder_close(&r->folder, error) < 0) status = -1;
  cli_folder_free(&r->folder);
  if (status >= 0 && !r->options->quiet) printf("%s/index.html\n", path);
  return status;
}

int record_command(const hn_study *study, const cli_options *options, hn_error *error)
{
  record r = { .options = options };
  if (options->figure || options->resume)
    return hn_fail(error,
                   "sweep: %s: a list of studies has no --figure and no --resume; run its studies one by one",
                   study->path);
  list_parts(&r, study);
  const int status = options->output ? write_record(&r, study, error) : run_parts(&r, study, error);
  free_record(&r);
  return status;
}
