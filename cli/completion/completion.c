/* completion.c - completion of the last word of a command line, from the tables that the command itself
 * reads: options of the command, values of the option before it, scenes. Files are left to the shell. */
#include <stdio.h>
#include <string.h>
#include "cli/base/cli_base.h"
#include "cli/base/memory.h"
#include "cli/completion/completion.h"
#include "scene.h"

typedef struct request {
  const char *const *subjects; /* subjects of `list` */
  const cli_command *command;
  char *const *word; /* [count] words after the command */
  int count;
  const char *last;
} request;

/* Prints KEEP characters of the last word, NAME and END, if NAME begins with the rest of that word. */
static void offer(const request *r, size_t keep, const char *name, const char *end)
{
  const char *rest = r->last + keep;
  if (strncmp(name, rest, strlen(rest)) == 0) printf("%.*s%s%s\n", (int)keep, r->last, name, end);
}

static void offer_choices(const request *r, size_t keep, const char *choices)
{
  char *copy = cli_text("%s", choices), *place = NULL;
  for (char *word = strtok_r(copy, ",", &place); word; word = strtok_r(NULL, ",", &place))
    offer(r, keep, word, "");
  free(copy);
}

/* ---- Names --------------------------------------------------------------------------------------------- */

static void offer_solvers(const request *r, size_t keep)
{
  size_t count;
  const hn_solver_type *const *type = hn_solver_types(&count);
  for (size_t i = 0; i < count; i++) offer(r, keep, type[i]->name, "");
}

static void offer_contact_solvers(const request *r, size_t keep)
{
  size_t count;
  const hn_contact_type *const *type = hn_contact_types(&count);
  for (size_t i = 0; i < count; i++) offer(r, keep, type[i]->name, "");
}

static void offer_backends(const request *r, size_t keep)
{
  size_t count;
  const hn_linear_info *info = hn_linear_backends(&count);
  for (size_t i = 0; i < count; i++) offer(r, keep, info[i].name, "");
}

static void offer_scenes(const request *r)
{
  hn_error error;
  char **names = hn_scene_names(&error);
  for (size_t i = 0; names && names[i]; i++) offer(r, 0, names[i], "");
  hn_scene_names_free(names);
}

/* Offers the parameters of the first scene among the words before the last. */
static void offer_parameters(const request *r)
{
  hn_error error;
  hn_scene *scene = NULL;
  for (int i = 0; i + 1 < r->count && !scene; i++)
    if (r->word[i][0] != '-') scene = hn_scene_load(r->word[i], NULL, 0, &error);
  for (size_t i = 0; scene && i < scene->nparam; i++) offer(r, 0, scene->param[i].name, "=");
  hn_scene_free(scene);
}

/* ---- Values of settings -------------------------------------------------------------------------------- */

/* Offers the values of the setting KEY of the COUNT solvers in TYPE. */
static void offer_value(const request *r, size_t keep, const char *key, const hn_solver_type *const *type,
                        size_t count)
{
  if (strcmp(key, "linear") == 0) offer_backends(r, keep);
  else if (strcmp(key, "contact") == 0) offer_contact_solvers(r, keep);
  for (size_t i = 0; i < count; i++)
    for (const hn_param *p = type[i]->params; p->key; p++) {
      if (strcmp(p->key, key) != 0 || (p->kind != HN_CHOICE && p->kind != HN_FLAG)) continue;
      offer_choices(r, keep, p->kind == HN_FLAG ? "true,false" : p->choices);
      return;
    }
}

