/* cmd_list.c - `holonom list`: lists of solvers, joints, forces, scenes, studies and back ends, and of the
 * parameters of a solver, a joint, a force or a scene. */
#include <math.h>
#include <string.h>
#include "cli/base/complain.h"
#include "cli/base/interrupt.h"
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "cli/base/text_table.h"
#include "cli/base/watchdog.h"
#include "cli/commands.h"
#include "cli/study/study_runs.h"
#include "scene.h"
#include "study.h"

/* A listing, built as JSON and as a table at the same time. */
typedef struct listing {
  json_t *array;
  cli_table *table, *summaries; /* summaries: a second table for texts too wide for the first; or NULL */
  const cli_options *options;
  const hn_scene *scene; /* its own solvers are listed too; NULL: none */
} listing;

static void add_summary(listing *list, const char *name, const char *summary)
{
  cli_cell(list->table, "%s", name);
  cli_cell(list->table, "%s", summary);
  json_array_append_new(
    list->array, json_pack("{s:o, s:o}", "name", cli_json_string(name), "summary", cli_json_string(summary)));
}

static const struct {
  unsigned flag;
  const char *word;
} capabilities[] = {
  { HN_CAN_BILATERAL, "bilateral" },
  { HN_CAN_REDUNDANT, "redundant" },
  { HN_HAS_MULTIPLIERS, "multipliers" },
  { HN_CAN_PUSH, "limits" },
  { HN_CAN_WITHIN, "bounded-forces" },
  { HN_CAN_BOUNCE, "restitution" },
  { HN_CAN_VELOCITY, "velocity-constraints" },
  { HN_CAN_CHANGE, "changing-contacts" },
  { HN_CAN_CONE, "friction" },
  { HN_CAN_BREAK, "breaking-joints" },
};

static const char *const redundant_words[] = { "no", "by redundancy=", "yes" };

enum { SCREEN = 80, NAME_WIDTH = 22 }; /* characters: of a line, and of its column of names */

/* Adds NAME and TEXT beside it, in lines that fit on a screen. */
static void add_lines(cli_table *table, const char *name, const char *text)
{
  const size_t width = SCREEN - NAME_WIDTH;
  while (*text) {
    size_t length = strlen(text);
    for (size_t i = 0, fits = 0; length > width; i++) {
      if (i >= width && fits > 0) length = fits;
      else if (!text[i]) break;
      else if (text[i] == ' ') fits = i;
    }
    cli_cell(table, "%s", name);
    cli_cell(table, "%.*s", (int)length, text);
    text += length, text += strspn(text, " ");
    name = "";
  }
}

static void add_solver(listing *list, const hn_solver_type *type)
{
  json_t *names = json_array(), *variants = json_array();
  for (const char *const *v = hn_solver_variants(type); *v; v++)
    json_array_append_new(variants, cli_json_string(*v));
  for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++)
    if (hn_solver_type_capabilities(type) & capabilities[i].flag)
      json_array_append_new(names, json_string(capabilities[i].word));
  /* The most important capabilities are columns; the JSON has all */
  cli_cell(list->table, "%s", type->name);
  if (type->order > 0) cli_cell(list->table, "%d", type->order);
  else cli_cell(list->table, "set");
  cli_cell(list->table, "%s", redundant_words[hn_solver_redundant(type)]);
  if (hn_solver_redundant(type) == HN_BY_POLICY)
    json_array_append_new(names, json_string("redundant-by-policy"));
  static const unsigned columns[] = { HN_CAN_PUSH, HN_CAN_CONE, HN_HAS_MULTIPLIERS };
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
    cli_cell(list->table, "%s", type->capabilities & columns[i] ? "yes" : "no");
  add_lines(list->summaries, type->name, type->summary);
  json_array_append_new(list->array,
                        json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "name", type->name, "order",
                                  type->order > 0 ? json_integer(type->order) : json_null(), "capabilities",
                                  names, "variants", variants, "summary", cli_json_string(type->summary),
                                  "citation", cli_json_string(type->citation)));
}

static int list_solvers(listing *list, hn_error *error)
{
  (void)error;
  size_t count;
  const hn_solver_type **type = cli_solvers(list->scene, &count);
  list->table = cli_table_create("<name|order|<redundant|<limits|<friction|<joint forces");
  list->summaries = cli_table_create("<|<");
  for (size_t i = 0; i < count; i++) add_solver(list, type[i]);
  free(type);
  return 0;
}

