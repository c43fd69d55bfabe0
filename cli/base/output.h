/* output.h - files that appear whole or not at all. */
#ifndef HN_CLI_OUTPUT_H
#define HN_CLI_OUTPUT_H

#include <stdio.h>
#include "holonom.h"

/* A file written beside its final name and renamed by close. */
typedef struct cli_file {
  FILE *stream;
  char *path, *part;
  int held; /* descriptor by which it is held against other runs, beside that of the stream */
} cli_file;

int cli_file_open(cli_file *file, const char *path, hn_error *error);
int cli_file_close(cli_file *file, hn_error *error);
void cli_file_abandon(cli_file *file);
bool cli_ends_in(const char *path, const char *end);
/* 0 when PATH is not a directory; */
int cli_output_is_file(const char *path, hn_error *error);
/* and ends in ".csv". */
int cli_output_is_csv(const char *path, hn_error *error);

/* A directory of files, written to DIR.part and moved into place together. A list of them is kept with them, by which
 * the next report there takes away what this one has made. */
typedef struct cli_folder {
  char *path, *part;
  int held;    /* descriptor of DIR.part, by which it is held against other runs; -1: it is not */
  bool fresh;  /* DIR.part was not there before */
  char **name; /* files made, in order */
  size_t count;
} cli_folder;

int cli_folder_open(cli_folder *folder, const char *path, hn_error *error);
FILE *cli_folder_file(cli_folder *folder, const char *name,
                      hn_error *error);                     /* to be closed with cli_stream_close */
void cli_folder_note(cli_folder *folder, const char *name); /* a file another program made in it */
int cli_folder_close(cli_folder *folder, hn_error *error);
void cli_folder_discard(cli_folder *folder);
void cli_folder_free(cli_folder *folder);
int cli_stream_close(FILE *stream, const char *name, hn_error *error);

#endif
