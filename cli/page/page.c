/* page.c - the report of a comparison as one HTML page: the bundle of web/ with the data inserted.
 *
 * One line of the bundle marks their place. The results are JSON, in which no "<" can end the element; the
 * motion of each run is base64 (page_frames.c). The page contains no dates, host names or paths except those
 * in the command. */
#include <errno.h>
#include <string.h>
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/page/page_errors.h"
#include "cli/page/page_frames.h"
#include "cli/page/provenance.h"
#include "cli/page/page_model.h"
#include "cli/page/page.h"
#include "cli/study/comparison.h"
#include "cli/study/reference.h"

static const char mark[] = "<!-- the data of the report -->";

bool cli_page_named(const char *path)
{
  return path && cli_ends_in(path, ".html");
}

static FILE *open_template(hn_error *error)
{
  char *path = cli_text("%s/report.html", hn_data_dir("web"));
  FILE *file = fopen(path, "r");
  if (!file)
    hn_fail(
      error,
      "--output FILE.html needs the page %s, which was not built: install npm, run scripts/setup and make "
      "again (--output DIR writes the report as Markdown)",
      path);
  free(path);
  return file;
}

int cli_page_ready(hn_error *error)
{
  FILE *file = open_template(error);
  if (file) fclose(file);
  return file ? 0 : -1;
}

/* Returns the samples as one array for each quantity. */
static json_t *series_json(const cli_outcome *o)
{
  static const char *const name[] = {
    "time", "drift", "velocity", "energy", "contacts", "penetration", "law"
  };
  enum { COLUMNS = sizeof name / sizeof *name, ALWAYS = 4 };
  const int columns = o->plan.scene->model->max_contacts > 0 ? COLUMNS : ALWAYS;
  json_t *root = json_object();
  for (int k = 0; k < columns; k++) {
    json_t *column = json_array();
    for (size_t i = 0; i < o->series->count; i++)
      json_array_append_new(column, cli_json_real(o->series->sample[i][k]));
    json_object_set_new(root, name[k], column);
  }
  json_object_set_new(root, "stride", json_integer(o->series->stride));
  return root;
}

static char *source_of(const hn_scene *scene)
{
  FILE *file = fopen(scene->path, "r");
  char *text = NULL;
  size_t room = 0;
  if (file && getdelim(&text, &room, '\0', file) < 0) *text = '\0';
  if (file) fclose(file);
  return text ? text : cli_text("%s", "");
}

static json_t *scene_json(const hn_scene *scene)
{
  json_t *parameters = json_array();
  for (size_t i = 0; i < scene->nparam; i++)
    json_array_append_new(parameters,
                          json_pack("{s:o, s:o, s:o, s:o}", "name", cli_json_string(scene->param[i].name),
                                    "value", cli_json_string(scene->param[i].value), "initial",
                                    cli_json_string(scene->param[i].initial), "help",
                                    cli_json_string(scene->param[i].help)));
  char *source = source_of(scene);
  json_t *root = json_pack("{s:o, s:o, s:o, s:o, s:b}", "name", cli_json_string(scene->name), "summary",
                           cli_json_string(scene->summary), "source", cli_json_string(source), "parameters",
                           parameters, "conserves", hn_model_conserves_energy(scene->model));
  free(source);
  return root;
}

static json_t *run_json(const cli_outcome *o)
{
  json_t *run = json_pack("{s:o, s:o, s:o*}", "spec", cli_json_string(o->plan.solver), "step",
                          cli_json_real(o->plan.step), "errors",
                          cli_page_errors(o->plan.reference, o->track));
  if (o->series) json_object_set_new(run, "series", series_json(o));
  if (!o->solver) return run;
  json_object_set_new(run, "solver", cli_json_string(o->solver->type->name));
  json_object_set_new(run, "summary", cli_json_string(o->solver->type->summary));
  json_object_set_new(run, "citation", cli_json_string(o->solver->type->citation));
  return run;
}