/* Adds a cell "a, b" of COUNT words and returns them as an array. */
static json_t *add_words(listing *list, const char *const *word, size_t count)
{
  json_t *array = json_array();
  char *text = cli_text("%s", "");
  for (size_t i = 0; i < count; i++) {
    cli_append(&text, "%s%s", i > 0 ? ", " : "", word[i]);
    json_array_append_new(array, cli_json_string(word[i]));
  }
  cli_cell(list->table, "%s", text);
  free(text);
  return array;
}

static void add_joint(listing *list, const hn_joint_type *type)
{
  const char *key[HN_MAX_ELEMENT_KEYS], *param[HN_MAX_ELEMENT_KEYS], *coordinate[HN_MAX_ROWS];
  size_t count = 0;
  while (count < HN_MAX_ROWS && type->coordinates && type->coordinates[count])
    coordinate[count] = type->coordinates[count]->name, count++;
  cli_cell(list->table, "%s", type->name);
  cli_cell(list->table, "%d", type->rows);
  cli_cell(list->table, "%s", type->unit);
  json_t *keys = add_words(list, key, hn_scene_joint_keys(type, key));
  json_t *params = add_words(list, param, hn_scene_joint_params(type, param));
  json_t *coordinates = add_words(list, coordinate, count);
  cli_cell(list->table, "%s", type->planar ? "yes" : "no");
  cli_cell(list->table, "%s", type->summary);
  json_array_append_new(
    list->array, json_pack("{s:s, s:i, s:s, s:o, s:o, s:o, s:b, s:o}", "name", type->name, "rows", type->rows,
                           "unit", type->unit, "keys", keys, "parameters", params, "coordinates", coordinates,
                           "planar", type->planar != NULL, "summary", cli_json_string(type->summary)));
}

static int list_joints(listing *list, hn_error *error)
{
  (void)error;
  size_t count;
  const hn_joint_type *const *type = hn_joint_types(&count);
  list->table = cli_table_create(
    "<name|rows|<unit~4|<keys~5|<parameters~2|<coordinates~1|<in planar systems~3|<summary");
  for (size_t i = 0; i < count; i++) add_joint(list, type[i]);
  return 0;
}

static void add_force(listing *list, const hn_force_type *type)
{
  const char *key[HN_MAX_ELEMENT_KEYS], *param[HN_MAX_ELEMENT_KEYS];
  size_t count = 0;
  for (const hn_param *p = type->params; p->key && count < HN_MAX_ELEMENT_KEYS; p++) param[count++] = p->key;
  cli_cell(list->table, "%s", type->name);
  json_t *keys = add_words(list, key, hn_scene_force_keys(type, key));
  json_t *params = add_words(list, param, count);
  static const char *const any[] = { "number" };
  json_t *input = add_words(list, type->modes ? type->modes : any,
                            type->inputs == 0 ? 0
                            : type->modes     ? 3
                                              : 1);
  cli_cell(list->table, "%s", type->summary);
  json_array_append_new(list->array,
                        json_pack("{s:s, s:o, s:o, s:o, s:o}", "name", type->name, "keys", keys, "parameters",
                                  params, "input", input, "summary", cli_json_string(type->summary)));
}

static int list_forces(listing *list, hn_error *error)
{
  (void)error;
  size_t count;
  const hn_force_type *const *type = hn_force_types(&count);
  list->table = cli_table_create("<name|<keys~3|<parameters~2|<input of control~1|<summary");
  for (size_t i = 0; i < count; i++) add_force(list, type[i]);
  return 0;
}

static int list_linear(listing *list, hn_error *error)
{
  (void)error;
  size_t count;
  const hn_linear_info *info = hn_linear_backends(&count);
  list->table = cli_table_create("<name|<PETSc options~1|<allocates in steps~2|<summary");
  for (size_t i = 0; i < count; i++) {
    cli_cell(list->table, "%s", info[i].name);
    cli_cell(list->table, "%s", info[i].takes_options ? "yes" : "no");
    cli_cell(list->table, "%s", info[i].allocates ? "yes" : "no");
    cli_cell(list->table, "%s", info[i].summary);
    json_array_append_new(list->array, json_pack("{s:s, s:b, s:b, s:s}", "name", info[i].name,
                                                 "petsc_options", (int)info[i].takes_options, "allocates",
                                                 (int)info[i].allocates, "summary", info[i].summary));
  }
  return 0;
}

