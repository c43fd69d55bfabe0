/* options.c - command line options, from one table (options.def), read with getopt_long. */
#include <getopt.h>
#include <math.h>
#include <string.h>
#include "cli/base/interrupt.h"
#include "cli/base/memory.h"
#include "cli/base/options.h"
#include "cli/base/parse.h"
#include "cli/base/text_table.h"
#include "cli/base/watchdog.h"

typedef struct option_row {
  const char *name, *argument; /* argument: NULL for a flag */
  cli_option id;
  const char *help;
  bool is_plain; /* stored at `offset`: true for a flag, or the text itself */
  size_t offset;
} option_row;

static const option_row rows[] = {
#define OPTION(id, name, argument, help) { name, argument, CLI_##id, help, false, 0 },
#define TEXT(id, name, argument, member, help) \
  { name, argument, CLI_##id, help, true, offsetof(cli_options, member) },
#define FLAG(id, name, member, help) TEXT(id, name, NULL, member, help)
#include "cli/base/options.def"
#undef OPTION
#undef FLAG
#undef TEXT
};
enum { NROW = sizeof rows / sizeof *rows, MAX_KEYS = 100 };
/* Values of getopt_long, beyond all characters: FIRST + row, or FIRST_KEY + index of the parameter. */
enum { FIRST = 1000, FIRST_KEY = FIRST + NROW };

/* Keys of the parameters of all solvers, without duplicates: they are options too. */
typedef struct key_list {
  const char *key[MAX_KEYS];
  size_t count;
} key_list;

static bool has_key(const key_list *keys, const char *key)
{
  for (size_t i = 0; i < keys->count; i++)
    if (strcmp(keys->key[i], key) == 0) return true;
  return false;
}

static key_list all_keys(void)
{
  key_list keys = { .count = 0 };
  size_t count;
  const hn_solver_type *const *type = hn_solver_types(&count);
  for (size_t i = 0; i < count; i++)
    for (const hn_param *p = type[i]->params; p->key; p++)
      if (keys.count < MAX_KEYS && !has_key(&keys, p->key)) keys.key[keys.count++] = p->key;
  return keys;
}

bool cli_accepts(const cli_command *command, cli_option id)
{
  const cli_option *option = command->options;
  while (*option && *option != id) option++;
  return *option == id;
}

/* Returns the row of COMMAND with the name of row I, since two options may share a name. */
static size_t find_row(const cli_command *command, size_t i)
{
  for (size_t k = 0; k < NROW; k++)
    if (cli_accepts(command, rows[k].id) && strcmp(rows[k].name, rows[i].name) == 0) return k;
  return i;
}

static bool accepts_parameters(const cli_command *command)
{
  return (cli_accepts(command, CLI_SOLVER) || cli_accepts(command, CLI_SOLVERS)) &&
         (cli_accepts(command, CLI_DURATION) || cli_accepts(command, CLI_AT));
}

_Static_assert(NROW + MAX_KEYS <= CLI_MAX_OPTIONS, "room for the names of all options");

size_t cli_option_names(const cli_command *command, const char *name[CLI_MAX_OPTIONS])
{
  key_list keys = all_keys();
  size_t count = 0;
  for (size_t i = 0; i < NROW; i++)
    if (cli_accepts(command, rows[i].id)) name[count++] = rows[i].name;
  for (size_t i = 0; accepts_parameters(command) && i < keys.count; i++) name[count++] = keys.key[i];
  return count;
}

bool cli_option_takes_value(const cli_command *command, const char *name)
{
  key_list keys = all_keys();
  for (size_t i = 0; i < NROW; i++)
    if (cli_accepts(command, rows[i].id) && strcmp(rows[i].name, name) == 0) return rows[i].argument;
  return accepts_parameters(command) && has_key(&keys, name);
}

void cli_options_help(const cli_command *command)
{
  cli_table *table = cli_table_create("<|<");
  for (size_t i = 0; i < NROW; i++) {
    if (!cli_accepts(command, rows[i].id)) continue;
    cli_cell(table, "  --%s %s", rows[i].name, rows[i].argument ? rows[i].argument : "");
    cli_cell(table, "%s", rows[i].help);
  }
  if (accepts_parameters(command)) {
    cli_cell(table, "  --KEY VALUE");
    cli_cell(table, "%s",
             cli_accepts(command, CLI_VARY)
               ? "values of any parameter of the solvers, such as --tolerance log:1e-9:1e-3:7"
               : "any parameter of the solver, such as --tolerance 1e-6 (holonom list parameters NAME)");
  }
  cli_table_print(table, stdout);
}

/* Adds the solver parameter KEY to options->parameters, "key=value,...". */
static int add_parameter(cli_options *options, const char *key, const char *value, hn_error *error)
{
  if (strchr(value, ',')) return hn_fail(error, "--%s %s: a value cannot contain a comma", key, value);
  char *all = options->parameters ? cli_text("%s,%s=%s", options->parameters, key, value)
                                  : cli_text("%s=%s", key, value);
  free(options->parameters);
  options->parameters = all;
  return 0;
}

static bool is_backend(const char *key)
{
  return strcmp(key, "linear") == 0 || strcmp(key, "contact") == 0;
}

static int read_backends(cli_options *options, const char *key, hn_error *error)
{
  if (options->backends && strcmp(options->backend_key, key) != 0)
    return hn_fail(error, "--linear and --contact cannot be given both: one list at a time");
  if (options->backends) return hn_fail(error, "--%s is given twice; write --%s a,b,c", key, key);
  options->backends = optarg, options->backend_key = key;
  return 0;
}

static int append_setting(hn_setting **list, size_t *count, const char *name, const char *value)
{
  *list = cli_grow(*list, *count + 1, sizeof **list);
  (*list)[(*count)++] = (hn_setting){ .name = name, .value = value };
  return 0;
}

/* Appends the two parts of TEXT, which has the FORM of the value of OPTION, such as NAME=VALUE. */
static int append_pair(hn_setting **list, size_t *count, const char *option, const char *form, char *text,
                       hn_error *error)
{
  char *equals = strchr(text, '=');
  if (!equals || equals == text) return hn_fail(error, "%s %s: write %s %s", option, text, option, form);
  *equals = '\0';
  return append_setting(list, count, text, equals + 1);
}

static int vary(cli_options *options, const char *key, const char *values, hn_error *error)
{
  for (size_t i = 0; i < options->nvaried; i++)
    if (strcmp(options->varied[i].name, key) == 0) return hn_fail(error, "--%s is given twice", key);
  return append_setting(&options->varied, &options->nvaried, key, values);
}

enum { MAX_COUNT = 1024, MAX_PORT = 65535 }; /* of processes and measurements; of TCP */

static int read_count(const char *option, const char *text, int min, int max, int *count, hn_error *error)
{
  double number;
  if (cli_parse_number(text, &number) && number == (int)number && number >= min && number <= max)
    return *count = (int)number, 0;
  return hn_fail(error, "%s %s: must be a whole number from %d to %d", option, text, min, max);
}

/* Reads --name CURVE=TEXT, cut at the last "=": names of curves may contain "=". */
static int add_name(cli_options *options, char *text, hn_error *error)
{
  char *equals = strrchr(text, '=');
  if (!equals || equals == text || !equals[1]) return hn_fail(error, "--name %s: write CURVE=TEXT", text);
  *equals = '\0';
  return append_setting(&options->shown, &options->nshown, text, equals + 1);
}

/* Reads an interval in steps, such as that of --every. */
static int read_steps(const char *option, const char *text, long *steps, hn_error *error)
{
  double number;
  if (cli_parse_number(text, &number) && number == floor(number) && number >= 1.0 &&
      number < (double)HN_MAX_STEPS)
    return *steps = (long)number, 0;
  return hn_fail(error, "%s %s: must be a whole number of steps, 1 or more", option, text);
}

static const double min_size = 30.0, max_size = 1000.0; /* of a figure, mm: a thumbnail and a poster */
static const double max_order = 100.0;                  /* above that of any solver */
static const double max_limit = 1e18;                   /* fits into 64 bits */

static int read_size(const char *option, const char *text, double *size, hn_error *error)
{
  if (cli_parse_number(text, size) && *size >= min_size && *size <= max_size) return 0;
  return hn_fail(error, "%s %s: must be from %g to %g mm", option, text, min_size, max_size);
}

static int read_order(double *order, const char *text, hn_error *error)
{
  if (strcmp(text, "declared") == 0) return *order = 0.0, 0;
  if (cli_parse_number(text, order) && *order > 0.0 && *order <= max_order) return 0;
  return hn_fail(error, "--expect %s: must be an order above 0, or `declared`", text);
}

static int read_time(double *time, const char *text, hn_error *error)
{
  if (cli_parse_number(text, time) && *time >= 0.0) return 0;
  return hn_fail(error, "--at %s: must be a time of 0 or more, in seconds", text);
}

/* Reads a limit of a scene, in multiples of UNIT. */
static int read_limit(const char *option, const char *text, double unit, uint64_t *limit, hn_error *error)
{
  double number;
  if (cli_parse_positive(option, text, &number, error)) return -1;
  if (number < 1.0 || number * unit > max_limit)
    return hn_fail(error, "%s %s: must be from 1 to %g", option, text, max_limit / unit);
  *limit = (uint64_t)(number * unit);
  return 0;
}

static int add_solver(cli_options *options, const char *file)
{
  options->solver_files = cli_grow(options->solver_files, options->nsolver_files + 1,
                                   sizeof *options->solver_files);
  options->solver_files[options->nsolver_files++] = file;
  return 0;
}

static int read_option(cli_options *options, const option_row *row, char *value, hn_error *error)
{
  void *member = (char *)options + row->offset;
  if (row->is_plain && row->argument) *(const char **)member = value;
  else if (row->is_plain) *(bool *)member = true;
  switch (row->id) {
  case CLI_SET:
    return append_pair(&options->setting, &options->nsetting, "--set", "NAME=VALUE", value, error);
  case CLI_SOLVER_FILE: return add_solver(options, value);
  case CLI_PLUGIN: return hn_plugin_load(value, error); /* loaded already by load_plugins */
  case CLI_STEP: return cli_parse_positive("--step", value, &options->step, error);
  case CLI_STEPS: return cli_parse_steps(value, &options->steps, &options->nsteps, error);
  case CLI_TOLERANCES:
    return cli_parse_positives("--tolerances", value, &options->tolerance, &options->ntolerance, error);
  case CLI_DURATION: return cli_parse_positive("--duration", value, &options->duration, error);
  case CLI_AT: return read_time(&options->at, value, error);
  case CLI_BUDGET: return cli_parse_budget(value, &options->budget, error);
  case CLI_LIMIT_INSTRUCTIONS:
    return read_limit("--limit-instructions", value, 1.0, &options->limits.instructions, error);
  case CLI_LIMIT_MEMORY: return read_limit("--limit-memory", value, 1 << 20, &options->limits.memory, error);
  case CLI_LIMIT_TIME: return cli_parse_positive("--limit-time", value, &options->limits.seconds, error);
  case CLI_EVERY: return read_steps("--every", value, &options->every, error);
  case CLI_CHECKPOINT: return read_steps("--checkpoint", value, &options->checkpoint, error);
  case CLI_PORT:
    options->has_port = true;
    return read_count("--port", value, 0, MAX_PORT, &options->port, error);
  case CLI_SPEED: return cli_parse_positive("--speed", value, &options->speed, error);
  case CLI_EXPECT: return read_order(&options->expect, value, error);
  case CLI_WHERE:
    return append_pair(&options->where, &options->nwhere, "--where", "COLUMN=VALUE", value, error);
  case CLI_NAME: return add_name(options, value, error);
  case CLI_WIDTH: return read_size("--width", value, &options->width, error);
  case CLI_HEIGHT: return read_size("--height", value, &options->height, error);
  case CLI_WIDE: cli_table_wide(); return 0;
  case CLI_MODE: return read_count("--mode", value, 1, MAX_COUNT, &options->mode, error);
  case CLI_JOBS: return read_count("--jobs", value, 1, MAX_COUNT, &options->jobs, error);
  case CLI_REPEAT: return read_count("--repeat", value, 1, MAX_COUNT, &options->repeat, error);
  default: return 0;
  }
}

/* Reports that COMMAND has no option WORD, with the nearest of its options. Returns -1. */
static int refuse(const cli_command *command, const char *word, hn_error *error)
{
  const char *names[CLI_MAX_OPTIONS];
  char dashed[CLI_MAX_OPTIONS][32], name[64];
  const size_t count = cli_option_names(command, names);
  for (size_t i = 0; i < count; i++) {
    snprintf(dashed[i], sizeof dashed[i], "--%s", names[i]);
    names[i] = dashed[i];
  }
  snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
  char *hint = cli_hint(name, names, count);
  int status = hn_fail(error, "%s: no option %s%s (see holonom %s --help)", command->name, name, hint,
                       command->name);
  free(hint);
  return status;
}

enum { MAX_REPEATED = 40 }; /* arguments of a command that repeats one */

static int check_words(const cli_command *command, const cli_options *options, hn_error *error)
{
  int min = 0, max = 0;
  for (const char *word = command->arguments; *word; word += strcspn(word, " "), word += strspn(word, " ")) {
    const bool repeats = strncmp(word, "...", 3) == 0;
    min += *word != '[' && !repeats;
    max = repeats ? MAX_REPEATED : max + 1;
  }
  if (options->help) return 0;
  if (options->nword < min)
    return hn_fail(error, "%s: missing argument; usage: holonom %s %s", command->name, command->name,
                   command->arguments);
  if (options->nword > max)
    return hn_fail(error, "%s: unexpected argument '%s'; usage: holonom %s %s", command->name,
                   options->word[max], command->name, command->arguments);
  return 0;
}

/* Returns -1 if an argument of COMMAND is an option of another program, which getopt_long could take for an
 * abbreviation of one of ours (--time). */
static int refuse_others(const cli_command *command, int argc, char *const *argv, const struct option *longs,
                         hn_error *error)
{
  const char *names[CLI_MAX_OPTIONS];
  const size_t count = cli_option_names(command, names);
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    char word[64];
    const struct option *exact = longs;
    if (strncmp(argv[i], "--", 2) != 0) continue;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(argv[i] + 2, "="), argv[i] + 2);
    while (exact->name && strcmp(exact->name, word) != 0) exact++;
    if (!exact->name && hn_other_word(word, names, count)) return refuse(command, argv[i], error);
  }
  return 0;
}

