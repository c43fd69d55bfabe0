/* cmd_list.c - `holonom list`: lists of solvers, joints, forces, scenes, studies and back ends, and of the
 * parameters of a solver, a joint, a force or a scene. */
#include <string.h>
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
  json_t *array, *row;          /* row: the last object of the array */
  cli_table *table, *summaries; /* summaries: a second table for texts too wide for the first; or NULL */
  const cli_options *options;
  const hn_scene *scene; /* its own solvers are listed too; NULL: none */
} listing;

static void begin_row(listing *list)
{
  list->row = json_object();
  json_array_append_new(list->array, list->row);
}

/* Add a cell and a key to the present row: a text, yes or no, a list of COUNT words. */
static void put_text(listing *list, const char *key, const char *text)
{
  cli_cell(list->table, "%s", text);
  json_object_set_new(list->row, key, cli_json_string(text));
}

static void put_flag(listing *list, const char *key, bool flag)
{
  cli_cell(list->table, "%s", flag ? "yes" : "no");
  json_object_set_new(list->row, key, json_boolean(flag));
}

static void put_words(listing *list, const char *key, const char *const *word, size_t count)
{
  json_t *array = json_array();
  char *text = cli_text("%s", "");
  for (size_t i = 0; i < count; i++) {
    cli_append(&text, "%s%s", i > 0 ? ", " : "", word[i]);
    json_array_append_new(array, cli_json_string(word[i]));
  }
  cli_cell(list->table, "%s", text);
  json_object_set_new(list->row, key, array);
  free(text);
}

static void add_summary(listing *list, const char *name, const char *summary)
{
  begin_row(list);
  put_text(list, "name", name);
  put_text(list, "summary", summary);
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
  { HN_CAN_COMPLIANT, "compliant-contacts" },
  { HN_CAN_ROLL, "rolling-friction" },
  { HN_CAN_ANISOTROPIC, "anisotropic-friction" },
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
  static const unsigned columns[] = { HN_CAN_PUSH, HN_CAN_CONE, HN_HAS_MULTIPLIERS };
  json_t *names = json_array(), *variants = json_array();
  for (const char *const *v = hn_solver_variants(type); *v; v++)
    json_array_append_new(variants, cli_json_string(*v));
  for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++)
    if (hn_solver_type_capabilities(type) & capabilities[i].flag)
      json_array_append_new(names, json_string(capabilities[i].word));
  if (hn_solver_redundant(type) == HN_BY_POLICY)
    json_array_append_new(names, json_string("redundant-by-policy"));
  /* The most important capabilities are columns; the JSON has all */
  begin_row(list);
  put_text(list, "name", type->name);
  if (type->order > 0) cli_cell(list->table, "%d", type->order);
  else cli_cell(list->table, "set");
  cli_cell(list->table, "%s", redundant_words[hn_solver_redundant(type)]);
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
    cli_cell(list->table, "%s", type->capabilities & columns[i] ? "yes" : "no");
  char *engine = cli_text(type->engine ? "engine %s: %s" : "%s%s", type->engine ? type->engine : "",
                          type->summary);
  add_lines(list->summaries, type->name, engine);
  free(engine);
  json_object_set_new(list->row, "order", type->order > 0 ? json_integer(type->order) : json_null());
  json_object_set_new(list->row, "capabilities", names);
  json_object_set_new(list->row, "variants", variants);
  json_object_set_new(list->row, "summary", cli_json_string(type->summary));
  json_object_set_new(list->row, "engine", type->engine ? cli_json_string(type->engine) : json_null());
  json_object_set_new(list->row, "citation", cli_json_string(type->citation));
}

static int list_solvers(listing *list, hn_error *error)
{
  size_t count;
  if (hn_engines_load(error)) return -1;
  const hn_solver_type **type = cli_solvers(list->scene, &count);
  list->summaries = cli_table_create("<|<");
  for (size_t i = 0; i < count; i++) add_solver(list, type[i]);
  free(type);
  return 0;
}