static int list_contact(listing *list, hn_error *error)
{
  (void)error;
  size_t count;
  const hn_contact_type **type = cli_contact_solvers(list->scene, &count);
  list->table = cli_table_create("<name|<solves|<summary");
  for (size_t i = 0; i < count; i++) {
    const bool relaxed = type[i]->capabilities & HN_SOLVES_RELAXED;
    cli_cell(list->table, "%s", type[i]->name);
    cli_cell(list->table, "%s", relaxed ? "the relaxed law" : "Coulomb's law");
    cli_cell(list->table, "%s", type[i]->summary);
    json_array_append_new(list->array,
                          json_pack("{s:o, s:b, s:o, s:o}", "name", cli_json_string(type[i]->name), "relaxed",
                                    (int)relaxed, "summary", cli_json_string(type[i]->summary), "citation",
                                    cli_json_string(type[i]->citation)));
  }
  free(type);
  return 0;
}

/* Lists the installed scenes; one that does not load is listed with the reason. */
static int list_scenes(listing *list, hn_error *error)
{
  char **names = hn_scene_names(error);
  if (!names) return -1;
  list->table = cli_table_create("<name|<summary");
  for (size_t i = 0; names[i]; i++) {
    hn_scene *scene = cli_scene_load(names[i], list->options, error);
    add_summary(list, names[i], scene ? scene->summary : error->text);
    hn_scene_free(scene);
  }
  hn_scene_names_free(names);
  return 0;
}

static int list_studies(listing *list, hn_error *error)
{
  char **names = hn_study_names(error);
  if (!names) return -1;
  const hn_scene_options how = { .limits = list->options->limits, .stop = cli_stop() };
  list->table = cli_table_create("<name|<summary");
  for (size_t i = 0; names[i]; i++) {
    hn_study *study = NULL;
    char *path = cli_text("%s/%s.lua", hn_data_dir("studies"), names[i]);
    cli_watchdog_start();
    const int status = hn_study_load(&study, path, &how, error);
    add_summary(list, names[i],
                status == 1   ? study->summary ? study->summary : ""
                : status == 0 ? "a scene"
                              : error->text);
    hn_study_free(study);
    free(path);
  }
  hn_scene_names_free(names);
  return 0;
}

static char *range_text(const hn_param *param)
{
  switch (param->kind) {
  case HN_REAL:
  case HN_INTEGER:
  case HN_PAIR: return cli_text("%g to %g", param->min, param->max);
  case HN_FLAG: return cli_text("true, false");
  case HN_CHOICE: return cli_text("%s", param->choices);
  default: return cli_text("%s", "");
  }
}

static void add_param(listing *list, const hn_param *param)
{
  static const char *const kinds[] = { "real", "integer", "flag", "choice", "text", "pair" };
  char *range = range_text(param);
  bool ranged = param->kind == HN_REAL || param->kind == HN_INTEGER || param->kind == HN_PAIR;
  const char *cells[] = { param->key, kinds[param->kind], param->initial, range, param->unit, param->help };
  for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) cli_cell(list->table, "%s", cells[i]);
  json_t *value = json_pack("{s:s, s:s, s:s}", "key", param->key, "kind", kinds[param->kind], "default",
                            param->initial);
  if (ranged) {
    json_object_set_new(value, "min", cli_json_real(param->min));
    json_object_set_new(value, "max", cli_json_real(param->max));
  }
  if (param->kind == HN_CHOICE) json_object_set_new(value, "choices", json_string(param->choices));
  json_object_set_new(value, "unit", json_string(param->unit));
  json_object_set_new(value, "help", cli_json_string(param->help));
  json_array_append_new(list->array, value);
  free(range);
}

static void list_scene_params(listing *list, const hn_scene *scene)
{
  list->table = cli_table_create("<name|<default|<help");
  for (size_t i = 0; i < scene->nparam; i++) {
    const hn_scene_param *param = &scene->param[i];
    const char *help = param->help ? param->help : "";
    cli_cell(list->table, "%s", param->name);
    cli_cell(list->table, "%s", param->initial);
    cli_cell(list->table, "%s", help);
    json_array_append_new(list->array,
                          json_pack("{s:o, s:o, s:o}", "name", cli_json_string(param->name), "default",
                                    cli_json_string(param->initial), "help", cli_json_string(help)));
  }
}

