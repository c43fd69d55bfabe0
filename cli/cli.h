/* cli.h - the command `holonom`: what its files share.
 *
 *   options -> scene and plan -> outcome (one run, measured) -> table, JSON, report
 *
 * Every command makes its outcomes with cli_outcome_run, lays out its tables with cli_table and its JSON with the
 * functions of json.c, so that a number means the same wherever it is printed. */
#ifndef HN_CLI_H
#define HN_CLI_H

#include <jansson.h>
#include <stdio.h>
#include "holonom.h"
#include "scene.h"

enum { CLI_DONE = 0, CLI_OUTCOME = 1, CLI_USAGE = 2 }; /* exit statuses */

/* ---- Options (options.c, parse.c) ------------------------------------------------------------------------------- */

enum { /* options, as bits of what a command takes */
  CLI_SET = 1, CLI_SOLVER = 2, CLI_SOLVERS = 4, CLI_STEP = 8, CLI_STEPS = 16, CLI_DURATION = 32,
  CLI_REFERENCE = 64, CLI_JSON = 128, CLI_OUTPUT = 256, CLI_QUIET = 512, CLI_HELP = 1024,
  CLI_ALL = 0x10000, CLI_BUDGET = 0x20000, CLI_PLUGIN = 0x40000,
  CLI_BACKENDS = 0x80000,     /* not an option: --linear takes a list */
  CLI_AT = 0x100000, CLI_RECORD_RANK = 0x200000, CLI_CONSISTENT = 0x400000,
  CLI_RECORD_JOINTS = 0x800000
};

typedef struct cli_options {
  char **word;                /* arguments that are not options */
  int nword;
  hn_setting *setting;        /* --set */
  size_t nsetting;
  const char *solver, *solvers, *reference, *output; /* NULL when not given */
  double step, duration;      /* s; 0 when not given */
  double at;                  /* s; 0 when not given */
  double *steps;              /* s */
  size_t nsteps;
  char *parameters;           /* --KEY VALUE of the method, as "key=value,..."; already part of solver; NULL: none */
  char *joined;               /* owns solver when parameters were joined to it */
  const char *backends;       /* --linear as a list, where the command takes one; NULL when not given */
  uint64_t budget;            /* joint operations; 0 when not given */
  bool json, quiet, help, all, record_rank, record_joints;
  bool consistent;            /* the start is projected onto the joints */
} cli_options;

typedef struct cli_command {
  const char *name, *arguments, *summary;
  const char *details;        /* further lines of its help */
  unsigned takes;             /* options */
  int least, most;            /* arguments */
  int (*run)(const cli_options *options);
} cli_command;

/* Reads the arguments after the name of COMMAND; -1 with a text on misuse. Free with cli_options_free either way. */
int cli_options_read(cli_options *options, const cli_command *command, int argc, char **argv, hn_error *error);
void cli_options_free(cli_options *options);
void cli_options_help(unsigned takes);

/* A whole finite number, or a fraction of two such as 1/30; false when TEXT is anything else. */
bool cli_parse_number(const char *text, double *number);
/* NUMBER in the fewest digits that read back to the same bits; "-" when it is not finite. */
typedef struct cli_digits { char text[32]; } cli_digits;
cli_digits cli_exact(double number);
/* A number greater than zero; WHAT names it in the error. */
int cli_parse_positive(const char *what, const char *text, double *number, hn_error *error);
/* "h1,h2,..." into an array to be freed. */
int cli_parse_steps(const char *text, double **steps, size_t *count, hn_error *error);
/* A whole number of joint operations, written as 200000 or 2e5. */
int cli_parse_budget(const char *text, uint64_t *budget, hn_error *error);
/* "a,b:key=value,key=value,c" into specs, an array ended by NULL (cli_strings_free): a comma separates two specs unless
 * the piece after it is key=value. */
