/* fields.h - reads a Lua table written by a user into a C structure and refuses every key that is not meant. */
#ifndef HN_FIELDS_H
#define HN_FIELDS_H

#include "sandbox.h"

typedef enum hn_field_kind {
  HN_FIELD_NUMBER,   /* `count` doubles: a number, or a table of as many */
  HN_FIELD_FLAG,     /* bool */
  HN_FIELD_TEXT,     /* const char *, alive as long as the table */
  HN_FIELD_BODY,     /* int: index of a body given by its handle or its name */
  HN_FIELD_SHAPE,    /* hn_shape */
  HN_FIELD_FRICTION, /* two doubles, of what slides and of what sticks: a number, or { static =, kinetic = } */
  HN_FIELD_MOTION, /* hn_motion: a number, or { polynomial = { c0, c1, ... }, amplitude =, frequency =, phase = } */
  HN_FIELD_OTHER /* anything: the caller reads it */
} hn_field_kind;

enum { HN_MAX_FIELDS = 32 }; /* of one table */

typedef struct hn_field {
  const char *key; /* NULL: the entry at `position` */
  hn_field_kind kind;
  size_t offset;
  int count; /* of numbers */
  int position;
  bool required;
} hn_field;

/* Fills OUT from the table at INDEX of the stack; entries not given are left alone. Returns which fields were given,
 * bit i for fields[i]. WHAT starts the messages: `body "a"`. */
unsigned hn_fields_read(lua_State *L, int index, const char *what, const hn_field *fields, size_t count,
                        void *out);

/* Raises `what: unknown KIND "word"; did you mean ...?`. */
int hn_fields_unknown(lua_State *L, const char *what, const char *kind, const char *word,
                      const char *const *valid, size_t count);

/* The body on top of the stack, by its handle or its name; NAME says which, for messages. */
int hn_fields_body(lua_State *L, const char *what, const char *name);

/* COUNT numbers, the table on top of the stack, called NAME in messages. */
void hn_fields_vector(lua_State *L, const char *what, const char *name, int count, double *out);

/* A finite number at INDEX of the stack, called NAME in messages. */
double hn_fields_number(lua_State *L, int index, const char *what, const char *name);

/* For modules written in Lua: core.fail(message), an error at the line of the file that is run; and
 * core.unknown(what, kind, word, list of valid words). */
int hn_core_fail(lua_State *L);
int hn_core_unknown(lua_State *L);

#endif