/* Reads the option whose getopt_long value is FOUND. */
static int read_found(cli_options *options, const cli_command *command, const key_list *keys, int found,
                      hn_error *error)
{
  bool is_key = found >= FIRST_KEY;
  const char *name = is_key ? keys->key[found - FIRST_KEY] : rows[found - FIRST].name;
  if (is_key && cli_accepts(command, CLI_BACKENDS) && is_backend(name))
    return read_backends(options, name, error);
  if (is_key && cli_accepts(command, CLI_VARY)) return vary(options, name, optarg, error);
  if (is_key && accepts_parameters(command)) return add_parameter(options, name, optarg, error);
  if (!is_key && cli_accepts(command, rows[found - FIRST].id))
    return read_option(options, &rows[found - FIRST], optarg, error);
  char *word = cli_text("--%s", name);
  int status = refuse(command, word, error);
  free(word);
  return status;
}

/* Reports an unknown long option or letter, or a value given to a flag. */
static int refuse_unknown(const cli_command *command, const char *word, hn_error *error)
{
  if (optopt >= FIRST)
    return hn_fail(error, "%s: option --%s takes no value", command->name, rows[optopt - FIRST].name);
  if (optopt == 0) return refuse(command, word, error);
  const char letter[] = { '-', (char)optopt, '\0' };
  return refuse(command, letter, error);
}