/* Offers completions of NAME:KEY=VALUE,KEY=VALUE; in a LIST, a solver may begin after a comma. */
static void offer_specs(const request *r, bool list)
{
  const char *last = r->last, *comma = strrchr(last, ','), *colon = strrchr(last, ':');
  const char *piece = comma && !(colon && colon > comma) ? comma + 1 : colon ? colon + 1 : last;
  const char *equals = strchr(piece, '='), *name = colon ? colon : last;
  const size_t keep = (size_t)(piece - last);
  if (!colon || (list && piece[-1] == ',' && !equals)) offer_solvers(r, keep);
  while (name > last && name[-1] != ',') name--;
  char *solver = cli_text("%.*s", colon ? (int)(colon - name) : 0, name);
  const hn_solver_type *type = hn_solver_type_find(solver, NULL, NULL);
  free(solver);
  if (!type) return;
  if (equals) {
    char *key = cli_text("%.*s", (int)(equals - piece), piece);
    offer_value(r, (size_t)(equals + 1 - last), key, &type, 1);
    free(key);
  } else {
    for (const hn_param *p = type->params; p->key; p++) offer(r, keep, p->key, "=");
  }
}

/* ---- Options and arguments ----------------------------------------------------------------------------- */

static void offer_options(const request *r)
{
  const char *name[CLI_MAX_OPTIONS];
  const size_t count = cli_option_names(r->command, name), dashes = 2;
  for (size_t i = 0; i < count && strlen(r->last) >= dashes; i++) offer(r, dashes, name[i], "");
  for (size_t i = 0; i < count && strlen(r->last) < dashes; i++) printf("--%s\n", name[i]);
}

/* Offers the values of OPTION. Returns false if it has none. */
static bool offer_option_value(const request *r, const char *option)
{
  static const struct {
    const char *option, *values;
  } fixed[] = { { "reference", "scene,self" }, { "expect", "declared" }, { "slopes", "none" } };
  size_t count, keep = cli_accepts(r->command, CLI_BACKENDS) && strrchr(r->last, ',')
                         ? (size_t)(strrchr(r->last, ',') + 1 - r->last)
                         : 0;
  const hn_solver_type *const *type = hn_solver_types(&count);
  if (!cli_option_takes_value(r->command, option)) return false;
  if (strcmp(option, "solver") == 0 || strcmp(option, "solvers") == 0)
    offer_specs(r, option[strlen("solver")] == 's');
  else if (strcmp(option, "set") == 0) offer_parameters(r);
  else offer_value(r, keep, option, type, count);
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
    if (strcmp(option, fixed[i].option) == 0) offer_choices(r, 0, fixed[i].values);
  return true;
}

static void offer_arguments(const request *r)
{
  const bool listing = strcmp(r->command->name, "list") == 0;
  for (const char *const *subjects = r->subjects; listing && r->count == 1 && *subjects; subjects++)
    offer(r, 0, *subjects, "");
  if (listing && r->count == 1) return;
  if (listing && strcmp(r->word[0], "parameters") == 0) offer_solvers(r, 0);
  if (strncmp(r->command->arguments, "TABLE", strlen("TABLE")) != 0) offer_scenes(r);
}

static void offer_commands(const request *r, const cli_command *const *commands)
{
  for (const cli_command *const *c = commands; *c; c++) offer(r, 0, (*c)->name, "");
  offer(r, 0, "help", "");
}

int cli_complete(const cli_command *const *commands, const char *const *subjects, char *const *word,
                 int count)
{
  request r = {
    .subjects = subjects, .word = word + 1, .count = count - 1, .last = count > 0 ? word[count - 1] : ""
  };
  if (count <= 1 || (count == 2 && strcmp(word[0], "help") == 0))
    return offer_commands(&r, commands), CLI_DONE;
  for (const cli_command *const *c = commands; *c; c++)
    if (strcmp((*c)->name, word[0]) == 0) r.command = *c;
  if (!r.command) return CLI_DONE;
  const char *before = r.count > 1 ? word[count - 2] : "";
  if (strncmp(before, "--", 2) == 0 && offer_option_value(&r, before + 2)) return CLI_DONE;
  if (r.last[0] == '-') offer_options(&r);
  else offer_arguments(&r);
  return CLI_DONE;
}