char **cli_split_specs(const char *text, hn_error *error);
void cli_strings_free(char **strings);
/* SPEC with further settings "key=value,...", to be freed. */
char *cli_spec_with(const char *spec, const char *settings);
/* The same, but the settings of SPEC that come again are left out. */
char *cli_spec_override(const char *spec, const char *settings);

/* ---- Errors, memory, interruption, progress (main.c, memory.c, progress.c) -------------------------------------- */

int cli_complain(const char *format, ...) __attribute__((format(printf, 1, 2))); /* one line; returns CLI_USAGE */
void *cli_alloc(size_t count, size_t size);                 /* zeroed; ends the program when there is no memory */
void *cli_grow(void *array, size_t count, size_t size);     /* room for COUNT, kept content */
char *cli_text(const char *format, ...) __attribute__((format(printf, 1, 2))); /* to be freed */
/* "; did you mean X?", or "" when nothing is near. To be freed. */
char *cli_hint(const char *word, const char *const *candidates, size_t count);
const volatile sig_atomic_t *cli_stop(void);                /* set by SIGINT, SIGTERM, SIGHUP */
void cli_progress_allow(bool allowed);
void cli_progress_begin(const char *label);
void cli_progress_at(double fraction);
void cli_progress_end(void);

/* ---- Runs (runs.c, series.c, reference.c) ----------------------------------------------------------------------- */

enum { CLI_SERIES_MAX = 1024 };

typedef struct cli_sample {
  double time;                /* of the first step in the sample, s */
  double drift, velocity;     /* largest joint errors in it, m and m/s (rad and rad/s) */
  double energy;              /* largest |E - E(0)| in it, J */
} cli_sample;

/* Errors after every step, thinned: when the samples are full, neighbours are merged and keep their maxima. */
typedef struct cli_series {
  size_t count;
  long stride, filled;        /* steps a sample stands for, and those in the last one */
  double energy0;             /* J */
  cli_sample sample[CLI_SERIES_MAX];
} cli_series;

void cli_series_add(cli_series *series, const hn_frame *frame);

/* Positions at the final time that errors are measured against. */
typedef struct cli_reference {
  char *name;                 /* for people; NULL when there is none */
  char *key;                  /* for JSON */
  double step;                /* s, of a reference that was run; else 0 */
  double uncertainty;         /* m; NAN when it was not estimated */
  bool *has;                  /* [nbody] */
  double *position;           /* [3 * nbody], m */
} cli_reference;

struct cli_outcome;

typedef struct cli_plan {
  hn_scene *scene;
  const char *solver;         /* spec */
  double step, duration;      /* s */
  uint64_t budget;            /* joint operations; 0: no limit */
  const cli_reference *reference; /* may be NULL */
  hn_record *record;          /* may be NULL */
  bool keep_series;
  /* Called for the initial state and after every step; may be NULL. */
  void (*watch)(void *watcher, const struct cli_outcome *outcome, const hn_frame *frame);
  void *watcher;
} cli_plan;

/* One run and all that is told of it. */
typedef struct cli_outcome {
  cli_plan plan;
  hn_solver *solver;          /* NULL when it cannot do the scene */
  hn_state *state;            /* at the end */
  hn_summary summary;
  double error;               /* largest position error of a body at the final time, m; NAN when not known */
  cli_series *series;         /* when asked for */
} cli_outcome;

/* Scene, method, step and duration as the options and the scene's defaults say; NULL on error. */
hn_scene *cli_plan_read(cli_plan *plan, const cli_options *options, hn_error *error);
/* Runs PLAN. -1 only when the spec is wrong in itself, the steps cannot be counted, or the scene's control function has
 * an error; everything else is an outcome with its reason. */
int cli_outcome_run(cli_outcome *outcome, const cli_plan *plan, hn_error *error);
/* What was done to the start, in words, to be freed; NULL when nothing was asked for. */
char *cli_projection_text(const hn_model *model);
/* The methods there are, those of the process and then those that SCENE (which may be NULL) declares; to be freed. */
const hn_solver_type **cli_methods(const hn_scene *scene, size_t *count);
/* 0 when the spec is right in itself, whatever it makes of a scene. Its method may be one of SCENE, which may be
 * NULL. */
