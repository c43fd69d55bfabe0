/* params.h - reads and writes the parameters in the data of solvers, joints and forces. Internal. */
#ifndef HN_PARAMS_H
#define HN_PARAMS_H

#include "base.h"

#include <stdio.h>

/* List of the strings that parameters own. */
typedef struct hn_text {
  struct hn_text *next;
  char value[];
} hn_text;

/* Fills DATA with the defaults of TABLE, then with SETTINGS ("key=value,key=value" or NULL). OWNER is the
 * name in error messages. Strings are added to *TEXTS; TEXTS may be NULL if the table has no text
 * parameter. */
int hn_params_read(const hn_param *table, const char *owner, const char *settings, void *data,
                   hn_text **texts, hn_error *error);
/* Changes the parameters in SETTINGS of DATA, which has been filled before. */
int hn_params_change(const hn_param *table, const char *owner, const char *settings, void *data,
                     hn_text **texts, hn_error *error);
/* Reads the value TEXT of parameter P, which is no text parameter, into DATA; and writes a value to OUT. */
int hn_param_read(const hn_param *p, const char *owner, const char *text, void *data, hn_error *error);
void hn_param_write(const hn_param *p, const void *data, FILE *out);
void hn_texts_free(hn_text *texts);
/* Returns "owner:key=value,..." with all parameters, to be freed; NULL if out of memory. */
char *hn_params_write(const hn_param *table, const char *owner, const void *data);

#endif