/* Reports an unknown NAME with the nearest name of a solver, force, joint or scene. Returns -1. */
static int unknown_name(const char *name, hn_error *error)
{
  size_t count, forces, joints;
  const hn_solver_type *const *type = hn_solver_types(&count);
  const hn_force_type *const *force = hn_force_types(&forces);
  const hn_joint_type *const *joint = hn_joint_types(&joints);
  char **scenes = hn_scene_names(NULL);
  const size_t all = scenes ? cli_strings_count(scenes) : 0;
  const char **names = cli_alloc(count + forces + joints + all, sizeof *names);
  for (size_t i = 0; i < count; i++) names[i] = type[i]->name;
  for (size_t i = 0; i < forces; i++) names[count + i] = force[i]->name;
  count += forces;
  for (size_t i = 0; i < joints; i++) names[count + i] = joint[i]->name;
  count += joints;
  for (size_t i = 0; i < all; i++) names[count + i] = scenes[i];
  char *hint = cli_hint(name, names, count + all);
  hn_fail(error, "list parameters: no solver, joint, force or scene \"%s\"%s", name, hint);
  free(hint);
  free(names);
  if (scenes) hn_scene_names_free(scenes);
  return -1;
}

static bool is_installed_scene(const char *name)
{
  bool found = false;
  char **names = hn_scene_names(NULL);
  for (size_t i = 0; names && names[i]; i++) found |= strcmp(names[i], name) == 0;
  if (names) hn_scene_names_free(names);
  return found;
}

/* Lists the parameters of a table. */
static int list_table(listing *list, const hn_param *params)
{
  list->table = cli_table_create("<key|<kind~2|<default|<range~3|<unit~1|<help");
  for (const hn_param *p = params; p->key; p++) add_param(list, p);
  return 0;
}

/* Lists the parameters and presets of a solver. */
static int list_solver(listing *list, const hn_solver_type *type)
{
  list_table(list, type->params);
  for (const hn_preset *preset = type->presets; preset && preset->name; preset++) {
    char *help = cli_text("%s: %s", preset->help, preset->settings);
    add_param(list, &(hn_param){ "preset", HN_CHOICE, 0, "", 0, 0, "", preset->name, help });
    free(help);
  }
  return 0;
}

/* Lists the parameters of a joint and of the joints that it can have beside it. */
static int list_joint_table(listing *list, const hn_joint_type *type)
{
  list_table(list, hn_joint_params(type));
  for (const hn_companion *b = type->beside; b && b->type; b++)
    for (const hn_param *p = hn_joint_params(b->type); p->key; p++) {
      hn_param named = *p;
      if (b->key) named.key = b->key;
      add_param(list, &named);
    }
  return 0;
}

static const hn_contact_type *contact_solver(const char *name)
{
  const hn_contact_type *const *type = hn_contact_types(NULL);
  while (*type && strcmp((*type)->name, name) != 0) type++;
  return *type;
}

/* Lists the parameters of a solver, contact solver, joint, force or scene called NAME. */
static int list_parameters(listing *list, const char *name, hn_error *error)
{
  const hn_scene *owner = list->scene;
  const hn_solver_type *type = hn_solver_type_find(name, owner ? owner->model->own_solvers : NULL,
                                                   owner ? error : NULL);
  if (type) return list_solver(list, type);
  if (owner) return -1;
  const hn_contact_type *contact = contact_solver(name);
  if (contact) return list_table(list, contact->params);
  const hn_joint_type *joint = hn_joint_type_find(name, NULL);
  if (joint) return list_joint_table(list, joint);
  const hn_force_type *force = hn_force_type_find(name, NULL);
  if (force) return list_table(list, force->params);
  if (!strchr(name, '/') && !strstr(name, ".lua") && !is_installed_scene(name))
    return unknown_name(name, error);
  hn_scene *scene = cli_scene_load(name, list->options, error);
  if (!scene) return -1;
  list_scene_params(list, scene);
  hn_scene_free(scene);
  return 0;
}