int cli_spec_check(const char *spec, const hn_scene *scene, hn_error *error);
/* The same, and 0 as well when only its order is not right: one that the method does not have is no mistake in writing,
 * and a run with it is an outcome. */
int cli_spec_check_lenient(const char *spec, const hn_scene *scene, hn_error *error);
void cli_outcome_free(cli_outcome *outcome);
double cli_outcome_us_per_step(const cli_outcome *outcome);
double cli_outcome_impulses(const cli_outcome *outcome); /* mean per step that succeeded */
double cli_outcome_per_step(const cli_outcome *outcome, uint64_t count);
/* The last step, when it was made shorter to end at the duration; else 0. */
double cli_outcome_short_step(const cli_outcome *outcome);
/* Joint operations: residuals + Jacobians + jets + impulses (a solve gives one to every joint) and one per joint for
 * every factorisation. The unit of "error against work". */
double cli_outcome_operations(const cli_outcome *outcome);
/* The smallest step duration/k, k whole, with which PLAN's run stays within BUDGET, to half a percent; that of the last
 * run tried where none does. -1 when the spec is wrong in itself. */
int cli_budget_step(const cli_plan *plan, uint64_t budget, double *step, hn_error *error);
/* 0 when work can be counted in the scene: it has joints. */
int cli_budget_check(const hn_scene *scene, uint64_t budget, hn_error *error);

/* Each returns 1 when there is a reference, 0 when there is none, -1 on error. */
int cli_reference_scene(cli_reference *reference, hn_scene *scene, double time, hn_error *error);
int cli_reference_run(cli_reference *reference, const cli_plan *plan, hn_error *error);
int cli_reference_file(cli_reference *reference, const cli_plan *plan, const char *path, hn_error *error);
const char *cli_reference_text(const cli_reference *reference); /* its name, or that there is none */
/* Takes the distance from a coarser run of the same reference as what the reference is uncertain by. */
void cli_reference_judge(cli_reference *reference, const cli_reference *coarser, int nbody);
double cli_reference_error(const cli_reference *reference, const hn_state *state);
void cli_reference_free(cli_reference *reference);

/* ---- Output (table.c, json.c, output.c) ------------------------------------------------------------------------- */