static void list_options(const cli_command *command, struct option *longs, const key_list *keys)
{
  for (size_t i = 0; i < NROW; i++) {
    const size_t row = find_row(command, i);
    longs[i] = (struct option){ .name = rows[i].name,
                                .has_arg = rows[row].argument ? required_argument : no_argument,
                                .val = FIRST + (int)row };
  }
  for (size_t i = 0; i < keys->count; i++)
    longs[NROW + i] =
      (struct option){ .name = keys->key[i], .has_arg = required_argument, .val = FIRST_KEY + (int)i };
}

/* Loads the engines that SPECS name; unknown names are refused later. */
static void load_engines(const char *specs)
{
  char **spec = cli_split(specs);
  for (size_t i = 0; spec[i]; i++) {
    char *name = cli_solver_name(spec[i]);
    hn_solver_type_find(name, NULL, NULL);
    free(name);
  }
  cli_strings_free(spec);
}

/* Loads the plugins of HOLONOM_PLUGIN_PATH, then those of --plugin and engines. They come before all else,
 * since parameters of their solvers are options too. The first reading of ARGV leaves its order alone. */
static int load_plugins(const cli_command *command, int argc, char *const *argv, hn_error *error)
{
  const char *path = getenv("HOLONOM_PLUGIN_PATH");
  struct option longs[NROW + 1];
  char **copy = cli_alloc((size_t)argc + 1, sizeof *copy);
  int status = path ? hn_plugin_load_path(path, error) : 0;
  memcpy(copy, argv, sizeof *copy * (size_t)argc);
  memset(longs, 0, sizeof longs);
  list_options(command, longs, &(key_list){ .count = 0 });
  opterr = 0;
  while (status == 0) {
    int found = getopt_long(argc, copy, ":", longs, NULL);
    if (found < 0) break;
    const cli_option id = found >= FIRST ? rows[found - FIRST].id : CLI_HELP;
    if (id == CLI_PLUGIN) status = hn_plugin_load(optarg, error);
    else if (id == CLI_SOLVER || id == CLI_SOLVERS) load_engines(optarg);
  }
  optind = 0; /* makes getopt_long start again */
  free(copy);
  return status;
}

