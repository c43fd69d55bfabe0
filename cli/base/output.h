/* output.h - output files that appear completely or not at all. */
#ifndef HN_CLI_OUTPUT_H
#define HN_CLI_OUTPUT_H

#include <stdio.h>
#include "holonom.h"

/* A file that is opened by hn_pending_open, written as PATH.part, and renamed by cli_file_close, or
 * discarded by hn_pending_close. One that cannot be completed is deleted. */
typedef hn_pending cli_file;
int cli_file_close(cli_file *file, hn_error *error);
/* Removes what was written of FILE, a cli_file. */
void cli_file_drop(void *file);
/* True if PATH ends in END and has more in front of it. */
bool cli_ends_in(const char *path, const char *end);
/* Returns 0 if PATH is not a directory; -1 with a message otherwise. */
int cli_output_is_file(const char *path, hn_error *error);
/* Returns 0 if PATH ends in ".csv" and is not a directory; -1 with a message otherwise. */
int cli_output_is_csv(const char *path, hn_error *error);

/* A directory of files, written as DIR.part and moved into place together. It includes a list of its files
 * with their hashes. The next report in DIR replaces or removes these files if they are unchanged, and no
 * others. */
typedef struct cli_folder {
  char *path, *part;
  int held;    /* descriptor of DIR.part that holds the lock against other runs; -1: not locked */
  bool fresh;  /* DIR.part did not exist before */
  char **name; /* names of the files, in order */
  size_t count;
  char **earlier; /* [nearlier] files of an earlier report in DIR that have not changed since */
  size_t nearlier;
} cli_folder;

int cli_folder_open(cli_folder *folder, const char *path, hn_error *error);
/* Opens the file NAME in FOLDER for writing; close it with cli_stream_close. Returns NULL on error. */
FILE *cli_folder_file(cli_folder *folder, const char *name, hn_error *error);
/* Adds a file that another program has written into the folder. */
void cli_folder_note(cli_folder *folder, const char *name);
int cli_folder_close(cli_folder *folder, hn_error *error);
void cli_folder_discard(cli_folder *folder);
void cli_folder_free(cli_folder *folder);
/* Closes STREAM. Returns -1 if anything could not be written to it. */
int cli_stream_close(FILE *stream, const char *name, hn_error *error);

#endif