typedef struct cli_table cli_table;
/* TITLES are separated by '|'; a column whose title starts with '<' is aligned left. All empty: no head is printed. */
cli_table *cli_table_create(const char *titles);
void cli_cell(cli_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_cell_real(cli_table *table, const char *format, double value); /* "-" when it is not finite */
void cli_table_print(const cli_table *table, FILE *out);
void cli_table_markdown(const cli_table *table, FILE *out);
void cli_markdown_text(const char *text, FILE *out); /* one line, in which nothing is markup */
void cli_markdown_code(const char *text, FILE *out); /* the same as a code span */
void cli_table_free(cli_table *table);

/* Name of the method of a spec; to be freed. */
char *cli_method_name(const char *spec);
json_t *cli_json_real(double value);     /* null when it is not finite */
json_t *cli_json_string(const char *text);
json_t *cli_json_outcome(const cli_outcome *outcome);
json_t *cli_json_method(const cli_outcome *outcome);
json_t *cli_json_cost(const cli_outcome *outcome);
json_t *cli_json_options(const cli_outcome *outcome);
void cli_json_print(json_t *value);      /* on stdout; takes it over */

/* A file written beside its final name and renamed by close. */
typedef struct cli_file {
  FILE *stream;
  char *path, *part;
} cli_file;

int cli_file_open(cli_file *file, const char *path, hn_error *error);
int cli_file_close(cli_file *file, hn_error *error);
void cli_file_abandon(cli_file *file);
/* 0 when PATH ends in ".csv" and is not a directory. */
int cli_output_is_csv(const char *path, hn_error *error);

/* A directory of files, written to DIR.part and moved into place together. */
typedef struct cli_folder {
  char *path, *part;
  bool fresh;                 /* DIR.part was not there before */
  char **name;                /* files made, in order */
  size_t count;
} cli_folder;

int cli_folder_open(cli_folder *folder, const char *path, hn_error *error);
FILE *cli_folder_file(cli_folder *folder, const char *name, hn_error *error); /* to be closed with cli_stream_close */
void cli_folder_note(cli_folder *folder, const char *name);                   /* a file another program made in it */
int cli_folder_close(cli_folder *folder, hn_error *error);
void cli_folder_discard(cli_folder *folder);
void cli_folder_free(cli_folder *folder);
int cli_stream_close(FILE *stream, const char *name, hn_error *error);

/* ---- Rank (unique.c) -------------------------------------------------------------------------------------------- */

hn_rank *cli_rank_at(const hn_model *model, const hn_state *state, hn_error *error); /* NULL on error */
/* Does the method report joint forces, and run where they are not unique? */
bool cli_forces_may_vary(const cli_outcome *outcome);
bool cli_force_unique(const hn_rank *rank, const hn_joint *joint); /* in all rows */

/* ---- Plots and the report (plot.c, report.c) -------------------------------------------------------------------- */

typedef struct cli_curve {
  char *file;                 /* CSV */
  const char *label;
  char *remark;               /* added to the label in the legend; may be NULL */
} cli_curve;

typedef struct cli_panel {
  const char *title, *xlabel, *ylabel;
  int x, y;                   /* columns of the CSV */
  bool log_x, points;
  double x_min, x_max;        /* 0: as the data have it */
  double floor;               /* smaller values are drawn here; 0: there are none */
  double top;                 /* larger values, and runs that failed, are marked in a band above; 0: no band */
  int reason;                 /* with a band: column of the reason */
} cli_panel;

/* 0 when gnuplot can be run. */
int cli_plot_ready(hn_error *error);
/* NAME.gp and NAME.svg in FOLDER: the panels side by side, the same curves in each. */
int cli_plot(cli_folder *folder, const char *name, const cli_panel *panel, size_t npanel, const cli_curve *curve,
             size_t ncurve, hn_error *error);

typedef struct cli_comparison {
  hn_scene *scene;
  double step, duration;      /* s; step is the smallest one when there is a budget */
  uint64_t budget;            /* joint operations that every method may spend; 0: all take the same step */
  cli_reference reference;
  cli_outcome *outcome;       /* [count], with their series when a report is wanted */
  size_t count;
  double *steps;              /* [nsteps] of the study of error against work, s */
  size_t nsteps;
  cli_outcome *study;         /* [count * nsteps], solver by solver */
} cli_comparison;

/* What all of them had to do, in words, to be freed. */
char *cli_comparison_setup(const cli_comparison *comparison);
cli_table *cli_comparison_table(const cli_comparison *comparison);
void cli_comparison_failures(const cli_comparison *comparison, bool markdown, FILE *out); /* a list, or nothing */
/* Joint forces that are not unique, what each method makes of them; nothing where all are. */
void cli_comparison_unique(const cli_comparison *comparison, bool markdown, FILE *out);
cli_table *cli_study_table(const cli_comparison *comparison);
int cli_report_write(const cli_comparison *comparison, cli_folder *folder, hn_error *error);

/* ---- Commands --------------------------------------------------------------------------------------------------- */

int cli_cmd_run(const cli_options *options);
int cli_cmd_compare(const cli_options *options);
int cli_cmd_converge(const cli_options *options);
int cli_converge_all(const cli_options *options);
int cli_cmd_list(const cli_options *options);
int cli_cmd_check(const cli_options *options);
int cli_cmd_rank(const cli_options *options);

#endif