/* Appends the --KEY VALUE parameters to the spec of --solver; a duplicate key is an error of the spec. */
static void join_parameters(cli_options *options)
{
  if (!options->parameters || !options->solver) return;
  options->joined = cli_spec_with(options->solver, options->parameters);
  options->solver = options->joined;
}

int cli_options_read(cli_options *options, const cli_command *command, int argc, char **argv, hn_error *error)
{
  struct option longs[NROW + MAX_KEYS + 1];
  memset(options, 0, sizeof *options);
  options->expect = NAN;
  options->line = cli_command_line(argc, argv);
  if (load_plugins(command, argc, argv, error)) return -1;
  /* List all options, including those of other commands: these are refused by name */
  key_list keys = all_keys();
  memset(longs, 0, sizeof longs);
  list_options(command, longs, &keys);
  opterr = 0;
  int status = refuse_others(command, argc, argv, longs, error);
  while (status == 0) {
    int found = getopt_long(argc, argv, ":h", longs, NULL);
    if (found < 0) break;
    if (found == 'h') options->help = true;
    else if (found == ':')
      status = hn_fail(error, "%s: option %s needs a value", command->name, argv[optind - 1]);
    else if (found < FIRST) status = refuse_unknown(command, argv[optind - 1], error);
    else status = read_found(options, command, &keys, found, error);
  }
  options->word = argv + optind;
  options->nword = argc - optind;
  join_parameters(options);
  return status == 0 ? check_words(command, options, error) : status;
}

hn_scene *cli_scene_load(const char *scene, const cli_options *options, hn_error *error)
{
  const hn_scene_options how = { .setting = options->setting,
                                 .nsetting = options->nsetting,
                                 .solver_files = options->solver_files,
                                 .nsolver_files = options->nsolver_files,
                                 .consistent = options->consistent,
                                 .limits = options->limits,
                                 .stop = cli_stop() };
  cli_watchdog_start();
  return hn_scene_load_with(scene, &how, error);
}

void cli_options_free(cli_options *options)
{
  free(options->line);
  free(options->setting);
  free(options->solver_files);
  free(options->steps);
  free(options->tolerance);
  free(options->parameters);
  free(options->joined);
  free(options->varied);
  free(options->where);
  free(options->shown);
}
