/* params.h - reading parameters into a solver's data. Internal. */
#ifndef HN_PARAMS_H
#define HN_PARAMS_H

#include "base.h"

#include <stdio.h>

/* Strings that belong to a solver's parameters. */
typedef struct hn_text {
  struct hn_text *next;
  char value[];
} hn_text;

/* Fills DATA with the defaults of TABLE, then with SETTINGS ("key=value,key=value" or NULL); OWNER names the solver
 * in errors. Strings are kept in *TEXTS, which may be NULL where the table has none. */
int hn_params_read(const hn_param *table, const char *owner, const char *settings, void *data,
                   hn_text **texts, hn_error *error);
/* The same to DATA that has been filled: SETTINGS alone. */
int hn_params_change(const hn_param *table, const char *owner, const char *settings, void *data,
                     hn_text **texts, hn_error *error);
/* The value TEXT of parameter P, which is none of text, into DATA; and back, onto OUT. */
int hn_param_read(const hn_param *p, const char *owner, const char *text, void *data, hn_error *error);
void hn_param_write(const hn_param *p, const void *data, FILE *out);
void hn_texts_free(hn_text *texts);
/* "owner:key=value,..." with every parameter in force; allocated, NULL when memory is out. */
char *hn_params_write(const hn_param *table, const char *owner, const void *data);

#endif