static void add_joint(listing *list, const hn_joint_type *type)
{
  const char *key[HN_MAX_ELEMENT_KEYS], *param[HN_MAX_ELEMENT_KEYS], *coordinate[HN_MAX_ROWS];
  size_t count = 0;
  while (count < HN_MAX_ROWS && type->coordinates && type->coordinates[count])
    coordinate[count] = type->coordinates[count]->name, count++;
  begin_row(list);
  put_text(list, "name", type->name);
  cli_cell(list->table, "%d", type->rows);
  json_object_set_new(list->row, "rows", json_integer(type->rows));
  put_text(list, "unit", type->unit);
  put_words(list, "keys", key, hn_scene_joint_keys(type, key));
  put_words(list, "parameters", param, hn_scene_joint_params(type, param));
  put_words(list, "coordinates", coordinate, count);
  put_flag(list, "planar", type->planar);
  put_text(list, "summary", type->summary);
}

static int list_joints(listing *list, hn_error *error)
{
  (void)error;
  size_t count;
  const hn_joint_type *const *type = hn_joint_types(&count);
  for (size_t i = 0; i < count; i++) add_joint(list, type[i]);
  return 0;
}

static void add_force(listing *list, const hn_force_type *type)
{
  static const char *const any[] = { "number" };
  const char *key[HN_MAX_ELEMENT_KEYS], *param[HN_MAX_ELEMENT_KEYS];
  const size_t inputs = type->inputs == 0 ? 0 : type->modes ? 3 : 1;
  size_t count = 0;
  for (const hn_param *p = type->params; p->key && count < HN_MAX_ELEMENT_KEYS; p++) param[count++] = p->key;
  begin_row(list);
  put_text(list, "name", type->name);
  put_words(list, "keys", key, hn_scene_force_keys(type, key));
  put_words(list, "parameters", param, count);
  put_words(list, "input", type->modes ? type->modes : any, inputs);
  put_text(list, "summary", type->summary);
}

static int list_forces(listing *list, hn_error *error)
{
  (void)error;
  size_t count;
  const hn_force_type *const *type = hn_force_types(&count);
  for (size_t i = 0; i < count; i++) add_force(list, type[i]);
  return 0;
}

static int list_laws(listing *list, hn_error *error)
{
  (void)error;
  size_t count;
  const hn_contact_law_type *const *type = hn_contact_law_types(&count);
  for (size_t i = 0; i < count; i++) {
    const char *param[HN_MAX_ELEMENT_KEYS];
    size_t n = 0;
    for (const hn_param *p = type[i]->params; p->key && n < HN_MAX_ELEMENT_KEYS; p++) param[n++] = p->key;
    begin_row(list);
    put_text(list, "name", type[i]->name);
    put_words(list, "parameters", param, n);
    put_text(list, "summary", type[i]->summary);
    json_object_set_new(list->row, "citation", cli_json_string(type[i]->citation));
  }
  return 0;
}

static int list_linear(listing *list, hn_error *error)
{
  (void)error;
  size_t count;
  const hn_linear_info *info = hn_linear_backends(&count);
  for (size_t i = 0; i < count; i++) {
    begin_row(list);
    put_text(list, "name", info[i].name);
    put_flag(list, "petsc_options", info[i].takes_options);
    put_flag(list, "allocates", info[i].allocates);
    put_text(list, "summary", info[i].summary);
  }
  return 0;
}

static int list_contact(listing *list, hn_error *error)
{
  size_t count;
  if (hn_engines_load(error)) return -1;
  const hn_contact_type **type = cli_contact_solvers(list->scene, &count);
  for (size_t i = 0; i < count; i++) {
    const bool relaxed = type[i]->capabilities & HN_SOLVES_RELAXED;
    begin_row(list);
    put_text(list, "name", type[i]->name);
    const bool regularised = type[i]->capabilities & HN_SOLVES_REGULARISED;
    cli_cell(list->table, "%s",
             regularised ? "a regularised law"
             : relaxed   ? "the relaxed law"
                         : "Coulomb's law");
    json_object_set_new(list->row, "relaxed", json_boolean(relaxed));
    put_text(list, "summary", type[i]->summary);
    json_object_set_new(list->row, "citation", cli_json_string(type[i]->citation));
  }
  free(type);
  return 0;
}