/* Returns the list items that PRINT writes below the tables, as texts. */
static json_t *list_items(const cli_comparison *c, void (*print)(const cli_comparison *, bool, FILE *))
{
  char *text = NULL, *rest;
  size_t size;
  json_t *lines = json_array();
  FILE *out = open_memstream(&text, &size);
  if (!out) return lines;
  print(c, false, out);
  fclose(out);
  rest = text;
  for (char *line; (line = strsep(&rest, "\n"));)
    if (strncmp(line, "- ", 2) == 0) json_array_append_new(lines, cli_json_string(line + 2));
  free(text);
  return lines;
}

/* Returns the comparison without the final states of bodies and joints, which the motion contains. */
static json_t *comparison_json(const cli_comparison *c)
{
  json_t *root = cli_comparison_json(c), *run;
  size_t i;
  json_array_foreach(json_object_get(root, "runs"), i, run)
  {
    json_object_del(run, "bodies");
    json_object_del(run, "joints");
  }
  return root;
}

static json_t *page_data(const cli_comparison *c, const char *command)
{
  json_t *runs = json_array();
  char *setup = cli_comparison_setup(c);
  for (size_t i = 0; i < c->count; i++) json_array_append_new(runs, run_json(&c->outcome[i]));
  json_t *reference = json_pack("{s:o, s:s}", "text", cli_json_string(cli_reference_text(&c->reference)),
                                "norm", cli_norms[c->reference.norm].words);
  if (c->reference.known) json_object_set_new(reference, "known", cli_json_string(c->reference.known));
  if (c->reference.ground) json_object_set_new(reference, "ground", cli_json_string(c->reference.ground));
  json_t *root = json_pack(
    "{s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "format", 1, "setup", cli_json_string(setup),
    "comparison", comparison_json(c), "scene", scene_json(c->scene), "model", cli_page_model(c->scene->model),
    "runs", runs, "reference", reference, "failures", list_items(c, cli_comparison_failures), "warnings",
    list_items(c, cli_comparison_warnings), "made", cli_page_made(command));
  free(setup);
  return root;
}

/* Writes the motion of a run and adds its description to ROOT. */
static bool write_track(const cli_track *track, const char *id, json_t *root, FILE *out)
{
  cli_pack pack = { 0 };
  if (!track || track->count == 0) return true;
  json_object_set_new(root, "frames", cli_frames_pack(track, &pack));
  json_object_set_new(json_object_get(root, "frames"), "id", json_string(id));
  fprintf(out, "<script type=\"text/plain\" id=\"%s\">", id);
  const bool done = cli_pack_write(&pack, out);
  fputs("</script>\n", out);
  return done;
}

static bool write_data(const cli_comparison *c, const char *command, FILE *out)
{
  json_t *root = page_data(c, command), *runs = json_object_get(root, "runs");
  bool done = write_track(c->reference.track, "frames-reference", json_object_get(root, "reference"), out);
  for (size_t i = 0; i < c->count && done; i++) {
    char *id = cli_text("frames-%zu", i);
    done = write_track(c->outcome[i].track, id, json_array_get(runs, i), out);
    free(id);
  }
  fputs("<script type=\"application/json\" id=\"report\">", out);
  cli_json_embed(root, out);
  fputs("</script>\n", out);
  return done;
}

int cli_page_write(const cli_comparison *c, const char *command, cli_file *file, hn_error *error)
{
  FILE *from = open_template(error);
  char *line = NULL;
  size_t room = 0, marks = 0;
  ssize_t length;
  bool done = true;
  if (!from) return -1;
  while (done && (length = getline(&line, &room, from)) > 0)
    if (strncmp(line, mark, sizeof mark - 1) != 0) fwrite(line, 1, (size_t)length, file->stream);
    else marks++, done = write_data(c, command, file->stream);
  free(line);
  fclose(from);
  if (!done) return hn_fail(error, "cannot compress the motion of a run for %s", file->path);
  if (marks != 1)
    return hn_fail(error, "%s/report.html is not the page of this version: make it again",
                   hn_data_dir("web"));
  return ferror(file->stream) ? hn_fail(error, "cannot write %s: %s", file->path, strerror(errno)) : 0;
}