static int list_petsc(listing *list, hn_error *error)
{
  (void)error;
  return list_table(list, hn_petsc_options());
}

static const struct {
  const char *name;
  int (*make)(listing *, hn_error *);
  int max_words; /* of the command line, NAME included */
} listings[] = {
  { "solvers", list_solvers, 2 }, { "joints", list_joints, 1 },   { "forces", list_forces, 1 },
  { "scenes", list_scenes, 1 },   { "studies", list_studies, 1 }, { "linear", list_linear, 1 },
  { "petsc", list_petsc, 1 },     { "contact", list_contact, 2 },
};
enum { NLISTING = sizeof listings / sizeof *listings };

const char *const *cli_list_words(void)
{
  static const char *words[NLISTING + 2] = { "parameters" };
  for (size_t i = 0; i < NLISTING; i++) words[i + 1] = listings[i].name;
  return words;
}

static int make_listing(listing *list, const cli_options *options, hn_error *error)
{
  const char *subject = options->word[0];
  if (strcmp(subject, "parameters") == 0)
    return options->nword > 1
             ? list_parameters(list, options->word[1], error)
             : hn_fail(error, "list parameters: missing name of a solver, joint, force or scene (see list "
                              "solvers, list joints, list forces, list scenes)");
  for (size_t i = 0; i < NLISTING; i++) {
    if (strcmp(subject, listings[i].name) != 0) continue;
    const int max_words = listings[i].max_words;
    return options->nword > max_words
             ? hn_fail(error, "list %s: unexpected argument \"%s\"", subject, options->word[max_words])
             : listings[i].make(list, error);
  }
  char *hint = cli_hint(subject, cli_list_words(), NLISTING + 1);
  hn_fail(error,
          "list: no listing \"%s\"%s (solvers, joints, forces, scenes, studies, linear, petsc, contact, "
          "parameters NAME)",
          subject, hint);
  free(hint);
  return -1;
}

/* Loads the scene of `solvers SCENE`, `contact SCENE` and `parameters NAME SCENE`, if given; else NULL. */
static int load_scene(hn_scene **scene, const cli_options *options, hn_error *error)
{
  const char *subject = options->word[0];
  bool second = strcmp(subject, "solvers") == 0 || strcmp(subject, "contact") == 0,
       parameters = strcmp(subject, "parameters") == 0;
  int at = second ? 1 : 2;
  *scene = NULL;
  if ((!second && !parameters) || options->nword != at + 1) return 0;
  *scene = cli_scene_load(options->word[at], options, error);
  return *scene ? 0 : -1;
}

static int run_command(const cli_options *options)
{
  hn_error error;
  hn_scene *scene;
  listing list = { .array = json_array(), .options = options };
  int status = load_scene(&scene, options, &error);
  list.scene = scene;
  if (status == 0) status = make_listing(&list, options, &error);
  if (status < 0) json_decref(list.array);
  else if (options->json) cli_json_print(list.array);
  else {
    cli_table_print(list.table, stdout);
    if (list.summaries) putchar('\n'), cli_table_print(list.summaries, stdout);
    json_decref(list.array);
  }
  cli_table_free(list.table);
  if (list.summaries) cli_table_free(list.summaries);
  hn_scene_free(scene);
  return status < 0 ? cli_complain("%s", error.text) : CLI_DONE;
}

const cli_command cli_command_list = {
  .name = "list",
  .arguments = "SUBJECT [NAME] [SCENE]",
  .summary = "list solvers, joints, forces, scenes and their parameters",
  .details = "SUBJECT is solvers, joints, forces, scenes, studies, linear (back ends of the\n"
             "linear system), petsc (options accepted by --petsc), contact (contact solvers)\n"
             "or parameters. `list parameters NAME` lists the parameters of a solver, contact\n"
             "solver, joint, force or scene. `list solvers SCENE`, `list contact SCENE` and\n"
             "`list parameters NAME SCENE` include the solvers that the scene declares.\n",
  .examples = "list solvers\n"
              "list parameters impulse-sle\n"
              "list parameters chain8\n",
  .options = { CLI_JSON, CLI_WIDE, CLI_SOLVER_FILE, CLI_PLUGIN, CLI_LIMIT_OPTIONS, CLI_HELP },
  .min_arguments = 1,
  .max_arguments = 3,
  .run = run_command,
};