/* Lists the installed scenes; one that does not load is listed with the reason. */
static int list_scenes(listing *list, hn_error *error)
{
  char **names = hn_scene_names(error);
  if (!names) return -1;
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
  for (size_t i = 0; names[i]; i++) {
    hn_study *study = NULL;
    char *path = cli_text("%s/%s.lua", hn_data_dir("studies"), names[i]);
    cli_watchdog_start();
    const int status = hn_study_load(&study, path, &how, error);
    const char *summary = study && study->summary ? study->summary : "";
    add_summary(list, names[i], status == 1 ? summary : status == 0 ? "a scene" : error->text);
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
  begin_row(list);
  put_text(list, "key", param->key);
  put_text(list, "kind", kinds[param->kind]);
  put_text(list, "default", param->initial);
  cli_cell(list->table, "%s", range);
  if (param->kind == HN_REAL || param->kind == HN_INTEGER || param->kind == HN_PAIR) {
    json_object_set_new(list->row, "min", cli_json_real(param->min));
    json_object_set_new(list->row, "max", cli_json_real(param->max));
  }
  if (param->kind == HN_CHOICE) json_object_set_new(list->row, "choices", json_string(param->choices));
  put_text(list, "unit", param->unit);
  put_text(list, "help", param->help);
  free(range);
}

static void list_scene_params(listing *list, const hn_scene *scene)
{
  list->table = cli_table_create("<name|<default|<help");
  for (size_t i = 0; i < scene->nparam; i++) {
    const hn_scene_param *param = &scene->param[i];
    begin_row(list);
    put_text(list, "name", param->name);
    put_text(list, "default", param->initial);
    put_text(list, "help", param->help ? param->help : "");
  }
}

/* Returns 0 if a scene NAME is installed; -1 with the nearest name of a solver, force, joint or scene. */
static int check_name(const char *name, hn_error *error)
{
  size_t count = 0, solvers, forces, joints;
  const hn_solver_type *const *solver = hn_solver_types(&solvers);
  const hn_force_type *const *force = hn_force_types(&forces);
  const hn_joint_type *const *joint = hn_joint_types(&joints);
  char **scenes = hn_scene_names(NULL);
  const char **names = cli_alloc(solvers + forces + joints + (scenes ? cli_strings_count(scenes) : 0),
                                 sizeof *names);
  for (size_t i = 0; i < solvers; i++) names[count++] = solver[i]->name;
  for (size_t i = 0; i < forces; i++) names[count++] = force[i]->name;
  for (size_t i = 0; i < joints; i++) names[count++] = joint[i]->name;
  bool found = false;
  for (size_t i = 0; scenes && scenes[i]; i++) {
    found = found || strcmp(scenes[i], name) == 0;
    names[count++] = scenes[i];
  }
  char *hint = cli_hint(name, names, count);
  if (!found) hn_fail(error, "list parameters: no solver, joint, force or scene \"%s\"%s", name, hint);
  free(hint);
  free(names);
  if (scenes) hn_scene_names_free(scenes);
  return found ? 0 : -1;
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

/* Lists the parameters of a solver, contact solver, joint, force or scene. */
static int list_parameters(listing *list, hn_error *error)
{
  const hn_scene *owner = list->scene;
  const char *name = list->options->nword > 1 ? list->options->word[1] : NULL;
  if (!name)
    return hn_fail(error,
                   "list parameters: missing name of a solver, joint, force or scene (see list solvers, "
                   "list joints, list forces, list scenes)");
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
  const hn_contact_law_type *law = hn_contact_law_type_find(name, NULL);
  if (law) return list_table(list, law->params);
  if (!strchr(name, '/') && !strstr(name, ".lua") && check_name(name, error) < 0) return -1;
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
  int max_words;      /* of the command line, NAME included; from 2 on, the last one is a scene */
  const char *titles; /* of the table; NULL: `make` creates it */
} listings[] = {
  { "parameters", list_parameters, 3, NULL },
  { "solvers", list_solvers, 2, "<name|order|<redundant|<limits|<friction|<joint forces" },
  { "joints", list_joints, 1,
    "<name|rows|<unit~4|<keys~5|<parameters~2|<coordinates~1|<in planar systems~3|<summary" },
  { "forces", list_forces, 1, "<name|<keys~3|<parameters~2|<input of control~1|<summary" },
  { "scenes", list_scenes, 1, "<name|<summary" },
  { "studies", list_studies, 1, "<name|<summary" },
  { "linear", list_linear, 1, "<name|<PETSc options~1|<allocates in steps~2|<summary" },
  { "petsc", list_petsc, 1, NULL },
  { "contact", list_contact, 2, "<name|<solves|<summary" },
  { "laws", list_laws, 1, "<name|<parameters~2|<summary" },
};
enum { NLISTING = sizeof listings / sizeof *listings };

const char *const *cli_list_words(void)
{
  static const char *words[NLISTING + 1];
  for (size_t i = 0; i < NLISTING; i++) words[i] = listings[i].name;
  return words;
}

/* Makes the listing of the subject. Stores the scene that it needs, to be freed; else NULL. */
static int make_listing(listing *list, hn_scene **scene, hn_error *error)
{
  const cli_options *options = list->options;
  const char *subject = options->word[0];
  for (size_t i = 0; i < NLISTING; i++) {
    const int max_words = listings[i].max_words;
    if (strcmp(subject, listings[i].name) != 0) continue;
    if (options->nword > max_words)
      return hn_fail(error, "list %s: unexpected argument \"%s\"", subject, options->word[max_words]);
    if (max_words > 1 && options->nword == max_words &&
        !(*scene = cli_scene_load(options->word[max_words - 1], options, error)))
      return -1;
    list->scene = *scene;
    if (listings[i].titles) list->table = cli_table_create(listings[i].titles);
    return listings[i].make(list, error);
  }
  char *hint = cli_hint(subject, cli_list_words(), NLISTING);
  hn_fail(error,
          "list: no listing \"%s\"%s (solvers, joints, forces, scenes, studies, linear, petsc, contact, "
          "laws, parameters NAME)",
          subject, hint);
  free(hint);
  return -1;
}

static int run_command(const cli_options *options, hn_error *error)
{
  hn_scene *scene = NULL;
  listing list = { .array = json_array(), .options = options };
  const int status = make_listing(&list, &scene, error);
  if (status == 0 && options->json) cli_json_print(json_incref(list.array));
  if (status == 0 && !options->json) {
    cli_table_print(list.table, stdout), list.table = NULL;
    if (list.summaries) putchar('\n'), cli_table_print(list.summaries, stdout), list.summaries = NULL;
  }
  json_decref(list.array);
  cli_table_free(list.table), cli_table_free(list.summaries);
  hn_scene_free(scene);
  return status < 0 ? -1 : CLI_DONE;
}

const cli_command cli_command_list = {
  .name = "list",
  .arguments = "SUBJECT [NAME] [SCENE]",
  .summary = "list solvers, joints, forces, scenes and their parameters",
  .details = "SUBJECT is solvers, joints, forces, scenes, studies, linear (back ends of the\n"
             "linear system), petsc (options accepted by --petsc), contact (contact solvers),\n"
             "laws (of compliant contact) or parameters. `list parameters NAME` lists the\n"
             "parameters of a solver, contact solver, joint, force, law or scene. `list solvers\n"
             "SCENE`, `list contact SCENE` and `list parameters NAME SCENE` include the solvers\n"
             "that the scene declares.\n",
  .examples = "list solvers\n"
              "list parameters impulse-sle\n"
              "list parameters chain8\n",
  .options = { CLI_JSON, CLI_WIDE, CLI_SOLVER_FILE, CLI_PLUGIN, CLI_LIMIT_OPTIONS, CLI_HELP },
  .run = run_command,
};
