/* options.h - the options of all commands, and what a command takes. */
#ifndef HN_CLI_OPTIONS_H
#define HN_CLI_OPTIONS_H

#include "holonom.h"
#include "scene.h"

enum { /* options, as bits of what a command takes */
  CLI_SET = 1, CLI_SOLVER = 2, CLI_SOLVERS = 4, CLI_STEP = 8, CLI_STEPS = 16, CLI_DURATION = 32,
  CLI_REFERENCE = 64, CLI_JSON = 128, CLI_OUTPUT = 256, CLI_QUIET = 512, CLI_HELP = 1024,
  CLI_ALL = 0x10000, CLI_BUDGET = 0x20000, CLI_PLUGIN = 0x40000,
  CLI_BACKENDS = 0x80000,     /* not an option: --linear and --contact take lists */
  CLI_AT = 0x100000, CLI_RECORD_RANK = 0x200000, CLI_CONSISTENT = 0x400000,
  CLI_RECORD_JOINTS = 0x800000, CLI_RECORD_CONTACTS = 0x8000,
  CLI_LIMIT_INSTRUCTIONS = 0x1000000, CLI_LIMIT_MEMORY = 0x2000000, CLI_LIMIT_TIME = 0x4000000,
  CLI_JOBS = 0x8000000, CLI_RESUME = 0x10000000, CLI_TIMES = 0x20000000,
  CLI_VARY = 0x40000000,      /* not an option: --KEY takes values to vary it over */
  CLI_LIMITS = CLI_LIMIT_INSTRUCTIONS | CLI_LIMIT_MEMORY | CLI_LIMIT_TIME
};

typedef struct cli_options {
  char **word;                /* arguments that are not options */
  int nword;
  hn_setting *setting;        /* --set */
  size_t nsetting;
  hn_scene_limits limits;     /* 0 when not given */
  const char *solver, *solvers, *reference, *output; /* NULL when not given */
  double step, duration;      /* s; 0 when not given */
  double at;                  /* s; 0 when not given */
  double *steps;              /* s */
  size_t nsteps;
  char *parameters;           /* --KEY VALUE of the method, as "key=value,..."; already part of solver; NULL: none */
  char *joined;               /* owns solver when parameters were joined to it */
  const char *backends;       /* --linear or --contact as a list, where the command takes one; NULL when not given */
  const char *backend_key;    /* which of them */
  uint64_t budget;            /* joint operations; 0 when not given */
  hn_setting *varied;         /* [nvaried] --KEY VALUES, where the command varies them */
  size_t nvaried;
  int jobs;                   /* 0 when not given */
  bool json, quiet, help, all, record_rank, record_joints, record_contacts, resume, times;
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

/* SCENE, loaded as the options say: it can be interrupted, and the program is watched while its Lua code runs. */
hn_scene *cli_scene_load(const char *scene, const cli_options *options, hn_error *error);

#endif
